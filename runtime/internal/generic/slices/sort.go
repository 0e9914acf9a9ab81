package slices

import "cmp"

// insertionRun is the length up to which insertion sort is faster than merge sort. Up to this
// length, the standard functions also keep the order of equal elements. Programs may have come to
// depend on that for short slices.
const insertionRun = 12

// Sort sorts x in ascending order. NaNs precede other numbers.
//
// It is a merge sort from below: runs of insertionRun elements are sorted in place and then merged
// in pairs. The standard function is a pattern-defeating quicksort, which makes more comparisons
// for random input and has far more code. It needs no memory, but memory is cheap here compared
// with the steps of a program in cells. Elements that are equal cannot be distinguished, except for
// zeros of different sign and NaNs.
func Sort[S ~[]E, E cmp.Ordered](x S) {
	n := len(x)
	for low := 0; low < n; low += insertionRun {
		high := low + insertionRun
		if high > n {
			high = n
		}
		for i := low + 1; i < high; i++ {
			v := x[i]
			j := i
			for j > low && (v < x[j-1] || v != v && x[j-1] == x[j-1]) {
				x[j] = x[j-1]
				j--
			}
			x[j] = v
		}
	}
	if n <= insertionRun {
		return
	}
	left := make([]E, n)
	for width := insertionRun; width < n; width *= 2 {
		for low := 0; low+width < n; low += 2 * width {
			high := low + 2*width
			if high > n {
				high = n
			}
			mergeOrdered(x[low:high], width, left)
		}
	}
}

// mergeOrdered merges the sorted halves x[:middle] and x[middle:].
//
// Only the left half is copied. The merge then cannot overwrite elements of the right half that it
// still needs, because k is at most j.
func mergeOrdered[E cmp.Ordered](x []E, middle int, left []E) {
	// The halves are in order already, which makes sorted input linear.
	if v := x[middle]; !(v < x[middle-1] || v != v && x[middle-1] == x[middle-1]) {
		return
	}
	copy(left, x[:middle])
	n := len(x)
	i, j, k := 0, middle, 0
	for i < middle && j < n {
		v := x[j]
		if v < left[i] || v != v && left[i] == left[i] {
			x[k] = v
			j++
		} else {
			x[k] = left[i]
			i++
		}
		k++
	}
	copy(x[k:], left[i:middle])
}

// SortFunc sorts x according to cmp. It keeps the order of equal elements, which the standard
// function does not guarantee.
//
// A program that works with this function may not work with the standard one, if it relies on the
// order. The converse holds, and that is what cells need.
func SortFunc[S ~[]E, E any](x S, cmp func(a, b E) int) {
	sortStable(x, cmp)
}

// SortStableFunc sorts x according to cmp and keeps the order of equal elements.
func SortStableFunc[S ~[]E, E any](x S, cmp func(a, b E) int) {
	sortStable(x, cmp)
}

// It is Sort with a function. A function literal around cmp.Compare in Sort would cost a call for
// each comparison.
func sortStable[E any](x []E, cmp func(a, b E) int) {
	n := len(x)
	for low := 0; low < n; low += insertionRun {
		high := low + insertionRun
		if high > n {
			high = n
		}
		for i := low + 1; i < high; i++ {
			for j := i; j > low && cmp(x[j], x[j-1]) < 0; j-- {
				x[j], x[j-1] = x[j-1], x[j]
			}
		}
	}
	if n <= insertionRun {
		return
	}
	left := make([]E, n)
	for width := insertionRun; width < n; width *= 2 {
		for low := 0; low+width < n; low += 2 * width {
			high := low + 2*width
			if high > n {
				high = n
			}
			mergeFunc(x[low:high], width, left, cmp)
		}
	}
}

// mergeFunc merges the sorted halves x[:middle] and x[middle:].
func mergeFunc[E any](x []E, middle int, left []E, cmp func(a, b E) int) {
	if cmp(x[middle], x[middle-1]) >= 0 {
		return
	}
	copy(left, x[:middle])
	n := len(x)
	i, j, k := 0, middle, 0
	for i < middle && j < n {
		if cmp(x[j], left[i]) < 0 {
			x[k] = x[j]
			j++
		} else {
			x[k] = left[i]
			i++
		}
		k++
	}
	copy(x[k:], left[i:middle])
}

// IsSorted reports whether x is sorted in ascending order, with NaNs before other numbers.
//
// It goes from the end to the beginning like the standard function, which matters for the calls of
// cmp in IsSortedFunc.
func IsSorted[S ~[]E, E cmp.Ordered](x S) bool {
	for i := len(x) - 1; i > 0; i-- {
		if cmp.Less(x[i], x[i-1]) {
			return false
		}
	}
	return true
}

// IsSortedFunc reports whether x is sorted according to cmp.
func IsSortedFunc[S ~[]E, E any](x S, cmp func(a, b E) int) bool {
	for i := len(x) - 1; i > 0; i-- {
		if cmp(x[i], x[i-1]) < 0 {
			return false
		}
	}
	return true
}
