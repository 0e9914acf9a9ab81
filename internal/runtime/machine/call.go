package machine

// A CallSite is a call of a function with a body in source, compiled except for the use of its
// results.
//
// The layout of parameters and results is fixed by the signature, so that a redeclared function
// with the same signature needs no new call site.
type CallSite struct {
	Fn        *Function
	Site      *Site
	Arguments []func(f, n Frame) // store the arguments in the callee's frame
	Wrapper   bool               // the caller is a wrapper, which only calls a method with an adjusted receiver
	Results   []Slot
}

// Enter returns a frame of the callee with the arguments in place, and the callee's code.
func (cs *CallSite) Enter(f Frame) (Frame, *Code) {
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
func (cs *CallSite) Start() func(Frame) Frame {
	fn, s := cs.Fn, cs.Site
	switch {
	// A wrapper passes on the deferred calls that it is one of, so that the method that it calls
	// can recover.
	case cs.Wrapper:
		return func(f Frame) Frame {
			n, code := cs.Enter(f)
			// Deferred must be nil in a free frame, since Enter does not clear it.
			HeaderOf(n).Deferred = HeaderOf(f).Deferred
			code.Run(n)
			HeaderOf(n).Deferred = nil
			return n
		}
	case len(cs.Arguments) == 1:
		a := cs.Arguments[0]
		return func(f Frame) Frame {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			code.Run(n)
			return n
		}
	}
	return func(f Frame) Frame {
		n, code := cs.Enter(f)
		code.Run(n)
		return n
	}
}

// Step compiles the call as a statement, which discards the results.
func (cs *CallSite) Step() func(Frame) {
	fn, s := cs.Fn, cs.Site
	switch {
	case cs.Wrapper:
		start := cs.Start()
		return func(f Frame) {
			n := start(f)
			HeaderOf(n).Code.Leave(n)
		}
	// Calls with one or two arguments are frequent. Their closures avoid the loop over arguments.
	case len(cs.Arguments) == 1:
		a := cs.Arguments[0]
		return func(f Frame) {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			code.Run(n)
			code.Leave(n)
		}
	case len(cs.Arguments) == 2:
		a, b := cs.Arguments[0], cs.Arguments[1]
		return func(f Frame) {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			b(f, n)
			code.Run(n)
			code.Leave(n)
		}
	}
	return func(f Frame) {
		n, code := cs.Enter(f)
		code.Run(n)
		code.Leave(n)
	}
}

// Call compiles the call for its single result. The result is returned directly rather than through
// the frame. Value is not nil here: the function has one result of this class.
func (class1[T]) Call(cs *CallSite) any {
	if cs.Wrapper {
		start, offset := cs.Start(), cs.Results[0].Offset
		return func(f Frame) T {
			n := start(f)
			v := *At[T](n, offset)
			HeaderOf(n).Code.Leave(n)
			return v
		}
	}
	fn, s := cs.Fn, cs.Site
	switch len(cs.Arguments) {
	case 0:
		return func(f Frame) T {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			v := as[func(Frame) T](&code.Value)(n)
			code.Leave(n)
			return v
		}
	case 1:
		a := cs.Arguments[0]
		return func(f Frame) T {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			v := as[func(Frame) T](&code.Value)(n)
			code.Leave(n)
			return v
		}
	case 2:
		a, b := cs.Arguments[0], cs.Arguments[1]
		return func(f Frame) T {
			code := fn.Code.Load()
			n := code.Enter(f, s)
			a(f, n)
			b(f, n)
			v := as[func(Frame) T](&code.Value)(n)
			code.Leave(n)
			return v
		}
	}
	return func(f Frame) T {
		n, code := cs.Enter(f)
		v := as[func(Frame) T](&code.Value)(n)
		code.Leave(n)
		return v
	}
}
