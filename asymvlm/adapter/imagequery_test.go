package adapter

import (
	"context"
	"math"
	"testing"
)

// The uncertainty of an image query is the entropy of softmax(τℓ) over the texts, and that of a
// text query 1/κ, by whatever rule the adapter ranks.
func TestImageQueriesOfResidualAdaptersHaveTheEntropyOfThePosterior(t *testing.T) {
	set, _ := bothWays(t, 12, 30, 16)
	for _, method := range []string{ResidualVonMisesFisher, ResidualPowerSpherical} {
		options := smallOptions(method)
		options.LearningRate = 0.03
		trained, err := Train(context.Background(), set, options)
		if err != nil {
			t.Fatal(err)
		}
		for _, ranking := range []string{RankCosine, RankLikelihood} {
			if err := SetRanking(trained, ranking); err != nil {
				t.Fatal(err)
			}
			report, err := trained.Evaluate(set, 3)
			if err != nil {
				t.Fatal(err)
			}
			if err := SetRanking(trained, RankLikelihood); err != nil {
				t.Fatal(err)
			}
			likelihoods, err := trained.Scores(set)
			if err != nil {
				t.Fatal(err)
			}
			for image, got := range report.ImageToText.Uncertainty {
				sum, mean := 0.0, 0.0
				for _, l := range likelihoods.Row(image) {
					sum += math.Exp(trained.Temperature() * float64(l-likelihoods.At(image, 0)))
				}
				for _, l := range likelihoods.Row(image) {
					logit := trained.Temperature() * float64(l-likelihoods.At(image, 0))
					mean += logit * math.Exp(logit) / sum
				}
				if want := math.Log(sum) - mean; math.Abs(got-want) > 1e-4*(1+want) {
					t.Errorf("%s by %s: image %d has the uncertainty %g, the entropy is %g", method, ranking, image, got, want)
				}
			}
			kappas, err := trained.Concentrations(set.Texts)
			if err != nil {
				t.Fatal(err)
			}
			for text, got := range report.TextToImage.Uncertainty {
				if math.Abs(got*kappas[text]-1) > 1e-5 {
					t.Errorf("%s: text %d has the uncertainty %g and the concentration %g", method, text, got, kappas[text])
				}
			}
		}
	}
}

// Methods with networks keep the rule of the reference implementation: an image query has the
// uncertainty of the text that it retrieves.
func TestImageQueriesOfNetworksHaveTheUncertaintyOfTheirText(t *testing.T) {
	set, _ := bothWays(t, 12, 30, 16)
	trained, err := Train(context.Background(), set, smallOptions(AsymVLMVonMisesFisher))
	if err != nil {
		t.Fatal(err)
	}
	report, err := trained.Evaluate(set, 3)
	if err != nil {
		t.Fatal(err)
	}
	for image, got := range report.ImageToText.Uncertainty {
		if want := report.TextToImage.Uncertainty[report.ImageToText.Top[image]]; got != want {
			t.Errorf("image %d has the uncertainty %g, its text %g", image, got, want)
		}
	}
}
