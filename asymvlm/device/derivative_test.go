package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// slope returns the derivative of a function with respect to *x, by fourth-order differences.
func slope(x *float64, f func() float64) float64 {
	const h = 1e-3
	at := *x
	value := func(steps float64) float64 {
		*x = at + steps*h
		return f()
	}
	d := (8*(value(1)-value(-1)) - (value(2) - value(-2))) / (12 * h)
	*x = at
	return d
}

func closeTo(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1e-3, math.Abs(want))) {
		t.Errorf("%s: %.12g, by differences %.12g", what, got, want)
	}
}

// draw returns random normal numbers in float64.
func draw(source *rand.Rand, rows, columns int) Matrix[float64] {
	m := NewMatrix[float64](rows, columns)
	for i := range m.Values {
		m.Values[i] = source.NormFloat64()
	}
	return m
}

func TestContrastReturnsItsDerivatives(t *testing.T) {
	const batch = 5
	ops, source := Reference[float64]{}, rand.New(rand.NewPCG(1, 1))
	for _, groups := range []Groups{nil, {0, 0, 1, 2, 2}, {0, 0, 0, 0, 0}} {
		a, g, columns, scale := draw(source, batch, batch), NewMatrix[float64](batch, batch), make([]float64, batch), 1.7
		loss := func() float64 {
			value, _ := ops.Contrast(NewMatrix[float64](batch, batch), a, scale, groups, make([]float64, batch))
			return value
		}
		_, dScale := ops.Contrast(g, a, scale, groups, columns)
		closeTo(t, "slope of the scale", dScale, slope(&scale, loss), 1e-8)
		for j := range batch {
			sum := 0.0
			for i := range batch {
				// g is the derivative with respect to the logits, scale·a.
				what := fmt.Sprintf("g of %d,%d in groups %v", i, j, groups)
				closeTo(t, what, scale*g.Values[i*batch+j], slope(&a.Values[i*batch+j], loss), 1e-8)
				sum += g.Values[i*batch+j]
			}
			closeTo(t, "sum of a column of g", columns[j], sum, 1e-12)
		}
	}
}

func TestPairsReturnTheirDerivatives(t *testing.T) {
	const batch = 4
	ops, source := Reference[float64]{}, rand.New(rand.NewPCG(2, 1))
	for _, groups := range []Groups{nil, {0, 1, 1, 0}} {
		a, g := draw(source, batch, batch), NewMatrix[float64](batch, batch)
		logits := Logits[float64]{Scale: -1.3, Rows: draw(source, 1, batch).Values, Columns: draw(source, 1, batch).Values, Weight: 0.7, Groups: groups}
		scratch := Margins{make([]float64, batch), make([]float64, batch)}
		loss := func() float64 {
			value, _ := ops.SigmoidPairs(NewMatrix[float64](batch, batch), a, logits, scratch)
			return value
		}
		margins := Margins{make([]float64, batch), make([]float64, batch)}
		_, dScale := ops.SigmoidPairs(g, a, logits, margins)
		closeTo(t, "slope of the scale", dScale, slope(&logits.Scale, loss), 1e-8)
		for i := range batch {
			closeTo(t, "sum of a row of g", margins.Rows[i], slope(&logits.Rows[i], loss), 1e-8)
			closeTo(t, "sum of a column of g", margins.Columns[i], slope(&logits.Columns[i], loss), 1e-8)
			for j := range batch {
				closeTo(t, fmt.Sprintf("g of %d,%d", i, j), logits.Scale*g.Values[i*batch+j], slope(&a.Values[i*batch+j], loss), 1e-8)
			}
		}
	}
}

// The power spherical part of a loss is Σ g·(κ log(1+c) + log of the normalizer), with unit
// directions. PowerGradient's w is its derivative with respect to the cosines divided by κ, and
// radial is the derivative with respect to κ without the normalizer, minus the term of the cosine.
func TestPowerGradientIsTheDerivativeInTheOutputs(t *testing.T) {
	const batch, dimension = 4, 3
	ops, source := Reference[float64]{}, rand.New(rand.NewPCG(3, 1))
	images, eta, g := draw(source, batch, dimension), draw(source, batch, dimension), draw(source, batch, batch)
	lengths := make([]float64, batch)
	ops.Units(images, lengths, images)
	cosines, mu := NewMatrix[float64](batch, batch), NewMatrix[float64](batch, dimension)
	loss := func() float64 {
		ops.Units(mu, lengths, eta)
		ops.ProductRightTransposed(cosines, images, mu)
		ell := NewMatrix[float64](batch, batch)
		ops.PowerLogits(ell, cosines, lengths, make([]float64, batch))
		return ops.Dot(g, ell)
	}
	loss()
	w, radial, dEta := NewMatrix[float64](batch, batch), make([]float64, batch), NewMatrix[float64](batch, dimension)
	ops.PowerGradient(w, g, cosines, radial)
	ops.ProductLeftTransposed(dEta, w, images)
	for j := range batch {
		for k := range dimension {
			got := dEta.Row(j)[k] + radial[j]*mu.Row(j)[k]
			closeTo(t, fmt.Sprintf("slope of output %d,%d", j, k), got, slope(&eta.Values[j*dimension+k], loss), 1e-7)
			loss() // restores the outputs
		}
	}
}

func TestMatchedVariancesReturnTheirDerivatives(t *testing.T) {
	ops, source := Reference[float64]{}, rand.New(rand.NewPCG(4, 1))
	raw := [2]Matrix[float64]{draw(source, 3, 4), draw(source, 3, 4)}
	means := [2]Matrix[float64]{draw(source, 3, 4), draw(source, 3, 4)}
	gradients := [2]Matrix[float64]{NewMatrix[float64](3, 4), NewMatrix[float64](3, 4)}
	ops.MatchedVariances(gradients, raw, means)
	for side := range raw {
		for i := range raw[side].Values {
			got := gradients[side].Values[i]
			want := slope(&raw[side].Values[i], func() float64 {
				return ops.MatchedVariances([2]Matrix[float64]{NewMatrix[float64](3, 4), NewMatrix[float64](3, 4)}, raw, means)
			})
			closeTo(t, fmt.Sprintf("slope of variance %d of side %d", i, side), got, want, 1e-7)
		}
	}
}

func TestGeneralizedGaussianReturnsItsDerivatives(t *testing.T) {
	ops, source := Reference[float64]{}, rand.New(rand.NewPCG(5, 1))
	zeros := func() Heads[float64] {
		return Heads[float64]{NewMatrix[float64](3, 4), NewMatrix[float64](3, 4), NewMatrix[float64](3, 4)}
	}
	for _, exact := range []bool{false, true} {
		heads := Heads[float64]{draw(source, 3, 4), draw(source, 3, 4), draw(source, 3, 4)}
		targets := [2]Matrix[float64]{draw(source, 3, 4), draw(source, 3, 4)}
		gradient := zeros()
		ops.GeneralizedGaussian(gradient, heads, targets, exact)
		for head := range heads {
			for i := range heads[head].Values {
				want := slope(&heads[head].Values[i], func() float64 {
					return ops.GeneralizedGaussian(zeros(), heads, targets, exact)
				})
				what := fmt.Sprintf("slope of value %d of head %d, exact %t", i, head, exact)
				if head == 0 && math.Abs(heads[0].Values[i]-targets[1].Values[i]) < 0.003 {
					continue // differences cross the kink of |mean − target|
				}
				closeTo(t, what, gradient[head].Values[i], want, 1e-6)
			}
		}
	}
}

// Adding a number to all logits changes neither loss nor gradient; transposing the matrix does not
// change the loss.
func TestContrastKnowsNeitherShiftsNorSides(t *testing.T) {
	const batch = 40
	onEvery(t, func(t *testing.T, device Device) {
		a := newBench(0).matrix("a", batch, batch)
		shifted, turned := clone(a), clone(a)
		for i := range batch {
			for j := range batch {
				shifted.Values[i*batch+j] += 4
				turned.Values[j*batch+i] = a.Values[i*batch+j]
			}
		}
		g, other, turnedG := NewMatrix[float32](batch, batch), NewMatrix[float32](batch, batch), NewMatrix[float32](batch, batch)
		sums := make([]float64, batch)
		loss, _ := device.Contrast(g, a, 1.5, nil, sums)
		total := 0.0
		for _, sum := range sums {
			total += sum
		}
		if math.Abs(total) > 1e-6 {
			t.Errorf("g adds up to %g", total)
		}
		if again, _ := device.Contrast(other, shifted, 1.5, nil, sums); math.Abs(again-loss) > 2e-5 {
			t.Errorf("loss %g, %g with a number added to all logits", loss, again)
		}
		near(t, "g of shifted logits", other.Values, wideSlice(g.Values), 2e-5)
		if again, _ := device.Contrast(turnedG, turned, 1.5, nil, sums); math.Abs(again-loss) > 1e-6 {
			t.Errorf("loss %g, %g with the sides exchanged", loss, again)
		}
		for i := range batch {
			for j := range batch {
				if d := math.Abs(float64(turnedG.Values[j*batch+i] - g.Values[i*batch+j])); d > 1e-8 {
					t.Fatalf("g of %d,%d differs by %g with the sides exchanged", i, j, d)
				}
			}
		}
	})
}

func TestTheFirstStepOfAdamWIsTheRateAgainstTheSign(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		gradient := newBench(0).input("gradient", 77)
		p, first, second := make([]float32, 77), make([]float32, 77), make([]float32, 77)
		device.UpdateAdam(p, [2][]float32{first, second}, gradient, NewAdamStep(Rate{Rate: 0.02}, 1))
		for i, g := range gradient {
			if want := -math.Copysign(0.02, float64(g)); math.Abs(float64(p[i])-want) > 2e-6*math.Max(1, 1/math.Abs(float64(g))) {
				t.Errorf("a gradient of %g moves a parameter by %g, want %g", g, p[i], want)
			}
		}
	})
}

// With a constant gradient the velocity is a geometric series.
func TestMomentumAddsUpAsAGeometricSeries(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		const steps, momentum, rate = 20, 0.9, 0.1
		gradient := newBench(0).input("gradient", 77)
		p, v := make([]float32, 77), make([]float32, 77)
		for range steps {
			device.Update(p, v, gradient, Rate{Rate: rate, Momentum: momentum})
		}
		series := (1 - math.Pow(momentum, steps)) / (1 - momentum)
		way := (steps - momentum*series) / (1 - momentum)
		for i, g := range gradient {
			if math.Abs(float64(v[i])-series*float64(g)) > 1e-5*math.Abs(float64(g)) || math.Abs(float64(p[i])+rate*way*float64(g)) > 1e-5*way*math.Abs(float64(g)) {
				t.Fatalf("parameter %d is %g with velocity %g, want %g and %g", i, p[i], v[i], -rate*way*float64(g), series*float64(g))
			}
		}
	})
}
