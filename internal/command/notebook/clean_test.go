package notebook

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

func TestCleanChangesFilesOnlyWhereNeeded(t *testing.T) {
	path := painted(t)
	var stdout, stderr bytes.Buffer
	check := &Clean{Files: []string{path}, Check: true}
	if err := check.clean(nil, &stdout, &stderr); err != ExitStatus(1) || !strings.Contains(stdout.String(), "is not clean") {
		t.Errorf("before: %v, %q", err, stdout.String())
	}
	if err := (&Clean{Files: []string{path}}).clean(nil, &stdout, &stderr); err != nil || stderr.String() != "cleaned "+path+"\n" {
		t.Errorf("cleaning: %v, %q", err, stderr.String())
	}
	stdout.Reset()
	if err := check.clean(nil, &stdout, &stderr); err != nil || stdout.Len() > 0 {
		t.Errorf("after: %v, %q", err, stdout.String())
	}
}

func TestCleanIsAFilter(t *testing.T) {
	text, err := os.ReadFile(painted(t))
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	if err := (&Clean{Files: []string{"-"}}).clean(bytes.NewReader(text), &stdout, nil); err != nil {
		t.Fatal(err)
	}
	notebook, err := nbformat.Read(stdout.Bytes())
	if err != nil || len(notebook.Cells) != 1 || len(notebook.Cells[0].Outputs) != 0 || notebook.Cells[0].Source != "xxx" {
		t.Errorf("got %+v, %v", notebook, err)
	}
}

func TestDiffPaintsLinesForTerminals(t *testing.T) {
	path := painted(t)
	other := filepath.Join(t.TempDir(), "other.ipynb")
	notebook, err := nbformat.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	notebook.Cells[0].Source = "xx"
	if err := nbformat.WriteFile(other, notebook); err != nil {
		t.Fatal(err)
	}
	id := notebook.Cells[0].ID
	for colored, want := range map[bool]string{
		false: "- " + path + "\n+ " + other + "\n\n= cell 1 (id " + id + ", code) changed\n  source\n-   xxx\n+   xx\n",
		true: "\x1b[31m- " + path + "\x1b[0m\n\x1b[32m+ " + other + "\x1b[0m\n\n\x1b[1mcell 1 (id " + id +
			", code) changed\x1b[0m\n  source\n\x1b[31m-   xxx\x1b[0m\n\x1b[32m+   xx\x1b[0m\n",
	} {
		var stdout bytes.Buffer
		if err := (&Diff{Old: path, New: other}).diff(&stdout, colored); err != errDiffers || stdout.String() != want {
			t.Errorf("%v: got %q, %v", colored, stdout.String(), err)
		}
	}
	var stdout bytes.Buffer
	if err := (&Diff{Old: path, New: path}).diff(&stdout, false); err != nil || stdout.Len() > 0 {
		t.Errorf("a notebook differs from itself: %v, %s", err, stdout.String())
	}
}

func TestNewNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table-1.ipynb")
	n := &New{Name: path, Template: "reproduction"}
	if err := n.Run(); err != nil {
		t.Fatal(err)
	}
	notebook, err := nbformat.ReadFile(path)
	if err != nil || !strings.HasPrefix(notebook.Cells[0].Source, "# table 1\n") {
		t.Errorf("got %+v, %v", notebook, err)
	}
	if err := n.Run(); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("the second time: %v", err)
	}
}
