package graph

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"

	"gosphere/runtime/check"
)

// join adds the effects of the next statement.
func (e *effects) join(o *effects) {
	for name, pos := range o.mentions {
		first(e.mentions, name, pos)
	}
	for name, pos := range o.reads {
		first(e.reads, name, pos)
	}
	for name, pos := range o.interfaces {
		first(e.interfaces, name, pos)
	}
	for name, c := range o.changes {
		e.changed(name, c)
	}
	e.calls = append(e.calls, o.calls...)
	e.unknown = append(e.unknown, o.unknown...)
	e.shares = append(e.shares, o.shares...)
	e.literals = append(e.literals, o.literals...)
	for name, pos := range o.held {
		if e.held == nil {
			e.held = map[string]token.Pos{}
		}
		first(e.held, name, pos)
	}
	for name, places := range o.bases {
		if e.bases == nil {
			e.bases = map[string][]string{}
		}
		e.bases[name] = append(e.bases[name], places...)
	}
}

// depend determines on which names the new values of the variables depend that a cell of several
// statements defines or changes. Parts are the effects of the statements. A statement that may
// panic decides whether the following ones run.
func (b *builder) depend(c *Cell, statements []ast.Stmt, parts []*effects) {
	c.Depends = map[string]map[string]bool{}
	decides := map[string]bool{} // on what it depends whether a statement runs
	for i, s := range statements {
		all := b.closure(parts[i])
		needs := maps.Clone(decides)
		need := func(name string) {
			if earlier, ok := c.Depends[name]; ok {
				maps.Copy(needs, earlier)
			} else {
				needs[name] = true
			}
		}
		for name := range parts[i].mentions {
			need(name)
		}
		for name := range all.reads {
			need(name)
		}
		for name := range parts[i].held {
			need(name)
		}
		whole := map[string]bool{}
		for _, id := range assignedWhole(s) {
			name := symbolName(c.Checked.SymbolOf(c.Checked.Info.ObjectOf(id)))
			whole[name] = true
			c.Depends[name] = needs
		}
		for name := range all.changes {
			if whole[name] {
				continue
			}
			changed := maps.Clone(needs)
			changed[name] = true
			if earlier, ok := c.Depends[name]; ok {
				maps.Copy(changed, earlier)
			}
			c.Depends[name] = changed
			for _, other := range b.shares.with(name, b.names) {
				delete(c.Depends, other)
				if b.names[other].Kind == check.Variable {
					c.Depends[other] = changed
				}
			}
		}
		if mayPanic(c.Checked.Info, s) {
			decides = needs
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
