// Package debug stops goroutines of cells and looks at their values. It knows neither what runs
// cells nor the protocol of debuggers.
//
// Cells that are to be debugged are compiled with marks (package ir), at which they call At. Where
// breakpoints are and what a step means is known here; what takes the checker and running code, such
// as conditions, is asked of a Host.
//
// Read site.go (places in cells), frame.go (calls in progress), stop.go (whether to stop, and
// waiting), step.go, breakpoint.go, panic.go; for values parts.go, references.go and outline.go.
package debug
