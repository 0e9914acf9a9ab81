package lsp

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"gosphere/internal/lsp/protocol"
	"gosphere/internal/notebook/vet"
)

// publish sends the diagnostics of cells. Those of a file are sent together.
func (s *Server) publish(d *document, cells []*cellText) {
	if d.isFile {
		cells = d.cells
	}
	byText := map[string]*protocol.PublishDiagnosticsParams{}
	var order []string
	for _, c := range cells {
		if !c.isCode {
			continue
		}
		p := byText[c.uri]
		if p == nil {
			p = &protocol.PublishDiagnosticsParams{URI: c.uri, Version: c.version, Diagnostics: []protocol.Diagnostic{}}
			byText[c.uri] = p
			order = append(order, c.uri)
		}
		p.Diagnostics = append(p.Diagnostics, d.diagnostics(c)...)
	}
	for _, uri := range order {
		s.out.Notify("textDocument/publishDiagnostics", byText[uri])
	}
}

// diagnostics returns the errors of a cell and the findings about it.
func (d *document) diagnostics(c *cellText) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	r := d.state.results[c]
	if r == nil {
		return list
	}
	for _, e := range r.errors {
		if name, undefined := strings.CutPrefix(e.Message, "undefined: "); undefined && d.state.live == nil {
			if d.brokenAbove(c, name) {
				continue // it follows from the errors of that cell
			}
			if number := d.definedBelow(c, name); number != 0 {
				e.Message = fmt.Sprintf("%s is used here and defined below, in cell %d", name, number)
				e.Hint = "move the definition above this cell"
			}
		}
		list = append(list, protocol.Diagnostic{
			Range: errorRange(c, e.Line, e.Column), Severity: protocol.SeverityError, Code: "compile", Source: "gosphere", Message: withHint(e.Message, e.Hint),
		})
	}
	return append(list, d.findings[c]...)
}

// withHint returns a message with its hint on a line of its own.
func withHint(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + "\n" + hintMark + hint
}

// hintMark begins the line of a hint.
const hintMark = "hint: "

// brokenAbove reports whether a cell above that does not compile probably declares a name.
func (d *document) brokenAbove(c *cellText, name string) bool {
	for _, other := range d.cells {
		if other == c {
			return false
		}
		if r := d.state.results[other]; r != nil && len(r.errors) > 0 {
			if _, declared := r.declares[name]; declared {
				return true
			}
		}
	}
	return false
}

// definedBelow returns the number of the first cell below that declares a name, or 0.
func (d *document) definedBelow(c *cellText, name string) int {
	for _, other := range d.cells[slices.Index(d.cells, c)+1:] {
		if r := d.state.results[other]; r != nil {
			if _, declared := r.declares[name]; declared {
				return other.number
			}
		}
	}
	return 0
}

// errorRange returns the range of the token at a line and column, which are from 1; the column
// counts code points. At the end of a line it is the last token.
func errorRange(c *cellText, line, column int) protocol.Range {
	text := lineOf(c.text, line-1)
	start := len(text)
	for i := range text {
		if column--; column == 0 {
			start = i
			break
		}
	}
	end := start + tokenLength(text[start:])
	if start == len(text) && text != "" {
		start = len(strings.TrimRight(text, " \t"))
		start = max(start-1, 0)
		end = len(text)
	}
	return protocol.Range{
		Start: protocol.Position{Line: c.line + line - 1, Character: units(text, start)},
		End:   protocol.Position{Line: c.line + line - 1, Character: units(text, end)},
	}
}

// tokenLength returns the length of the token, or chain of names, at the beginning of a text.
func tokenLength(text string) int {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), func(token.Position, string) {}, 0)
	end := 0
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF || kind == token.SEMICOLON && literal == "\n" {
			return end
		}
		offset := int(pos) - 1
		if end > 0 && (offset != end || kind != token.PERIOD && kind != token.IDENT) {
			return end
		}
		if literal == "" {
			literal = kind.String()
		}
		end = offset + len(literal)
		if kind != token.IDENT && kind != token.PERIOD {
			return end
		}
	}
}

// vet finds what is doubtful in a document. It checks all cells once more, so it is done when the
// document is opened, saved or changed in its structure, and not after each edit.
func (s *Server) vet(d *document) {
	d.findings = map[*cellText][]protocol.Diagnostic{}
	if s.live != nil {
		return // the order of the document is not that of the session
	}
	off := []string{"does-not-compile", "defined-below", "unknown-magic"} // these are errors already
	for _, f := range vet.Notebook(d.notebook(), d.state.packages, vet.Options{Locked: d.state.packages.Locked, Off: off}) {
		c := d.cells[f.Cell-1]
		severity := protocol.SeverityWarning
		var tags []int
		if f.Rule.Note {
			severity = protocol.SeverityHint
		}
		if strings.HasPrefix(f.Rule.Name, "unused") || f.Rule.Name == "dead-cell" {
			tags = []int{protocol.TagUnnecessary}
		}
		d.findings[c] = append(d.findings[c], protocol.Diagnostic{
			Range: errorRange(c, f.Line, f.Column), Severity: severity, Code: f.Rule.Name, Source: "gosphere", Message: withHint(f.Message, f.Hint), Tags: tags,
		})
	}
}

// hintOf returns the hint in the message of a diagnostic, or "".
func hintOf(message string) string {
	_, hint, _ := strings.Cut(message, "\n"+hintMark)
	return hint
}
