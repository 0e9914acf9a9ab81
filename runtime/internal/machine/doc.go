// Package machine implements the execution of compiled cells: frames, threads, calls to and from
// compiled code, panics and deferred calls.
//
// Every call of a function has a frame, which is a block of memory. It begins with a [Header],
// followed by the parameters and results, whose offsets depend only on the signature, and then by
// local variables and temporaries. Each has its real type at a fixed offset.
//
// Code is closures over frames. Package operation, below this one, makes them, and package exec
// compiles the typed representation of a program to them. Values have the layout and the types that
// compiled Go uses, so calls of compiled packages, interface values, maps and channels need no
// conversion. This package uses the representation only to identify functions.
//
// # Invariants
//
// A frame belongs to one thread, which is the state of one goroutine. The collector knows the
// pointers in a frame. A frame is reused as soon as its call has returned, because variables that
// can outlive a call are on the heap (heap cells). The pointers in a free frame are nil. A call
// that panics does not release its frame. Machine.Stop is tested only at jumps backward, when a
// call enters its frame, and after compiled calls and waits. Goroutines yield and end only there.
//
// # Reading order
//
// frame.go, class.go (types and their representation), closure.go, shapes.go, direct.go and pair.go
// (calls to and from compiled code), panics.go, defers.go and delayed.go, activity.go and mark.go
// (observation of running code), machine.go (services of the session), runtime.go (functions of
// Go's runtime).
package machine
