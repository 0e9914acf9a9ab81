package machine

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Target describes the callee of a call of compiled code, of a func value or of a method of an
// interface value.
//
// Exactly one of Find, Value and Fixed is set.
type Target struct {
	Type reflect.Type // of the function; the receiver of a method is the first parameter
	// Find computes the method of an interface value to call, and the receiver. fn is nil for a nil
	// interface value, for which the call panics when it has evaluated the arguments.
	Find func(f Frame) (fn, receiver unsafe.Pointer)
	// Value computes the func value to call.
	Value func(f Frame) unsafe.Pointer
	// Fixed is the function if it is always the same.
	Fixed unsafe.Pointer
	// HasReceiver reports whether Find computes a receiver.
	HasReceiver bool
	Method      string  // of an interface value
	Offset      uintptr // of the method in the method tables of the interface type
}

// Calls of compiled functions, func values and methods of interface values are typed Go calls if
// they have few parameters. The func value is called as a function of the classes of its
// parameters. That is safe because the calling convention depends on the layout of parameters and
// not on their named types.

// A Caller is the part of such a call that does not depend on classes.
type Caller struct {
	Target
	M    *Machine
	Site *Site
	// The cache is shared by all goroutines that run the call. Entries are immutable and replaced
	// as a whole.
	found [4]atomic.Pointer[foundMethod] // recent results of Method
}

// A foundMethod is the target of an entry in a method table.
type foundMethod struct {
	fn     unsafe.Pointer
	target *methodTarget // nil for a compiled method
}

// Method returns the function of cells that implements a method of an interface value, or nil if
// the method is compiled.
//
// fn is an address inside a method table, so it identifies the dynamic type and the method at once.
// A call site keeps the first four methods that it has called. It writes nothing afterward, because
// goroutines share it; other methods are found in the cache of the machine.
func (c *Caller) Method(fn unsafe.Pointer) *methodTarget {
	if l := c.found[0].Load(); l != nil && l.fn == fn {
		return l.target
	}
	return c.otherMethod(fn)
}

func (c *Caller) otherMethod(fn unsafe.Pointer) *methodTarget {
	for i := range c.found {
		l := c.found[i].Load()
		if l == nil {
			l = c.M.findMethod(c.Target, fn)
			c.found[i].CompareAndSwap(nil, l)
			return l.target
		}
		if l.fn == fn {
			return l.target
		}
	}
	return c.M.findMethod(c.Target, fn).target
}

// findMethod returns the target of an entry in a method table. Method tables are never freed, so
// their addresses identify them.
func (m *Machine) findMethod(t Target, fn unsafe.Pointer) *foundMethod {
	recent := &m.Methods.recent[methodIndex(uintptr(fn))]
	if l := recent.Load(); l != nil && l.fn == fn {
		return l
	}
	known, ok := m.Methods.all.Load(fn)
	if !ok {
		known, _ = m.Methods.all.LoadOrStore(fn, &foundMethod{fn, m.methodAt(t, fn)})
	}
	found := known.(*foundMethod)
	recent.Store(found)
	return found
}

// A MethodCache holds the targets of entries of method tables. Call sites with many receiver types
// miss their own caches; recent saves them most look-ups in the map.
type MethodCache struct {
	recent [recentMethods]atomic.Pointer[foundMethod]
	all    sync.Map // unsafe.Pointer to an entry of a method table, to *foundMethod
}

// recentMethods is the number of entries in recent. It is a power of two, so that a mask selects
// one.
const recentMethods = 512

func methodIndex(address uintptr) uintptr { return (address>>4 ^ address>>13) & (recentMethods - 1) }

// Clear forgets all targets.
func (c *MethodCache) Clear() {
	for i := range c.recent {
		c.recent[i].Store(nil)
	}
	c.all.Clear()
}

// EnterMethod returns a frame for a call of a method, with the receiver in place.
//
// The receiver is copied from the data word, because the method may change its copy.
func (c *Caller) EnterMethod(f Frame, t *methodTarget, receiver unsafe.Pointer) (Frame, *Code) {
	// The call skips the stub in the method table and the conversions of a call through compiled
	// code.
	code := t.fn.Code.Load()
	n := code.Enter(f, c.Site)
	to := unsafe.Add(n, code.Params[0].Offset)
	if t.recv.Direct {
		*(*unsafe.Pointer)(to) = receiver
	} else {
		t.move(to, receiver)
	}
	return n, code
}

// Callee returns the function, which may be nil, and the receiver.
func (t *Target) Callee(f Frame) (fn, receiver unsafe.Pointer) {
	switch {
	case t.Value != nil:
		return t.Value(f), nil
	case t.Find != nil:
		return t.Find(f)
	}
	return t.Fixed, nil
}

// check panics if the func value is nil. Go evaluates the arguments before this check.
func (c *Caller) check(f Frame, fn unsafe.Pointer) {
	if fn == nil {
		PanicNil(f, c.Site)
	}
}

// Out records that compiled code is entered. For a brief function it only records the position, in
// case the function panics. See Thread.Out.
func (c *Caller) Out(f Frame) {
	if c.Site.Brief {
		Fail(f, c.Site)
		return
	}
	HeaderOf(f).Thread.Out(f, c.Site)
}

// In records that compiled code has returned, and polls. Brief functions need neither.
func (c *Caller) In(f Frame) {
	if c.Site.Brief {
		return
	}
	HeaderOf(f).Thread.In()
	if c.M.Stop.Load() != 0 {
		c.M.Poll(f, c.Site)
	}
}

// DirectOf compiles a call with a result of type R to a func(Frame) R. It returns nil if there is
// no typed form for the parameters.
//
// The explicit nil avoids an interface value that holds a nil func.
func DirectOf[R any](call *Caller, operands []any) any {
	if len(operands) != 2 {
		return brief[R](call, operands)
	}
	if f := direct2[R](call, operands); f != nil {
		return f
	}
	return nil
}

// NarrowOf is DirectOf for narrow integers. Functions of two parameters seldom have such results,
// so there are no instances of direct2b for them: these are called as functions with an int, which
// is returned in the same register or at the same address. Its upper bits have no meaning.
func NarrowOf[R int32 | uint8](call *Caller, operands []any) any {
	if len(operands) != 2 {
		return brief[R](call, operands)
	}
	f := direct2[int](call, operands)
	if f == nil {
		return nil
	}
	return func(frame Frame) R { return R(f(frame)) }
}

// brief compiles a typed call with at most one parameter.
func brief[R any](call *Caller, operands []any) any {
	var f func(Frame) R
	switch len(operands) {
	case 0:
		f = direct0[R](call)
	case 1:
		f = direct1[R](call, operands[0])
	}
	if f == nil {
		return nil
	}
	return f
}

// as interprets the word of a func value as a Go function of type F. The type may differ from the
// declared one in names, since only the classes of parameters and results determine registers.
func as[F any](p *unsafe.Pointer) F { return *(*F)(unsafe.Pointer(p)) }

// ValueForm returns the form of a function that returns its result, which is of the class that T
// represents; see Code.Value.
func ValueForm[T any](code *Code) func(Frame) T {
	return *(*func(Frame) T)(unsafe.Pointer(&code.Value)) // not by as, which would load a dictionary
}

// direct0 compiles a typed call without parameters.
//
//go:noinline
func direct0[R any](c *Caller) func(Frame) R {
	if c.HasReceiver {
		return func(f Frame) R {
			fn, receiver := c.Callee(f)
			c.check(f, fn)
			if t := c.Method(fn); t != nil {
				n, code := c.EnterMethod(f, t, receiver)
				return finishCall[R](n, code)
			}
			c.Out(f)
			// A method in a table takes the data word of the interface value as its receiver, and
			// fn points into the table, whose word has the form of a func value.
			r := as[func(unsafe.Pointer) R](&fn)(receiver)
			c.In(f)
			return r
		}
	}
	return func(f Frame) R {
		fn, _ := c.Callee(f)
		c.check(f, fn)
		if cl := c.cells(fn); cl != nil {
			n, code := cl.Enter(f, c.Site)
			return finishCall[R](n, code)
		}
		c.Out(f)
		r := as[func() R](&fn)()
		c.In(f)
		return r
	}
}

// cells returns the closure of cells that a func value holds, or nil.
func (c *Caller) cells(fn unsafe.Pointer) *Closure {
	if c.Value == nil {
		return nil
	}
	return ClosureOf(fn)
}

// finishCall runs a function whose frame holds the arguments, and releases the frame.
func finishCall[R any](n Frame, code *Code) R {
	r := ValueForm[R](code)(n)
	code.Leave(n)
	return r
}

// direct1 compiles a typed call with one parameter. It returns nil for classes without a typed
// form: each form is a separate instance of direct1a in the program, so only frequent classes have
// one.
func direct1[R any](c *Caller, x any) func(Frame) R {
	switch get := x.(type) {
	case func(Frame) int:
		return direct1a[int, R](c, get)
	case func(Frame) int32:
		return direct1a[int32, R](c, get)
	case func(Frame) uint8:
		return direct1a[uint8, R](c, get)
	case func(Frame) float64:
		return direct1a[float64, R](c, get)
	case func(Frame) string:
		return direct1a[string, R](c, get)
	case func(Frame) Iface:
		return direct1a[Iface, R](c, get)
	case func(Frame) unsafe.Pointer:
		return direct1a[unsafe.Pointer, R](c, get)
	case func(Frame) Slice:
		return direct1a[Slice, R](c, get)
	}
	return nil
}

// direct1a compiles a typed call with a parameter of type A. A compiled function that is always the
// same needs neither a check for nil nor one for functions of cells.
func direct1a[A, R any](c *Caller, x func(Frame) A) func(Frame) R {
	if c.HasReceiver {
		return func(f Frame) R {
			fn, receiver := c.Callee(f)
			if fn == nil {
				x(f)
				PanicNil(f, c.Site)
			}
			if t := c.Method(fn); t != nil {
				n, code := c.EnterMethod(f, t, receiver)
				*At[A](n, code.Params[1].Offset) = x(f)
				return finishCall[R](n, code)
			}
			a := x(f)
			c.Out(f)
			r := as[func(unsafe.Pointer, A) R](&fn)(receiver, a)
			c.In(f)
			return r
		}
	}
	if c.Value == nil {
		fn := as[func(A) R](&c.Fixed)
		return func(f Frame) R {
			a := x(f)
			c.Out(f)
			r := fn(a)
			c.In(f)
			return r
		}
	}
	value := c.Value
	return func(f Frame) R {
		fn := value(f)
		a := x(f)
		c.check(f, fn)
		if cl := ClosureOf(fn); cl != nil {
			n, code := cl.Enter(f, c.Site)
			*At[A](n, code.Params[cl.ArgumentsAt()].Offset) = a
			return finishCall[R](n, code)
		}
		c.Out(f)
		r := as[func(A) R](&fn)(a)
		c.In(f)
		return r
	}
}

// direct2 compiles a typed call with two parameters, or returns nil. Two parameters of eight
// classes with seven results are several hundred instances, which is why the first parameter has
// only six classes, and why all that does not depend on the result is in functions of its own.
func direct2[R any](c *Caller, operands []any) func(Frame) R {
	switch get := operands[0].(type) {
	case func(Frame) int:
		return direct2words[int, R](c, get, operands[1])
	case func(Frame) float64:
		return direct2float[R](c, get, operands[1])
	case func(Frame) string:
		return direct2a[string, R](c, get, operands[1])
	case func(Frame) Iface:
		return direct2words[Iface, R](c, get, operands[1])
	case func(Frame) unsafe.Pointer:
		return direct2a[unsafe.Pointer, R](c, get, operands[1])
	case func(Frame) Slice:
		return direct2a[Slice, R](c, get, operands[1])
	}
	return nil
}

// direct2float selects the instance of direct2b for a float64 and a second number, as of math.Pow
// and math.Ldexp.
func direct2float[R any](c *Caller, x func(Frame) float64, y any) func(Frame) R {
	switch get := y.(type) {
	case func(Frame) int:
		return direct2b[float64, int, R](c, x, get)
	case func(Frame) float64:
		return direct2b[float64, float64, R](c, x, get)
	}
	return nil
}

// direct2words selects the instance of direct2b for the class of the second parameter, unless that
// is a byte, a rune or a float64, which seldom follow an int or an interface value.
func direct2words[A, R any](c *Caller, x func(Frame) A, y any) func(Frame) R {
	switch get := y.(type) {
	case func(Frame) int:
		return direct2b[A, int, R](c, x, get)
	case func(Frame) string:
		return direct2b[A, string, R](c, x, get)
	case func(Frame) Iface:
		return direct2b[A, Iface, R](c, x, get)
	case func(Frame) unsafe.Pointer:
		return direct2b[A, unsafe.Pointer, R](c, x, get)
	case func(Frame) Slice:
		return direct2b[A, Slice, R](c, x, get)
	}
	return nil
}

// direct2a selects the instance of direct2b for the class of the second parameter.
func direct2a[A, R any](c *Caller, x func(Frame) A, y any) func(Frame) R {
	switch get := y.(type) {
	case func(Frame) int:
		return direct2b[A, int, R](c, x, get)
	case func(Frame) int32:
		return direct2b[A, int32, R](c, x, get)
	case func(Frame) uint8:
		return direct2b[A, uint8, R](c, x, get)
	case func(Frame) float64:
		return direct2b[A, float64, R](c, x, get)
	case func(Frame) string:
		return direct2b[A, string, R](c, x, get)
	case func(Frame) Iface:
		return direct2b[A, Iface, R](c, x, get)
	case func(Frame) unsafe.Pointer:
		return direct2b[A, unsafe.Pointer, R](c, x, get)
	case func(Frame) Slice:
		return direct2b[A, Slice, R](c, x, get)
	}
	return nil
}

// direct2b compiles a typed call with parameters of types A and B.
//
//go:noinline
func direct2b[A, B, R any](c *Caller, x func(Frame) A, y func(Frame) B) func(Frame) R {
	if c.HasReceiver {
		return func(f Frame) R {
			fn, receiver := c.Callee(f)
			if fn == nil {
				panicNil2(c, f, x, y)
			}
			if t := c.Method(fn); t != nil {
				n, code := c.EnterMethod(f, t, receiver)
				fill2(f, n, code, x, y)
				return finishCall[R](n, code)
			}
			a := x(f)
			b := y(f)
			c.Out(f)
			r := as[func(unsafe.Pointer, A, B) R](&fn)(receiver, a, b)
			c.In(f)
			return r
		}
	}
	return func(f Frame) R {
		fn, _ := c.Callee(f)
		a := x(f)
		b := y(f)
		c.check(f, fn)
		if cl := c.cells(fn); cl != nil {
			n, code := enterClosure2(c, f, cl, a, b)
			return finishCall[R](n, code)
		}
		c.Out(f)
		r := as[func(A, B) R](&fn)(a, b)
		c.In(f)
		return r
	}
}

// panicNil2 panics for a call of a method of a nil interface value, after the arguments have been
// evaluated.
//
//go:noinline
func panicNil2[A, B any](c *Caller, f Frame, x func(Frame) A, y func(Frame) B) {
	x(f)
	y(f)
	PanicNil(f, c.Site)
}

// fill2 stores the arguments of a call of a method of cells, in the frame f, in the frame of the
// method.
//
//go:noinline
func fill2[A, B any](f, n Frame, code *Code, x func(Frame) A, y func(Frame) B) {
	*At[A](n, code.Params[1].Offset) = x(f)
	*At[B](n, code.Params[2].Offset) = y(f)
}

// enterClosure2 returns a frame for a call of a function of cells with the arguments in place.
//
//go:noinline
func enterClosure2[A, B any](c *Caller, f Frame, cl *Closure, a A, b B) (Frame, *Code) {
	n, code := cl.Enter(f, c.Site)
	skip := cl.ArgumentsAt()
	*At[A](n, code.Params[skip].Offset), *At[B](n, code.Params[skip+1].Offset) = a, b
	return n, code
}

// Step0 compiles a call without parameters and results. The forms for cells and for compiled code
// are in one closure, since a func value may be either in each call.
//
//go:noinline
func Step0(c *Caller) func(Frame) {
	return func(f Frame) {
		fn, receiver := c.Callee(f)
		c.check(f, fn)
		if n, code, _ := c.enterCells(f, fn, receiver); n != nil {
			code.Run(n)
			code.Leave(n)
			return
		}
		c.Out(f)
		if c.HasReceiver {
			as[func(unsafe.Pointer)](&fn)(receiver)
		} else {
			as[func()](&fn)()
		}
		c.In(f)
	}
}

// Step1 compiles a call with one parameter and no results.
//
//go:noinline
func Step1[A any](c *Caller, x func(Frame) A) func(Frame) {
	return func(f Frame) {
		fn, receiver := c.Callee(f)
		a := x(f)
		c.check(f, fn)
		if n, code, first := c.enterCells(f, fn, receiver); n != nil {
			*At[A](n, code.Params[first].Offset) = a
			code.Run(n)
			code.Leave(n)
			return
		}
		c.Out(f)
		if c.HasReceiver {
			as[func(unsafe.Pointer, A)](&fn)(receiver, a)
		} else {
			as[func(A)](&fn)(a)
		}
		c.In(f)
	}
}
