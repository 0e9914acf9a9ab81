// Package atomic holds the generic type of the standard package sync/atomic.
package atomic

import (
	"sync/atomic"
	"unsafe"
)

// A Pointer is a pointer that may be used from several goroutines. Its zero value holds
// nil. It must not be copied after first use.
type Pointer[T any] struct {
	_ [0]*T // so that pointers to different types are not converted into one another
	p unsafe.Pointer
}

// Load returns the pointer.
func (x *Pointer[T]) Load() *T { return (*T)(atomic.LoadPointer(&x.p)) }

// Store sets the pointer.
func (x *Pointer[T]) Store(val *T) { atomic.StorePointer(&x.p, unsafe.Pointer(val)) }

// Swap sets the pointer and returns the one before.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	return (*T)(atomic.SwapPointer(&x.p, unsafe.Pointer(new)))
}

// CompareAndSwap sets the pointer to new if it is old, and reports whether it was.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	return atomic.CompareAndSwapPointer(&x.p, unsafe.Pointer(old), unsafe.Pointer(new))
}
