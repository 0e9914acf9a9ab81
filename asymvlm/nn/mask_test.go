package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
)

// sameImages are five pairs of three images.
var sameImages = []int{7, 3, 7, 3, 9}

// hidden reports which pairs of sameImages are neither right nor wrong: 0 with 2, and 1 with 3.
func hidden(s, r int) bool {
	return s == 0 && r == 2 || s == 2 && r == 0 || s == 1 && r == 3 || s == 3 && r == 1
}

// copied returns a copy, because losses overwrite their argument with the gradient.
func copied(m device.Matrix[float64]) device.Matrix[float64] {
	m.Values = slices.Clone(m.Values)
	return m
}

// squareMatrix returns a random 5×5 matrix.
func squareMatrix(seed uint64) device.Matrix[float64] {
	source := rand.New(rand.NewPCG(seed, 1))
	m := device.NewMatrix[float64](5, 5)
	for i := range m.Values {
		m.Values[i] = 2 * source.NormFloat64()
	}
	return m
}

// maskedInfoNCE is the loss by its formula, over lists of the remaining candidates.
func maskedInfoNCE(ell device.Matrix[float64], tau float64) float64 {
	loss := 0.0
	for i := range 5 {
		var row, column float64
		for j := range 5 {
			if !hidden(i, j) {
				row += math.Exp(tau * ell.Values[5*i+j])
				column += math.Exp(tau * ell.Values[5*j+i])
			}
		}
		loss += math.Log(row) + math.Log(column) - 2*tau*ell.Values[6*i]
	}
	return loss / 10
}

// maskedSigLIP is the same for SigLIP's loss.
func maskedSigLIP(ell device.Matrix[float64], tau, bias float64) float64 {
	loss := 0.0
	for s := range 5 {
		for r := range 5 {
			sign := -1.0
			if s == r {
				sign = 1
			}
			if !hidden(s, r) {
				loss += math.Log1p(math.Exp(-sign * (tau*ell.Values[5*s+r] + bias)))
			}
		}
	}
	return loss / 5
}

func TestMaskedInfoNCEIsTheLossOfTheOtherCandidates(t *testing.T) {
	for _, tau := range []float64{0.7, 3, 0, -2} {
		ell := squareMatrix(1)
		c := contrastive[float64]{ops: device.Reference[float64]{}, mask: &mask{images: sameImages}}
		loss, s := c.loss(copied(ell), tau)
		g, dTau := s.g, s.dScale
		if want := maskedInfoNCE(ell, tau); math.Abs(loss-want) > 1e-12 {
			t.Errorf("tau %g: loss %.15g, by hand %.15g", tau, loss, want)
		}
		const h = 1e-5
		for at := range ell.Values {
			kept := ell.Values[at]
			ell.Values[at] = kept + h
			up := maskedInfoNCE(ell, tau)
			ell.Values[at] = kept - h
			down := maskedInfoNCE(ell, tau)
			ell.Values[at] = kept
			if numeric := (up - down) / (2 * h); math.Abs(numeric-tau*g.Values[at]) > 1e-8 {
				t.Errorf("tau %g: slope %d is %g, difference %g", tau, at, tau*g.Values[at], numeric)
			}
			if hidden(at/5, at%5) && g.Values[at] != 0 {
				t.Errorf("hidden pair %d has the slope %g", at, g.Values[at])
			}
		}
		if numeric := (maskedInfoNCE(ell, tau+h) - maskedInfoNCE(ell, tau-h)) / (2 * h); math.Abs(numeric-dTau) > 1e-8 {
			t.Errorf("tau %g: slope of tau %g, difference %g", tau, dTau, numeric)
		}
	}
}

func TestMaskedSigLIPIsTheSumOverTheOtherPairs(t *testing.T) {
	ell := squareMatrix(2)
	s := sigmoid[float64]{ops: device.Reference[float64]{}, mask: &mask{images: sameImages}}
	loss, slopes := s.loss(copied(ell), 1.5, -2)
	g, dBias := slopes.g, slopes.dBias
	if want := maskedSigLIP(ell, 1.5, -2); math.Abs(loss-want) > 1e-12 {
		t.Errorf("loss %.15g, by hand %.15g", loss, want)
	}
	sum := 0.0
	for at, slope := range g.Values {
		sum += slope
		if hidden(at/5, at%5) != (slope == 0) {
			t.Errorf("pair %d has the slope %g", at, slope)
		}
	}
	const h = 1e-5
	numeric := (maskedSigLIP(ell, 1.5, -2+h) - maskedSigLIP(ell, 1.5, -2-h)) / (2 * h)
	if math.Abs(dBias-sum) > 1e-12 || math.Abs(dBias-numeric) > 1e-8 {
		t.Errorf("slope of the bias %g, sum of the slopes %g, difference %g", dBias, sum, numeric)
	}
}

func TestAMaskWithoutEqualImagesChangesNothing(t *testing.T) {
	ell := squareMatrix(3)
	reference := device.Reference[float64]{}
	plain := contrastive[float64]{ops: reference, mask: &mask{}}
	masked := contrastive[float64]{ops: reference, mask: &mask{images: []int{4, 3, 2, 1, 0}}}
	loss, open := plain.loss(copied(ell), 2)
	maskedLoss, closed := masked.loss(copied(ell), 2)
	g, dTau, maskedG, maskedTau := open.g, open.dScale, closed.g, closed.dScale
	if math.Abs(loss-maskedLoss) > 1e-13 || math.Abs(dTau-maskedTau) > 1e-13 {
		t.Errorf("losses %g and %g, slopes of tau %g and %g", loss, maskedLoss, dTau, maskedTau)
	}
	for at, value := range g.Values {
		if math.Abs(value-maskedG.Values[at]) > 1e-14 {
			t.Errorf("slopes %g and %g", value, maskedG.Values[at])
		}
	}
}

// maskable returns the objectives with wrong pairs.
func maskable() []Architecture {
	var list []Architecture
	for _, a := range objectives {
		if a.Maskable() {
			list = append(list, a)
		}
	}
	return list
}

func TestMaskedGradientsAgreeWithFiniteDifferences(t *testing.T) {
	for _, architecture := range maskable() {
		t.Run(architecture.String(), func(t *testing.T) {
			l := testLearner(t, device.Reference[float64]{}, small(architecture), 5)
			texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
			loss := func() float64 {
				result, err := l.differentiate(texts, images)
				if err != nil {
					t.Fatal(err)
				}
				return result.Loss
			}
			for _, p := range l.Parameters() {
				// At their initial values the wrong pairs of PCME++ and ProLIP have almost no
				// effect.
				if first, ok := map[string]float64{"a": 0.05, "log_a": -3, "b": 0}[p.Name]; ok {
					p.Values[0] = first
				}
			}
			open := loss()
			if err := l.MaskSameImage(sameImages); err != nil {
				t.Fatal(err)
			}
			if masked := loss(); !(masked < open) {
				t.Errorf("loss %g without a mask, %g with one", open, masked)
			}
			gradient := slices.Clone(l.gradient)
			size := norm(gradient)
			h := 1e-5
			if architecture.Objective == Ensemble {
				h = 1e-6 // its rectifiers are so close to 0 that a larger step crosses one
			}
			for i := 0; i < len(gradient); i += 1 + i%11 {
				kept := l.parameters[i]
				l.parameters[i] = kept + h
				up := loss()
				l.parameters[i] = kept - h
				down := loss()
				l.parameters[i] = kept
				if numeric := (up - down) / (2 * h); math.Abs(numeric-gradient[i]) > 1e-6*math.Max(math.Abs(gradient[i]), size/20) {
					t.Errorf("parameter %d: derivative %g, finite difference %g", i, gradient[i], numeric)
				}
			}
			if err := l.MaskSameImage(nil); err != nil {
				t.Fatal(err)
			}
			if again := loss(); again != open {
				t.Errorf("loss %g after the mask was taken away, %g before", again, open)
			}
		})
	}
}

func TestWrongMasksAreErrors(t *testing.T) {
	l := testLearner(t, device.Reference[float64]{}, small(Architecture{Likelihood: VonMisesFisher}), 5)
	texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
	if err := l.MaskSameImage([]int{1, 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.differentiate(texts, images); err == nil || err.Error() != "nn: the mask names the images of 2 pairs, the batch has 5" {
		t.Errorf("error %v", err)
	}
	for _, architecture := range objectives {
		if architecture.Maskable() {
			continue
		}
		l := testLearner(t, device.Reference[float64]{}, small(architecture), 5)
		if err := l.MaskSameImage(sameImages); err == nil || !strings.Contains(err.Error(), "has no wrong pairs") {
			t.Errorf("%s: error %v", architecture, err)
		}
		if err := l.MaskSameImage(nil); err != nil {
			t.Errorf("%s: %v", architecture, err)
		}
	}
}

// A loss that treats each pair separately is the mean over its pairs; one that needs wrong pairs is
// not.
func TestLossesThatNeedNoWrongPairsAreMeansOverPairs(t *testing.T) {
	for _, architecture := range objectives {
		switch architecture.Objective {
		case Laplace, LaplaceExact:
			continue // sums of curvature
		case ProLIPFull, ProLIPFullOfficial:
			continue // initially a wrong pair adds less than a rounding error
		}
		l := testLearner(t, device.Reference[float64]{}, small(architecture), 5)
		texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
		rows := func(m device.Matrix[float64], from, to int) device.Matrix[float64] {
			return device.Matrix[float64]{Rows: to - from, Columns: m.Columns, Values: m.Values[from*m.Columns : to*m.Columns]}
		}
		lossOf := func(from, to int) float64 {
			result, err := l.differentiate(rows(texts, from, to), rows(images, from, to))
			if err != nil {
				t.Fatal(err)
			}
			return result.Loss
		}
		mean := 0.0
		for pair := range 5 {
			mean += lossOf(pair, pair+1) / 5
		}
		if off := math.Abs(lossOf(0, 5) - mean); (off < 1e-12) == architecture.NeedsWrongPairs() {
			t.Errorf("%s: the loss of a batch is %g off the mean of its pairs, and it needs wrong pairs: %t", architecture, off, architecture.NeedsWrongPairs())
		}
	}
}
