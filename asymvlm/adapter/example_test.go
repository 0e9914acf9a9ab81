package adapter_test

import (
	"context"
	"fmt"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/special"
	"gosphere/asymvlm/world"
)

// CLIP needs no training, so this runs at once; with "asymvlm-vmf" the same lines train for half a minute.
func Example() {
	train, test, err := embedding.Scenes()
	if err != nil {
		panic(err)
	}
	options, err := adapter.DefaultOptions("clip")
	if err != nil {
		panic(err)
	}
	a, err := adapter.Train(context.Background(), train, options)
	if err != nil {
		panic(err)
	}
	scores, err := a.Scores(test)
	if err != nil {
		panic(err)
	}
	uncertainty, err := a.Uncertainty(test.Texts)
	if err != nil {
		panic(err)
	}
	report, err := retrieval.Evaluate(scores, test.CaptionImages, uncertainty, 10)
	if err != nil {
		panic(err)
	}
	fmt.Printf("Recall@1 %.2f\n", report.TextToImage.Recall1)
	// Output: Recall@1 0.58
}

// A loss of one's own: the mean over the true pairs of log(1 + exp(margin − ℓ)), with the wrong pairs pushed the other
// way. The first training step checks that the derivatives are those of the loss.
func Example_ownLoss() {
	logistic := custom.Func{Label: "logistic", Loss: func(b *custom.Batch) (loss float64) {
		n := float64(b.Pairs())
		for s, row := range b.LogLikelihoods {
			for r, ell := range row {
				sign, weight := -1.0, 1/(n*n)
				if r == s {
					sign, weight = 1, 1/n
				}
				loss -= weight * special.LogSigmoid(sign*ell)
				b.DLogLikelihoods[s][r] -= weight * sign * special.Sigmoid(-sign*ell)
			}
		}
		return loss
	}}
	train, _, err := world.New(world.Options{Seed: 1, Scenes: 100, Dimension: 32})
	if err != nil {
		panic(err)
	}
	options, err := adapter.DefaultOptions("asymvlm-vmf")
	if err != nil {
		panic(err)
	}
	options.Loss, options.Hidden, options.Batch, options.LearningRate = logistic, 64, 64, 0.05
	a, err := adapter.Train(context.Background(), &train.Set, options)
	if err != nil {
		panic(err)
	}
	h := a.History()
	fmt.Println("the loss falls:", h.Loss[h.Steps()-1] < h.Loss[0])
	// Output: the loss falls: true
}
