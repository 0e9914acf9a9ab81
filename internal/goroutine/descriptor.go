// Package goroutine identifies goroutines. It gives the address of the calling goroutine's
// descriptor, the number and the stack of a goroutine, and groups of goroutines that inherit a
// value from the goroutine that started them.
//
// It is the only package of the guard that depends on the implementation of goroutines: on the
// register or thread-local variable that holds the descriptor, on the text of stacks, and on the
// inheritance of profiler labels.
package goroutine
