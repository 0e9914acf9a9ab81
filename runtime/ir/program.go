package ir

import (
	"go/token"
	"go/types"
)

// A Program is what one cell adds to a session.
type Program struct {
	// Funcs are the functions that the cell declares or is the first to need: declared functions,
	// methods, instances of generic functions and method wrappers. Function literals are in the
	// expressions that make them.
	Funcs []*Func
	// Body holds the statements of the cell as a function without parameters and results; nil if
	// there are none.
	Body *Func
}

// A Func is one function with its body.
type Func struct {
	// Name is the name that stack traces show: "main.f", "main.(*T).m", "main.f.func1".
	Name string
	// Ref is how calls refer to the function; nil for function literals and cell bodies.
	Ref *FuncRef
	// Sig is the signature without receiver: the receiver of a method is the first parameter.
	Sig *types.Signature

	// Params, Results and Captures are among Locals. Every result has a local, named or not.
	// Captures of a function literal are the variables of enclosing functions that it uses.
	Params, Results, Captures []*Local
	Locals                    []*Local
	Body                      *Block

	// Defers reports whether the body has defer statements, and Recovers whether it calls recover.
	Defers, Recovers bool
	// Wrapper reports whether the function only calls a method for another receiver: recover in
	// that method works as if it had been called directly.
	Wrapper bool
	// Iteration reports whether the function is the body of a loop over a function.
	Iteration bool
	// Parent is the function that contains a function literal.
	Parent *Func
	// Fset resolves the positions in the body.
	Fset     *token.FileSet
	Pos, End token.Pos
}

// A Local is a variable or temporary of one function.
type Local struct {
	Name  string // as declared; "" for a temporary
	Type  types.Type
	Pos   token.Pos
	Index int // in Func.Locals
	// Var is the declared variable, nil for a temporary.
	Var *types.Var

	// Boxed reports whether the variable lives in a heap cell of its own, because its address is
	// taken or a function literal captures it and it is assigned after that. The frame holds a
	// pointer to the cell. A [Declare] statement makes a new cell.
	Boxed bool
	// Outer is the variable of the enclosing function that a capture stands for; nil for others. A
	// capture of a Boxed variable is Boxed and shares its cell. A capture of another variable is a
	// copy, made when the function literal is evaluated.
	Outer *Local
}

// A FuncRef is the identity of a function that is called by name. It survives redeclaration: code
// compiled earlier calls the function that Ref stands for at the time of the call.
type FuncRef struct {
	Name string
	Sig  *types.Signature // without receiver, as in Func
	// Code belongs to the executor.
	Code any
}

// A Global is a variable of the session, or a variable of a compiled package.
type Global struct {
	Name string
	Type types.Type
	// Path is the package of a variable of a compiled package, "" for session variables.
	Path string
	// Address belongs to the executor: a pointer to the variable, as an unsafe.Pointer.
	Address any
}

// An Env answers what a builder asks about names outside the function that it builds.
type Env interface {
	// FuncRef returns the reference for a function or a method with a body in source: declared in
	// a cell, or an instance with the given type arguments (those of the receiver for a method of
	// a generic type). It returns nil for functions of compiled packages.
	FuncRef(f *types.Func, targs []types.Type) *FuncRef
	// Global returns the session variable for a variable declared at the top level of a cell, or
	// nil if o is a local variable.
	Global(o *types.Var) *Global
	// Wrapper returns the reference of a function that takes a receiver of type recv and calls
	// the method that sel selects on it, through embedded fields where needed. It serves method
	// expressions, and method tables.
	Wrapper(recv types.Type, sel *types.Selection) *FuncRef
}
