package widget_test

import (
	"fmt"

	"gosphere/runtime/widget"
)

// A slider whose callback runs after each change. In a notebook, write kappa as the last expression
// of a cell to display it.
func ExampleNewFloatSlider() {
	kappa := widget.NewFloatSlider("κ", 5, 0.1, 100, 0.1)
	kappa.OnChange(func(value float64) { fmt.Println("κ =", value) })
	kappa.SetValue(7.5)
	fmt.Println(kappa.Value())
	// Output:
	// κ = 7.5
	// 7.5
}
