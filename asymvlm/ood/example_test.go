package ood_test

import (
	"fmt"

	"gosphere/asymvlm/ood"
)

// Five ordinary and four strange queries; most strange ones are less certain.
func ExampleDetect() {
	ordinary := []float64{0.1, 0.2, 0.2, 0.3, 0.6}
	strange := []float64{0.2, 0.5, 0.7, 0.9}
	detection, err := ood.Detect(ordinary, strange)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("AUROC %.3f, AUPR %.3f, FPR at 95 %% %.1f\n", detection.AUROC, detection.AUPR, detection.FPR95)
	// Output: AUROC 0.800, AUPR 0.812, FPR at 95 % 0.8
}

func ExampleEvidentialHistogram() {
	histogram, err := ood.EvidentialHistogram([]float64{0.05, 0.1, 0.3, 0.75, 1}, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, part := range histogram.Parts {
		fmt.Printf("%.2f to %.2f: %.1f\n", histogram.Edges[i], histogram.Edges[i+1], part)
	}
	// Output:
	// 0.00 to 0.25: 0.4
	// 0.25 to 0.50: 0.2
	// 0.50 to 0.75: 0.0
	// 0.75 to 1.00: 0.4
}
