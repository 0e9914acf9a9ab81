package retrieval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/embedding"
)

// TestAnyPositiveCountsAndDistractorsAreNoQueries ranks random scores of texts with several images
// and of images without texts, and compares recall with a sort of all items.
func TestAnyPositiveCountsAndDistractorsAreNoQueries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const images, texts = 30, 40
	scores := embedding.NewMatrix(images, texts)
	for i := range scores.Values {
		scores.Values[i] = float32(random.NormFloat64())
	}
	relevance := Relevance{}
	for range texts {
		list := []int{random.IntN(images / 2)}
		if random.IntN(3) == 0 {
			list = append(list, images/2+random.IntN(5))
		}
		relevance.CaptionImages, relevance.Positives = append(relevance.CaptionImages, list[0]), append(relevance.Positives, list)
	}
	ranking, err := RankRelevant(FromMatrix(scores), relevance, 10)
	if err != nil {
		t.Fatal(err)
	}
	hits := 0.0
	for text, list := range relevance.Positives {
		best := 0
		for image := range images {
			if scores.At(image, text) > scores.At(best, text) {
				best = image
			}
		}
		if slices.Contains(list, best) {
			hits++
		}
	}
	if got := ranking.TextToImage.Recall(1); got != hits/texts {
		t.Errorf("text to image %g, by hand %g", got, hits/texts)
	}
	hits, queries := 0, 0.0
	for image := range images {
		described, best := false, 0
		for text, list := range relevance.Positives {
			described = described || slices.Contains(list, image)
			if scores.At(image, text) > scores.At(image, best) {
				best = text
			}
		}
		if described {
			queries++
			if slices.Contains(relevance.Positives[best], image) {
				hits++
			}
		}
	}
	if got := ranking.ImageToText; got.Queries != int(queries) || queries == images || math.Abs(got.Recall(1)-hits/queries) > 1e-15 {
		t.Errorf("image to text: %g of %d queries, by hand %g of %g", got.Recall(1), got.Queries, hits/queries, queries)
	}
	uncertainty := make([]float64, texts)
	for i := range uncertainty {
		uncertainty[i] = random.Float64()
	}
	report, err := ranking.Report(uncertainty, 5)
	if err != nil || len(report.ImageToText.Hits) != int(queries) || len(report.ImageToText.Uncertainty) != int(queries) {
		t.Errorf("report of %d images: %v", len(report.ImageToText.Hits), err)
	}
	judged := relevance.JudgedPositives(images)
	deep, err := RankRelevant(FromMatrix(scores), relevance, judged.Deepest())
	if err != nil {
		t.Fatal(err)
	}
	textToImage, imageToText, err := judged.Measure(deep)
	if err != nil || textToImage.Recall1 != ranking.TextToImage.Recall(1) || math.Abs(imageToText.Recall1-ranking.ImageToText.Recall(1)) > 1e-15 {
		t.Errorf("any-positive recall %+v, %+v, %v; by Recall %g, %g", textToImage, imageToText, err, ranking.TextToImage.Recall(1), ranking.ImageToText.Recall(1))
	}
}
