// Package lsp is a language server for cells of Go: notebooks, files of cells and scripts. It
// speaks the Language Server Protocol 3.17 with notebook documents.
//
// Cells are checked in the order of the document, as a session would. Attached to a running kernel,
// the server checks each cell below those that the kernel has executed instead. An edit checks the
// cell again, and those that depend on what it declares only if that has changed.
//
// Read server.go (messages), handlers.go (requests by method), document.go (texts), analysis.go
// (checking), diagnostics.go, live.go (kernels), then the files of the requests.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"gosphere/internal/lsp/protocol"
	"gosphere/internal/lsp/rpc"
	"gosphere/internal/notebook/imports"
	"gosphere/kernel/client"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/session"
)

// Options configure a server.
type Options struct {
	// Packages are those that cells may import.
	Packages *session.Compiled
	// Kernel is the running kernel whose session the cells are checked in, or nil.
	Kernel *client.Client
	// Version is that of the program.
	Version string
	// Log receives reports of invalid messages.
	Log io.Writer
}

// A Server serves one client. One goroutine handles all messages, in their order.
type Server struct {
	options Options
	out     *rpc.Writer
	live    *live

	initialized, ending bool
	documents           map[string]*document // by the URI of the notebook or file
	dirty               []dirtyCell          // edited since the last diagnostics
}

// A dirtyCell is a cell that was edited.
type dirtyCell struct {
	document *document
	cell     *cellText
}

// errExit ends the server.
var errExit = errors.New("lsp: exit")

// Serve serves the client of two streams until it asks for the end or closes the input. It returns
// an error if the client ends without having asked for a shutdown.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	s := &Server{options: o, out: rpc.NewWriter(out), documents: map[string]*document{}}
	if o.Kernel != nil {
		s.live = &live{kernel: o.Kernel}
	}
	messages, failed := make(chan *rpc.Message, 64), make(chan error, 1)
	// This goroutine reads ahead, so that several edits in a row are checked once. It ends with the
	// input or ctx.
	go s.read(ctx, bufio.NewReader(in), messages, failed)
	for {
		if len(messages) == 0 {
			s.publishDirty()
		}
		select {
		case m, open := <-messages:
			if !open {
				return <-failed
			}
			if err := s.handle(m); errors.Is(err, errExit) {
				if !s.ending {
					return errors.New("lsp: the client sent exit without shutdown")
				}
				return nil
			} else if err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// read reads messages until the input ends.
func (s *Server) read(ctx context.Context, in *bufio.Reader, messages chan<- *rpc.Message, failed chan<- error) {
	defer close(messages)
	for {
		m, err := rpc.Read(in)
		if invalid := (*rpc.Error)(nil); errors.As(err, &invalid) {
			fmt.Fprintln(s.options.Log, "gosphere lsp:", invalid)
			continue
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if err != nil || m == nil {
			failed <- err
			return
		}
		select {
		case messages <- m:
		case <-ctx.Done():
			failed <- nil
			return
		}
	}
}

// handle handles one message. Requests get a response; the error is that of the connection.
func (s *Server) handle(m *rpc.Message) error {
	if m.Method == "" {
		return nil // the response to a request of the server, which sends none
	}
	if m.ID == nil {
		return s.notified(m)
	}
	if !s.initialized && m.Method != "initialize" {
		return s.out.Reply(m.ID, nil, &rpc.Error{Code: rpc.NotInitialized, Message: "the first request must be initialize"})
	}
	if s.ending {
		return s.out.Reply(m.ID, nil, &rpc.Error{Code: rpc.InvalidRequest, Message: "the server is shutting down"})
	}
	s.publishDirty() // before the response, so that a client sees the effect of its edits in order
	answer, ok := requests[m.Method]
	if !ok {
		return s.out.Reply(m.ID, nil, &rpc.Error{Code: rpc.MethodNotFound, Message: "unknown method " + m.Method})
	}
	result, err := s.answer(answer, m.Params)
	return s.out.Reply(m.ID, result, err)
}

// answer calls a handler. A panic of one is the error of its request.
func (s *Server) answer(handler func(*Server, json.RawMessage) (any, error), params json.RawMessage) (result any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			result, err = nil, &rpc.Error{Code: rpc.InternalError, Message: fmt.Sprint("internal error: ", reason)}
			fmt.Fprintln(s.options.Log, "gosphere lsp:", err)
		}
	}()
	return handler(s, params)
}

// notified handles a notification. Those that are unknown or invalid are dropped, as the protocol
// requires.
func (s *Server) notified(m *rpc.Message) error {
	if m.Method == "exit" {
		return errExit
	}
	handler, ok := notifications[m.Method]
	if !ok || !s.initialized {
		return nil
	}
	if _, err := s.answer(func(s *Server, params json.RawMessage) (any, error) { return nil, handler(s, params) }, m.Params); err != nil {
		fmt.Fprintf(s.options.Log, "gosphere lsp: %s: %v\n", m.Method, err)
	}
	return nil
}

// find returns the document and the cell at a position of a text, and the position in the cell.
func (s *Server) find(uri string, at protocol.Position) (*document, *cellText, int, error) {
	for _, d := range s.documents {
		if c, inside := d.cell(uri, at); c != nil {
			return d, c, offsetOf(c.text, inside), nil
		}
	}
	return nil, nil, 0, &rpc.Error{Code: rpc.InvalidParams, Message: "no open document has the URI " + uri}
}

// open adds a document and checks all of its cells.
func (s *Server) open(d *document) error {
	dir := "."
	if d.path != "" {
		dir = filepath.Dir(d.path)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	stored := nbformat.New()
	if filepath.Ext(d.path) == ".ipynb" {
		if n, err := nbformat.ReadFile(d.path); err == nil {
			stored = n // its metadata state the versions of modules
		}
	}
	d.stored = stored
	packages, err := imports.Of(s.options.Packages, stored, dir)
	if err != nil {
		return err
	}
	d.state = newAnalysis(packages, s.live)
	s.documents[d.uri] = d
	s.checkAll(d)
	return nil
}

// checkAll checks all cells of a document, after its structure has changed.
func (s *Server) checkAll(d *document) {
	d.state = newAnalysis(d.state.packages, s.live)
	s.dirty = slices.DeleteFunc(s.dirty, func(c dirtyCell) bool { return c.document == d })
	if s.live != nil {
		s.live.refresh(d.state.packages)
	}
	d.state.from(d.cells, 0)
	d.findings = nil
	s.vet(d)
	s.publish(d, d.cells)
}

// edited records that the text of a cell has changed.
func (s *Server) edited(d *document, c *cellText) {
	d.state.changed(slices.Index(d.cells, c))
	if !slices.Contains(s.dirty, dirtyCell{d, c}) {
		s.dirty = append(s.dirty, dirtyCell{d, c})
	}
}

// publishDirty checks the edited cells and those that depend on them.
func (s *Server) publishDirty() {
	dirty := s.dirty
	s.dirty = nil
	for _, at := range dirty {
		i := slices.Index(at.document.cells, at.cell)
		if i < 0 {
			continue
		}
		var checked []*cellText
		if s.live != nil && s.live.refresh(at.document.state.packages) {
			checked = at.document.state.from(at.document.cells, 0)
		} else {
			checked = at.document.state.update(at.document.cells, i)
		}
		delete(at.document.findings, at.cell)
		s.publish(at.document, checked)
	}
}
