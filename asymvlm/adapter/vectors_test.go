package adapter

import (
	"math"
	"slices"
	"testing"
)

func TestVectorsRankAsScoresDo(t *testing.T) {
	set := smallSet(12, 16)
	exported := map[string]bool{}
	for _, method := range Methods() {
		o := smallOptions(method)
		if err := o.Check(); err != nil {
			continue // registered by another test
		}
		a := mustTrain(t, set, o)
		images, texts, err := VectorsOf(a, set.Images, set.Texts)
		if err != nil {
			continue
		}
		exported[method] = true
		scores, err := a.Scores(set)
		if err != nil {
			t.Fatal(err)
		}
		// Scores and inner products differ by a constant at most.
		shift := 0.0
		for i := range images.Rows {
			for j := range texts.Rows {
				product := 0.0
				for k, value := range images.Row64(i) {
					product += value * float64(texts.At(j, k))
				}
				difference := product - float64(scores.At(i, j))
				if i == 0 && j == 0 {
					shift = difference
				}
				if math.Abs(difference-shift) > 1e-4*max(1, math.Abs(product)) {
					t.Fatalf("%s: image %d, text %d: product %g, score %g", method, i, j, product, scores.At(i, j))
				}
			}
		}
	}
	want := []string{AsymVLMVonMisesFisher, AsymVLMVonMisesFisherExact, CLIP, DeterministicFineTuning, ResidualCosine, ResidualPowerSpherical, ResidualVonMisesFisher, SigLIPVonMisesFisher, SigLIPVonMisesFisherLog}
	var got []string
	for method := range exported {
		got = append(got, method)
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("exported are %q, want %q", got, want)
	}
}
