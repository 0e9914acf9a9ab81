package lsp

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"gosphere/internal/lsp/protocol"
)

// TestActionsRepairCells applies the first action that the server offers for the errors of a cell
// below cells with some variables, and compares the text.
func TestActionsRepairCells(t *testing.T) {
	const above = "xs := []float64{1, 2}\nn := 3\nname := \"x\"\ntype P struct{ X int }\nfunc (p *P) String() string { return \"P\" }"
	c := connect(t, Options{Packages: compiled(t), Log: io.Discard})
	c.ask("initialize", json.RawMessage("{}"))
	for _, test := range []struct{ text, want string }{
		{"stat.Mea(xs, nil)", "stat.Mean(xs, nil)"},
		{"nme", "name"},
		{"0.5 * n\nfmt.Println(1)", ""}, // the constant cannot be an int: no single edit is sure
		{"h := 0.5\nh * n", "h := 0.5\nh * float64(n)"},
		{"m = 4", "m := 4"},
		{"v := None", ""},
		{"var v *int = None", "var v *int = nil"},
		{"ok := True", "ok := true"},
		{"k := 1\nk := 2", "k := 1\nk = 2"},
		{"fmt.Printn(n)", "fmt.Println(n)"},
		{"printf(\"%d\", n)", "fmt.Printf(\"%d\", n)"},
		{"Println(n)", "fmt.Println(n)"},
		{"\"a\" + n", "\"a\" + fmt.Sprint(n)"},
		{"\"ab\" * n", "strings.Repeat(\"ab\", n)"},
		{"var s fmt.Stringer = P{1}", "var s fmt.Stringer = &P{1}"},
		{"import \"math/rnd\"", "import \"math/rand\""},
		{"append(xs, 3)\nn", ""},
		{"sqrt(2)", "math.Sqrt(2)"},
		{"len(xs)\nfunc f() { unused := 1 }", ""},
		{"import \"os\"\nn", "n"},
	} {
		got := c.repair(t, above, test.text)
		if want := test.want; got != want {
			t.Errorf("%q is repaired as %q, want %q", test.text, got, want)
		}
	}
}

// repair opens a notebook of two cells and returns the second after the first action for it, or ""
// if there is none.
func (c *editor) repair(t *testing.T, above, text string) string {
	t.Helper()
	const uri = "file:///study/a.ipynb"
	open := protocol.DidOpenNotebookDocumentParams{
		NotebookDocument:  protocol.NotebookDocument{URI: uri, Cells: []protocol.NotebookCell{{Kind: protocol.CodeCell, Document: "c1"}, {Kind: protocol.CodeCell, Document: "c2"}}},
		CellTextDocuments: []protocol.TextDocumentItem{{URI: "c1", LanguageID: "go", Text: above}, {URI: "c2", LanguageID: "go", Text: text}},
	}
	var found protocol.PublishDiagnosticsParams
	for _, m := range c.tell("notebookDocument/didOpen", encoded(t, open)) {
		var p protocol.PublishDiagnosticsParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		if p.URI == "c2" {
			found = p
		}
	}
	var p protocol.CodeActionParams
	p.TextDocument.URI = "c2"
	p.Context.Diagnostics = found.Diagnostics
	answers := c.ask("textDocument/codeAction", encoded(t, p))
	var actions []protocol.CodeAction
	if err := json.Unmarshal(answers[len(answers)-1].Result, &actions); err != nil {
		t.Fatalf("%s: %v", answers[len(answers)-1].Result, err)
	}
	c.tell("notebookDocument/didClose", encoded(t, protocol.NotebookDocumentParams{NotebookDocument: protocol.TextDocumentIdentifier{URI: uri}}))
	if len(actions) == 0 {
		return ""
	}
	edit := actions[0].Edit.Changes["c2"][0]
	return strings.TrimSpace(text[:offsetOf(text, edit.Range.Start)] + edit.NewText + text[offsetOf(text, edit.Range.End):])
}

func encoded(t *testing.T, params any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
