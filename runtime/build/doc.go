// Package build makes the typed representation of package ir from checked syntax: from declared
// functions, methods, instances of generic functions, function literals and the statements of a cell.
//
// Read build.go, usage.go (which variables need heap cells), order.go (what is evaluated ahead of a
// statement), expr.go, selector.go, call.go, assign.go, stmt.go, loop.go, rangefunc.go and mark.go.
package build
