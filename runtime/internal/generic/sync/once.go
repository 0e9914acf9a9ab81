// Package sync holds the generic functions of the standard package sync.
package sync

import "sync"

// OnceValue returns a function that calls f once and returns its value in every call. If f panics,
// every call panics with the same value.
func OnceValue[T any](f func() T) func() T {
	var (
		once       sync.Once
		returned   bool
		panicValue any
		result     T
	)
	return func() T {
		once.Do(func() {
			defer func() {
				if !returned {
					panicValue = recover()
				}
			}()
			result = f()
			f = nil // do not keep f's captured variables alive
			returned = true
		})
		if !returned {
			panic(panicValue)
		}
		return result
	}
}

// OnceValues is like OnceValue for functions with two results.
//
// It repeats OnceValue instead of calling it with a struct, which would have to be a type declared
// outside of the function.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var (
		once       sync.Once
		returned   bool
		panicValue any
		first      T1
		second     T2
	)
	return func() (T1, T2) {
		once.Do(func() {
			defer func() {
				if !returned {
					panicValue = recover()
				}
			}()
			first, second = f()
			f = nil
			returned = true
		})
		if !returned {
			panic(panicValue)
		}
		return first, second
	}
}
