package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// call builds calls, conversions and uses of predeclared functions.
func (b *builder) call(e *ast.CallExpr) ir.Expr {
	if tv := b.info.Types[e.Fun]; tv.IsType() {
		return b.conversion(e)
	}
	if name := b.builtinName(e.Fun); name != "" {
		return b.builtin(e, name)
	}
	return b.plainCall(e)
}

// builtinName returns the name of a predeclared function or of a function of package unsafe, or ""
// for other functions. The decision is by object, so that a shadowed name such as len is an
// ordinary function.
func (b *builder) builtinName(fun ast.Expr) string {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		if o, ok := b.info.Uses[f].(*types.Builtin); ok {
			return o.Name()
		}
	case *ast.SelectorExpr:
		if o, ok := b.info.Uses[f.Sel].(*types.Builtin); ok {
			return o.Name()
		}
	}
	return ""
}

// calledFunc returns the function that a call names, or nil for methods and function values. f,
// pkg.f, f[int] and pkg.f[int] name functions. A method selected from a value does not, because its
// receiver has to be evaluated.
func (b *builder) calledFunc(fun ast.Expr) *types.Func {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		o, _ := b.info.Uses[f].(*types.Func)
		return o
	case *ast.SelectorExpr:
		if b.info.Selections[f] == nil {
			o, _ := b.info.Uses[f.Sel].(*types.Func)
			return o
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		if b.isInstance(fun) && methodInstance(b, fun) == nil {
			if id := b.instantiatedIn(f); id != nil {
				o, _ := b.info.Uses[id].(*types.Func)
				return o
			}
		}
	}
	return nil
}

// conversion builds T(x).
//
// For instance, string(rune(n)) becomes convert[string](convert[rune](n)), and any(t) becomes
// iface[any](t).
//
// A conversion to an identical type is omitted, and a constant gets its type at once. The executor
// can then use the forms that it has for variables and constants.
func (b *builder) conversion(e *ast.CallExpr) ir.Expr {
	t := b.typeOf(e)
	arg := e.Args[0]
	if b.info.Types[arg].IsNil() {
		return ir.ZeroOf(t, e.Pos())
	}
	x := b.expr(arg)
	from := x.Type()
	switch {
	case ir.IsInterface(t):
		return b.convert(x, t)
	case types.Identical(from, t):
		return x
	}
	// The type checker has verified that the value fits.
	if k, ok := x.(*ir.Const); ok && isNumber(from) && isNumber(t) {
		return &ir.Const{Typed: ir.Typed{T: t, P: e.Pos()}, Value: k.Value}
	}
	return &ir.Convert{Typed: ir.Typed{T: t, P: e.Pos()}, X: x}
}

// plainCall builds a call of a function, a method or a function value.
//
// The callees appear as follows, where f is a function of cells, v a function value, t a value with
// methods of cells, m a *sync.Mutex and s an interface value:
//
//	call main.f(1)                f(1)
//	call v(1)                     v(1)
//	call main.(*T).Set(&t, 1)     t.Set(1)
//	call method m.Lock()          m.Lock()
//	call dynamic s.String()       s.String()
//	call extern fmt.Println(…)    fmt.Println(…)
func (b *builder) plainCall(e *ast.CallExpr) ir.Expr {
	sig := ir.Under(b.typeOf(e.Fun)).(*types.Signature)
	// gc reports a call at the line of its parenthesis, which in a chain of methods is the line of
	// the last call.
	call := &ir.Call{Typed: ir.Typed{T: ir.ResultType(sig), P: e.Lparen}}
	if t := b.info.TypeOf(e); t != nil {
		if _, tuple := t.(*types.Tuple); !tuple {
			call.T = b.typeOf(e)
		}
	}
	b.callee(e, call)
	b.arguments(e, sig, call)
	return call
}

// callee sets the callee of a call, and its receiver as the first argument.
//
// Env decides whether a function has a body in source: a generic function of a compiled package may
// have one for one list of type arguments and a compiled instance for another.
func (b *builder) callee(e *ast.CallExpr, call *ir.Call) {
	fun := ast.Unparen(e.Fun)
	if f := b.calledFunc(fun); f != nil {
		targs := b.calledArgs(fun)
		if ref := b.env.FuncRef(f, targs); ref != nil {
			call.Ref = ref
			return
		}
		// Functions without a body in source are compiled.
		call.Extern = &ir.ExternExpr{Typed: ir.Typed{T: b.typeOf(e.Fun), P: e.Fun.Pos()}, Func: f, Targs: targs}
		return
	}
	if f, ok := withoutArguments(b, fun).(*ast.SelectorExpr); ok {
		if s := b.info.Selections[f]; s != nil && s.Kind() == types.MethodVal {
			x := b.expr(f.X)
			o, path := b.lookup(b.info.TypeOf(f.X), s)
			m := b.method(x, selected{o.(*types.Func), path, b.instanceArgs(f.Sel)}, f.Sel.Pos())
			call.Ref, call.Method = m.ref, m.call
			if m.ref != nil {
				call.Args = append(call.Args, m.recv)
			}
			return
		}
	}
	// This includes a variable or field of function type and a call that returns a function.
	call.Value = b.expr(e.Fun)
}

// calledArgs returns the type arguments of the function that a call names.
func (b *builder) calledArgs(fun ast.Expr) []types.Type {
	switch f := fun.(type) {
	case *ast.Ident:
		return b.instanceArgs(f)
	case *ast.SelectorExpr:
		return b.instanceArgs(f.Sel)
	}
	if id := b.instantiatedIn(fun); id != nil {
		return b.instanceArgs(id)
	}
	return nil
}

// arguments adds the arguments of a call. Those of a variadic parameter are collected in a slice.
// The slice is new for each call, as the section "Passing arguments to ... parameters" of the
// specification requires. f(list...) passes the list itself.
//
// Each argument is converted to the type of its parameter here, since the executor stores it in the
// frame of the callee without looking at its type.
func (b *builder) arguments(e *ast.CallExpr, sig *types.Signature, call *ir.Call) {
	if len(e.Args) == 1 {
		if t, ok := b.info.TypeOf(e.Args[0]).(*types.Tuple); ok && t.Len() > 1 {
			b.spread(e.Args[0], sig, call)
			return
		}
	}
	fixed := sig.Params().Len()
	if sig.Variadic() && !e.Ellipsis.IsValid() {
		fixed--
	}
	for i := range fixed {
		call.Args = append(call.Args, b.exprTo(e.Args[i], sig.Params().At(i).Type()))
	}
	if fixed == sig.Params().Len() {
		return
	}
	var rest []ir.Expr
	elem := variadicElem(sig)
	for _, a := range e.Args[fixed:] {
		rest = append(rest, b.exprTo(a, elem))
	}
	call.Args = append(call.Args, collected(rest, sig, e.Pos()))
}

// variadicElem returns the element type of the variadic parameter.
func variadicElem(sig *types.Signature) types.Type {
	return ir.Under(sig.Params().At(sig.Params().Len() - 1).Type()).(*types.Slice).Elem()
}

// collected returns the slice of the arguments of a variadic parameter. It is nil if there are
// none, as the language specifies. For a function sum(head int, tail ...int), the calls sum(1) and
// sum(1, 2, 3) become
//
//	call main.sum(1, zero[[]int])
//	call main.sum(1, []int len 2 {0: 2, 1: 3})
func collected(rest []ir.Expr, sig *types.Signature, pos token.Pos) ir.Expr {
	t := sig.Params().At(sig.Params().Len() - 1).Type()
	if len(rest) == 0 {
		return ir.ZeroOf(t, pos)
	}
	list := &ir.Composite{Typed: ir.Typed{T: t, P: pos}, Len: int64(len(rest))}
	for i, x := range rest {
		list.Elems = append(list.Elems, ir.Element{Index: int64(i), Value: x})
	}
	return list
}

// spread builds the arguments of f(g()), which are the results of g in temporaries. A receiver or
// function value is evaluated before g and is therefore saved in a temporary, too.
//
// For instance, take(two()) with a first parameter of type any becomes
//
//	$0, $1 = call main.two()
//	eval call main.take(iface[any]($0), $1)
func (b *builder) spread(arg ast.Expr, sig *types.Signature, call *ir.Call) {
	// g may change what these expressions read.
	if call.Value != nil {
		call.Value = b.save(call.Value)
	}
	for i, x := range call.Args {
		call.Args[i] = b.save(x)
	}
	if call.Method != nil {
		call.Method.Recv = b.save(call.Method.Recv)
	}
	values := b.tuple(arg)
	fixed := sig.Params().Len()
	if sig.Variadic() {
		fixed--
	}
	for i := range fixed {
		call.Args = append(call.Args, b.convert(values[i], sig.Params().At(i).Type()))
	}
	if sig.Variadic() {
		var rest []ir.Expr
		elem := variadicElem(sig)
		for _, x := range values[fixed:] {
			rest = append(rest, b.convert(x, elem))
		}
		call.Args = append(call.Args, collected(rest, sig, arg.Pos()))
	}
}

// tuple evaluates an expression with several values now and returns temporaries that hold them.
func (b *builder) tuple(e ast.Expr) []ir.Expr {
	x := b.several(e)
	t := x.Type().(*types.Tuple)
	s := &ir.AssignAll{At: ir.At{P: e.Pos()}, X: x}
	var values []ir.Expr
	for v := range t.Variables() {
		l := b.temporary(v.Type(), e.Pos())
		s.Dst = append(s.Dst, l)
		values = append(values, ir.Use(l))
	}
	b.add(s)
	return values
}

// several builds an expression with several values: a call or a comma-ok form. The forms (m[k],
// ok), (x.(int), ok) and (<-c, ok) are printed with their second value.
func (b *builder) several(e ast.Expr) ir.Expr {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		b.orderedCall(e)
		return b.plainCall(e)
	case *ast.TypeAssertExpr:
		b.ordered(e.X)
		t := b.typeOfOne(e)
		return &ir.Assert{Typed: ir.Typed{T: ir.Pair(t), P: e.Lparen}, X: b.expr(e.X), To: t, CommaOk: true}
	case *ast.IndexExpr:
		b.ordered(e.X, e.Index)
		return b.element(e, true)
	case *ast.UnaryExpr:
		b.ordered(e.X)
		x := b.expr(e.X)
		return &ir.Recv{Typed: ir.Typed{T: ir.Pair(ir.Under(x.Type()).(*types.Chan).Elem()), P: e.Pos()}, X: x, CommaOk: true}
	}
	unsupported(e.Pos(), "internal: several values of a %T", e)
	return nil
}

// typeOfOne returns the type of the first value of a comma-ok assertion. The assertion itself has a
// tuple as its type.
func (b *builder) typeOfOne(e *ast.TypeAssertExpr) types.Type {
	return b.substitute(b.info.TypeOf(e.Type))
}

// orderedCall orders the operands of a call that is a statement itself. The call need not be
// hoisted, because nothing follows it.
func (b *builder) orderedCall(e *ast.CallExpr) {
	var list []ast.Expr
	switch f := withoutArguments(b, e.Fun).(type) {
	case *ast.SelectorExpr:
		if s := b.info.Selections[f]; s != nil && s.Kind() == types.MethodVal && !dereferences(b.typeOf(f.X), s) {
			list = append(list, f.X)
		} else if s != nil {
			list = append(list, f)
		}
	case *ast.FuncLit:
	default:
		if b.calledFunc(e.Fun) == nil && b.builtinName(e.Fun) == "" {
			list = append(list, e.Fun)
		}
	}
	targets := append(make([]types.Type, len(list)), argumentTypes(b, e)...)
	for _, a := range e.Args {
		if !b.info.Types[a].IsType() {
			if t, ok := b.info.TypeOf(a).(*types.Tuple); !ok || t.Len() < 2 {
				list = append(list, a)
			}
		}
	}
	orderedTo(b, list, targets)
}

// builtin builds a use of a predeclared function.
//
// For instance, make([]int, 2, n) becomes make[[]int](2, n), and panic(s) becomes
// panic(iface[any](s)). Calls that are constant expressions, such as len("const"), do not get here.
func (b *builder) builtin(e *ast.CallExpr, name string) ir.Expr {
	// A call without a value, such as close(c), has no type for go/types, or an invalid one.
	t := b.info.TypeOf(e)
	if t == nil {
		t = types.NewTuple()
	}
	x := &ir.Builtin{Typed: ir.Typed{T: types.Default(b.substitute(t)), P: e.Pos()}, Name: name}
	if basic, ok := x.T.(*types.Basic); ok && basic.Kind() == types.Invalid {
		x.T = types.NewTuple()
	}
	if len(e.Args) == 1 {
		if t, ok := b.info.TypeOf(e.Args[0]).(*types.Tuple); ok && t.Len() > 1 {
			x.Args = b.tuple(e.Args[0])
			if name == "append" {
				elem := ir.Under(x.T).(*types.Slice).Elem()
				for i := range x.Args[1:] {
					x.Args[i+1] = b.convert(x.Args[i+1], elem)
				}
			}
			return x
		}
	}
	switch name {
	case "Sizeof", "Alignof", "Offsetof":
		return b.layoutOf(e, name)
	case "append":
		b.appendArgs(e, x)
	case "make":
		// The type is that of the Builtin; the remaining operands are sizes.
		for _, a := range e.Args[1:] {
			x.Args = append(x.Args, b.indexValue(a))
		}
	case "new":
		// Since Go 1.26 the operand may also be a value.
		if !b.info.Types[e.Args[0]].IsType() {
			x.Args = append(x.Args, b.exprTo(e.Args[0], ir.Under(x.T).(*types.Pointer).Elem()))
		}
	case "panic":
		// panic takes any, so the conversion is visible in the representation.
		x.Args = append(x.Args, b.exprTo(e.Args[0], types.Universe.Lookup("any").Type()))
	case "delete":
		x.Args = append(x.Args, b.expr(e.Args[0]), b.exprTo(e.Args[1], ir.Under(b.typeOf(e.Args[0])).(*types.Map).Key()))
	case "min", "max":
		for _, a := range e.Args {
			x.Args = append(x.Args, b.exprTo(a, x.T))
		}
	case "complex":
		part := types.Typ[types.Float64]
		if ir.Under(x.T).(*types.Basic).Kind() == types.Complex64 {
			part = types.Typ[types.Float32]
		}
		for _, a := range e.Args {
			// An untyped argument of complex gets the type of the parts of the result, not its
			// default type.
			y := b.expr(a)
			if ir.IsUntyped(b.info.Types[a].Type) {
				y = b.exprTo(a, part)
			}
			x.Args = append(x.Args, y)
		}
	case "recover":
		b.fn.Recovers = true
	default:
		b.otherArgs(e, name, x)
	}
	return x
}

// otherArgs builds the arguments of predeclared functions that need no conversion to a common type.
func (b *builder) otherArgs(e *ast.CallExpr, name string, x *ir.Builtin) {
	for i, a := range e.Args {
		if name == "String" && i == 0 {
			x.Args = append(x.Args, b.exprTo(a, types.NewPointer(types.Typ[types.Uint8])))
			continue
		}
		if (name == "Add" || name == "Slice" || name == "String") && i == 1 {
			x.Args = append(x.Args, b.indexValue(a))
			continue
		}
		x.Args = append(x.Args, b.expr(a))
	}
}

// appendArgs builds the arguments of append. append([]byte, string...) is the only form whose
// second operand is not a slice.
func (b *builder) appendArgs(e *ast.CallExpr, x *ir.Builtin) {
	elem := ir.Under(x.T).(*types.Slice).Elem()
	x.Args = append(x.Args, b.exprTo(e.Args[0], x.T))
	if e.Ellipsis.IsValid() {
		x.Spread = true
		second := e.Args[1]
		if b.info.Types[second].IsNil() {
			x.Args = append(x.Args, ir.ZeroOf(x.T, second.Pos()))
			return
		}
		x.Args = append(x.Args, b.expr(second))
		return
	}
	for _, a := range e.Args[1:] {
		x.Args = append(x.Args, b.exprTo(a, elem))
	}
}

// layoutOf builds unsafe.Sizeof, Alignof and Offsetof for types that depend on type parameters. For
// other types they are constants. In an instance the types are known, so the result is a constant
// here as well.
func (b *builder) layoutOf(e *ast.CallExpr, name string) ir.Expr {
	var n int64
	switch name {
	case "Sizeof":
		n = ir.Sizes.Sizeof(b.typeOf(e.Args[0]))
	case "Alignof":
		n = ir.Sizes.Alignof(b.typeOf(e.Args[0]))
	default:
		// The offset is the sum over the embedded fields of the path. go/types rejects a path
		// through an embedded pointer.
		field := ast.Unparen(e.Args[0]).(*ast.SelectorExpr)
		_, path := b.lookup(b.info.TypeOf(field.X), b.info.Selections[field])
		t := b.typeOf(field.X)
		for _, i := range path {
			// The operand of the selector may be a pointer to the struct.
			if p, ok := ir.Under(t).(*types.Pointer); ok {
				t = p.Elem()
			}
			st := ir.Under(t).(*types.Struct)
			var fields []*types.Var
			for f := range st.Fields() {
				fields = append(fields, f)
			}
			n += ir.Sizes.Offsetsof(fields)[i]
			t = st.Field(i).Type()
		}
	}
	return &ir.Const{Typed: ir.Typed{T: types.Typ[types.Uintptr], P: e.Pos()}, Value: constant.MakeInt64(n)}
}

func isNumber(t types.Type) bool {
	basic, ok := ir.Under(t).(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}
