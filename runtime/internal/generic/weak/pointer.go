// Package weak holds the generic type and function of the standard package weak.
package weak

import "gosphere/runtime/internal/generic/erased"

// A Pointer is a weak pointer: it does not keep the variable alive. Two Pointers are equal exactly
// if they were made from equal pointers.
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

// Value returns the pointer, or nil if the variable has been collected.
//
// The zero Pointer yields nil, because the zero erased.Weak does.
func (p Pointer[T]) Value() *T {
	return p.weak.Value((*T)(nil)).(*T)
}
