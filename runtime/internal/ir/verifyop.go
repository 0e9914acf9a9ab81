package ir

import (
	"fmt"
	"go/token"
	"go/types"
)

// conversion verifies conversions and type tests.
//
// Conversions to and from interface types have nodes of their own, because they depend on method
// sets, which the plain ones do not.
func (v *verifier) conversion(x Expr, pos token.Pos) {
	switch x := x.(type) {
	case *Convert:
		// The relations of the session decide as well, because types of different checks are
		// distinct to go/types even if they have one definition.
		if t := v.one(x.X, pos); t != nil {
			v.rule(!IsInterface(t) && !IsInterface(x.T), pos, "a plain conversion from %s to %s", TypeText(t), TypeText(x.T))
			v.rule(types.ConvertibleTo(t, x.T) || v.identical(Under(t), Under(x.T)) || v.identical(t, x.T), pos, "a %s cannot become a %s", TypeText(t), TypeText(x.T))
		}
	case *MakeInterface:
		if t := v.one(x.X, pos); t != nil {
			// An interface value has a concrete dynamic type. For an operand that is an interface
			// itself, the node is a ChangeInterface.
			v.rule(IsInterface(x.T) && !IsInterface(t), pos, "an interface value of type %s of a %s", TypeText(x.T), TypeText(t))
			v.rule(types.AssignableTo(t, x.T) || v.relations.Implements(t, x.T), pos, "a %s does not implement %s", TypeText(t), TypeText(x.T))
		}
	case *ChangeInterface:
		if t := v.one(x.X, pos); t != nil {
			v.rule(IsInterface(x.T) && IsInterface(t), pos, "an interface conversion from %s to %s", TypeText(t), TypeText(x.T))
			v.rule(types.AssignableTo(t, x.T) || v.relations.Implements(t, x.T), pos, "a %s does not implement %s", TypeText(t), TypeText(x.T))
		}
	case *Assert:
		if t := v.one(x.X, pos); t != nil && v.ground(x.To, pos) {
			v.rule(IsInterface(t), pos, "an assertion about a %s", TypeText(t))
			v.oneOrTwo(x.T, x.To, x.CommaOk, pos)
		}
	case *IsType:
		// To is nil for the case nil of a type switch.
		if t := v.one(x.X, pos); t != nil && (x.To == nil || v.ground(x.To, pos)) {
			v.rule(IsInterface(t), pos, "a test of the dynamic type of a %s", TypeText(t))
			v.rule(isKind(x.T, types.IsBoolean), pos, "a test of type %s", TypeText(x.T))
		}
	default:
		v.operator(x, pos)
	}
}

// operator verifies operations.
//
// An operand has exactly the type of the result. The executor chooses the operation by the class of
// one operand and would misread the other one.
func (v *verifier) operator(x Expr, pos token.Pos) {
	switch x := x.(type) {
	case *Unary:
		v.value(x.X, x.T, pos, "an operand")
		ok := x.Op == token.NOT && isKind(x.T, types.IsBoolean) || x.Op == token.XOR && isInteger(x.T) ||
			(x.Op == token.SUB || x.Op == token.ADD) && isKind(x.T, types.IsNumeric)
		v.rule(ok, pos, "%s of a %s", x.Op, TypeText(x.T))
	case *Binary:
		v.value(x.X, x.T, pos, "an operand")
		v.operation(x.Op, x.T, v.one(x.Y, pos), pos)
	case *Compare:
		v.comparison(x, pos)
	case *Logic:
		// Both operands have the type of the result, which may be a declared boolean type.
		v.value(x.X, x.T, pos, "an operand")
		v.value(x.Y, x.T, pos, "an operand")
		v.rule((x.Op == token.LAND || x.Op == token.LOR) && isKind(x.T, types.IsBoolean), pos, "%s of %s", x.Op, TypeText(x.T))
	case *Recv:
		c, ok := v.underOne(x.X, pos).(*types.Chan)
		if v.rule(ok && c.Dir() != types.SendOnly, pos, "a receive needs a channel that can be received from") {
			v.oneOrTwo(x.T, c.Elem(), x.CommaOk, pos)
		}
	case *Composite:
		v.composite(x, pos)
	case *Seq:
		v.stmts(x.Stmts)
		v.value(x.X, x.T, pos, "the value of a sequence")
	default:
		v.called(x, pos)
	}
}

// operation verifies the operator of x op y, where x and the result have type t.
func (v *verifier) operation(op token.Token, t, y types.Type, pos token.Pos) {
	if y == nil || v.err != nil {
		return
	}
	var ok bool
	switch op {
	case token.SHL, token.SHR:
		// A shift is the only operation whose operands may have different types.
		v.rule(isInteger(y), pos, "a shift by a %s", TypeText(y))
		v.rule(isInteger(t), pos, "%s of a %s", op, TypeText(t))
		return
	case token.ADD:
		ok = isKind(t, types.IsNumeric|types.IsString)
	case token.SUB, token.MUL, token.QUO:
		ok = isKind(t, types.IsNumeric)
	case token.REM, token.AND, token.OR, token.XOR, token.AND_NOT:
		ok = isInteger(t)
	}
	v.rule(ok, pos, "%s of a %s", op, TypeText(t))
	v.same(y, t, pos, "an operand")
}

// comparison verifies that both operands have one type, whose values can be compared. Slices, maps
// and functions can be compared with nil, which is a Zero operand.
//
// A value of a concrete type is never compared with an interface value: the builder has converted
// it, so that the comparison sees two interface values.
func (v *verifier) comparison(x *Compare, pos token.Pos) {
	t := v.one(x.X, pos)
	if t == nil {
		return
	}
	v.value(x.Y, t, pos, "an operand of a comparison")
	v.rule(isKind(x.T, types.IsBoolean), pos, "a comparison of type %s", TypeText(x.T))
	switch x.Op {
	case token.EQL, token.NEQ:
		_, zeroX := x.X.(*Zero)
		_, zeroY := x.Y.(*Zero)
		v.rule(types.Comparable(t) || (zeroX || zeroY) && hasNil(t), pos, "%s of a %s", x.Op, TypeText(t))
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		// Complex numbers can be compared but have no order.
		v.rule(isKind(t, types.IsOrdered), pos, "%s of a %s", x.Op, TypeText(t))
	default:
		v.rule(false, pos, "%s is no comparison", x.Op)
	}
}

// hasNil reports whether t is a type without == whose values can be compared with nil.
func hasNil(t types.Type) bool {
	switch Under(t).(type) {
	case *types.Slice, *types.Map, *types.Signature:
		return true
	}
	return false
}

// promoted returns the type of the field at a path from a struct type, or nil if there is none.
func promoted(t types.Type, path []int) types.Type {
	for _, i := range path {
		s, ok := Under(t).(*types.Struct)
		if !ok || i < 0 || i >= s.NumFields() {
			return nil
		}
		t = s.Field(i).Type()
	}
	return t
}

// composite verifies the elements of a composite literal: their types, that each index is in range
// and occurs once, and that only elements of maps have keys.
//
// The executor skips elements that are not listed, so an index that occurs twice would be stored
// twice in memory that is required to be zero.
func (v *verifier) composite(x *Composite, pos token.Pos) {
	seen := map[string]bool{}
	for _, e := range x.Elems {
		place := fmt.Sprint(e.Index, e.Path)
		switch t := Under(x.T).(type) {
		case *types.Struct:
			if v.rule(e.Index >= 0 && e.Index < int64(t.NumFields()), pos, "field %d of a %s", e.Index, TypeText(x.T)) {
				v.value(e.Value, promoted(t.Field(int(e.Index)).Type(), e.Path), pos, "a field")
			}
		case *types.Array, *types.Slice:
			v.rule(e.Index >= 0 && e.Index < x.Len, pos, "element %d of %d", e.Index, x.Len)
			v.value(e.Value, elemType(t), pos, "an element")
		case *types.Map:
			v.value(e.Key, t.Key(), pos, "a key")
			v.value(e.Value, t.Elem(), pos, "a value of a map")
			continue
		}
		v.rule(e.Key == nil && !seen[place], pos, "the element %d stands twice or has a key", e.Index)
		seen[place] = true
	}
	switch t := Under(x.T).(type) {
	case *types.Array:
		v.rule(t.Len() == x.Len, pos, "an array of length %d has %d elements", t.Len(), x.Len)
	case *types.Struct, *types.Slice, *types.Map:
	default:
		v.rule(false, pos, "a composite literal of type %s", TypeText(x.T))
	}
}
