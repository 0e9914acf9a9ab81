// Package debug stops goroutines of cells and looks at their values. It knows neither the
// interpreter nor the protocol of debuggers.
//
// Cells that are to be debugged are lowered with a question before each statement (package lower):
// At tells whether anything is to be done there, and Stop is then given pointers to the local
// variables. Where breakpoints are, what a step means, and which calls are in progress is known here;
// what takes the checker and the interpreter, such as conditions, is asked of a Host.
//
// Read site.go (places in cells), frame.go (calls in progress), stop.go (whether to stop, and
// waiting), step.go, breakpoint.go, panic.go; for values parts.go, references.go and outline.go.
package debug
