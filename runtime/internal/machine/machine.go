package machine

import (
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/internal/ir"
)

// A Host is the session that a machine runs code for.
type Host interface {
	// Type returns the run-time type of a type of the program.
	Type(t types.Type) (reflect.Type, error)
	// Func returns a function of a compiled package, or the instance of a generic one.
	Func(f *types.Func, targs []types.Type) (reflect.Value, error)
	// Var returns a variable of a compiled package as an addressable value.
	Var(path, name string) (reflect.Value, error)
	// Method returns the function that implements a method of the run-time type t, if the method is
	// declared in cells. Its first parameter is a receiver of type t. Method returns nil for other
	// methods.
	Method(t reflect.Type, name string) *ir.FuncRef
	// Override returns the function that replaces a method of a compiled type. Its first parameter
	// is the receiver.
	Override(f *types.Func) (reflect.Value, bool)
	// MethodName returns the name of a method in the method list of an interface type.
	MethodName(f *types.Func) string
	// Poll is called at back edges and calls while the stop flag is set, on the goroutine that runs
	// the code.
	Poll()
	// Follow is called when the calling goroutine begins to run code of a cell with a thread. It is
	// called with nil when that ends.
	Follow(t *Thread)
	// Site returns a number for a mark of a function.
	Site(m *ir.Mark, f *ir.Func) int
	// Ask is called at a mark while SetAsking is on, on the goroutine that has reached the mark.
	Ask(site int, m Moment)
	// Panicked is called when a panic reaches the first call that may recover it, on the goroutine
	// that panics. stack holds the host's records of the calls in progress, innermost first. The
	// frames of these calls are still intact.
	Panicked(value any, stack []any)
	// Overflow ends the goroutine, whose calls use more stack than the limit, in bytes. It does not
	// return.
	Overflow(limit uintptr, frames []StackFrame)
	// NeverBlocks reports whether a compiled function always returns quickly, so that code need not
	// poll after it.
	NeverBlocks(f *types.Func) bool
	// Go starts a goroutine that belongs to a cell. The goroutine calls body inside Machine.Call.
	Go(body func())
	// Done returns a channel that is closed when the goroutine's cell must stop, or nil.
	Done() <-chan struct{}
	// Exiting reports whether the cell of the calling goroutine ends without running deferred
	// calls.
	Exiting() bool
	// LockMap locks the map at an address and returns the function that unlocks it.
	LockMap(address uintptr, write bool) (release func())
	// Room returns n if there is memory for n elements of a size, and panics otherwise. An empty
	// text means that n is a hint: Room then returns 0 instead of panicking if n exceeds the
	// address space.
	Room(n, size int, text string) int
	// Shared reports whether several goroutines may run code of cells, in which case maps must be
	// locked.
	Shared() bool
}

// A Machine holds the services of a session that running code needs.
//
// Stop and Asking are read by running code at every poll point and mark. They are set by other
// goroutines, and code may see a change with a delay of one poll.
type Machine struct {
	Host      Host
	Stack     atomic.Uintptr // limit of the stack of a goroutine in bytes; 0 is DefaultStack
	Stop      Flag
	Asking    atomic.Uint32
	waits     atomic.Int64 // goroutines that wait for a timer
	waitsEver atomic.Int64
	described sync.Map // reflect.Type to *Type
	Methods   MethodCache
	Sources   sync.Map // of package symtab, by the file name in positions
}

// SetStop sets whether code polls.
func (m *Machine) SetStop(stop bool) {
	value := uint32(0)
	if stop {
		value = 1
	}
	m.Stop.Store(value)
}

// A Function is the target of a reference. It stays the same when the function is redeclared; only
// Code changes. Callers load Code at each call and therefore run the latest version.
type Function struct {
	Code atomic.Pointer[Code]
	// Value is the func value of the function, or nil if none has been needed.
	Value atomic.Pointer[DeclaredValue]
}

// A DeclaredValue is the func value of a declared function for one run-time type.
type DeclaredValue struct {
	Type reflect.Type
	Func unsafe.Pointer
}

// FuncOf returns the function of a reference. It is called while code is compiled, on one
// goroutine.
func FuncOf(ref *ir.FuncRef) *Function {
	if ref.Code == nil {
		ref.Code = new(Function)
	}
	return ref.Code.(*Function)
}

// Call calls a function of compiled code that may call functions of cells. A panic that is not
// recovered leaves Call as a *Panic.
func (m *Machine) Call(f func()) { m.within(func(Frame) { f() }) }

// Run runs a function without parameters on the calling goroutine. A panic that is not recovered
// leaves Run as a *Panic. The frame is not released if the function panics.
func (m *Machine) Run(c *Code) {
	m.within(func(caller Frame) {
		f := c.Enter(caller, HeaderOf(caller).Thread.site)
		c.Run(f)
		c.Leave(f)
	})
}

// within calls f with the caller of the functions that f calls.
func (m *Machine) within(f func(caller Frame)) {
	t, before := m.Attach()
	defer t.Detach(before)
	finished := false
	defer func() {
		if finished {
			return
		}
		if value := recover(); value != nil {
			panic(t.Escaped(value))
		}
	}()
	f(t.caller())
	finished = true
}

// A StackFrame is a call in a stack trace.
type StackFrame struct {
	Func *ir.Func // nil for the runtime's function that panics
	File string
	Line int
	// Entered reports whether compiled code has made the call, whose caller among the calls of cells
	// is the one that has called the compiled code.
	Entered bool
}

// String returns the position and the function.
func (f StackFrame) String() string { return fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Func.Name) }

// frames returns the calls from a frame outward to the frame end, which is left out. s is the site
// in the innermost one. The site of a frame is in the header of the frame that it called, so the
// loop carries it outward.
func frames(f Frame, s *Site, end Frame) []StackFrame {
	var list []StackFrame
	for f != end && f != nil {
		h := HeaderOf(f)
		if h.Code != nil {
			list = appendCalls(list, h.Code, s)
			list[len(list)-1].Entered = h.entered
		}
		f, s = h.caller, h.site
	}
	return list
}

// Poll calls the host, which may block or end the goroutine.
func (m *Machine) Poll(f Frame, s *Site) {
	t := HeaderOf(f).Thread
	// The host may take a stack trace.
	t.frame, t.site = f, s
	m.Host.Poll()
}

// Machine returns the machine whose code the thread runs.
func (t *Thread) Machine() *Machine { return t.m }

// Callers returns the calls of cells on the calling goroutine, innermost first. In a call that a
// panic has deferred, the frames of the panic follow, as in compiled Go, where they are still on
// the stack: a frame without a function for the runtime's function that panics, and the calls that
// led to it.
func Callers() []StackFrame {
	if t := Current(); t != nil {
		return t.calls()
	}
	return nil
}

// calls returns the calls from the position of the thread outward, as Callers does.
func (t *Thread) calls() []StackFrame {
	for f := t.frame; f != nil; f = HeaderOf(f).caller {
		if d := HeaderOf(f).Deferred; d != nil && d.last != nil {
			list := append(frames(t.frame, t.site, HeaderOf(f).caller), StackFrame{})
			return append(list, d.last.frames...)
		}
	}
	return frames(t.frame, t.site, nil)
}

// Room checks with the host whether there is memory for n elements, unless n is small. It returns
// n, or 0 if n is a hint (text is empty) that is too large.
func (m *Machine) Room(n int, size uintptr, text string) int {
	// Most requests are small, and the host's answer costs more than the allocation.
	const small = 1 << 16
	if n <= 0 || size == 0 || uintptr(n) <= small/size {
		return n
	}
	return m.Host.Room(n, int(size), text)
}
