package special

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// readTable reads testdata/table.json, which testdata/make_table.py computed with 50 digits.
func readTable(t *testing.T) (table struct {
	Bessel []struct{ Order, X, Rise, Ratio, Slope string }
	Gamma  []map[string]string
}) {
	t.Helper()
	text, err := os.ReadFile("testdata/table.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

// number parses a decimal.
func number(t *testing.T, s string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// relative returns |got − want|/|want|.
func relative(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

// A worst records the largest error and the argument at which it occurred.
type worst struct {
	error float64
	where string
}

func (w *worst) see(got, want float64, where string) {
	if e := relative(got, want); !(e <= w.error) {
		w.error, w.where = e, where
	}
}

func (w *worst) atMost(t *testing.T, name string, limit float64) {
	t.Helper()
	t.Logf("%s: largest relative error %.2g at %s", name, w.error, w.where)
	if !(w.error <= limit) {
		t.Errorf("%s: relative error %g at %s, want at most %g", name, w.error, w.where, limit)
	}
}

func TestBesselAgreesWithTableOf50Digits(t *testing.T) {
	var rise, ratio, slope worst
	for _, row := range readTable(t).Bessel {
		order, x := number(t, row.Order), number(t, row.X)
		b := NewBesselI(order)
		where := "order " + row.Order + ", x " + row.X
		rise.see(b.LogScaled(x), number(t, row.Rise), where)
		ratio.see(b.Ratio(x), number(t, row.Ratio), where)
		slope.see(b.RatioDerivative(x), number(t, row.Slope), where)
	}
	// About thirty roundings of 1.1e-16 contribute, and the argument itself is rounded.
	rise.atMost(t, "LogScaled", 2e-15)
	ratio.atMost(t, "Ratio", 2e-15)
	// The recurrence to orders near 0 multiplies errors of the derivative for large x; 8e-13 was
	// measured at order 1/2.
	slope.atMost(t, "RatioDerivative", 2e-12)
}

func TestGammaDifferencesAgreeWithTableOf50Digits(t *testing.T) {
	var digamma, trigamma, difference, second, slope worst
	for _, row := range readTable(t).Gamma {
		x, s, u := number(t, row["x"]), number(t, row["s"]), number(t, row["t"])
		where := "x " + row["x"] + ", s " + row["s"] + ", t " + row["t"]
		digamma.see(Digamma(x), number(t, row["digamma"]), where)
		trigamma.see(Trigamma(x), number(t, row["trigamma"]), where)
		difference.see(LogGammaDifference(x, s), number(t, row["difference"]), where)
		second.see(LogGammaSecondDifference(x, s, u), number(t, row["second"]), where)
		slope.see(DigammaDifference(x, s), number(t, row["digamma_difference"]), where)
	}
	digamma.atMost(t, "Digamma", 2e-14) // x = 1.5 is near the zero at 1.46
	trigamma.atMost(t, "Trigamma", 1e-15)
	difference.atMost(t, "LogGammaDifference", 5e-15)
	second.atMost(t, "LogGammaSecondDifference", 5e-15)
	slope.atMost(t, "DigammaDifference", 2e-15)
}

func TestRatioAgreesWithContinuedFraction(t *testing.T) {
	var w worst
	for _, order := range []float64{0, 0.5, 2, 7.5, 30, 31, 39, 40, 63.5, 127, 255, 383, 575} {
		b := NewBesselI(order)
		for x := 1e-6; x < 2e5; x *= 2.7 {
			w.see(b.Ratio(x), BesselRatioFraction(order, x), "order "+strconv.FormatFloat(order, 'g', -1, 64))
		}
	}
	// The fraction's own rounding errors accumulate over about x steps.
	w.atMost(t, "Ratio", 2e-14)
}

func TestLogRiseAgreesWithPowerSeries(t *testing.T) {
	var w worst
	for _, order := range []float64{0, 0.5, 2, 7.5, 30, 31, 39, 40, 63.5, 127, 255, 383, 575} {
		b := NewBesselI(order)
		for x := 1e-6; x < 700; x *= 1.9 {
			w.see(b.LogScaled(x), LogRiseSeries(order, x), "order "+strconv.FormatFloat(order, 'g', -1, 64))
		}
	}
	w.atMost(t, "LogScaled", 1e-14) // the series adds up to some hundred terms
	if !math.IsInf(LogRiseSeries(0, 1e4), 1) {
		t.Error("series does not overflow to +Inf")
	}
}

// For order one half the functions are elementary: I_{1/2}(x) = √(2/(πx)) sinh x.
func TestOrderOneHalfIsElementary(t *testing.T) {
	b := NewBesselI(0.5)
	for _, x := range []float64{0.1, 1, 3, 20, 300} {
		want := 0.5*math.Log(2/(math.Pi*x)) + x + math.Log1p(-math.Exp(-2*x)) - math.Ln2
		if got := b.Log(x); math.Abs(got-want) > 1e-13*max(1, math.Abs(want)) {
			t.Errorf("log I_1/2(%g) = %.16g, want %.16g", x, got, want)
		}
		if got, want := b.Ratio(x), 1/math.Tanh(x)-1/x; relative(got, want) > 1e-12 { // the formula cancels at 0.1
			t.Errorf("I_3/2(%g)/I_1/2 = %.16g, want %.16g", x, got, want)
		}
	}
}

func TestRatioLiesBetweenItsBounds(t *testing.T) {
	for _, order := range []float64{0, 1, 12, 63, 255, 383} {
		b := NewBesselI(order)
		for x := 1e-3; x < 2e5; x *= 3 {
			ratio := b.Ratio(x)
			// Ruiz-Antolín and Segura 2016, the bounds of the paper's appendix A.1.
			low := x / (order + 0.5 + math.Sqrt((order+1.5)*(order+1.5)+x*x))
			high := x / (order + 0.5 + math.Sqrt((order+0.5)*(order+0.5)+x*x))
			if !(low*(1-1e-15) <= ratio && ratio <= high*(1+1e-15)) {
				t.Errorf("order %g, x %g: ratio %g outside [%g, %g]", order, x, ratio, low, high)
			}
		}
	}
}

func TestSlopesAreDerivatives(t *testing.T) {
	for _, order := range []float64{0, 3, 31, 255} {
		b := NewBesselI(order)
		for _, x := range []float64{0.5, 5, 80, 3000} {
			step := 1e-5 * x
			rise := (b.LogScaled(x+step) - b.LogScaled(x-step)) / (2 * step)
			if relative(b.Ratio(x), rise) > 1e-8 {
				t.Errorf("order %g, x %g: ratio %g, difference quotient %g", order, x, b.Ratio(x), rise)
			}
			ratio := (b.Ratio(x+step) - b.Ratio(x-step)) / (2 * step)
			if relative(b.RatioDerivative(x), ratio) > 1e-6 {
				t.Errorf("order %g, x %g: slope %g, difference quotient %g", order, x, b.RatioDerivative(x), ratio)
			}
		}
	}
}

func TestLimitsAtZeroAreExact(t *testing.T) {
	for _, order := range []float64{0, 1, 31, 255} {
		b := NewBesselI(order)
		want := 1 / (2 * (order + 1))
		if b.LogScaled(0) != 0 || b.Ratio(0) != 0 {
			t.Errorf("order %g: rise %g and ratio %g at 0", order, b.LogScaled(0), b.Ratio(0))
		}
		if relative(b.RatioOverX(0), want) > 5e-16 || relative(b.RatioDerivative(0), want) > 5e-16 {
			t.Errorf("order %g: %g and %g at 0, want %g", order, b.RatioOverX(0), b.RatioDerivative(0), want)
		}
	}
	if got := NewBesselI(0).Log(0); got != 0 {
		t.Errorf("log I_0(0) = %g", got)
	}
	if got := NewBesselI(2).Log(0); !math.IsInf(got, -1) {
		t.Errorf("log I_2(0) = %g", got)
	}
}

func TestHugeArgumentsStayFinite(t *testing.T) {
	for _, order := range []float64{0, 31, 255} {
		b := NewBesselI(order)
		for _, x := range []float64{1e8, 1e20, 1e99} {
			if rise := b.LogScaled(x); math.IsNaN(rise) || math.IsInf(rise, 0) || relative(rise, x) > 1e-4 {
				t.Errorf("order %g: rise %g at %g", order, rise, x)
			}
			if ratio := b.Ratio(x); math.Abs(ratio-1) > 1e-5 {
				t.Errorf("order %g: ratio %g at %g", order, ratio, x)
			}
		}
	}
}

func TestOutsideTheDomainIsNaN(t *testing.T) {
	b := NewBesselI(3)
	for name, value := range map[string]float64{
		"LogScaled(-1)": b.LogScaled(-1), "Ratio(NaN)": b.Ratio(math.NaN()), "LogScaled(1e101)": b.LogScaled(1e101), "RatioDerivative(Inf)": b.RatioDerivative(math.Inf(1)),
		"RatioOverX(-1)": b.RatioOverX(-1), "Log(-1)": b.Log(-1), "Digamma(0)": Digamma(0), "Trigamma(-1)": Trigamma(-1),
		"fraction": BesselRatioFraction(-1, 1), "series": LogRiseSeries(1, -1), "first": LogGammaDifference(1, -1),
		"second": LogGammaSecondDifference(1, -2, 1), "digamma": DigammaDifference(-1, 2),
	} {
		if !math.IsNaN(value) {
			t.Errorf("%s = %g, want NaN", name, value)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("NewBesselI(-1) does not panic")
		}
	}()
	NewBesselI(-1)
}

// The expected values are the first coefficients as printed in DLMF 10.41.10 and Stirling's series
// as U_k(1).
func TestExpansionCoefficientsAreTheTextbooks(t *testing.T) {
	terms := debyeTerms()
	for k, want := range [][]float64{
		{0, 3. / 24, 0, -5. / 24},
		{0, 0, 81. / 1152, 0, -462. / 1152, 0, 385. / 1152},
		{0, 0, 0, 30375. / 414720, 0, -369603. / 414720, 0, 765765. / 414720, 0, -425425. / 414720},
	} {
		for power, c := range want {
			if terms[k].u[power] != c {
				t.Errorf("U_%d: coefficient of p^%d is %g, want %g", k+1, power, terms[k].u[power], c)
			}
		}
	}
	for k, want := range []float64{-1. / 12, 1. / 288, 139. / 51840, -571. / 2488320} {
		if relative(terms[k].one, want) > 1e-16 {
			t.Errorf("U_%d(1) = %g, want %g", k+1, terms[k].one, want)
		}
	}
	for k, term := range terms {
		for _, p := range []float64{0.1, 0.5, 0.9} {
			if got, want := horner(term.e, p)*(p-1), horner(term.u, p)-term.one; math.Abs(got-want) > 1e-9 {
				t.Errorf("term %d at %g: quotient gives %g, want %g", k+1, p, got, want)
			}
		}
	}
}

func TestDuplicationFormulaHolds(t *testing.T) {
	for _, x := range []float64{0.3, 1, 7, 19, 255.5} {
		want := Digamma(x)/2 + Digamma(x+0.5)/2 + math.Ln2
		if got := Digamma(2 * x); math.Abs(got-want) > 1e-14*max(1, math.Abs(want)) {
			t.Errorf("ψ(%g) = %g, want %g", 2*x, got, want)
		}
	}
}

func TestSecondDifferenceIsExactZeroWhenAStepIs(t *testing.T) {
	for _, x := range []float64{0.5, 6, 256} {
		if got := LogGammaSecondDifference(x, 3, 0); got != 0 {
			t.Errorf("second difference at %g with a step of 0 is %g", x, got)
		}
		if got := LogGammaDifference(x, 0); got != 0 {
			t.Errorf("difference at %g with a step of 0 is %g", x, got)
		}
	}
}

func TestLogisticFunctionsKeepBothTails(t *testing.T) {
	for _, c := range []struct{ x, softplus, sigmoid float64 }{
		{-800, 0, 0}, {-40, 4.248354255291589e-18, 4.248354255291589e-18}, {0, math.Ln2, 0.5},
		{1, 1.3132616875182228, 0.7310585786300049}, {40, 40, 1}, {800, 800, 1},
	} {
		if got := Softplus(c.x); relative(got, c.softplus) > 1e-15 {
			t.Errorf("Softplus(%g) = %g, want %g", c.x, got, c.softplus)
		}
		if got := Sigmoid(c.x); relative(got, c.sigmoid) > 1e-15 {
			t.Errorf("Sigmoid(%g) = %g, want %g", c.x, got, c.sigmoid)
		}
		if got := LogSigmoid(-c.x); relative(got, -c.softplus) > 1e-15 {
			t.Errorf("LogSigmoid(%g) = %g, want %g", -c.x, got, -c.softplus)
		}
	}
	if got := LogSumExp([]float64{1000, 1000, math.Inf(-1)}); relative(got, 1000+math.Ln2) > 1e-15 {
		t.Errorf("LogSumExp = %g", got)
	}
	if got := LogSumExp(nil); !math.IsInf(got, -1) {
		t.Errorf("LogSumExp of nothing = %g", got)
	}
}

// golden reads the arrays of the reference material, which may lie next to the repository, or skips
// the test.
func golden(t *testing.T) map[string]*embedding.Array {
	t.Helper()
	for up := ".."; strings.Count(up, "..") <= 3; up += "/.." {
		file := filepath.Join(up, "shared", "golden", "functions.npz")
		if _, err := os.Stat(file); err != nil {
			continue
		}
		arrays, err := embedding.ReadNPZ(file)
		if err != nil {
			t.Fatal(err)
		}
		return arrays
	}
	t.Skip("the reference file functions.npz is not here")
	return nil
}

func TestScalarFunctionsAgreeWithGoldenArrays(t *testing.T) {
	arrays := golden(t)
	values := func(name string) []float64 {
		numbers, err := arrays["scalar/"+name].Float64s()
		if err != nil {
			t.Fatal(err)
		}
		return numbers
	}
	for _, c := range []struct {
		name, arguments string
		f               func(float64) float64
	}{
		{"softplus", "x", Softplus}, {"logsigmoid", "x", LogSigmoid}, {"digamma", "y", Digamma}, {"trigamma", "y", Trigamma},
	} {
		var w worst
		want := values(c.name)
		for i, x := range values(c.arguments) {
			w.see(c.f(x), want[i], strconv.FormatFloat(x, 'g', -1, 64))
		}
		w.atMost(t, c.name, 2e-14) // digamma near its zero; the others are below 1e-15
	}
}

func BenchmarkNewBesselI(b *testing.B) {
	for b.Loop() {
		NewBesselI(255)
	}
}

func BenchmarkLogRise512(b *testing.B) {
	bessel := NewBesselI(255)
	for b.Loop() {
		bessel.LogScaled(7.5)
	}
}

func BenchmarkRatioSlope12(b *testing.B) {
	bessel := NewBesselI(5)
	for b.Loop() {
		bessel.RatioDerivative(7.5)
	}
}

// The exact coefficients are computed once per process, by the first caller.
func BenchmarkCoefficients(b *testing.B) {
	for b.Loop() {
		u := polynomial{big.NewRat(1, 1)}
		for range maxTerms {
			u.ratioTerm()
			u = u.next()
			u.divideByPMinusOne()
		}
	}
}
