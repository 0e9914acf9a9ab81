package operation

import (
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
