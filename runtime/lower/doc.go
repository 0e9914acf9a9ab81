// Package lower writes a checked cell in the small Go that the interpreter runs right.
//
// The interpreter has no methods on reflect types, no type identity and no generics, and
// it gets a number of statements wrong. What Cell emits therefore holds plain data and
// plain functions only: methods are functions with the receiver first, embedded fields
// are ordinary fields, generics are instantiated, constants are folded, deferred calls go
// through package guard. Every conversion to an interface passes emitter.convert, which
// changes the value's type word to that of the real type made by package realtype. That
// is the one invariant of the package: an interface value never holds a value in the
// interpreter's layout type if that type mentions a type declared in cells.
//
// Each session-level name is emitted under a new engine name whenever it is emitted
// again (fʹ3, then fʹ7), so that the interpreter never has to forget anything.
//
// Read in this order: program.go (the way of a cell), types.go and record.go (how types
// are spelled), real.go and methods.go (real types), expr.go, call.go, convert.go,
// assign.go, stmt.go, loop.go, rangefunc.go, function.go, generic.go.
package lower
