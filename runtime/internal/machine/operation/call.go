package operation

import (
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// A CallSite is a call of a function with a body in source, compiled except for the use of its
// results.
//
// The layout of parameters and results is fixed by the signature, so that a redeclared function
// with the same signature needs no new call site.
//
// The closures of a call do all of its work, because a call is among the most expensive operations:
// enter the frame, store the arguments, run, read the result, release the frame. Functions for
// these steps would cost a Go call each, so the frequent numbers of arguments have closures in
// which they are written out.
type CallSite struct {
	Fn        *machine.Function
	Site      *machine.Site
	Arguments []func(f, n machine.Frame) // store the arguments in the callee's frame
	Wrapper   bool                       // the caller is a wrapper, which only calls a method with an adjusted receiver
	Results   []machine.Slot
	// Int is set if the only argument is near an int variable of the caller. Arguments has its step as
	// well.
	Int *IntArgument
}

// An IntArgument is an argument that is near an int variable in the frame of the caller, such as
// the n-1 of a recursive function. Some calls store it themselves, which saves the call of a
// closure.
type IntArgument struct {
	to   uintptr // offset of the parameter
	near Near
}

// IntArgumentOf describes the arguments of a call if there is one and it is near an int variable.
// It returns nil for others.
func IntArgumentOf(params []machine.Slot, arguments []Value) *IntArgument {
	if len(arguments) != 1 {
		return nil
	}
	n := arguments[0].NearInt()
	if n == nil {
		return nil
	}
	return &IntArgument{params[0].Offset, *n}
}

// Enter returns a frame of the callee with the arguments in place, and the callee's code.
func (cs *CallSite) Enter(f machine.Frame) (machine.Frame, *machine.Code) {
	// The code is loaded once for each call: if the function is redeclared while the call is in
	// progress, the call finishes in the old version.
	code := cs.Fn.Code.Load()
	n := code.Enter(f, cs.Site)
	for _, a := range cs.Arguments {
		a(f, n)
	}
	return n, code
}

// Start returns a function that makes the call and returns the callee's frame. The caller reads the
// results from it and then releases it.
//
// The wrapper case exists for recover, which works only in the function that runs as the deferred
// call. Without that case, this function would be the wrapper.
//
//go:noinline
func (cs *CallSite) Start() func(machine.Frame) machine.Frame {
	fn, s := cs.Fn, cs.Site
	switch {
	// A wrapper that runs as a deferred call passes its Deferred to the method that it calls, so
	// that the method can recover.
	case cs.Wrapper:
		return func(f machine.Frame) machine.Frame {
			n, code := cs.Enter(f)
			// Deferred must be nil in a free frame, since Enter does not clear it.
			machine.HeaderOf(n).Deferred = machine.HeaderOf(f).Deferred
			code.Run(n)
			machine.HeaderOf(n).Deferred = nil
			return n
		}
	case len(cs.Arguments) == 1:
		a := cs.Arguments[0]
		return func(f machine.Frame) machine.Frame {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			code.Run(n)
			return n
		}
	}
	return func(f machine.Frame) machine.Frame {
		n, code := cs.Enter(f)
		code.Run(n)
		return n
	}
}

// Step compiles the call as a statement, which discards the results.
func (cs *CallSite) Step() func(machine.Frame) {
	fn, s := cs.Fn, cs.Site
	switch {
	case cs.Wrapper:
		start := cs.Start()
		return func(f machine.Frame) {
			n := start(f)
			machine.HeaderOf(n).Code.Leave(n)
		}
	case cs.Int != nil:
		to, from, plus := cs.Int.to, cs.Int.near.slot, cs.Int.near.plus
		return func(f machine.Frame) {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			*machine.At[int](n, to) = *machine.At[int](f, from) + plus
			code.Run(n)
			code.Leave(n)
		}
	// Calls with one or two arguments are frequent. Their closures avoid the loop over arguments.
	case len(cs.Arguments) == 1:
		a := cs.Arguments[0]
		return func(f machine.Frame) {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			code.Run(n)
			code.Leave(n)
		}
	case len(cs.Arguments) == 2:
		a, b := cs.Arguments[0], cs.Arguments[1]
		return func(f machine.Frame) {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			b(f, n)
			code.Run(n)
			code.Leave(n)
		}
	}
	return func(f machine.Frame) {
		n, code := cs.Enter(f)
		code.Run(n)
		code.Leave(n)
	}
}

// Call compiles the call for its single result. The result is returned directly rather than through
// the frame. Value is not nil here: the function has one result of this class.
//
// A panic of the callee skips Leave. The frame is then not reused, and a stack trace can still be
// made from it.
func (class1[T]) Call(cs *CallSite) any {
	if cs.Wrapper {
		start, offset := cs.Start(), cs.Results[0].Offset
		return func(f machine.Frame) T {
			n := start(f)
			v := *(*T)(unsafe.Add(n, offset))
			machine.HeaderOf(n).Code.Leave(n)
			return v
		}
	}
	fn, s := cs.Fn, cs.Site
	if cs.Int != nil {
		to, from, plus := cs.Int.to, cs.Int.near.slot, cs.Int.near.plus
		return func(f machine.Frame) T {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			*machine.At[int](n, to) = *machine.At[int](f, from) + plus
			v := machine.ValueForm[T](code)(n)
			code.Leave(n)
			return v
		}
	}
	switch len(cs.Arguments) {
	case 0:
		return func(f machine.Frame) T {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			v := machine.ValueForm[T](code)(n)
			code.Leave(n)
			return v
		}
	case 1:
		a := cs.Arguments[0]
		return func(f machine.Frame) T {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			v := machine.ValueForm[T](code)(n)
			code.Leave(n)
			return v
		}
	case 2:
		a, b := cs.Arguments[0], cs.Arguments[1]
		return func(f machine.Frame) T {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			b(f, n)
			v := machine.ValueForm[T](code)(n)
			code.Leave(n)
			return v
		}
	}
	return func(f machine.Frame) T {
		n, code := cs.Enter(f)
		v := machine.ValueForm[T](code)(n)
		code.Leave(n)
		return v
	}
}
