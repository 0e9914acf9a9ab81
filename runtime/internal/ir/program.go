package ir

import (
	"go/token"
	"go/types"
)

// A Program is what one cell adds to a session.
type Program struct {
	// Funcs are the functions that the cell declares or is the first to need: declared functions,
	// methods, instances of generic functions and method wrappers. A function literal is found in
	// the expression that creates it. Their order has no meaning: functions may refer to one
	// another, so the executor installs all of them before it runs any.
	Funcs []*Func
	// Body holds the statements of the cell as a function without parameters and results. It is nil
	// if there are none.
	Body *Func
}

// A Func is one function with its body.
type Func struct {
	// Name is the name in stack traces: "main.f", "main.(*T).m", "main.f.func1".
	Name string
	// Ref is the reference that calls use. It is nil for function literals and cell bodies.
	Ref *FuncRef
	// Sig is the signature without a receiver: the receiver of a method is the first parameter.
	Sig *types.Signature

	// Params, Results and Captures are subsets of Locals. Every result has a local, whether or not
	// it is named. The Captures of a function literal are the variables of enclosing functions that
	// it uses. A return statement stores to the result locals, and deferred functions can change
	// them afterward, as the section "Defer statements" of the Go specification requires.
	Params, Results, Captures []*Local
	Locals                    []*Local
	Body                      *Block

	// Defers reports whether the body has defer statements. Recovers reports whether it calls
	// recover.
	Defers, Recovers bool
	// Wrapper reports whether the function only calls a method with an adjusted receiver. Calling
	// recover in that method then works as if the method had been called directly. The rule of the
	// specification is that recover is called "directly by a deferred function"; a wrapper is a
	// call that users do not see.
	Wrapper bool
	// Iteration reports whether the function is the body of a range-over-func loop. State is then
	// the captured variable that detects iterator functions which call the body when they must not.
	// It has one of the States.
	Iteration bool
	State     *Local
	// Cost is the number of nodes that inlining a call of the function adds. It is negative if the
	// function cannot be inlined. Inline sets it.
	Cost int
	// Levels is the number of levels to which calls of the function are inlined in the function
	// itself: with 1, a call makes one frame for itself and for the calls that it makes, but not for
	// the calls that those make. Inline sets it.
	Levels int
	// LiteralCost is like Cost for a call of a function literal whose func value is known. It is 0
	// for declared functions. Inline sets it.
	LiteralCost int
	// Pure reports whether the body makes no calls, and changes nothing but variables of its own.
	// Inline sets it.
	Pure bool
	// Jumps reports whether the body has goto statements, and Loops whether it has loops. Inline
	// sets both.
	Jumps, Loops bool
	// Parent is the enclosing function of a function literal.
	Parent *Func
	// Fset resolves the positions in the body.
	Fset     *token.FileSet
	Pos, End token.Pos
}

// The states of a range-over-func loop. They correspond to those in gc's package rangefunc.
const (
	StateReady = iota
	StateRunning
	StateDone
	StateExited
)

// A Local is a variable or temporary of one function.
type Local struct {
	Name  string // as declared; "" for a temporary
	Type  types.Type
	Pos   token.Pos
	Index int // in Func.Locals
	// Var is the declared variable. It is nil for a temporary.
	Var *types.Var

	// Boxed reports whether the variable lives in its own heap cell. It does if its address is taken,
	// or if a function literal captures it and it is assigned afterward. The frame then holds a
	// pointer to the cell, and a [Declare] statement allocates a new cell. A variable that is captured
	// but never assigned after its declaration needs no cell, because a copy cannot be distinguished
	// from it. Keeping it in the frame is faster and lets the frame be reused when the call returns. A
	// variable that is too large for a frame is Boxed as well, and so are all variables of a function
	// with marks (see Mark).
	Boxed bool
	// Assigned reports whether a statement other than Declare changes the variable. Inline sets it.
	Assigned bool
	// Uses is the number of expressions that read or change the variable. Inline sets it.
	Uses int
	// Outer is the captured variable of the enclosing function; nil for locals that are not
	// captures. A capture of a Boxed variable is Boxed and shares its cell. A capture of any other
	// variable is a copy, made when the function literal is evaluated.
	Outer *Local
}

// A FuncRef identifies a function that is called by name. It can outlive a version of the function:
// code compiled earlier then calls the current version (see package link).
type FuncRef struct {
	Name string
	Sig  *types.Signature // without receiver, as in Func
	// Code belongs to the executor. It is typed any because package ir must not depend on the
	// executor.
	Code any
}

// A Global is a variable of the session, or a variable of a compiled package.
type Global struct {
	Name string
	Type types.Type
	// Path is the import path of a variable of a compiled package, or "" for a session variable.
	Path string
	// Address belongs to the executor: an unsafe.Pointer to the variable. It is nil until the
	// executor has allocated the variable or looked it up.
	Address any
}

// An Env resolves names declared outside the function that a builder is building. Package link
// implements it for sessions. Tests of the builder have an implementation of their own.
type Env interface {
	// FuncRef returns the reference for a function or method whose body is in source. It is
	// declared in a cell, or is an instance with the given type arguments, which are the receiver's
	// for a method of a generic type. FuncRef returns nil for functions of compiled packages.
	FuncRef(f *types.Func, targs []types.Type) *FuncRef
	// Global returns the session variable for a variable declared at the top level of a cell, or
	// nil if o is a local variable.
	Global(o *types.Var) *Global
}
