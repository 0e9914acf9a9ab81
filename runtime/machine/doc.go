// Package machine holds what compiled cells consist of and what they need while they run: frames,
// threads, typed operations, calls, panics and deferred calls.
//
// Every call of a function has a frame: a block of memory with a [Header], the parameters and results
// at offsets that the signature alone decides, and then the local variables and temporaries, each
// with its real type at a fixed offset. The collector knows the pointers in a frame. Frames are
// reused by each goroutine, because variables that can outlive a call live in heap cells of their
// own.
//
// A [Value] is a function from the frame to an unboxed value of its [Class]: func(Frame) int64,
// func(Frame) string and so on. Values of structs and arrays are passed by address. A [Stmt] is a
// function that returns how control goes on. Values have the layout and the types that compiled Go
// gives them, so calls of compiled packages, interface values, maps and channels need no conversion.
//
// Package exec makes these of the typed representation of a program; this package knows of that
// representation only what names functions.
//
// Read frame.go, class.go, value.go, access.go (variables), number.go and binary.go (operations),
// control.go and tail.go (statements), call.go (calls within cells), closure.go, shapes.go and
// direct.go (calls to and from compiled code), panics.go and defers.go, activity.go and mark.go (what
// others see of running code), machine.go (what a session gives).
package machine
