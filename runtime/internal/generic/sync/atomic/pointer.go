// Package atomic holds the generic type of the standard package sync/atomic.
package atomic

import (
	"sync/atomic"
	"unsafe"
)

// A Pointer is an atomic pointer. Its zero value is a nil pointer. It must not be copied after the
// first use.
//
// The layout is that of the standard type. The functions of the compiled package work on
// unsafe.Pointer and are atomic with respect to compiled code as well.
type Pointer[T any] struct {
	_ [0]*T // prevents conversions between Pointers to different types
	p unsafe.Pointer
}

// Load atomically returns the pointer.
func (x *Pointer[T]) Load() *T { return (*T)(atomic.LoadPointer(&x.p)) }

// Store atomically sets the pointer.
func (x *Pointer[T]) Store(val *T) { atomic.StorePointer(&x.p, unsafe.Pointer(val)) }

// Swap atomically sets the pointer and returns the previous one.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	return (*T)(atomic.SwapPointer(&x.p, unsafe.Pointer(new)))
}

// CompareAndSwap atomically sets the pointer to new if it equals old. It reports whether it did.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	return atomic.CompareAndSwapPointer(&x.p, unsafe.Pointer(old), unsafe.Pointer(new))
}
