package slices

// Insert inserts values before index i and returns the resulting slice. It panics if i is out of
// range. If the capacity of s suffices, the elements from i on are moved within s.
//
// The result shares the array of s if the capacity suffices, as with append. Programs may depend on
// that, and on the panic for an invalid i before anything is changed.
func Insert[S ~[]E, E any](s S, i int, v ...E) S {
	tail := s[i:] // panics as documented
	if len(v) == 0 {
		return s
	}
	n := len(s)
	if i == n {
		return append(s, v...)
	}
	// Append grows to a size class of the allocator, as the standard function does, so that capacities
	// agree.
	if n+len(v) > cap(s) {
		r := append(s[:i:i], make(S, n+len(v)-i)...)
		copy(r[i:], v)
		copy(r[i+len(v):], tail)
		return r
	}
	// The values may be part of s, and moving the elements would overwrite them.
	values := append([]E(nil), v...)
	s = s[:n+len(v)]
	copy(s[i+len(values):], s[i:n])
	copy(s[i:], values)
	return s
}

// Delete removes the elements s[i:j] and returns the resulting slice. The unused elements at the
// end of s are cleared. Delete panics if s[i:j] is not valid.
func Delete[S ~[]E, E any](s S, i, j int) S {
	_ = s[i:j:len(s)]
	if i == j {
		return s
	}
	r := append(s[:i], s[j:]...)
	clearFrom(s, len(r))
	return r
}

// DeleteFunc removes the elements for which del returns true.
//
// The elements before the first one to delete are not moved. del is called once for each element,
// in order, before the element is overwritten.
func DeleteFunc[S ~[]E, E any](s S, del func(E) bool) S {
	kept := 0
	for kept < len(s) && !del(s[kept]) {
		kept++
	}
	for i := kept + 1; i < len(s); i++ {
		v := s[i]
		if !del(v) {
			s[kept] = v
			kept++
		}
	}
	clearFrom(s, kept)
	return s[:kept]
}

// Replace replaces the elements s[i:j] by values and returns the resulting slice. It panics if
// s[i:j] is not valid.
//
// The cases without a tail and without elements to replace need no copy of the values: append and
// Insert handle values that are part of s.
func Replace[S ~[]E, E any](s S, i, j int, v ...E) S {
	_ = s[i:j]
	if i == j {
		return Insert(s, i, v...)
	}
	if j == len(s) {
		r := append(s[:i], v...)
		if len(r) < len(s) {
			clearFrom(s, len(r))
		}
		return r
	}
	n := i + len(v) + len(s) - j
	if n > cap(s) {
		// The limited capacity makes append allocate a new array, since s has to stay as it is.
		r := append(s[:i:i], make(S, n-i)...)
		copy(r[i:], v)
		copy(r[i+len(v):], s[j:])
		return r
	}
	values := append([]E(nil), v...) // the values may be part of s
	r := s[:n]
	copy(r[i+len(values):], s[j:])
	copy(r[i:], values)
	if n < len(s) {
		clearFrom(s, n)
	}
	return r
}

// clearFrom clears the elements from index i on, so that they keep no objects alive.
//
// The standard functions clear these elements since Go 1.22.
func clearFrom[S ~[]E, E any](s S, i int) {
	var zero E
	for ; i < len(s); i++ {
		s[i] = zero
	}
}

// Clone returns a shallow copy of s. It returns nil if s is nil.
//
// An empty slice that is not nil stays so: append to a slice without capacity keeps it. The
// capacity may be larger than the length.
func Clone[S ~[]E, E any](s S) S {
	if s == nil {
		return nil
	}
	return append(s[:0:0], s...)
}

// Compact replaces each run of equal elements by a single one.
//
// Elements are compared with their predecessors in s, which are unchanged at that time: kept never
// exceeds i.
func Compact[S ~[]E, E comparable](s S) S {
	if len(s) < 2 {
		return s
	}
	kept := 1
	for i := 1; i < len(s); i++ {
		if s[i] != s[i-1] {
			if i != kept {
				s[kept] = s[i]
			}
			kept++
		}
	}
	clearFrom(s, kept)
	return s[:kept]
}

// CompactFunc is like Compact, but compares elements with eq. It keeps the first element of each
// run.
//
// The arguments of eq are the element and its predecessor, in this order, which programs with
// asymmetric functions can observe.
func CompactFunc[S ~[]E, E any](s S, eq func(E, E) bool) S {
	if len(s) < 2 {
		return s
	}
	kept := 1
	for i := 1; i < len(s); i++ {
		if !eq(s[i], s[i-1]) {
			if i != kept {
				s[kept] = s[i]
			}
			kept++
		}
	}
	clearFrom(s, kept)
	return s[:kept]
}

// Grow increases the capacity, if necessary, to hold n more elements. It panics if n is negative.
func Grow[S ~[]E, E any](s S, n int) S {
	if n < 0 {
		panic("cannot be negative")
	}
	if n > cap(s)-len(s) {
		// Append to the full slice makes room for n elements without losing those between length and
		// capacity, which the standard function keeps, too.
		full := s[:cap(s)]
		s = append(full, make([]E, n-(cap(s)-len(s)))...)[:len(s)]
	}
	return s
}

// Clip removes the unused capacity.
//
// Append to the result allocates, so that two holders of the array do not overwrite each other.
func Clip[S ~[]E, E any](s S) S {
	return s[:len(s):len(s)]
}

// Reverse reverses the elements in place.
func Reverse[S ~[]E, E any](s S) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// Concat returns a new slice with the elements of all slices. It returns nil if there are none.
//
// The result is allocated once.
func Concat[S ~[]E, E any](slices ...S) S {
	size := 0
	for _, s := range slices {
		size += len(s)
		if size < 0 {
			panic("len out of range")
		}
	}
	if size == 0 {
		return nil
	}
	r := make(S, 0, size)
	for _, s := range slices {
		r = append(r, s...)
	}
	return r
}

// Repeat returns a new slice that contains the elements of x count times. It panics if count is
// negative or the length overflows int.
//
// Without elements, any count is valid.
func Repeat[S ~[]E, E any](x S, count int) S {
	if count < 0 {
		panic("cannot be negative")
	}
	n := len(x) * count
	if len(x) > 0 && n/len(x) != count {
		panic("the result of (len(x) * count) overflows")
	}
	r := make(S, 0, n)
	for i := 0; i < count && len(x) > 0; i++ {
		r = append(r, x...)
	}
	return r
}
