package check

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/notebooks/format"
	"gosphere/notebooks/run"
	"gosphere/runtime/session/sessiontest"
)

var limit = run.Options{Timeout: 5 * time.Minute}

// TestLessonsShowWhatIsStoredAndJudgeAnswers runs each teaching notebook once and compares what it shows with what is
// stored. In the same session it then runs the cells from the answers on, with the right answers of ../teaching/testdata
// and with wrong ones. Notebooks that train adapters are checked by make check.
func TestLessonsShowWhatIsStoredAndJudgeAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every teaching notebook")
	}
	paths, err := filepath.Glob("../teaching/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no teaching notebooks, %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		t.Run(name, func(t *testing.T) {
			notebook, err := format.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			session := sessiontest.New(t)
			result, err := Notebook(context.Background(), session, notebook, Options{Run: limit})
			if err != nil {
				t.Fatal(err)
			}
			// Elsewhere products and sums are fused, and last digits differ.
			if result.Differs() && runtime.GOARCH == "amd64" {
				var text strings.Builder
				result.Write(&text, path)
				t.Error(text.String())
			}
			answers, err := os.ReadFile(filepath.Join("../teaching/testdata", name+".answers.txt"))
			if err != nil {
				t.Fatalf("the exercises have no answers: %v", err)
			}
			judgeAnswers(t, session, notebook, string(answers))
		})
	}
}

// judgeAnswers gives the exercises of a lesson that the session has run right and wrong answers, and runs the cells with
// sliders as well, which a run without a page leaves out. In the notebook as it is no check may take the missing answer for
// a right one.
func judgeAnswers(t *testing.T, session run.Session, notebook *format.Notebook, answers string) {
	t.Helper()
	missing := textOf(notebook, "checks")
	exercises := strings.Count(missing, "no answer yet")
	if exercises == 0 || strings.Contains(missing, "right") {
		t.Errorf("without answers the checks say\n%s", missing)
	}
	for _, right := range []bool{true, false} {
		rest, err := clone(notebook)
		if err != nil {
			t.Fatal(err)
		}
		rest.Cells = slices.DeleteFunc(rest.Cells, func(c *format.Cell) bool {
			return c.ID != "answers" && c.ID != "checks" && (c.ID != "slider" || !right)
		})
		for _, cell := range rest.Cells {
			switch {
			case cell.ID == "answers" && right:
				cell.Source = answers
			case cell.ID == "answers":
				cell.Source = strings.ReplaceAll(cell.Source, "math.NaN()", "0.123")
			case cell.ID == "slider":
				delete(cell.Metadata, "tags")
			}
		}
		if err := run.Run(context.Background(), session, rest, limit); err != nil {
			t.Fatal(err)
		}
		switch said := textOf(rest, "checks"); {
		case right && strings.Count(said, "- right") != exercises:
			t.Errorf("with the answers the checks say\n%s", said)
		case !right && (strings.Contains(said, "- right") || !strings.Contains(said, "- not yet")):
			t.Errorf("with 0.123 for every answer the checks say\n%s", said)
		}
		if rest.Cells[0].ID == "slider" && !strings.Contains(textOf(rest, "slider"), "Slider(") {
			t.Errorf("the cell with sliders shows\n%s", textOf(rest, "slider"))
		}
	}
}

// textOf returns the texts that the cell with an id shows, "" where there is no such cell.
func textOf(notebook *format.Notebook, id string) string {
	var texts []string
	for _, cell := range notebook.Cells {
		if cell.ID != id {
			continue
		}
		for _, output := range cell.Outputs {
			text, _ := output.Data["text/plain"].(string)
			texts = append(texts, output.Text+text)
		}
	}
	return strings.Join(texts, "\n")
}
