// Package unique holds the generic type and function of the standard package unique.
package unique

// A Handle represents a value. Two handles are equal exactly if their values are equal. Unlike the
// standard type it holds the value itself, so comparing handles of long values is slower.
//
// Comparing handles as values has the same result as comparing the pointers to canonical values
// that the standard type has. Only the memory that canonical values would save is not saved.
type Handle[T comparable] struct {
	value T
}

// Value returns the represented value.
func (h Handle[T]) Value() T {
	return h.value
}

// Make returns a handle for a value.
func Make[T comparable](value T) Handle[T] {
	return Handle[T]{value}
}
