package exec

import (
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/ir"
)

// Calls of compiled functions, of func values and of methods of interface values with few
// parameters are typed Go calls: the func value is called as a function of the classes of its
// parameters, which are passed alike whatever their types are called.

// A caller is the part of such a call that does not depend on classes.
type caller struct {
	target
	m    *Machine
	site *site
	last atomic.Pointer[foundMethod]
}

// A foundMethod is what a place in a method table leads to.
type foundMethod struct {
	fn     unsafe.Pointer
	target *methodTarget // nil for a compiled method
}

// method returns the function of cells behind a method of an interface value, nil if the method is
// compiled. The last answer is kept.
func (c *caller) method(fn unsafe.Pointer) *methodTarget {
	if l := c.last.Load(); l != nil && l.fn == fn {
		return l.target
	}
	l := &foundMethod{fn, c.m.methodAt(c.target, fn)}
	c.last.Store(l)
	return l.target
}

// enterMethod returns a frame for a call of a method with its receiver.
func (c *caller) enterMethod(f frame, t *methodTarget, receiver unsafe.Pointer) (frame, *Code) {
	code := t.fn.code.Load()
	n := code.enter(f, c.site)
	to := unsafe.Add(n, code.params[0].offset)
	if t.recv.direct {
		*(*unsafe.Pointer)(to) = receiver
	} else {
		t.move(to, receiver)
	}
	return n, code
}

// begin finds the function, and notes the call for stack traces and callbacks.
func (c *caller) begin(f frame) (fn, receiver unsafe.Pointer) {
	fn, receiver = c.fixed, nil
	if c.find != nil {
		fn, receiver = c.find(f)
		if fn == nil {
			panicNil(f, c.site)
		}
	}
	return fn, receiver
}

// out notes that compiled code is entered, and in that it has returned.
func (c *caller) out(f frame) {
	if c.site.brief {
		fail(f, c.site)
		return
	}
	headerOf(f).thread.out(f, c.site)
}

func (c *caller) in(f frame) {
	if c.site.brief {
		return
	}
	headerOf(f).thread.in()
	if c.m.stop.Load() != 0 {
		c.m.poll(f, c.site)
	}
}

// direct compiles a call with one result, or returns nil if there is no typed form.
func (c *compiler) direct(t target, values []value, result *typ, e *ir.Call) any {
	call := &caller{target: t, m: c.m, site: c.callSite(e)}
	switch result.class {
	case classInt:
		return directOf[int](call, values)
	case classInt32:
		return directOf[int32](call, values)
	case classUint8:
		return directOf[uint8](call, values)
	case classFloat64:
		return directOf[float64](call, values)
	case classString:
		return directOf[string](call, values)
	case classBool:
		return directOf[bool](call, values)
	case classIface:
		return directOf[iface](call, values)
	case classPointer:
		return directOf[unsafe.Pointer](call, values)
	case classSlice:
		return directOf[slice](call, values)
	}
	return nil
}

func directOf[R any](call *caller, values []value) any {
	var f func(frame) R
	switch len(values) {
	case 0:
		f = direct0[R](call)
	case 1:
		f = direct1[R](call, values[0])
	case 2:
		f = direct2[R](call, values)
	}
	if f == nil {
		return nil
	}
	return f
}

func as[F any](p *unsafe.Pointer) F { return *(*F)(unsafe.Pointer(p)) }

func direct0[R any](c *caller) func(frame) R {
	if c.hasReceiver {
		return func(f frame) R {
			fn, receiver := c.begin(f)
			if t := c.method(fn); t != nil {
				n, code := c.enterMethod(f, t, receiver)
				code.run(n)
				return result[R](n, code)
			}
			c.out(f)
			r := as[func(unsafe.Pointer) R](&fn)(receiver)
			c.in(f)
			return r
		}
	}
	return func(f frame) R {
		fn, _ := c.begin(f)
		if cl := c.cells(fn); cl != nil {
			n, code := cl.enter(f, c.site)
			code.run(n)
			return result[R](n, code)
		}
		c.out(f)
		r := as[func() R](&fn)()
		c.in(f)
		return r
	}
}

// cells returns the closure of cells behind a func value, or nil.
func (c *caller) cells(fn unsafe.Pointer) *closure {
	if c.find == nil {
		return nil
	}
	return made(fn)
}

func result[R any](n frame, code *Code) R {
	r := *at[R](n, code.results[0].offset)
	code.leave(n)
	return r
}

func direct1[R any](c *caller, x value) func(frame) R {
	switch get := x.f.(type) {
	case func(frame) int:
		return direct1a[int, R](c, get)
	case func(frame) int32:
		return direct1a[int32, R](c, get)
	case func(frame) uint8:
		return direct1a[uint8, R](c, get)
	case func(frame) float64:
		return direct1a[float64, R](c, get)
	case func(frame) string:
		return direct1a[string, R](c, get)
	case func(frame) iface:
		return direct1a[iface, R](c, get)
	case func(frame) unsafe.Pointer:
		return direct1a[unsafe.Pointer, R](c, get)
	case func(frame) slice:
		return direct1a[slice, R](c, get)
	}
	return nil
}

func direct1a[A, R any](c *caller, x func(frame) A) func(frame) R {
	if c.hasReceiver {
		return func(f frame) R {
			fn, receiver := c.begin(f)
			if t := c.method(fn); t != nil {
				n, code := c.enterMethod(f, t, receiver)
				*at[A](n, code.params[1].offset) = x(f)
				code.run(n)
				return result[R](n, code)
			}
			a := x(f)
			c.out(f)
			r := as[func(unsafe.Pointer, A) R](&fn)(receiver, a)
			c.in(f)
			return r
		}
	}
	if c.find == nil {
		fn := as[func(A) R](&c.fixed)
		return func(f frame) R {
			a := x(f)
			c.out(f)
			r := fn(a)
			c.in(f)
			return r
		}
	}
	return func(f frame) R {
		fn, _ := c.begin(f)
		a := x(f)
		if cl := made(fn); cl != nil {
			n, code := cl.enter(f, c.site)
			*at[A](n, code.params[cl.argumentsAt()].offset) = a
			code.run(n)
			return result[R](n, code)
		}
		c.out(f)
		r := as[func(A) R](&fn)(a)
		c.in(f)
		return r
	}
}

func direct2[R any](c *caller, values []value) func(frame) R {
	switch get := values[0].f.(type) {
	case func(frame) int:
		return direct2a[int, R](c, get, values[1])
	case func(frame) float64:
		return direct2a[float64, R](c, get, values[1])
	case func(frame) string:
		return direct2a[string, R](c, get, values[1])
	case func(frame) iface:
		return direct2a[iface, R](c, get, values[1])
	case func(frame) unsafe.Pointer:
		return direct2a[unsafe.Pointer, R](c, get, values[1])
	case func(frame) slice:
		return direct2a[slice, R](c, get, values[1])
	}
	return nil
}

func direct2a[A, R any](c *caller, x func(frame) A, y value) func(frame) R {
	switch get := y.f.(type) {
	case func(frame) int:
		return direct2b[A, int, R](c, x, get)
	case func(frame) float64:
		return direct2b[A, float64, R](c, x, get)
	case func(frame) string:
		return direct2b[A, string, R](c, x, get)
	case func(frame) iface:
		return direct2b[A, iface, R](c, x, get)
	case func(frame) unsafe.Pointer:
		return direct2b[A, unsafe.Pointer, R](c, x, get)
	case func(frame) slice:
		return direct2b[A, slice, R](c, x, get)
	}
	return nil
}

func direct2b[A, B, R any](c *caller, x func(frame) A, y func(frame) B) func(frame) R {
	if c.hasReceiver {
		return func(f frame) R {
			fn, receiver := c.begin(f)
			if t := c.method(fn); t != nil {
				n, code := c.enterMethod(f, t, receiver)
				*at[A](n, code.params[1].offset) = x(f)
				*at[B](n, code.params[2].offset) = y(f)
				code.run(n)
				return result[R](n, code)
			}
			a := x(f)
			b := y(f)
			c.out(f)
			r := as[func(unsafe.Pointer, A, B) R](&fn)(receiver, a, b)
			c.in(f)
			return r
		}
	}
	return func(f frame) R {
		fn, _ := c.begin(f)
		a := x(f)
		b := y(f)
		if cl := c.cells(fn); cl != nil {
			n, code := cl.enter(f, c.site)
			skip := cl.argumentsAt()
			*at[A](n, code.params[skip].offset), *at[B](n, code.params[skip+1].offset) = a, b
			code.run(n)
			return result[R](n, code)
		}
		c.out(f)
		r := as[func(A, B) R](&fn)(a, b)
		c.in(f)
		return r
	}
}

// directStep compiles a call without results of a function with at most one parameter.
func (c *compiler) directStep(t target, values []value, e *ir.Call) func(frame) {
	call := &caller{target: t, m: c.m, site: c.callSite(e)}
	switch len(values) {
	case 0:
		return step0(call)
	case 1:
		switch get := values[0].f.(type) {
		case func(frame) int:
			return step1(call, get)
		case func(frame) float64:
			return step1(call, get)
		case func(frame) string:
			return step1(call, get)
		case func(frame) iface:
			return step1(call, get)
		case func(frame) unsafe.Pointer:
			return step1(call, get)
		case func(frame) slice:
			return step1(call, get)
		}
	}
	return nil
}

func step0(c *caller) func(frame) {
	return func(f frame) {
		fn, receiver := c.begin(f)
		if c.hasReceiver {
			c.out(f)
			as[func(unsafe.Pointer)](&fn)(receiver)
		} else if cl := c.cells(fn); cl != nil {
			n, code := cl.enter(f, c.site)
			code.run(n)
			code.leave(n)
			return
		} else {
			c.out(f)
			as[func()](&fn)()
		}
		c.in(f)
	}
}

func step1[A any](c *caller, x func(frame) A) func(frame) {
	return func(f frame) {
		fn, receiver := c.begin(f)
		a := x(f)
		if c.hasReceiver {
			c.out(f)
			as[func(unsafe.Pointer, A)](&fn)(receiver, a)
		} else if cl := c.cells(fn); cl != nil {
			n, code := cl.enter(f, c.site)
			*at[A](n, code.params[cl.argumentsAt()].offset) = a
			code.run(n)
			code.leave(n)
			return
		} else {
			c.out(f)
			as[func(A)](&fn)(a)
		}
		c.in(f)
	}
}
