package lsp

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/lsp/protocol"
	"gosphere/internal/lsp/rpc"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
)

// An entity identifies what a name denotes, across the cells of one replay: a symbol of the
// session, the position of a declaration inside a cell, or the path of a name of a package.
type entity any

// A mention is a name in a cell.
type mention struct {
	cell       *cellText
	start, end int // offsets in bytes in the text of the cell
	declares   bool
	object     types.Object
	is         entity
}

// mentions returns the names of a document that denote something, cell by cell.
func (d *document) mentions() []mention {
	checker, results := d.state.replay(d.cells)
	var list []mention
	for i, c := range d.cells {
		if r := results[i]; r.checked != nil {
			list = append(list, r.mentionsIn(c, r.checked.Info, r.checked.Fset, r.checked.SymbolOf)...)
		}
	}
	// Cells that do not compile declare nothing, so what the checker has at the end fits them.
	for i, c := range d.cells {
		if r := results[i]; r.checked == nil && c.isCode && len(r.errors) > 0 {
			list = append(list, probeMentions(checker, c)...)
		}
	}
	slices.SortStableFunc(list, func(a, b mention) int { return a.cell.number - b.cell.number })
	return list
}

// probeMentions returns the names of a cell that does not compile, as far as they have a meaning.
func probeMentions(checker *check.Session, c *cellText) (list []mention) {
	expansion, err := magics.ExpandAmong(c.text, checker.VariableType)
	if err != nil {
		return nil
	}
	parsed, err := cell.Parse(c.number, expansion.Source)
	if err != nil {
		return nil
	}
	defer parsed.Forget()
	r := &result{shift: expansion.Shift}
	checker.Probe(parsed, func(p *check.Probe) {
		list = r.mentionsIn(c, p.Info, parsed.Fset, p.SymbolOf)
	})
	return list
}

// mentionsIn returns the names of a checked cell in the order of their positions.
func (r *result) mentionsIn(c *cellText, info *types.Info, fset *token.FileSet, symbolOf func(types.Object) *check.Symbol) (list []mention) {
	add := func(id *ast.Ident, object types.Object, declares bool) {
		if object == nil || id.Name == "_" || strings.Contains(id.Name, "__") {
			return
		}
		start, ok := r.offsetIn(c, fset.Position(id.Pos()))
		if !ok || !strings.HasPrefix(c.text[start:], id.Name) {
			return // in a declaration of another cell that was checked again, or made by the checker
		}
		list = append(list, mention{c, start, start + len(id.Name), declares, object, entityOf(object, fset, symbolOf)})
	}
	for id, object := range info.Defs {
		add(id, object, true)
	}
	for id, object := range info.Uses {
		add(id, object, false)
	}
	slices.SortFunc(list, func(a, b mention) int { return a.start - b.start })
	return slices.CompactFunc(list, func(a, b mention) bool { return a.start == b.start })
}

// offsetIn returns the offset in the text of a cell of a position in what the checker has seen.
func (r *result) offsetIn(c *cellText, position token.Position) (int, bool) {
	if position.Filename != cell.FileName(c.number) || position.Line < 1 {
		return 0, false
	}
	start := offsetOf(c.text, protocol.Position{Line: position.Line - 1})
	line := lineOf(c.text, position.Line-1)
	column := position.Column - 1 - r.shift[position.Line]
	if column < 0 || column > len(line) {
		return 0, false
	}
	return start + column, true
}

// entityOf returns what an object is.
func entityOf(object types.Object, fset *token.FileSet, symbolOf func(types.Object) *check.Symbol) entity {
	switch o := object.(type) {
	case *types.PkgName:
		return "package " + o.Imported().Path()
	case *types.Func:
		object = o.Origin()
	case *types.Var:
		object = o.Origin()
	}
	switch {
	case object.Pkg() == nil:
		return "predeclared " + object.Name()
	case object.Pkg().Path() != "main":
		return object.Pkg().Path() + " " + types.ObjectString(object, nil)
	}
	if symbol := symbolOf(object); symbol != nil {
		return symbol
	}
	return fset.Position(object.Pos()).String()
}

// at returns the mention at an offset of a cell, or nil. The offset may be that after the name.
func at(list []mention, c *cellText, offset int) *mention {
	i := slices.IndexFunc(list, func(m mention) bool { return m.cell == c && m.start <= offset && offset <= m.end })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// same returns the mentions of what the name at a position denotes, and the one at the position,
// which is nil if there is no name.
func (s *Server) same(p protocol.TextDocumentPositionParams) (*document, []mention, *mention, error) {
	d, c, offset, err := s.find(p.TextDocument.URI, p.Position)
	if err != nil {
		return nil, nil, nil, err
	}
	all := d.mentions()
	m := at(all, c, offset)
	if m == nil {
		return d, nil, nil, nil
	}
	found := *m
	return d, slices.DeleteFunc(all, func(other mention) bool { return other.is != found.is }), &found, nil
}

func (m mention) location() protocol.Location {
	return protocol.Location{URI: m.cell.uri, Range: m.cell.inText(m.start, m.end)}
}

func (s *Server) definition(p protocol.TextDocumentPositionParams) (any, error) {
	d, list, m, err := s.same(p)
	if err != nil || m == nil {
		return nil, err
	}
	found := []protocol.Location{}
	for _, other := range list {
		if other.declares {
			found = append(found, other.location())
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	if p, isImport := m.object.(*types.PkgName); isImport {
		if spec := d.importOf(p.Imported().Path()); spec != nil && *spec != m.location() {
			return append(found, *spec), nil
		}
	} else if m.object.Pkg() != nil && m.object.Pkg().Path() == "main" {
		return found, nil
	}
	return d.declarationInSource(m.object), nil
}

// importOf returns the position of the import of a package that a cell states, or nil.
func (d *document) importOf(path string) *protocol.Location {
	for _, c := range d.cells {
		if !c.isCode {
			continue
		}
		parsed, err := cell.Parse(c.number, magics.Blank(c.text)) // also of a cell that does not compile
		if err != nil {
			continue
		}
		defer parsed.Forget()
		r := &result{}
		for _, spec := range parsed.Declarations.Imports {
			if stated, err := strconv.Unquote(spec.Path.Value); err != nil || stated != path {
				continue
			}
			start, first := r.offsetIn(c, parsed.Fset.Position(spec.Pos()))
			end, last := r.offsetIn(c, parsed.Fset.Position(spec.End()))
			if first && last {
				return &protocol.Location{URI: c.uri, Range: c.inText(start, end)}
			}
		}
	}
	return nil
}

func (s *Server) references(p protocol.ReferenceParams) (any, error) {
	d, list, m, err := s.same(p.TextDocumentPositionParams)
	found := []protocol.Location{}
	if err != nil || m == nil {
		return found, err
	}
	// An import without a name declares that of the package.
	imported, isImport := m.object.(*types.PkgName)
	if isImport && p.Context.IncludeDeclaration && !slices.ContainsFunc(list, func(m mention) bool { return m.declares }) {
		if spec := d.importOf(imported.Imported().Path()); spec != nil {
			found = append(found, *spec)
		}
	}
	for _, m := range list {
		if !m.declares || p.Context.IncludeDeclaration {
			found = append(found, m.location())
		}
	}
	return found, nil
}

func (s *Server) highlight(p protocol.TextDocumentPositionParams) (any, error) {
	_, list, m, err := s.same(p)
	type highlight struct {
		Range protocol.Range `json:"range"`
		Kind  int            `json:"kind"`
	}
	const read, write = 2, 3
	found := []highlight{}
	for _, other := range list {
		if other.cell.uri == m.cell.uri {
			kind := read
			if other.declares {
				kind = write
			}
			found = append(found, highlight{other.location().Range, kind})
		}
	}
	return found, err
}

// renamable returns an error if what a mention denotes is not declared in the document.
func renamable(m *mention) error {
	if m == nil {
		return &rpc.Error{Code: rpc.RequestFailed, Message: "there is no name that can be renamed here"}
	}
	if _, isImport := m.object.(*types.PkgName); isImport || m.object.Pkg() == nil || m.object.Pkg().Path() != "main" {
		return &rpc.Error{Code: rpc.RequestFailed, Message: fmt.Sprintf("%s is not declared in this document", m.object.Name())}
	}
	return nil
}

func (s *Server) prepareRename(p protocol.TextDocumentPositionParams) (any, error) {
	_, _, m, err := s.same(p)
	if err == nil {
		err = renamable(m)
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"range": m.location().Range, "placeholder": m.object.Name()}, nil
}

// rename renames what is declared in the document. It refuses a name with which the cells would
// mean something else: the renamed cells are checked, and must have the same errors as before and
// the same names that denote the renamed declaration.
func (s *Server) rename(p protocol.RenameParams) (any, error) {
	if !token.IsIdentifier(p.NewName) || p.NewName == "_" || strings.Contains(p.NewName, "__") {
		return nil, &rpc.Error{Code: rpc.InvalidParams, Message: strconv.Quote(p.NewName) + " is not a name in Go that cells can declare"}
	}
	d, list, m, err := s.same(p.TextDocumentPositionParams)
	if err == nil {
		err = renamable(m)
	}
	if err != nil {
		return nil, err
	}
	if err := d.certain(m.object.Name(), p.NewName); err != nil {
		return nil, err
	}
	edit := protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{}}
	copied := &document{path: d.path, state: newAnalysis(d.state.packages, nil)}
	moved := map[*cellText]*cellText{}
	for _, c := range d.cells {
		n := *c
		copied.cells = append(copied.cells, &n)
		moved[c] = &n
	}
	var want []mention
	for _, other := range list {
		edit.Changes[other.cell.uri] = append(edit.Changes[other.cell.uri], protocol.TextEdit{Range: other.location().Range, NewText: p.NewName})
		c := moved[other.cell]
		shift := len(c.text) - len(other.cell.text)
		c.text = c.text[:other.start+shift] + p.NewName + c.text[other.end+shift:]
		want = append(want, mention{cell: c, start: other.start + shift})
	}
	if err := d.sameMeaning(copied, want, p.NewName); err != nil {
		return nil, err
	}
	return edit, nil
}

// certain returns an error if a cell that does not compile uses one of two names: what they denote
// there is not known.
func (d *document) certain(old, name string) error {
	_, results := d.state.replay(d.cells)
	for i, r := range results {
		if len(r.errors) > 0 && (len(r.mentions) == 0 || r.mentions[old] || r.mentions[name]) {
			return &rpc.Error{Code: rpc.RequestFailed, Message: fmt.Sprintf("cannot rename %s to %s: cell %d, which may use one of the names, does not compile", old, name, d.cells[i].number)}
		}
	}
	return nil
}

// sameMeaning compares a document with its copy after a renaming.
func (d *document) sameMeaning(copied *document, want []mention, name string) error {
	_, before := d.state.replay(d.cells)
	_, after := copied.state.replay(copied.cells)
	for i := range before {
		if len(before[i].errors) != len(after[i].errors) {
			reason := "it would mean something else"
			if len(after[i].errors) > 0 {
				reason = after[i].errors[0].Message
			}
			return &rpc.Error{Code: rpc.RequestFailed, Message: fmt.Sprintf("cannot rename to %s: cell %d: %s", name, copied.cells[i].number, reason)}
		}
	}
	all := copied.mentions()
	first := at(all, want[0].cell, want[0].start)
	same := func(m, w mention) bool { return m.cell == w.cell && m.start == w.start }
	if first != nil {
		is := first.is
		all = slices.DeleteFunc(all, func(m mention) bool { return m.is != is })
	}
	for _, m := range all {
		if !slices.ContainsFunc(want, func(w mention) bool { return same(m, w) }) {
			return &rpc.Error{Code: rpc.RequestFailed, Message: fmt.Sprintf("cannot rename to %s: cell %d uses that name already", name, m.cell.number)}
		}
	}
	if len(all) != len(want) {
		return &rpc.Error{Code: rpc.RequestFailed, Message: fmt.Sprintf("cannot rename to %s: another declaration of that name would hide it", name)}
	}
	return nil
}
