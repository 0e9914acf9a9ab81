// Package exec compiles the typed representation of package ir to Go closures and runs them.
//
// Every function has frames: blocks of memory with a [header], the parameters and results at
// offsets that the signature alone decides, and then the local variables and temporaries, each
// with its real type at a fixed offset. The collector knows the pointers in a frame. Frames are
// reused by each goroutine, because variables that can outlive a call live in heap cells of their
// own.
//
// An expression becomes a function from the frame to an unboxed value of its class: func(frame)
// int64, func(frame) string and so on; values of structs and arrays are passed by address. A
// statement becomes a function that returns how control goes on. Values have the layout and the
// types that compiled Go gives them, so calls of compiled packages, interface values, maps and
// channels need no conversion.
//
// Read machine.go (the interface to a session), class.go, frame.go and compiler.go, place.go
// (variables), expr.go, stmt.go and body.go (the statements of a cell), call.go (calls within cells),
// hostcalls.go, direct.go, funcs.go and iface.go (calls to and from compiled code), panics.go and
// defers.go, activity.go and mark.go (what others see of running code).
package exec
