//go:build unix && !race

package editing_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"gosphere/internal/lsp/rpc"
	"gosphere/kernel/client"
)

// TestALanguageServerKnowsTheSessionOfARunningKernel attaches the server to a kernel: cells are
// checked below those that the kernel has run, whatever the order of the document is, and names
// show their values.
func TestALanguageServerKnowsTheSessionOfARunningKernel(t *testing.T) {
	file := ""
	p, err := client.Start(t.Context(), func(connectionFile string) (*exec.Cmd, error) {
		file = connectionFile
		return program("kernel", connectionFile), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(patience) })
	execute(t, p.Client, "limit := 7")
	e := startServer(t, "--connection="+file)
	e.ask("initialize", `{}`)
	e.tell("notebookDocument/didOpen", `{"notebookDocument":{"uri":"file:///a.ipynb","cells":[{"kind":2,"document":"c1"},{"kind":2,"document":"c2"}]},
		"cellTextDocuments":[{"uri":"c1","languageId":"go","version":1,"text":"limit + later"},{"uri":"c2","languageId":"go","version":1,"text":"later := 1"}]}`)
	if got := e.diagnosticsOf("c1"); !strings.Contains(got, "undefined: later") {
		t.Errorf("diagnostics %s before the cell below was run, want that later is undefined", got)
	}
	execute(t, p.Client, "later := 1")
	e.tell("notebookDocument/didChange", `{"notebookDocument":{"uri":"file:///a.ipynb"},"change":{"cells":{"textContent":[{"document":{"uri":"c1","version":2},"changes":[{"text":"limit + later"}]}]}}}`)
	if got := e.diagnosticsOf("c1"); got != "[]" {
		t.Errorf("diagnostics %s after it was run, want none", got)
	}
	hover := e.ask("textDocument/hover", `{"textDocument":{"uri":"c1"},"position":{"line":0,"character":1}}`)
	if !strings.Contains(string(hover.Result), "var limit int = 7") {
		t.Errorf("hover %s, want the value of limit", hover.Result)
	}
	completion := e.ask("textDocument/completion", `{"textDocument":{"uri":"c1"},"position":{"line":0,"character":3}}`)
	if !strings.Contains(string(completion.Result), `"label":"limit"`) {
		t.Errorf("completion %s, want limit", completion.Result)
	}
	e.ask("shutdown", `null`)
	e.end()
}

// A server is gosphere lsp in a process of its own.
type server struct {
	t       *testing.T
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	count   int
	latest  map[string]string // diagnostics by document
}

func startServer(t *testing.T, arguments ...string) *server {
	t.Helper()
	command := program(append([]string{"lsp"}, arguments...)...)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return &server{t: t, command: command, in: in, out: bufio.NewReader(out), latest: map[string]string{}}
}

// ask sends a request and returns its response.
func (s *server) ask(method, params string) *rpc.Message {
	s.t.Helper()
	s.count++
	id, err := json.Marshal(s.count)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := rpc.NewWriter(s.in).Write(&rpc.Message{ID: id, Method: method, Params: json.RawMessage(params)}); err != nil {
		s.t.Fatal(err)
	}
	for {
		m, err := rpc.Read(s.out)
		if err != nil {
			s.t.Fatalf("%s: %v", method, err)
		}
		if m.Method == "textDocument/publishDiagnostics" {
			var p struct {
				URI         string          `json:"uri"`
				Diagnostics json.RawMessage `json:"diagnostics"`
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				s.t.Fatal(err)
			}
			s.latest[p.URI] = string(p.Diagnostics)
		}
		if string(m.ID) == string(id) {
			return m
		}
	}
}

// tell sends a notification.
func (s *server) tell(method, params string) {
	s.t.Helper()
	if err := rpc.NewWriter(s.in).Write(&rpc.Message{Method: method, Params: json.RawMessage(params)}); err != nil {
		s.t.Fatal(err)
	}
}

// diagnosticsOf returns the latest diagnostics of a document.
func (s *server) diagnosticsOf(uri string) string {
	s.t.Helper()
	s.ask("test/sync", `null`)
	return s.latest[uri]
}

// end ends the server, which must have been asked to shut down.
func (s *server) end() {
	s.t.Helper()
	s.tell("exit", `null`)
	if err := s.command.Wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
}

// TestAServerWhoseClientLeavesEnds has the two ends of a session besides shutdown and exit.
func TestAServerWhoseClientLeavesEnds(t *testing.T) {
	s := startServer(t)
	s.ask("initialize", `{}`)
	s.in.Close()
	if err := s.command.Wait(); err != nil {
		t.Errorf("the end of the input ended the server with %v", err)
	}
	s = startServer(t)
	s.ask("initialize", `{}`)
	s.tell("exit", `null`)
	if err := s.command.Wait(); err == nil {
		t.Error("exit without shutdown ended the server with status 0, want 1")
	}
}
