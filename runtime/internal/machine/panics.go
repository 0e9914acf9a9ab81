package machine

import (
	"math"
	"slices"
	"strconv"
	"unsafe"
)

// A Panic is the value with which a panic that cells have not recovered leaves the machine.
//
// It distinguishes panics of cells, which carry their stack trace, from those of the host.
type Panic struct {
	Value  any
	Frames []StackFrame // innermost first
	// Before are the panics during whose deferred calls this one was raised, the first one first.
	Before []Earlier
}

// An Earlier is a panic that another one has replaced.
type Earlier struct {
	Value     any
	Recovered bool // before the other one was raised
}

// A panicState is a panic in progress, from the first deferred call that sees it. It preserves the
// stack trace of the origin while deferred calls run.
//
// It is made once for each panic. A deferred call that panics makes another one.
type panicState struct {
	Value  any
	frames []StackFrame
	// before is the panic that this one has replaced, if any, and recovered reports whether it had
	// been recovered.
	before    *panicState
	recovered bool
}

// replaces records that a panic was raised in a deferred call that began during another one.
func (p *panicState) replaces(before *panicState, recovered bool) {
	for s := p; s != nil; s = s.before {
		if s == before {
			return
		}
		if s.before == nil {
			s.before, s.recovered = before, recovered
			return
		}
	}
}

// Escaped converts the value of a panic to the *Panic that leaves the machine.
func (t *Thread) Escaped(value any) *Panic {
	// An inner execution on the same goroutine has converted it already.
	if p, ok := value.(*Panic); ok {
		return p
	}
	state := t.caught(value)
	var before []Earlier
	for s := state; s.before != nil; s = s.before {
		before = append(before, Earlier{s.before.Value, s.recovered})
	}
	slices.Reverse(before)
	return &Panic{Value: state.Value, Frames: state.frames, Before: before}
}

// caught returns the state of a panic that has just been recovered.
func (t *Thread) caught(value any) *panicState {
	// A panic of compiled code leaves the thread outside.
	t.back()
	t.adopting = nil
	if p := t.pending; p != nil {
		t.pending = nil
		return p
	}
	p := &panicState{Value: value, frames: t.calls()}
	// The debugger sees the frames before deferred calls run in them.
	if t.m.Asking.Load() != 0 {
		t.m.Host.Panicked(value, records(t.frame))
	}
	return p
}

// Fail records the position of an operation that is about to panic. It is cheap enough to precede
// every operation that may panic in the runtime, such as a map access.
func Fail(f Frame, s *Site) {
	t := HeaderOf(f).Thread
	t.frame, t.site = f, s
}

// The functions below panic with the runtime's own errors, as compiled Go does. They make the
// runtime detect the error itself, because its error types cannot be constructed.

// PanicNil panics because of a nil pointer dereference.
//
//go:noinline
func PanicNil(f Frame, s *Site) {
	Fail(f, s)
	var p *int
	*p = 0
}

// TooLarge represents unsigned indices that int cannot hold. It is distinct from every valid index.
// LargeIndex distinguishes it from an int with the same value.
const TooLarge = math.MinInt

// KeepLarge records an index that int cannot hold, for the text of the panic, and returns TooLarge.
func KeepLarge(f Frame, index uint64) int {
	HeaderOf(f).Thread.index = index
	return TooLarge
}

// LargeIndex returns the index that TooLarge represents in a frame and forgets it. It returns 0 if
// the index is an int.
func LargeIndex(f Frame) uint64 {
	t := HeaderOf(f).Thread
	i := t.index
	t.index = 0
	return i
}

// PanicIndex panics because the index i is out of range for length n.
//
//go:noinline
func PanicIndex(f Frame, s *Site, i, n int) {
	Fail(f, s)
	list := unsafe.Slice((*struct{})(unsafe.Pointer(&Zeroes)), n)
	if i == TooLarge {
		if large := LargeIndex(f); large != 0 {
			_ = list[large]
		}
	}
	_ = list[i]
}

// PanicDivide panics because of a division by zero.
//
//go:noinline
func PanicDivide(f Frame, s *Site) {
	Fail(f, s)
	zero := 0
	_ = 1 / zero
}

// PanicShift panics because of a negative shift count.
//
//go:noinline
func PanicShift(f Frame, s *Site, n int64) {
	Fail(f, s)
	_ = 1 << n
}

// PanicArray panics because of a failed conversion of a slice to an array.
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

// RuntimeError is a runtime error that no operation of this package's own code can raise.
type RuntimeError string

// Error returns the text.
func (e RuntimeError) Error() string { return "runtime error: " + string(e) }

// RuntimeError implements runtime.Error.
func (e RuntimeError) RuntimeError() {}

// An arrayError is the runtime's error for PanicArray, whose operation needs a constant length and
// cannot be provoked here.
type arrayError struct{ have, want int }

func (e arrayError) Error() string {
	return "runtime error: cannot convert slice with length " + strconv.Itoa(e.have) + " to array or pointer to array with length " + strconv.Itoa(e.want)
}

// RuntimeError implements runtime.Error.
func (e arrayError) RuntimeError() {}

// PlainError is a runtime error whose text has no prefix.
type PlainError string

// Error returns the text.
func (e PlainError) Error() string { return string(e) }

// RuntimeError implements runtime.Error.
func (e PlainError) RuntimeError() {}
