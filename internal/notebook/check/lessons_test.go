package check

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/internal/notebook/run"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

var limit = run.Options{Timeout: 5 * time.Minute}

// TestLessonsShowWhatIsStoredAndJudgeAnswers runs each teaching notebook once and compares what it
// shows with what is stored. In the same session it then runs the cells from the answers on, with
// the worked solutions of the notebook and with wrong answers. Notebooks that train adapters are
// checked by make check.
func TestLessonsShowWhatIsStoredAndJudgeAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every teaching notebook")
	}
	paths, err := filepath.Glob("../../../notebooks/teaching/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no teaching notebooks, %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		t.Run(name, func(t *testing.T) {
			notebook, err := nbformat.ReadFile(path)
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
			judgeAnswers(t, session, notebook, solutionsOf(t, notebook))
		})
	}
}

// solutionsOf returns the code of the worked solutions, each of which is folded.
func solutionsOf(t *testing.T, notebook *nbformat.Notebook) string {
	t.Helper()
	for _, cell := range notebook.Cells {
		if cell.ID != "solutions" {
			continue
		}
		var code strings.Builder
		for _, found := range fencedGo.FindAllStringSubmatch(cell.Source, -1) {
			code.WriteString(found[1] + "\n")
		}
		if folded := strings.Count(cell.Source, "<details>"); folded == 0 || folded != strings.Count(cell.Source, "```go") {
			t.Errorf("%d of %d solutions are folded", folded, strings.Count(cell.Source, "```go"))
		}
		return code.String()
	}
	t.Fatal("the exercises have no cell with solutions")
	return ""
}

// fencedGo matches a block of Go code in Markdown.
var fencedGo = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestLessonsGradeTheirExercises checks that every exercise has stars, folded hints and a folded
// solution, and that every lesson asks for a prediction and cites its sources.
func TestLessonsGradeTheirExercises(t *testing.T) {
	paths, err := filepath.Glob("../../../notebooks/teaching/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no teaching notebooks, %v", err)
	}
	for _, path := range paths {
		notebook, err := nbformat.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources, all := map[string]string{}, ""
		for _, cell := range notebook.Cells {
			sources[cell.ID] = cell.Source
			all += cell.Source + "\n"
		}
		exercises := len(regexp.MustCompile(`(?m)^\d\. ★`).FindAllString(sources["exercises"], -1))
		for number := 1; number <= exercises; number++ {
			for id, want := range map[string]string{"hints": "<summary>%d ", "solutions": "<summary>Solution: %d "} {
				if want = fmt.Sprintf(want, number); !strings.Contains(sources[id], want) {
					t.Errorf("%s: the cell %s has no %q", path, id, want)
				}
			}
		}
		if exercises < 3 || !strings.Contains(all, "**Predict.**") || !strings.Contains(all, "https://doi.org/") && !strings.Contains(all, "https://arxiv.org/abs/") {
			t.Errorf("%s has %d exercises with stars; it needs three, a prediction and a reference", path, exercises)
		}
	}
}

// judgeAnswers gives the exercises of a lesson that the session has run right and wrong answers,
// and runs the cells with sliders as well, which a run without a page leaves out. In the notebook
// as it is no check may take the missing answer for a right one.
func judgeAnswers(t *testing.T, session run.Session, notebook *nbformat.Notebook, answers string) {
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
		rest.Cells = slices.DeleteFunc(rest.Cells, func(c *nbformat.Cell) bool {
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
func textOf(notebook *nbformat.Notebook, id string) string {
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
