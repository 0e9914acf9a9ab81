package machine

import "runtime"

// A Flag is the stop flag of a machine. A browser runs a program on one thread, and no goroutine
// can set the flag while another one computes. Load therefore reports 1 now and then without being
// set: the poll that follows lets the browser deliver messages, such as an interrupt.
//
// The fields need no synchronization, because there is one thread.
type Flag struct {
	value  uint32
	credit int32 // number of calls of Load until the next poll
}

const (
	// credit is the number of poll points between two polls. A loop of cells reaches so many in a
	// fraction of a millisecond.
	credit = 2000
	// hostCredit is the number of poll points that a call of compiled code counts as, because it may
	// take much longer than an iteration of a loop.
	hostCredit = 100
)

// Load returns a nonzero value if the code must poll.
func (f *Flag) Load() uint32 {
	if f.credit--; f.credit < 0 {
		return f.renew()
	}
	return f.value
}

// returned records that a call of compiled code has returned.
func (f *Flag) returned() { f.credit -= hostCredit }

//go:noinline
func (f *Flag) renew() uint32 {
	f.credit = credit
	return 1
}

// Store sets the flag.
func (f *Flag) Store(value uint32) { f.value = value }

// Limits on the stacks that nested calls of cells use.
const (
	depthMask = 31 // the stack is checked at every 32nd level
	// moreStack is the additional stack for deferred calls each time the limit is reached.
	moreStack = 8 << 20
	// nativeLimit bounds the part of Go's stack whose calls are also on the stack of the browser's
	// WebAssembly engine, which is about 1 MB and cannot be measured. A frame there can be
	// several times larger than the one on Go's stack.
	nativeLimit = 64 << 10
)

// An engineStack estimates the calls on the stack of the WebAssembly engine.
type engineStack struct {
	base uintptr // size of the goroutine's Go stack when it was last scheduled
}

// unwind empties the stack of the WebAssembly engine if many calls are on it. A goroutine that is
// scheduled again continues with an empty one: the engine's frames of its calls are made again when
// they return. used is the size of the goroutine's Go stack.
func (e *engineStack) unwind(used uintptr) {
	switch {
	case used < e.base:
		e.base = used
	case used > e.base+nativeLimit:
		e.base = used
		runtime.Gosched()
	}
}
