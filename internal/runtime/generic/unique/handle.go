// Package unique holds the generic type and function of the standard package unique.
package unique

// A Handle stands for a value: two handles are equal exactly if their values are. Unlike
// the standard one it holds the value itself, so comparing long values takes longer.
type Handle[T comparable] struct {
	value T
}

// Value returns the value.
func (h Handle[T]) Value() T {
	return h.value
}

// Make returns the handle of a value.
func Make[T comparable](value T) Handle[T] {
	return Handle[T]{value}
}
