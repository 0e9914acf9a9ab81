package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
)

// fourPositives are right pairs of a batch of five beside the diagonal.
var fourPositives = [][2]int{{0, 2}, {1, 2}, {4, 0}, {3, 2}}

// isRight reports whether text r describes the image of pair s.
func isRight(s, r int) bool { return s == r || slices.Contains(fourPositives, [2]int{s, r}) }

// severalInfoNCE is the mean cross-entropy of the softmax over rows and columns with the
// conditional distributions of a joint one: a text at random, and one of its right images at
// random.
func severalInfoNCE(ell device.Matrix[float64], tau float64) (loss float64) {
	var joint [5][5]float64 // image, text
	for r := range 5 {
		count := 0.0
		for s := range 5 {
			if isRight(s, r) {
				count++
			}
		}
		for s := range 5 {
			if isRight(s, r) {
				joint[s][r] = 1 / (5 * count)
			}
		}
	}
	for i := range 5 {
		var row, column, ofRow, ofColumn, rowSum, columnSum float64
		for j := range 5 {
			row += math.Exp(tau * ell.Values[5*i+j])
			column += math.Exp(tau * ell.Values[5*j+i])
			ofRow, rowSum = ofRow+joint[i][j]*tau*ell.Values[5*i+j], rowSum+joint[i][j]
			ofColumn, columnSum = ofColumn+joint[j][i]*tau*ell.Values[5*j+i], columnSum+joint[j][i]
		}
		loss += (math.Log(row) - ofRow/rowSum + math.Log(column) - ofColumn/columnSum) / 10
	}
	return loss
}

// severalSigLIP is SigLIP's loss with all right pairs.
func severalSigLIP(ell device.Matrix[float64], tau, bias float64) (loss float64) {
	for s := range 5 {
		for r := range 5 {
			sign := -1.0
			if isRight(s, r) {
				sign = 1
			}
			loss += math.Log1p(math.Exp(-sign*(tau*ell.Values[5*s+r]+bias))) / 5
		}
	}
	return loss
}

// withFour returns a mask with the four positives.
func withFour() *mask {
	m := &mask{}
	for _, p := range fourPositives {
		m.positives = append(m.positives, positive{p[0], p[1]})
	}
	return m
}

func TestLossesOfSeveralPositivesAreTheirFormulas(t *testing.T) {
	for _, tau := range []float64{0.7, 3, -2} {
		ell := squareMatrix(5)
		c := contrastive[float64]{ops: device.Reference[float64]{}, mask: withFour()}
		s := sigmoid[float64]{ops: device.Reference[float64]{}, mask: withFour()}
		for name, loss := range map[string]struct {
			value func(tau float64) float64
			got   func() (float64, slopes[float64])
		}{
			"InfoNCE": {func(tau float64) float64 { return severalInfoNCE(ell, tau) }, func() (float64, slopes[float64]) { return c.loss(copied(ell), tau) }},
			"SigLIP":  {func(tau float64) float64 { return severalSigLIP(ell, tau, -1) }, func() (float64, slopes[float64]) { return s.loss(copied(ell), tau, -1) }},
		} {
			got, slopes := loss.got()
			if want := loss.value(tau); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s, tau %g: loss %.15g, by hand %.15g", name, tau, got, want)
			}
			const h = 1e-5
			for at := range ell.Values {
				before := ell.Values[at]
				ell.Values[at] = before + h
				up := loss.value(tau)
				ell.Values[at] = before - h
				down := loss.value(tau)
				ell.Values[at] = before
				if numeric := (up - down) / (2 * h); math.Abs(numeric-tau*slopes.g.Values[at]) > 1e-8 {
					t.Errorf("%s, tau %g: slope %d is %g, difference %g", name, tau, at, tau*slopes.g.Values[at], numeric)
				}
			}
			if numeric := (loss.value(tau+h) - loss.value(tau-h)) / (2 * h); math.Abs(numeric-slopes.dScale) > 1e-8 {
				t.Errorf("%s, tau %g: derivative %g, difference %g", name, tau, slopes.dScale, numeric)
			}
			for column, sum := range slopes.columns {
				of := 0.0
				for row := range 5 {
					of += slopes.g.Values[5*row+column]
				}
				if math.Abs(of-sum) > 1e-12 {
					t.Errorf("%s: sum of column %d is %g, given %g", name, column, of, sum)
				}
			}
		}
	}
}

// TestGradientsWithSeveralPositivesAgreeWithFiniteDifferences checks every objective that takes
// them, and that the others refuse them.
func TestGradientsWithSeveralPositivesAgreeWithFiniteDifferences(t *testing.T) {
	for _, architecture := range objectives {
		t.Run(architecture.String(), func(t *testing.T) {
			l := testLearner(t, device.Reference[float64]{}, small(architecture), 5)
			l.SetEpoch(9)
			texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(3, 4)))
			plain, err := l.differentiate(texts, images)
			if err != nil {
				t.Fatal(err)
			}
			err = l.SetPositives(fourPositives)
			if !architecture.ManyPositives() {
				if err == nil || !strings.Contains(err.Error(), "one right candidate") {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			several, err := l.differentiate(texts, images)
			if err != nil || (several.Loss != plain.Loss) == architecture.properties().separate {
				t.Errorf("loss %g, without positives %g, %v", several.Loss, plain.Loss, err)
			}
			gradient := slices.Clone(l.gradient)
			size := norm(gradient)
			for i := 0; i < len(gradient); i += 1 + i%7 {
				const h = 1e-5
				loss := func(shift float64) float64 {
					before := l.parameters[i]
					l.parameters[i] += shift
					result, err := l.differentiate(texts, images)
					if err != nil {
						t.Fatal(err)
					}
					l.parameters[i] = before
					return result.Loss
				}
				numeric := (loss(h) - loss(-h)) / (2 * h)
				if math.Abs(numeric-gradient[i]) > 1e-5*math.Max(math.Abs(gradient[i]), size/20) {
					t.Errorf("parameter %d: derivative %g, finite difference %g", i, gradient[i], numeric)
				}
			}
		})
	}
}
