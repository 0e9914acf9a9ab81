// Package cmp holds the generic functions of the standard package cmp.
package cmp

// ordered is the constraint that the standard package calls Ordered.
//
// It is not exported, since the type checker takes Ordered from the standard package.
type ordered interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64 | ~string
}

// Less reports whether x is less than y. A NaN is less than every other number.
func Less[T ordered](x, y T) bool {
	// A NaN is the only value that differs from itself, which holds for every type of the constraint.
	// There is no math.IsNaN for a type parameter.
	return x < y || x != x && y == y
}

// Compare returns −1 if x is less than y, 0 if they are equal, and 1 if x is greater than y. A NaN
// equals a NaN and is less than any other number.
//
// The order of the tests lets numbers that are not NaN return after at most three comparisons.
func Compare[T ordered](x, y T) int {
	if x < y {
		return -1
	}
	if x > y {
		return 1
	}
	if x == y {
		return 0
	}
	// At least one is a NaN: only a NaN differs from itself.
	if x == x {
		return 1
	}
	if y == y {
		return -1
	}
	return 0
}

// Or returns the first of its arguments that is not zero, or zero if there is none.
func Or[T comparable](vals ...T) T {
	var zero T
	for _, v := range vals {
		if v != zero {
			return v
		}
	}
	return zero
}
