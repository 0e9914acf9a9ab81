package operation

import (
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
)

// A Guard decides whether an inlined function is still the current version of the function that is
// called.
//
// A function that is built again, for instance with marks for the debugger, is another version even
// if its text is the same. The ordinary call then reaches its marks.
type Guard struct {
	Fn      *machine.Function
	Version *ir.Func
	// Int is set if storing the arguments is storing one argument that is near an int variable.
	Int *IntArgument
}

// Step compiles an inlined call as a statement. begin stores the arguments, and run or slow makes
// the call. begin and end may be nil; end follows run only.
//
// run and slow leave the results in the same slots of the caller's frame.
//
//go:noinline
func (g *Guard) Step(begin, run, slow, end func(machine.Frame)) func(machine.Frame) {
	fn, version := g.Fn, g.Version
	if end != nil {
		body := run
		run = func(f machine.Frame) { body(f); end(f) }
	}
	if begin == nil {
		return func(f machine.Frame) {
			if fn.Code.Load().Fn == version {
				run(f)
			} else {
				slow(f)
			}
		}
	}
	return func(f machine.Frame) {
		begin(f)
		if fn.Code.Load().Fn == version {
			run(f)
		} else {
			slow(f)
		}
	}
}

// Inline compiles an inlined call with one result; see Guard.Step. get and slow are values of the
// class.
func (class1[T]) Inline(g *Guard, begin func(machine.Frame), get, slow any, end func(machine.Frame)) any {
	body, call := get.(func(machine.Frame) T), slow.(func(machine.Frame) T)
	fn, version := g.Fn, g.Version
	switch {
	case end != nil:
		return func(f machine.Frame) T {
			if begin != nil {
				begin(f)
			}
			if fn.Code.Load().Fn != version {
				return call(f)
			}
			v := body(f)
			end(f)
			return v
		}
	case g.Int != nil:
		to, from, plus := g.Int.to, g.Int.near.slot, g.Int.near.plus
		return func(f machine.Frame) T {
			*machine.At[int](f, to) = *machine.At[int](f, from) + plus
			if fn.Code.Load().Fn != version {
				return call(f)
			}
			return body(f)
		}
	case begin != nil:
		return func(f machine.Frame) T {
			begin(f)
			if fn.Code.Load().Fn != version {
				return call(f)
			}
			return body(f)
		}
	}
	return func(f machine.Frame) T {
		if fn.Code.Load().Fn != version {
			return call(f)
		}
		return body(f)
	}
}

// A ValueGuard decides whether a func value is the function literal that has been inlined at its
// call.
//
// The frame keeps the func value that has been found to be the literal. Most calls of a frame have
// the same value, so that one comparison suffices. A value is not kept in the closure of the call,
// because goroutines share it.
type ValueGuard struct {
	Value func(machine.Frame) unsafe.Pointer
	// Captured is set if the func value is a captured variable that never changes, which is read
	// without a call.
	Captured *Access
	Fn       *ir.Func // the literal
	// Found and Env are the offsets in the frame of the func value that was found last, and of its
	// captured variables.
	Found, Env uintptr
}

// holds reports whether the func value is the literal, whose captured variables are then at Env.
func (g *ValueGuard) holds(f machine.Frame) bool {
	var fn unsafe.Pointer
	if a := g.Captured; a != nil {
		fn = *machine.At[unsafe.Pointer](*machine.At[unsafe.Pointer](f, a.Slot), a.Offset)
	} else {
		fn = g.Value(f)
	}
	return fn != nil && (fn == *machine.At[unsafe.Pointer](f, g.Found) || g.find(f, fn))
}

//go:noinline
func (g *ValueGuard) find(f machine.Frame, fn unsafe.Pointer) bool {
	cl := machine.ClosureOf(fn)
	if cl == nil || cl.Code == nil || cl.Code.Fn != g.Fn || cl.Bound != nil {
		return false
	}
	*machine.At[unsafe.Pointer](f, g.Found), *machine.At[unsafe.Pointer](f, g.Env) = fn, cl.Env
	return true
}

// Step compiles an inlined call as a statement; see Guard.Step.
//
//go:noinline
func (g *ValueGuard) Step(begin, run, slow, end func(machine.Frame)) func(machine.Frame) {
	return func(f machine.Frame) {
		if begin != nil {
			begin(f)
		}
		if !g.holds(f) {
			slow(f)
			return
		}
		run(f)
		if end != nil {
			end(f)
		}
	}
}

// InlineValue compiles an inlined call of a func value with one result; see Guard.Inline.
func (class1[T]) InlineValue(g *ValueGuard, begin func(machine.Frame), get, slow any, end func(machine.Frame)) any {
	body, call := get.(func(machine.Frame) T), slow.(func(machine.Frame) T)
	if begin != nil && end == nil {
		return func(f machine.Frame) T {
			begin(f)
			if !g.holds(f) {
				return call(f)
			}
			return body(f)
		}
	}
	return func(f machine.Frame) T {
		if begin != nil {
			begin(f)
		}
		if !g.holds(f) {
			return call(f)
		}
		v := body(f)
		if end != nil {
			end(f)
		}
		return v
	}
}

// InlineKnown compiles an inlined call of a function literal that needs no guard. begin and end may
// be nil.
func (class1[T]) InlineKnown(begin func(machine.Frame), get any, end func(machine.Frame)) any {
	body := get.(func(machine.Frame) T)
	switch {
	case begin == nil && end == nil:
		return body
	case end == nil:
		return func(f machine.Frame) T { begin(f); return body(f) }
	case begin == nil:
		return func(f machine.Frame) T {
			v := body(f)
			end(f)
			return v
		}
	}
	return func(f machine.Frame) T {
		begin(f)
		v := body(f)
		end(f)
		return v
	}
}
