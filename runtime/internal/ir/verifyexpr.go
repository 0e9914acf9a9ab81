package ir

import (
	"go/constant"
	"go/token"
	"go/types"
)

// expr verifies an expression and returns its type, or nil after an error. pos is the position of
// the enclosing node, for expressions without a position.
//
// Variables are exempt from the check of positions, since a temporary is used where no source text
// is.
func (v *verifier) expr(x Expr, pos token.Pos) types.Type {
	if v.err != nil || !v.rule(x != nil, pos, "an operand is missing") {
		return nil
	}
	if _, variable := x.(*LocalExpr); !variable && !v.position(x.Pos(), x) {
		return nil
	}
	if x.Pos().IsValid() {
		pos = x.Pos()
	}
	if !v.ground(x.Type(), pos) {
		return nil
	}
	v.leaf(x, pos)
	if v.err != nil {
		return nil
	}
	return x.Type()
}

// one verifies an expression that must have one value. It returns the type, or nil after an error.
func (v *verifier) one(x Expr, pos token.Pos) types.Type {
	t := v.expr(x, pos)
	if _, tuple := t.(*types.Tuple); t == nil || !v.rule(!tuple, pos, "one value is required and the operand has %s", TypeText(t)) {
		return nil
	}
	return t
}

// underOne returns the underlying type of an expression with one value, or nil after an error.
func (v *verifier) underOne(x Expr, pos token.Pos) types.Type {
	if t := v.one(x, pos); t != nil {
		return Under(t)
	}
	return nil
}

// value verifies that an expression has type t.
func (v *verifier) value(x Expr, t types.Type, pos token.Pos, what string) {
	if from := v.one(x, pos); from != nil {
		v.same(from, t, pos, what)
	}
}

// boolean verifies a condition.
func (v *verifier) boolean(x Expr, pos token.Pos) {
	if t := v.one(x, pos); t != nil {
		v.rule(isKind(t, types.IsBoolean), pos, "a condition of type %s", TypeText(t))
	}
}

// integer verifies an index, a size or a bound.
func (v *verifier) integer(x Expr, pos token.Pos, what string) {
	if t := v.one(x, pos); t != nil {
		v.rule(isInteger(t), pos, "%s of type %s", what, TypeText(t))
	}
}

func isKind(t types.Type, info types.BasicInfo) bool {
	basic, ok := Under(t).(*types.Basic)
	return ok && basic.Info()&info != 0
}

func isInteger(t types.Type) bool { return isKind(t, types.IsInteger) }

// leaf verifies an expression without operands.
//
// The functions leaf, part, conversion, operator and called form one switch that is divided by
// subject. Each passes an unknown expression on to the next.
func (v *verifier) leaf(x Expr, pos token.Pos) {
	switch x := x.(type) {
	case *Const:
		v.constant(x, pos)
	case *Zero:
		_, tuple := x.T.(*types.Tuple)
		v.rule(!tuple, pos, "a zero of several values")
	case *LocalExpr:
		if v.own(x.Local, pos) {
			v.same(x.T, x.Local.Type, pos, "a variable")
		}
	case *GlobalExpr:
		if v.rule(x.Global != nil, pos, "a session variable is missing") {
			v.same(x.T, x.Global.Type, pos, "a session variable")
		}
	case *FuncExpr:
		if v.rule(x.Ref != nil, pos, "a function is missing") {
			v.same(Under(x.T), x.Ref.Sig, pos, "a function value")
		}
	case *ExternExpr:
		v.rule(x.Func != nil, pos, "a function is missing")
		_, ok := Under(x.T).(*types.Signature)
		v.rule(ok, pos, "a function of type %s", TypeText(x.T))
	case *FuncLit:
		v.funcLit(x, pos)
	default:
		v.part(x, pos)
	}
}

// funcLit verifies a function literal with its function. It notes the captured variables, which
// must not change afterward unless they have heap cells.
//
// The position of the literal in the flow does not matter for the captures here; flow verifies that
// they have values.
func (v *verifier) funcLit(x *FuncLit, pos token.Pos) {
	if !v.rule(x.Func != nil, pos, "the function of a literal is missing") {
		return
	}
	v.function(x.Func, v.fn)
	if v.err != nil {
		return
	}
	v.same(Under(x.T), x.Func.Sig, pos, "a function literal")
	for _, l := range x.Func.Captures {
		v.captured[l.Outer] = true
	}
}

// constant verifies that the type of a constant can represent its value.
//
// The type checker has verified the same for the source. The rule finds constants that the builder
// makes, and those that it gives the wrong type.
func (v *verifier) constant(x *Const, pos token.Pos) {
	if !v.rule(x.Value != nil, pos, "a constant without a value") {
		return
	}
	basic, ok := Under(x.T).(*types.Basic)
	if !v.rule(ok, pos, "a constant of type %s", TypeText(x.T)) {
		return
	}
	switch info := basic.Info(); {
	case info&types.IsBoolean != 0:
		ok = x.Value.Kind() == constant.Bool
	case info&types.IsString != 0:
		ok = x.Value.Kind() == constant.String
	case info&types.IsInteger != 0:
		ok = fits(constant.ToInt(x.Value), basic)
	case info&types.IsFloat != 0:
		ok = constant.ToFloat(x.Value).Kind() == constant.Float
	case info&types.IsComplex != 0:
		ok = constant.ToComplex(x.Value).Kind() == constant.Complex
	default:
		ok = false
	}
	v.rule(ok, pos, "the constant %s is not a %s", x.Value, TypeText(x.T))
}

// fits reports whether an integer type can represent a constant.
//
// constant.Int64Val would not serve, because it does not know the size of the type.
func fits(value constant.Value, t *types.Basic) bool {
	if value.Kind() != constant.Int {
		return false
	}
	bits := int(Sizes.Sizeof(t)) * 8
	if t.Info()&types.IsUnsigned != 0 {
		return constant.Sign(value) >= 0 && constant.BitLen(value) <= bits
	}
	// The smallest value, -2^(bits-1), needs as many bits as the largest one once 1 is added.
	if constant.Sign(value) < 0 {
		value = constant.BinaryOp(value, token.ADD, constant.MakeInt64(1))
	}
	return constant.BitLen(value) < bits
}

// part verifies an expression that selects a part of a value or of memory.
func (v *verifier) part(x Expr, pos token.Pos) {
	switch x := x.(type) {
	case *Deref:
		if p, ok := v.underOne(x.X, pos).(*types.Pointer); v.rule(ok, pos, "what is not a pointer is followed") {
			v.same(x.T, p.Elem(), pos, "a variable that a pointer points to")
		}
	case *Field:
		s, ok := v.underOne(x.X, pos).(*types.Struct)
		if v.rule(ok && x.Index >= 0 && x.Index < s.NumFields(), pos, "field %d of what has no such field", x.Index) {
			v.same(x.T, s.Field(x.Index).Type(), pos, "a field")
		}
	case *Elem:
		v.integer(x.I, pos, "an index")
		t := v.one(x.X, pos)
		elem := elemType(t)
		if v.rule(elem != nil, pos, "an element of a %s", TypeText(t)) {
			v.same(x.T, elem, pos, "an element")
		}
	case *MapElem:
		m, ok := v.underOne(x.X, pos).(*types.Map)
		if v.rule(ok, pos, "an entry of what is not a map") {
			v.value(x.Key, m.Key(), pos, "the key of a map")
			v.oneOrTwo(x.T, m.Elem(), x.CommaOk, pos)
		}
	case *AddrOf:
		v.address(x, pos)
	case *SliceExpr:
		v.slice(x, pos)
	default:
		v.conversion(x, pos)
	}
}

// elemType returns the type of the elements that Elem selects from a t, or nil if a t has no
// elements.
func elemType(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	switch t := Under(t).(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Pointer:
		if a, ok := Under(t.Elem()).(*types.Array); ok {
			return a.Elem()
		}
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return types.Typ[types.Uint8]
		}
	}
	return nil
}

// oneOrTwo verifies the type of an expression that may have a comma-ok form.
//
// The type of the node decides how many values the executor produces, so the flag and the type have
// to agree.
func (v *verifier) oneOrTwo(t, one types.Type, two bool, pos token.Pos) {
	if two {
		one = Pair(one)
	}
	v.same(t, one, pos, "the value of a comma-ok expression")
}

// address verifies an address. That of a composite literal allocates, so it needs no place. Map
// elements have no address in Go, since a map moves its elements when it grows.
func (v *verifier) address(x *AddrOf, pos token.Pos) {
	p, ok := Under(x.T).(*types.Pointer)
	t := v.one(x.X, pos)
	if t == nil || !v.rule(ok, pos, "an address of type %s", TypeText(x.T)) {
		return
	}
	v.same(t, p.Elem(), pos, "a variable whose address is taken")
	if _, literal := x.X.(*Composite); literal {
		return
	}
	// Only the root variable needs a heap cell: &x.f.g is an interior pointer of the cell of x.
	root, isPlace := placeOf(x.X)
	_, entry := root.(*MapElem)
	v.rule(isPlace && !entry, pos, "the address of what is not a variable")
	if l, ok := root.(*LocalExpr); ok {
		v.rule(l.Local.Boxed, pos, "the address of %s, which has no heap cell", l.Local.Name)
	}
}

// placeOf reports whether an expression is a place, and returns the variable that the place is part
// of. An element of a slice, or of an array that a pointer refers to, is its own root, since its
// memory does not belong to the operand. For instance the root of x.f[2] is x if f is an array, and
// x.f[2] itself if f is a slice.
//
// A map element is a place for assignments as a whole. A field of one is not, as the specification
// demands: m[k].f = 1 is an error.
func placeOf(x Expr) (root Expr, ok bool) {
	switch x := x.(type) {
	case *LocalExpr, *GlobalExpr, *Deref:
		return x, true
	case *MapElem:
		return x, !x.CommaOk
	case *Field:
		root, ok := placeOf(x.X)
		_, entry := root.(*MapElem)
		return root, ok && !entry
	case *Elem:
		switch Under(x.X.Type()).(type) {
		case *types.Slice, *types.Pointer:
			return x, true
		case *types.Array:
			root, ok := placeOf(x.X)
			_, entry := root.(*MapElem)
			return root, ok && !entry
		}
	}
	return nil, false
}

// place verifies the destination of an assignment. It returns the type, or nil after an error.
//
// The assignment is recorded for cells, which compares it with the captures.
func (v *verifier) place(x Expr, pos token.Pos) types.Type {
	t := v.one(x, pos)
	if t == nil {
		return nil
	}
	root, ok := placeOf(x)
	if !v.rule(ok, pos, "an assignment to what is not a variable: %T", x) {
		return nil
	}
	if l, ok := root.(*LocalExpr); ok {
		v.assigned[l.Local] = pos
	}
	return t
}

// slice verifies a slice expression. A slice of an array is one of a pointer to it, because the
// result shares the memory of the array.
func (v *verifier) slice(x *SliceExpr, pos token.Pos) {
	t := v.one(x.X, pos)
	if t == nil {
		return
	}
	for _, part := range []Expr{x.Lo, x.Hi, x.Max} {
		if part != nil {
			v.integer(part, pos, "a bound of a slice")
		}
	}
	v.rule(x.Max == nil || x.Hi != nil, pos, "a slice with a capacity and no end")
	switch u := Under(t).(type) {
	case *types.Basic:
		v.rule(IsText(t) && x.Max == nil, pos, "a slice of a %s", TypeText(t))
		v.same(x.T, t, pos, "a part of a string")
	case *types.Slice:
		v.same(x.T, t, pos, "a part of a slice")
	case *types.Pointer:
		a, ok := Under(u.Elem()).(*types.Array)
		if v.rule(ok, pos, "a slice of a %s", TypeText(t)) {
			v.same(x.T, types.NewSlice(a.Elem()), pos, "a part of an array")
		}
	default:
		v.rule(false, pos, "a slice of a %s", TypeText(t))
	}
}
