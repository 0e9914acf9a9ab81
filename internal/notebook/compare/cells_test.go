package compare

import (
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// told returns differences on one line each.
func told(all []CellDifference) string {
	var text strings.Builder
	for _, cell := range all {
		text.WriteString(cell.Title + " " + cell.State + "\n")
		for _, d := range cell.Differences {
			text.WriteString(" " + d.Place + ": " + strings.Join(d.Lines, "|") + "\n")
		}
	}
	return text.String()
}

func TestNotebooksAreComparedByCells(t *testing.T) {
	make := func() *nbformat.Notebook {
		n := nbformat.New()
		for _, id := range []string{"a", "b", "c"} {
			n.Add(nbformat.Code, id).ID = id
		}
		return n
	}
	for _, test := range []struct {
		name   string
		change func(n *nbformat.Notebook)
		want   string
	}{
		{"nothing", func(*nbformat.Notebook) {}, ""},
		{"counts and notes of a run", func(n *nbformat.Notebook) {
			n.Cells[0].ExecutionCount = 7
			n.Cells[0].Metadata["execution"] = map[string]any{"iopub.status.busy": "now"}
			n.Metadata["widgets"] = map[string]any{}
		}, ""},
		{"source", func(n *nbformat.Notebook) { n.Cells[1].Source = "x := 1" }, "cell 2 (id b, code) changed\n source: - b|+ x := 1\n"},
		{"type", func(n *nbformat.Notebook) { n.Cells[1].Type = nbformat.Markdown }, "cell 2 (id b, markdown) changed\n type: - code|+ markdown\n"},
		{"output", func(n *nbformat.Notebook) {
			n.Cells[2].Outputs = []nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: "hi\n"}}
		}, "cell 3 (id c, code) changed\n outputs: + text on stdout|+ hi\n"},
		{"metadata", func(n *nbformat.Notebook) { n.Cells[0].Metadata["tags"] = []any{"parameters"} },
			"cell 1 (id a, code) changed\n metadata: - {}|+ {|+  \"tags\": [|+   \"parameters\"|+  ]|+ }\n"},
		{"removed", func(n *nbformat.Notebook) { n.Cells = n.Cells[1:] }, "cell 1 (id a, code) removed\n source: - a\n"},
		{"added before a changed one", func(n *nbformat.Notebook) {
			n.Cells[2].Source = "y"
			n.Cells = append([]*nbformat.Cell{{ID: "new", Type: nbformat.Markdown, Source: "text"}}, n.Cells...)
		}, "cell 1 (id new, markdown) added\n source: + text\ncell 3 → 4 (id c, code) changed\n source: - c|+ y\n"},
		{"other ids, the same texts", func(n *nbformat.Notebook) { n.Cells[0].ID, n.Cells[1].ID, n.Cells[2].ID = "x", "y", "z" }, ""},
		{"metadata of the notebook", func(n *nbformat.Notebook) { n.Metadata["title"] = "t" }, "notebook changed\n metadata: - {}|+ {|+  \"title\": \"t\"|+ }\n"},
	} {
		changed := make()
		test.change(changed)
		got := told(Notebooks(make(), changed))
		if got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

// named returns a notebook whose cells have these ids and texts, written as id:text; id:#text is a
// Markdown cell.
func named(cells ...string) *nbformat.Notebook {
	n := nbformat.New()
	for _, cell := range cells {
		id, text, _ := strings.Cut(cell, ":")
		kind := nbformat.Code
		if strings.HasPrefix(text, "#") {
			kind = nbformat.Markdown
		}
		n.Add(kind, text).ID = id
	}
	return n
}

func TestCellsFindTheirPartners(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, now *nbformat.Notebook
		want     string
	}{
		{"nothing and nothing", named(), named(), ""},
		{"nothing and one", named(), named("a:x"), "cell 1 (id a, code) added\n source: + x\n"},
		{"one and nothing", named("a:#x"), named(), "cell 1 (id a, markdown) removed\n source: - #x\n"},
		{"one moved to the end", named("a:1", "b:2", "c:3"), named("b:2", "c:3", "a:1"), "cell 1 (id a, code) removed\n source: - 1\ncell 3 (id a, code) added\n source: + 1\n"},
		{"one in between", named("a:1", "b:2"), named("a:1", "x:9", "b:2"), "cell 2 (id x, code) added\n source: + 9\n"},
		{"one taken out of the middle", named("a:1", "x:9", "b:2"), named("a:1", "b:2"), "cell 2 (id x, code) removed\n source: - 9\n"},
		{"a new id and a new text", named("a:1", "b:2"), named("a:1", "x:3"), "cell 2 (id b, code) removed\n source: - 2\ncell 2 (id x, code) added\n source: + 3\n"},
		{"the same text, of another kind and id", named("a:x"), named("b:#x"), "cell 1 (id a, code) removed\n source: - x\ncell 1 (id b, markdown) added\n source: + #x\n"},
		{"texts exchanged between ids", named("a:1", "b:2"), named("a:2", "b:1"), "cell 1 (id a, code) changed\n source: - 1|+ 2\ncell 2 (id b, code) changed\n source: - 2|+ 1\n"},
		{"two with the same text", named("a:x", "b:x"), named("c:x", "d:x"), ""},
		{"one of two with the same text", named("a:x", "b:x"), named("c:x"), "cell 2 (id b, code) removed\n source: - x\n"},
	} {
		if got := told(Notebooks(test.old, test.now)); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

func TestWhatBelongsToACellIsCompared(t *testing.T) {
	make := func() *nbformat.Notebook {
		n := named("a:#text", "b:code")
		n.Cells[0].Attachments = map[string]any{"dot.png": map[string]any{"image/png": "AAAA"}}
		n.Cells[1].Outputs = []nbformat.Output{{Type: nbformat.DisplayData, Data: map[string]any{"text/plain": "1.5"}, Metadata: map[string]any{"width": 5.0}}}
		n.Cells[1].Metadata = nil
		return n
	}
	for _, test := range []struct {
		name   string
		change func(n *nbformat.Notebook)
		want   string
	}{
		{"no metadata and empty ones", func(n *nbformat.Notebook) { n.Cells[1].Metadata = map[string]any{} }, ""},
		{"an attachment more", func(n *nbformat.Notebook) { n.Cells[0].Attachments["a.png"] = nil }, "cell 1 (id a, markdown) changed\n attachments: + a.png|  dot.png\n"},
		{"no attachments", func(n *nbformat.Notebook) { n.Cells[0].Attachments = nil }, "cell 1 (id a, markdown) changed\n attachments: - dot.png\n"},
		{"a number, however near", func(n *nbformat.Notebook) { n.Cells[1].Outputs[0].Data["text/plain"] = "1.50" }, "cell 2 (id b, code) changed\n output 1, text/plain: - 1.5|+ 1.50\n"},
		{"metadata of an output", func(n *nbformat.Notebook) { n.Cells[1].Outputs[0].Metadata["width"] = 6.0 },
			"cell 2 (id b, code) changed\n output 1, metadata:   {|-  \"width\": 5|+  \"width\": 6|  }\n"},
		{"no outputs", func(n *nbformat.Notebook) { n.Cells[1].Outputs = nil }, "cell 2 (id b, code) changed\n outputs: - display of text/plain|- 1.5\n"},
		{"everything of a cell", func(n *nbformat.Notebook) {
			n.Cells[1].Source, n.Cells[1].Metadata = "other", map[string]any{"tags": []any{}}
			n.Cells[1].Outputs = n.Cells[1].Outputs[:0]
		}, "cell 2 (id b, code) changed\n source: - code|+ other\n metadata: - {}|+ {|+  \"tags\": []|+ }\n outputs: - display of text/plain|- 1.5\n"},
	} {
		changed := make()
		test.change(changed)
		if got := told(Notebooks(make(), changed)); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

// TestNotebooksAgreeWithThemselvesAndDifferBothWays compares all pairs of some notebooks.
func TestNotebooksAgreeWithThemselvesAndDifferBothWays(t *testing.T) {
	all := []*nbformat.Notebook{named(), named("a:1"), named("a:2"), named("b:1", "a:2"), named("a:2", "b:1"), named("c:#1", "d:3", "e:3")}
	for i, a := range all {
		for j, b := range all {
			there, back := Notebooks(a, b), Notebooks(b, a)
			if (len(there) == 0) != (len(back) == 0) || i == j && len(there) > 0 {
				t.Errorf("notebooks %d and %d: %q there, %q back", i, j, told(there), told(back))
			}
		}
	}
}
