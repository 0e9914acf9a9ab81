package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"gosphere/runtime/cell"
)

// A Probe provides information about a cell that is being written and may contain errors. It is
// valid only during the call of Session.Probe that created it. Its pass usually has errors. Types
// of expressions that the checker could not determine are missing in Info, and callers must expect
// that.
//
// It serves completion, inspection and diagnostics while a cell is typed. All of them need types of
// unfinished code, which the checker determines as far as the syntax permits.
type Probe struct {
	Cell *cell.Cell
	Info *types.Info

	work *work
	pass *pass
}

// Probe checks a cell, regardless of errors, and calls look with the result. The session does not
// change, and no other check runs at the same time. The callback holds the session's lock, so it
// must not call methods of the session, and cells cannot begin meanwhile.
func (s *Session) Probe(c *cell.Cell, look func(*Probe)) { s.ProbeWithin(c, nil, look) }

// ProbeWithin is like Probe for a cell inside a function: names denote the given objects in
// preference to those of the session.
//
// No declaration of an earlier cell is dropped and no symbol is made. The pass is discarded after
// the call, with the objects that it has made.
func (s *Session) ProbeWithin(c *cell.Cell, around []types.Object, look func(*Probe)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := newWork(s, c)
	w.standIn(around)
	for _, spec := range w.survey.imports {
		_ = w.readImport(spec) // an unfinished path is not yet an error
	}
	p := w.runPass(func() *pass { return w.newPass(nil) })
	// Otherwise the bodies of functions that use variables of the cell would have no types.
	if p.stubs {
		first := p
		p = w.runPass(func() *pass { return w.newPass(&secondPass{first, w.variables(first)}) })
	}
	look(&Probe{Cell: c, Info: p.info, work: w, pass: p})
}

// Scope returns the innermost scope at a position in the cell. The files of the pass are searched
// and not those of the cell, because the pass makes its own.
func (p *Probe) Scope(pos token.Pos) *types.Scope {
	for _, file := range p.pass.files {
		if scope := p.Info.Scopes[file]; scope != nil && scope.Contains(pos) && file.FileStart <= pos && pos <= file.FileEnd {
			if inner := scope.Innermost(pos); inner != nil {
				return inner
			}
		}
	}
	return p.work.session.main.Scope()
}

// Variables returns the variables that the statements define at their top level. The functions of
// the cell can use them, too.
func (p *Probe) Variables() []types.Object {
	var list []types.Object
	for _, v := range p.work.variables(p.pass) {
		list = append(list, v.object)
	}
	return list
}

// Symbols returns the symbols of the session that are not broken, sorted by name.
func (p *Probe) Symbols() []*Symbol {
	var list []*Symbol
	for _, r := range p.work.session.current {
		if r.symbol.Broken == nil {
			list = append(list, r.symbol)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Imports returns the imports in force and those of the cell, as a map from name to path.
//
// Packages that could be imported automatically are not included.
func (p *Probe) Imports() map[string]string {
	all := map[string]string{}
	for name, path := range p.work.session.imports {
		all[name] = path
	}
	for name, i := range p.work.imports {
		all[name] = i.Path
	}
	return all
}

// SymbolOf returns the session's symbol for an object, or nil.
func (p *Probe) SymbolOf(object types.Object) *Symbol {
	if function, ok := object.(*types.Func); ok {
		object = function.Origin()
	}
	return p.work.session.objects.symbolOf(object)
}

// Describe returns the comment and the source text of an object's declaration in the cell or the
// session. Both are empty for other objects. The text is empty for objects without a declaration,
// such as variables defined with :=.
//
// The text is cut out of the source and not formatted again, so that comments inside are kept.
func (p *Probe) Describe(object types.Object) (doc, text string) {
	if symbol := p.SymbolOf(object); symbol != nil {
		if r := p.work.session.recordOf(symbol); r != nil && r.cell != nil {
			return describe(r.cell, symbol.Name, symbol.Syntax)
		}
		return "", ""
	}
	// An object of the session has a symbol, so others are searched in the cell that is being
	// written.
	for _, file := range []*ast.File{p.Cell.Declarations, p.Cell.Statements} {
		if file.FileStart <= object.Pos() && object.Pos() <= file.FileEnd {
			return describe(p.Cell, object.Name(), declarationAt(file, object.Pos()))
		}
	}
	return "", ""
}

// Doc returns the comment of an object's declaration in the cell or the session, or "". It is
// cheaper than Describe, which also cuts the text out, and serves lists of completions.
func (p *Probe) Doc(object types.Object) string {
	if symbol := p.SymbolOf(object); symbol != nil {
		if r := p.work.session.recordOf(symbol); r != nil && r.cell != nil {
			return docOf(r.cell, symbol.Name, symbol.Syntax)
		}
		return ""
	}
	for _, file := range []*ast.File{p.Cell.Declarations, p.Cell.Statements} {
		if file.FileStart <= object.Pos() && object.Pos() <= file.FileEnd {
			return docOf(p.Cell, object.Name(), declarationAt(file, object.Pos()))
		}
	}
	return ""
}

// Place returns the position of an object's declaration, such as "Cell [3], line 2", or "line 2" in
// the cell being written. It returns "" if the position is not known.
func (p *Probe) Place(object types.Object) string {
	if symbol := p.SymbolOf(object); symbol != nil {
		r := p.work.session.recordOf(symbol)
		if r == nil || r.cell == nil || !symbol.Object.Pos().IsValid() {
			return ""
		}
		if line := r.cell.Fset.Position(symbol.Object.Pos()).Line; line > 0 {
			return fmt.Sprintf("%s, line %d", cell.FileName(symbol.Cell), line)
		}
		return ""
	}
	for _, file := range []*ast.File{p.Cell.Declarations, p.Cell.Statements} {
		if file.FileStart <= object.Pos() && object.Pos() <= file.FileEnd {
			return fmt.Sprintf("line %d", p.Cell.Fset.Position(object.Pos()).Line)
		}
	}
	return ""
}

// recordOf returns the current record of a symbol, or nil. A symbol that has been redeclared has
// none.
func (s *Session) recordOf(symbol *Symbol) *record {
	if symbol == nil {
		return nil
	}
	r := s.current[symbol.Name]
	if symbol.Kind == Method {
		r = s.methods[symbol.Receiver][symbol.Name]
	}
	if r == nil || r.symbol != symbol {
		return nil
	}
	return r
}

// declarationAt returns the function or spec in a file whose name is at pos.
//
// A declaration inside a function is found, too, since completion describes local constants and
// types.
func declarationAt(file *ast.File, pos token.Pos) ast.Node {
	var found ast.Node
	for _, declaration := range file.Decls {
		ast.Inspect(declaration, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Pos() == pos {
					found = n
				}
			case *ast.TypeSpec:
				if n.Name.Pos() == pos {
					found = n
				}
			case *ast.ValueSpec:
				for _, name := range n.Names {
					if name.Pos() == pos {
						found = n
					}
				}
			}
			return found == nil
		})
	}
	return found
}

// describe returns the comment and the text of a declaration in a cell.
func describe(c *cell.Cell, name string, syntax ast.Node) (doc, text string) {
	if f, ok := syntax.(*ast.FuncDecl); ok {
		return f.Doc.Text(), textOf(c, f)
	}
	group, spec := declarationOf(c, name, syntax)
	if group == nil {
		return "", ""
	}
	return groupDoc(group, spec), group.Tok.String() + " " + textOf(c, spec)
}

// docOf returns the comment of a declaration in a cell.
func docOf(c *cell.Cell, name string, syntax ast.Node) string {
	if f, ok := syntax.(*ast.FuncDecl); ok {
		return f.Doc.Text()
	}
	if group, spec := declarationOf(c, name, syntax); group != nil {
		return groupDoc(group, spec)
	}
	return ""
}

// declarationOf returns the declaration that contains a spec. If syntax is nil, it returns the
// declaration of a variable in the statements. Nodes that do not overlap with the syntax are not
// entered, so the cost is that of one path.
func declarationOf(c *cell.Cell, name string, syntax ast.Node) (group *ast.GenDecl, spec ast.Node) {
	if syntax == nil {
		return variableDeclaration(c, name)
	}
	for _, file := range []*ast.File{c.Declarations, c.Statements} {
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || n.End() <= syntax.Pos() || syntax.End() <= n.Pos() {
				return n == ast.Node(file)
			}
			if g, ok := n.(*ast.GenDecl); ok && g.Pos() <= syntax.Pos() && syntax.End() <= g.End() {
				group = g
				return false
			}
			return true
		})
	}
	return group, syntax
}

// variableDeclaration returns the declaration of a variable in the statements.
func variableDeclaration(c *cell.Cell, name string) (*ast.GenDecl, ast.Node) {
	for _, statement := range c.Body.Body.List {
		declaration, ok := statement.(*ast.DeclStmt)
		if !ok {
			continue
		}
		group := declaration.Decl.(*ast.GenDecl)
		for _, spec := range group.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for _, ident := range value.Names {
				if ident.Name == name {
					return group, value
				}
			}
		}
	}
	return nil, nil
}

// groupDoc returns the comment of a spec: its doc comment, its line comment, or the comment of a
// declaration that has no other spec.
//
// The comment of a group with several specs describes the group and not each of them.
func groupDoc(group *ast.GenDecl, spec ast.Node) string {
	var own, line *ast.CommentGroup
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		own, line = spec.Doc, spec.Comment
	case *ast.ValueSpec:
		own, line = spec.Doc, spec.Comment
	}
	if text := own.Text(); text != "" {
		return text
	}
	if len(group.Specs) == 1 && group.Doc.Text() != "" {
		return group.Doc.Text()
	}
	return line.Text()
}

// textOf returns the source text of a node. It uses lines and columns, because offsets in the files
// of a cell are not those in its source, see package cell.
func textOf(c *cell.Cell, n ast.Node) string {
	start, end := c.Fset.Position(n.Pos()), c.Fset.Position(n.End())
	lines := strings.Split(c.Source, "\n")
	if start.Line < 1 || end.Line > len(lines) || start.Line > end.Line {
		return ""
	}
	part := append([]string(nil), lines[start.Line-1:end.Line]...)
	last := len(part) - 1
	if end.Column-1 > len(part[last]) || start.Column-1 > len(part[0]) {
		return ""
	}
	part[last] = part[last][:end.Column-1]
	part[0] = part[0][start.Column-1:]
	return strings.Join(part, "\n")
}
