package exec

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/ir"
)

// A closure is a function of cells as a value. Go code sees a func value whose code enters the
// machine; code of cells finds the closure behind it and calls the function directly.
type closure struct {
	m    *Machine
	fn   *function      // of a declared function, which may be declared again
	code *Code          // of a function literal
	env  unsafe.Pointer // captured variables
	sig  *signature
	// bound is the receiver of a method value, stored in front of the arguments.
	bound *boundReceiver
	made  reflect.Type // of the func value that package reflect has made; nil for others
}

type boundReceiver struct {
	typ *typ
	at  unsafe.Pointer
}

func (cl *closure) target() *Code {
	if cl.fn != nil {
		return cl.fn.code.Load()
	}
	return cl.code
}

// enter returns a frame for a call of the closure, without its arguments.
func (cl *closure) enter(caller frame, s *site) (frame, *Code) {
	code := cl.target()
	n := code.enter(caller, s)
	headerOf(n).env = cl.env
	if b := cl.bound; b != nil {
		b.typ.mover()(unsafe.Add(n, code.params[0].offset), b.at)
	}
	return n, code
}

// An environment is the layout of the captured variables of a function literal.
type environment struct {
	slots []slot
	size  uintptr
	rtype rtype
}

// environment lays the captures of a function literal out: a pointer for each variable with a heap
// cell, and copies of others.
func (m *Machine) environment(fn *ir.Func) *environment {
	e := &environment{}
	if len(fn.Captures) == 0 {
		return e
	}
	var fields []reflect.StructField
	for i, l := range fn.Captures {
		t := m.typeOf(l.Type).Type
		if l.Boxed {
			t = reflect.TypeFor[unsafe.Pointer]()
		}
		fields = append(fields, reflect.StructField{Name: "F" + itoa(i), Type: t})
	}
	t := reflect.StructOf(fields)
	e.size, e.rtype = t.Size(), rtypeOf(t)
	for i := range fields {
		e.slots = append(e.slots, slot{t.Field(i).Offset, m.describe(fields[i].Type)})
	}
	return e
}

// function compiles expressions whose values are functions.
func (c *compiler) function(e ir.Expr) value {
	t := c.typeOf(e.Type())
	switch e := e.(type) {
	case *ir.FuncExpr:
		return value{typ: t, f: c.declared(e.Ref, t)}
	case *ir.ExternExpr:
		v := c.extern(e)
		p := v.UnsafePointer()
		if v.Kind() == reflect.Func {
			p = *(*unsafe.Pointer)(reflect.NewAt(v.Type(), newFuncCell(v)).UnsafePointer())
		}
		return constantOf(t, p)
	case *ir.FuncLit:
		return value{typ: t, f: c.literal(e, t)}
	}
	return c.bind(e.(*ir.Bind), t)
}

// newFuncCell returns a pointer to memory that holds a function.
func newFuncCell(v reflect.Value) unsafe.Pointer {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.UnsafePointer()
}

// declared is a declared function as a value. It stays the function that it was when it is declared
// again.
func (c *compiler) declared(ref *ir.FuncRef, t *typ) func(frame) unsafe.Pointer {
	fn, m, sig, ft := funcOf(ref), c.m, c.m.signatureOf(ref.Sig), t.Type
	type made struct {
		code *Code
		p    unsafe.Pointer
	}
	var last atomic.Pointer[made]
	return func(frame) unsafe.Pointer {
		code := fn.code.Load()
		if l := last.Load(); l != nil && l.code == code {
			return l.p
		}
		l := &made{code, (&closure{m: m, code: code, sig: sig}).goFunc(ft)}
		last.Store(l)
		return l.p
	}
}

// literal compiles a function literal.
func (c *compiler) literal(e *ir.FuncLit, t *typ) func(frame) unsafe.Pointer {
	env, sig, m := c.m.environment(e.Func), c.m.signatureOf(e.Func.Sig), c.m
	code := c.m.compile(e.Func)
	var fills []func(f frame, to unsafe.Pointer)
	for i, l := range e.Func.Captures {
		offset := env.slots[i].offset
		if l.Boxed {
			c.local(l.Outer, c.typeOf(l.Type))
			box, ok := c.boxes[l.Outer]
			if !ok {
				unsupported(e.Pos(), "internal: a captured variable without a heap cell")
			}
			fills = append(fills, func(f frame, to unsafe.Pointer) { *at[unsafe.Pointer](to, offset) = *at[unsafe.Pointer](f, box) })
			continue
		}
		put := put(c.read(c.local(l.Outer, c.typeOf(l.Type))))
		fills = append(fills, func(f frame, to unsafe.Pointer) { put(f, unsafe.Add(to, offset)) })
	}
	shape := shapeOf(t.Type)
	return func(f frame) unsafe.Pointer {
		cl := &closure{m: m, code: code, sig: sig}
		if len(fills) > 0 {
			cl.env = mallocgc(env.size, env.rtype, true)
			for _, fill := range fills {
				fill(f, cl.env)
			}
		}
		return shape.goFunc(cl)
	}
}

// goFunc returns the func value of a closure.
func (cl *closure) goFunc(t reflect.Type) unsafe.Pointer { return shapeOf(t).goFunc(cl) }

// begin enters the machine from compiled code.
func (cl *closure) begin() (n frame, t *Thread, before entryState) {
	t = current()
	if t == nil {
		t = cl.m.acquire()
		before.fresh = true
	}
	before.frame, before.site, before.outside = t.frame, t.site, t.back()
	caller := t.frame
	if caller == nil {
		t.root.thread = t
		caller = frame(&t.root)
	}
	n, _ = cl.enter(caller, t.site)
	if t.adopting != nil {
		headerOf(n).deferred, t.adopting, before.adopted = t.adopting, nil, true
	}
	return n, t, before
}

// entryState is what a call from compiled code puts back.
type entryState struct {
	frame   frame
	site    *site
	fresh   bool
	outside bool
	adopted bool // the call is one of deferred calls
}

// finish runs a function entered by begin; the caller reads the results and calls leave.
func finish(n frame, t *Thread, before entryState) {
	if before.fresh {
		defer t.release()
	}
	headerOf(n).code.run(n)
	t.frame, t.site = before.frame, before.site
	if before.adopted {
		headerOf(n).deferred = nil
	}
	if before.outside {
		t.moves.add()
	}
}

// argumentsAt is where the arguments behind a bound receiver are.
func (cl *closure) argumentsAt() int {
	if cl.bound != nil {
		return 1
	}
	return 0
}

// made finds the closure behind a func value; nil if it is compiled.
func made(p unsafe.Pointer) *closure {
	if p == nil {
		return nil
	}
	word := *(*uintptr)(p)
	if word == makeFuncCode { // reflect's object holds our handler
		p = *at[unsafe.Pointer](p, makeFuncHandler)
		if *(*uintptr)(p) != handlerCode {
			return nil
		}
		return *at[*closure](p, unsafe.Sizeof(word))
	}
	if _, ours := ownCodes.Load(word); !ours {
		return nil
	}
	return *at[*closure](p, unsafe.Sizeof(word))
}

// ownCodes holds the code addresses of the func values that package exec makes.
var ownCodes sync.Map // uintptr to struct{}

func own(p unsafe.Pointer) unsafe.Pointer {
	word := *(*uintptr)(p)
	if _, known := ownCodes.Load(word); !known {
		ownCodes.Store(word, struct{}{})
	}
	return p
}

// makeFuncCode and makeFuncHandler describe the func values of reflect.MakeFunc: their code, and
// where they hold the function that was given.
var makeFuncCode, makeFuncHandler = describeMakeFunc()

func describeMakeFunc() (code, handler uintptr) {
	given := func([]reflect.Value) []reflect.Value { return nil }
	p := reflect.MakeFunc(reflect.TypeFor[func()](), given)
	cell := newFuncCell(p)
	object := *(*unsafe.Pointer)(cell)
	want := *(*unsafe.Pointer)(unsafe.Pointer(&given))
	for offset := uintptr(8); offset < 64; offset += 8 {
		if *at[unsafe.Pointer](object, offset) == want {
			return *(*uintptr)(object), offset
		}
	}
	return 0, 0
}

// handlerCode is the address of the code of handlers.
var handlerCode = func() uintptr {
	f := handler(nil)
	return **(**uintptr)(unsafe.Pointer(&f))
}()

// handler is the function behind func values without a shape of their own. The types of the value may
// be newer forms of those of the closure, with the same layout.
//
//go:noinline
func handler(cl *closure) func([]reflect.Value) []reflect.Value {
	return func(arguments []reflect.Value) []reflect.Value {
		n, thread, before := cl.begin()
		skip := cl.argumentsAt()
		for i, a := range arguments {
			from := reflect.New(a.Type())
			from.Elem().Set(a)
			p := cl.sig.params[skip+i]
			p.typ.mover()(unsafe.Add(n, p.offset), from.UnsafePointer())
		}
		finish(n, thread, before)
		results := make([]reflect.Value, len(cl.sig.results))
		for i, r := range cl.sig.results {
			v := reflect.New(cl.made.Out(i))
			r.typ.mover()(v.UnsafePointer(), unsafe.Add(n, r.offset))
			results[i] = v.Elem()
		}
		headerOf(n).code.leave(n)
		return results
	}
}
