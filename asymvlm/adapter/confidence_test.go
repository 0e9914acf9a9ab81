package adapter

import (
	"math"
	"testing"
)

// The learned temperature, CLIP's scale and half of it for distances convert scores to
// probabilities of the retrieved item.
func TestConfidencesAreProbabilitiesOfWhatIsRetrieved(t *testing.T) {
	for method, scale := range map[string]float64{AsymVLMVonMisesFisher: 0, PCMEpp: 100, CLIP: 100} {
		a, test := trainedOn(t, method)
		if scale == 0 {
			scale = a.Temperature()
		}
		if got, err := ConfidenceScaleOf(a); err != nil || got != scale {
			t.Fatalf("%s: scale %g, %v, want %g", method, got, err, scale)
		}
		texts, images, err := ConfidencesOf(a, test)
		if err != nil || len(texts) != test.Texts.Rows || len(images) != test.Images.Rows {
			t.Fatal(err)
		}
		scores, err := a.Scores(test)
		if err != nil {
			t.Fatal(err)
		}
		highest, sum := math.Inf(-1), 0.0
		for _, score := range scores.Row(3) {
			highest = max(highest, scale*float64(score))
		}
		for _, score := range scores.Row(3) {
			sum += math.Exp(scale*float64(score) - highest)
		}
		if math.Abs(images[3]-1/sum) > 1e-5 {
			t.Errorf("%s: image 3 has the confidence %g, want %g", method, images[3], 1/sum)
		}
		if method == PCMEpp {
			if err := SetRanking(a, RankCSD); err != nil {
				t.Fatal(err)
			}
			if got, err := ConfidenceScaleOf(a); err != nil || got != 50 {
				t.Errorf("distances have the scale %g, %v", got, err)
			}
		}
	}
}
