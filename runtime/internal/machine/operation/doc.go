// Package operation makes the closures of compiled code: of variables, arithmetic, comparisons,
// conversions, statements, loops and calls within cells.
//
// A [Value] is a function from the frame to an unboxed value of its class: func(Frame) int64,
// func(Frame) string and so on. Structs and arrays are passed by address. A [Stmt] is a function
// that returns where execution continues. Package machine has the frames, threads and calls that
// the closures use, and package exec decides which closures a program needs. This package uses
// the representation of programs only to identify functions.
//
// The closures are instances of generic functions, one for each class of values. An operation has
// several closures with the same meaning if an operand is often a variable in the frame, a constant
// or an element, because a closure that reads such an operand itself saves a call.
//
// # Form of the code
//
// A function that makes closures with calls of small functions is marked noinline. If the compiler
// inlined it, it would compile its closures again as part of the caller, and would not inline the
// calls in them, which doubles the time of such a closure.
//
// A variable of type T is addressed by unsafe.Add and not by [machine.At], whose type argument
// would make each closure load a dictionary. The first operand of an operation that may panic is
// assigned to a variable before the second one is read, since the compiler orders only calls.
//
// # Reading order
//
// value.go, access.go (variables and elements), number.go and binary.go (arithmetic and
// comparisons), into.go and assign.go (assignments), convert.go, condition.go, control.go, loop.go
// and tail.go (statements), call.go and inline.go (calls within cells).
package operation
