package special

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// secondDigamma returns ψ″(x) = −2 Σ 1/(x+n)³. The tail of the sum is its integral plus the first
// Euler–Maclaurin terms.
func secondDigamma(x float64) float64 {
	sum := 0.0
	const terms = 2000
	for n := range terms {
		sum -= 2 / math.Pow(x+float64(n), 3)
	}
	end := x + terms
	return sum - 1/(end*end) - 1/(end*end*end) - 1/(2*math.Pow(end, 4))
}

func TestTrigammaDifferenceKeepsItsDigits(t *testing.T) {
	for _, x := range []float64{0.3, 1, 2.5, 14.9, 15, 80, 255.5, 1e4} {
		// One step of the recurrence is −1/x² exactly.
		if got, want := TrigammaDifference(x, 1), -1/(x*x); relative(got, want) > 5e-15 {
			t.Errorf("x %g: one step is %.17g, want %.17g", x, got, want)
		}
		for _, k := range []float64{-0.2, 0.7, 3, 40} {
			got, want := TrigammaDifference(x, k), Trigamma(x+k)-Trigamma(x)
			// The plain difference loses the digits that both values share.
			if limit := 1e-14 + 1e-15*Trigamma(x)/math.Abs(want); relative(got, want) > 3*limit {
				t.Errorf("x %g, k %g: %.17g, want %.17g", x, k, got, want)
			}
		}
		// If no digits of the plain difference are left, compare with the derivative.
		for _, k := range []float64{1e-6, 1e-9} {
			if got, want := TrigammaDifference(x, k)/k, secondDigamma(x+k/2); relative(got, want) > 1e-9 {
				t.Errorf("x %g, k %g: slope %.17g, want %.17g", x, k, got, want)
			}
		}
		if got, back := TrigammaDifference(x, 2), TrigammaDifference(x+2, -2); relative(got, -back) > 1e-14 {
			t.Errorf("x %g: there %g and back %g", x, got, back)
		}
	}
}

func TestBetaAgreesWithGonumAndItsDifferencesDoNotCancel(t *testing.T) {
	for _, a := range []float64{0.4, 1, 3.5, 20, 255.5, 3000} {
		for _, b := range []float64{0.5, 2, 30, 255.5} {
			if got, want := LogBeta(a, b), mathext.Lbeta(a, b); math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
				t.Errorf("log B(%g, %g) is %.17g, want %.17g", a, b, got, want)
			}
			if got, want := LogBeta(a, b), LogBeta(b, a); got != want {
				t.Errorf("log B(%g, %g) is not symmetric: %g and %g", a, b, got, want)
			}
			// B(a+1, b) = B(a, b)·a/(a+b).
			if got, want := LogBetaDifference(a, b, 1), -math.Log1p(b/a); relative(got, want) > 2e-14 {
				t.Errorf("one step from B(%g, %g) is %.17g, want %.17g", a, b, got, want)
			}
			const k = 1e-8 // the derivative is ψ(a) − ψ(a+b)
			if got, want := LogBetaDifference(a, b, k)/k, -DigammaDifference(a+k/2, b); relative(got, want) > 1e-9 {
				t.Errorf("slope of log B(%g, %g) is %.17g, want %.17g", a, b, got, want)
			}
		}
	}
	for _, bad := range []float64{TrigammaDifference(0, 1), TrigammaDifference(1, -1), LogBeta(0, 1), LogBeta(1, -1), LogBetaDifference(1, 1, -1), LogBetaDifference(-1, 1, 3)} {
		if !math.IsNaN(bad) {
			t.Errorf("outside the domain the value is %g", bad)
		}
	}
}
