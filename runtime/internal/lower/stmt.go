package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// A target is a statement that break and continue statements can name.
type target struct {
	label  *ir.Label
	loop   bool       // whether continue may name it
	source *ast.Ident // the label in the source, or nil
}

// stmts builds a list of statements, each with its mark if marks are requested. The temporaries of
// one statement are not used by the next.
func (b *builder) stmts(list []ast.Stmt) {
	for _, s := range list {
		b.markBefore(s)
		b.stmt(s)
		clear(b.hoisted)
		for _, look := range b.After[s] {
			b.add(ir.CallHook(look.See, b.varExpr(look.Variable, s.Pos())))
		}
	}
}

// newLabel returns a label with a new ID.
func (b *builder) newLabel(name string) *ir.Label {
	*b.labelIDs++
	return &ir.Label{ID: *b.labelIDs, Name: name}
}

// collectLabels makes the labels of a function in advance, because a goto statement may precede its
// label.
func (b *builder) collectLabels(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit: // has labels of its own
			return false
		case *ast.LabeledStmt:
			if b.labels[n.Label.Name] == nil && n.Label.Name != "_" {
				b.labels[n.Label.Name] = b.newLabel(n.Label.Name)
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				if b.labels[n.Label.Name] == nil {
					b.labels[n.Label.Name] = b.newLabel(n.Label.Name)
				}
				b.labels[n.Label.Name].Jumped = true
			}
		}
		return true
	})
}

// stmt builds a statement and adds it to the current block.
func (b *builder) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		// The cell's variables have been initialized, and its other statements have not run, which
		// is the order of package initialization.
		if b.Initialized == s {
			for _, ref := range b.Inits {
				b.add(&ir.Eval{At: ir.At{P: s.Pos()}, X: &ir.Call{Typed: ir.Typed{T: types.NewTuple(), P: s.Pos()}, Ref: ref}})
			}
		}
	case *ast.ExprStmt:
		b.exprStmt(s)
	case *ast.AssignStmt:
		b.assignStmt(s)
	case *ast.IncDecStmt:
		b.incDec(s)
	case *ast.DeclStmt:
		b.declStmt(s)
	case *ast.BlockStmt:
		b.add(b.block(s.Pos(), func() { b.stmts(s.List) }))
	case *ast.IfStmt:
		b.scoped(s.Pos(), s.Init, func() { b.add(b.ifStmt(s)) })
	case *ast.ReturnStmt:
		b.returnStmt(s)
	case *ast.BranchStmt:
		b.branch(s)
	case *ast.LabeledStmt:
		b.labeled(s)
	case *ast.GoStmt:
		b.add(&ir.Go{At: ir.At{P: s.Pos()}, Call: b.delayed(s.Call)})
	case *ast.DeferStmt:
		b.deferStmt(s)
	case *ast.SendStmt:
		// Both operands are evaluated before the goroutine waits.
		b.ordered(s.Chan, s.Value)
		ch := b.expr(s.Chan)
		b.add(&ir.Send{At: ir.At{P: s.Pos()}, Ch: ch, X: b.exprTo(s.Value, ir.Under(ch.Type()).(*types.Chan).Elem())})
	default:
		b.control(s, nil)
	}
}

// control builds the statements that may have a label.
func (b *builder) control(s ast.Stmt, label *ast.Ident) {
	switch s := s.(type) {
	case *ast.ForStmt:
		b.forStmt(s, label)
	case *ast.RangeStmt:
		b.rangeStmt(s, label)
	case *ast.SwitchStmt:
		b.switchStmt(s, label)
	case *ast.TypeSwitchStmt:
		b.typeSwitch(s, label)
	case *ast.SelectStmt:
		b.selectStmt(s, label)
	default:
		unsupported(s.Pos(), "a statement of the form %T is not supported", s)
	}
}

// labeled builds a labeled statement. A loop gets the label of the source for break and continue,
// and the Labeled statement the one for goto.
//
// For instance, outer: for i := range n { continue outer } becomes
//
//	labeled L1(outer)
//		block
//			block
//				range L2 i of int n
//					continue L2
//
// A label of a labeled statement has an empty block of its own, so that both labels are in one list
// and goto statements of the list reach both.
func (b *builder) labeled(s *ast.LabeledStmt) {
	label := b.labels[s.Label.Name]
	if s.Label.Name == "_" { // a function may have several, to which nothing can jump
		label = b.newLabel("_")
	}
	if inner, ok := s.Stmt.(*ast.LabeledStmt); ok {
		b.add(&ir.Labeled{At: ir.At{P: s.Pos()}, Label: label, Body: b.block(s.Pos(), func() {})})
		b.labeled(inner)
		return
	}
	body := b.block(s.Pos(), func() {
		b.markBefore(s.Stmt)
		switch inner := s.Stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			b.control(inner, s.Label)
		default:
			b.stmt(inner)
		}
	})
	b.add(&ir.Labeled{At: ir.At{P: s.Pos()}, Label: label, Body: body})
}

// scoped builds a statement with an init statement, in a separate block. The block ends the scope
// of the variables that init declares.
func (b *builder) scoped(pos token.Pos, init ast.Stmt, build func()) {
	if init == nil {
		build()
		return
	}
	b.add(b.block(pos, func() {
		b.stmt(init)
		clear(b.hoisted)
		build()
	}))
}

// exprStmt builds an expression statement. The value of a cell becomes a hook, as in hook global
// sum, and any other expression an Eval.
func (b *builder) exprStmt(s *ast.ExprStmt) {
	// The statement is found by identity of the syntax.
	if s.X == b.Value && b.Show != nil {
		b.ordered(s.X)
		b.add(b.Show(b.expr(s.X)))
		return
	}
	call, isCall := ast.Unparen(s.X).(*ast.CallExpr)
	if s.X == b.Results && b.ShowAll != nil {
		b.orderedCall(call)
		b.add(b.ShowAll(b.plainCall(call).(*ir.Call)))
		return
	}
	if isCall {
		b.orderedCall(call)
	} else {
		b.ordered(s.X)
	}
	b.add(&ir.Eval{At: ir.At{P: s.Pos()}, X: b.expr(s.X)})
}

// ifStmt builds an if statement without its init statement.
//
// For instance, if m > 3 { f() } else if m == 2 { g() } becomes
//
//	if (m > 3)
//		eval call main.f()
//	else
//		if (m == 2)
//			eval call main.g()
func (b *builder) ifStmt(s *ast.IfStmt) ir.Stmt {
	b.ordered(s.Cond)
	cond := b.expr(s.Cond)
	clear(b.hoisted)
	out := &ir.If{At: ir.At{P: s.Pos()}, Cond: cond}
	out.Then = b.block(s.Body.Pos(), func() { b.stmts(s.Body.List) })
	if s.Else != nil {
		// An else if is a block with one statement, because its condition may need temporaries
		// ahead of it.
		out.Else = b.block(s.Else.Pos(), func() { b.stmt(s.Else) })
	}
	return out
}

// returnStmt builds a return statement, including one in a range-over-func body. The results are
// stored before deferred calls run, which may change them.
func (b *builder) returnStmt(s *ast.ReturnStmt) {
	if b.iterator != nil {
		b.leaveIterator(s)
		return
	}
	b.add(&ir.Return{At: ir.At{P: s.Pos()}, Values: b.results(s, b.fn.Results)})
}

// results builds the values of a return statement.
//
// The results of return g() are stored in temporaries, because they may need conversions:
//
//	$2, $3 = call main.g()
//	return iface[any]($2), $3
func (b *builder) results(s *ast.ReturnStmt, to []*ir.Local) []ir.Expr {
	if len(s.Results) == 1 && len(to) > 1 {
		var list []ir.Expr
		for i, x := range b.tuple(s.Results[0]) {
			list = append(list, b.convert(x, to[i].Type))
		}
		return list
	}
	var targets []types.Type
	for _, l := range to {
		targets = append(targets, l.Type)
	}
	orderedTo(b, s.Results, targets)
	var list []ir.Expr
	for i, e := range s.Results {
		list = append(list, b.exprTo(e, to[i].Type))
	}
	return list
}

// branch builds break, continue and goto statements. A fallthrough statement is the end of its
// clause, which switchCase marks.
func (b *builder) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		// The goto leaves the body of a range-over-func loop.
		if b.iterator != nil && !b.iterator.labels[s.Label.Name] {
			b.leave(s.Pos(), func() { b.iterator.outer.branch(s) })
			return
		}
		b.add(&ir.Goto{At: ir.At{P: s.Pos()}, Label: b.labels[s.Label.Name]})
	case token.BREAK, token.CONTINUE:
		// The innermost matching statement wins. Targets outside a range-over-func body are not in
		// the list, because the body has a builder of its own.
		for i := len(b.targets) - 1; i >= 0; i-- {
			t := b.targets[i]
			switch {
			case s.Label != nil && (t.source == nil || t.source.Name != s.Label.Name):
				continue
			case s.Tok == token.CONTINUE && !t.loop:
				continue
			}
			if s.Tok == token.CONTINUE {
				b.add(&ir.Continue{At: ir.At{P: s.Pos()}, Label: t.label})
			} else {
				b.add(&ir.Break{At: ir.At{P: s.Pos()}, Label: t.label})
			}
			return
		}
		if b.iterator != nil {
			b.jumpOut(s)
			return
		}
		unsupported(s.Pos(), "internal: %s has no target", s.Tok)
	default:
		if s != b.fallsThrough {
			unsupported(s.Pos(), "internal: %s does not end a clause", s.Tok)
		}
	}
}

// delayed builds the call of a go or defer statement. The operands are evaluated when the statement
// runs, and the call itself later.
//
// For instance, defer g(n + 1) and go func() { c <- n }() become
//
//	defer call main.g((n + 1))
//	go call literal main.f.func1{c, n}()
func (b *builder) delayed(e *ast.CallExpr) ir.Expr {
	b.orderedCall(e)
	if tv := b.info.Types[e.Fun]; tv.IsType() {
		unsupported(e.Pos(), "a conversion cannot be deferred; call a function")
	}
	if name := b.builtinName(e.Fun); name != "" {
		return b.builtin(e, name)
	}
	call := b.plainCall(e).(*ir.Call)
	// The call has the line of its statement in stack traces, where a chain of methods would
	// otherwise show that of its last method.
	call.P = e.Pos()
	return call
}

// deferStmt builds a defer statement. In the body of a range-over-func loop it is printed as defer
// to defers println(t).
func (b *builder) deferStmt(s *ast.DeferStmt) {
	if b.iterator == nil {
		b.fn.Defers = true
		b.add(&ir.Defer{At: ir.At{P: s.Pos()}, Call: b.delayed(s.Call), List: nil})
		return
	}
	// A call deferred in the body of a range-over-func loop belongs to the enclosing function.
	root := b
	for root.iterator != nil {
		root = root.iterator.outer
	}
	root.fn.Defers = true
	list := b.shared(root.deferList(), root)
	b.add(&ir.Defer{At: ir.At{P: s.Pos()}, Call: b.delayed(s.Call), List: ir.Use(list)})
}

// declStmt builds declarations of variables. Types and constants need no code.
func (b *builder) declStmt(s *ast.DeclStmt) {
	decl := s.Decl.(*ast.GenDecl)
	if decl.Tok != token.VAR {
		return
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		b.valueSpec(spec)
		clear(b.hoisted)
	}
}

// valueSpec builds var a, b T = x, y.
//
// For instance, var a, b = 1, "b" becomes
//
//	$3 = 1
//	$4 = "b"
//	declare a = $3
//	declare b = $4
func (b *builder) valueSpec(spec *ast.ValueSpec) {
	switch {
	case len(spec.Values) == 0:
		for _, name := range spec.Names {
			b.define(name, nil)
		}
	case len(spec.Values) == 1 && len(spec.Names) > 1:
		values := b.tuple(spec.Values[0])
		for i, name := range spec.Names {
			b.define(name, values[i])
		}
	case len(spec.Values) == 1:
		b.ordered(spec.Values[0])
		b.define(spec.Names[0], b.valueFor(spec.Names[0], spec.Values[0]))
	default:
		b.ordered(spec.Values...)
		values := make([]ir.Expr, len(spec.Names))
		for i, e := range spec.Values {
			// All values precede the declarations: the scope of the names begins after the
			// specification, so the values refer to outer variables of the same names.
			values[i] = b.save(b.valueFor(spec.Names[i], e))
		}
		for i, name := range spec.Names {
			b.define(name, values[i])
		}
	}
}

// valueFor builds a value for the variable that a name declares or denotes. A value for the blank
// identifier has no destination and keeps its own type.
func (b *builder) valueFor(name *ast.Ident, e ast.Expr) ir.Expr {
	if v, ok := b.info.ObjectOf(name).(*types.Var); ok && v != nil && name.Name != "_" {
		return b.exprTo(e, b.substitute(v.Type()))
	}
	return b.expr(e)
}

// define builds the initialization of a declared variable. A nil x means the zero value.
func (b *builder) define(name *ast.Ident, x ir.Expr) {
	v, _ := b.info.Defs[name].(*types.Var)
	if v == nil || name.Name == "_" {
		if x != nil {
			b.add(&ir.Assign{At: ir.At{P: name.Pos()}, Dst: nil, X: x})
		}
		return
	}
	t := b.substitute(v.Type())
	if x != nil {
		x = b.convert(x, t)
	}
	// Only the statements of a cell declare variables of the session. In a function literal the
	// variable is local.
	if b.up == nil {
		if g := b.env.Global(v); g != nil {
			if x == nil {
				x = ir.ZeroOf(t, name.Pos())
			}
			variable := &ir.GlobalExpr{Typed: ir.Typed{T: g.Type, P: name.Pos()}, Global: g}
			b.set(variable, x, name.Pos())
			if fill := b.Embedded[v]; fill != nil {
				b.add(ir.CallHook(fill, &ir.AddrOf{Typed: ir.Typed{T: types.NewPointer(g.Type), P: name.Pos()}, X: variable}))
			}
			return
		}
	}
	l := b.vars[v]
	if l == nil {
		l = b.declareVar(v)
	}
	b.add(&ir.Declare{At: ir.At{P: name.Pos()}, Local: l, X: x})
}
