package evidence_test

import (
	"fmt"

	"gosphere/asymvlm/evidence"
)

// A query that resembles one candidate is certain; one that resembles none is not.
func ExampleNewOpinion() {
	for _, similarities := range [][]float64{{6, 0, -1, 0}, {-2, -1, -3, -2}} {
		opinion, err := evidence.NewOpinion(similarities)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("uncertainty %.3f, belief in the first %.3f\n", opinion.Uncertainty(), opinion.Beliefs(nil)[0])
	}
	// Output:
	// uncertainty 0.010, belief in the first 0.984
	// uncertainty 0.853, belief in the first 0.029
}
