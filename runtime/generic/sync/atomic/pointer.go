// Package atomic holds the generic type of the standard package sync/atomic.
package atomic

import "sync"

// A Pointer is a pointer that may be used from several goroutines. Its zero value holds
// nil. It must not be copied after first use.
type Pointer[T any] struct {
	mutex   sync.Mutex // guards pointer
	pointer *T
}

// Load returns the pointer.
func (x *Pointer[T]) Load() *T {
	x.mutex.Lock()
	p := x.pointer
	x.mutex.Unlock()
	return p
}

// Store sets the pointer.
func (x *Pointer[T]) Store(val *T) {
	x.mutex.Lock()
	x.pointer = val
	x.mutex.Unlock()
}

// Swap sets the pointer and returns the one before.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	x.mutex.Lock()
	old = x.pointer
	x.pointer = new
	x.mutex.Unlock()
	return old
}

// CompareAndSwap sets the pointer to new if it is old, and tells whether it was.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	x.mutex.Lock()
	if x.pointer == old {
		x.pointer = new
		swapped = true
	}
	x.mutex.Unlock()
	return swapped
}
