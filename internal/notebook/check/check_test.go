package check

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gosphere/internal/notebook/run"
	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
)

// An echo is a session whose cells show the entry of a table for their source.
type echo struct {
	shows map[string]string
	count int
}

func (e *echo) Execute(_ context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	e.count++
	text, ok := e.shows[request.Code]
	if !ok {
		return protocol.ExecuteReply{Status: "error", Ename: "panic", Evalue: "no such cell", ExecutionCount: e.count}
	}
	if text != "" {
		publish(protocol.ExecuteResult{ExecutionCount: e.count, Data: protocol.MimeBundle{"text/plain": text}})
	}
	return protocol.ExecuteReply{Status: "ok", ExecutionCount: e.count}
}

func (*echo) Interrupt() {}

// stored returns a notebook as a run of the cells has left it.
func stored(t *testing.T, cells ...[2]string) *nbformat.Notebook {
	t.Helper()
	notebook, shows := nbformat.New(), map[string]string{}
	notebook.Add(nbformat.Markdown, "# Title")
	for _, cell := range cells {
		added := notebook.Add(nbformat.Code, cell[0])
		shows[cell[0]] = cell[1]
		if strings.HasPrefix(cell[0], "quick") {
			added.Metadata["tags"] = []any{"parameters"}
		}
	}
	if err := run.Run(context.Background(), &echo{shows: shows}, notebook, run.Options{}); err != nil {
		t.Fatal(err)
	}
	return notebook
}

func TestNotebookThatShowsWhatIsStoredPasses(t *testing.T) {
	notebook := stored(t, [2]string{"quick := true", ""}, [2]string{"a", "0.5"}, [2]string{"b", "x"})
	notebook.Cells[3].Metadata["gosphere"] = map[string]any{"check": map[string]any{"skip": "it is the time"}}
	result, err := Notebook(context.Background(), &echo{shows: map[string]string{"quick := true": "", "a": "0.5", "b": "y"}}, notebook, Options{})
	if err != nil || result.Differs() || result.Summary() != "all 2 cells show what is stored, 1 not compared" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestDifferencesAreToldByCellAndMergedAlone(t *testing.T) {
	notebook := stored(t, [2]string{"a", "0.5"}, [2]string{"b", "0.25"})
	notebook.Cells[1].Metadata["gosphere"] = map[string]any{"check": map[string]any{"relative": 0.1}}
	id := notebook.Cells[2].ID
	result, err := Notebook(context.Background(), &echo{shows: map[string]string{"a": "0.51", "b": "0.26"}}, notebook, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := result.Write(&text, "n.ipynb"); err != nil {
		t.Fatal(err)
	}
	want := "n.ipynb: 1 of 2 cells differ\n\n  cell 3 (id " + id + "), output 1, text/plain\n    - 0.25\n    + 0.26\n"
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	result.Merge(notebook)
	for i, want := range map[int]string{1: "0.5", 2: "0.26"} {
		if got := notebook.Cells[i].Outputs[0].Data["text/plain"]; got != want {
			t.Errorf("after the merge cell %d shows %v, want %s", i+1, got, want)
		}
	}
}

func TestNotebooksThatCannotBeCheckedSayWhy(t *testing.T) {
	full := stored(t, [2]string{"quick := false", ""}, [2]string{"a", "1"})
	injected := stored(t, [2]string{"quick := true", ""}, [2]string{"a", "1"})
	if _, err := run.Inject(injected, []run.Parameter{{Name: "quick", Value: "false"}}); err != nil {
		t.Fatal(err)
	}
	empty := stored(t, [2]string{"a", "1"})
	empty.ClearOutputs()
	wrong := stored(t, [2]string{"a", "1"})
	wrong.Metadata["gosphere"] = map[string]any{"check": map[string]any{"pixel": 1}}
	for _, test := range []struct {
		name     string
		notebook *nbformat.Notebook
		want     string
	}{
		{"stored with another value", injected, "the stored outputs are those of quick = false"},
		{"nothing stored", empty, "no outputs are stored to compare with"},
		{"wrong metadata", wrong, "metadata of the notebook: gosphere.check.pixel is unknown"},
	} {
		session := &echo{shows: map[string]string{"quick := false": "", "a": "1"}}
		if _, err := Notebook(context.Background(), session, test.notebook, Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
		if session.count > 0 {
			t.Errorf("%s: cells were run", test.name)
		}
	}
	session := &echo{shows: map[string]string{"quick := false": "", "a": "1"}}
	if result, err := Notebook(context.Background(), session, injected, Options{Full: true}); err == nil && result.Differs() {
		t.Errorf("the full check says %v", result.Summary())
	} else if err != nil && strings.Contains(err.Error(), "quick") {
		t.Error(err)
	}
	// A parameter that happens to have this name is like any other.
	if result, err := Notebook(context.Background(), session, full, Options{}); err != nil || result.Differs() {
		t.Errorf("the check of a notebook with quick := false says %v, %v", result.Summary(), err)
	}
}

func TestACellThatFailsEndsTheCheck(t *testing.T) {
	notebook := stored(t, [2]string{"a", "1"})
	_, err := Notebook(context.Background(), &echo{}, notebook, Options{})
	var failed *run.CellError
	if !errors.As(err, &failed) || failed.Number != 2 || failed.Evalue != "no such cell" {
		t.Errorf("got %v", err)
	}
}

func TestWhatAnotherProgramExecutedIsCompared(t *testing.T) {
	made := func() *nbformat.Notebook {
		return stored(t, [2]string{"a", "0.5"}, [2]string{"b", "0.25"}, [2]string{"c", ""})
	}
	for _, test := range []struct {
		name   string
		change func(n *nbformat.Notebook)
		want   string // of the summary or the error
	}{
		{"the same", func(*nbformat.Notebook) {}, "all 3 cells show what is stored"},
		{"other counts", func(n *nbformat.Notebook) { n.Cells[2].ExecutionCount = 9 }, "all 3 cells show what is stored"},
		{"within the tolerance", func(n *nbformat.Notebook) { n.Cells[1].Outputs[0].Data["text/plain"] = "0.54" }, "all 3 cells show what is stored"},
		{"outside of it", func(n *nbformat.Notebook) { n.Cells[2].Outputs[0].Data["text/plain"] = "0.29" }, "1 of 3 cells differ"},
		{"an error where there was nothing", func(n *nbformat.Notebook) {
			n.Cells[3].Outputs = []nbformat.Output{{Type: nbformat.ErrorOutput, Ename: "panic", Evalue: "no"}}
		}, "1 of 3 cells differ"},
		{"a cell less", func(n *nbformat.Notebook) { n.Cells = n.Cells[:3] }, "the executed notebook has 3 cells, the stored one 4"},
		{"another text", func(n *nbformat.Notebook) { n.Cells[2].Source = "d" }, "cell 3 (id "},
		{"another kind", func(n *nbformat.Notebook) { n.Cells[0].Type = nbformat.Raw }, "cell 1 (id "},
		{"a cell that only JupyterLab runs", func(n *nbformat.Notebook) {
			n.Cells[3].Outputs = []nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: "shown"}}
		}, "all 2 cells show what is stored, 1 not compared"},
		{"not run", func(n *nbformat.Notebook) { n.Cells[3].ExecutionCount = 0 }, " of the executed notebook was not run"},
	} {
		before, executed := made(), made()
		before.Cells[1].Metadata["gosphere"] = map[string]any{"check": map[string]any{"relative": 0.1}}
		if strings.Contains(test.name, "only JupyterLab") {
			before.Cells[3].ExecutionCount, before.Cells[3].Metadata["tags"] = 0, []any{"skip-execution"}
		}
		test.change(executed)
		result, err := Executed(before, executed)
		got := result.Summary()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	nothing := made()
	nothing.ClearOutputs()
	if _, err := Executed(nothing, made()); err == nil || !strings.Contains(err.Error(), "no outputs are stored to compare with") {
		t.Errorf("a notebook without outputs: %v", err)
	}
	full := stored(t, [2]string{"quick := false", ""}, [2]string{"a", "1"})
	if result, err := Executed(full, full); err != nil || result.Differs() {
		t.Errorf("a full run: %v", err)
	}
}
