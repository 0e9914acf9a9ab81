package ir

import (
	"go/constant"
	"go/token"
	"go/types"
)

// An Expr is an expression with exactly one value, except that a [Call] may have none or several
// where a statement takes them. Operands are evaluated in the order of the fields.
type Expr interface {
	// Type returns the type of the value; a *types.Tuple for calls with no or several results.
	Type() types.Type
	// Pos returns the position that an error in the evaluation is reported at.
	Pos() token.Pos
}

// Typed holds what all expressions have.
type Typed struct {
	T types.Type
	P token.Pos
}

// Type returns the type of the value.
func (x *Typed) Type() types.Type { return x.T }

// Pos returns the position of the expression.
func (x *Typed) Pos() token.Pos { return x.P }

// Leaves.
type (
	// Const is a constant of a basic type, named or not.
	Const struct {
		Typed
		Value constant.Value
	}
	// Zero is the zero value of any type, nil included.
	Zero struct{ Typed }
	// LocalExpr is a local variable or temporary. It is a place.
	LocalExpr struct {
		Typed
		Local *Local
	}
	// GlobalExpr is a variable of the session or of a compiled package. It is a place.
	GlobalExpr struct {
		Typed
		Global *Global
	}
	// FuncExpr is a function with a body in source, as a value.
	FuncExpr struct {
		Typed
		Ref *FuncRef
	}
	// ExternExpr is a function of a compiled package, as a value or as what a Call calls. For a
	// function with type parameters, Targs are the arguments.
	ExternExpr struct {
		Typed
		Func  *types.Func
		Targs []types.Type
	}
	// FuncLit makes a function value from a function literal and the present captures.
	FuncLit struct {
		Typed
		Func *Func
	}
)

// Places and parts. A place is an expression that can be assigned to: LocalExpr, GlobalExpr,
// Deref, Elem of a slice, Elem of a pointer to an array, MapElem (only assigned, never addressed),
// and Field and Elem of an array whose operand is a place. Field and Elem of operands that are no
// places read a part of a value.
type (
	// Deref is the variable that a pointer points to. A nil pointer panics when the place is read,
	// written or addressed.
	Deref struct {
		Typed
		X Expr
	}
	// Field is a field of a struct; paths through embedded fields are written out.
	Field struct {
		Typed
		X     Expr // of struct type
		Index int
	}
	// Elem is an element of an array, slice or string, or of the array that a pointer points to.
	Elem struct {
		Typed
		X, I Expr // I has an integer type
	}
	// MapElem is an element of a map. With CommaOk the value is a tuple (element, bool).
	MapElem struct {
		Typed
		X, Key  Expr
		CommaOk bool
	}
	// AddrOf is a pointer to a place, or to a new variable that holds X, where X is a Composite.
	AddrOf struct {
		Typed
		X Expr
	}
	// SliceExpr is x[lo:hi:max] of a string, a slice, or a pointer to an array. Parts left out
	// are nil.
	SliceExpr struct {
		Typed
		X, Lo, Hi, Max Expr
	}
)

// Operations.
type (
	// Unary is -x, +x, ^x or !x.
	Unary struct {
		Typed
		Op token.Token // SUB, ADD, XOR, NOT
		X  Expr
	}
	// Binary is an arithmetic or bitwise operation on operands of one type, which is that of the
	// result, a concatenation of strings, or a shift, whose count has any integer type.
	Binary struct {
		Typed
		Op   token.Token
		X, Y Expr
	}
	// Compare compares operands of one type; the result is a boolean. A comparison of an interface
	// value with a value of another type has had that converted. One with nil has a Zero.
	Compare struct {
		Typed
		Op   token.Token // EQL, NEQ, LSS, LEQ, GTR, GEQ
		X, Y Expr
	}
	// Logic is x && y or x || y; Y is evaluated only if X does not decide.
	Logic struct {
		Typed
		Op   token.Token // LAND, LOR
		X, Y Expr
	}
	// Convert is a conversion between types that are not interfaces: numbers, strings with []byte,
	// []rune or integers, slices to arrays or array pointers, unsafe.Pointer, or types with
	// identical underlying types.
	Convert struct {
		Typed
		X Expr
	}
	// MakeInterface is a conversion of a value that is no interface to an interface type.
	MakeInterface struct {
		Typed
		X Expr
	}
	// ChangeInterface is a conversion from an interface type to another that it implements.
	ChangeInterface struct {
		Typed
		X Expr
	}
	// Assert is x.(T). With CommaOk the value is a tuple (T, bool) and it does not panic.
	Assert struct {
		Typed
		X       Expr
		To      types.Type
		CommaOk bool
	}
	// IsType reports whether the dynamic type of the interface value X is To, or implements To if
	// that is an interface; To nil stands for a nil interface. It is the test of a type switch.
	IsType struct {
		Typed
		X  Expr
		To types.Type
	}
	// Recv is <-x. With CommaOk the value is a tuple (element, bool).
	Recv struct {
		Typed
		X       Expr
		CommaOk bool
	}
	// Composite is a composite literal of a struct, array, slice or map. Elements not listed are
	// zero. Keys are constants that are indices of fields or elements, or, for maps, Key is set.
	Composite struct {
		Typed
		Elems []Element
		// Len is the length of an array or slice.
		Len int64
	}
	// Seq runs statements and then has the value of X. It serves operands that need temporaries
	// inside a conditional operand.
	Seq struct {
		Typed
		Stmts []Stmt
		X     Expr
	}
)

// An Element is an element of a composite literal.
type Element struct {
	Index int64 // of a field, or of an element of an array or slice
	Key   Expr  // of a map
	Value Expr
}

// Calls.
type (
	// Call is a call of a function, a method or a function value. Args include the receiver of a
	// method as the first one, except for interface methods. The arguments of a variadic function
	// are already collected in a slice. Exactly one of Ref, Extern, Method and Value says what is
	// called.
	Call struct {
		Typed
		Ref    *FuncRef    // a function with a body in source
		Extern *ExternExpr // a function of a compiled package
		Method *MethodCall // a method of a compiled type or an interface
		Value  Expr        // a function value
		Args   []Expr
		// Spread reports that the single argument is a Call with several results, which are the
		// arguments.
		Spread bool
	}
	// MethodCall names a method of an interface value, or of a value of a compiled named type or a
	// pointer to one.
	MethodCall struct {
		Recv Expr
		Func *types.Func
	}
	// Bind is a method value: Recv is evaluated now, the method is called later. Exactly one of Ref and
	// Method is set, as in Call; Recv is the receiver if Ref is set.
	Bind struct {
		Typed
		Ref    *FuncRef
		Recv   Expr
		Method *MethodCall
	}
	// Builtin is a call of a predeclared function or a function of package unsafe that needs code:
	// append, cap, clear, close, complex, copy, delete, imag, len, make, max, min, new, panic, print,
	// println, real, recover; unsafe.Add, Slice, SliceData, String, StringData. Arguments
	// have the types that the operation needs. For make, T is the type made and Args the sizes.
	// For new, Args is empty, or holds the value. For append with Spread, the second argument is a
	// slice or string whose elements are appended; without, the others are elements.
	Builtin struct {
		Typed
		Name   string
		Args   []Expr
		Spread bool
	}
)
