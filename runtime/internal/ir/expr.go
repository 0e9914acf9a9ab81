package ir

import (
	"go/constant"
	"go/token"
	"go/types"
)

// An Expr is an expression with exactly one value. The exception is a [Call], which may have no
// value or several where a statement accepts them. Operands are evaluated in the order of the
// fields.
type Expr interface {
	// Type returns the type of the value. It is a *types.Tuple for calls with no result or several.
	Type() types.Type
	// Pos returns the position at which errors in the evaluation are reported.
	Pos() token.Pos
}

// Typed holds the type and the position that every expression has.
type Typed struct {
	T types.Type
	P token.Pos
}

// Type returns the type of the value.
func (x *Typed) Type() types.Type { return x.T }

// Pos returns the position of the expression.
func (x *Typed) Pos() token.Pos { return x.P }

// Leaves: expressions without operands.
type (
	// Const is a constant of a basic type, named or not. A constant expression is one Const, since
	// the type checker has evaluated it. The value is exact; the executor rounds it to the type. It
	// is printed as 3 or float64(5/2).
	Const struct {
		Typed
		Value constant.Value
	}
	// Zero is the zero value of any type, nil included.
	Zero struct{ Typed }
	// LocalExpr is a local variable or a temporary. It is a place. It is printed as x, or $3 for a
	// temporary.
	LocalExpr struct {
		Typed
		Local *Local
	}
	// GlobalExpr is a variable of the session or of a compiled package. It is a place. It is
	// printed as global x or global os.Args.
	GlobalExpr struct {
		Typed
		Global *Global
	}
	// FuncExpr is the value of a function whose body is in source. It is printed as func main.f.
	FuncExpr struct {
		Typed
		Ref *FuncRef
	}
	// ExternExpr is a function of a compiled package, used as a value or as the callee of a Call.
	// Targs holds the type arguments of a generic function. A generic function of a compiled
	// package can be called only for type arguments for which the program contains a compiled
	// instance. It is printed as extern strings.ToUpper.
	ExternExpr struct {
		Typed
		Func  *types.Func
		Targs []types.Type
	}
	// FuncLit evaluates a function literal: it makes a function value with the current captures.
	// The FuncLit is the only reference to its Func. It is printed as literal main.f.func1{x},
	// where x is a capture.
	FuncLit struct {
		Typed
		Func *Func
	}
)

// Places and their parts. A place is an expression that can be assigned to: LocalExpr, GlobalExpr,
// Deref, Elem of a slice, Elem of a pointer to an array, MapElem (assigned but never addressed),
// and Field and Elem of an array if their operand is a place. Field and Elem of any other operand
// select a part of a value.
type (
	// Deref is the variable that a pointer refers to. If the pointer is nil, reading, writing or
	// addressing the place panics. It is printed as (*p).
	Deref struct {
		Typed
		X Expr // of pointer type
	}
	// Field is a field of a struct. A promoted field is a chain of Fields, one for each embedded
	// struct. It is printed as x.Name.
	Field struct {
		Typed
		X     Expr // of struct type
		Index int  // of the field in that type
	}
	// Elem is an element of an array, slice or string, or of the array that a pointer points to. It
	// is printed as a[i].
	Elem struct {
		Typed
		X, I Expr // X may be a place or a value; I has an integer type
	}
	// MapElem is an element of a map. If CommaOk is set, the value is a tuple (element, bool).
	//
	// m[k] of an absent key has the zero value. As a destination it inserts the key; writing to a
	// nil map panics after the operands of the assignment have been evaluated. It is printed as
	// m[k], or (m[k], ok) with CommaOk.
	MapElem struct {
		Typed
		X, Key  Expr // X is a map with keys of the type of Key
		CommaOk bool
	}
	// AddrOf is a pointer to a place. If X is a Composite, it is a pointer to a new variable with
	// that value. It is printed as &x.
	AddrOf struct {
		Typed
		X Expr // a place whose root variable is Boxed, or a Composite
	}
	// SliceExpr is x[lo:hi:max] of a string, a slice, or a pointer to an array. Omitted bounds are
	// nil. It is printed as s[1:n].
	SliceExpr struct {
		Typed
		X, Lo, Hi, Max Expr // the bounds have integer types; Max requires Hi
	}
)

// Operations.
type (
	// Unary is -x, +x, ^x or !x. It is printed as -x.
	Unary struct {
		Typed
		Op token.Token // SUB, ADD, XOR, NOT
		X  Expr        // of the type of the result
	}
	// Binary is an arithmetic or bitwise operation, a concatenation of strings, or a shift. Both
	// operands have the type of the result, except that the count of a shift has any integer type.
	// It is printed as (x + y).
	Binary struct {
		Typed
		Op   token.Token
		X, Y Expr
	}
	// Compare compares two operands of the same type; the result is a boolean. If the source
	// compares an interface value with a value of a concrete type, the latter has been converted. A
	// comparison with nil has a Zero operand. It is printed as (x < y).
	Compare struct {
		Typed
		Op   token.Token // EQL, NEQ, LSS, LEQ, GTR, GEQ
		X, Y Expr        // comparable for EQL and NEQ, ordered for the others
	}
	// Logic is x && y or x || y. Y is evaluated only if X does not determine the result. It is the
	// only operation that does not evaluate all of its operands. It is printed as (x && y).
	Logic struct {
		Typed
		Op   token.Token // LAND, LOR
		X, Y Expr        // of the boolean type of the result
	}
	// Convert is a conversion between types that are not interfaces: numbers, strings with []byte,
	// []rune or integers, slices to arrays or array pointers, unsafe.Pointer, or types with
	// identical underlying types. It is printed as convert[float64](x).
	Convert struct {
		Typed
		X Expr
	}
	// MakeInterface converts a value of a concrete type to an interface type. It is printed as
	// iface[error](e).
	MakeInterface struct {
		Typed
		X Expr // of a type that is no interface and implements the interface
	}
	// ChangeInterface converts a value of an interface type to another interface type that it
	// implements. It is printed as change[io.Writer](f).
	ChangeInterface struct {
		Typed
		X Expr // of an interface type; nil stays nil
	}
	// Assert is x.(T). If CommaOk is set, the value is a tuple (T, bool) and a failed assertion
	// does not panic. It is printed as x.(int), or (x.(int), ok) with CommaOk.
	Assert struct {
		Typed
		X       Expr       // of an interface type
		To      types.Type // T, which may be an interface type
		CommaOk bool
	}
	// IsType reports whether the dynamic type of the interface value X is To, or implements To if
	// To is an interface type. A nil To tests for a nil interface value. Type switches consist of
	// these tests. Because X would be evaluated for each test, the builder stores the operand of a
	// type switch in a temporary. It is printed as istype[int](x).
	IsType struct {
		Typed
		X  Expr       // of an interface type
		To types.Type // nil for a nil interface value
	}
	// Recv is <-x. If CommaOk is set, the value is a tuple (element, bool). It is printed as <-c,
	// or (<-c, ok) with CommaOk.
	Recv struct {
		Typed
		X       Expr // a channel that can be received from
		CommaOk bool
	}
	// Composite is a composite literal of a struct, array, slice or map. Unlisted elements are
	// zero. Index selects the field or element; for maps, Key is set instead. It is printed as
	// Point{X: 1, Y: 2}, []int len 2 {0: 5, 1: 6}, or Named{Point.X: 1} for a promoted field. The
	// value of a blank field is evaluated in its turn, and the field stays zero.
	Composite struct {
		Typed
		Elems []Element // in the order of evaluation
		// Len is the length of an array or slice. It can exceed the number of Elems, as in
		// [100]int{5: 1}.
		Len int64
	}
	// Seq runs statements and then evaluates X. The builder uses it where a conditionally evaluated
	// operand, such as the right side of &&, needs temporaries: they must not be computed before
	// the statement.
	//
	// For instance, in a && f(g()) the call of g may need a temporary, and g must not be called if
	// a is false. It is printed as seq1, with the statements on the lines that follow.
	Seq struct {
		Typed
		Stmts []Stmt
		X     Expr
	}
)

// An Element is an element of a composite literal.
type Element struct {
	Index int64 // of a field, or of an element of an array or slice
	Path  []int // from that field to a promoted one, through embedded structs; nil for most elements
	Key   Expr  // of a map
	Value Expr
}

// Calls.
type (
	// Call is a call of a function, a method or a function value. Exactly one of Ref, Extern, Method
	// and Value identifies the callee. The first argument of a method with a body in source is its
	// receiver. The arguments of a variadic function have already been collected in a slice, and the
	// results of g in f(g()) assigned to temporaries. The callee is evaluated before the arguments,
	// but a nil function or interface value panics after them. It is printed as call main.f(x), call
	// extern strings.ToUpper(s), call method b.String(), call dynamic w.Write(p) for an interface
	// value, or call f(x) for a function value.
	Call struct {
		Typed
		Ref    *FuncRef    // a function with a body in source
		Extern *ExternExpr // a function of a compiled package
		Method *MethodCall // a method of a compiled type or an interface
		Value  Expr        // a function value
		Args   []Expr
		// Inline, if not nil, is a version of the function of Ref. While Ref refers to it, the
		// executor may run its body in the frame of the caller.
		Inline *Func
	}
	// MethodCall names a method of an interface value, or of a value or pointer of a compiled named
	// type.
	MethodCall struct {
		Recv Expr
		Func *types.Func // of the interface type, or of the compiled type
	}
	// Bind is a method value: the receiver is evaluated now and the method is called later. Exactly
	// one of Ref and Method is set, as in Call. Recv is the receiver if Ref is set. The
	// specification requires the receiver to be evaluated, copied and, for a method of an
	// interface, checked for nil at this time and not at the call. It is printed as bind
	// main.(*T).m{p} or bind dynamic w.Write.
	Bind struct {
		Typed
		Ref    *FuncRef
		Recv   Expr
		Method *MethodCall
	}
	// Builtin is a call of a predeclared function, or of a function of package unsafe, that needs
	// code: append, cap, clear, close, complex, copy, delete, imag, len, make, max, min, new,
	// panic, print, println, real, recover; unsafe.Add, Slice, SliceData, String, StringData.
	// Arguments have the types that the operation needs. For make, T is the type to make and Args
	// are the sizes. For new, Args is empty or holds the initial value. For append, Spread reports
	// whether the second argument is a slice or string whose elements are appended; otherwise the
	// remaining arguments are the elements. It is printed as len(s) or make[[]int](n).
	Builtin struct {
		Typed
		Name   string
		Args   []Expr
		Spread bool
	}
)
