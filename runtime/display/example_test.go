package display_test

import (
	"fmt"

	"gosphere/runtime/display"
)

// Interval is a value with a rich display in notebooks.
type Interval struct{ Low, High float64 }

// LaTeX returns the interval as a formula.
func (i Interval) LaTeX() string { return fmt.Sprintf("$[%g, %g]$", i.Low, i.High) }

func ExampleBundle() {
	data, _ := display.Bundle(Interval{2, 8})
	fmt.Println(data["text/plain"])
	fmt.Println(data["text/latex"])
	// Output:
	// {2 8}
	// $[2, 8]$
}

// Without a notebook the text form is printed on standard output.
func ExampleTable() {
	display.Table([][]any{{"clip", 0.584}, {"asymvlm-vmf", 0.468}}, "method", "R@1")
	// Output:
	// method         R@1
	// clip         0.584
	// asymvlm-vmf  0.468
}
