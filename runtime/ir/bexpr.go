package ir

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// expr builds an expression of the type that typeOf returns.
func (b *builder) expr(e ast.Expr) Expr {
	if x, ok := b.hoisted[e]; ok {
		return x
	}
	if tv, ok := b.info.Types[e]; ok {
		if tv.Value != nil {
			return b.constant(tv.Value, b.typeOf(e), e.Pos())
		}
		if tv.IsNil() {
			return zero(b.typeOf(e), e.Pos())
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
		return &Deref{typed{b.typeOf(e), e.Pos()}, b.expr(e.X)}
	case *ast.UnaryExpr:
		return b.unary(e)
	case *ast.BinaryExpr:
		return b.binary(e)
	case *ast.CallExpr:
		return b.call(e)
	case *ast.TypeAssertExpr:
		return &Assert{typed{b.typeOf(e), e.Pos()}, b.expr(e.X), b.typeOf(e), false}
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

// constant builds a constant of a type. A constant of an interface type gets its default type and
// a conversion.
func (b *builder) constant(v constant.Value, t types.Type, pos token.Pos) Expr {
	if isInterface(t) {
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
		return &MakeInterface{typed{t, pos}, &Const{typed{basic, pos}, v}}
	}
	return &Const{typed{t, pos}, v}
}

// exprTo builds an expression converted to the type of the place that it is assigned to.
func (b *builder) exprTo(e ast.Expr, t types.Type) Expr {
	if tv, ok := b.info.Types[e]; ok {
		if tv.IsNil() {
			return zero(t, e.Pos())
		}
		if basic, untyped := tv.Type.(*types.Basic); untyped && basic.Info()&types.IsUntyped != 0 && tv.Value != nil && !isInterface(t) {
			if _, ok := under(t).(*types.Basic); ok {
				return &Const{typed{t, e.Pos()}, tv.Value}
			}
		}
	}
	return b.convert(b.expr(e), t)
}

// convert makes a conversion that assignability implies.
func (b *builder) convert(x Expr, t types.Type) Expr {
	from := x.Type()
	switch {
	case t == nil || types.Identical(from, t):
		return x
	case isInterface(t) && isInterface(from):
		return &ChangeInterface{typed{t, x.Pos()}, x}
	case isInterface(t):
		if z, ok := x.(*Zero); ok {
			if basic, ok := from.(*types.Basic); ok && basic.Kind() == types.UntypedNil {
				return zero(t, z.P)
			}
		}
		return &MakeInterface{typed{t, x.Pos()}, x}
	}
	if k, ok := x.(*Const); ok {
		return &Const{typed{t, k.P}, k.Value}
	}
	if _, ok := x.(*Zero); ok {
		return zero(t, x.Pos())
	}
	return &Convert{typed{t, x.Pos()}, x}
}

func (b *builder) ident(e *ast.Ident) Expr {
	switch o := b.info.ObjectOf(e).(type) {
	case *types.Var:
		return b.varExpr(o, e.Pos())
	case *types.Func:
		return b.funcValue(o, b.instanceArgs(e), b.typeOf(e), e.Pos())
	case *types.Nil:
		return zero(b.typeOf(e), e.Pos())
	}
	unsupported(e.Pos(), "%s cannot be used here", e.Name)
	return nil
}

// funcValue is a function by name, as a value.
func (b *builder) funcValue(f *types.Func, targs []types.Type, t types.Type, pos token.Pos) Expr {
	if ref := b.env.FuncRef(f, targs); ref != nil {
		return &FuncExpr{typed{t, pos}, ref}
	}
	return &ExternExpr{typed{t, pos}, f, targs}
}

// instanceArgs returns the type arguments with which an identifier instantiates a function.
func (b *builder) instanceArgs(id *ast.Ident) []types.Type {
	instance, ok := b.info.Instances[id]
	if !ok {
		return nil
	}
	var list []types.Type
	for t := range instance.TypeArgs.Types() {
		list = append(list, b.substitute(t))
	}
	return list
}

// isInstance reports whether an index expression instantiates a function or a type.
func (b *builder) isInstance(e ast.Expr) bool {
	var x ast.Expr
	switch e := e.(type) {
	case *ast.IndexExpr:
		x = e.X
	case *ast.IndexListExpr:
		x = e.X
	}
	return b.instantiated(x) != nil || b.info.Types[e].IsType()
}

// instantiated returns the identifier of a generic function.
func (b *builder) instantiated(x ast.Expr) *ast.Ident {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if _, ok := b.info.Instances[x]; ok {
			return x
		}
	case *ast.SelectorExpr:
		if _, ok := b.info.Instances[x.Sel]; ok {
			return x.Sel
		}
	}
	return nil
}

func (b *builder) index(e ast.Expr) Expr {
	ix, ok := e.(*ast.IndexExpr)
	if !ok || b.isInstance(e) {
		var x ast.Expr
		if ok {
			x = ix.X
		} else {
			x = e.(*ast.IndexListExpr).X
		}
		id := b.instantiated(x)
		f := b.info.Uses[id].(*types.Func)
		return b.funcValue(f, b.instanceArgs(id), b.typeOf(e), e.Pos())
	}
	return b.element(ix, false)
}

// element builds x[i]; commaOk is for a map element with a second value.
func (b *builder) element(e *ast.IndexExpr, commaOk bool) Expr {
	t := b.typeOf(e.X)
	if m, ok := under(t).(*types.Map); ok {
		out := m.Elem()
		x := b.expr(e.X)
		key := b.exprTo(e.Index, m.Key())
		if commaOk {
			return &MapElem{typed{pair(out), e.Pos()}, x, key, true}
		}
		return &MapElem{typed{out, e.Pos()}, x, key, false}
	}
	out := b.typeOf(e)
	if basic, ok := under(t).(*types.Basic); ok && basic.Info()&types.IsString != 0 {
		out = types.Typ[types.Uint8]
	}
	x := b.expr(e.X)
	return &Elem{typed{out, e.Pos()}, x, b.indexValue(e.Index)}
}

// indexValue builds an index or a size. An untyped constant has type int.
func (b *builder) indexValue(e ast.Expr) Expr {
	if tv := b.info.Types[e]; tv.Value != nil {
		if v := constant.ToInt(tv.Value); v.Kind() == constant.Int {
			if n, exact := constant.Int64Val(v); exact {
				return intConst(n, e.Pos())
			}
			return &Const{typed{types.Typ[types.Uint64], e.Pos()}, v}
		}
	}
	return b.expr(e)
}

// pair is the type of a comma-ok expression.
func pair(t types.Type) types.Type {
	return types.NewTuple(types.NewVar(0, nil, "", t), types.NewVar(0, nil, "", types.Typ[types.Bool]))
}

func (b *builder) unary(e *ast.UnaryExpr) Expr {
	switch e.Op {
	case token.AND:
		return b.addressOf(e.X, b.typeOf(e), e.Pos())
	case token.ARROW:
		return &Recv{typed{b.typeOf(e), e.Pos()}, b.expr(e.X), false}
	}
	return &Unary{typed{b.typeOf(e), e.Pos()}, e.Op, b.expr(e.X)}
}

// addressOf builds &x.
func (b *builder) addressOf(x ast.Expr, t types.Type, pos token.Pos) Expr {
	if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok {
		return &AddrOf{typed{t, pos}, b.composite(lit, b.typeOf(lit))}
	}
	return addr(b.expr(x), t, pos)
}

// addr is a pointer to a place. The address of what a pointer points to is the pointer, which
// still may not be nil.
func addr(x Expr, t types.Type, pos token.Pos) Expr { return &AddrOf{typed{t, pos}, x} }

func (b *builder) binary(e *ast.BinaryExpr) Expr {
	switch e.Op {
	case token.LAND, token.LOR:
		return b.logic(e)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return b.comparison(e)
	case token.SHL, token.SHR:
		t := b.typeOf(e)
		return &Binary{typed{t, e.OpPos}, e.Op, b.exprTo(e.X, t), b.shiftCount(e.Y)}
	}
	t := b.typeOf(e)
	return &Binary{typed{t, e.OpPos}, e.Op, b.exprTo(e.X, t), b.exprTo(e.Y, t)}
}

// shiftCount builds a count; a constant is of type uint.
func (b *builder) shiftCount(e ast.Expr) Expr {
	if tv := b.info.Types[e]; tv.Value != nil {
		v := constant.ToInt(tv.Value)
		n, exact := constant.Int64Val(v)
		if !exact || n > 1<<16 {
			n = 1 << 16
		}
		return &Const{typed{types.Typ[types.Int], e.Pos()}, constant.MakeInt64(n)}
	}
	return b.expr(e)
}

// logic builds x && y. What y needs ahead of it is done only if y is evaluated.
func (b *builder) logic(e *ast.BinaryExpr) Expr {
	t := b.typeOf(e)
	x := b.exprTo(e.X, t)
	var y Expr
	before := b.block(e.Pos(), func() {
		b.ordered(e.Y)
		y = b.exprTo(e.Y, t)
	})
	if len(before.List) > 0 {
		y = &Seq{typed{t, e.Pos()}, before.List, y}
	}
	return &Logic{typed{t, e.Pos()}, e.Op, x, y}
}

// comparison builds a comparison; the operands get one type.
func (b *builder) comparison(e *ast.BinaryExpr) Expr {
	result := b.typeOf(e)
	x, y := b.typeOf(e.X), b.typeOf(e.Y)
	t := x
	switch {
	case b.info.Types[e.X].IsNil():
		t = y
	case b.info.Types[e.Y].IsNil():
	case isInterface(y) && !isInterface(x):
		t = y
	case isUntyped(b.info.Types[e.X].Type) && !isUntyped(b.info.Types[e.Y].Type):
		t = y
	case isInterface(x) && isInterface(y) && !types.Identical(x, y):
		t = types.Universe.Lookup("any").Type().Underlying()
	}
	if b.info.Types[e.X].IsNil() && b.info.Types[e.Y].IsNil() {
		return boolConst(e.Op == token.EQL, e.Pos())
	}
	return &Compare{typed{result, e.OpPos}, e.Op, b.exprTo(e.X, t), b.exprTo(e.Y, t)}
}

func isUntyped(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&types.IsUntyped != 0
}

func (b *builder) slice(e *ast.SliceExpr) Expr {
	var x Expr
	if t := b.typeOf(e.X); isArray(t) {
		x = addr(b.expr(e.X), types.NewPointer(t), e.X.Pos())
	} else {
		x = b.expr(e.X)
	}
	part := func(e ast.Expr) Expr {
		if e == nil {
			return nil
		}
		return b.indexValue(e)
	}
	return &SliceExpr{typed{b.typeOf(e), e.Pos()}, x, part(e.Low), part(e.High), part(e.Max)}
}

func isArray(t types.Type) bool {
	_, ok := under(t).(*types.Array)
	return ok
}

// composite builds a composite literal of type t; for elements with elided &T it is a pointer type.
func (b *builder) composite(e *ast.CompositeLit, t types.Type) Expr {
	if p, ok := under(t).(*types.Pointer); ok {
		return &AddrOf{typed{t, e.Pos()}, b.composite(e, p.Elem())}
	}
	out := &Composite{typed: typed{t, e.Pos()}}
	switch u := under(t).(type) {
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
			out.Elems = append(out.Elems, Element{Key: key, Value: b.literalElement(kv.Value, u.Elem())})
		}
	default:
		unsupported(e.Pos(), "a composite literal of type %v is not supported", t)
	}
	return out
}

func (b *builder) structElements(e *ast.CompositeLit, t *types.Struct, out *Composite) {
	for i, element := range e.Elts {
		index := i
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			name := kv.Key.(*ast.Ident)
			index = -1
			for j := range t.NumFields() {
				if t.Field(j).Name() == name.Name {
					index = j
				}
			}
			element = kv.Value
		}
		value := b.literalElement(element, t.Field(index).Type())
		if t.Field(index).Name() == "_" { // it stays zero
			b.add(&Assign{at{element.Pos()}, nil, value})
			continue
		}
		out.Elems = append(out.Elems, Element{Index: int64(index), Value: value})
	}
}

// listElements builds the elements of an array or slice and returns the length.
func (b *builder) listElements(e *ast.CompositeLit, elem types.Type, out *Composite) int64 {
	var next, length int64
	for _, element := range e.Elts {
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			next, _ = constant.Int64Val(constant.ToInt(b.info.Types[kv.Key].Value))
			element = kv.Value
		}
		out.Elems = append(out.Elems, Element{Index: next, Value: b.literalElement(element, elem)})
		next++
		length = max(length, next)
	}
	return length
}

// literalElement builds an element, whose type may be left out if it is a literal itself.
func (b *builder) literalElement(e ast.Expr, t types.Type) Expr {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		return b.composite(lit, t)
	}
	return b.exprTo(e, t)
}

// funcLit builds a function literal.
func (b *builder) funcLit(e *ast.FuncLit) Expr {
	sig := b.info.TypeOf(e).(*types.Signature)
	*b.literals++
	in := b.Builder.newBuilder(b, b.literalName(*b.literals), e.Pos(), e.End())
	var params []*types.Var
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	in.signature(params, sig.Results(), sig.Variadic())
	in.body(e.Body)
	return &FuncLit{typed{b.typeOf(e), e.Pos()}, in.fn}
}

func (b *builder) literalName(n int) string {
	root := b
	for root.up != nil {
		root = root.up
	}
	return root.fn.Name + ".func" + constant.MakeInt64(int64(n)).String()
}
