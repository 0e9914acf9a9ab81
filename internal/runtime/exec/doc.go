// Package exec compiles the typed representation of package ir to the closures of package machine.
//
// An expression becomes a machine.Value, a statement a machine.Stmt, and a function a machine.Code,
// which is the layout of a frame together with the closures that run in it.
//
// # Invariants
//
// Every closure evaluates its operands in the order of the representation, which is gc's order:
// package build has made the order explicit. An operand that is read more than once, or after
// another operand, is first stored in a Go variable or in a temporary of the frame. A compiled
// program is installed in one step, so that a program that cannot be compiled changes nothing.
// Nothing is compiled while a program runs.
//
// # Reading order
//
// machine.go (the interface to a session), compiler.go, place.go (variables), expr.go, stmt.go,
// loop.go and body.go (the statements of a cell), call.go and inline.go (calls within cells),
// hostcalls.go, direct.go, funcs.go and iface.go (calls to and from compiled code), defers.go and
// delayed.go, mark.go. The remaining files compile one kind of expression or statement each.
package exec
