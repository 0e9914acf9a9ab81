package device

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// Every argument of a wrong shape is reported with the operation's name, before anything is
// written.
func TestEveryOperationRefusesShapesThatDoNotFit(t *testing.T) {
	m := func(rows, columns int) Matrix[float32] { return NewMatrix[float32](rows, columns) }
	f := func(n int) []float32 { return make([]float32, n) }
	d := func(n int) []float64 { return make([]float64, n) }
	two := func(a, b Matrix[float32]) [2]Matrix[float32] { return [2]Matrix[float32]{a, b} }
	three := func(a, b, c Matrix[float32]) Heads[float32] { return Heads[float32]{a, b, c} }
	wrong := map[string]func(ops Device){
		"product: shapes do not fit: 2×3 2×4 5×3":           func(ops Device) { ops.Product(m(2, 3), m(2, 4), m(5, 3)) },
		"product: shapes do not fit: 3×3 2×4 4×3":           func(ops Device) { ops.Product(m(3, 3), m(2, 4), m(4, 3)) },
		"product: shapes do not fit: 2×3 2×4 4×3":           func(ops Device) { ops.ProductLeftTransposed(m(2, 3), m(2, 4), m(4, 3)) },
		"product: shapes do not fit: 2×4 2×4 4×3":           func(ops Device) { ops.ProductRightTransposed(m(2, 4), m(2, 4), m(4, 3)) },
		"product: shapes do not fit: 2×3 2×4 3×5":           func(ops Device) { ops.Affine(m(2, 3), m(2, 4), m(3, 5), Bias[float32]{Values: f(3)}) },
		"bias: vector of 2 values, want 3":                  func(ops Device) { ops.Affine(m(2, 3), m(2, 4), m(3, 4), Bias[float32]{Values: f(2)}) },
		"product: shapes do not fit: 3×4 2×3 5×4":           func(ops Device) { ops.AffineGradient(m(3, 4), f(3), m(2, 3), m(5, 4)) },
		"gradient of the bias: vector of 4 values, want 3":  func(ops Device) { ops.AffineGradient(m(3, 4), f(4), m(2, 3), m(2, 4)) },
		"product: shapes do not fit: 2×4 2×3 4×3":           func(ops Device) { ops.InputGradient(m(2, 4), m(2, 3), m(4, 3), m(0, 0)) },
		"gradient of the input: shapes do not fit: 2×4 2×3": func(ops Device) { ops.InputGradient(m(2, 4), m(2, 3), m(3, 4), m(2, 3)) },
		"units: shapes do not fit: 2×4 2×3":                 func(ops Device) { ops.Units(m(2, 4), d(2), m(2, 3)) },
		"units: vector of 3 values, want 2":                 func(ops Device) { ops.Units(m(0, 0), d(3), m(2, 3)) },
		"exponential: shapes do not fit: 2×4 2×3":           func(ops Device) { ops.Exponential(m(2, 4), d(2), m(2, 3)) },
		"exponential: vector of 1 values, want 2":           func(ops Device) { ops.Exponential(m(2, 3), d(1), m(2, 3)) },
		"softplus: vector of 1 values, want 2":              func(ops Device) { ops.SoftplusSums(d(1), m(2, 3)) },
		"combine: shapes do not fit: 2×3 3×2":               func(ops Device) { ops.Combine(m(2, 3), m(3, 2), f(2), f(2)) },
		"combine: vector of 3 values, want 2":               func(ops Device) { ops.Combine(m(2, 3), m(2, 3), f(2), f(3)) },
		"contrast: shapes do not fit: 2×3":                  func(ops Device) { ops.Contrast(m(2, 3), m(2, 3), 1, nil, d(3)) },
		"contrast: vector of 3 values, want 2":              func(ops Device) { ops.Contrast(m(2, 2), m(2, 2), 1, nil, d(3)) },
		"contrast: vector of 1 values, want 2":              func(ops Device) { ops.Contrast(m(2, 2), m(2, 2), 1, Groups{1}, d(2)) },
		"pairs: shapes do not fit: 2×2 3×3": func(ops Device) {
			ops.SigmoidPairs(m(2, 2), m(3, 3), Logits[float32]{Rows: f(3), Columns: f(3)}, Margins{d(3), d(3)})
		},
		"pairs: vector of 2 values, want 3": func(ops Device) {
			ops.SigmoidPairs(m(3, 3), m(3, 3), Logits[float32]{Rows: f(3), Columns: f(3)}, Margins{d(3), d(2)})
		},
		"pairs: vector of 4 values, want 3": func(ops Device) {
			ops.SigmoidPairs(m(3, 3), m(3, 3), Logits[float32]{Rows: f(4), Columns: f(3)}, Margins{d(3), d(3)})
		},
		"power logits: shapes do not fit: 2×3 2×4":   func(ops Device) { ops.PowerLogits(m(2, 3), m(2, 4), f(3), f(3)) },
		"power logits: vector of 2 values, want 3":   func(ops Device) { ops.PowerLogits(m(2, 3), m(2, 3), f(3), f(2)) },
		"power gradient: shapes do not fit: 2×3 2×4": func(ops Device) { ops.PowerGradient(m(2, 3), m(2, 3), m(2, 4), d(3)) },
		"power gradient: vector of 2 values, want 3": func(ops Device) { ops.PowerGradient(m(2, 3), m(2, 3), m(2, 3), d(2)) },
		"variances: shapes do not fit: 2×3 2×4": func(ops Device) {
			ops.MatchedVariances(two(m(2, 3), m(2, 3)), two(m(2, 3), m(2, 3)), two(m(2, 3), m(2, 4)))
		},
		"generalized Gaussian: shapes do not fit: 2×3 3×3": func(ops Device) {
			ops.GeneralizedGaussian(three(m(2, 3), m(2, 3), m(2, 3)), three(m(2, 3), m(2, 3), m(2, 3)), two(m(2, 3), m(3, 3)), true)
		},
		"generalized variance: shapes do not fit: 2×3 2×2": func(ops Device) { ops.GeneralizedVariance(three(m(2, 3), m(2, 3), m(2, 2))) },
		"dot: shapes do not fit: 2×3 3×2":                  func(ops Device) { ops.Dot(m(2, 3), m(3, 2)) },
		"sum: shapes do not fit: 2×3 3×2":                  func(ops Device) { ops.Sum(m(2, 3), m(2, 3), m(3, 2)) },
		"update: vector of 2 values, want 3":               func(ops Device) { ops.Update(f(3), f(3), f(2), Rate{}) },
		"update: vector of 4 values, want 3":               func(ops Device) { ops.UpdateAdam(f(3), [2][]float32{f(3), f(4)}, f(3), AdamStep{}) },
	}
	onEvery(t, func(t *testing.T, device Device) {
		for want, do := range wrong {
			if got := panicked(func() { do(device) }); got != "device: "+want {
				t.Errorf("panic %q, want %q", got, "device: "+want)
			}
		}
		// The device is not left locked after the panic.
		device.Sum(m(2, 2), m(2, 2), m(2, 2))
	})
}

// panicked returns the panic value of a function as text.
func panicked(do func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	do()
	return ""
}

// Destinations that the contract allows to be an argument.
func TestDestinationsThatMayBeArgumentsGiveTheSameBits(t *testing.T) {
	const rows, columns = 21, 37
	onEvery(t, func(t *testing.T, device Device) {
		draw := func(rows, columns int) Matrix[float32] { return newBench(0).matrix("a", rows, columns) }
		compare := func(what string, apart, within Matrix[float32]) {
			t.Helper()
			if !slices.Equal(apart.Values, within.Values) {
				t.Errorf("%s: another result in place", what)
			}
		}
		dst, a := NewMatrix[float32](rows, columns), draw(rows, columns)
		device.Units(dst, make([]float64, rows), a)
		device.Units(a, make([]float64, rows), a)
		compare("units", dst, a)
		a = draw(rows, columns)
		device.Exponential(dst, make([]float64, rows), a)
		device.Exponential(a, make([]float64, rows), a)
		compare("exponential", dst, a)
		a = draw(rows, columns)
		other := draw(rows, columns)
		own, others := draw(1, rows).Values, draw(1, rows).Values
		device.Combine(a, other, own, others)
		device.Combine(other, other, own, others)
		compare("combine", a, other)
		a = draw(rows, columns)
		device.Sum(dst, a, a)
		device.Sum(a, a, a)
		compare("sum", dst, a)
		kappa, cosines := draw(1, columns).Values, NewMatrix[float32](rows, columns)
		for i := range cosines.Values {
			cosines.Values[i] = float32(math.Sin(float64(i)))
		}
		again := clone(cosines)
		device.PowerLogits(dst, cosines, kappa, kappa)
		device.PowerLogits(again, again, kappa, kappa)
		compare("power logits", dst, again)
		g := draw(rows, columns)
		device.PowerGradient(dst, g, cosines, make([]float64, columns))
		device.PowerGradient(g, g, cosines, make([]float64, columns))
		compare("power gradient", dst, g)
	})
}

func TestLossesOfPairsMayReplaceTheirLogits(t *testing.T) {
	const batch = 35
	onEvery(t, func(t *testing.T, device Device) {
		for _, groups := range []Groups{nil, halves(batch)} {
			draw := func() Matrix[float32] { return newBench(0).matrix("a", batch, batch) }
			dst, within, sums := NewMatrix[float32](batch, batch), draw(), make([]float64, batch)
			loss, slope := device.Contrast(dst, draw(), 2, groups, sums)
			again, slopeAgain := device.Contrast(within, within, 2, groups, sums)
			if loss != again || slope != slopeAgain || !slices.Equal(dst.Values, within.Values) {
				t.Errorf("contrast: %g and %g in place, %g and %g apart", again, slopeAgain, loss, slope)
			}
			within = draw()
			logits := Logits[float32]{Scale: 2, Rows: draw().Row(0), Columns: draw().Row(1), Weight: 1, Groups: groups}
			margins := Margins{make([]float64, batch), make([]float64, batch)}
			loss, slope = device.SigmoidPairs(dst, draw(), logits, margins)
			again, slopeAgain = device.SigmoidPairs(within, within, logits, margins)
			if loss != again || slope != slopeAgain || !slices.Equal(dst.Values, within.Values) {
				t.Errorf("pairs: %g and %g in place, %g and %g apart", again, slopeAgain, loss, slope)
			}
		}
	})
}

func TestArgumentsStayAsTheyAre(t *testing.T) {
	const batch = 35
	onEvery(t, func(t *testing.T, device Device) {
		a := newBench(0).matrix("a", batch, batch)
		before := slices.Clone(a.Values)
		dst, sums := NewMatrix[float32](batch, batch), make([]float64, batch)
		device.Contrast(dst, a, 2, nil, sums)
		device.SigmoidPairs(dst, a, Logits[float32]{Scale: 2, Rows: a.Row(0), Columns: a.Row(1), Weight: 1}, Margins{sums, sums})
		device.Product(dst, a, a)
		device.Exponential(dst, sums, a)
		if !slices.Equal(a.Values, before) {
			t.Error("an operation changed its argument")
		}
	})
}

func TestNamesTellInstructionsThreadsAndWhoseProducts(t *testing.T) {
	for name, unit := range units() {
		cpu := newCPU(3, unit)
		if want := "cpu (" + name + ", 3 threads)"; cpu.Name() != want {
			t.Errorf("name %q, want %q", cpu.Name(), want)
		}
		cpu.GiveProducts("somebody", 0, func(ForeignProduct) {})
		if want := "products by somebody)"; !strings.HasSuffix(cpu.Name(), want) {
			t.Errorf("name %q, want it to end with %q", cpu.Name(), want)
		}
		cpu.Close()
	}
}
