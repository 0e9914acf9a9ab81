package compare

import (
	"strings"
	"testing"

	"gosphere/notebooks/format"
)

// told writes differences on one line each.
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
	make := func() *format.Notebook {
		n := format.New()
		for _, id := range []string{"a", "b", "c"} {
			n.Add(format.Code, id).ID = id
		}
		return n
	}
	for _, test := range []struct {
		name   string
		change func(n *format.Notebook)
		want   string
	}{
		{"nothing", func(*format.Notebook) {}, ""},
		{"counts and notes of a run", func(n *format.Notebook) {
			n.Cells[0].ExecutionCount = 7
			n.Cells[0].Metadata["execution"] = map[string]any{"iopub.status.busy": "now"}
			n.Metadata["widgets"] = map[string]any{}
		}, ""},
		{"source", func(n *format.Notebook) { n.Cells[1].Source = "x := 1" }, "cell 2 (id b, code) changed\n source: - b|+ x := 1\n"},
		{"type", func(n *format.Notebook) { n.Cells[1].Type = format.Markdown }, "cell 2 (id b, markdown) changed\n type: - code|+ markdown\n"},
		{"output", func(n *format.Notebook) {
			n.Cells[2].Outputs = []format.Output{{Type: format.Stream, Name: "stdout", Text: "hi\n"}}
		}, "cell 3 (id c, code) changed\n outputs: + text on stdout|+ hi\n"},
		{"metadata", func(n *format.Notebook) { n.Cells[0].Metadata["tags"] = []any{"parameters"} },
			"cell 1 (id a, code) changed\n metadata: - {}|+ {|+  \"tags\": [|+   \"parameters\"|+  ]|+ }\n"},
		{"removed", func(n *format.Notebook) { n.Cells = n.Cells[1:] }, "cell 1 (id a, code) removed\n source: - a\n"},
		{"added before a changed one", func(n *format.Notebook) {
			n.Cells[2].Source = "y"
			n.Cells = append([]*format.Cell{{ID: "new", Type: format.Markdown, Source: "text"}}, n.Cells...)
		}, "cell 1 (id new, markdown) added\n source: + text\ncell 3 → 4 (id c, code) changed\n source: - c|+ y\n"},
		{"other ids, the same texts", func(n *format.Notebook) { n.Cells[0].ID, n.Cells[1].ID, n.Cells[2].ID = "x", "y", "z" }, ""},
		{"metadata of the notebook", func(n *format.Notebook) { n.Metadata["title"] = "t" }, "notebook changed\n metadata: - {}|+ {|+  \"title\": \"t\"|+ }\n"},
	} {
		changed := make()
		test.change(changed)
		got := told(Notebooks(make(), changed))
		if got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}
