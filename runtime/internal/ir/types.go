package ir

import (
	"go/constant"
	"go/token"
	"go/types"
)

// Pair returns the type of a comma-ok expression: the tuple (t, bool). For instance v, ok := m[k]
// is an AssignAll of a MapElem whose type is Pair of the element type.
//
// A tuple has no identity in go/types, so two pairs are identical if their components are.
func Pair(t types.Type) types.Type {
	return types.NewTuple(types.NewVar(0, nil, "", t), types.NewVar(0, nil, "", types.Typ[types.Bool]))
}

// IsUntyped reports whether t is the type of an untyped constant.
func IsUntyped(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&types.IsUntyped != 0
}

// ResultType returns the type of a call: the type of a single result, or else a tuple.
//
// A call without results has the empty tuple as its type and not nil, so that each expression has a
// type.
func ResultType(sig *types.Signature) types.Type {
	if sig.Results().Len() == 1 {
		return sig.Results().At(0).Type()
	}
	return sig.Results()
}

// Sizes are the sizes on platforms with 64-bit words. They decide which variables are too large for
// a frame, and the values of unsafe.Sizeof, Alignof and Offsetof for types that depend on type
// parameters. The sizes of arm64 and wasm are the same.
var Sizes = types.SizesFor("gc", "amd64")

// Use returns an expression that reads a variable.
//
// The position is that of the declaration. The verifier permits this only for variables, whose use
// cannot fail.
func Use(l *Local) *LocalExpr { return &LocalExpr{Typed{l.Type, l.Pos}, l} }

// ZeroOf returns the zero value of a type.
func ZeroOf(t types.Type, pos token.Pos) Expr { return &Zero{Typed{t, pos}} }

// IntConst returns an int constant.
func IntConst(n int64, pos token.Pos) Expr {
	return &Const{Typed{types.Typ[types.Int], pos}, constant.MakeInt64(n)}
}

// BoolConst returns a bool constant.
func BoolConst(v bool, pos token.Pos) Expr {
	return &Const{Typed{types.Typ[types.Bool], pos}, constant.MakeBool(v)}
}

// Under returns the underlying type.
func Under(t types.Type) types.Type { return t.Underlying() }

// IsInterface reports whether the underlying type of t is an interface type.
func IsInterface(t types.Type) bool {
	_, ok := Under(t).(*types.Interface)
	return ok
}

// IsText reports whether the underlying type of t is a string type.
func IsText(t types.Type) bool {
	basic, ok := Under(t).(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// IsSlice reports whether the underlying type of t is a slice type.
func IsSlice(t types.Type) bool {
	_, ok := Under(t).(*types.Slice)
	return ok
}

// IsPointer reports whether the underlying type of t is a pointer type. It is false for nil.
func IsPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
