package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// The language does not specify when variables are read relative to calls. gc makes the calls of a
// statement first, in the order of the text, and reads variables, elements and fields afterward.
// Where that makes a difference, the builder assigns the calls to temporaries ahead of the
// statement.

// ordered ensures that evaluating the expressions from left to right has the result that gc
// computes. It hoists their calls if necessary. The caller builds the expressions afterward. It
// must be called before any of the expressions is built, since expr takes the temporaries from
// b.hoisted.
//
// For instance, n + bump()*s[n] with a variable n of the session becomes
//
//	$2 = call main.bump()
//	… (global n + ($2 * s[global n]))
func (b *builder) ordered(list ...ast.Expr) { orderedTo(b, list, nil) }

// orderedTo is like ordered for expressions that are converted to types: list[i] to targets[i].
// There may be fewer targets, and a nil target stands for no conversion.
func orderedTo(b *builder, list []ast.Expr, targets []types.Type) {
	// A call in a later expression follows the reads of earlier ones. Temporaries are only made if
	// some read precedes a call, so that most statements have none.
	pending, hoist := false, false
	for _, e := range list {
		if e == nil {
			continue
		}
		s := b.scan(e)
		hoist = hoist || s.unsafe || pending && s.calls
		pending = pending || s.pending
	}
	if !hoist {
		return
	}
	for i, e := range list {
		if e != nil {
			hoistTo(b, e, targetOf(targets, i))
		}
	}
}

// targetOf returns the type that the expression at an index is converted to, or nil.
func targetOf(targets []types.Type, i int) types.Type {
	if i < len(targets) {
		return targets[i]
	}
	return nil
}

// A scanned value describes the properties of an expression that matter for evaluation order.
//
// For instance, x + f() is unsafe if x has a heap cell: evaluation from left to right would read x
// before the call of f, and gc reads it afterward. f() + x is safe as it is written, and so is x +
// f() for a variable that f cannot access.
type scanned struct {
	calls   bool // evaluating it makes calls
	pending bool // its value is read from variables or memory when it is used
	// The order of evaluation matters only if unsafe is set.
	unsafe bool // an operand is read before a call and used after it
}

// then returns the properties of two expressions that are evaluated one after the other.
func (s scanned) then(next scanned) scanned {
	return scanned{
		calls:   s.calls || next.calls,
		pending: s.pending || next.pending,
		unsafe:  s.unsafe || next.unsafe || s.pending && next.calls,
	}
}

// scan examines an expression in the order of evaluation.
func (b *builder) scan(e ast.Expr) scanned {
	if tv, ok := b.info.Types[e]; ok && (tv.Value != nil || tv.IsType() || tv.IsNil()) {
		return scanned{}
	}
	if method := methodInstance(b, e); method != nil {
		e = method
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return b.scan(e.X)
	case *ast.Ident:
		return scanned{pending: b.mayChange(e)}
	case *ast.SelectorExpr:
		return b.scanSelector(e)
	case *ast.IndexExpr:
		if b.isInstance(e) {
			return scanned{}
		}
		s := b.scanIndexed(e.X).then(b.scan(e.Index))
		s.pending = true
		return s
	case *ast.StarExpr:
		s := b.scan(e.X)
		s.pending = true
		return s
	case *ast.UnaryExpr:
		s := b.scan(e.X)
		if e.Op == token.ARROW {
			return scanned{calls: true, unsafe: s.unsafe}
		}
		return s
	case *ast.BinaryExpr:
		x, y := b.scan(e.X), b.scan(e.Y)
		s := x.then(y)
		switch e.Op {
		case token.LAND, token.LOR:
			// A read in x before a call in y needs no temporary: gc branches on x before it
			// evaluates y.
			s.unsafe = x.unsafe || y.unsafe
			s.pending = false
		case token.QUO, token.REM:
			s.pending = true // division may panic, so it must not move before a call
		}
		return s
	}
	return b.scanMore(e)
}

// scanIndexed examines the operand of an index or slice expression. A pointer to an array is
// dereferenced, which panics after the calls of the indices if the pointer is nil.
func (b *builder) scanIndexed(e ast.Expr) scanned {
	s := b.scan(e)
	s.pending = s.pending || ir.IsPointer(b.typeOf(e))
	return s
}

// scanMore implements scan for calls, assertions, slices and literals. A slice expression is not
// pending, because hoist computes it early, as gc does.
func (b *builder) scanMore(e ast.Expr) scanned {
	var s scanned
	switch e := e.(type) {
	case *ast.CallExpr:
		return b.scanCall(e)
	case *ast.TypeAssertExpr:
		s = b.scan(e.X)
		s.pending = true
	case *ast.SliceExpr:
		s = b.scanIndexed(e.X)
		for _, part := range []ast.Expr{e.Low, e.High, e.Max} {
			if part != nil {
				s = s.then(b.scan(part))
			}
		}
		s.pending = false
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			if kv, ok := element.(*ast.KeyValueExpr); ok {
				if _, isMap := ir.Under(b.typeOf(e)).(*types.Map); isMap {
					s = s.then(b.scan(kv.Key))
				}
				element = kv.Value
			}
			s = s.then(b.scan(element))
		}
	case *ast.KeyValueExpr:
		return b.scan(e.Value)
	}
	return s
}

// scanSelector implements scan for selectors. A selection through a pointer, and a method value,
// read memory that a call may change.
func (b *builder) scanSelector(e *ast.SelectorExpr) scanned {
	selection := b.info.Selections[e]
	if selection == nil { // qualified identifier of a package
		_, isVar := b.info.Uses[e.Sel].(*types.Var)
		return scanned{pending: isVar}
	}
	if selection.Kind() == types.MethodExpr {
		return scanned{}
	}
	s := b.scan(e.X)
	if selection.Indirect() || ir.IsPointer(b.typeOf(e.X)) || selection.Kind() == types.MethodVal {
		s.pending = true
	}
	return s
}

// scanCall implements scan for calls. The predeclared functions that gc treats as operators do not
// count as calls.
func (b *builder) scanCall(e *ast.CallExpr) scanned {
	if tv := b.info.Types[e.Fun]; tv.IsType() {
		s := b.scan(e.Args[0])
		// string(bytes) reads the elements when the string is used, and []byte(text) when it is
		// evaluated.
		s.pending = s.pending && !b.copiesText(e) || b.readsText(e)
		return s
	}
	var s scanned
	if name := b.builtinName(e.Fun); name == "" {
		s = b.scanFun(e.Fun)
	} else if name == "len" || name == "cap" || name == "new" || name == "make" || name == "min" || name == "max" || name == "real" || name == "imag" || name == "complex" {
		for _, a := range e.Args {
			if !b.info.Types[a].IsType() {
				s = s.then(b.scan(a))
			}
		}
		s.pending = false
		return s
	}
	for _, a := range e.Args {
		if !b.info.Types[a].IsType() {
			s = s.then(b.scan(a))
		}
	}
	return scanned{calls: true, unsafe: s.unsafe}
}

// scanFun examines the expression of the function in a call. A declared function is not read from a
// variable, so no call can change it.
func (b *builder) scanFun(fun ast.Expr) scanned {
	switch f := withoutArguments(b, fun).(type) {
	case *ast.SelectorExpr:
		if selection := b.info.Selections[f]; selection != nil && selection.Kind() == types.MethodVal {
			if dereferences(b.typeOf(f.X), selection) {
				return b.scan(f)
			}
			return b.scan(f.X)
		}
	case *ast.FuncLit:
		return scanned{}
	}
	if f := b.calledFunc(fun); f != nil {
		return scanned{}
	}
	return b.scan(fun)
}

// dereferences reports whether the receiver of a method call on an operand of type x is read
// through a pointer, which may be nil. gc makes the calls among the arguments first.
// Selection.Indirect does not suffice: it is also true if the receiver is the pointer itself
// (go.dev/issue/8353).
func dereferences(x types.Type, s *types.Selection) bool {
	if len(s.Index()) > 1 {
		return s.Indirect()
	}
	recv := s.Obj().(*types.Func).Signature().Recv()
	return ir.IsPointer(x) && recv != nil && !ir.IsPointer(recv.Type())
}

// mayChange reports whether a call can change the value of an identifier. It cannot if the variable
// has no heap cell, because then no other function assigns to it.
func (b *builder) mayChange(id *ast.Ident) bool {
	v, ok := b.info.ObjectOf(id).(*types.Var)
	if !ok {
		return false
	}
	// A variable that is not local, such as one of the session, may be changed by any function.
	for in := b; in != nil; in = in.up {
		if l := in.vars[v]; l != nil {
			return l.Boxed
		}
	}
	return true
}

// hoist assigns the calls in an expression to temporaries, in order.
func (b *builder) hoist(e ast.Expr) {
	if tv, ok := b.info.Types[e]; ok && (tv.Value != nil || tv.IsType() || tv.IsNil()) {
		return
	}
	// An expression is evaluated once, even if hoist reaches it by two paths.
	if _, done := b.hoisted[e]; done {
		return
	}
	if method := methodInstance(b, e); method != nil {
		e = method
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		b.hoist(e.X)
	case *ast.SelectorExpr:
		if selection := b.info.Selections[e]; selection != nil && selection.Kind() != types.MethodExpr {
			b.hoist(e.X)
		}
	case *ast.IndexExpr:
		if !b.isInstance(e) {
			b.hoist(e.X)
			b.hoist(e.Index)
		}
	case *ast.StarExpr:
		b.hoist(e.X)
	case *ast.UnaryExpr:
		b.hoist(e.X)
		if e.Op == token.ARROW {
			b.early(e)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			b.hoistLogic(e)
			return
		}
		b.hoist(e.X)
		b.hoist(e.Y)
		// gc compares arrays and structs in memory, and copies values there.
		if t := b.info.TypeOf(e.X); isCopied(b.substitute(t)) {
			copyEarly(b, e.X)
			copyEarly(b, e.Y)
		}
	case *ast.CallExpr:
		b.hoistCall(e)
	// The following cases are no calls. They call early where gc evaluates the expression ahead of the
	// statement.
	case *ast.TypeAssertExpr:
		b.hoist(e.X)
		if !isPointerShaped(b.typeOf(e)) {
			b.early(e)
		}
	case *ast.SliceExpr:
		b.hoist(e.X)
		for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
			hoistBound(b, bound)
		}
		b.early(e)
	case *ast.CompositeLit:
		b.hoistElements(e)
	}
}

// hoistElements hoists the calls in a composite literal. Keys are expressions only in map literals.
func (b *builder) hoistElements(e *ast.CompositeLit) {
	t := b.typeOf(e)
	if p, ok := ir.Under(t).(*types.Pointer); ok { // an element with an elided &T
		t = p.Elem()
	}
	if m, ok := ir.Under(t).(*types.Map); ok {
		hoistEntries(b, e, m)
		return
	}
	for i, element := range e.Elts {
		target := elementType(t, i)
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			if field, ok := b.info.ObjectOf(fieldName(kv.Key)).(*types.Var); ok && field.IsField() {
				target = b.substitute(field.Type())
			}
			element = kv.Value
		}
		hoistTo(b, element, target)
	}
}

// isPointerShaped reports whether interface values store a t directly in their data word. gc does
// not evaluate assertions to such types early.
func isPointerShaped(t types.Type) bool {
	switch t := ir.Under(t).(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	}
	return false
}

// early evaluates an expression into a temporary, ahead of the statement. When the expression is
// built later, the result is the temporary.
func (b *builder) early(e ast.Expr) {
	x := b.expr(e)
	if _, several := x.Type().(*types.Tuple); several {
		return
	}
	b.hoisted[e] = b.save(x)
}

// hoistCall hoists the operands of a call and then the call itself. Calls without a result are
// statements, so nothing follows them. For instance, t.Set(p.Get()), where t has a heap cell,
// becomes $5 = call main.(T).Get((*p)), followed by the call of Set.
func (b *builder) hoistCall(e *ast.CallExpr) {
	if tv := b.info.Types[e.Fun]; tv.IsType() {
		hoistTo(b, e.Args[0], b.typeOf(e))
		if b.copiesText(e) {
			b.early(e)
		}
		return
	}
	name := b.builtinName(e.Fun)
	if name == "" {
		switch f := withoutArguments(b, e.Fun).(type) {
		case *ast.SelectorExpr:
			if selection := b.info.Selections[f]; selection != nil && selection.Kind() == types.MethodVal {
				b.hoist(f.X)
			} else if selection != nil {
				b.hoist(f)
			}
		case *ast.FuncLit:
		default:
			if b.calledFunc(e.Fun) == nil {
				b.hoist(e.Fun)
			}
		}
	}
	targets := argumentTypes(b, e)
	for i, a := range e.Args {
		if !b.info.Types[a].IsType() {
			hoistTo(b, a, targetOf(targets, i))
		}
	}
	// These have no value to keep, and a call with several results is an argument list or the only
	// value of an assignment, which the caller evaluates.
	switch name {
	case "panic", "print", "println", "delete", "clear", "close":
		return
	}
	if t, ok := b.info.TypeOf(e).(*types.Tuple); ok && t.Len() != 1 {
		return
	}
	b.early(e)
}

// hoistLogic evaluates x && y or x || y ahead of the statement. For instance, a && f() becomes
//
//	$1 = a
//	if $1 { $1 = f() }
func (b *builder) hoistLogic(e *ast.BinaryExpr) {
	b.hoist(e.X)
	t := b.temporary(b.typeOf(e), e.Pos())
	b.set(ir.Use(t), b.expr(e.X), e.Pos())
	cond := ir.Expr(ir.Use(t))
	if e.Op == token.LOR {
		cond = &ir.Unary{Typed: ir.Typed{T: t.Type, P: e.Pos()}, Op: token.NOT, X: cond}
	}
	then := b.block(e.Pos(), func() {
		b.hoist(e.Y)
		b.set(ir.Use(t), b.expr(e.Y), e.Pos())
	})
	b.add(&ir.If{At: ir.At{P: e.Pos()}, Cond: cond, Then: then, Else: nil})
	b.hoisted[e] = ir.Use(t)
}

// copiesText reports whether a conversion makes a slice from a string, which gc does ahead of the
// statement.
func (b *builder) copiesText(e *ast.CallExpr) bool {
	return ir.IsSlice(b.typeOf(e)) && ir.IsText(b.typeOf(e.Args[0]))
}

// readsText reports whether a conversion makes a string from a slice. gc reads the elements after
// the calls of the statement.
//
// For instance, string(b) + g() becomes
//
//	$5 = call g()
//	… (convert[string](b) + $5)
func (b *builder) readsText(e *ast.CallExpr) bool {
	return ir.IsText(b.typeOf(e)) && ir.IsSlice(b.typeOf(e.Args[0]))
}
