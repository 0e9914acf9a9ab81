package exec

// The functions of this file compile one operation each, with a closure for every form of its
// operands: locals and constants are read without a call.

func add[T number](x, y value) func(frame) T {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) T { return *at[T](f, a) + *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return *at[T](f, a) + k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	switch {
	case y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return left(f) + k }
	case y.form == formLocal:
		return func(f frame) T { return left(f) + *at[T](f, b) }
	case x.form == formLocal:
		return func(f frame) T { return *at[T](f, a) + right(f) }
	}
	return func(f frame) T { return left(f) + right(f) }
}

func sub[T number](x, y value) func(frame) T {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) T { return *at[T](f, a) - *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return *at[T](f, a) - k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	switch {
	case y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return left(f) - k }
	case y.form == formLocal:
		return func(f frame) T { return left(f) - *at[T](f, b) }
	case x.form == formLocal:
		return func(f frame) T { return *at[T](f, a) - right(f) }
	}
	return func(f frame) T { return left(f) - right(f) }
}

func mul[T number](x, y value) func(frame) T {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) T { return *at[T](f, a) * *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return *at[T](f, a) * k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	switch {
	case y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return left(f) * k }
	case y.form == formLocal:
		return func(f frame) T { return left(f) * *at[T](f, b) }
	case x.form == formLocal:
		return func(f frame) T { return *at[T](f, a) * right(f) }
	}
	return func(f frame) T { return left(f) * right(f) }
}

func and[T integer](x, y value) func(frame) T {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) T { return *at[T](f, a) & *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return *at[T](f, a) & k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	switch {
	case y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return left(f) & k }
	case y.form == formLocal:
		return func(f frame) T { return left(f) & *at[T](f, b) }
	case x.form == formLocal:
		return func(f frame) T { return *at[T](f, a) & right(f) }
	}
	return func(f frame) T { return left(f) & right(f) }
}

func or[T integer](x, y value) func(frame) T {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) T { return *at[T](f, a) | *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return *at[T](f, a) | k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	switch {
	case y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return left(f) | k }
	case y.form == formLocal:
		return func(f frame) T { return left(f) | *at[T](f, b) }
	case x.form == formLocal:
		return func(f frame) T { return *at[T](f, a) | right(f) }
	}
	return func(f frame) T { return left(f) | right(f) }
}

func xor[T integer](x, y value) func(frame) T {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) T { return *at[T](f, a) ^ *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return *at[T](f, a) ^ k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	switch {
	case y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return left(f) ^ k }
	case y.form == formLocal:
		return func(f frame) T { return left(f) ^ *at[T](f, b) }
	case x.form == formLocal:
		return func(f frame) T { return *at[T](f, a) ^ right(f) }
	}
	return func(f frame) T { return left(f) ^ right(f) }
}

func andNot[T integer](x, y value) func(frame) T {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) T { return *at[T](f, a) &^ *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return *at[T](f, a) &^ k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	switch {
	case y.form == formConst:
		k := y.konst.(T)
		return func(f frame) T { return left(f) &^ k }
	case y.form == formLocal:
		return func(f frame) T { return left(f) &^ *at[T](f, b) }
	case x.form == formLocal:
		return func(f frame) T { return *at[T](f, a) &^ right(f) }
	}
	return func(f frame) T { return left(f) &^ right(f) }
}

func less[T ordered](x, y value) func(frame) bool {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) bool { return *at[T](f, a) < *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) bool { return *at[T](f, a) < k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	if y.form == formConst {
		k := y.konst.(T)
		return func(f frame) bool { return left(f) < k }
	}
	return func(f frame) bool { return left(f) < right(f) }
}

func lessEqual[T ordered](x, y value) func(frame) bool {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) bool { return *at[T](f, a) <= *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) bool { return *at[T](f, a) <= k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	if y.form == formConst {
		k := y.konst.(T)
		return func(f frame) bool { return left(f) <= k }
	}
	return func(f frame) bool { return left(f) <= right(f) }
}

func greater[T ordered](x, y value) func(frame) bool {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) bool { return *at[T](f, a) > *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) bool { return *at[T](f, a) > k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	if y.form == formConst {
		k := y.konst.(T)
		return func(f frame) bool { return left(f) > k }
	}
	return func(f frame) bool { return left(f) > right(f) }
}

func greaterEqual[T ordered](x, y value) func(frame) bool {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) bool { return *at[T](f, a) >= *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) bool { return *at[T](f, a) >= k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	if y.form == formConst {
		k := y.konst.(T)
		return func(f frame) bool { return left(f) >= k }
	}
	return func(f frame) bool { return left(f) >= right(f) }
}

func same[T ordered](x, y value) func(frame) bool {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) bool { return *at[T](f, a) == *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) bool { return *at[T](f, a) == k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	if y.form == formConst {
		k := y.konst.(T)
		return func(f frame) bool { return left(f) == k }
	}
	return func(f frame) bool { return left(f) == right(f) }
}

func differ[T ordered](x, y value) func(frame) bool {
	a, b := x.slot, y.slot
	switch {
	case x.form == formLocal && y.form == formLocal:
		return func(f frame) bool { return *at[T](f, a) != *at[T](f, b) }
	case x.form == formLocal && y.form == formConst:
		k := y.konst.(T)
		return func(f frame) bool { return *at[T](f, a) != k }
	}
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	if y.form == formConst {
		k := y.konst.(T)
		return func(f frame) bool { return left(f) != k }
	}
	return func(f frame) bool { return left(f) != right(f) }
}
