package lsp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/internal/lsp/protocol"
	"gosphere/internal/lsp/rpc"
)

// A handler of a request returns its result.
type requestHandler = func(*Server, json.RawMessage) (any, error)

// requests and notifications are the handlers by method.
var (
	requests      map[string]requestHandler
	notifications map[string]func(*Server, json.RawMessage) error
)

func init() { // the handlers refer to the tables, which literals could not
	requests = map[string]requestHandler{
		"initialize":                       (*Server).initialize,
		"shutdown":                         (*Server).shutdown,
		"textDocument/hover":               with((*Server).hover),
		"textDocument/completion":          with((*Server).completion),
		"textDocument/signatureHelp":       with((*Server).signatureHelp),
		"textDocument/definition":          with((*Server).definition),
		"textDocument/references":          with((*Server).references),
		"textDocument/documentHighlight":   with((*Server).highlight),
		"textDocument/prepareRename":       with((*Server).prepareRename),
		"textDocument/rename":              with((*Server).rename),
		"textDocument/codeAction":          with((*Server).codeActions),
		"textDocument/documentSymbol":      with((*Server).symbols),
		"textDocument/formatting":          with((*Server).formatting),
		"textDocument/semanticTokens/full": with((*Server).semanticTokens),
	}
	notifications = map[string]func(*Server, json.RawMessage) error{
		"textDocument/didOpen":       taking((*Server).didOpen),
		"textDocument/didChange":     taking((*Server).didChange),
		"textDocument/didSave":       taking((*Server).didSave),
		"textDocument/didClose":      taking((*Server).didClose),
		"notebookDocument/didOpen":   taking((*Server).didOpenNotebook),
		"notebookDocument/didChange": taking((*Server).didChangeNotebook),
		"notebookDocument/didSave":   taking((*Server).didSaveNotebook),
		"notebookDocument/didClose":  taking((*Server).didCloseNotebook),
	}
}

// with returns the handler of a request with parameters of type P.
func with[P any](do func(*Server, P) (any, error)) requestHandler {
	return func(s *Server, text json.RawMessage) (any, error) {
		var params P
		if err := json.Unmarshal(text, &params); err != nil {
			return nil, &rpc.Error{Code: rpc.InvalidParams, Message: err.Error()}
		}
		return do(s, params)
	}
}

// taking is like with for a notification.
func taking[P any](do func(*Server, P) error) func(*Server, json.RawMessage) error {
	return func(s *Server, text json.RawMessage) error {
		var params P
		if err := json.Unmarshal(text, &params); err != nil {
			return err
		}
		return do(s, params)
	}
}

// initialize announces what the server can do.
func (s *Server) initialize(json.RawMessage) (any, error) {
	s.initialized = true
	type object = map[string]any
	return object{
		"serverInfo": object{"name": "gosphere", "version": s.options.Version},
		"capabilities": object{
			"positionEncoding": "utf-16",
			"textDocumentSync": object{"openClose": true, "change": 2, "save": object{"includeText": false}},
			"notebookDocumentSync": object{
				"notebookSelector": []object{{"cells": []object{{"language": "go"}}}},
				"save":             true,
			},
			"hoverProvider":              true,
			"completionProvider":         object{"triggerCharacters": []string{".", "%", "\"", "/"}},
			"signatureHelpProvider":      object{"triggerCharacters": []string{"(", ","}},
			"definitionProvider":         true,
			"referencesProvider":         true,
			"documentHighlightProvider":  true,
			"renameProvider":             object{"prepareProvider": true},
			"codeActionProvider":         object{"codeActionKinds": []string{quickFix}},
			"documentSymbolProvider":     true,
			"documentFormattingProvider": true,
			"semanticTokensProvider": object{
				"legend": object{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers},
				"full":   true,
			},
		},
	}, nil
}

func (s *Server) shutdown(json.RawMessage) (any, error) {
	s.ending = true
	return nil, nil
}

func (s *Server) didOpen(p protocol.DidOpenTextDocumentParams) error {
	if filepath.Ext(pathOf(p.TextDocument.URI)) == ".ipynb" && strings.HasPrefix(strings.TrimSpace(p.TextDocument.Text), "{") {
		return nil // the JSON of a notebook, and not the text of its cells, which some clients send
	}
	return s.open(newFile(p.TextDocument))
}

func (s *Server) didChange(p protocol.DidChangeTextDocumentParams) error {
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		return nil
	}
	old := d.cells
	d.setText(applyChanges(d.text, p.ContentChanges), p.TextDocument.Version)
	if len(old) != len(d.cells) {
		s.checkAll(d)
		return nil
	}
	// Cells with the same text keep their results.
	for i, c := range d.cells {
		if r := d.state.results[old[i]]; r != nil {
			d.state.results[c] = r
			delete(d.state.results, old[i])
		}
		d.findings[c] = d.findings[old[i]]
		delete(d.findings, old[i])
		if c.text != old[i].text || c.isCode != old[i].isCode {
			s.edited(d, c)
		}
	}
	s.dirty = slices.DeleteFunc(s.dirty, func(at dirtyCell) bool { return at.document == d && !slices.Contains(d.cells, at.cell) })
	return nil
}

func (s *Server) didSave(p protocol.DidCloseTextDocumentParams) error {
	return s.saved(s.documents[p.TextDocument.URI])
}

// saved looks for what is doubtful in a document.
func (s *Server) saved(d *document) error {
	if d == nil {
		return nil
	}
	s.publishDirty()
	s.vet(d)
	s.publish(d, d.cells)
	return nil
}

func (s *Server) didClose(p protocol.DidCloseTextDocumentParams) error {
	return s.closed(p.TextDocument.URI)
}

// closed forgets a document and removes its diagnostics.
func (s *Server) closed(uri string) error {
	d := s.documents[uri]
	if d == nil {
		return nil
	}
	delete(s.documents, uri)
	s.dirty = slices.DeleteFunc(s.dirty, func(c dirtyCell) bool { return c.document == d })
	d.state, d.findings = newAnalysis(d.state.packages, nil), nil
	s.publish(d, d.cells)
	return nil
}

func (s *Server) didOpenNotebook(p protocol.DidOpenNotebookDocumentParams) error {
	d := newNotebook(p.NotebookDocument.URI)
	d.cells = cellsOf(p.NotebookDocument.Cells, p.CellTextDocuments, nil)
	d.number()
	return s.open(d)
}

// cellsOf returns cells with the texts of new documents and those of cells that were there before.
func cellsOf(cells []protocol.NotebookCell, texts []protocol.TextDocumentItem, before []*cellText) (list []*cellText) {
	for _, c := range cells {
		n := &cellText{uri: c.Document, isCode: c.Kind == protocol.CodeCell}
		if i := slices.IndexFunc(before, func(old *cellText) bool { return old.uri == c.Document }); i >= 0 {
			n.text, n.version = before[i].text, before[i].version
		}
		for _, t := range texts {
			if t.URI == c.Document {
				n.text, n.version = t.Text, t.Version
				n.isCode = n.isCode && (t.LanguageID == "go" || t.LanguageID == "")
			}
		}
		list = append(list, n)
	}
	return list
}

func (s *Server) didChangeNotebook(p protocol.DidChangeNotebookDocumentParams) error {
	d := s.documents[p.NotebookDocument.URI]
	if d == nil || p.Change.Cells == nil {
		return nil
	}
	change := p.Change.Cells
	structure := change.Structure != nil
	if structure {
		a := change.Structure.Array
		start := min(a.Start, len(d.cells))
		end := min(start+a.DeleteCount, len(d.cells))
		added := cellsOf(a.Cells, change.Structure.DidOpen, d.cells)
		d.cells = slices.Concat(d.cells[:start], added, d.cells[end:])
		d.number()
	}
	for _, t := range change.TextContent {
		for _, c := range d.cells {
			if c.uri == t.Document.URI {
				c.text, c.version = applyChanges(c.text, t.Changes), t.Document.Version
				if !structure {
					s.edited(d, c)
				}
			}
		}
	}
	if structure {
		s.checkAll(d)
	}
	return nil
}

func (s *Server) didSaveNotebook(p protocol.NotebookDocumentParams) error {
	return s.saved(s.documents[p.NotebookDocument.URI])
}

func (s *Server) didCloseNotebook(p protocol.NotebookDocumentParams) error {
	return s.closed(p.NotebookDocument.URI)
}
