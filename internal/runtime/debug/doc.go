// Package debug stops goroutines of cells and examines their values. It depends neither on how
// cells run nor on the protocol of debuggers.
//
// Cells to be debugged are compiled with marks (package ir), at which they call At. This package
// implements breakpoints and steps; operations that need the checker or running code, such as
// conditions, are delegated to a Host.
//
// Read site.go (positions in cells), frame.go (calls in progress), stop.go (deciding to stop, and
// waiting), step.go, breakpoint.go, panic.go; for values children.go, references.go and outline.go.
package debug
