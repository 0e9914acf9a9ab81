package slices

import (
	"cmp"
	"iter"
)

// All returns an iterator over indices and elements.
//
// The iterators of this file evaluate the slice once, when they are made, and read an element when
// its turn comes. A loop over one can thus see changes that its body makes.
func All[Slice ~[]E, E any](s Slice) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for i, v := range s {
			if !yield(i, v) {
				return
			}
		}
	}
}

// Backward returns an iterator over indices and elements from the last to the first.
func Backward[Slice ~[]E, E any](s Slice) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for i := len(s) - 1; i >= 0; i-- {
			if !yield(i, s[i]) {
				return
			}
		}
	}
}

// Values returns an iterator over the elements.
func Values[Slice ~[]E, E any](s Slice) iter.Seq[E] {
	return func(yield func(E) bool) {
		for _, v := range s {
			if !yield(v) {
				return
			}
		}
	}
}

// AppendSeq appends the values that seq yields.
//
// The sequence is called and not ranged over; see the rules in package generic. yield never returns
// false, so no check of its state is needed.
func AppendSeq[Slice ~[]E, E any](s Slice, seq iter.Seq[E]) Slice {
	seq(func(v E) bool {
		s = append(s, v)
		return true
	})
	return s
}

// Collect returns a new slice with the values that seq yields. It returns nil if there are none.
//
// The length is not known in advance, so the slice grows by appending.
func Collect[E any](seq iter.Seq[E]) []E {
	var s []E
	seq(func(v E) bool {
		s = append(s, v)
		return true
	})
	return s
}

// Sorted returns a sorted slice with the values that seq yields.
func Sorted[E cmp.Ordered](seq iter.Seq[E]) []E {
	s := Collect(seq)
	Sort(s)
	return s
}

// SortedFunc is like Sorted, but orders values according to cmp.
func SortedFunc[E any](seq iter.Seq[E], cmp func(E, E) int) []E {
	s := Collect(seq)
	SortFunc(s, cmp)
	return s
}

// SortedStableFunc is like SortedFunc, but keeps the order of equal values.
func SortedStableFunc[E any](seq iter.Seq[E], cmp func(E, E) int) []E {
	s := Collect(seq)
	SortStableFunc(s, cmp)
	return s
}

// Chunk returns an iterator over consecutive parts of n elements, the last of which may be shorter.
// The capacity of each part equals its length. Chunk panics if n is less than 1.
//
// The panic comes when the iterator is made and not when it is used, as in the standard function.
func Chunk[Slice ~[]E, E any](s Slice, n int) iter.Seq[Slice] {
	if n < 1 {
		panic("cannot be less than 1")
	}
	return func(yield func(Slice) bool) {
		for i := 0; i < len(s); i += n {
			end := i + n
			if end > len(s) || end < i { // the sum may overflow
				end = len(s)
			}
			if !yield(s[i:end:end]) || end == len(s) {
				return
			}
		}
	}
}
