// Package ir is the typed representation of the functions and statements of cells.
//
// Package build makes it once from checked syntax (go/ast with types.Info), for declared
// functions, methods, instances of generic functions, function literals and the statements of a
// cell. After that no pass looks at syntax or text again: everything that Go says about order,
// conversions, captures, scopes and generics is explicit.
//
// # Form
//
// Control flow is structured, as in Go: blocks, loops, switches and labels are statements that
// contain statements. An expression is a tree whose operands are evaluated from left to right and
// then combined. Where gc evaluates in another order (it makes the calls of a statement first and
// reads variables, elements and fields afterward), the builder assigns the calls to temporaries
// ahead of the statement. An executor therefore evaluates trees in the obvious order and is right.
//
// Types are go/types types without type parameters: generic functions appear as instances.
// Conversions are explicit: an assignment, an argument, a result or an operand has exactly the
// type of the place that it goes to. Untyped constants have got their types.
//
// The form is not SSA, and golang.org/x/tools/go/ssa is not used, for three reasons. The executor
// compiles to closures, for which structured control flow and expression trees are the fast form,
// while basic blocks and φ-functions would have to be turned back into them. go/ssa reads operands
// before it makes the calls beside them, so that its programs differ from those of gc where a call
// changes an operand. And it finds package members by their package, while the declarations of
// a session share one package and hide one another.
//
// # Reading order
//
// program.go (functions, locals, references), expr.go and stmt.go for the representation; print.go
// for its text; operands.go and the files verify*.go for its rules: [Verify] checks what the
// declarations of the nodes say, and the tests of sessions have every program verified before it is
// compiled.
package ir
