// Package exec compiles the typed representation of package ir to closures that package machine
// runs.
//
// An expression becomes an operation.Value, a statement an operation.Stmt, and a function a
// machine.Code, which is the layout of a frame together with the closures that run in it.
//
// # Invariants
//
// Every closure evaluates its operands in the order of the representation. Package build has made
// that the order of gc, Go's compiler. An operand that is read more than once, or after another
// operand, is first stored in a Go variable or in a temporary of the frame. A compiled program is
// installed in one step, so that a program that cannot be compiled changes nothing. Nothing is
// compiled while a program runs.
//
// # Forms of values
//
// A compiled expression is a operation.Value. Its field F is the closure that computes it. Its Form
// may allow the code that uses the value, its user, to avoid the call of that closure. FormLocal
// means that the value is at an offset of the frame when the user is evaluated: the user may read
// it there, but only if nothing that runs in between can change the variable. FormConst means that
// the value is known while the program is compiled. Every other value must be computed by calling
// F, once for each evaluation, because the call may have effects. A value of ClassMemory has no F.
// It has an address, or a function that stores it in memory that the user provides. The address of
// a variable is the variable itself, so a user that keeps the value must copy it before anything
// else runs.
//
// # Checks
//
// Compiled Go makes the checks of an operation after it has evaluated the operands, and the
// closures do the same: operands, check, effect. A check that fails has to raise the error that
// compiled Go would raise at the same line. The closure either lets the runtime detect the error
// itself, with the same operation on the same numbers, or returns an error type of its own that
// implements runtime.Error. Before any operation that may panic inside the runtime, the closure
// records the frame and the site, which is a position in the source, with machine.Fail. Go's own
// stack does not suffice for a stack trace, because it shows the same functions of package machine
// for every call of cells.
//
// # Memory
//
// Everything that a closure stores in a frame must be in a slot that the layout has typed, since
// the collector scans a frame by the pointer map that Layout.Finish makes of the slots. A value
// that is only in a Go variable of a closure is scanned as part of Go's stack. An address inside a
// frame must not be stored anywhere that outlives the call, because the frame is used for the next
// call as soon as this one returns. Package build guarantees this for variables: one whose address
// is taken is Boxed and lives in a heap cell, which is memory on the heap for this variable alone.
//
// # Polls
//
// A poll is a test of the flag Machine.Stop. A goroutine of a cell can be stopped or can yield only
// at a poll. Loops poll after each iteration, calls when they enter their frame, calls of compiled
// code after their return, and waits for channels when they end. Inlined calls do not poll. Code
// that adds a way to jump backward has to poll there as well, or an interrupt could not end the
// cell.
//
// # Special forms
//
// Many closures exist in several forms that compute the same result, since the cost of an
// expression is mainly the number of indirect calls in it. A form is worth its code if a program in
// bench shows its effect. It must make the same checks in the same order as the general form, which
// the differential tests compare with compiled Go.
//
// # Reading order
//
// machine.go (the interface to a session), compiler.go, place.go (variables), expr.go, stmt.go,
// loop.go and body.go (the statements of a cell), call.go and inline.go (calls within cells),
// hostcalls.go, direct.go, funcs.go and iface.go (calls to and from compiled code), defers.go and
// delayed.go, mark.go. The remaining files compile one kind of expression or statement each.
package exec
