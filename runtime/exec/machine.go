package exec

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/ir"
)

// A Host is the session that a machine runs code for.
type Host interface {
	// Type returns the run-time type of a type of the program.
	Type(t types.Type) (reflect.Type, error)
	// Func returns a function of a compiled package; for one with type parameters, the instance.
	Func(f *types.Func, targs []types.Type) (reflect.Value, error)
	// Var returns a variable of a compiled package, addressable.
	Var(path, name string) (reflect.Value, error)
	// Method returns the function behind a method of the run-time type t that is declared in
	// cells: with a receiver of type t if t has the method, as its first parameter. It returns
	// nil for other methods.
	Method(t reflect.Type, name string) *ir.FuncRef
	// Override returns what stands for a method of a compiled type, as a function with the
	// receiver as its first parameter.
	Override(f *types.Func) (reflect.Value, bool)
	// MethodName returns the name under which an interface type lists a method.
	MethodName(f *types.Func) string
	// Poll is called at back edges and calls while the stop flag is set, on the goroutine that
	// runs the code.
	Poll()
	// Follow is called when the calling goroutine begins to run code of a cell with a thread, and
	// with nil when it has ended.
	Follow(t *Thread)
	// Site returns a number for a mark of a function.
	Site(m *ir.Mark, f *ir.Func) int
	// Ask is called at a mark, on the goroutine that has come to it, while SetAsking is on.
	Ask(site int, m Moment)
	// Panicked is called on a goroutine that panics with a value, where the first call can recover it,
	// with what the host keeps with the calls in progress, innermost first. The calls can still be
	// looked at.
	Panicked(value any, stack []any)
	// Overflow ends the goroutine, whose calls are nested too deeply. It does not return.
	Overflow(frames []Frame)
	// Brief reports whether a compiled function never takes long, so that code need not poll after it.
	Brief(f *types.Func) bool
	// Go starts a goroutine for a cell, on which Call calls body.
	Go(body func())
	// Done returns a channel that is closed when the goroutine's cell has to stop, or nil.
	Done() <-chan struct{}
	// Exiting reports whether the program on the calling goroutine ends without running deferred
	// calls.
	Exiting() bool
	// LockMap takes the lock of the map at an address and returns what gives it back.
	LockMap(address uintptr, write bool) (release func())
	// Room returns n if there is memory for n elements of a size, and panics otherwise; with an
	// empty text, which is for hints, it returns 0 for more than any memory has.
	Room(n, size int, text string) int
	// Shared reports whether several goroutines may run code of cells, so that maps are locked.
	Shared() bool
}

// A Machine compiles programs and runs them.
type Machine struct {
	host      Host
	stop      atomic.Uint32
	asking    atomic.Uint32
	types     map[types.Type]*typ
	described sync.Map // reflect.Type to *typ
	layouts   map[*types.Signature]*signature
	standIns  []*standIn
	replaced  []replacement // since Begin
}

// A replacement notes the code that a function had.
type replacement struct {
	function *function
	old      *Code
}

// Begin starts a sequence of calls of Compile that Rollback can take back.
func (m *Machine) Begin() { m.replaced = nil }

// Commit makes it final.
func (m *Machine) Commit() { m.replaced = nil }

// Rollback gives the functions compiled since Begin the code that they had, and forgets what the
// machine remembers of types.
func (m *Machine) Rollback() {
	for i := len(m.replaced) - 1; i >= 0; i-- {
		m.replaced[i].function.code.Store(m.replaced[i].old)
	}
	m.replaced = nil
	m.Forget()
}

// New returns a machine.
func New(host Host) *Machine {
	return &Machine{host: host, types: map[types.Type]*typ{}, layouts: map[*types.Signature]*signature{}}
}

// Forget drops what the machine remembers of types, some of which have got other methods.
// Functions that are compiled already keep the types that they were compiled with.
func (m *Machine) Forget() {
	clear(m.types)
	clear(m.layouts)
}

// SetStop sets whether code polls.
func (m *Machine) SetStop(stop bool) {
	value := uint32(0)
	if stop {
		value = 1
	}
	m.stop.Store(value)
}

// Unsupported is an error about a construct that the machine does not run.
type Unsupported struct {
	Pos     token.Pos
	Message string
}

// Error returns the message.
func (u *Unsupported) Error() string { return u.Message }

// Compile compiles the functions of a program and links their references, in one step: if it
// fails nothing has changed. It returns the program's statements, nil if it has none.
func (m *Machine) Compile(p *ir.Program) (body *Body, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(*Unsupported)
			if !ok {
				panic(r)
			}
			err = u
		}
	}()
	type linked struct {
		ref  *ir.FuncRef
		code *Code
	}
	var list []linked
	for _, f := range p.Funcs {
		list = append(list, linked{f.Ref, m.compile(f)})
	}
	if p.Body != nil {
		body = m.body(p.Body)
	}
	for _, l := range list {
		f := funcOf(l.ref)
		m.replaced = append(m.replaced, replacement{f, f.code.Swap(l.code)})
	}
	return body, nil
}

// A function is what a reference leads to. It stays the same when the function is declared again.
type function struct {
	code atomic.Pointer[Code]
}

// funcOf returns the function of a reference.
func funcOf(ref *ir.FuncRef) *function {
	if ref.Code == nil {
		ref.Code = new(function)
	}
	return ref.Code.(*function)
}

// Call calls a function of compiled code that may call functions of cells. A panic that these do not
// recover leaves Call as a *Panic.
func (m *Machine) Call(f func()) { m.within(func(frame) { f() }) }

// Run runs a function without parameters on the calling goroutine. A panic that the code does not
// recover leaves Run as a *Panic.
func (m *Machine) Run(c *Code) {
	m.within(func(root frame) {
		f := c.enter(root, nil)
		c.run(f)
		c.leave(f)
	})
}

// within calls f with the root frame of a new thread.
func (m *Machine) within(f func(root frame)) {
	t := m.acquire()
	defer t.release()
	t.root.thread = t
	finished := false
	defer func() {
		if finished {
			return
		}
		if value := recover(); value != nil {
			panic(t.escaped(value))
		}
	}()
	f(frame(&t.root))
	finished = true
}

// A Frame is a call in a stack trace.
type Frame struct {
	Func *ir.Func
	File string
	Line int
}

// String returns the position and the function.
func (f Frame) String() string { return fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Func.Name) }

// frames lists the calls from a frame outward. The site is that of the innermost one.
func (m *Machine) frames(f frame, s *site) []Frame {
	var list []Frame
	for f != nil {
		h := headerOf(f)
		if h.code != nil {
			list = append(list, frameAt(h.code, s))
		}
		f, s = h.caller, h.site
	}
	return list
}

// poll lets the host act.
func (m *Machine) poll(f frame, s *site) {
	t := headerOf(f).thread
	t.frame, t.site = f, s
	m.host.Poll()
}

// Callers lists the calls of cells on the calling goroutine, innermost first: those of the code that
// has called compiled code, and those of a panic that a deferred call in progress may recover.
func Callers() []Frame {
	t := current()
	if t == nil {
		return nil
	}
	list := t.m.frames(t.frame, t.site)
	for f := t.frame; f != nil; f = headerOf(f).caller {
		if d := headerOf(f).deferred; d != nil && d.last != nil {
			return append(list, d.last.frames...)
		}
	}
	return list
}

// Variable returns a session variable, addressable; the zero Value if no code has used it yet.
func (m *Machine) Variable(g *ir.Global) reflect.Value {
	p, ok := g.Address.(unsafe.Pointer)
	if !ok {
		return reflect.Value{}
	}
	return reflect.NewAt(m.typeOf(g.Type).Type, p).Elem()
}
