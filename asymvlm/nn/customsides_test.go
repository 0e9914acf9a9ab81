package nn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/special"
)

// ownReconstruction is the loss of ProbVLM with loops over a batch, in its official or its exact
// form. Its inputs are log α and log β, so derivatives with respect to 1/α and β are multiplied by
// −1/α and β.
func ownReconstruction(exact bool) custom.Func {
	return custom.Func{Label: "own probvlm", Loss: func(b *custom.Batch) (loss float64) {
		n := float64(b.Pairs() * len(b.Targets[Texts][0]))
		for side := range b.Means {
			for i, means := range b.Means[side] {
				for j, mean := range means {
					softQ, softBeta := math.Exp(-b.LogScales[side][i][j]), math.Exp(b.LogShapes[side][i][j])
					for other, weight := range [2]float64{1, crossWeight} {
						y := b.Targets[(side+other)%2][i][j]
						part, dMean, dQ, dBeta := generalizedByHand(mean-y, softQ+1e-4, softBeta+1e-4, exact)
						loss += weight * part / n
						b.DMeans[side][i][j] += weight * dMean / n
						b.DLogScales[side][i][j] -= weight * dQ * softQ / n
						b.DLogShapes[side][i][j] += weight * dBeta * softBeta / n
					}
				}
			}
		}
		return loss
	}}
}

// generalizedByHand returns |μ−y| + 0.05 NLL of one coordinate and its derivatives.
func generalizedByHand(apart, q, beta float64, exact bool) (loss, dMean, dQ, dBeta float64) {
	sign := math.Copysign(1, apart)
	apart = math.Abs(apart)
	residual, slope, ofQ, ofBeta := apart*q*beta, q*beta, apart*beta, apart*q
	if exact {
		residual = math.Pow(apart*q, beta)
		slope, ofQ, ofBeta = beta*residual/apart, beta*residual/q, residual*math.Log(apart*q)
	}
	gamma, _ := math.Lgamma(1 / beta)
	loss = apart + 0.05*(residual-math.Log(q)+gamma-math.Log(beta))
	return loss, sign * (1 + 0.05*slope), 0.05 * (ofQ - 1/q), 0.05 * (ofBeta - special.Digamma(1/beta)/(beta*beta) - 1/beta)
}

// trainBoth performs six steps with an objective's own loss and with the given one, with a shorter
// batch every other step, and compares the results and the parameters with the same names.
func trainBoth(t *testing.T, a Architecture, loss custom.Loss, tolerance float64) (own *learner[float64]) {
	t.Helper()
	one := testLearner(t, device.Reference[float64]{}, a, 5)
	a.Loss = loss
	own = testLearner(t, device.Reference[float64]{}, a, 5)
	texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
	for step := range 6 {
		rate := device.Rate{Rate: 0.01, Momentum: 0.9, WeightDecay: 5e-4}
		batch := 5 - step%2
		want, err := one.Step(texts.Top(batch), images.Top(batch), rate)
		if err != nil {
			t.Fatal(err)
		}
		got, err := own.Step(texts.Top(batch), images.Top(batch), rate)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint(a, " step ", step), []float64{got.Loss, got.Temperature, got.MeanConcentration},
			[]float64{want.Loss, want.Temperature, want.MeanConcentration}, tolerance)
	}
	near(t, a.String()+" parameters", own.parameters, one.parameters, 100*tolerance)
	return own
}

func TestOwnLossOfTwoNetworksTrainsLikeTheBuiltInOne(t *testing.T) {
	for _, objective := range []Objective{Symmetrized, Mutual} {
		trainBoth(t, Architecture{Dimension: 8, Hidden: 11, HiddenLayers: 2, Objective: objective}, ownContrastive(), 1e-11)
	}
}

func TestOwnLossOfGeneralizedGaussiansTrainsLikeTheBuiltInOne(t *testing.T) {
	for objective, exact := range map[Objective]bool{ProbVLM: false, ProbVLMExact: true} {
		trainBoth(t, small(Architecture{Objective: objective}), ownReconstruction(exact), 1e-10)
	}
}

// Every member evaluates the loss separately, with its own numbers, which diverge as the members
// do.
func TestOwnLossOfAnEnsembleTrainsEveryMember(t *testing.T) {
	own := trainBoth(t, small(Architecture{Objective: Ensemble}), ownCosines(), 1e-11)
	var numbers []float64
	for _, p := range own.Parameters() {
		if strings.HasSuffix(p.Name, ".loss.tau") {
			numbers = append(numbers, p.Values[0])
		}
		if strings.HasSuffix(p.Name, "iota") {
			t.Errorf("parameter %s of the loss that was replaced", p.Name)
		}
	}
	slices.Sort(numbers)
	if len(slices.Compact(numbers)) != ensembleSize {
		t.Errorf("temperatures of the members %v", numbers)
	}
}

// differences compares the derivative of every parameter with central differences of a user-defined
// loss.
func differences(t *testing.T, a Architecture, loss custom.Loss) {
	t.Helper()
	a.Loss = loss
	l := testLearner(t, device.Reference[float64]{}, a, 4)
	texts, images := pairs[float64](4, a.Dimension, rand.New(rand.NewPCG(5, 6)))
	value := func() float64 {
		result, err := l.differentiate(texts, images)
		if err != nil {
			t.Fatal(err)
		}
		return result.Loss
	}
	value()
	gradient := slices.Clone(l.gradient)
	if norm(gradient) == 0 {
		t.Fatalf("%s: nothing reaches the networks", a)
	}
	for i := range gradient {
		const h = 1e-5
		kept := l.parameters[i]
		l.parameters[i] = kept + h
		up := value()
		l.parameters[i] = kept - h
		down := value()
		l.parameters[i] = kept
		if numeric := (up - down) / (2 * h); math.Abs(numeric-gradient[i]) > 1e-6*(1+math.Abs(gradient[i])) {
			t.Errorf("%s: parameter %d: derivative %g, finite difference %g", a, i, gradient[i], numeric)
		}
	}
}

// A loss of all inputs that symvlm provides: inner products of outputs of both sides, and the
// log-likelihoods.
func TestDerivativesOfBothNaturalParametersReachTheirNetworks(t *testing.T) {
	mixed := custom.Func{Label: "mixed", Parameters: []custom.Number{{Name: "weight", First: 0.3}}, Loss: func(b *custom.Batch) (loss float64) {
		for i, text := range b.Natural {
			for j, eta := range text {
				image := b.NaturalImages[i][j]
				loss += eta*eta*image + b.Numbers[0]*image*image
				b.DNatural[i][j] += 2 * eta * image
				b.DNaturalImages[i][j] += eta*eta + 2*b.Numbers[0]*image
				b.DNumbers[0] += image * image
			}
			for r, ell := range b.LogLikelihoods[i] {
				loss += float64(1+i-r) * ell * ell
				b.DLogLikelihoods[i][r] += 2 * float64(1+i-r) * ell
			}
		}
		return loss
	}}
	for _, objective := range []Objective{Symmetrized, Mutual} {
		differences(t, Architecture{Dimension: 6, Hidden: 9, HiddenLayers: 1, Objective: objective}, mixed)
	}
}

// The scales and shapes are the softplus of the outputs, so derivatives of their logarithms are
// multiplied by that of log softplus, with a negative sign for the scale.
func TestDerivativesOfGeneralizedGaussiansReachTheNetworks(t *testing.T) {
	smooth := custom.Func{Label: "smooth", Loss: func(b *custom.Batch) (loss float64) {
		for side := range b.Means {
			for i, means := range b.Means[side] {
				for j, mean := range means {
					y, scale, shape := b.Targets[side][i][j], b.LogScales[side][i][j], b.LogShapes[side][i][j]
					loss += (mean-y)*(mean-y)/10 + scale*scale*mean + math.Exp(shape)*scale
					b.DMeans[side][i][j] += (mean-y)/5 + scale*scale
					b.DLogScales[side][i][j] += 2*scale*mean + math.Exp(shape)
					b.DLogShapes[side][i][j] += math.Exp(shape) * scale
				}
			}
		}
		return loss
	}}
	for _, objective := range []Objective{ProbVLM, ProbVLMExact} {
		differences(t, Architecture{Dimension: 4, Hidden: 5, Objective: objective}, smooth)
	}
}

func TestWrongDerivativesOfEitherSideAreNamed(t *testing.T) {
	wrongImages, wrongShapes := penalty(), ownReconstruction(false)
	wrongImages.Loss = func(b *custom.Batch) (loss float64) {
		for r, row := range b.NaturalImages {
			for j, eta := range row {
				loss += eta * eta
				b.DNaturalImages[r][j] += 2 * eta
			}
		}
		b.DNaturalImages[1][2] *= 1.5
		return loss
	}
	right := wrongShapes.Loss
	wrongShapes.Loss = func(b *custom.Batch) float64 {
		loss := right(b)
		b.DLogShapes[custom.Images][0][1] += 0.1
		return loss
	}
	for entry, a := range map[string]Architecture{
		"NaturalImages[1][2]":     {Objective: Symmetrized, Loss: wrongImages},
		"LogShapes[Images][0][1]": {Objective: ProbVLM, Loss: wrongShapes},
	} {
		l := testLearner(t, device.Reference[float64]{}, small(a), 4)
		texts, images := pairs[float64](4, 8, rand.New(rand.NewPCG(7, 8)))
		before := slices.Clone(l.parameters)
		_, err := l.Step(texts, images, device.Rate{Rate: 0.1})
		if gradient := (*custom.GradientError)(nil); !errors.As(err, &gradient) || gradient.Entry != entry {
			t.Errorf("%s: error %v", entry, err)
		}
		if !slices.Equal(before, l.parameters) {
			t.Errorf("%s: parameters changed", entry)
		}
	}
}

func TestOwnLossThatBecomesNaNChangesNothing(t *testing.T) {
	for objective, loss := range map[Objective]custom.Func{
		Symmetrized: ownContrastive(), ProbVLM: ownReconstruction(false), Ensemble: ownCosines(),
	} {
		inner := loss.Loss
		loss.Loss = func(b *custom.Batch) float64 {
			value := inner(b)
			if b.Pairs() == 3 {
				return math.Inf(1)
			}
			return value
		}
		l := testLearner(t, device.Reference[float64]{}, small(Architecture{Objective: objective, Loss: loss}), 4)
		texts, images := pairs[float64](4, 8, rand.New(rand.NewPCG(9, 10)))
		if _, err := l.Step(texts, images, device.Rate{Rate: 0.01}); err != nil {
			t.Fatalf("%s: %v", objective, err)
		}
		before := slices.Clone(l.parameters)
		_, err := l.Step(texts.Top(3), images.Top(3), device.Rate{Rate: 0.01})
		if !slices.Equal(before, l.parameters) || err == nil || !strings.Contains(err.Error(), "+Inf") {
			t.Errorf("%s: error %v, or parameters changed", objective, err)
		}
	}
}

func TestLossesOfWhatAMethodDoesNotGiveAreErrors(t *testing.T) {
	l := testLearner(t, device.Reference[float64]{}, small(Architecture{Objective: ProbVLM, Loss: ownContrastive()}), 4)
	texts, images := pairs[float64](4, 8, rand.New(rand.NewPCG(7, 8)))
	_, err := l.Step(texts, images, device.Rate{Rate: 0.1})
	if err == nil || !strings.Contains(err.Error(), "index out of range") || !strings.Contains(err.Error(), "gives Targets, Means, LogScales, LogShapes") {
		t.Errorf("error %v", err)
	}
}

func TestObjectivesThatDescendNoLossTakeNone(t *testing.T) {
	for _, objective := range []Objective{Laplace, LaplaceExact} {
		a := small(Architecture{Objective: objective, Loss: penalty()})
		a.Optimizer = Accumulate
		_, err := NewLearner(device.Reference[float32]{}, a, 2)
		if err == nil || !strings.Contains(err.Error(), "second derivatives") || !strings.Contains(err.Error(), `"penalty"`) {
			t.Errorf("%s: error %v", objective, err)
		}
	}
}
