package exec

import (
	"math"
	"unsafe"
)

// A Panic is a panic that code of cells has not recovered, on its way out of the machine.
type Panic struct {
	Value  any
	Frames []Frame // innermost first
}

// panicState is a panic in progress, from the first deferred call that it meets.
type panicState struct {
	value  any
	frames []Frame
}

// escaped makes the panic that leaves the machine.
func (t *Thread) escaped(value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p
	}
	state := t.caught(value)
	return &Panic{Value: state.value, Frames: state.frames}
}

// caught describes a panic that has just been recovered.
func (t *Thread) caught(value any) *panicState {
	t.back()
	if p := t.pending; p != nil {
		t.pending = nil
		return p
	}
	p := &panicState{value: value, frames: t.m.frames(t.frame, t.site)}
	if t.m.asking.Load() != 0 {
		t.m.host.Panicked(value, records(t.frame))
	}
	return p
}

// fail notes where an operation panics.
func fail(f frame, s *site) {
	t := headerOf(f).thread
	t.frame, t.site = f, s
}

// The functions below panic as compiled Go does, with the runtime's own errors.

//go:noinline
func panicNil(f frame, s *site) {
	fail(f, s)
	var p *int
	*p = 0
}

// tooLarge stands for unsigned indices that int does not hold. No other index is as low, because
// nothing has as many elements.
const tooLarge = math.MinInt

//go:noinline
func panicIndex(f frame, s *site, i, n int) {
	fail(f, s)
	list := unsafe.Slice((*struct{})(unsafe.Pointer(&zeroes)), n)
	if i == tooLarge {
		_ = list[headerOf(f).thread.index]
	}
	_ = list[i]
}

//go:noinline
func panicDivide(f frame, s *site) {
	fail(f, s)
	zero := 0
	_ = 1 / zero
}

//go:noinline
func panicShift(f frame, s *site, n int64) {
	fail(f, s)
	_ = 1 << n
}

// panicArray is a failed conversion of a slice to an array.
//
//go:noinline
func panicArray(f frame, s *site, v slice, n int) {
	fail(f, s)
	panic(arrayError{v.len, n})
}

// raise panics with a value at a site.
//
//go:noinline
func raise(f frame, s *site, value any) {
	fail(f, s)
	panic(value)
}

// runtimeError is an error of the runtime that no operation of this package's own code raises.
type runtimeError string

func (e runtimeError) Error() string { return "runtime error: " + string(e) }

// RuntimeError marks it as an error of the runtime.
func (e runtimeError) RuntimeError() {}

type arrayError struct{ have, want int }

func (e arrayError) Error() string {
	return "runtime error: cannot convert slice with length " + itoa(e.have) + " to array or pointer to array with length " + itoa(e.want)
}

// RuntimeError marks it as an error of the runtime.
func (e arrayError) RuntimeError() {}

// plainError is an error of the runtime without the words before it.
type plainError string

func (e plainError) Error() string { return string(e) }

// RuntimeError marks it as an error of the runtime.
func (e plainError) RuntimeError() {}
