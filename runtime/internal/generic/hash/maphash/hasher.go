package maphash

import "hash/maphash"

// A Hasher defines the equality of values, and hashes that agree with it. Hash tables for keys of
// any type use it.
type Hasher[T any] interface {
	Hash(*maphash.Hash, T)
	Equal(x, y T) bool
}

// A ComparableHasher is the Hasher of the operator ==.
//
// Its field makes hashers of different types inconvertible, as that of the standard type does.
type ComparableHasher[T comparable] struct {
	_ [0]func(T)
}

// Hash adds the hash of v to the data hashed by h.
func (ComparableHasher[T]) Hash(h *maphash.Hash, v T) { WriteComparable(h, v) }

// Equal reports whether x == y.
func (ComparableHasher[T]) Equal(x, y T) bool { return x == y }
