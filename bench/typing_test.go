package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"gosphere/internal/lsp"
	"gosphere/internal/lsp/protocol"
	"gosphere/internal/lsp/rpc"
	"gosphere/internal/testing/sessiontest"
)

// typedCells is the number of cells of the notebook of BenchmarkTyping, and keystrokes the number
// of edits of each kind.
const (
	typedCells = 100
	keystrokes = 100
)

// An editorClient is a language server with a notebook of many cells, which use each other.
type editorClient struct {
	out    *rpc.Writer
	in     *bufio.Reader
	texts  []string
	number int
}

// BenchmarkTyping measures the time from an edit to its diagnostics, through the messages of the
// protocol, in a notebook of 100 cells that use each other.
//
//	go test ./bench -run none -bench Typing -benchtime 1x
func BenchmarkTyping(b *testing.B) {
	for range b.N {
		e, err := openNotebook()
		if err != nil {
			b.Fatal(err)
		}
		for _, kind := range []struct {
			name string
			edit func(i int) (cell int, text string)
		}{
			{"in a statement of the last cell", func(i int) (int, string) {
				return typedCells - 1, e.texts[typedCells-1] + fmt.Sprintf("\nfmt.Println(%d)", i)
			}},
			{"in a function of the middle", func(i int) (int, string) { return 52, fmt.Sprintf("func f52(x int) int { return %d + f24(x) }", i) }},
			{"in the name of a variable of the middle", func(i int) (int, string) { return 53, e.texts[53] + fmt.Sprintf("\nname%d := 1", i) }},
			{"in the type of the first function", func(i int) (int, string) { return 0, fmt.Sprintf("func f0(x int) (y%d int) { return x }", i) }},
			{"in another cell each time", func(i int) (int, string) { return i * 37 % typedCells, e.texts[i*37%typedCells] + "\n_ = 1" }},
		} {
			var times []float64
			for i := range keystrokes {
				cell, text := kind.edit(i)
				began := time.Now()
				if err := e.edit(cell, text); err != nil {
					b.Fatal(err)
				}
				times = append(times, float64(time.Since(began).Microseconds())/1000)
			}
			slices.Sort(times)
			fmt.Printf("%-42s median %6.2f ms, 90 %% %6.2f ms, longest %6.2f ms\n", kind.name, times[len(times)/2], times[len(times)*9/10], times[len(times)-1])
		}
	}
}

// openNotebook starts a server and opens the notebook.
func openNotebook() (*editorClient, error) {
	compiled, err := sessiontest.Preloaded.Open()
	if err != nil {
		return nil, err
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go lsp.Serve(context.Background(), fromClient, toClient, lsp.Options{Packages: compiled, Log: io.Discard})
	e := &editorClient{out: rpc.NewWriter(toServer), in: bufio.NewReader(fromServer)}
	var open protocol.DidOpenNotebookDocumentParams
	open.NotebookDocument.URI = "file:///study/a.ipynb"
	for n := range typedCells {
		text := step(n)
		if n == 0 {
			text = "func f0(x int) int { return x }"
		}
		if n == 1 {
			text = "func f4(x int) int { return x }\n" + text
		}
		uri := fmt.Sprint("c", n)
		e.texts = append(e.texts, text)
		open.NotebookDocument.Cells = append(open.NotebookDocument.Cells, protocol.NotebookCell{Kind: protocol.CodeCell, Document: uri})
		open.CellTextDocuments = append(open.CellTextDocuments, protocol.TextDocumentItem{URI: uri, LanguageID: "go", Text: text})
	}
	if err := e.ask("initialize", struct{}{}); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := e.out.Notify("notebookDocument/didOpen", open); err != nil {
		return nil, err
	}
	err = e.ask("sync", nil)
	fmt.Printf("%-42s %.1f ms\n", "opening the notebook", float64(time.Since(began).Microseconds())/1000)
	return e, err
}

// edit replaces the text of a cell and waits for its diagnostics.
func (e *editorClient) edit(cell int, text string) error {
	var change protocol.DidChangeNotebookDocumentParams
	line := fmt.Sprintf(`{"notebookDocument":{"uri":"file:///study/a.ipynb"},"change":{"cells":{"textContent":[{"document":{"uri":"c%d","version":2},"changes":[{"text":%s}]}]}}}`, cell, quote(text))
	if err := json.Unmarshal([]byte(line), &change); err != nil {
		return err
	}
	if err := e.out.Notify("notebookDocument/didChange", change); err != nil {
		return err
	}
	for {
		m, err := rpc.Read(e.in)
		if err != nil {
			return err
		}
		var p protocol.PublishDiagnosticsParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return err
		}
		if p.URI == fmt.Sprint("c", cell) {
			return e.ask("sync", nil) // and those of the cells that depend on it
		}
	}
}

// ask sends a request and waits for its response.
func (e *editorClient) ask(method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	e.number++
	id := fmt.Sprint(e.number)
	if err := e.out.Write(&rpc.Message{ID: json.RawMessage(id), Method: method, Params: text}); err != nil {
		return err
	}
	for {
		m, err := rpc.Read(e.in)
		if err != nil || string(m.ID) == id {
			return err
		}
	}
}

// quote returns a text as JSON.
func quote(text string) string {
	encoded, _ := json.Marshal(text) // of a string it cannot fail
	return string(encoded)
}
