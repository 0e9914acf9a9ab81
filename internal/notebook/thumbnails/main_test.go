package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"gosphere/kernel/nbformat"
)

// notebooks is the folder of the notebooks as seen from here.
const notebooks = "../../../notebooks"

// TestThumbnailsAreThoseOfTheStoredFigures checks the existing thumbnails: the list of notebooks
// decides which are shown, and its links are tested below. make check compares their content.
func TestThumbnailsAreThoseOfTheStoredFigures(t *testing.T) {
	made := map[string]bool{}
	err := each(notebooks, func(name string, want []byte) error {
		made[name] = true
		got, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && os.Getenv("GOSPHERE_GENERATE") == "" {
			return nil
		} else if err != nil {
			return err
		}
		// Scaling rounds differently on CPUs that fuse products and sums.
		if same, err := cmpimg.EqualApprox("png", got, want, 0.05); err != nil || !same {
			t.Errorf("%s is not that of the stored figure, %v; make notebooks makes it again", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.png")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !made[name] {
			t.Errorf("%s belongs to no notebook", name)
		}
	}
}

func TestLinksOfTheIndexLeadToFiles(t *testing.T) {
	index, err := nbformat.ReadFile("../../../notebooks/index.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, cell := range index.Cells {
		for _, match := range regexp.MustCompile(`(?:\]\(|(?:src|href)=")([^)"]+)[)"]`).FindAllStringSubmatch(cell.Source, -1) {
			links++
			if _, err := os.Stat(filepath.Join(notebooks, filepath.FromSlash(match[1]))); err != nil && !strings.Contains(match[1], "://") {
				t.Errorf("cell %s: %v", cell.ID, err)
			}
		}
	}
	if links < 10 {
		t.Errorf("%d links", links)
	}
}

func TestANotebookWithoutFiguresHasNoThumbnail(t *testing.T) {
	notebook := nbformat.New()
	notebook.Add(nbformat.Code, "1 + 1")
	if figure, err := firstFigure(notebook); figure != nil || err != nil {
		t.Errorf("%d bytes, %v", len(figure), err)
	}
	if _, err := scaled([]byte("no picture")); err == nil {
		t.Error("a text was scaled")
	}
	if name := nameOf(notebooks, filepath.Join(notebooks, "reproduction", "asymvlm", "table-2.ipynb")); name != "reproduction-asymvlm-table-2.png" {
		t.Errorf("name %s", name)
	}
}

func TestThumbnailsOfAFolderAreWritten(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "thumbnails"), 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../notebooks/reproduction/asymvlm/figure-5.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.ipynb"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(folder); err != nil {
		t.Fatal(err)
	}
	picture, err := os.ReadFile(filepath.Join(folder, "thumbnails", "a.png"))
	if err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Errorf("%d bytes, %v", len(picture), err)
	}
}
