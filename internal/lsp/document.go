package lsp

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gosphere/internal/lsp/protocol"
	"gosphere/kernel/nbformat"
)

// A document is a notebook, or a Go file of cells or of a program. It consists of cells.
type document struct {
	uri    string
	path   string // of the file, or "" if the client has none
	isFile bool   // the cells are parts of one text
	text   string // of a file
	cells  []*cellText
	state  *analysis

	stored   *nbformat.Notebook                  // the file as it was when the document was opened, for its metadata
	findings map[*cellText][]protocol.Diagnostic // of package vet
}

// A cellText is one cell as the client shows it. Its number in messages is its index in the
// document, from 1, including text cells.
type cellText struct {
	uri     string // of the text that contains the cell
	version int
	text    string // without the lines that mark it
	line    int    // in the text of the uri
	number  int
	isCode  bool
}

// newNotebook returns the document of a notebook.
func newNotebook(uri string) *document { return &document{uri: uri, path: pathOf(uri)} }

// newFile returns the document of a Go file.
func newFile(item protocol.TextDocumentItem) *document {
	d := &document{uri: item.URI, path: pathOf(item.URI), isFile: true}
	d.setText(item.Text, item.Version)
	return d
}

// setText divides the text of a file into cells. A file without markers is one cell.
func (d *document) setText(text string, version int) {
	d.text = text
	if strings.HasPrefix(text, shebang) {
		text = comment + text[len(shebang):] // of the same length
	}
	notebook, starts := nbformat.FromScript(text)
	d.cells = nil
	for i, c := range notebook.Cells {
		d.cells = append(d.cells, &cellText{uri: d.uri, version: version, text: c.Source, line: starts[i] - 1, isCode: c.Type == nbformat.Code})
	}
	d.number()
}

// A script may begin with a line for the system, which is a comment to the checker.
const (
	shebang = "#!"
	comment = "//"
)

// number numbers the cells.
func (d *document) number() {
	for i, c := range d.cells {
		c.number = i + 1
	}
}

// cell returns the cell at a position of a text, and the position within the cell.
func (d *document) cell(uri string, at protocol.Position) (*cellText, protocol.Position) {
	for _, c := range slices.Backward(d.cells) {
		if c.uri == uri && c.line <= at.Line {
			return c, protocol.Position{Line: at.Line - c.line, Character: at.Character}
		}
	}
	return nil, at
}

// notebook returns the document as a notebook file.
func (d *document) notebook() *nbformat.Notebook {
	n := nbformat.New()
	for _, c := range d.cells {
		kind := nbformat.Markdown
		if c.isCode {
			kind = nbformat.Code
		}
		n.Add(kind, c.text)
	}
	return n
}

// pathOf returns the path of a file URI, or "".
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // /C:/folder
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// lineOf returns a line of a text, from 0, without its end.
func lineOf(text string, line int) string {
	for ; line > 0; line-- {
		_, after, found := strings.Cut(text, "\n")
		if !found {
			return ""
		}
		text = after
	}
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(text, "\r")
}

// units returns the number of UTF-16 units of the first n bytes of a line.
func units(line string, n int) int {
	count := 0
	for _, r := range line[:min(n, len(line))] {
		count += max(utf16.RuneLen(r), 1)
	}
	return count
}

// bytesOf returns the number of bytes of the first n UTF-16 units of a line.
func bytesOf(line string, n int) int {
	for i, r := range line {
		if n <= 0 {
			return i
		}
		n -= max(utf16.RuneLen(r), 1)
	}
	return len(line)
}

// offsetOf returns the offset in bytes of a position in a text.
func offsetOf(text string, at protocol.Position) int {
	offset := 0
	for range at.Line {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			return len(text)
		}
		offset += i + 1
	}
	line, _, _ := strings.Cut(text[offset:], "\n")
	return offset + bytesOf(line, at.Character)
}

// positionOf returns the position of an offset in bytes.
func positionOf(text string, offset int) protocol.Position {
	offset = min(offset, len(text))
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	return protocol.Position{Line: strings.Count(text[:offset], "\n"), Character: units(text[start:], offset-start)}
}

// codePoints returns the number of code points before an offset in bytes.
func codePoints(text string, offset int) int { return utf8.RuneCountInString(text[:offset]) }

// inText returns a range of the text that contains the cell.
func (c *cellText) inText(start, end int) protocol.Range {
	r := protocol.Range{Start: positionOf(c.text, start), End: positionOf(c.text, end)}
	r.Start.Line += c.line
	r.End.Line += c.line
	return r
}

// applyChanges returns a text after changes.
func applyChanges(text string, changes []protocol.TextDocumentContentChangeEvent) string {
	for _, change := range changes {
		if change.Range == nil {
			text = change.Text
			continue
		}
		start, end := offsetOf(text, change.Range.Start), offsetOf(text, change.Range.End)
		text = text[:start] + change.Text + text[max(start, end):]
	}
	return text
}
