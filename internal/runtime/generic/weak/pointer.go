// Package weak holds the generic type and function of the standard package weak.
package weak

import "gosphere/internal/runtime/generic/erased"

// A Pointer points to a variable without keeping it from being collected. Two pointers are equal exactly if those that
// they were made from were.
type Pointer[T any] struct {
	weak erased.Weak
}

// Make returns a weak pointer to the variable that ptr points to.
func Make[T any](ptr *T) Pointer[T] {
	if ptr == nil {
		return Pointer[T]{}
	}
	return Pointer[T]{erased.MakeWeak(ptr)}
}

// Value returns the pointer, nil when the variable has been collected.
func (p Pointer[T]) Value() *T {
	return p.weak.Value((*T)(nil)).(*T)
}
