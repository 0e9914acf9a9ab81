package retrieval_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// The confidences must equal softmaxes over whole rows and columns for any blocks, including logits
// whose exponential overflows.
func TestConfidencesAreThoseOfTheSoftmax(t *testing.T) {
	const images, texts = 700, 30 // more than a block
	scores, source := embedding.NewMatrix(images, texts), rand.New(rand.NewPCG(1, 1))
	for i := range scores.Values {
		scores.Values[i] = float32(source.NormFloat64())
	}
	for _, scale := range []float64{1, 1000} {
		ofTexts, ofImages, err := retrieval.Confidences(retrieval.FromMatrix(scores), scale)
		if err != nil || len(ofTexts) != texts || len(ofImages) != images {
			t.Fatal(err)
		}
		direct := func(n int, at func(k int) float32) float64 {
			highest, sum := math.Inf(-1), 0.0
			for k := range n {
				highest = max(highest, scale*float64(at(k)))
			}
			for k := range n {
				sum += math.Exp(scale*float64(at(k)) - highest)
			}
			return 1 / sum
		}
		for j, got := range ofTexts {
			if want := direct(images, func(k int) float32 { return scores.Row(k)[j] }); math.Abs(got-want) > 1e-12 {
				t.Fatalf("text %d: %g, want %g", j, got, want)
			}
		}
		for i, got := range ofImages {
			if want := direct(texts, func(k int) float32 { return scores.Row(i)[k] }); math.Abs(got-want) > 1e-12 {
				t.Fatalf("image %d: %g, want %g", i, got, want)
			}
		}
	}
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, _, err := retrieval.Confidences(retrieval.FromMatrix(scores), scale); err == nil || !strings.Contains(err.Error(), "want a finite number above 0") {
			t.Errorf("scale %g: %v", scale, err)
		}
	}
	scores.Row(650)[7] = float32(math.NaN())
	if _, _, err := retrieval.Confidences(retrieval.FromMatrix(scores), 1); err == nil || !strings.Contains(err.Error(), "image 650 and text 7 is NaN") {
		t.Errorf("NaN: %v", err)
	}
}
