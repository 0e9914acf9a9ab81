package builtin

import (
	"reflect"
	"strings"
	"unsafe"

	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// Bounds are the compiled bounds of a slice expression x[lo:hi:max]. Hi and Max are nil if they are
// omitted.
type Bounds struct {
	Lo, Hi, Max func(machine.Frame) int
}

// String compiles a slice expression of a string.
//
//go:noinline
func (b Bounds) String(x operation.Value, s *machine.Site) func(machine.Frame) string {
	lo, hi := b.Lo, b.Hi
	get := x.F.(func(machine.Frame) string)
	return func(f machine.Frame) string {
		v := get(f)
		i, j := lo(f), len(v)
		if hi != nil {
			j = hi(f)
		}
		if uint(j) > uint(len(v)) || uint(i) > uint(j) {
			machine.Fail(f, s)
			// The thread has the value of the bound that int cannot represent, which the
			// runtime's message shows.
			index := machine.LargeIndex(f)
			switch {
			case index == 0:
			case j == machine.TooLarge:
				return v[:index]
			case i == machine.TooLarge && uint(j) <= uint(len(v)):
				return v[index:j]
			}
		}
		return v[i:j]
	}
}

// Slice compiles a slice expression of the slice that get returns, whose elements have a size.
// array reports whether the operand in the source is an array.
//
// The bounds are checked together. A failed check evaluates a Go slice expression that fails in the
// same way. The message names the first bound that is wrong, with the capacity for a slice and the
// length for a string or an array.
//
//go:noinline
func (b Bounds) Slice(get func(machine.Frame) machine.Slice, size uintptr, array bool, s *machine.Site) func(machine.Frame) machine.Slice {
	lo, hi, limit := b.Lo, b.Hi, b.Max
	return func(f machine.Frame) machine.Slice {
		v := get(f)
		i, j, k := lo(f), v.Len, v.Cap
		if hi != nil {
			j = hi(f)
		}
		if limit != nil {
			k = limit(f)
		}
		// As unsigned numbers, negative bounds are larger than any capacity.
		if uint(k) > uint(v.Cap) || uint(j) > uint(k) || uint(i) > uint(j) {
			panicSlice(f, s, v, slicing{i, j, k, limit != nil, array})
		}
		out := machine.Slice{Ptr: v.Ptr, Len: j - i, Cap: k - i}
		if k > i { // otherwise the pointer would be past the end of the array
			out.Ptr = unsafe.Add(v.Ptr, uintptr(i)*size)
		}
		return out
	}
}

// A slicing holds the bounds of a slice expression that is out of range.
type slicing struct {
	i, j, k int
	full    bool // whether all three bounds are given
	array   bool // whether the operand is an array
}

// panicSlice panics with the error of a slice expression that is out of range.
//
// It is not inlined, so that the closure of a slice expression stays small enough for its fast
// path.
//
//go:noinline
func panicSlice(f machine.Frame, s *machine.Site, v machine.Slice, o slicing) {
	machine.Fail(f, s)
	err := o.failure(v, machine.LargeIndex(f))
	if o.array {
		err = withLength(err)
	}
	machine.Raise(f, s, err)
}

// failure returns the runtime's error for the bounds. index is the value of a bound that int cannot
// represent, or 0.
//
// Each case evaluates the shortest expression that fails at the same bound, so that the runtime's
// error has the right form and numbers. The order of the cases is that of the compiled checks: max,
// high, low.
func (o slicing) failure(v machine.Slice, index uint64) (err error) {
	defer func() { err, _ = recover().(error) }()
	// A slice with elements of size zero can have any length and capacity without memory.
	list := unsafe.Slice((*struct{})(unsafe.Pointer(&machine.Zeroes)), v.Cap)[:v.Len]
	large := func(bound int) bool { return bound == machine.TooLarge && index != 0 }
	switch {
	case large(o.k):
		_ = list[:0:index]
	case o.full && uint(o.k) > uint(v.Cap):
		_ = list[:0:o.k]
	case large(o.j) && o.full:
		_ = list[:index:o.k]
	case large(o.j):
		_ = list[:index]
	case large(o.i) && o.full:
		_ = list[index:o.j:o.k]
	case large(o.i):
		_ = list[index:o.j]
	case o.full:
		_ = list[o.i:o.j:o.k]
	}
	_ = list[o.i:o.j]
	return nil
}

// withLength converts the runtime's error about the capacity of a slice to the error about the
// length of an array. The two differ in one byte, the code of the error, which follows two words
// and a bool. If the runtime's type has another layout, the error is returned unchanged.
//
// The error type boundsError is not exported, so its code cannot be set by name. Both texts are
// verified, so another layout at worst leaves the word "capacity" in the message.
func withLength(err error) error {
	const codeOffset = 2*unsafe.Sizeof(uintptr(0)) + 1
	if err == nil || !strings.Contains(err.Error(), " with capacity ") {
		return err
	}
	now := reflect.New(reflect.TypeOf(err))
	if now.Type().Elem().Size() <= codeOffset {
		return err
	}
	now.Elem().Set(reflect.ValueOf(err))
	*(*uint8)(unsafe.Add(now.UnsafePointer(), codeOffset))--
	if changed := now.Elem().Interface().(error); strings.Contains(changed.Error(), " with length ") {
		return changed
	}
	return err
}
