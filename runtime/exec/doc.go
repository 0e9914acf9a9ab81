// Package exec compiles the typed representation of package ir to the closures of package machine.
//
// An expression becomes a value, a statement a function that returns how control goes on, and a
// function a frame's layout with the closures that run in it.
//
// Read machine.go (the interface to a session), compiler.go, place.go (variables), expr.go, stmt.go
// and body.go (the statements of a cell), call.go (calls within cells), hostcalls.go, direct.go,
// funcs.go and iface.go (calls to and from compiled code), defers.go, mark.go.
package exec
