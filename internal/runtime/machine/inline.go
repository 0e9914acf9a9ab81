package machine

import "gosphere/internal/runtime/ir"

// A Guard decides whether an inlined function is still the current version of the function that is
// called.
type Guard struct {
	Fn      *Function
	Version *ir.Func
}

// Step compiles an inlined call as a statement. begin stores the arguments, and run or slow makes
// the call. begin and end may be nil; end follows run only.
func (g *Guard) Step(begin, run, slow, end func(Frame)) func(Frame) {
	fn, version := g.Fn, g.Version
	if end != nil {
		body := run
		run = func(f Frame) { body(f); end(f) }
	}
	if begin == nil {
		return func(f Frame) {
			if fn.Code.Load().Fn == version {
				run(f)
			} else {
				slow(f)
			}
		}
	}
	return func(f Frame) {
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
func (class1[T]) Inline(g *Guard, begin func(Frame), get, slow any, end func(Frame)) any {
	body, call := get.(func(Frame) T), slow.(func(Frame) T)
	fn, version := g.Fn, g.Version
	switch {
	case end != nil:
		return func(f Frame) T {
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
	case begin != nil:
		return func(f Frame) T {
			begin(f)
			if fn.Code.Load().Fn != version {
				return call(f)
			}
			return body(f)
		}
	}
	return func(f Frame) T {
		if fn.Code.Load().Fn != version {
			return call(f)
		}
		return body(f)
	}
}
