package world

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/sphere"
)

// crowded returns a world of two scenes with many captions of one concentration.
func crowded(t *testing.T, dimension int, kappa float64) *Set {
	t.Helper()
	train, _, err := New(Options{Scenes: 2, TestScenes: 2, CaptionsPerScene: 3000, Dimension: dimension, MinKappa: kappa, MaxKappa: kappa, Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	return train
}

// captionsOf returns the unit vectors of the captions of a scene.
func captionsOf(t *testing.T, set *Set, scene int) (points [][]float64) {
	t.Helper()
	texts, err := set.Texts.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	for text, image := range set.CaptionImages {
		if image == scene {
			points = append(points, normalize(texts.Row64(text)))
		}
	}
	return points
}

// The mean of n captions of one scene has the norm A(κ) up to random deviations: its component
// along μ has the standard deviation √(A′/n), and the components across add (d−1)·(A/κ)/n to the
// squared norm. Five standard deviations are exceeded for 6e-7 of all seeds.
func TestTheMeanOfManyCaptionsHasTheLengthOfTheirConcentration(t *testing.T) {
	for _, dimension := range []int{3, 16, 64} {
		normalizer, err := sphere.NewVonMisesFisherNormalizer(dimension)
		if err != nil {
			t.Fatal(err)
		}
		for _, kappa := range []float64{0.5, 5, 50, 500} {
			set := crowded(t, dimension, kappa)
			for scene := range 2 {
				points := captionsOf(t, set, scene)
				mean, n := make([]float64, dimension), float64(len(points))
				for _, x := range points {
					for i, value := range x {
						mean[i] += value / n
					}
				}
				square := 0.0
				for _, value := range mean {
					square += value * value
				}
				want, slope := normalizer.MeanResultantLength(kappa), normalizer.MeanResultantSlope(kappa)
				across := float64(dimension-1) * want / kappa / n
				deviation := 2*want*math.Sqrt(slope/n) + math.Sqrt(2/float64(dimension-1))*across
				if math.Abs(square-want*want-across) > 5*deviation+1e-9 {
					t.Errorf("d = %d, κ = %g: the mean of %g captions has the length %.5f, want %.5f", dimension, kappa, n, math.Sqrt(square), want)
				}
			}
		}
	}
}

// The maximum likelihood estimate of κ has the standard deviation 1/√(n A′).
func TestTheConcentrationIsFoundAgainFromTheCaptions(t *testing.T) {
	for _, kappa := range []float64{5, 50, 500} {
		set := crowded(t, 16, kappa)
		for scene := range 2 {
			points := captionsOf(t, set, scene)
			fit, err := sphere.FitVonMisesFisher(points, nil)
			if err != nil {
				t.Fatal(err)
			}
			normalizer, err := sphere.NewVonMisesFisherNormalizer(16)
			if err != nil {
				t.Fatal(err)
			}
			// Fitting μ as well biases κ upwards by a fraction of about (d−1)/2n.
			deviation := 1 / math.Sqrt(float64(len(points))*normalizer.MeanResultantSlope(kappa))
			if got := fit.Concentration(); math.Abs(got-kappa) > 5*deviation+kappa*15/float64(len(points)) {
				t.Errorf("κ = %g: fitted %.3f, deviation %.3f", kappa, got, deviation)
			}
			image := normalize(set.Images.Row64(scene))
			cosine := 0.0
			for i, value := range fit.MeanDirection(nil) {
				cosine += value * image[i]
			}
			// 1 − cos is about half the squared distance, (d−1)/(2 n κ A) on average.
			if away := 1 - cosine; away > 5*15/(2*float64(len(points))*kappa*normalizer.MeanResultantLength(kappa)) {
				t.Errorf("κ = %g: the mean direction of the captions is %.2g from the scene", kappa, away)
			}
		}
	}
}

func TestEqualBoundsGiveAllCaptionsTheSameConcentration(t *testing.T) {
	set := crowded(t, 8, 7)
	for text, kappa := range set.Kappas {
		if math.Abs(kappa-7) > 1e-12 {
			t.Fatalf("text %d has the concentration %g", text, kappa)
		}
	}
}

// Training and test scenes, chains and tasks come from separate random number streams: no scene is
// in two of them, and all lie in the same subspace.
func TestNoSceneIsInTwoSets(t *testing.T) {
	options := Options{Scenes: 50, TestScenes: 50, Seed: 3}
	train, test, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	chains, err := NewChains(options, 3)
	if err != nil {
		t.Fatal(err)
	}
	sets := []*Set{train, test, chains}
	for i, one := range sets {
		for _, other := range sets[i+1:] {
			for scene := range 50 {
				for another := range 50 {
					if slices.Equal(one.Images.Row(scene), other.Images.Row(another)) {
						t.Fatalf("%s and %s share a scene", one.Name, other.Name)
					}
				}
			}
		}
		if away := outside(train.Images.Row64(7), one.Images); away > 1e-9 {
			t.Errorf("%s spans another subspace, by %g", one.Name, away)
		}
	}
}

// Scenes that fill the space have no noise outside their subspace; the world must still be valid.
func TestScenesMayFillTheSpace(t *testing.T) {
	train, _, err := New(Options{Scenes: 40, TestScenes: 2, Dimension: 6, SceneDimension: 6, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := train.Check(); err != nil {
		t.Error(err)
	}
	axes := subspace(6, 6, rand.New(rand.NewPCG(1, 0)))
	for i, one := range axes {
		for j, other := range axes {
			product := 0.0
			for k, value := range one {
				product += value * other[k]
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(product-want) > 1e-12 {
				t.Errorf("axes %d and %d have the product %g", i, j, product)
			}
		}
	}
}
