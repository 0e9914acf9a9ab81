package hierarchy_test

import (
	"fmt"

	"gosphere/asymvlm/hierarchy"
)

// Two chains with the uncertainty of each caption. In the second chain the last step does not fall.
func ExampleByLevel() {
	captions, err := hierarchy.SplitChain("animal => dog => a dog on a sofa", 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	uncertainties := []float64{
		0.44, 0.30, 0.14,
		0.42, 0.25, 0.25,
	}
	figures, err := hierarchy.ByLevel(uncertainties, len(captions))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean by level %.3f, falling chains %g, Kendall %.2f\n", figures.Mean, figures.Chains, figures.Kendall)
	// Output: mean by level [0.430 0.275 0.195], falling chains 0.5, Kendall -0.91
}

func ExampleChains_Radius() {
	chains := hierarchy.Chains{
		Levels: 2, RowImages: []int{0, 1},
		Root:    []float64{1, 0, 0},
		Images:  [][]float64{{0, 1, 0}, {0, 0, 1}},
		TextIDs: hierarchy.Identities([]string{"animal", "a dog", "animal", "a cat"}),
		Texts:   [][]float64{{2, 1, 1}, {0, 3, 0}, {2, 1, 1}, {0, 0, 3}},
	}
	metrics, err := chains.Radius()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("precision %.2f, recall %.2f, order %.2f\n", metrics.Precision, metrics.Recall, metrics.Order)
	// Output: precision 1.00, recall 1.00, order 1.00
}

// A chain with an empty level is an error that quotes it.
func ExampleSplitChain() {
	_, err := hierarchy.SplitChain("animal =>  => a dog on a sofa", 3)
	fmt.Println(err)
	// Output: hierarchy: chain "animal =>  => a dog on a sofa" has an empty level 1
}
