package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"

	"gosphere/runtime/internal/ir"
)

// expr builds an expression. Its type is the one that typeOf returns.
func (b *builder) expr(e ast.Expr) ir.Expr {
	if x, ok := b.hoisted[e]; ok {
		return x
	}
	if tv, ok := b.info.Types[e]; ok {
		// A constant expression has no effects and no operands.
		if tv.Value != nil {
			return b.constant(tv.Value, b.typeOf(e), e.Pos())
		}
		if tv.IsNil() {
			return ir.ZeroOf(b.typeOf(e), e.Pos())
		}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return b.expr(e.X)
	case *ast.Ident:
		return b.ident(e)
	case *ast.SelectorExpr:
		return b.selector(e)
	case *ast.IndexExpr, *ast.IndexListExpr:
		return b.index(e)
	case *ast.StarExpr:
		return &ir.Deref{Typed: ir.Typed{T: b.typeOf(e), P: e.Pos()}, X: b.expr(e.X)}
	case *ast.UnaryExpr:
		return b.unary(e)
	case *ast.BinaryExpr:
		return b.binary(e)
	case *ast.CallExpr:
		return b.call(e)
	case *ast.TypeAssertExpr:
		return &ir.Assert{Typed: ir.Typed{T: b.typeOf(e), P: e.Lparen}, X: b.expr(e.X), To: b.typeOf(e), CommaOk: false}
	case *ast.SliceExpr:
		return b.slice(e)
	case *ast.CompositeLit:
		return b.composite(e, b.typeOf(e))
	case *ast.FuncLit:
		return b.funcLit(e)
	}
	unsupported(e.Pos(), "an expression of the form %T is not supported", e)
	return nil
}

// constant builds a constant. If t is an interface type, the constant has its default type and is
// converted.
func (b *builder) constant(v constant.Value, t types.Type, pos token.Pos) ir.Expr {
	if ir.IsInterface(t) {
		basic := types.Typ[types.Int]
		switch v.Kind() {
		case constant.Bool:
			basic = types.Typ[types.Bool]
		case constant.String:
			basic = types.Typ[types.String]
		case constant.Float:
			basic = types.Typ[types.Float64]
		case constant.Complex:
			basic = types.Typ[types.Complex128]
		}
		return &ir.MakeInterface{Typed: ir.Typed{T: t, P: pos}, X: &ir.Const{Typed: ir.Typed{T: basic, P: pos}, Value: v}}
	}
	return &ir.Const{Typed: ir.Typed{T: t, P: pos}, Value: v}
}

// exprTo builds an expression and converts it to the type of its destination. An untyped constant
// gets the type of the destination directly, because it need not fit its default type: 1<<63 is a
// valid uint64 and no int.
func (b *builder) exprTo(e ast.Expr, t types.Type) ir.Expr {
	if tv, ok := b.info.Types[e]; ok {
		if tv.IsNil() {
			return ir.ZeroOf(t, e.Pos())
		}
		if basic, untyped := tv.Type.(*types.Basic); untyped && basic.Info()&types.IsUntyped != 0 && tv.Value != nil && !ir.IsInterface(t) {
			if _, ok := ir.Under(t).(*types.Basic); ok {
				return &ir.Const{Typed: ir.Typed{T: t, P: e.Pos()}, Value: tv.Value}
			}
		}
	}
	return b.convert(b.expr(e), t)
}

// convert builds the implicit conversion of an assignment. The value is assignable to t, so the
// conversion is one to an interface type, between interface types, or between types of the same
// layout.
//
// For a value t of type T and s of type fmt.Stringer, the conversions to fmt.Stringer and any are
//
//	iface[fmt.Stringer](t)
//	change[any](s)
func (b *builder) convert(x ir.Expr, t types.Type) ir.Expr {
	from := x.Type()
	switch {
	case t == nil || types.Identical(from, t):
		return x
	case ir.IsInterface(t) && ir.IsInterface(from):
		return &ir.ChangeInterface{Typed: ir.Typed{T: t, P: x.Pos()}, X: x}
	case ir.IsInterface(t):
		if z, ok := x.(*ir.Zero); ok {
			if basic, ok := from.(*types.Basic); ok && basic.Kind() == types.UntypedNil {
				return ir.ZeroOf(t, z.P)
			}
		}
		return &ir.MakeInterface{Typed: ir.Typed{T: t, P: x.Pos()}, X: x}
	}
	if k, ok := x.(*ir.Const); ok {
		return &ir.Const{Typed: ir.Typed{T: t, P: k.P}, Value: k.Value}
	}
	if _, ok := x.(*ir.Zero); ok {
		return ir.ZeroOf(t, x.Pos())
	}
	return &ir.Convert{Typed: ir.Typed{T: t, P: x.Pos()}, X: x}
}

// ident builds an identifier that denotes a variable, a function or nil.
func (b *builder) ident(e *ast.Ident) ir.Expr {
	switch o := b.info.ObjectOf(e).(type) {
	case *types.Var:
		return b.varExpr(o, e.Pos())
	case *types.Func:
		return b.funcValue(o, b.instanceArgs(e), functionType(b, e, e), e.Pos())
	case *types.Nil:
		return ir.ZeroOf(b.typeOf(e), e.Pos())
	}
	unsupported(e.Pos(), "%s cannot be used here", e.Name)
	return nil
}

// funcValue returns a named function as a value.
//
// For instance, double, errors.New and slices.Max[[]int] become
//
//	func main.double
//	extern errors.New
//	extern slices.Max[[]int, int]
func (b *builder) funcValue(f *types.Func, targs []types.Type, t types.Type, pos token.Pos) ir.Expr {
	if ref := b.env.FuncRef(f, targs); ref != nil {
		return &ir.FuncExpr{Typed: ir.Typed{T: t, P: pos}, Ref: ref}
	}
	return &ir.ExternExpr{Typed: ir.Typed{T: t, P: pos}, Func: f, Targs: targs}
}

// index builds an index expression, which may be an element or an instance of a generic function.
// The syntax does not distinguish them. For a generic function with all type arguments inferred,
// there is no index expression; ident handles it.
func (b *builder) index(e ast.Expr) ir.Expr {
	ix, ok := e.(*ast.IndexExpr)
	if !ok || b.isInstance(e) {
		var x ast.Expr
		if ok {
			x = ix.X
		} else {
			x = e.(*ast.IndexListExpr).X
		}
		if method := methodInstance(b, e); method != nil {
			return b.selectorAs(method, b.typeOf(e))
		}
		id := b.instantiated(x)
		f := b.info.Uses[id].(*types.Func)
		return b.funcValue(f, b.instanceArgs(id), b.typeOf(e), e.Pos())
	}
	return b.element(ix, false)
}

// element builds x[i]. Like gc, it reports the line of the bracket. commaOk requests the form of a
// map element with a second value. An element of a map is a MapElem, because it has no address and
// may be absent; all others are an Elem.
func (b *builder) element(e *ast.IndexExpr, commaOk bool) ir.Expr {
	t := b.typeOf(e.X)
	if m, ok := ir.Under(t).(*types.Map); ok {
		out := m.Elem()
		x := b.expr(e.X)
		key := b.exprTo(e.Index, m.Key())
		if commaOk {
			return &ir.MapElem{Typed: ir.Typed{T: ir.Pair(out), P: e.Lbrack}, X: x, Key: key, CommaOk: true}
		}
		return &ir.MapElem{Typed: ir.Typed{T: out, P: e.Lbrack}, X: x, Key: key, CommaOk: false}
	}
	out := b.typeOf(e)
	if basic, ok := ir.Under(t).(*types.Basic); ok && basic.Info()&types.IsString != 0 {
		// go/types calls the type byte, an alias; the representation uses one object for it.
		out = types.Typ[types.Uint8]
	}
	x := b.expr(e.X)
	return &ir.Elem{Typed: ir.Typed{T: out, P: e.Lbrack}, X: x, I: b.indexValue(e.Index)}
}

// indexValue builds an index or a size. An untyped constant gets type int, or uint64 if int cannot
// represent it. A constant index may have a floating-point type that is untyped, such as 2.0.
func (b *builder) indexValue(e ast.Expr) ir.Expr {
	if tv := b.info.Types[e]; tv.Value != nil {
		if v := constant.ToInt(tv.Value); v.Kind() == constant.Int {
			if n, exact := constant.Int64Val(v); exact {
				return ir.IntConst(n, e.Pos())
			}
			return &ir.Const{Typed: ir.Typed{T: types.Typ[types.Uint64], P: e.Pos()}, Value: v}
		}
	}
	return b.expr(e)
}

// unary builds a unary expression, an address or a receive operation, which Go writes alike.
func (b *builder) unary(e *ast.UnaryExpr) ir.Expr {
	switch e.Op {
	case token.AND:
		return b.addressOf(e.X, b.typeOf(e), e.Pos())
	case token.ARROW:
		return &ir.Recv{Typed: ir.Typed{T: b.typeOf(e), P: e.Pos()}, X: b.expr(e.X), CommaOk: false}
	}
	return &ir.Unary{Typed: ir.Typed{T: b.typeOf(e), P: e.Pos()}, Op: e.Op, X: b.expr(e.X)}
}

// addressOf builds &x.
func (b *builder) addressOf(x ast.Expr, t types.Type, pos token.Pos) ir.Expr {
	if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok {
		return &ir.AddrOf{Typed: ir.Typed{T: t, P: pos}, X: b.composite(lit, b.typeOf(lit))}
	}
	return addr(b.expr(x), t, pos)
}

// addr returns a pointer to a place. Taking the address of a dereferenced pointer still checks that
// the pointer is not nil.
func addr(x ir.Expr, t types.Type, pos token.Pos) ir.Expr {
	return &ir.AddrOf{Typed: ir.Typed{T: t, P: pos}, X: x}
}

// binary builds a binary expression. Both operands are converted to the type of the result, except
// in comparisons and shifts.
func (b *builder) binary(e *ast.BinaryExpr) ir.Expr {
	switch e.Op {
	case token.LAND, token.LOR:
		return b.logic(e)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return b.comparison(e)
	// The operand of a non-constant shift has the type that the context requires, which the checker
	// has recorded for the whole expression.
	case token.SHL, token.SHR:
		t := b.typeOf(e)
		return &ir.Binary{Typed: ir.Typed{T: t, P: e.OpPos}, Op: e.Op, X: b.exprTo(e.X, t), Y: b.shiftCount(e.Y)}
	}
	t := b.typeOf(e)
	return &ir.Binary{Typed: ir.Typed{T: t, P: e.OpPos}, Op: e.Op, X: b.exprTo(e.X, t), Y: b.exprTo(e.Y, t)}
}

// shiftCount builds a shift count. A constant count is reduced to one that fits int and still
// shifts out every bit.
func (b *builder) shiftCount(e ast.Expr) ir.Expr {
	if tv := b.info.Types[e]; tv.Value != nil {
		v := constant.ToInt(tv.Value)
		n, exact := constant.Int64Val(v)
		if !exact || n > 1<<16 {
			n = 1 << 16
		}
		return &ir.Const{Typed: ir.Typed{T: types.Typ[types.Int], P: e.Pos()}, Value: constant.MakeInt64(n)}
	}
	return b.expr(e)
}

// logic builds x && y and x || y. Operations that y needs ahead of it run only if y is evaluated.
func (b *builder) logic(e *ast.BinaryExpr) ir.Expr {
	t := b.typeOf(e)
	x := b.exprTo(e.X, t)
	var y ir.Expr
	// The right side is evaluated conditionally, and so are its temporaries.
	before := b.block(e.Pos(), func() {
		b.ordered(e.Y)
		y = b.exprTo(e.Y, t)
	})
	if len(before.List) > 0 {
		y = &ir.Seq{Typed: ir.Typed{T: t, P: e.Pos()}, Stmts: before.List, X: y}
	}
	return &ir.Logic{Typed: ir.Typed{T: t, P: e.Pos()}, Op: e.Op, X: x, Y: y}
}

// comparison builds a comparison and converts the operands to a common type. The section
// "Comparison operators" of the specification requires that one operand is assignable to the type
// of the other, so one conversion suffices.
//
// For instance, a == n with a of type any, and e != nil with e of type error, become
//
//	(a == iface[any](n))
//	(e != zero[error])
func (b *builder) comparison(e *ast.BinaryExpr) ir.Expr {
	result := b.typeOf(e)
	x, y := b.typeOf(e.X), b.typeOf(e.Y)
	t := x
	switch {
	case b.info.Types[e.X].IsNil():
		t = y
	case b.info.Types[e.Y].IsNil():
	case ir.IsInterface(y) && !ir.IsInterface(x):
		t = y
	case ir.IsUntyped(b.info.Types[e.X].Type) && !ir.IsUntyped(b.info.Types[e.Y].Type):
		t = y
	case !types.AssignableTo(y, x) && types.AssignableTo(x, y): // a bidirectional and a directional channel
		t = y
	case ir.IsInterface(x) && ir.IsInterface(y) && !types.Identical(x, y):
		// Neither interface type need implement the other. The comparison is of dynamic types and
		// values, for which any is enough.
		t = types.Universe.Lookup("any").Type().Underlying()
	}
	if b.info.Types[e.X].IsNil() && b.info.Types[e.Y].IsNil() {
		return ir.BoolConst(e.Op == token.EQL, e.Pos())
	}
	return &ir.Compare{Typed: ir.Typed{T: result, P: e.OpPos}, Op: e.Op, X: b.exprTo(e.X, t), Y: b.exprTo(e.Y, t)}
}

// slice builds a slice expression. An array is sliced through its address, as the language
// specifies. For instance, a[1:2] of an array becomes &a[1:2], and a has a heap cell.
func (b *builder) slice(e *ast.SliceExpr) ir.Expr {
	var x ir.Expr
	if t := b.typeOf(e.X); isArray(t) {
		x = addr(b.expr(e.X), types.NewPointer(t), e.X.Pos())
	} else {
		x = b.expr(e.X)
	}
	part := func(e ast.Expr) ir.Expr {
		if e == nil {
			return nil
		}
		return b.indexValue(e)
	}
	return &ir.SliceExpr{Typed: ir.Typed{T: b.typeOf(e), P: e.Lbrack}, X: x, Lo: part(e.Low), Hi: part(e.High), Max: part(e.Max)}
}

func isArray(t types.Type) bool {
	_, ok := ir.Under(t).(*types.Array)
	return ok
}

// composite builds a composite literal of type t. For an element with an elided &T, t is a pointer
// type.
//
// For instance, []int{2: 1, n}, map[string]T{"k": {A: 1}} and []*T{{A: 2}} become
//
//	[]int len 4 {2: 1, 3: n}
//	map[string]T{"k": T{A: 1}}
//	[]*T len 1 {0: &T{A: 2}}
func (b *builder) composite(e *ast.CompositeLit, t types.Type) ir.Expr {
	if p, ok := ir.Under(t).(*types.Pointer); ok {
		return &ir.AddrOf{Typed: ir.Typed{T: t, P: e.Pos()}, X: b.composite(e, p.Elem())}
	}
	out := &ir.Composite{Typed: ir.Typed{T: t, P: e.Pos()}}
	switch u := ir.Under(t).(type) {
	case *types.Struct:
		b.structElements(e, u, out)
	case *types.Array:
		b.listElements(e, u.Elem(), out)
		out.Len = u.Len()
	case *types.Slice:
		out.Len = b.listElements(e, u.Elem(), out)
	case *types.Map:
		for _, element := range e.Elts {
			kv := element.(*ast.KeyValueExpr)
			key := b.literalElement(kv.Key, u.Key())
			out.Elems = append(out.Elems, ir.Element{Key: key, Value: b.literalElement(kv.Value, u.Elem())})
		}
	default:
		unsupported(e.Pos(), "a composite literal of type %v is not supported", t)
	}
	return out
}

// structElements builds the elements of a struct literal, with or without field names. For
// instance, &T{next: p} becomes an AddrOf of a Composite with one Element.
//
// A name may be that of a promoted field, which the type checker allows only through embedded
// structs, so the field is part of the memory of the literal.
func (b *builder) structElements(e *ast.CompositeLit, t *types.Struct, out *ir.Composite) {
	for i, element := range e.Elts {
		field, path := (*types.Var)(nil), []int{i}
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			name := kv.Key.(*ast.Ident)
			o, index, _ := types.LookupFieldOrMethod(t, false, b.info.Uses[name].Pkg(), name.Name)
			field, path, element = o.(*types.Var), index, kv.Value
		} else {
			field = t.Field(i)
		}
		out.Elems = append(out.Elems, ir.Element{Index: int64(path[0]), Path: path[1:], Value: b.literalElement(element, field.Type())})
	}
}

// listElements builds the elements of an array or slice and returns the length of the literal. For
// instance []int{2: 7, 8} has the length 4.
func (b *builder) listElements(e *ast.CompositeLit, elem types.Type, out *ir.Composite) int64 {
	var next, length int64
	for _, element := range e.Elts {
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			next, _ = constant.Int64Val(constant.ToInt(b.info.Types[kv.Key].Value))
			element = kv.Value
		}
		out.Elems = append(out.Elems, ir.Element{Index: next, Value: b.literalElement(element, elem)})
		next++
		length = max(length, next)
	}
	return length
}

// literalElement builds an element. A nested literal may omit its type.
func (b *builder) literalElement(e ast.Expr, t types.Type) ir.Expr {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		return b.composite(lit, t)
	}
	return b.exprTo(e, t)
}

// funcLit builds a function literal. The printed form literal main.f.func1{n, k} lists the captured
// variables, in the order of their first use.
func (b *builder) funcLit(e *ast.FuncLit) ir.Expr {
	// The types of parameters are substituted by declareVar, not here.
	sig := b.info.TypeOf(e).(*types.Signature)
	in := b.Builder.newBuilder(b, b.literalName(functionLiteral), e.Pos(), e.End())
	var params []*types.Var
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	in.signature(params, sig.Results(), sig.Variadic())
	in.body(e.Body)
	return &ir.FuncLit{Typed: ir.Typed{T: b.typeOf(e), P: e.Pos()}, Func: in.fn}
}

// A literalKind says why a function is inside another one. The value is the part of the name that
// precedes the number.
type literalKind string

const (
	functionLiteral literalKind = "."
	rangeBody       literalKind = "-range"  // the body of a range-over-func loop
	methodWrapper   literalKind = "-method" // a method expression, for which compiled Go has no number
)

// literalName returns the name of the next function of a kind inside the function, as in Go's stack
// traces: f.func1, f.func1.1 inside it, f-range1 for the body of a range-over-func loop, and
// f-range1.func1 inside that.
func (b *builder) literalName(kind literalKind) string {
	b.inside[kind]++
	name := b.fn.Name + string(kind)
	// gc writes the word in a declared function, and in a loop of one.
	if kind == functionLiteral && (b.up == nil || b.fn.Iteration && b.up.up == nil) {
		name += "func"
	}
	return name + strconv.Itoa(b.inside[kind])
}
