package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"gosphere/runtime/internal/ir"
)

// CanStop reports whether a statement of a list is preceded by a mark. Package session asks it
// which lines can have breakpoints. A block and a labeled statement are omitted because the
// statements inside them have marks.
func CanStop(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt, *ast.BlockStmt, *ast.LabeledStmt:
		return false
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	case *ast.DeclStmt:
		return s.Decl.(*ast.GenDecl).Tok == token.VAR
	}
	return true
}

// markBefore adds the mark before a statement. That of a labeled statement follows the label, so
// that a goto statement reaches it.
func (b *builder) markBefore(s ast.Stmt) {
	if b.Marks && CanStop(s) {
		b.mark(s.Pos())
	}
}

// markBody adds a mark to the body of a loop if no statement in it has one, so that a debugger can
// pause the loop. The mark is not a possible breakpoint.
func (b *builder) markBody(body *ast.BlockStmt) {
	if b.Marks && !slices.ContainsFunc(body.List, marked) {
		b.mark(body.Lbrace)
	}
}

// marked reports whether a statement of a list has a mark, which may follow labels.
func marked(s ast.Stmt) bool {
	if l, ok := s.(*ast.LabeledStmt); ok {
		return marked(l.Stmt)
	}
	return CanStop(s)
}

// mark adds a mark at a position. The first mark of a function also creates the local that holds
// the debugger's record of the call.
//
// For instance, in func f(n int) int { k := 1; for k < n { k *= 2 } … } the marks list the
// variables in scope:
//
//	mark n
//	declare k = 1
//	mark n, k
//	for L1 (k < n)
//		mark n, k
//		k *= 2
func (b *builder) mark(pos token.Pos) {
	// The local is shared by all marks of the function, and its value is nil until the debugger
	// sets it.
	if b.called == nil {
		b.called = b.temporary(ir.AnyType, pos)
	}
	m := &ir.Mark{At: ir.At{P: pos}, Function: b.calledFunction(), Call: b.called, Around: b.around}
	for _, v := range b.visible(pos) {
		// The call may add a capture to a function literal.
		if l := b.variable(v); l.Boxed {
			m.Vars = append(m.Vars, l)
		}
	}
	if b.MarkNames {
		m.Names = b.visibleNames(pos)
	}
	b.add(m)
}

// calledFunction returns the name of the current function for users.
func (b *builder) calledFunction() string {
	literal := false
	root := b
	for ; root.up != nil; root = root.up {
		literal = literal || root.iterator == nil
	}
	title := root.fn.Title()
	switch {
	case literal && title != "":
		return "func literal in " + title
	case literal:
		return "func literal"
	}
	return title
}

// visible returns the variables in scope at a position, outer ones first. They are the variables of
// the current function, and those of enclosing functions that it uses: others are not captured, so
// they cannot be reached. The list is deterministic, although it comes from maps: it is sorted by
// position.
func (b *builder) visible(pos token.Pos) []*types.Var {
	var list []*types.Var
	used := func(*types.Var) bool { return true }
	for in := b; in != nil; in = in.up {
		for v := range in.vars {
			if v.Name() == "" || v.Name() == "_" || v.Parent() == nil || v.Pos() >= pos || !v.Parent().Contains(pos) || !used(v) || slices.Contains(list, v) {
				continue
			}
			list = append(list, v)
		}
		if in.iterator == nil && in.up != nil {
			inside := in.usedVars()
			outer := used
			used = func(v *types.Var) bool { return outer(v) && inside[v] }
		}
	}
	slices.SortFunc(list, func(a, b *types.Var) int { return int(a.Pos()) - int(b.Pos()) })
	// A variable that is shadowed at the position is not listed.
	var innermost []*types.Var
	for i, v := range list {
		if !slices.ContainsFunc(list[i+1:], func(other *types.Var) bool { return other.Name() == v.Name() }) {
			innermost = append(innermost, v)
		}
	}
	return innermost
}

// usedVars returns the variables that the current function literal uses.
func (b *builder) usedVars() map[*types.Var]bool {
	// It is computed once for each literal that has marks, since it visits all uses of the cell.
	if b.used == nil {
		b.used = map[*types.Var]bool{}
		for id, o := range b.info.Uses {
			if v, ok := o.(*types.Var); ok && id.Pos() >= b.fn.Pos && id.Pos() < b.fn.End {
				b.used[v] = true
			}
		}
	}
	return b.used
}

// visibleNames returns the constants and types that enclosing functions declare before a position.
func (b *builder) visibleNames(pos token.Pos) []types.Object {
	var list []types.Object
	for id, o := range b.info.Defs {
		switch o.(type) {
		case *types.Const, *types.TypeName:
		default:
			continue
		}
		parent := o.Parent()
		if o.Pkg() == nil || parent == nil || parent == o.Pkg().Scope() || id.Pos() >= pos || !parent.Contains(pos) || !b.isLocal(parent) {
			continue
		}
		// An expression of the debugger has no type arguments to put in place of a type parameter.
		if _, parameter := o.Type().(*types.TypeParam); !parameter {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b types.Object) int { return int(a.Pos()) - int(b.Pos()) })
	return list
}

// isLocal reports whether a scope belongs to a function. The scope of a cell's statements does not,
// because its names belong to the session.
func (b *builder) isLocal(scope *types.Scope) bool {
	return scope != b.top
}
