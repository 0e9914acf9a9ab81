package nn

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/special"
)

// ownMutualLikelihood is the loss of PFE with loops over a batch.
func ownMutualLikelihood() custom.Func {
	return custom.Func{Label: "own pfe", Loss: func(b *custom.Batch) (loss float64) {
		n := float64(b.Pairs())
		for i := range b.Pairs() {
			for j := range b.Means[custom.Texts][i] {
				text, image := math.Exp(b.LogVariances[custom.Texts][i][j]), math.Exp(b.LogVariances[custom.Images][i][j])
				s, apart := text+image, b.Means[custom.Images][i][j]-b.Means[custom.Texts][i][j]
				loss += (apart*apart/s + math.Log(s)) / n
				slope := (1/s - apart*apart/(s*s)) / n
				b.DLogVariances[custom.Texts][i][j] += text * slope
				b.DLogVariances[custom.Images][i][j] += image * slope
			}
		}
		return loss
	}}
}

// ownMatchingProbability is the loss of PCME++ with loops over a batch.
func ownMatchingProbability() custom.Func {
	numbers := []custom.Number{{Name: "a", First: firstMatching}, {Name: "b", First: firstMatching}}
	return custom.Func{Label: "own pcmepp", Parameters: numbers, Loss: func(b *custom.Batch) (loss float64) {
		n := b.Pairs()
		for s := range n {
			for r := range n {
				distance := 0.0
				for j, x := range b.Means[custom.Images][s] {
					apart := x - b.Means[custom.Texts][r][j]
					distance += apart*apart + math.Exp(b.LogVariances[custom.Images][s][j]) + math.Exp(b.LogVariances[custom.Texts][r][j])
				}
				logit, label := b.Numbers[1]-b.Numbers[0]*distance, 0.0
				if s == r {
					label = 1
				}
				loss += 2 * (special.Softplus(logit) - label*logit) / float64(n*n)
				q := 2 * (special.Sigmoid(logit) - label) / float64(n*n)
				b.DNumbers[0] -= q * distance
				b.DNumbers[1] += q
				for j := range b.Means[custom.Images][s] {
					b.DLogVariances[custom.Images][s][j] -= q * b.Numbers[0] * math.Exp(b.LogVariances[custom.Images][s][j])
					b.DLogVariances[custom.Texts][r][j] -= q * b.Numbers[0] * math.Exp(b.LogVariances[custom.Texts][r][j])
				}
			}
		}
		return loss
	}}
}

// ownCosines is InfoNCE of cosines, from ELIP's initial factor.
func ownCosines() custom.Func {
	loss := ownContrastive()
	loss.Parameters = []custom.Number{{Name: "tau", First: firstIota}}
	return loss
}

func TestOwnLossOfOtherMethodsTrainsLikeTheBuiltInOne(t *testing.T) {
	for objective, loss := range map[Objective]custom.Loss{
		PFE: ownMutualLikelihood(), PCMEPP: ownMatchingProbability(), EvidentialITC: ownCosines(),
	} {
		a := Architecture{Dimension: 8, Hidden: 11, HiddenLayers: 2, Objective: objective, Optimizer: AdamW}
		own := a
		own.Loss = loss
		one := testLearner(t, device.Reference[float64]{}, a, 5)
		two := testLearner(t, device.Reference[float64]{}, own, 5)
		texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
		for step := range 6 {
			rate := device.Rate{Rate: 0.01, WeightDecay: 5e-4}
			batch := 5 - step%2
			want, err := one.Step(texts.Top(batch), images.Top(batch), rate)
			if err != nil {
				t.Fatal(err)
			}
			got, err := two.Step(texts.Top(batch), images.Top(batch), rate)
			if err != nil {
				t.Fatal(err)
			}
			near(t, objective.String()+" loss", []float64{got.Loss, got.MeanConcentration}, []float64{want.Loss, want.MeanConcentration}, 1e-11)
		}
		near(t, objective.String()+" parameters", two.parameters, one.parameters, 1e-9)
	}
}

// The variances of PFE are the softplus of the outputs, so the derivative is multiplied by that of
// log softplus.
func TestDerivativesOfLogVariancesReachTheNetworks(t *testing.T) {
	penalty := custom.Func{Label: "penalty", Loss: func(b *custom.Batch) (loss float64) {
		for side, rows := range b.LogVariances {
			for i, row := range rows {
				for j, l := range row {
					loss += float64(side+1) * l * l * b.Means[side][i][j]
					b.DLogVariances[side][i][j] += 2 * float64(side+1) * l * b.Means[side][i][j]
				}
			}
		}
		return loss
	}}
	for _, objective := range []Objective{PFE, PCMEPP, ProLIPFull} {
		l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 6, Hidden: 9, HiddenLayers: 1, Objective: objective, Loss: penalty}, 4)
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
				t.Errorf("%s: parameter %d: derivative %g, finite difference %g", objective, i, gradient[i], numeric)
			}
		}
	}
	for _, x := range []float64{-40, -30.001, -29.999, -5, 0, 3, 40} {
		const h = 1e-4
		if numeric := (logSoftplus(x+h) - logSoftplus(x-h)) / (2 * h); math.Abs(numeric-logSoftplusSlope(x)) > 1e-7 {
			t.Errorf("slope of log softplus at %g is %g, differences give %g", x, logSoftplusSlope(x), numeric)
		}
	}
}

func TestWrongDerivativeOfAVarianceIsNamed(t *testing.T) {
	wrong := ownMutualLikelihood()
	right := wrong.Loss
	wrong.Loss = func(b *custom.Batch) float64 {
		loss := right(b)
		b.DLogVariances[custom.Images][1][2] *= 1.5
		return loss
	}
	l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 6, Hidden: 9, HiddenLayers: 1, Objective: PFE, Loss: wrong}, 4)
	texts, images := pairs[float64](4, 6, rand.New(rand.NewPCG(7, 8)))
	_, err := l.Step(texts, images, device.Rate{Rate: 0.1})
	var gradient *custom.GradientError
	if !errors.As(err, &gradient) || gradient.Entry != "LogVariances[Images][1][2]" {
		t.Errorf("error %v", err)
	}
}
