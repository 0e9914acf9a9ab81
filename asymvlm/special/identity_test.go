package special

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
)

// orders are the orders that belong to the von Mises–Fisher density in 2, 3, 4, 64, 512, 768, 1152,
// 4096 and 100000 dimensions.
var orders = []float64{0, 0.5, 1, 31, 255, 383, 575, 2047, 49999}

// TestNeighboringOrdersSatisfyTheirRecurrence checks I_{ν−1} − I_{ν+1} = (2ν/x) I_ν in the form
// 1/R_{ν−1} = 2ν/x + R_ν. Low orders are computed with it, high orders without it.
func TestNeighboringOrdersSatisfyTheirRecurrence(t *testing.T) {
	for _, order := range orders {
		low, high := NewBesselI(order), NewBesselI(order+1)
		for x := 1e-8; x < 1e9; x *= 7 {
			if got, want := 1/low.Ratio(x), 2*(order+1)/x+high.Ratio(x); relative(got, want) > 4e-15 {
				t.Errorf("order %g, x %g: 1/R is %.17g, want %.17g", order, x, got, want)
			}
			// The logarithms differ by the ratio: log R_ν = log I_{ν+1} − log I_ν.
			if got, want := high.Log(x)-low.Log(x), math.Log(low.Ratio(x)); math.Abs(got-want) > 1e-14*(math.Abs(high.Log(x))+1) {
				t.Errorf("order %g, x %g: logarithms differ by %.17g, want %.17g", order, x, got, want)
			}
		}
	}
}

// TestLogRiseIsAnIntegral checks LogScaled against Poisson's formula (DLMF 10.32.2): exp
// LogScaled(x) is the mean of e^{xt} over −1 < t < 1 with the weight (1−t²)^{ν−½}, which is the
// moment generating function of a coordinate of a uniform direction. The substitution t = sin θ
// makes the integrand smooth for ν ≥ ½, so that a plain sum over θ is accurate.
func TestLogRiseIsAnIntegral(t *testing.T) {
	for _, order := range []float64{0, 0.5, 1, 5, 31, 255, 2047} {
		b := NewBesselI(order)
		for _, x := range []float64{1e-3, 0.5, 3, 40, 600} {
			const points = 40000
			logs, weights := make([]float64, 0, points), make([]float64, 0, points)
			for i := range points {
				sin, cos := math.Sincos(math.Pi * ((float64(i)+0.5)/points - 0.5))
				weights = append(weights, 2*order*math.Log(cos))
				logs = append(logs, x*sin+2*order*math.Log(cos))
			}
			want := LogSumExp(logs) - LogSumExp(weights)
			limit := 1e-10
			if order == 0.5 { // the integrand does not vanish at the ends
				limit = 2e-9
			}
			if got := b.LogScaled(x); math.Abs(got-want) > limit*(1+want) {
				t.Errorf("order %g, x %g: %.15g, integral %.15g", order, x, got, want)
			}
		}
	}
}

// TestLimitsAreTheTextbooks checks the limits x²/(4(ν+1)) near 0 and x − ½ log 2πx − (4ν²−1)/(8x)
// for large x (DLMF 10.40.1).
func TestLimitsAreTheTextbooks(t *testing.T) {
	for _, order := range orders {
		b := NewBesselI(order)
		for _, x := range []float64{1e-150, 1e-20, 1e-9} {
			x *= order + 1
			if got, want := b.LogScaled(x), x/4*(x/(order+1)); relative(got, want) > 1e-14 && want > 1e-290 {
				t.Errorf("order %g, x %g: rise %g, want %g", order, x, got, want)
			}
			if got, want := b.RatioDerivative(x), 1/(2*(order+1)); relative(got, want) > 1e-14 {
				t.Errorf("order %g, x %g: slope %g, want %g", order, x, got, want)
			}
		}
		x := 1e7 * (order + 1) * (order + 1)
		want := x - math.Log(2*math.Pi*x)/2 - (4*order*order-1)/(8*x)
		if got := b.Log(x); math.Abs(got-want) > 1e-12*x {
			t.Errorf("order %g, x %g: log I %.17g, want %.17g", order, x, got, want)
		}
		if got, want := 1-b.Ratio(x), (2*order+1)/(2*x); relative(got, want) > 1e-6+1e-16/want {
			t.Errorf("order %g, x %g: 1 − R is %g, want %g", order, x, got, want)
		}
	}
}

// TestRatiosRiseWithTheArgumentAndFallWithTheOrder also compares the derivative with Riccati's
// equation, for arguments at which the latter keeps its digits.
func TestRatiosRiseWithTheArgumentAndFallWithTheOrder(t *testing.T) {
	for i, order := range orders {
		b := NewBesselI(order)
		last := 0.0
		for x := 1e-6; x < 1e6; x *= 2.3 {
			ratio := b.Ratio(x)
			if !(ratio > last && ratio < 1) {
				t.Errorf("order %g: ratio %.17g at %g after %.17g", order, ratio, x, last)
			}
			last = ratio
			if i > 0 {
				if other := NewBesselI(orders[i-1]).Ratio(x); other <= ratio {
					t.Errorf("x %g: ratio %g at order %g, %g at %g", x, other, orders[i-1], ratio, order)
				}
			}
			if x < 3*(order+1) {
				if got, want := b.RatioDerivative(x), 1-ratio*ratio-(2*order+1)*ratio/x; math.Abs(got-want) > 1e-14*(2*order+2)*ratio/x {
					t.Errorf("order %g, x %g: slope %.15g, equation %.15g", order, x, got, want)
				}
			}
		}
	}
}

func TestTheFractionDoesNotAnswerWhatItCannot(t *testing.T) {
	if got := BesselRatioFraction(1, 1e50); !math.IsNaN(got) {
		t.Errorf("%g after too few steps", got)
	}
	if got, want := BesselRatioFraction(2047, 1e4), NewBesselI(2047).Ratio(1e4); relative(got, want) > 1e-14 {
		t.Errorf("%.17g, want %.17g", got, want)
	}
}

// TestDigammaHasItsClosedForms compares with closed forms at integers, halves and quarters; G is
// Catalan's constant.
func TestDigammaHasItsClosedForms(t *testing.T) {
	const euler, catalan = 0.57721566490153286061, 0.91596559417721901505
	for x, want := range map[float64]float64{
		1: -euler, 2: 1 - euler, 0.5: -euler - 2*math.Ln2, 0.25: -euler - math.Pi/2 - 3*math.Ln2, 0.75: -euler + math.Pi/2 - 3*math.Ln2,
		100: 4.6001618527380874002, 1e-200: -1e200,
	} {
		if got := Digamma(x); relative(got, want) > 5e-15 {
			t.Errorf("ψ(%g) = %.17g, want %.17g", x, got, want)
		}
	}
	for x, want := range map[float64]float64{
		1: math.Pi * math.Pi / 6, 2: math.Pi*math.Pi/6 - 1, 0.5: math.Pi * math.Pi / 2, 0.25: math.Pi*math.Pi + 8*catalan,
		0.75: math.Pi*math.Pi - 8*catalan, 1e-100: 1e200, 1e200: 1e-200,
	} {
		if got := Trigamma(x); relative(got, want) > 3e-15 {
			t.Errorf("ψ′(%g) = %.17g, want %.17g", x, got, want)
		}
	}
	for _, x := range []float64{1e16, 1e200, math.MaxFloat64} {
		if got := Digamma(x); relative(got, math.Log(x)) > 1e-15 {
			t.Errorf("ψ(%g) = %g, want log %g", x, got, x)
		}
	}
}

// TestDifferencesAddUp checks that the differences over the parts of a step add up to the
// difference over the step. For steps of 1 the differences are logarithms of rational numbers.
func TestDifferencesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		x := math.Exp(14*r.Float64() - 4)
		a, b := x*(3*r.Float64()-0.9), math.Exp(12*r.Float64()-6)
		if !(x+a > 0) {
			continue
		}
		whole, parts := LogGammaDifference(x, a+b), LogGammaDifference(x, a)+LogGammaDifference(x+a, b)
		// x + a and a + b are rounded, which changes the values by the rounding error times the
		// derivative.
		slack := 4e-16*(math.Abs(Digamma(x+a))+math.Abs(Digamma(x+a+b))+1)*(x+math.Abs(a)+b) + 1e-14*(math.Abs(LogGammaDifference(x, a))+math.Abs(whole))
		if math.Abs(whole-parts) > slack {
			t.Errorf("from %g by %g and %g: %.17g in one step, %.17g in two", x, a, b, whole, parts)
		}
		if got, want := LogGammaDifference(x, 1), math.Log(x); math.Abs(got-want) > 2e-15*(1+math.Abs(want)) {
			t.Errorf("from %g by 1: %.17g, want %.17g", x, got, want)
		}
		if got, want := DigammaDifference(x, 1), 1/x; relative(got, want) > 4e-15 {
			t.Errorf("ψ from %g by 1: %.17g, want %.17g", x, got, want)
		}
		// Γ(x+2)Γ(x)/Γ(x+1)² = (x+1)/x.
		if got, want := LogGammaSecondDifference(x, 1, 1), math.Log1p(1/x); relative(got, want) > 2e-14 {
			t.Errorf("second difference at %g: %.17g, want %.17g", x, got, want)
		}
		if got, want := LogGammaSecondDifference(x, b, a), LogGammaSecondDifference(x, a, b); math.Abs(got-want) > 2e-14*math.Abs(want) {
			t.Errorf("second difference at %g by %g and %g: %.17g, exchanged %.17g", x, a, b, want, got)
		}
	}
}

// TestDifferencesFollowTheirSlopesForTinySteps covers steps for which the plain difference of two
// values is 0 or noise.
func TestDifferencesFollowTheirSlopesForTinySteps(t *testing.T) {
	for _, x := range []float64{1e-3, 0.3, 1, 7, 14.999, 15, 300, 1e6, 1e12} {
		for _, k := range []float64{x * 1e-8, x * 1e-13, -x * 1e-10, x * 1e-100} {
			if got, want := LogGammaDifference(x, k)/k, Digamma(x); math.Abs(got-want) > 3e-8*x*Trigamma(x)+3e-14*math.Abs(want) {
				t.Errorf("x %g, k %g: slope %.15g, ψ %.15g", x, k, got, want)
			}
			if got, want := DigammaDifference(x, k)/k, Trigamma(x); relative(got, want) > 1e-7 {
				t.Errorf("x %g, k %g: slope of ψ %.15g, ψ′ %.15g", x, k, got, want)
			}
			if got, want := LogGammaSecondDifference(x, k, 1)/k, DigammaDifference(x, 1); relative(got, want) > 1e-7 {
				t.Errorf("x %g, k %g: slope of a step %.15g, want %.15g", x, k, got, want)
			}
		}
	}
}

func TestLogisticFunctionsComplementEachOther(t *testing.T) {
	for x := -750.0; x <= 750; x += 0.37 {
		if sum := Sigmoid(x) + Sigmoid(-x); math.Abs(sum-1) > 1e-15 {
			t.Errorf("σ(%g) + σ(−%[1]g) = %.17g", x, sum)
		}
		if apart := Softplus(x) - Softplus(-x); math.Abs(apart-x) > 1e-15*(1+math.Abs(x)) {
			t.Errorf("softplus(%g) − softplus(−%[1]g) = %.17g", x, apart)
		}
		// Below 2⁻¹⁰²² Go's own logarithm is wrong on some CPUs.
		if got, want := LogSigmoid(x), math.Log(Sigmoid(x)); math.Abs(got-want) > 1e-14*math.Abs(want)+2e-16 && x > -708 {
			t.Errorf("log σ(%g) = %.17g, want %.17g", x, got, want)
		}
		const step = 1e-6
		if slope := (Softplus(x+step) - Softplus(x-step)) / (2 * step); math.Abs(slope-Sigmoid(x)) > 1e-9+1e-10*math.Abs(x) {
			t.Errorf("slope of softplus at %g is %g, σ %g", x, slope, Sigmoid(x))
		}
	}
	for name, value := range map[string]float64{"Softplus": Softplus(math.NaN()), "Sigmoid": Sigmoid(math.NaN()), "LogSigmoid": LogSigmoid(math.NaN()),
		"LogSumExp": LogSumExp([]float64{1, math.NaN(), math.Inf(1)})} {
		if !math.IsNaN(value) {
			t.Errorf("%s of NaN is %g", name, value)
		}
	}
	if Softplus(math.Inf(1)) != math.Inf(1) || Softplus(math.Inf(-1)) != 0 || Sigmoid(math.Inf(1)) != 1 || Sigmoid(math.Inf(-1)) != 0 || LogSigmoid(math.Inf(-1)) != math.Inf(-1) {
		t.Error("values at the ends")
	}
}

func TestLogSumExpFollowsShiftsAndOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 512, 4096} {
		values := make([]float64, n)
		for i := range values {
			values[i] = 30 * r.NormFloat64()
		}
		want := LogSumExp(values)
		for _, shift := range []float64{-1e6, 700, 1e6} {
			moved := make([]float64, n)
			for i, p := range r.Perm(n) {
				moved[p] = values[i] + shift
			}
			if got := LogSumExp(moved); math.Abs(got-shift-want) > 3e-10 {
				t.Errorf("%d values moved by %g: %.15g, want %.15g", n, shift, got-shift, want)
			}
		}
		for i := range values {
			values[i] = -5
		}
		if got, want := LogSumExp(values), math.Log(float64(n))-5; math.Abs(got-want) > 1e-13 {
			t.Errorf("%d equal values: %g, want %g", n, got, want)
		}
	}
	if got := LogSumExp([]float64{math.Inf(-1), math.Inf(-1)}); !math.IsInf(got, -1) {
		t.Errorf("log of 0 is %g", got)
	}
	if got := LogSumExp([]float64{3, math.Inf(1)}); !math.IsInf(got, 1) {
		t.Errorf("log of infinity is %g", got)
	}
}

func TestOneBesselServesManyGoroutines(t *testing.T) {
	b := NewBesselI(12.5)
	want := [3]float64{b.LogScaled(7), b.Ratio(7), b.RatioDerivative(7)}
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 200 {
				own := NewBesselI(12.5)
				if got := [3]float64{b.LogScaled(7), own.Ratio(7), b.RatioDerivative(7)}; got != want {
					t.Errorf("%v, want %v", got, want)
				}
			}
		})
	}
	running.Wait()
}

// FuzzDifferences looks for NaN inside the domains and checks that each difference changes its sign
// when its arguments are exchanged.
func FuzzDifferences(f *testing.F) {
	f.Add(1.0, 0.5, 2.0)
	f.Add(1e-300, 1e300, -1e-301)
	f.Add(15.0, -14.5, 1e-20)
	f.Fuzz(func(t *testing.T, x, s, u float64) {
		if !(x > 1e-300 && x < 1e12 && math.Abs(s) < 1e12 && math.Abs(u) < 1e12 && x+s > 1e-300 && x+u > 1e-300 && x+s+u > 1e-300) {
			return
		}
		there, back := LogGammaDifference(x, s), LogGammaDifference(x+s, -s)
		moved := (x + s) - x // the part of s that rounding keeps
		if math.IsNaN(there) || math.IsNaN(back) || moved == s && math.Abs(there+back) > 1e-12*(math.Abs(there)+1) {
			t.Errorf("from %g by %g: %g there and %g back", x, s, there, back)
		}
		second := LogGammaSecondDifference(x, s, u)
		if math.IsNaN(second) || second != 0 && (second > 0) != (s*u > 0) && s*u != 0 && math.Abs(second) > 1e-12 {
			t.Errorf("second difference at %g by %g and %g is %g", x, s, u, second)
		}
		if d := DigammaDifference(x, s); math.IsNaN(d) || s != 0 && d != 0 && (d > 0) != (s > 0) {
			t.Errorf("ψ from %g by %g is %g", x, s, d)
		}
	})
}
