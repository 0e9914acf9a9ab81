package evidence

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gosphere/asymvlm/special"
	"gosphere/internal/testing/golden"
)

// must returns the opinion of valid similarities.
func must(t *testing.T, similarities ...float64) *Opinion {
	t.Helper()
	o, err := NewOpinion(similarities)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOpinionsAgreeWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	for _, name := range []string{"plain", "clamped"} {
		var alpha, belief, expected, u, ce, kl, dCE, dKL []float64
		for y, rho := range golden.Rows(array("dirichlet/"+name+"/rho"), 6) {
			o := must(t, rho...)
			alpha = append(alpha, o.Parameters(nil)...)
			belief = append(belief, o.Beliefs(nil)...)
			expected = append(expected, o.Expected(nil)...)
			u = append(u, o.Uncertainty())
			ce = append(ce, o.CrossEntropy(y))
			kl = append(kl, o.KL(y))
			dCE = append(dCE, o.CrossEntropyGradient(nil, y)...)
			dKL = append(dKL, o.KLGradient(nil, y)...)
		}
		for key, values := range map[string][]float64{"alpha": alpha, "belief": belief, "expected_p": expected, "u": u,
			"ce": ce, "kl": kl, "grad_ce": dCE, "grad_kl": dKL} {
			golden.Near(t, name+" "+key, values, array("dirichlet/"+name+"/"+key), 1e-12)
		}
	}
}

func TestLossAgreesWithTheWholeMethod(t *testing.T) {
	array := golden.Open(t, "elip.npz")
	loss, err := Loss(array("forward/rho"), KLWeight(1))
	if err != nil {
		t.Fatal(err)
	}
	golden.Near(t, "loss", []float64{loss.Loss}, array("forward/loss"), 1e-12)
	golden.Near(t, "gradient", loss.Gradient, array("grad_out/rho"), 1e-11)
	golden.Near(t, "image uncertainty", loss.RowUncertainty, array("infer/u_image"), 1e-12)
	golden.Near(t, "text uncertainty", loss.ColumnUncertainty, array("infer/u_text"), 1e-12)
}

// TestKLOfTwoCandidatesIsThatOfABeta compares with the closed form of KL[Beta(1,α)‖uniform], log α
// − 1 + 1/α.
func TestKLOfTwoCandidatesIsThatOfABeta(t *testing.T) {
	for _, rho := range []float64{-3, -1, 0, 1, 2.6, 2.7, 5, 10, 14, 20} {
		alpha := math.Exp(rho) + 1
		want := math.Log(alpha) - 1 + 1/alpha
		// For small α, the sum of four terms of size log α loses digits that the closed form keeps.
		if got := must(t, 0.3, rho).KL(0); math.Abs(got-want) > 3e-13*max(1, want) {
			t.Errorf("ρ = %g: %.17g, want %.17g", rho, got, want)
		}
	}
}

func TestSeriesMeetTheDefinitions(t *testing.T) {
	for _, x := range []float64{15, 16, 20, 50, 200} {
		gamma, _ := math.Lgamma(x)
		if want := gamma - (x-1)*special.Digamma(x) + x; math.Abs(h(x)-want) > 4e-13*max(1, x/20) {
			t.Errorf("h(%g) = %.17g, want %.17g", x, h(x), want)
		}
		if want := (x-1)*special.Trigamma(x) - 1; math.Abs(q(x)-want) > 2e-13 {
			t.Errorf("q(%g) = %.17g, want %.17g", x, q(x), want)
		}
	}
	below := math.Nextafter(seriesFrom, 0)
	if math.Abs(h(below)-h(seriesFrom)) > 1e-12 || math.Abs(q(below)-q(seriesFrom)) > 1e-12 {
		t.Errorf("a step at %d: h %g, q %g", seriesFrom, h(below)-h(seriesFrom), q(below)-q(seriesFrom))
	}
}

func TestGradientsAreThoseOfDifferences(t *testing.T) {
	rho := []float64{-1.5, 0.2, 3.1, 6, 2.4}
	const step = 1e-5
	for y := range rho {
		o := must(t, rho...)
		dCE, dKL := o.CrossEntropyGradient(nil, y), o.KLGradient(nil, y)
		for j := range rho {
			up, down := append([]float64(nil), rho...), append([]float64(nil), rho...)
			up[j] += step
			down[j] -= step
			a, b := must(t, up...), must(t, down...)
			// The rounding of values of size 10, divided by a step of 1e-5, is about 1e-10.
			if want := (a.CrossEntropy(y) - b.CrossEntropy(y)) / (2 * step); math.Abs(dCE[j]-want) > 1e-8 {
				t.Errorf("cross-entropy, y = %d, j = %d: %g, want %g", y, j, dCE[j], want)
			}
			if want := (a.KL(y) - b.KL(y)) / (2 * step); math.Abs(dKL[j]-want) > 1e-8 {
				t.Errorf("KL, y = %d, j = %d: %g, want %g", y, j, dKL[j], want)
			}
		}
	}
}

func TestUncertaintyAndBeliefsShareTheWhole(t *testing.T) {
	o := must(t, -2, 0, 4, 25)
	sum := o.Uncertainty()
	for _, b := range o.Beliefs(nil) {
		sum += b
	}
	if math.Abs(sum-1) > 1e-15 {
		t.Errorf("uncertainty and beliefs sum to %g", sum)
	}
	if none := must(t, math.Inf(-1), math.Inf(-1)); none.Uncertainty() != 1 || none.KL(0) != 0 {
		t.Errorf("no evidence: uncertainty %g, KL %g, want 1 and 0", none.Uncertainty(), none.KL(0))
	}
}

func TestCutOffSimilaritiesGetNoGradient(t *testing.T) {
	o := must(t, 1, MaxSimilarity+1, MaxSimilarity)
	ce, kl := o.CrossEntropyGradient(nil, 0), o.KLGradient(nil, 0)
	if ce[1] != 0 || kl[1] != 0 || ce[2] == 0 || kl[2] == 0 {
		t.Errorf("gradients %g and %g", ce, kl)
	}
}

func TestWeightRisesOverFifteenEpochs(t *testing.T) {
	for epoch, want := range map[int]float64{-1: 0, 0: 0, 3: 0.2, 15: 1, 40: 1} {
		if got := KLWeight(epoch); got != want {
			t.Errorf("epoch %d: %g, want %g", epoch, got, want)
		}
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	cases := []struct {
		similarities []float64
		weight       float64
		want         string
	}{
		{nil, 0, "0 similarities"},
		{[]float64{1, 2, 3}, 0, "3 similarities"},
		{[]float64{1, math.NaN(), 0, 1}, 0, "candidate 1 is NaN"},
		{[]float64{1, 0, math.Inf(1), 1}, 0, "candidate 0 is +Inf (query 1)"},
		{[]float64{1, 0, 0, 1}, -1, "weight of the divergence -1"},
	}
	for _, c := range cases {
		if _, err := Loss(c.similarities, c.weight); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.similarities, err, c.want)
		}
	}
}

// TestVacuityIsAFunctionOfLogSumExp checks u = 1/(1 + exp(lse(ρ) − log M)) for random similarities,
// so that in one gallery u orders queries as log-sum-exp does, and that a query unrelated to all
// candidates has u = 1/2, not 1.
func TestVacuityIsAFunctionOfLogSumExp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{1, 3, 1000} {
		rho := make([]float64, m)
		for range 20 {
			for j := range rho {
				rho[j] = 4 * random.NormFloat64()
			}
			o, err := NewOpinion(rho)
			if err != nil {
				t.Fatal(err)
			}
			want := 1 / (1 + math.Exp(special.LogSumExp(rho)-math.Log(float64(m))))
			if math.Abs(o.Uncertainty()-want) > 1e-14 {
				t.Errorf("%d candidates: u = %g, by log-sum-exp %g", m, o.Uncertainty(), want)
			}
		}
		o, err := NewOpinion(make([]float64, m))
		if err != nil || o.Uncertainty() != 0.5 {
			t.Errorf("%d candidates at similarity 0: u = %v, %v, want 1/2", m, o.Uncertainty(), err)
		}
	}
}
