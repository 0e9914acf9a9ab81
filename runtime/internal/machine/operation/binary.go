package operation

import (
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// The functions of this file compile one binary operation each. They have a closure for each
// combination of operand forms, so that locals and constants are read without a call. Calls of
// closures dominate the cost of expressions.

// add compiles x + y. In the last form Go evaluates left before right, which is the order of the
// representation: both are calls.
//
// A variable in the frame that is the left operand is read before the right one is evaluated or
// after it, as the compiler of this package chooses. Both are the same, because evaluating an
// expression changes no variable that is in the frame.
func add[T number](x, y Value) func(machine.Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) + *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) + k }
	case x.Sum != nil && y.Form == FormConst:
		return addToSum(x.Sum, y.Const.(T))
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case x.Elem != nil && x.Elem.index == nil && y.Form == FormConst:
		return addToElem(x.Elem, y.Const.(T))
	case x.Elem != nil && y.Form == FormConst:
		e, k := x.Elem, y.Const.(T)
		return func(f machine.Frame) T { return at[T](e, f) + k }
	case x.Form == FormConst:
		k := x.Const.(T)
		return func(f machine.Frame) T { return k + right(f) }
	case x.Pointed != nil && y.Pointed != nil:
		p, q := x.Pointed, y.Pointed
		return func(f machine.Frame) T { v := *(*T)(p.address(f)); return v + *(*T)(q.address(f)) }
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return left(f) + k }
	case y.Form == FormLocal:
		return func(f machine.Frame) T { return left(f) + *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) + right(f) }
	}
	return func(f machine.Frame) T { return left(f) + right(f) }
}

// addToElem compiles x[i] + k for an index near a variable.
//
//go:noinline
func addToElem[T number](e *Elem, k T) func(machine.Frame) T {
	xs, is, plus, s := e.parts()
	return func(f machine.Frame) T {
		v, i := machine.At[sequence](f, xs), *machine.At[int](f, is)+plus
		if uint(i) >= uint(v.Len) {
			machine.PanicIndex(f, s, i, v.Len)
		}
		return *(*T)(unsafe.Add(v.Ptr, uintptr(i)*unsafe.Sizeof(k))) + k
	}
}

// addToSum compiles x + y + k.
//
// The additions keep their order, which matters for floats.
//
//go:noinline
func addToSum[T number](x *Sum, k T) func(machine.Frame) T {
	a, b := x.a, x.b
	if x.left == nil {
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) + *(*T)(unsafe.Add(f, b)) + k }
	}
	left := x.left.(func(machine.Frame) T)
	return func(f machine.Frame) T { return left(f) + *(*T)(unsafe.Add(f, b)) + k }
}

// sub compiles x - y.
func sub[T number](x, y Value) func(machine.Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) - *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) - k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case x.Form == FormConst:
		k := x.Const.(T)
		return func(f machine.Frame) T { return k - right(f) }
	case x.Pointed != nil && y.Pointed != nil:
		p, q := x.Pointed, y.Pointed
		return func(f machine.Frame) T { v := *(*T)(p.address(f)); return v - *(*T)(q.address(f)) }
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return left(f) - k }
	case y.Form == FormLocal:
		return func(f machine.Frame) T { return left(f) - *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) - right(f) }
	}
	return func(f machine.Frame) T { return left(f) - right(f) }
}

// mul compiles x * y. Factors that are elements of slices in local variables are read without the
// call of a closure.
func mul[T number](x, y Value) func(machine.Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) * *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) * k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case x.Form == FormConst:
		k := x.Const.(T)
		return func(f machine.Frame) T { return k * right(f) }
	case x.Form == FormLocal && y.Pointed != nil:
		p := y.Pointed
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) * *(*T)(p.address(f)) }
	case y.Pointed != nil:
		p := y.Pointed
		return func(f machine.Frame) T { v := left(f); return v * *(*T)(p.address(f)) }
	case x.Sum != nil && x.Sum.left == nil:
		i, j := x.Sum.a, x.Sum.b
		return func(f machine.Frame) T { return (*(*T)(unsafe.Add(f, i)) + *(*T)(unsafe.Add(f, j))) * right(f) }
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return left(f) * k }
	case y.Form == FormLocal:
		return func(f machine.Frame) T { return left(f) * *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) * right(f) }
	case x.Elem != nil && y.Elem != nil:
		return mulElems[T](x.Elem, y.Elem)
	case y.Elem != nil:
		e := y.Elem
		return func(f machine.Frame) T { v := left(f); return v * at[T](e, f) }
	}
	return func(f machine.Frame) T { return left(f) * right(f) }
}

// mulElems multiplies elements of slices, as products of vectors and matrices do.
//
//go:noinline
func mulElems[T number](x, y *Elem) func(machine.Frame) T {
	return func(f machine.Frame) T { v := at[T](x, f); return v * at[T](y, f) }
}

func and[T integer](x, y Value) func(machine.Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) & *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) & k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return left(f) & k }
	case y.Form == FormLocal:
		return func(f machine.Frame) T { return left(f) & *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) & right(f) }
	}
	return func(f machine.Frame) T { return left(f) & right(f) }
}

func or[T integer](x, y Value) func(machine.Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) | *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) | k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return left(f) | k }
	case y.Form == FormLocal:
		return func(f machine.Frame) T { return left(f) | *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) | right(f) }
	}
	return func(f machine.Frame) T { return left(f) | right(f) }
}

func xor[T integer](x, y Value) func(machine.Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) ^ *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) ^ k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return left(f) ^ k }
	case y.Form == FormLocal:
		return func(f machine.Frame) T { return left(f) ^ *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) ^ right(f) }
	}
	return func(f machine.Frame) T { return left(f) ^ right(f) }
}

func andNot[T integer](x, y Value) func(machine.Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) &^ *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) &^ k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) T { return left(f) &^ k }
	case y.Form == FormLocal:
		return func(f machine.Frame) T { return left(f) &^ *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, a)) &^ right(f) }
	}
	return func(f machine.Frame) T { return left(f) &^ right(f) }
}

// The comparisons have fewer forms than the arithmetic operations. Most conditions of loops compare
// a variable with a variable or a constant.
func less[T Ordered](x, y Value) func(machine.Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) < *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) < k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch y.Form {
	case FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return left(f) < k }
	case FormLocal:
		return func(f machine.Frame) bool { return left(f) < *(*T)(unsafe.Add(f, b)) }
	}
	return func(f machine.Frame) bool { return left(f) < right(f) }
}

func lessEqual[T Ordered](x, y Value) func(machine.Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) <= *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) <= k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch y.Form {
	case FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return left(f) <= k }
	case FormLocal:
		return func(f machine.Frame) bool { return left(f) <= *(*T)(unsafe.Add(f, b)) }
	}
	return func(f machine.Frame) bool { return left(f) <= right(f) }
}

func greater[T Ordered](x, y Value) func(machine.Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) > *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) > k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch y.Form {
	case FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return left(f) > k }
	case FormLocal:
		return func(f machine.Frame) bool { return left(f) > *(*T)(unsafe.Add(f, b)) }
	}
	return func(f machine.Frame) bool { return left(f) > right(f) }
}

func greaterEqual[T Ordered](x, y Value) func(machine.Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) >= *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) >= k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch y.Form {
	case FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return left(f) >= k }
	case FormLocal:
		return func(f machine.Frame) bool { return left(f) >= *(*T)(unsafe.Add(f, b)) }
	}
	return func(f machine.Frame) bool { return left(f) >= right(f) }
}

// same compiles x == y.
func same[T Ordered](x, y Value) func(machine.Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) == *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) == k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return left(f) == k }
	case y.Form == FormLocal:
		return func(f machine.Frame) bool { return left(f) == *(*T)(unsafe.Add(f, b)) }
	case x.Elem != nil && y.Elem != nil && x.Elem.index == nil && y.Elem.index == nil:
		return compareElems[T](x.Elem, y.Elem, true)
	case x.Elem != nil && y.Elem != nil:
		p, q := x.Elem, y.Elem
		return func(f machine.Frame) bool { v := at[T](p, f); return v == at[T](q, f) }
	}
	return func(f machine.Frame) bool { return left(f) == right(f) }
}

// compareElems compiles x[i] == y[j] for indices near variables, or x[i] != y[j].
//
//go:noinline
func compareElems[T Ordered](x, y *Elem, equal bool) func(machine.Frame) bool {
	xs, is, plusI, s := x.parts()
	ys, js, plusJ, r := y.parts()
	return func(f machine.Frame) bool {
		v, i := machine.At[sequence](f, xs), *machine.At[int](f, is)+plusI
		if uint(i) >= uint(v.Len) {
			machine.PanicIndex(f, s, i, v.Len)
		}
		w, j := machine.At[sequence](f, ys), *machine.At[int](f, js)+plusJ
		if uint(j) >= uint(w.Len) {
			machine.PanicIndex(f, r, j, w.Len)
		}
		size := unsafe.Sizeof(*new(T))
		return (*(*T)(unsafe.Add(v.Ptr, uintptr(i)*size)) == *(*T)(unsafe.Add(w.Ptr, uintptr(j)*size))) == equal
	}
}

// It is not compiled as the negation of same, which would cost a call.
func differ[T Ordered](x, y Value) func(machine.Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) != *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return *(*T)(unsafe.Add(f, a)) != k }
	}
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) bool { return left(f) != k }
	case y.Form == FormLocal:
		return func(f machine.Frame) bool { return left(f) != *(*T)(unsafe.Add(f, b)) }
	case x.Elem != nil && y.Elem != nil && x.Elem.index == nil && y.Elem.index == nil:
		return compareElems[T](x.Elem, y.Elem, false)
	case x.Elem != nil && y.Elem != nil:
		p, q := x.Elem, y.Elem
		return func(f machine.Frame) bool { v := at[T](p, f); return v != at[T](q, f) }
	}
	return func(f machine.Frame) bool { return left(f) != right(f) }
}
