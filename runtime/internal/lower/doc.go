// Package lower makes the typed representation of package ir from checked syntax: from declared
// functions, methods, instances of generic functions, function literals and the statements of a
// cell.
//
// # Invariants
//
// The package decides by go/ast and go/types alone and looks at no text. Everything that Go leaves
// implicit is made explicit here: conversions, dereferences, promoted fields, captures, heap cells
// and evaluation order. A construct that has no representation is refused with [Unsupported];
// nothing is approximated. To hoist an expression is to evaluate it into a temporary ahead of its
// statement, where gc does so, too. builder.hoisted maps the hoisted expressions of the current
// statement to their temporaries, and is cleared after the statement.
//
// # Reading order
//
// build.go, usage.go (which variables need heap cells), order.go and early.go (what is evaluated
// ahead of a statement), expr.go, selector.go, call.go, assign.go, stmt.go, loop.go, switch.go,
// rangefunc.go and mark.go.
//
// For instance, in a cell with a function g and a variable x that g changes, the statement y := x +
// g() becomes
//
//	$1 = call main.g()
//	declare y = (global x + $1)
//
// since gc makes the call before it reads x.
package lower
