package nn

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
)

// ownContrastive is InfoNCE as a user would write it, with loops over a batch.
func ownContrastive() custom.Func {
	return custom.Func{Label: "own", Parameters: []custom.Number{{Name: "tau", First: 1}}, Loss: func(b *custom.Batch) (loss float64) {
		n, tau := b.Pairs(), b.Numbers[0]
		for i := range n {
			for _, pick := range []func(j int) (s, r int){
				func(j int) (int, int) { return i, j }, func(j int) (int, int) { return j, i },
			} {
				sum := 0.0
				for j := range n {
					s, r := pick(j)
					sum += math.Exp(tau * b.LogLikelihoods[s][r])
				}
				loss += (math.Log(sum) - tau*b.LogLikelihoods[i][i]) / float64(2*n)
				for j := range n {
					s, r := pick(j)
					g := math.Exp(tau*b.LogLikelihoods[s][r]) / sum / float64(2*n)
					if j == i {
						g -= 1 / float64(2*n)
					}
					b.DLogLikelihoods[s][r] += tau * g
					b.DNumbers[0] += g * b.LogLikelihoods[s][r]
				}
			}
		}
		return loss
	}}
}

// penalty is a loss of the outputs alone.
func penalty() custom.Func {
	return custom.Func{Label: "penalty", Loss: func(b *custom.Batch) (loss float64) {
		for r, row := range b.Natural {
			for j, eta := range row {
				apart := eta - 3*b.Images[r][j]
				loss += apart * apart
				b.DNatural[r][j] += 2 * apart
			}
		}
		return loss
	}}
}

func TestOwnLossTrainsLikeTheBuiltInOne(t *testing.T) {
	for _, kind := range append(kinds, Gaussian) {
		for _, objective := range []Objective{Contrastive, ContrastiveImages} {
			a := Architecture{Dimension: 8, Hidden: 11, HiddenLayers: 2, Likelihood: kind, Objective: objective}
			own := a
			own.Loss = ownContrastive()
			one := testLearner(t, device.Reference[float64]{}, a, 5)
			two := testLearner(t, device.Reference[float64]{}, own, 5)
			texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
			for step := range 6 {
				rate := device.Rate{Rate: 0.1, Momentum: 0.9, WeightDecay: 5e-4}
				batch := 5 - step%2
				want, err := one.Step(texts.Top(batch), images.Top(batch), rate)
				if err != nil {
					t.Fatal(err)
				}
				got, err := two.Step(texts.Top(batch), images.Top(batch), rate)
				if err != nil {
					t.Fatal(err)
				}
				near(t, kind.String()+" loss", []float64{got.Loss, got.Temperature, got.MeanConcentration},
					[]float64{want.Loss, want.Temperature, want.MeanConcentration}, 1e-12)
			}
			near(t, kind.String()+" parameters", two.parameters, one.parameters, 1e-11)
		}
	}
}

func TestLossOfTheOutputsReachesTheNetwork(t *testing.T) {
	l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 6, Hidden: 9, HiddenLayers: 1, Likelihood: VonMisesFisher, Loss: penalty()}, 4)
	texts, images := pairs[float64](4, 6, rand.New(rand.NewPCG(5, 6)))
	if _, err := l.differentiate(texts, images); err != nil {
		t.Fatal(err)
	}
	gradient := slices.Clone(l.gradient)
	for i := range gradient {
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
		if numeric := (loss(h) - loss(-h)) / (2 * h); math.Abs(numeric-gradient[i]) > 1e-6*(1+math.Abs(gradient[i])) {
			t.Errorf("parameter %d: derivative %g, finite difference %g", i, gradient[i], numeric)
		}
	}
	if l.Temperature() != 1 {
		t.Errorf("temperature %g without a number tau", l.Temperature())
	}
}

func TestWrongGradientStopsBeforeTheFirstStep(t *testing.T) {
	wrong := ownContrastive()
	right := wrong.Loss
	wrong.Loss = func(b *custom.Batch) float64 {
		loss := right(b)
		b.DLogLikelihoods[1][2] *= 1.5
		return loss
	}
	l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 6, Hidden: 9, HiddenLayers: 1, Likelihood: VonMisesFisher, Loss: wrong}, 50)
	texts, images := pairs[float64](50, 6, rand.New(rand.NewPCG(7, 8)))
	before := slices.Clone(l.parameters)
	_, err := l.Step(texts, images, device.Rate{Rate: 0.1})
	var gradient *custom.GradientError
	if !errors.As(err, &gradient) || gradient.Entry != "LogLikelihoods[1][2]" {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(before, l.parameters) || l.steps != 0 {
		t.Error("parameters changed")
	}
}

func TestLossThatFailsLaterChangesNothing(t *testing.T) {
	calls, failing := 0, penalty()
	right := failing.Loss
	failing.Loss = func(b *custom.Batch) float64 {
		if calls++; b.Pairs() == 3 {
			return math.NaN()
		}
		return right(b)
	}
	l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 6, Hidden: 9, HiddenLayers: 1, Likelihood: Cosine, Loss: failing}, 4)
	texts, images := pairs[float64](4, 6, rand.New(rand.NewPCG(9, 10)))
	if _, err := l.Step(texts, images, device.Rate{Rate: 0.01}); err != nil {
		t.Fatal(err)
	}
	checks := calls
	before := slices.Clone(l.parameters)
	_, err := l.Step(texts.Top(3), images.Top(3), device.Rate{Rate: 0.01})
	if notFinite := (*NotFiniteError)(nil); !errors.As(err, &notFinite) || notFinite.Term != "the loss" {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(before, l.parameters) || calls != checks+1 {
		t.Errorf("parameters changed, or %d calls in the second step", calls-checks)
	}
}
