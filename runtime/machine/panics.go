package machine

import (
	"math"
	"strconv"
	"unsafe"
)

// A Panic is a panic that code of cells has not recovered, on its way out of the machine.
type Panic struct {
	Value  any
	Frames []StackFrame // innermost first
}

// panicState is a panic in progress, from the first deferred call that it meets.
type panicState struct {
	Value  any
	frames []StackFrame
}

// Escaped makes the panic that leaves the machine.
func (t *Thread) Escaped(value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p
	}
	state := t.caught(value)
	return &Panic{Value: state.Value, Frames: state.frames}
}

// caught describes a panic that has just been recovered.
func (t *Thread) caught(value any) *panicState {
	t.back()
	if p := t.pending; p != nil {
		t.pending = nil
		return p
	}
	p := &panicState{Value: value, frames: t.m.frames(t.frame, t.site)}
	if t.m.Asking.Load() != 0 {
		t.m.Host.Panicked(value, records(t.frame))
	}
	return p
}

// Fail notes where an operation panics.
func Fail(f Frame, s *Site) {
	t := HeaderOf(f).Thread
	t.frame, t.site = f, s
}

// The functions below panic as compiled Go does, with the runtime's own errors.

//go:noinline
func PanicNil(f Frame, s *Site) {
	Fail(f, s)
	var p *int
	*p = 0
}

// TooLarge stands for unsigned indices that int does not hold. No other index is as low, because
// nothing has as many elements.
const TooLarge = math.MinInt

//go:noinline
func PanicIndex(f Frame, s *Site, i, n int) {
	Fail(f, s)
	list := unsafe.Slice((*struct{})(unsafe.Pointer(&Zeroes)), n)
	if i == TooLarge {
		_ = list[HeaderOf(f).Thread.Index]
	}
	_ = list[i]
}

//go:noinline
func panicDivide(f Frame, s *Site) {
	Fail(f, s)
	zero := 0
	_ = 1 / zero
}

//go:noinline
func panicShift(f Frame, s *Site, n int64) {
	Fail(f, s)
	_ = 1 << n
}

// PanicArray is a failed conversion of a slice to an array.
//
//go:noinline
func PanicArray(f Frame, s *Site, v Slice, n int) {
	Fail(f, s)
	panic(arrayError{v.Len, n})
}

// Raise panics with a value at a site.
//
//go:noinline
func Raise(f Frame, s *Site, value any) {
	Fail(f, s)
	panic(value)
}

// RuntimeError is an error of the runtime that no operation of this package's own code raises.
type RuntimeError string

// Error returns the text.
func (e RuntimeError) Error() string { return "runtime error: " + string(e) }

// RuntimeError marks it as an error of the runtime.
func (e RuntimeError) RuntimeError() {}

type arrayError struct{ have, want int }

func (e arrayError) Error() string {
	return "runtime error: cannot convert slice with length " + strconv.Itoa(e.have) + " to array or pointer to array with length " + strconv.Itoa(e.want)
}

// RuntimeError marks it as an error of the runtime.
func (e arrayError) RuntimeError() {}

// PlainError is an error of the runtime without the words before it.
type PlainError string

// Error returns the text.
func (e PlainError) Error() string { return string(e) }

// RuntimeError marks it as an error of the runtime.
func (e PlainError) RuntimeError() {}
