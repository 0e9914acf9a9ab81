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

// The loss of two pairs from the similarities of both images with both texts. The second image
// resembles the wrong text.
func ExampleLoss() {
	loss, err := evidence.Loss([]float64{
		4, 0,
		3, 1,
	}, evidence.KLWeight(15))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("loss %.3f, of which the divergence %.3f\n", loss.Loss, loss.Divergence)
	fmt.Printf("gradient %.3f\n", loss.Gradient)
	// Output:
	// loss 1.859, of which the divergence 1.145
	// gradient [-0.077 0.177 0.726 -0.261]
}
