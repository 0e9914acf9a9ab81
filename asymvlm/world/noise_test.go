package world

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// For a large κ the noise of a caption is nearly A z/√κ without its part along μ. Its variance
// along an axis of A is then that of the axis, and the fourth moment divided by the squared second
// moment is 6 for Laplace's density; it is 3 for a normal one.
func TestEllipticalNoiseHasTheVariancesOfItsAxesAndHeavyTails(t *testing.T) {
	const dimension, kappa = 6, 1e6
	options := Options{Scenes: 2, TestScenes: 2, CaptionsPerScene: 20000, Dimension: dimension, MinKappa: kappa, MaxKappa: kappa, Noise: Elliptical, Seed: 5}
	train, _, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	image := normalize(train.Images.Row64(0))
	axes, total := options.withDefaults().noiseAxes(), 0.0
	for a, axis := range axes {
		scale := math.Sqrt(dotted(axis, axis))
		total += scale * scale
		// Along the axis without its part along μ, which normalization removes.
		across := slices.Clone(axis)
		for i := range across {
			across[i] = across[i]/scale - dotted(axis, image)/scale*image[i]
		}
		var second float64
		for text, of := range train.CaptionImages {
			if of == 0 {
				x := dotted(normalize(train.Texts.Row64(text)), across) * math.Sqrt(kappa)
				second += x * x / 20000
			}
		}
		want := 0.0
		for _, other := range axes {
			want += dotted(other, across) * dotted(other, across)
		}
		// The mean of 20,000 squares with a fourth moment of up to 6 has a standard error of at
		// most √(5/20000).
		if math.Abs(second/want-1) > 5*math.Sqrt(5.0/20000) {
			t.Errorf("axis %d: variance %.4f, want %.4f", a, second, want)
		}
	}
	if math.Abs(total-dimension) > 1e-9 {
		t.Errorf("the variances sum up to %g, want %d", total, dimension)
	}
	if ratio := dotted(axes[0], axes[0]) / dotted(axes[dimension-1], axes[dimension-1]); math.Abs(ratio-eccentricity) > 1e-9 {
		t.Errorf("variances from the first to the last axis fall by %g, want %d", ratio, eccentricity)
	}
	if kurtosis := tails(train, image); kurtosis < 3.5 {
		t.Errorf("kurtosis %.2f, want that of heavy tails", kurtosis)
	}
}

// tails returns the kurtosis of the first scene's captions along the coordinate that is farthest
// from the scene.
func tails(set *Set, image []float64) float64 {
	at := 0
	for i, x := range image {
		if math.Abs(x) < math.Abs(image[at]) {
			at = i
		}
	}
	var n, second, fourth float64
	for text, of := range set.CaptionImages {
		if of == 0 {
			x := normalize(set.Texts.Row64(text))[at] - image[at]
			n, second, fourth = n+1, second+x*x, fourth+x*x*x*x
		}
	}
	return fourth * n / (second * second)
}

func dotted(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func TestNoiseKeepsScenesAndIsDrawnAgain(t *testing.T) {
	vmf, _ := small(t, Options{Seed: 2})
	one, test := small(t, Options{Seed: 2, Noise: Elliptical})
	two, _ := small(t, Options{Seed: 2, Noise: Elliptical})
	if one.Name != "world_elliptical/train" || !slices.Equal(one.Texts.Values, two.Texts.Values) || slices.Equal(one.Texts.Values, vmf.Texts.Values) {
		t.Errorf("%s: equal options give other captions, or another noise the same", one.Name)
	}
	for _, set := range []*embedding.Set{&one.Set, &test.Set} {
		if err := set.Check(); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := New(Options{Noise: "plain"}); err == nil || !strings.Contains(err.Error(), `noise "plain", want "vmf" or "elliptical"`) {
		t.Errorf("error %v", err)
	}
	if chains, err := NewChains(Options{TestScenes: 5, Noise: Elliptical}, 2); err != nil || chains.Name != "world_elliptical/chains" {
		t.Errorf("%v, %v", chains, err)
	}
	if task, err := NewTask(Options{Noise: Elliptical}, TaskOptions{}); err != nil || task.Check() != nil {
		t.Errorf("%v, %v", task, err)
	}
}
