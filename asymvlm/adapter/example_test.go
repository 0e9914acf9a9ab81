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

// CLIP needs no training, so this runs immediately; with "asymvlm-vmf" the same lines train for
// half a minute.
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

// A user-defined loss: the mean over the true pairs of log(1 + exp(margin − ℓ)), with wrong pairs
// pushed in the opposite direction. The first training step checks that the derivatives match the
// loss.
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

// Lookup describes a method: the tables that contain it, and whether it is the official form if
// reference implementation and mathematics differ.
func ExampleLookup() {
	for _, id := range []string{"asymvlm-vmf", "probvlm", "probvlm-exact", "bayesvlm"} {
		m, err := adapter.Lookup(id)
		if err != nil {
			panic(err)
		}
		about := m.About()
		fmt.Printf("%s: %s, tables %q, %q\n", id, about.Title, about.Tables, about.Form)
	}
	// Output:
	// asymvlm-vmf: AsymVLM_vMF, tables "1, 2, 3, A.2, A.3, A.4, A.5", ""
	// probvlm: ProbVLM, tables "1, A.2, A.3", "official"
	// probvlm-exact: ProbVLM, exact likelihood, tables "", "exact"
	// bayesvlm: BayesVLM, tables "1, A.2, A.3", "official"
}

// Bayesvlm accumulates sums in one pass; the use of its posterior is selected afterward. The
// candidates of a classifier are its texts.
func ExampleAdapter_Probabilities() {
	train, test, err := world.New(world.Options{Seed: 1, Scenes: 100, TestScenes: 5, Dimension: 32})
	if err != nil {
		panic(err)
	}
	options, err := adapter.DefaultOptions("bayesvlm")
	if err != nil {
		panic(err)
	}
	a, err := adapter.Train(context.Background(), &train.Set, options)
	if err != nil {
		panic(err)
	}
	for _, prediction := range []string{adapter.PredictMean, adapter.PredictProbit} {
		if err := a.SetPrediction(adapter.Posterior{Variance: adapter.VarianceDelta, Prediction: prediction}); err != nil {
			panic(err)
		}
		p, err := a.Probabilities(test.Images.RowRange(0, 1), test.Texts)
		if err != nil {
			panic(err)
		}
		own := 0.0
		for text, image := range test.CaptionImages {
			if image == 0 {
				own += float64(p.At(0, text))
			}
		}
		fmt.Printf("%s: the image's own texts have %.1f\n", prediction, own)
	}
	// Output:
	// mean: the image's own texts have 1.0
	// probit: the image's own texts have 1.0
}
