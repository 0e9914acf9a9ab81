// Package slices holds the generic functions of the standard package slices.
//
// search.go contains functions that examine slices, edit.go those that change or make slices,
// sort.go those that sort, and sequence.go those that use iterators.
package slices

import "cmp"

// Equal reports whether two slices have the same length and equal elements.
func Equal[S ~[]E, E comparable](s1, s2 S) bool {
	if len(s1) != len(s2) {
		return false
	}
	// Neither loop over indices copies an element that is a struct.
	for i := range s1 {
		if s1[i] != s2[i] {
			return false
		}
	}
	return true
}

// EqualFunc is like Equal, but compares elements with eq.
//
// The lengths are compared first, so eq is not called for slices of different lengths.
func EqualFunc[S1 ~[]E1, S2 ~[]E2, E1, E2 any](s1 S1, s2 S2, eq func(E1, E2) bool) bool {
	if len(s1) != len(s2) {
		return false
	}
	for i, v := range s1 {
		if !eq(v, s2[i]) {
			return false
		}
	}
	return true
}

// Compare compares two slices element by element. If one is a prefix of the other, the shorter one
// is less.
func Compare[S ~[]E, E cmp.Ordered](s1, s2 S) int {
	for i, v := range s1 {
		if i >= len(s2) {
			return 1
		}
		if c := cmp.Compare(v, s2[i]); c != 0 {
			return c
		}
	}
	if len(s1) < len(s2) {
		return -1
	}
	return 0
}

// CompareFunc is like Compare, but compares elements with cmp.
//
// The parameter cmp hides the package of the same name, which the function does not need.
func CompareFunc[S1 ~[]E1, S2 ~[]E2, E1, E2 any](s1 S1, s2 S2, cmp func(E1, E2) int) int {
	for i, v := range s1 {
		if i >= len(s2) {
			return 1
		}
		if c := cmp(v, s2[i]); c != 0 {
			return c
		}
	}
	if len(s1) < len(s2) {
		return -1
	}
	return 0
}

// Index returns the first index of v in s, or −1.
func Index[S ~[]E, E comparable](s S, v E) int {
	for i := range s {
		if v == s[i] {
			return i
		}
	}
	return -1
}

// IndexFunc returns the first index whose element satisfies f, or −1.
func IndexFunc[S ~[]E, E any](s S, f func(E) bool) int {
	for i := range s {
		if f(s[i]) {
			return i
		}
	}
	return -1
}

// Contains reports whether v is in s.
//
// It repeats the loop of Index, because a call would cost a frame for each use.
func Contains[S ~[]E, E comparable](s S, v E) bool {
	for i := range s {
		if v == s[i] {
			return true
		}
	}
	return false
}

// ContainsFunc reports whether an element of s satisfies f.
func ContainsFunc[S ~[]E, E any](s S, f func(E) bool) bool {
	for i := range s {
		if f(s[i]) {
			return true
		}
	}
	return false
}

// Min returns the smallest element. It panics if x is empty. If an element is NaN, so is the
// result.
func Min[S ~[]E, E cmp.Ordered](x S) E {
	if len(x) < 1 {
		panic("slices.Min: empty list")
	}
	m := x[0]
	for i := 1; i < len(x); i++ {
		// The built-in min propagates NaN.
		m = min(m, x[i])
	}
	return m
}

// MinFunc returns the first of the smallest elements according to cmp. It panics if x is empty.
//
// A later element replaces the minimum only if it is less, so the first of several is returned,
// which the standard function documents.
func MinFunc[S ~[]E, E any](x S, cmp func(a, b E) int) E {
	if len(x) < 1 {
		panic("slices.MinFunc: empty list")
	}
	m := x[0]
	for i := 1; i < len(x); i++ {
		if cmp(x[i], m) < 0 {
			m = x[i]
		}
	}
	return m
}

// Max returns the largest element. It panics if x is empty. If an element is NaN, so is the result.
func Max[S ~[]E, E cmp.Ordered](x S) E {
	if len(x) < 1 {
		panic("slices.Max: empty list")
	}
	m := x[0]
	for i := 1; i < len(x); i++ {
		m = max(m, x[i])
	}
	return m
}

// MaxFunc returns the first of the largest elements according to cmp. It panics if x is empty.
//
// The first of several maximal elements is returned, as by the standard function.
func MaxFunc[S ~[]E, E any](x S, cmp func(a, b E) int) E {
	if len(x) < 1 {
		panic("slices.MaxFunc: empty list")
	}
	m := x[0]
	for i := 1; i < len(x); i++ {
		if cmp(x[i], m) > 0 {
			m = x[i]
		}
	}
	return m
}

// BinarySearch returns the position of target in a sorted slice, or the position at which it would
// be inserted, and reports whether it is present.
//
// The slice must be sorted in the order of cmp.Less, with NaNs first.
func BinarySearch[S ~[]E, E cmp.Ordered](x S, target E) (int, bool) {
	low, high := 0, len(x)
	for low < high {
		// The sum of low and high might overflow for slices of elements without size.
		middle := low + (high-low)/2
		if cmp.Less(x[middle], target) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	// The last condition finds a NaN, which equals no element, not even another NaN.
	return low, low < len(x) && (x[low] == target || x[low] != x[low] && target != target)
}

// BinarySearchFunc is like BinarySearch, but compares elements with cmp.
//
// The calls of cmp have the element first and the target second, since their types may differ.
func BinarySearchFunc[S ~[]E, E, T any](x S, target T, cmp func(E, T) int) (int, bool) {
	low, high := 0, len(x)
	for low < high {
		middle := low + (high-low)/2
		if cmp(x[middle], target) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < len(x) && cmp(x[low], target) == 0
}
