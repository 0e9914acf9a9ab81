package nn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
)

var kinds = []Likelihood{VonMisesFisher, VonMisesFisherExact, PowerSpherical, Cosine}

// pairs returns random raw texts with norms like an encoder's, and unit images.
func pairs[F device.Float](rows, columns int, source *rand.Rand) (texts, images device.Matrix[F]) {
	texts, images = device.NewMatrix[F](rows, columns), device.NewMatrix[F](rows, columns)
	for i := range rows {
		direction := make([]float64, columns)
		for j := range direction {
			direction[j] = source.NormFloat64()
		}
		length := norm(direction)
		for j, value := range direction {
			images.Values[i*columns+j] = F(value / length)
			texts.Values[i*columns+j] = F(3*value + source.NormFloat64())
		}
	}
	return texts, images
}

func testLearner[F device.Float](t *testing.T, ops device.Operations[F], a Architecture, batch int) *learner[F] {
	t.Helper()
	l, err := newLearner(ops, a, batch)
	if err != nil {
		t.Fatal(err)
	}
	l.Initialize(rand.New(rand.NewPCG(1, 2)))
	return l
}

func TestGradientsAgreeWithFiniteDifferences(t *testing.T) {
	for _, kind := range kinds {
		for _, hidden := range []int{0, 1, 3} {
			t.Run(fmt.Sprintf("%s/%d", kind, hidden), func(t *testing.T) {
				architecture := Architecture{Dimension: 8, Hidden: 11, HiddenLayers: hidden, Likelihood: kind}
				l := testLearner(t, device.Reference[float64]{}, architecture, 5)
				l.tensors.all[len(l.tensors.all)-1].values[0] = 2.5
				texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
				if _, err := l.differentiate(texts, images); err != nil {
					t.Fatal(err)
				}
				gradient := slices.Clone(l.gradient)
				size := norm(gradient)
				for i := 0; i < len(gradient); i += 1 + i%3 {
					// h balances the rounding error of the loss, 1e-16/h, against the third
					// derivative, h².
					const h = 1e-5
					loss := func(shift float64) float64 {
						kept := l.parameters[i]
						l.parameters[i] += shift
						result, err := l.differentiate(texts, images)
						if err != nil {
							t.Fatal(err)
						}
						l.parameters[i] = kept
						return result.Loss
					}
					numeric := (loss(h) - loss(-h)) / (2 * h)
					if math.Abs(numeric-gradient[i]) > 1e-6*math.Max(math.Abs(gradient[i]), size/100) {
						t.Errorf("parameter %d: derivative %g, finite difference %g", i, gradient[i], numeric)
					}
				}
			})
		}
	}
}

func TestLossOfEqualTextsIsTheLogarithmOfTheBatch(t *testing.T) {
	for _, kind := range []Likelihood{VonMisesFisher, VonMisesFisherExact, PowerSpherical} {
		l, err := newLearner(device.Reference[float64]{}, Architecture{Dimension: 8, Hidden: 4, HiddenLayers: 1, Likelihood: kind}, 6)
		if err != nil {
			t.Fatal(err)
		}
		texts, images := pairs[float64](6, 8, rand.New(rand.NewPCG(5, 6)))
		l.tensors.all[len(l.tensors.all)-1].values[0] = 1 // all weights are 0, so every output and every concentration is 0
		result, err := l.differentiate(texts, images)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(result.Loss-math.Log(6)) > 1e-14 || result.MeanConcentration != 0 {
			t.Errorf("%s: loss %g, want log 6 = %g; mean concentration %g", kind, result.Loss, math.Log(6), result.MeanConcentration)
		}
		for i, value := range l.gradient {
			if value != value {
				t.Fatalf("%s: gradient %d is NaN at concentration 0", kind, i)
			}
		}
	}
}

func TestGradientOfTheLogitsSumsToZero(t *testing.T) {
	source := rand.New(rand.NewPCG(7, 8))
	ell := device.NewMatrix[float64](9, 9)
	for i := range ell.Values {
		ell.Values[i] = 4 * source.NormFloat64()
	}
	c := contrastive[float64]{ops: device.Reference[float64]{}}
	_, s := c.loss(ell, 1.5)
	sum := 0.0
	for _, value := range s.g.Values {
		sum += value
	}
	if math.Abs(sum) > 1e-15 {
		t.Errorf("sum %g", sum)
	}
}

func TestInitialWeightsAreThoseOfPyTorch(t *testing.T) {
	cpu := device.NewCPU(1)
	defer cpu.Close()
	l := testLearner(t, device.Device(cpu), Architecture{Dimension: 64, Hidden: 100, HiddenLayers: 3, Likelihood: VonMisesFisher}, 4)
	names := []string{}
	for _, p := range l.Parameters() {
		names = append(names, p.Name)
		if p.Name == "tau" {
			if p.Values[0] != 1 || len(p.Shape) != 0 {
				t.Errorf("temperature %v with shape %v, want 1 and none", p.Values, p.Shape)
			}
			continue
		}
		in := 100.0
		if p.Name == "text.0.weight" || p.Name == "text.0.bias" {
			in = 64
		}
		bound, sum, most := 1/math.Sqrt(in), 0.0, 0.0
		for _, value := range p.Values {
			sum += float64(value) * float64(value)
			most = math.Max(most, math.Abs(float64(value)))
		}
		// The mean square of a uniform value is bound²/3; with 64 values or more it is off by 40 %
		// with probability below 1e-3, and the seed is fixed.
		if ratio := sum / float64(len(p.Values)) / (bound * bound / 3); most > bound || ratio < 0.6 || ratio > 1.4 {
			t.Errorf("%s: largest %g of %g, mean square %g of the expected", p.Name, most, bound, ratio)
		}
	}
	want := []string{"text.0.weight", "text.0.bias", "text.2.weight", "text.2.bias", "text.4.weight", "text.4.bias",
		"text.6.weight", "text.6.bias", "tau"}
	if !slices.Equal(names, want) {
		t.Errorf("parameters %q", names)
	}
}

func TestParametersShareTheLearnersMemory(t *testing.T) {
	l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 4, Likelihood: Cosine}, 2)
	for _, p := range l.Parameters() {
		if p.Name == "tau" {
			p.Values[0] = 7
		}
	}
	if l.Temperature() != 7 {
		t.Errorf("temperature %g", l.Temperature())
	}
}

func TestShortBatchesGiveTheSameAsALearnerOfTheirSize(t *testing.T) {
	for _, kind := range kinds {
		architecture := Architecture{Dimension: 10, Hidden: 16, HiddenLayers: 2, Likelihood: kind}
		texts, images := pairs[float64](3, 10, rand.New(rand.NewPCG(9, 10)))
		var losses []float64
		for _, batch := range []int{3, 8} {
			l := testLearner(t, device.Reference[float64]{}, architecture, batch)
			for range 3 {
				result, err := l.Step(texts, images, device.Rate{Rate: 0.1, Momentum: 0.9})
				if err != nil {
					t.Fatal(err)
				}
				losses = append(losses, result.Loss)
			}
		}
		if !slices.Equal(losses[:3], losses[3:]) {
			t.Errorf("%s: losses %v and %v", kind, losses[:3], losses[3:])
		}
	}
}

func TestInferenceInPartsEqualsInferenceAtOnce(t *testing.T) {
	for _, kind := range kinds {
		architecture := Architecture{Dimension: 10, Hidden: 16, HiddenLayers: 2, Likelihood: kind}
		texts, images := pairs[float64](11, 10, rand.New(rand.NewPCG(11, 12)))
		var all [][]float64
		for _, batch := range []int{11, 4} {
			l := testLearner(t, device.Reference[float64]{}, architecture, batch)
			ell := device.NewMatrix[float64](11, 11)
			l.Score(ell, l.Represent(Images, images), l.Represent(Texts, texts))
			all = append(all, ell.Values)
		}
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("%s: scores depend on the batch", kind)
		}
	}
}

func TestLossFallsInSinglePrecision(t *testing.T) {
	cpu := device.NewCPU(2)
	defer cpu.Close()
	for _, kind := range kinds {
		l := testLearner(t, device.Device(cpu), Architecture{Dimension: 16, Hidden: 48, HiddenLayers: 2, Likelihood: kind}, 64)
		texts, images := pairs[float32](64, 16, rand.New(rand.NewPCG(13, 14)))
		var first, last float64
		for step := range 300 {
			result, err := l.Step(texts, images, device.Rate{Rate: 0.1, Momentum: 0.9, WeightDecay: 5e-4})
			if err != nil {
				t.Fatal(err)
			}
			if step == 0 {
				first = result.Loss
			}
			last = result.Loss
		}
		if last > first/4 {
			t.Errorf("%s: loss %g after 300 steps from %g", kind, last, first)
		}
	}
}

func TestStepWithNaNNamesTheTermAndChangesNothing(t *testing.T) {
	for _, kind := range kinds {
		l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 6, Hidden: 5, HiddenLayers: 1, Likelihood: kind}, 4)
		texts, images := pairs[float64](4, 6, rand.New(rand.NewPCG(15, 16)))
		texts.Values[8] = math.NaN()
		before := slices.Clone(l.parameters)
		_, err := l.Step(texts, images, device.Rate{Rate: 0.1})
		var notFinite *NotFiniteError
		if !errors.As(err, &notFinite) || err.Error() != "nn: the mean concentration is NaN" {
			t.Errorf("%s: error %v", kind, err)
		}
		if !slices.Equal(before, l.parameters) {
			t.Errorf("%s: parameters changed", kind)
		}
	}
}

func TestImpossibleArchitecturesAreErrors(t *testing.T) {
	for want, a := range map[string]Architecture{
		"nn: dimension 1, want at least 2": {Dimension: 1, Likelihood: Cosine},
		"nn: 2 hidden layers of width 0":   {Dimension: 4, HiddenLayers: 2, Likelihood: Cosine},
		`nn: objective "contrastive" without a likelihood, want "vmf", "vmf-exact", "ps", "cosine" or "gauss"`: {Dimension: 4},
	} {
		if _, err := NewLearner(device.Reference[float32]{}, a, 1); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := NewLearner(device.Reference[float32]{}, Architecture{Dimension: 4, Likelihood: Cosine}, 0); err == nil {
		t.Error("a batch of nothing is no error")
	}
	l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 4, Likelihood: Cosine}, 2)
	texts, images := pairs[float64](3, 4, rand.New(rand.NewPCG(19, 20)))
	if _, err := l.Step(texts, images, device.Rate{}); err == nil {
		t.Error("a batch that is too large is no error")
	}
}

func TestScheduleFallsFromInitialToFinal(t *testing.T) {
	s := CosineSchedule{Initial: 1, Final: 0.25, Steps: 8}
	if s.Rate(0) != 1 || math.Abs(s.Rate(4)-0.625) > 1e-15 || s.Rate(8) != 0.25 || s.Rate(100) != 0.25 {
		t.Errorf("rates %g %g %g %g", s.Rate(0), s.Rate(4), s.Rate(8), s.Rate(100))
	}
	for step := range 8 {
		if s.Rate(step+1) >= s.Rate(step) {
			t.Errorf("rate rises at step %d", step)
		}
	}
}
