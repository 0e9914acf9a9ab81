package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/notebooks/format"
	"gosphere/runtime/symbols"
)

// bringArchive gives the commands of a test the type information that the program has.
func bringArchive(t *testing.T) {
	t.Helper()
	before := preloaded
	preloaded = Preloaded{Archive: symbols.Archive, Tables: symbols.Tables}
	t.Cleanup(func() { preloaded = before })
}

// saved writes a notebook of code cells to a file.
func saved(t *testing.T, name string, cells ...string) string {
	t.Helper()
	notebook := format.New()
	for _, cell := range cells {
		notebook.Add(format.Code, cell)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := format.WriteFile(path, notebook); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExportWritesAProgramThatNeedsNothing(t *testing.T) {
	bringArchive(t)
	path := saved(t, "2 Ways.ipynb", "x := 1", "x + 1")
	var stdout bytes.Buffer
	if err := (&Export{File: path, To: "go"}).export(&stdout); err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSuffix(path, ".ipynb") + "-go"
	if mod, err := os.ReadFile(filepath.Join(folder, "go.mod")); err != nil || !strings.HasPrefix(string(mod), "module notebook-2-ways\n\ngo 1.26\n\n// Checksum ") {
		t.Errorf("go.mod holds %q, %v", mod, err)
	}
	if program, err := os.ReadFile(filepath.Join(folder, "main.go")); err != nil || !strings.Contains(string(program), "show(x + 1)") {
		t.Errorf("main.go holds\n%s\n%v", program, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "go.sum")); err == nil {
		t.Error("there is a go.sum")
	}
}

func TestExportAsksForTheSourceOnlyWhereItIsNeeded(t *testing.T) {
	bringArchive(t)
	t.Chdir(t.TempDir())
	path := saved(t, "mean.ipynb", "stat.Mean([]float64{1, 2}, nil)")
	err := (&Export{File: path, To: "go"}).export(&bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "the program imports gonum.org/v1/gonum/stat, whose versions stand in the source of gosphere") {
		t.Errorf("got %v", err)
	}
}

func TestExportRefusesUnknownParameters(t *testing.T) {
	bringArchive(t)
	path := saved(t, "a.ipynb", "x := 1")
	if err := (&Export{File: path, To: "go", Parameter: []string{"y=1"}}).export(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "no cell tagged parameters that defines y") {
		t.Errorf("got %v", err)
	}
}

func TestExportWritesPagesAndFiguresFromStoredOutputs(t *testing.T) {
	path := painted(t)
	stem := strings.TrimSuffix(path, ".ipynb")
	for to, want := range map[string][]string{
		"html":     {stem + ".html"},
		"markdown": {stem + ".md", stem + "_files"},
		"latex":    {stem + "-figures/figures.tex"},
		"slides":   {stem + ".slides.html"},
	} {
		if err := (&Export{File: path, To: to, Stored: to == "latex"}).export(&bytes.Buffer{}); err != nil {
			t.Errorf("%s: %v", to, err)
		}
		for _, file := range want {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", to, err)
			}
		}
	}
	if err := (&Export{File: path, To: "html", Parameter: []string{"x=1"}}).export(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "run the notebook with gosphere run -p") {
		t.Errorf("parameters of a page: %v", err)
	}
}
