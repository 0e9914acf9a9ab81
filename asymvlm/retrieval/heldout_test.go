package retrieval

import (
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/embedding"
)

// Right images are drawn from softmax(s·scores) with a known s, which the fit must find, in both
// directions.
func TestFitScalesFindsTheFactorOfItsOwnDraws(t *testing.T) {
	const images, texts, want = 30, 4000, 12.0
	random := rand.New(rand.NewPCG(1, 2))
	scores := embedding.NewMatrix(images, texts)
	for i := range scores.Values {
		scores.Values[i] = float32(0.2 * random.NormFloat64())
	}
	table := make([]int, texts)
	for text := range table {
		sum := 0.0
		for image := range images {
			sum += math.Exp(want * float64(scores.At(image, text)))
		}
		left := random.Float64() * sum
		for image := range images {
			if left -= math.Exp(want * float64(scores.At(image, text))); left <= 0 {
				table[text] = image
				break
			}
		}
	}
	got, _, err := FitScales(scores, Relevance{CaptionImages: table})
	if err != nil || math.Abs(got-want) > 0.6 { // four standard errors
		t.Errorf("%g, %v, want %g", got, err, want)
	}
	turned := embedding.NewMatrix(texts, images) // the images become the queries
	relevance := Relevance{CaptionImages: make([]int, images), Positives: make([][]int, images)}
	for text, image := range table {
		relevance.Positives[image] = append(relevance.Positives[image], text)
		for i := range images {
			turned.Set(text, i, scores.At(i, text))
		}
	}
	for i, list := range relevance.Positives {
		relevance.CaptionImages[i] = list[0]
	}
	if _, mirrored, err := FitScales(turned, relevance); err != nil || math.Abs(mirrored-got) > 1e-4 {
		t.Errorf("images as queries %g, %v; the same as texts %g", mirrored, err, got)
	}
	if _, _, err := FitScales(scores, Relevance{CaptionImages: table[:5]}); err == nil {
		t.Error("a table of another size is accepted")
	}
}
