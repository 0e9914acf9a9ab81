// Package ir defines the typed representation of the functions and statements of cells.
//
// Package build makes the representation once from checked syntax (go/ast with types.Info). It
// covers declared functions, methods, instances of generic functions, function literals and the
// statements of a cell. No later pass looks at syntax or text: everything that Go defines about
// order, conversions, captures, scopes and generics is explicit in the nodes.
//
// # Form
//
// Control flow is structured, as in Go: blocks, loops, switches and labels are statements that
// contain statements. An expression is a tree whose operands are evaluated from left to right and
// then combined. gc, Go's compiler, often uses another order: it makes the calls of a statement
// first and reads variables, elements and fields afterward. In those cases the builder assigns the
// results of the calls to temporaries ahead of the statement. An executor that evaluates trees in
// the obvious order therefore agrees with gc.
//
// Types are go/types types without type parameters: generic functions appear as instances.
// Conversions are explicit: the type of an assigned value, argument, result or operand is exactly
// the type that its destination or operation requires. Untyped constants have been given their
// types.
//
// The form is not SSA, and golang.org/x/tools/go/ssa is not used, for three reasons. The executor
// compiles to closures, for which structured control flow and expression trees are the fast form;
// basic blocks and φ-functions would have to be converted back. go/ssa reads operands before it
// makes the calls next to them, so its programs differ from gc's where a call changes an operand.
// And go/ssa finds package members by package and name, while the declarations of a session share
// one package and shadow one another.
//
// # Invariants
//
// Every expression and statement has a position if its function has one. A node has one parent: the
// verifier rejects a function that occurs twice. A local variable that a function literal or a
// pointer shares with its function is Boxed: it has memory of its own on the heap, called a heap
// cell, in place of a slot in the frame. Every use of a local follows a definition on each path.
// [Verify] checks these rules and those stated at the node declarations.
//
// # Reading order
//
// program.go (functions, locals, references), expr.go and stmt.go declare the representation;
// print.go, printexpr.go and printstmt.go convert it to text; operands.go and the files verify*.go
// check it. inline.go marks calls of small functions, with the visitor of walk.go. types.go has
// helpers for types and constants. The session tests verify every program before it is compiled.
package ir
