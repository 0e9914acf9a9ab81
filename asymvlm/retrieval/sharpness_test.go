package retrieval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// directSharpness computes the sharpness of one query by its definition.
func directSharpness(scores []float32, scale float64) (best, second, entropy, logSum float64) {
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	best, second = float64(sorted[len(sorted)-1]), float64(sorted[len(sorted)-2])
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(scale * (float64(s) - best))
	}
	for _, s := range scores {
		if p := math.Exp(scale*(float64(s)-best)) / sum; p > 0 {
			entropy -= p * math.Log(p)
		}
	}
	return best, second, entropy, scale*best + math.Log(sum)
}

func TestSharpnessIsThatOfItsDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	scores := embedding.NewMatrix(700, 30) // more than one block
	for i := range scores.Values {
		scores.Values[i] = float32(math.Round(20*random.NormFloat64()) / 40) // with ties
	}
	for _, scale := range []float64{1, 30, 5000} {
		texts, images, err := retrieval.SharpnessOf(retrieval.FromMatrix(scores), scale)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, s *retrieval.Sharpness, i int, row []float32) {
			best, second, entropy, logSum := directSharpness(row, scale)
			if s.Best[i] != best || s.Second[i] != second || math.Abs(s.Entropy[i]-entropy) > 1e-11 || math.Abs(s.LogSumExp[i]-logSum) > 1e-11 {
				t.Fatalf("scale %g, %s %d: %g, %g, %g and %g, want %g, %g, %g and %g", scale, what, i,
					s.Best[i], s.Second[i], s.Entropy[i], s.LogSumExp[i], best, second, entropy, logSum)
			}
		}
		for i := range scores.Rows {
			check("image", images, i, scores.Row(i))
		}
		for j := range scores.Columns {
			column := make([]float32, scores.Rows)
			for i := range column {
				column[i] = scores.At(i, j)
			}
			check("text", texts, j, column)
		}
	}
}

func TestRankSharpAgreesWithRankTop(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	images, texts := embedding.NewMatrix(600, 8), embedding.NewMatrix(900, 8)
	for _, m := range []embedding.Matrix{images, texts} {
		for i := range m.Values {
			m.Values[i] = float32(random.NormFloat64())
		}
	}
	of := make([]int, texts.Rows)
	for i := range of {
		of[i] = i % images.Rows
	}
	stream, err := retrieval.CosineStream(embedding.InMemory(images), embedding.InMemory(texts))
	if err != nil {
		t.Fatal(err)
	}
	ranking, ofTexts, ofImages, err := retrieval.RankSharp(stream, retrieval.Relevance{CaptionImages: of}, 5, 100)
	if err != nil {
		t.Fatal(err)
	}
	cosines, err := retrieval.Cosines(images, texts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := retrieval.RankTop(cosines, of, 5)
	if err != nil {
		t.Fatal(err)
	}
	wantTexts, wantImages, err := retrieval.SharpnessOf(cosines, 100)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ranking.TextToImage.Items, want.TextToImage.Items) || !slices.Equal(ranking.ImageToText.Items, want.ImageToText.Items) {
		t.Error("the rankings differ")
	}
	for _, pair := range [][2]*retrieval.Sharpness{{ofTexts, wantTexts}, {ofImages, wantImages}} {
		if !slices.Equal(pair[0].Best, pair[1].Best) || !slices.Equal(pair[0].Second, pair[1].Second) || !slices.Equal(pair[0].Entropy, pair[1].Entropy) ||
			!slices.Equal(pair[0].LogSumExp, pair[1].LogSumExp) {
			t.Error("the sharpness differs")
		}
	}
}

func TestSharpnessOfNothingIsAnError(t *testing.T) {
	nan := embedding.NewMatrix(2, 2)
	nan.Values[3] = float32(math.NaN())
	for want, c := range map[string]struct {
		scores embedding.Matrix
		scale  float64
	}{
		"scale 0":                        {embedding.NewMatrix(2, 2), 0},
		"scale +Inf":                     {embedding.NewMatrix(2, 2), math.Inf(1)},
		"1 images and 2 texts":           {embedding.NewMatrix(1, 2), 100},
		"score of image 1 and text 1 is": {nan, 100},
	} {
		if _, _, err := retrieval.SharpnessOf(retrieval.FromMatrix(c.scores), c.scale); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
