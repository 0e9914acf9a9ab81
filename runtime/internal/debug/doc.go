// Package debug stops goroutines of cells and examines their values. It depends neither on how
// cells run nor on the protocol of debuggers.
//
// Cells to be debugged are compiled with marks (package ir), at which they call At. This package
// implements breakpoints and steps; operations that need the checker or running code, such as
// conditions, are delegated to a Host.
//
// Read site.go (positions in cells), frame.go (calls in progress), stop.go (deciding to stop, and
// waiting), step.go, breakpoint.go, panic.go; for values children.go, references.go and outline.go.
//
// How a stop works: while checks are enabled (AskBy), code of a cell calls At at each mark. At
// looks up the site, decides on the calling goroutine whether to stop, and if so waits in Host.Wait
// without the execution lock, so that other shells and the debugger's own evaluations can run.
// Requests of the client arrive on another goroutine; they find the thread by its id, read its
// frames and close the channel it waits for.
//
// The debugger's lock guards all state that both goroutines use. The step and the current site,
// which only the running goroutine uses, have no lock: a client reads frames only between the stop
// and the resumption, and the channels order these accesses.
package debug
