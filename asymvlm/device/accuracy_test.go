package device

import (
	"math"
	"os"
	"testing"

	"gosphere/asymvlm/special"
)

// exhaustive returns the distance, in float32 values, between neighboring test points: 1 with
// GOSPHERE_EXHAUSTIVE=1, which takes minutes, otherwise a prime number for which the test takes
// about a second.
func exhaustive() uint32 {
	if os.Getenv("GOSPHERE_EXHAUSTIVE") != "" {
		return 1
	}
	return 4001
}

// sweep calls visit with lists of the float32 values from low < 0 to high > 0 at the distance of
// exhaustive.
func sweep(low, high float32, visit func(values []float32)) {
	const atOnce = 4096
	values := make([]float32, 0, atOnce)
	flush := func() {
		if len(values) > 0 {
			visit(values)
			values = values[:0]
		}
	}
	step := exhaustive()
	for sign, limit := range map[float32]float32{1: high, -1: -low} {
		last := math.Float32bits(limit)
		for bits := uint32(0); bits < last; bits += min(step, last-bits) {
			if values = append(values, sign*math.Float32frombits(bits)); len(values) == atOnce {
				flush()
			}
		}
		values = append(values, sign*limit)
		flush()
	}
}

// A worst records the largest error of a function relative to the wanted value, or to a minimum
// size if that is larger.
type worst struct{ relative, at, got, want float64 }

func (w *worst) see(x, got float32, want, least float64) {
	relative := math.Abs(float64(got)-want) / math.Max(math.Abs(want), least)
	if relative > w.relative || math.IsNaN(relative) {
		*w = worst{relative, float64(x), float64(got), want}
	}
}

func (w *worst) check(t *testing.T, what string, limit float64) {
	t.Helper()
	if !(w.relative <= limit) {
		t.Errorf("%s of %g is %g, want %g: an error of %.3g, want at most %.3g", what, w.at, w.got, w.want, w.relative, limit)
	}
	t.Logf("%s: error at most %.3g, at %g", what, w.relative, w.at)
}

// vectorized returns the CPU's vector unit and skips the test if it has none: the plain loops are
// Go's own functions.
func vectorized(t *testing.T) vectorUnit {
	t.Helper()
	unit := detect()
	if !unit.assembled() {
		t.Skip("no vector instructions that there is assembly for")
	}
	return unit
}

func TestExponentialHasItsStatedErrorEverywhere(t *testing.T) {
	unit, dst := vectorized(t), make([]float32, 4096)
	var found worst
	sweep(-87.3, 88.722, func(values []float32) {
		unit.exponentials(dst[:len(values)], values)
		for i, x := range values {
			found.see(x, dst[i], math.Exp(float64(x)), 0)
		}
	})
	found.check(t, "exp", 0x1p-23)
}

func TestLogarithmOfOneAndMoreHasItsStatedErrorEverywhere(t *testing.T) {
	unit, dst := vectorized(t), make([]float32, 4096)
	var found worst
	sweep(-1+0x1p-24, math.MaxFloat32/2, func(values []float32) {
		unit.log1p(dst[:len(values)], values)
		for i, x := range values {
			found.see(x, dst[i], math.Log1p(float64(x)), 0x1p-126)
		}
	})
	found.check(t, "log1p", 0x1p-22)
}

// The sum of eight equal numbers is eight times the function at that number.
func TestSoftplusAndSigmoidHaveTheirStatedErrorsEverywhere(t *testing.T) {
	unit := vectorized(t)
	var ofSoftplus, ofSigmoid worst
	src, dst, none := make([]float32, 8), make([]float32, 8), make([]float32, 8)
	factors := contrastFactors{scale: 1, weight: 1}
	sweep(-87, 1e30, func(values []float32) {
		for _, x := range values {
			for i := range src {
				src[i] = x
			}
			clear(none)
			ofSoftplus.see(x, float32(unit.softplusSum(src)/8), special.Softplus(float64(x)), 0)
			unit.sigmoidPairs(dst, src, make([]float32, 8), none, factors)
			ofSigmoid.see(x, dst[3], special.Sigmoid(float64(x)), 0)
		}
	})
	ofSoftplus.check(t, "softplus", 0x1p-22)
	ofSigmoid.check(t, "sigmoid", 0x1p-22)
}

// An exponential is infinite above the largest argument with a finite result and 0 below the
// smallest. NaN stays NaN.
func TestExponentialLeavesItsRangeAsIEEEArithmeticDoes(t *testing.T) {
	inf := math.Inf(1)
	for name, unit := range units() {
		for _, test := range []struct{ x, want float64 }{
			{88.7228, math.Exp(float64(float32(88.7228)))}, {88.73, inf}, {89, inf}, {1e4, inf}, {1e38, inf}, {inf, inf},
			{-104, 0}, {-1e38, 0}, {-inf, 0}, {math.NaN(), math.NaN()},
		} {
			src, dst := make([]float32, 9), make([]float32, 9)
			for i := range src {
				src[i] = float32(test.x)
			}
			sum := unit.exponentials(dst, src)
			for i, got := range append(dst, float32(sum/9)) {
				same := float64(got) == test.want || math.IsNaN(float64(got)) && math.IsNaN(test.want) ||
					math.Abs(float64(got)-test.want) < 2e-7*test.want || i == 9 && test.x > 88 && math.IsInf(float64(got), 1)
				if !same {
					t.Errorf("%s: exp(%g) in place %d is %g, want %g", name, test.x, i, got, test.want)
				}
			}
		}
	}
}
