package machine

import (
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"

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
	Overflow(frames []StackFrame)
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

// A Machine is what running code needs of its session.
type Machine struct {
	Host      Host
	Stop      atomic.Uint32
	Asking    atomic.Uint32
	described sync.Map // reflect.Type to *typ
	Methods   sync.Map // unsafe.Pointer, a place in a method table, to *foundMethod
}

// SetStop sets whether code polls.
func (m *Machine) SetStop(stop bool) {
	value := uint32(0)
	if stop {
		value = 1
	}
	m.Stop.Store(value)
}

// A Function is what a reference leads to. It stays the same when the function is declared again.
type Function struct {
	Code atomic.Pointer[Code]
}

// FuncOf returns the function of a reference.
func FuncOf(ref *ir.FuncRef) *Function {
	if ref.Code == nil {
		ref.Code = new(Function)
	}
	return ref.Code.(*Function)
}

// Call calls a function of compiled code that may call functions of cells. A panic that these do not
// recover leaves Call as a *Panic.
func (m *Machine) Call(f func()) { m.within(func(Frame) { f() }) }

// Run runs a function without parameters on the calling goroutine. A panic that the code does not
// recover leaves Run as a *Panic.
func (m *Machine) Run(c *Code) {
	m.within(func(root Frame) {
		f := c.Enter(root, nil)
		c.Run(f)
		c.Leave(f)
	})
}

// within calls f with the root frame of a new thread.
func (m *Machine) within(f func(root Frame)) {
	t := m.Acquire()
	defer t.Release()
	t.Root.Thread = t
	finished := false
	defer func() {
		if finished {
			return
		}
		if value := recover(); value != nil {
			panic(t.Escaped(value))
		}
	}()
	f(Frame(&t.Root))
	finished = true
}

// A StackFrame is a call in a stack trace.
type StackFrame struct {
	Func *ir.Func
	File string
	Line int
}

// String returns the position and the function.
func (f StackFrame) String() string { return fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Func.Name) }

// frames lists the calls from a frame outward. The site is that of the innermost one.
func (m *Machine) frames(f Frame, s *Site) []StackFrame {
	var list []StackFrame
	for f != nil {
		h := HeaderOf(f)
		if h.Code != nil {
			list = append(list, frameAt(h.Code, s))
		}
		f, s = h.caller, h.site
	}
	return list
}

// Poll lets the host act.
func (m *Machine) Poll(f Frame, s *Site) {
	t := HeaderOf(f).Thread
	t.frame, t.site = f, s
	m.Host.Poll()
}

// Callers lists the calls of cells on the calling goroutine, innermost first: those of the code that
// has called compiled code, and those of a panic that a deferred call in progress may recover.
func Callers() []StackFrame {
	t := Current()
	if t == nil {
		return nil
	}
	list := t.m.frames(t.frame, t.site)
	for f := t.frame; f != nil; f = HeaderOf(f).caller {
		if d := HeaderOf(f).Deferred; d != nil && d.last != nil {
			return append(list, d.last.frames...)
		}
	}
	return list
}

// Room asks the host for the memory of n elements where that is much. It returns n, or 0 for a hint
// that is too large, for which text is empty.
func (m *Machine) Room(n int, size uintptr, text string) int {
	const small = 1 << 16
	if n <= 0 || size == 0 || uintptr(n) <= small/size {
		return n
	}
	return m.Host.Room(n, int(size), text)
}
