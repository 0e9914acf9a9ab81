package run_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gosphere/notebooks/format"
	"gosphere/notebooks/run"
	"gosphere/runtime/session/sessiontest"
)

// lessons returns the paths of the teaching notebooks.
func lessons(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../teaching/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no teaching notebooks, %v", err)
	}
	return paths
}

// TestExercisesAcceptTheAnswersAndSlidersRun puts the answers of ../teaching/testdata in place of the cell called
// answers, and runs the cells with sliders as well, which a run without a page leaves out. In the notebook as it is no
// check may take the missing answer for a right one.
func TestExercisesAcceptTheAnswersAndSlidersRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every teaching notebook")
	}
	for _, path := range lessons(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		t.Run(name, func(t *testing.T) {
			notebook := readLesson(t, path)
			missing := cellText(t, notebook, "checks")
			exercises := strings.Count(missing, "no answer yet")
			if exercises == 0 || strings.Contains(missing, "right") {
				t.Errorf("without answers the checks say\n%s", missing)
			}
			answers, err := os.ReadFile(filepath.Join("../teaching/testdata", name+".answers.txt"))
			if errors.Is(err, fs.ErrNotExist) {
				t.Fatal("the exercises have no answers in notebooks/teaching/testdata")
			} else if err != nil {
				t.Fatal(err)
			}
			for _, cell := range notebook.Cells {
				switch cell.ID {
				case "answers":
					cell.Source = string(answers)
				case "slider":
					delete(cell.Metadata, "tags")
				}
			}
			if err := run.Run(context.Background(), sessiontest.New(t), notebook, run.Options{Timeout: 5 * time.Minute}); err != nil {
				t.Fatal(err)
			}
			for _, cell := range notebook.Cells {
				if text := textOf(cell); cell.ID == "slider" && !strings.Contains(text, "Slider(") {
					t.Errorf("the cell with sliders shows\n%s", text)
				}
			}
			if text := cellText(t, notebook, "checks"); strings.Count(text, "- right") != exercises {
				t.Errorf("with the answers the checks say\n%s", text)
			}
		})
	}
}

// TestExercisesRefuseAWrongAnswer gives every exercise whose answer is a number the same arbitrary one.
func TestExercisesRefuseAWrongAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every teaching notebook")
	}
	for _, path := range lessons(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ipynb"), func(t *testing.T) {
			notebook := readLesson(t, path)
			for _, cell := range notebook.Cells {
				if cell.ID == "answers" {
					cell.Source = strings.ReplaceAll(cell.Source, "math.NaN()", "0.123")
				}
			}
			if err := run.Run(context.Background(), sessiontest.New(t), notebook, run.Options{Timeout: 5 * time.Minute}); err != nil {
				t.Fatal(err)
			}
			if text := cellText(t, notebook, "checks"); strings.Contains(text, "- right") || !strings.Contains(text, "- not yet") {
				t.Errorf("with 0.123 for every answer the checks say\n%s", text)
			}
		})
	}
}

func readLesson(t *testing.T, path string) *format.Notebook {
	t.Helper()
	notebook, err := format.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return notebook
}

// cellText returns the texts of the cell with the given id.
func cellText(t *testing.T, notebook *format.Notebook, id string) string {
	t.Helper()
	for _, cell := range notebook.Cells {
		if cell.ID == id {
			return textOf(cell)
		}
	}
	t.Fatalf("there is no cell %s", id)
	return ""
}
