// Package maps holds the generic functions of the standard package maps. Package generic has the
// rules for the code, such as to call a sequence instead of ranging over it.
package maps

import "iter"

// Equal reports whether two maps have the same keys with equal values.
//
// A key with a NaN is found in no map, so a map with one does not equal itself, as with the
// standard function.
func Equal[M1, M2 ~map[K]V, K, V comparable](m1 M1, m2 M2) bool {
	if len(m1) != len(m2) {
		return false
	}
	for k, v := range m1 {
		w, ok := m2[k]
		if !ok || v != w {
			return false
		}
	}
	return true
}

// EqualFunc is like Equal, but compares values with eq.
//
// The lengths are compared first. Only then does finding all keys of m1 in m2 mean that the keys
// are the same.
func EqualFunc[M1 ~map[K]V1, M2 ~map[K]V2, K comparable, V1, V2 any](m1 M1, m2 M2, eq func(V1, V2) bool) bool {
	if len(m1) != len(m2) {
		return false
	}
	for k, v := range m1 {
		w, ok := m2[k]
		if !ok || !eq(v, w) {
			return false
		}
	}
	return true
}

// Clone returns a shallow copy of m. It returns nil if m is nil.
//
// The standard function copies the memory of the map. The result has the same entries, and iterates
// in a random order as well.
func Clone[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return nil
	}
	r := make(M, len(m))
	for k, v := range m {
		r[k] = v
	}
	return r
}

// Copy copies all entries of src to dst.
func Copy[M1 ~map[K]V, M2 ~map[K]V, K comparable, V any](dst M1, src M2) {
	for k, v := range src {
		dst[k] = v
	}
}

// DeleteFunc deletes the entries for which del returns true.
//
// Deleting during the iteration is permitted by the specification.
func DeleteFunc[M ~map[K]V, K comparable, V any](m M, del func(K, V) bool) {
	for k, v := range m {
		if del(k, v) {
			delete(m, k)
		}
	}
}

// All returns an iterator over the entries of m, in no particular order.
//
// The map is iterated when the function that is returned is called, and each call iterates anew.
func All[Map ~map[K]V, K comparable, V any](m Map) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, v := range m {
			if !yield(k, v) {
				return
			}
		}
	}
}

// Keys returns an iterator over the keys of m, in no particular order.
func Keys[Map ~map[K]V, K comparable, V any](m Map) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Values returns an iterator over the values of m, in no particular order.
func Values[Map ~map[K]V, K comparable, V any](m Map) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// Insert adds the pairs that seq yields to m.
func Insert[Map ~map[K]V, K comparable, V any](m Map, seq iter.Seq2[K, V]) {
	seq(func(k K, v V) bool {
		m[k] = v
		return true
	})
}

// Collect returns a new map with the pairs that seq yields.
func Collect[K comparable, V any](seq iter.Seq2[K, V]) map[K]V {
	m := make(map[K]V)
	seq(func(k K, v V) bool {
		m[k] = v
		return true
	})
	return m
}
