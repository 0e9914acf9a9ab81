// Package machine implements the execution of compiled cells: frames, threads, typed operations,
// calls, panics and deferred calls.
//
// Every call of a function has a frame, which is a block of memory. It begins with a [Header],
// followed by the parameters and results, whose offsets depend only on the signature, and then by
// local variables and temporaries. Each has its real type at a fixed offset.
//
// A [Value] is a function from the frame to an unboxed value of its [Class]: func(Frame) int64,
// func(Frame) string and so on. Structs and arrays are passed by address. A [Stmt] is a function
// that returns where execution continues. Values have the layout and the types that compiled Go
// uses, so calls of compiled packages, interface values, maps and channels need no conversion.
//
// Package exec compiles the typed representation of a program to these functions. This package uses
// the representation only to identify functions.
//
// # Invariants
//
// A frame belongs to one thread, and a thread to one goroutine. The collector knows the pointers in
// a frame. A frame is reused as soon as its call has returned, which is safe because variables that
// can outlive a call live in heap cells. The pointers in a free frame are nil. A call that panics
// does not release its frame. Machine.Stop is tested at back edges, at calls and after calls of
// compiled code, and nowhere else, so these are the points at which goroutines yield and end.
//
// # Reading order
//
// frame.go, class.go, value.go, access.go (variables), number.go and binary.go (operations),
// control.go, loop.go and tail.go (statements), call.go and inline.go (calls within cells),
// closure.go, shapes.go, direct.go and pair.go (calls to and from compiled code), panics.go,
// defers.go and delayed.go, activity.go and mark.go (observation of running code), machine.go
// (services of the session), runtime.go (functions of Go's runtime).
package machine
