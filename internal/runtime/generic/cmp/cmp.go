// Package cmp holds the generic functions of the standard package cmp.
package cmp

// ordered is the constraint that the standard package calls Ordered.
type ordered interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64 | ~string
}

// Less reports whether x is less than y. A NaN is less than every other number.
func Less[T ordered](x, y T) bool {
	return x < y || x != x && y == y
}

// Compare returns −1 if x is less than y, 0 if they are equal, and 1 if x is greater than y. A NaN
// equals a NaN and is less than any other number.
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
