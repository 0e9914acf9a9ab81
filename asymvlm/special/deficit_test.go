package special

import (
	"math"
	"testing"
)

// TestDeficitsComplementTheirFunctions compares the deficits with the plain differences for small
// arguments, where nothing cancels, and with their limits for large ones, where everything does.
func TestDeficitsComplementTheirFunctions(t *testing.T) {
	for _, order := range []float64{0, 0.5, 1, 31, 39.5, 40, 255, 2047} {
		b := NewBesselI(order)
		for _, x := range []float64{0, 1e-300, 1e-9, 0.3, 7, 90, 2500} {
			if got, want := b.Deficit(x), x-b.LogScaled(x); math.Abs(got-want) > 2e-13*(1+x) {
				t.Errorf("ν = %g: Deficit(%g) = %.17g, want %.17g", order, x, got, want)
			}
			if got, want := b.OneMinusRatio(x), 1-b.Ratio(x); math.Abs(got-want) > 1e-15 {
				t.Errorf("ν = %g: OneMinusRatio(%g) = %.17g, want %.17g", order, x, got, want)
			}
		}
		for _, x := range []float64{1e12, 1e40, 1e100} {
			// log I_ν(x) is x − ½ log 2πx, and 1 − Ratio is (ν+½)/x, up to terms of size ν²/x.
			gamma, _ := math.Lgamma(order + 1)
			want := 0.5*math.Log(2*math.Pi) + (order+0.5)*math.Log(x) - order*math.Ln2 - gamma
			if got := b.Deficit(x); math.Abs(got-want) > 1e-11+1e-13*math.Abs(want)+order*order/x {
				t.Errorf("ν = %g: Deficit(%g) = %.17g, want %.17g", order, x, got, want)
			}
			if got := x * b.OneMinusRatio(x); math.Abs(got/(order+0.5)-1) > 1e-12+order*order/x {
				t.Errorf("ν = %g: x·OneMinusRatio(%g) = %.17g", order, x, got)
			}
		}
	}
	for _, x := range []float64{-1, 2e100, math.NaN()} {
		if b := NewBesselI(1); !math.IsNaN(b.Deficit(x)) || !math.IsNaN(b.OneMinusRatio(x)) {
			t.Errorf("answers for %g", x)
		}
	}
}
