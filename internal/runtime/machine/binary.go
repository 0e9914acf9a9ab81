package machine

// The functions of this file compile one binary operation each. They have a closure for each
// combination of operand forms, so that locals and constants are read without a call. Calls of
// closures dominate the cost of expressions.

// add compiles x + y. In the last form Go evaluates left before right, which is the order of the
// representation: both are calls.
func add[T number](x, y Value) func(Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) + *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return *At[T](f, a) + k }
	case x.Sum != nil && y.Form == FormConst:
		return addToSum(x.Sum, y.Const.(T))
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return left(f) + k }
	case y.Form == FormLocal:
		return func(f Frame) T { return left(f) + *At[T](f, b) }
	case x.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) + right(f) }
	}
	return func(f Frame) T { return left(f) + right(f) }
}

// addToSum compiles x + y + k.
func addToSum[T number](x *Sum, k T) func(Frame) T {
	a, b := x.a, x.b
	if x.left == nil {
		return func(f Frame) T { return *At[T](f, a) + *At[T](f, b) + k }
	}
	left := x.left.(func(Frame) T)
	return func(f Frame) T { return left(f) + *At[T](f, b) + k }
}

// sub compiles x - y.
func sub[T number](x, y Value) func(Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) - *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return *At[T](f, a) - k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return left(f) - k }
	case y.Form == FormLocal:
		return func(f Frame) T { return left(f) - *At[T](f, b) }
	case x.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) - right(f) }
	}
	return func(f Frame) T { return left(f) - right(f) }
}

// mul compiles x * y. Factors that are elements of slices in local variables are read without the
// call of a closure.
func mul[T number](x, y Value) func(Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) * *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return *At[T](f, a) * k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return left(f) * k }
	case y.Form == FormLocal:
		return func(f Frame) T { return left(f) * *At[T](f, b) }
	case x.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) * right(f) }
	case x.Elem != nil && y.Elem != nil:
		return mulElems[T](x.Elem, y.Elem)
	case y.Elem != nil:
		e := y.Elem
		return func(f Frame) T { v := left(f); return v * at[T](e, f) }
	}
	return func(f Frame) T { return left(f) * right(f) }
}

// mulElems multiplies elements of slices, as products of vectors and matrices do.
func mulElems[T number](x, y *Elem) func(Frame) T {
	return func(f Frame) T { v := at[T](x, f); return v * at[T](y, f) }
}

func and[T integer](x, y Value) func(Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) & *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return *At[T](f, a) & k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return left(f) & k }
	case y.Form == FormLocal:
		return func(f Frame) T { return left(f) & *At[T](f, b) }
	case x.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) & right(f) }
	}
	return func(f Frame) T { return left(f) & right(f) }
}

func or[T integer](x, y Value) func(Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) | *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return *At[T](f, a) | k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return left(f) | k }
	case y.Form == FormLocal:
		return func(f Frame) T { return left(f) | *At[T](f, b) }
	case x.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) | right(f) }
	}
	return func(f Frame) T { return left(f) | right(f) }
}

func xor[T integer](x, y Value) func(Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) ^ *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return *At[T](f, a) ^ k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return left(f) ^ k }
	case y.Form == FormLocal:
		return func(f Frame) T { return left(f) ^ *At[T](f, b) }
	case x.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) ^ right(f) }
	}
	return func(f Frame) T { return left(f) ^ right(f) }
}

func andNot[T integer](x, y Value) func(Frame) T {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) &^ *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return *At[T](f, a) &^ k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	switch {
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) T { return left(f) &^ k }
	case y.Form == FormLocal:
		return func(f Frame) T { return left(f) &^ *At[T](f, b) }
	case x.Form == FormLocal:
		return func(f Frame) T { return *At[T](f, a) &^ right(f) }
	}
	return func(f Frame) T { return left(f) &^ right(f) }
}

func less[T Ordered](x, y Value) func(Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) bool { return *At[T](f, a) < *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) bool { return *At[T](f, a) < k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if y.Form == FormConst {
		k := y.Const.(T)
		return func(f Frame) bool { return left(f) < k }
	}
	return func(f Frame) bool { return left(f) < right(f) }
}

func lessEqual[T Ordered](x, y Value) func(Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) bool { return *At[T](f, a) <= *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) bool { return *At[T](f, a) <= k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if y.Form == FormConst {
		k := y.Const.(T)
		return func(f Frame) bool { return left(f) <= k }
	}
	return func(f Frame) bool { return left(f) <= right(f) }
}

func greater[T Ordered](x, y Value) func(Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) bool { return *At[T](f, a) > *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) bool { return *At[T](f, a) > k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if y.Form == FormConst {
		k := y.Const.(T)
		return func(f Frame) bool { return left(f) > k }
	}
	return func(f Frame) bool { return left(f) > right(f) }
}

func greaterEqual[T Ordered](x, y Value) func(Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) bool { return *At[T](f, a) >= *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) bool { return *At[T](f, a) >= k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if y.Form == FormConst {
		k := y.Const.(T)
		return func(f Frame) bool { return left(f) >= k }
	}
	return func(f Frame) bool { return left(f) >= right(f) }
}

// same compiles x == y.
func same[T Ordered](x, y Value) func(Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) bool { return *At[T](f, a) == *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) bool { return *At[T](f, a) == k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if y.Form == FormConst {
		k := y.Const.(T)
		return func(f Frame) bool { return left(f) == k }
	}
	return func(f Frame) bool { return left(f) == right(f) }
}

func differ[T Ordered](x, y Value) func(Frame) bool {
	a, b := x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f Frame) bool { return *At[T](f, a) != *At[T](f, b) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f Frame) bool { return *At[T](f, a) != k }
	}
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if y.Form == FormConst {
		k := y.Const.(T)
		return func(f Frame) bool { return left(f) != k }
	}
	return func(f Frame) bool { return left(f) != right(f) }
}
