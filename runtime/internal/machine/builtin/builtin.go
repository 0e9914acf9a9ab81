// Package builtin compiles the predeclared functions and slice expressions to closures of package
// machine. It knows values and types, but not the representation of programs: package exec compiles
// the operands and passes them here.
//
// Every closure evaluates its operands from left to right and stores each in a Go variable before
// it evaluates the next one. It then makes the checks of compiled Go in the order of compiled Go.
// The checks that the runtime makes for the same operation are left to the runtime, whose errors
// programs may print.
//
// Read builtin.go (len, cap, copy, min, max and complex numbers), append.go, make.go (make and
// package unsafe), slicing.go, print.go and delayed.go (calls in go and defer statements).
package builtin

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// Length compiles len and cap to a value of type int, which t describes.
//
// The length and the capacity of a variable in the frame are words of the frame themselves. Users
// of the value read them without a call, in each evaluation, since the next assignment may change
// them. Loops up to len(s) count this way.
func Length(t *machine.Type, x operation.Value, capacity bool) operation.Value {
	v := operation.Value{Type: t}
	if x.Form == operation.FormLocal && (x.Type.Class == machine.ClassString || x.Type.Class == machine.ClassSlice) {
		word := unsafe.Offsetof(machine.Slice{}.Len)
		if capacity {
			word = unsafe.Offsetof(machine.Slice{}.Cap)
		}
		at := operation.Access{Mode: operation.ModeFrame, Offset: x.Slot + word, Type: t}
		v.F, v.Form, v.Slot = operation.Load[int](at), operation.FormLocal, at.Offset
	} else {
		v.F = length(x, capacity)
	}
	return v
}

// length compiles the length or the capacity of a value that is not in a variable of the frame, or
// is neither a string nor a slice.
func length(x operation.Value, capacity bool) func(machine.Frame) int {
	switch x.Type.Class {
	case machine.ClassString:
		get := x.F.(func(machine.Frame) string)
		return func(f machine.Frame) int { return len(get(f)) }
	case machine.ClassSlice:
		get := x.F.(func(machine.Frame) machine.Slice)
		if capacity {
			return func(f machine.Frame) int { return get(f).Cap }
		}
		return func(f machine.Frame) int { return get(f).Len }
	case machine.ClassMemory:
		// The length of an array is known, but its evaluation may have effects.
		addr, n := x.Addr, x.Type.Type.Len()
		return func(f machine.Frame) int { addr(f); return n }
	default:
		get := x.F.(func(machine.Frame) unsafe.Pointer)
		switch {
		case x.Type.Type.Kind() == reflect.Map:
			return func(f machine.Frame) int { return machine.MapLen(get(f)) }
		// A nil pointer to an array does not panic here.
		case x.Type.Type.Kind() == reflect.Pointer:
			n := x.Type.Type.Elem().Len()
			return func(f machine.Frame) int { get(f); return n }
		case capacity:
			return func(f machine.Frame) int { return machine.ChanCap(get(f)) }
		default:
			return func(f machine.Frame) int { return machine.ChanLen(get(f)) }
		}
	}
}

// Copy compiles copy of the elements of y to the slice x.
//
// The operands may overlap, and y may be a string. TypedCopy handles both like compiled Go,
// including the bulk write barrier for elements with pointers.
func Copy(x, y operation.Value) func(machine.Frame) int {
	to, from, r := x.F.(func(machine.Frame) machine.Slice), Elements(y), machine.RTypeOf(x.Type.Type.Elem())
	return func(f machine.Frame) int {
		dst := to(f)
		src := from(f)
		return machine.TypedCopy(r, dst, src)
	}
}

// Extreme compiles min, if least is set, or max of two operands. It selects the instance of extreme
// for the class of the operands.
func Extreme(least bool, x, y operation.Value) any {
	switch x.F.(type) {
	case func(machine.Frame) int:
		if p := y.NearInt(); p != nil {
			return extremeNear(least, x, p)
		}
		return extreme[int](least, x, y)
	case func(machine.Frame) int8:
		return extreme[int8](least, x, y)
	case func(machine.Frame) int16:
		return extreme[int16](least, x, y)
	case func(machine.Frame) int32:
		return extreme[int32](least, x, y)
	case func(machine.Frame) int64:
		return extreme[int64](least, x, y)
	case func(machine.Frame) uint:
		return extreme[uint](least, x, y)
	case func(machine.Frame) uint8:
		return extreme[uint8](least, x, y)
	case func(machine.Frame) uint16:
		return extreme[uint16](least, x, y)
	case func(machine.Frame) uint32:
		return extreme[uint32](least, x, y)
	case func(machine.Frame) uint64:
		return extreme[uint64](least, x, y)
	case func(machine.Frame) uintptr:
		return extreme[uintptr](least, x, y)
	case func(machine.Frame) float32:
		return extreme[float32](least, x, y)
	case func(machine.Frame) float64:
		return extreme[float64](least, x, y)
	}
	return extreme[string](least, x, y)
}

// extreme compiles min or max of two operands. Go's own min and max serve, so that NaN and negative
// zero have the results that they have in compiled code. The first operand is stored in a variable,
// so that it is evaluated before the second one.
func extreme[T operation.Ordered](least bool, x, y operation.Value) any {
	a, b := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	if least {
		if x.Form == operation.FormLocal {
			slot := x.Slot
			return func(f machine.Frame) T { v := *machine.At[T](f, slot); return min(v, b(f)) }
		}
		return func(f machine.Frame) T { v := a(f); return min(v, b(f)) }
	}
	if x.Form == operation.FormLocal {
		slot := x.Slot
		return func(f machine.Frame) T { v := *machine.At[T](f, slot); return max(v, b(f)) }
	}
	return func(f machine.Frame) T { v := a(f); return max(v, b(f)) }
}

// extremeNear compiles min or max of ints whose second operand is near a variable in the frame.
func extremeNear(least bool, x operation.Value, q *operation.Near) any {
	a := x.F.(func(machine.Frame) int)
	switch p := x.NearInt(); {
	case p != nil && least:
		return func(f machine.Frame) int { return min(p.Int(f), q.Int(f)) }
	case p != nil:
		return func(f machine.Frame) int { return max(p.Int(f), q.Int(f)) }
	case least:
		return func(f machine.Frame) int { v := a(f); return min(v, q.Int(f)) }
	}
	return func(f machine.Frame) int { v := a(f); return max(v, q.Int(f)) }
}

// Complex compiles complex for two operands of type float32 or float64. The first operand is stored
// in a variable, so that it is evaluated before the second one.
func Complex(x, y operation.Value) any {
	if a, ok := x.F.(func(machine.Frame) float32); ok {
		b := y.F.(func(machine.Frame) float32)
		return func(f machine.Frame) complex64 { v := a(f); return complex(v, b(f)) }
	}
	a, b := x.F.(func(machine.Frame) float64), y.F.(func(machine.Frame) float64)
	return func(f machine.Frame) complex128 { v := a(f); return complex(v, b(f)) }
}

// Part compiles real, or imag, of a complex number.
func Part(isReal bool, x operation.Value) any {
	if get, ok := x.F.(func(machine.Frame) complex64); ok {
		if isReal {
			return func(f machine.Frame) float32 { return real(get(f)) }
		}
		return func(f machine.Frame) float32 { return imag(get(f)) }
	}
	get := x.F.(func(machine.Frame) complex128)
	if isReal {
		return func(f machine.Frame) float64 { return real(get(f)) }
	}
	return func(f machine.Frame) float64 { return imag(get(f)) }
}
