package world

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/sphere"
)

// small returns a world that is fast to generate.
func small(t *testing.T, options Options) (train, test *Set) {
	t.Helper()
	if options.Scenes == 0 {
		options.Scenes = 300
	}
	train, test, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return train, test
}

func TestWorldHasTheAskedShape(t *testing.T) {
	train, test := small(t, Options{Scenes: 30, TestScenes: 7, CaptionsPerScene: 3, Dimension: 12, Seed: 4})
	for _, c := range []struct {
		set    *Set
		scenes int
		name   string
	}{{train, 30, "world/train"}, {test, 7, "world/test"}} {
		if err := c.set.Check(); err != nil {
			t.Error(err)
		}
		if c.set.Name != c.name || c.set.Images.Rows != c.scenes || c.set.Texts.Rows != 3*c.scenes || c.set.Texts.Columns != 12 {
			t.Errorf("%v, want %d scenes", c.set, c.scenes)
		}
		if len(c.set.Kappas) != 3*c.scenes || c.set.CaptionImages[3*c.scenes-1] != c.scenes-1 {
			t.Errorf("%d concentrations, table %v", len(c.set.Kappas), c.set.CaptionImages)
		}
		for text, u := range c.set.TrueUncertainty() {
			if kappa := c.set.Kappas[text]; kappa < 1.5 || kappa > 24 || u != 1/kappa {
				t.Errorf("text %d has concentration %g outside [D/8, 2D], uncertainty %g", text, kappa, u)
			}
		}
	}
}

func TestEqualOptionsGiveEqualWorlds(t *testing.T) {
	train, test := small(t, Options{Seed: 1})
	again, _ := small(t, Options{Seed: 1})
	other, _ := small(t, Options{Seed: 2})
	if !slices.Equal(train.Texts.Values, again.Texts.Values) || !slices.Equal(train.Kappas, again.Kappas) {
		t.Error("the same seed gives another world")
	}
	if slices.Equal(train.Kappas, other.Kappas) {
		t.Error("another seed gives the same world")
	}
	_, larger := small(t, Options{Seed: 1, Scenes: 400})
	if !slices.Equal(test.Texts.Values, larger.Texts.Values) {
		t.Error("a larger training set changes the test set")
	}
}

// The mean of (cos − A(κ))/√A′(κ) over n captions is within 5/√n of 0, and that of its square
// within 5·√(2/n) of 1, except for 6e-7 of all seeds.
func TestCaptionsSpreadAroundTheirScenesAsTheirConcentrationSays(t *testing.T) {
	train, _ := small(t, Options{Scenes: 1500, Seed: 5})
	normalizer, err := sphere.NewVonMisesFisherNormalizer(64)
	if err != nil {
		t.Fatal(err)
	}
	images, err := train.Images.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	texts, err := train.Texts.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	sum, squares, n := 0.0, 0.0, float64(texts.Rows)
	for text, kappa := range train.Kappas {
		cosine := 0.0
		for i, value := range images.Row(train.CaptionImages[text]) {
			cosine += float64(value) * float64(texts.At(text, i))
		}
		z := (cosine - normalizer.MeanResultantLength(kappa)) / math.Sqrt(normalizer.MeanResultantSlope(kappa))
		sum, squares = sum+z, squares+z*z
	}
	if mean := sum / n; math.Abs(mean) > 5/math.Sqrt(n) {
		t.Errorf("mean deviation %.4f standard errors", mean)
	}
	if square := squares / n; math.Abs(square-1) > 5*math.Sqrt(2/n) {
		t.Errorf("mean square deviation %.4f, want 1", square)
	}
}

func TestConcentrationsAreLogUniform(t *testing.T) {
	train, _ := small(t, Options{Scenes: 1000, MinKappa: 2, MaxKappa: 2 * math.Exp(4), Seed: 6})
	quarter := [4]float64{}
	for _, kappa := range train.Kappas {
		quarter[min(int(math.Log(kappa/2)), 3)]++
	}
	// Each quarter is binomial with mean 1000 and standard deviation 27; the limit is five of them.
	for i, count := range quarter {
		if math.Abs(count-1000) > 137 {
			t.Errorf("quarter %d of log κ has %g of 4000 captions, want 1000", i, count)
		}
	}
}

func TestLengthsAreAnEncodersAndTellNothing(t *testing.T) {
	train, _ := small(t, Options{Scenes: 1000, TextLength: 5, Seed: 7})
	lengths := train.Texts.Norms()
	spread := retrieval.Over(lengths)
	if math.Abs(spread.Mean-5) > 0.04 || math.Abs(spread.SD-0.5) > 0.03 {
		t.Errorf("lengths of texts %v, want 5 ± 0.5", spread)
	}
	if images := retrieval.Over(train.Images.Norms()); math.Abs(images.Mean-10) > 0.08 {
		t.Errorf("lengths of images %v, want 10 ± 0.5", images)
	}
	// The rank correlation of independent values is within 5/√n except for 6e-7 of all seeds.
	if r := retrieval.Spearman(lengths, train.Kappas); math.Abs(r) > 5/math.Sqrt(4000) {
		t.Errorf("length and concentration correlate by %g", r)
	}
}

// Noise outside the subspace of the scenes shows the concentration without the scene, which is what
// an adapter can learn. The subspace is estimated from the training scenes, as an adapter must do.
func TestConcentrationCanBeSeenInTheCaption(t *testing.T) {
	options := Options{Seed: 8}.withDefaults()
	axes := subspace(options.Dimension, options.SceneDimension, rand.New(rand.NewPCG(options.Seed, 0)))
	_, test := small(t, Options{Seed: 8})
	texts, err := test.Texts.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	within := make([]float64, texts.Rows)
	for text := range within {
		for _, axis := range axes {
			product := 0.0
			for i, value := range axis {
				product += value * float64(texts.At(text, i))
			}
			within[text] += product * product
		}
	}
	if r := retrieval.Spearman(within, test.Kappas); r < 0.8 {
		t.Errorf("the part within the subspace correlates by %.3f with the concentration, want at least 0.8", r)
	}
	for image := range test.Images.Rows {
		inside, all := 0.0, 0.0
		for _, axis := range axes {
			product := 0.0
			for i, value := range axis {
				product += value * float64(test.Images.At(image, i))
			}
			inside += product * product
		}
		for _, value := range test.Images.Row(image) {
			all += float64(value) * float64(value)
		}
		if math.Abs(inside/all-1) > 1e-6 {
			t.Fatalf("scene %d lies outside the subspace", image)
		}
	}
}

func TestTrueUncertaintyOrdersRecall(t *testing.T) {
	_, test := small(t, Options{Seed: 9})
	cosines, err := retrieval.Cosines(test.Images, test.Texts)
	if err != nil {
		t.Fatal(err)
	}
	report, err := retrieval.EvaluateBlocks(cosines, test.CaptionImages, test.TrueUncertainty(), 10)
	if err != nil {
		t.Fatal(err)
	}
	d := report.TextToImage
	// Perfect levels tie, so that S is slightly above −1.
	if d.S > -0.95 || d.Levels[0] < 0.95 || d.Levels[9] > 0.2 {
		t.Errorf("S %.3f, levels %.3f", d.S, d.Levels)
	}
}

func TestImpossibleOptionsAreRefused(t *testing.T) {
	for want, options := range map[string]Options{
		"1 training":              {Scenes: 1},
		"-1 test scenes":          {TestScenes: -1},
		"-2 captions":             {CaptionsPerScene: -2},
		"scenes in 9 of 8":        {Dimension: 8, SceneDimension: 9},
		"scenes in 2 of 1":        {Dimension: 1},
		"concentrations from 5":   {MinKappa: 5, MaxKappa: 4},
		"concentrations from -1":  {MinKappa: -1},
		"concentrations from NaN": {MinKappa: math.NaN()},
		"to +Inf":                 {MaxKappa: math.Inf(1)},
		"texts of length -3":      {TextLength: -3},
		"images of length NaN":    {ImageLength: math.NaN()},
	} {
		_, _, err := New(options)
		if err == nil || !strings.HasPrefix(err.Error(), "world: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
