package gaussian

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// extremes are finite values at the ends of the range of a mean or a log variance.
var extremes = []float64{0, 1e-320, 1, -1, 30, -30, 709, -709, 800, -800, 1500, -1500, 1e200, -1e200, math.MaxFloat64}

func TestFiniteGaussiansGiveNoNaN(t *testing.T) {
	for _, form := range []Form{Exact, Official} {
		for _, eps := range []float64{0, -10, -20} {
			n := Inclusion{Form: form, Eps: eps}
			for _, apart := range extremes {
				for _, l1 := range extremes[:12] {
					for _, l2 := range extremes[:12] {
						one, two := Diagonal{[]float64{apart / 2}, []float64{l1}}, Diagonal{[]float64{-apart / 2}, []float64{l2}}
						for name, value := range map[string]float64{"inc": n.Log(one, two), "H": n.Compare(one, two), "KL": KL(one, two), "CSD": CSD(one, two)} {
							if math.IsNaN(value) {
								t.Errorf("%v, ε %g, D %g, ln σ² %g and %g: %s is NaN", form, eps, apart, l1, l2, name)
							}
						}
						if kl := KL(one, two); kl < 0 {
							t.Errorf("D %g, ln σ² %g and %g: KL %g", apart, l1, l2, kl)
						}
						loss, err := n.Loss(one, two, 10)
						if err != nil || math.IsNaN(loss.Loss) || math.IsNaN(loss.One.Mean[0]) {
							t.Errorf("%v, ε %g, D %g, ln σ² %g and %g: %+v (error %v)", form, eps, apart, l1, l2, loss, err)
						}
					}
				}
			}
		}
	}
}

// TestKLOfNearGaussiansKeepsItsDigits compares with 200 bits. The divergence of two variances that
// differ by a fraction x is x²/4 for small x, for which the plain formula has no correct digit.
func TestKLOfNearGaussiansKeepsItsDigits(t *testing.T) {
	for _, x := range []float64{1e-12, 1e-8, -1e-5, 3e-3, 0.0999, 0.1, 0.1001, -0.5, 3} {
		sum, term := new(big.Float).SetPrec(200), new(big.Float).SetPrec(200).SetFloat64(1)
		for k := 1; k < 60; k++ {
			term.Mul(term, big.NewFloat(x))
			term.Quo(term, big.NewFloat(float64(k)))
			if k >= 2 {
				sum.Add(sum, term)
			}
		}
		twice, _ := sum.Float64()
		got := KL(Diagonal{[]float64{7}, []float64{x - 2}}, Diagonal{[]float64{7}, []float64{-2}})
		// x − 2 + 2 keeps only some of the digits of x.
		exact := (x - 2) + 2
		want := twice / 2 * (exact / x) * (exact / x)
		if math.Abs(got-want) > 3e-15*want+1e-15*math.Abs(exact-x) {
			t.Errorf("x = %g: %.17g, want %.17g", x, got, want)
		}
	}
}

func TestKLIsTheIntegral(t *testing.T) {
	for _, c := range []struct{ m1, v1, m2, v2 float64 }{{0, 1, 0, 4}, {0.5, 0.3, -0.2, 0.7}, {1, 2, 3, 0.5}} {
		want := integrate(func(x float64) float64 {
			p, q := density(c.m1, c.v1, x), density(c.m2, c.v2, x)
			if p == 0 {
				return 0
			}
			return p * math.Log(p/q)
		}, -12, 14)
		if got := KL(single(c.m1, c.v1), single(c.m2, c.v2)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%+v: %.12g, integral %.12g", c, got, want)
		}
	}
}

// TestMeasuresAddOverCoordinates splits Gaussians as wide as embeddings into coordinates.
func TestMeasuresAddOverCoordinates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{2, 3, 512, 4096} {
		one, two := zeros(width), zeros(width)
		for i := range width {
			one.Mean[i], two.Mean[i] = r.NormFloat64(), r.NormFloat64()
			one.LogVariance[i], two.LogVariance[i] = r.NormFloat64()-4, r.NormFloat64()-4
		}
		n := Inclusion{Eps: -3}
		sums := map[string]float64{}
		for i := range width {
			a, b := Diagonal{one.Mean[i : i+1], one.LogVariance[i : i+1]}, Diagonal{two.Mean[i : i+1], two.LogVariance[i : i+1]}
			sums["KL"] += KL(a, b)
			sums["CSD"] += CSD(a, b)
			sums["inc"] += n.Log(a, b)
			sums["H"] += n.Compare(a, b)
			sums["mean variance"] += a.MeanVariance() / float64(width)
		}
		for name, got := range map[string]float64{"KL": KL(one, two), "CSD": CSD(one, two), "inc": n.Log(one, two), "H": n.Compare(one, two), "mean variance": one.MeanVariance()} {
			if math.Abs(got-sums[name]) > 1e-11*(1+math.Abs(got)) {
				t.Errorf("width %d: %s %g, coordinates sum to %g", width, name, got, sums[name])
			}
		}
		if math.Abs(CSD(one, two)-CSD(two, one)) > 1e-15*CSD(one, two) || n.Compare(one, two) != -n.Compare(two, one) {
			t.Errorf("width %d: exchanging both is seen", width)
		}
		product := 0.0
		for i := range width {
			product += one.Mean[i] * two.Mean[i]
		}
		if got, want := Similarity(one, two), product-(one.Trace()+two.Trace())/2; math.Abs(got-want) > 1e-10 {
			t.Errorf("width %d: similarity %g, want %g", width, got, want)
		}
	}
}

// TestGaussiansMayBeMovedAndScaled shifts both means alike, or scales both Gaussians by s, which
// adds ln s² to the log variances. Neither changes KL and H. Scaling reduces inc at Eps 0 by 2 ln s
// per coordinate, like the integral of p²q.
func TestGaussiansMayBeMovedAndScaled(t *testing.T) {
	one, two := Diagonal{[]float64{0.3, -1}, []float64{-1, 0.5}}, Diagonal{[]float64{1, 0.2}, []float64{0.3, -2}}
	for _, s := range []float64{1e-3, 1, 1e3} {
		move := func(d Diagonal) Diagonal {
			moved := zeros(2)
			for i := range d.Mean {
				moved.Mean[i], moved.LogVariance[i] = s*(d.Mean[i]+5), d.LogVariance[i]+2*math.Log(s)
			}
			return moved
		}
		a, b := move(one), move(two)
		for name, pair := range map[string][2]float64{
			"KL":  {KL(a, b), KL(one, two)},
			"H":   {Inclusion{}.Compare(a, b), Inclusion{}.Compare(one, two)},
			"inc": {Inclusion{}.Log(a, b), Inclusion{}.Log(one, two) - 2*2*math.Log(s)},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-11 {
				t.Errorf("scale %g: %s %.15g, want %.15g", s, name, pair[0], pair[1])
			}
		}
	}
}

func TestKeptPartsAreTheDecimalsThatWereAskedFor(t *testing.T) {
	pairs := make([]Diagonal, 100)
	for i := range pairs {
		pairs[i] = single(0, float64(i+1))
	}
	for percent := range 101 {
		kept, err := KeepClosest(pairs, pairs, float64(percent)/100)
		if err != nil || len(kept) != percent {
			t.Errorf("%d %% of 100 are %d (error %v)", percent, len(kept), err)
		}
		if !slices.IsSorted(kept) { // variances increase, so the first pairs are the closest
			t.Errorf("%d %%: %v", percent, kept)
		}
	}
	if kept, err := KeepClosest(pairs[:7], pairs[:7], 0.5); err != nil || len(kept) != 3 {
		t.Errorf("half of 7 are %d (error %v)", len(kept), err)
	}
	if kept, err := KeepClosest(nil, nil, 0.2); err != nil || len(kept) != 0 {
		t.Errorf("a part of nothing is %v (error %v)", kept, err)
	}
	same := []Diagonal{single(0, 1), single(0, 1), single(0, 1)}
	if kept, _ := KeepClosest(same, same, 1); !slices.Equal(kept, []int{0, 1, 2}) {
		t.Errorf("equal distances are in the order %v", kept)
	}
}

func TestLossesAreDroppedAtTheLimitsOfTheProgram(t *testing.T) {
	for _, form := range []Form{Exact, Official} {
		// The bottleneck of mean m and variance 1 is m²/2.
		for m, dropped := range map[float64]bool{math.Sqrt(2e4) - 1e-6: false, math.Sqrt(2e4) + 1e-6: true, 1e300: true} {
			loss, gradient, err := Bottleneck(form, single(m, 1))
			if err != nil || (loss == 0) != dropped || (gradient.Mean[0] == 0) != dropped {
				t.Errorf("%v, mean %g: loss %g, gradient %g (error %v)", form, m, loss, gradient.Mean[0], err)
			}
		}
		loss, gradient, err := Bottleneck(form, single(0, 1))
		if err != nil || loss != 0 || gradient.LogVariance[0] != 0 {
			t.Errorf("%v: the standard normal has the loss %g (error %v)", form, loss, err)
		}
	}
	if Exact.String() != "exact" || Official.String() != "official" {
		t.Errorf("forms %v and %v", Exact, Official)
	}
}

func TestMomentsWithoutADirectionOrASumAreErrors(t *testing.T) {
	good := Moments{[]float64{1, 2}, []float64{0, 1}}
	for want, m := range map[string]Moments{
		"a mean of length 0 has no direction":    {[]float64{1e-200, 0}, []float64{1, 1}},
		"a mean of length +Inf has no direction": {[]float64{1e200, 0}, []float64{1, 1}},
		"the sum of 2 variances is infinite":     {[]float64{1, 0}, []float64{1e308, 1e308}},
		"mean 1 is -Inf":                         {[]float64{1, math.Inf(-1)}, []float64{1, 1}},
		"variance 0 is NaN":                      {[]float64{1, 1}, []float64{math.NaN(), 1}},
		"0 means with 0 variances":               {},
		"1 coordinates against 2":                {[]float64{1}, []float64{1}},
	} {
		if _, err := Cosine(m, good); err == nil || !strings.HasPrefix(err.Error(), "gaussian: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestErrorsOfABatchNameTheFirstList(t *testing.T) {
	// Each error has the same text in every run, whichever other values are wrong.
	nan := []float64{math.NaN()}
	for range 20 {
		if _, err := (Generalized{nan, nan, nan}).Loss(Exact, nan); err == nil || err.Error() != "gaussian: mean 0 is NaN" {
			t.Fatalf("error %v", err)
		}
	}
	if _, err := (Generalized{[]float64{0}, []float64{0}, []float64{math.Inf(1)}}).Loss(Exact, []float64{0}); err == nil || err.Error() != "gaussian: raw shape 0 is +Inf" {
		t.Errorf("error %v", err)
	}
}

func TestDifferentWidthsPanicWithBoth(t *testing.T) {
	for name, call := range map[string]func(one, two Diagonal){
		"CSD": func(a, b Diagonal) { CSD(a, b) }, "Similarity": func(a, b Diagonal) { Similarity(a, b) },
		"KL": func(a, b Diagonal) { KL(a, b) }, "Log": func(a, b Diagonal) { Inclusion{}.Log(a, b) },
		"Compare": func(a, b Diagonal) { Inclusion{}.Compare(a, b) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || text != "gaussian: 1 means and 1 log variances against 2 and 2" {
					t.Errorf("%s: panic %q", name, text)
				}
			}()
			call(zeros(1), zeros(2))
		}()
	}
}

// FuzzInclusion compares H with the difference of both logs and looks for NaN.
func FuzzInclusion(f *testing.F) {
	f.Add(0.0, 1.0, -3.0, 2.0, -10.0)
	f.Add(1e300, 0.0, -800.0, 800.0, 0.0)
	f.Fuzz(func(t *testing.T, m1, m2, l1, l2, eps float64) {
		one, two := Diagonal{[]float64{m1}, []float64{l1}}, Diagonal{[]float64{m2}, []float64{l2}}
		if one.Check() != nil || two.Check() != nil || math.Abs(l1)+math.Abs(l2) > 2000 || !(math.Abs(eps) <= 50) || math.IsInf(m1-m2, 0) {
			return
		}
		n := Inclusion{Eps: eps}
		h, back := n.Compare(one, two), n.Compare(two, one)
		if math.IsNaN(h) || h != -back || h != 0 && (h > 0) != (l2 > l1) {
			t.Errorf("H is %g and %g back, ln σ² %g and %g", h, back, l1, l2)
		}
		there, here := n.Log(one, two), n.Log(two, one)
		if math.IsNaN(there) || math.IsNaN(here) {
			t.Errorf("inc is %g and %g", there, here)
		}
		if difference := there - here; !math.IsInf(there, 0) && !math.IsInf(here, 0) && math.Abs(difference-h) > 1e-12*(math.Abs(there)+math.Abs(here)+1) {
			t.Errorf("H %.17g, difference %.17g of %g and %g", h, difference, there, here)
		}
	})
}
