package stamp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/internal/notebook/run"
	"gosphere/internal/notebook/stamp"
	"gosphere/internal/testing/scribe"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/graph"
	"gosphere/runtime/session"
)

// every has the test of random edits run every notebook of the repository that runs in minutes.
var every = flag.Bool("every", false, "also edit and run the notebooks of the repository")

// runIn runs a notebook in a session of its own. With a plan, only its cells run.
func runIn(t *testing.T, n *nbformat.Notebook, dir string, plan map[int]stamp.Step) error {
	t.Helper()
	s, err := session.New(sessiontest.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.ImportFrom(dir)
	options := run.Options{Timeout: 10 * time.Minute}
	if plan != nil {
		options.Plan = func(number int) (runs, shows bool) { return plan[number].Run, plan[number].Shows }
	}
	return run.Run(context.Background(), s, n, options)
}

// stamped runs a whole notebook and stores its stamps.
func stamped(t *testing.T, n *nbformat.Notebook, dir string, packages session.Library) error {
	err := runIn(t, n, dir, nil)
	stamp.New(n, graph.Build(n, packages)).Stamp(func(number int) bool { return n.Cells[number-1].ExecutionCount > 0 })
	return err
}

// copyOf returns a deep copy of a notebook.
func copyOf(t *testing.T, n *nbformat.Notebook) *nbformat.Notebook {
	t.Helper()
	var text bytes.Buffer
	if err := nbformat.Write(&text, n); err != nil {
		t.Fatal(err)
	}
	c, err := nbformat.Read(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// times matches what %time and progress bars report.
var times = regexp.MustCompile(`[0-9.]+ ?(ns|µs|ms|s)\b|0x[0-9a-f]+`)

// shown returns what the cells of a notebook show, with their execution counts.
func shown(t *testing.T, n *nbformat.Notebook) (list []string) {
	for _, c := range n.Cells {
		text, err := json.Marshal(c.Outputs)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(c.ExecutionCount, " ", times.ReplaceAllString(string(text), "T")))
	}
	return list
}

// edit changes a number in one of the cells, and returns the number of the cell, or 0.
func edit(w *scribe.Writer, n *nbformat.Notebook) int {
	for range 20 {
		i := w.IntN(len(n.Cells))
		c := n.Cells[i]
		if c.Type != nbformat.Code || c.HasTag(run.TagSkip) {
			continue
		}
		if text, ok := w.Edit(c.Source); ok && text != c.Source {
			c.Source = text
			return i + 1
		}
	}
	return 0
}

// TestChangedRunsEqualWholeRuns edits cells of notebooks, runs what has changed, and compares the
// outputs of all cells with a run of the whole notebook.
func TestChangedRunsEqualWholeRuns(t *testing.T) {
	packages := sessiontest.Packages(t)
	var ran, total int
	try := func(t *testing.T, name, dir string, n *nbformat.Notebook, seed uint64) {
		t.Helper()
		stamped(t, n, dir, packages)
		if old := stamp.New(n, graph.Build(n, packages)).Old(); len(old) > 0 {
			t.Fatalf("%s: old after a whole run: %v", name, old)
		}
		w := scribe.New(seed)
		for range 2 {
			number := edit(w, n)
			if number == 0 {
				return
			}
			whole := copyOf(t, n)
			if err := stamped(t, whole, dir, packages); err != nil && !strings.Contains(err.Error(), "cell") {
				t.Fatal(err)
			}
			plan := stamp.New(n, graph.Build(n, packages)).Plan()
			runIn(t, n, dir, plan)
			stamp.New(n, graph.Build(n, packages)).Stamp(func(number int) bool { return n.Cells[number-1].ExecutionCount > 0 })
			for _, step := range plan {
				total++
				if step.Run {
					ran++
				}
			}
			got, want := shown(t, n), shown(t, whole)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s: after an edit of cell %d, cell %d (plan %v) shows\n%.600s\nwant\n%.600s\n%s", name, number, i+1, plan[i+1], got[i], want[i], n.Cells[i].Source)
				}
			}
		}
	}
	for seed := range uint64(12) {
		w := scribe.New(seed + 50)
		n := nbformat.New()
		n.Add(nbformat.Code, scribe.Setup)
		for range 12 {
			n.Add(nbformat.Code, w.Cell())
		}
		for _, c := range n.Cells {
			c.Metadata["tags"] = []any{"raises-exception"}
		}
		try(t, fmt.Sprint("seed ", seed), ".", n, seed)
	}
	t.Logf("%d of %d cells ran", ran, total)
	if ran == 0 || ran > total*3/4 {
		t.Errorf("%d of %d cells ran", ran, total)
	}
	if !*every {
		return
	}
	paths, _ := filepath.Glob("../../../notebooks/teaching/*.ipynb")
	paths = append(paths, "../../../notebooks/tour.ipynb", "../../../notebooks/own-losses.ipynb", "../../../notebooks/vague-sentences.ipynb")
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			n, err := nbformat.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			ran, total = 0, 0
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			dir, _ := filepath.Abs(filepath.Dir(path))
			try(t, path, dir, n, seed)
			t.Logf("%d of %d cells ran", ran, total)
		})
	}
}

// TestStampsFollowTheSource says which cells are old after edits.
func TestStampsFollowTheSource(t *testing.T) {
	packages := sessiontest.Packages(t)
	n := nbformat.New()
	for _, source := range []string{"a := 1", "b := a + 1", "c := 5", "b + c", "import \"os\"\nos.Getenv(\"NONE\")", "# text", "%vars"} {
		n.Add(nbformat.Code, source)
	}
	n.Cells[5].Type = nbformat.Markdown
	if err := stamped(t, n, ".", packages); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		edit   func(n *nbformat.Notebook)
		old    []int
		others []int // cells that run besides
	}{
		{func(n *nbformat.Notebook) {}, nil, nil},
		{func(n *nbformat.Notebook) { n.Cells[0].Source = "a := 2" }, []int{1, 2, 4, 7}, []int{3, 5}},
		{func(n *nbformat.Notebook) { n.Cells[2].Source = "c := 6" }, []int{3, 4, 7}, []int{1, 2, 5}},
		{func(n *nbformat.Notebook) { n.Cells[3].Source = "c - b" }, []int{4, 7}, []int{1, 2, 3, 5}},
		{func(n *nbformat.Notebook) { n.Cells[4].Source += " // again" }, []int{5, 7}, []int{1, 2, 3, 4}},
		{func(n *nbformat.Notebook) { n.Cells[5].Source = "# other text" }, nil, nil},
		{func(n *nbformat.Notebook) {
			n.Metadata["gosphere"] = map[string]any{"requires": []any{"example.com/m@v1.0.0"}}
		}, []int{1, 2, 3, 4, 5, 7}, nil},
	} {
		edited := copyOf(t, n)
		c.edit(edited)
		s := stamp.New(edited, graph.Build(edited, packages))
		if got := s.Old(); !slices.Equal(got, c.old) {
			t.Errorf("old cells %v, want %v", got, c.old)
		}
		var shows, runs []int
		for number, step := range s.Plan() {
			if step.Shows {
				shows = append(shows, number)
			} else if step.Run {
				runs = append(runs, number)
			}
		}
		slices.Sort(shows)
		slices.Sort(runs)
		if !slices.Equal(shows, c.old) || !slices.Equal(runs, c.others) {
			t.Errorf("the plan shows %v and runs %v besides, want %v and %v", shows, runs, c.old, c.others)
		}
	}
}
