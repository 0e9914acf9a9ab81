package graph

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"gosphere/runtime/check"
)

// join adds the effects of the next statement.
func (e *effects) join(o *effects) {
	for _, m := range o.mentions {
		e.mentions.add(m.name, m.pos)
	}
	for _, m := range o.reads {
		e.reads.merge(m)
	}
	for _, m := range o.interfaces {
		e.interfaces.add(m.name, m.pos)
	}
	for name, c := range o.changes {
		e.changed(name, c)
	}
	e.calls = append(e.calls, o.calls...)
	e.unknown = append(e.unknown, o.unknown...)
	e.shares, e.links, e.addressed = append(e.shares, o.shares...), append(e.links, o.links...), append(e.addressed, o.addressed...)
	e.literals = append(e.literals, o.literals...)
	for _, m := range o.held {
		e.held.add(m.name, m.pos)
	}
	for name, places := range o.bases {
		if e.bases == nil {
			e.bases = map[string][]string{}
		}
		e.bases[name] = append(e.bases[name], places...)
	}
}

// A part is a statement of a cell of several statements.
type part struct {
	*effects
	whole    []string // variables that it assigns as a whole
	mayPanic bool
}

// divide keeps the statements of a cell, so that Needs can tell them apart.
func (b *builder) divide(c *Cell, statements []ast.Stmt, all []*effects) {
	c.builder = b
	for i, s := range statements {
		p := part{effects: all[i], mayPanic: i+1 < len(statements) && mayPanic(c.Checked.Info, s)}
		p.literals = nil // they keep the syntax
		for _, id := range assignedWhole(s) {
			p.whole = append(p.whole, symbolName(c.Checked.SymbolOf(c.Checked.Info.ObjectOf(id))))
		}
		c.parts = append(c.parts, p)
	}
}

// Divided reports whether Needs distinguishes the statements of the cell.
func (c *Cell) Divided() bool { return c.parts != nil }

// Needs returns the names on which the new value of a variable depends that the cell defines or
// changes. It reports whether they are known; otherwise the value may depend on all that the cell
// reads. A statement that may panic decides whether the following ones run. Only cells of a
// Follower are divided, and Needs must not be called while the Follower adds a cell.
func (c *Cell) Needs(name string) (names map[string]bool, known bool) {
	if c.needs == nil && c.parts != nil {
		c.builder.depend(c)
	}
	names, known = c.needs[name]
	return names, known
}

// depend determines on which names the new values of the variables depend.
func (b *builder) depend(c *Cell) {
	c.needs = map[string]map[string]bool{}
	decides := map[string]bool{} // on what it depends whether a statement runs
	for _, p := range c.parts {
		all := b.closure(p.effects, false)
		needs := maps.Clone(decides)
		need := func(name string) {
			if earlier, ok := c.needs[name]; ok {
				maps.Copy(needs, earlier)
			} else {
				needs[name] = true
			}
		}
		for _, m := range p.mentions {
			need(m.name)
		}
		for name := range all.reads {
			need(name)
		}
		for _, m := range p.held {
			need(m.name)
		}
		for _, name := range p.whole {
			c.needs[name] = needs
			if b.addressed[name] {
				b.needOthers(c, name, needs)
			}
		}
		for name := range all.changes {
			if slices.Contains(p.whole, name) {
				continue
			}
			changed := maps.Clone(needs)
			changed[name] = true
			if earlier, ok := c.needs[name]; ok {
				maps.Copy(changed, earlier)
			}
			c.needs[name] = changed
			b.needOthers(c, name, changed)
		}
		if p.mayPanic {
			decides = needs
		}
	}
}

// needOthers records on what the variables depend that may refer to the memory of a name which
// changes.
func (b *builder) needOthers(c *Cell, name string, needs map[string]bool) {
	for _, other := range b.shares.with(name, b.names) {
		delete(c.needs, other)
		if b.names[other].Kind == check.Variable {
			c.needs[other] = maps.Clone(needs)
			c.needs[other][other] = true
		}
	}
}

// mayPanic reports whether a statement may panic or end the cell. It errs on the side of panics.
func mayPanic(info *types.Info, s ast.Stmt) (panics bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			panics = panics || !info.Types[n.Fun].IsType() && !neverPanics(info, n)
		case *ast.IndexExpr:
			_, isMap := under(info.TypeOf(n.X)).(*types.Map)
			panics = panics || !isMap && info.Types[n.Index].Value == nil
			if at := info.Types[n.Index].Value; at != nil && !isMap {
				_, array := under(info.TypeOf(n.X)).(*types.Array)
				panics = panics || !array
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if index, ok := ast.Unparen(left).(*ast.IndexExpr); ok {
					_, isMap := under(info.TypeOf(index.X)).(*types.Map)
					panics = panics || isMap // which may be nil
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR {
				by := info.Types[n.Y].Value
				panics = panics || by == nil || constant.Sign(by) == 0
			}
		case *ast.SelectorExpr:
			if selection := info.Selections[n]; selection != nil {
				panics = panics || selection.Indirect()
			}
		case *ast.StarExpr:
			panics = panics || !info.Types[n.X].IsType()
		case *ast.SliceExpr, *ast.TypeAssertExpr, *ast.SendStmt, *ast.ReturnStmt:
			panics = true
		}
		return !panics
	})
	return panics
}

// neverPanics reports whether a call of a function returns for any arguments.
func neverPanics(info *types.Info, call *ast.CallExpr) bool {
	var object types.Object
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		object = info.ObjectOf(f)
	case *ast.SelectorExpr:
		object = info.ObjectOf(f.Sel)
	}
	switch object := object.(type) {
	case *types.Builtin:
		switch object.Name() {
		case "len", "cap", "append", "new", "min", "max", "print", "println", "real", "imag", "complex", "delete", "clear", "copy":
			return true
		}
	case *types.Func:
		if object.Pkg() == nil || object.Signature().Recv() != nil {
			return false
		}
		switch object.Pkg().Path() {
		case "fmt":
			switch object.Name() {
			case "Print", "Println", "Printf", "Sprint", "Sprintln", "Sprintf":
				return true
			}
		case "math":
			return true
		}
	}
	return false
}
