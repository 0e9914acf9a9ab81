package baseline_test

import (
	"fmt"

	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/dataset"
)

// What needs no training already orders the captions of the built-in scenes by success.
func Example() {
	data, err := dataset.Open("scenes_minilm")
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := baseline.Evaluate(data.Test, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	best := rows.TextToImage()
	fmt.Printf("%s: −S·R² %.2f\n", best.Method, best.Report.TextToImage.MinusSR2)
	// Output: entropy: −S·R² 0.99
}
