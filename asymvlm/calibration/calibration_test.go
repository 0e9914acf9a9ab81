package calibration

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gosphere/asymvlm/sphere"
)

// near fails if two numbers differ by more than rounding.
func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-13*max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, want %.17g", name, got, want)
	}
}

func TestRiskFollowsTheCertainFirst(t *testing.T) {
	c, err := RiskCoverage([]bool{false, true, true, false}, []float64{0.9, 0.1, 0.3, 0.2})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{0, 1. / 2, 1. / 3, 2. / 4} {
		near(t, "risk", c.Risk[k], want)
		near(t, "coverage", c.Coverage[k], float64(k+1)/4)
	}
	near(t, "AURC", c.AURC, (1./2+1./3+1./2)/4)
	near(t, "excess", c.Excess, c.AURC-(1./3+1./2)/4)
	near(t, "coverage at a risk of 0.4", c.AtRisk(0.4), 0.75)
	near(t, "coverage at a risk below all", c.AtRisk(-1), 0)
}

// TestTiesAreTheMeanOverAllOrders compares with the mean over many random orders of tied queries.
func TestTiesAreTheMeanOverAllOrders(t *testing.T) {
	hits := []bool{true, false, true, false, true, true}
	u := []float64{1, 1, 1, 2, 2, 3}
	c, err := RiskCoverage(hits, u)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	const orders = 20000
	sum := 0.0
	for range orders {
		broken := make([]float64, len(u))
		for i := range u {
			broken[i] = u[i] + r.Float64()/2
		}
		one, err := RiskCoverage(hits, broken)
		if err != nil {
			t.Fatal(err)
		}
		sum += one.AURC / orders
	}
	if math.Abs(sum-c.AURC) > 0.005 { // the standard deviation of the mean is 0.001
		t.Errorf("AURC %g, mean over orders %g", c.AURC, sum)
	}
}

func TestTheBestOrderHasNoExcess(t *testing.T) {
	c, err := RiskCoverage([]bool{true, true, false, false, false}, []float64{1, 2, 3, 4, 5})
	if err != nil || c.Excess != 0 {
		t.Errorf("excess %g (error %v)", c.Excess, err)
	}
	if none, err := RiskCoverage([]bool{true, true}, []float64{2, 1}); err != nil || none.AURC != 0 {
		t.Errorf("AURC %g without errors (error %v)", none.AURC, err)
	}
}

func TestReliabilityComparesConfidenceWithAccuracy(t *testing.T) {
	r, err := NewReliability([]bool{true, false, true, true}, []float64{0.1, 0.2, 0.9, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "confidence", r.Confidence[0], 0.15)
	near(t, "accuracy", r.Accuracy[0], 0.5)
	near(t, "ECE", r.ECE, (2*0.35+2*0.05)/4)
	if r, _ = NewReliability([]bool{true}, []float64{0.5}, 3); !math.IsNaN(r.Accuracy[0]) || r.Count[1] != 1 {
		t.Errorf("an empty interval has accuracy %g", r.Accuracy[0])
	}
}

// TestRefitFindsTheScaleOfTheDraws draws images around texts with three times the claimed
// concentrations.
func TestRefitFindsTheScaleOfTheDraws(t *testing.T) {
	const dimension, factor = 16, 3.0
	src := rand.NewPCG(3, 4)
	r := rand.New(src)
	mu := make([]float64, dimension)
	mu[0] = 1
	var kappas, cosines []float64
	for range 4000 {
		kappa := math.Exp(r.Float64()*3) * 2
		v, err := sphere.NewVonMisesFisher(mu, factor*kappa, src)
		if err != nil {
			t.Fatal(err)
		}
		kappas, cosines = append(kappas, kappa), append(cosines, v.Rand(nil)[0])
	}
	fit, err := RefitConcentration(dimension, kappas, cosines)
	if err != nil {
		t.Fatal(err)
	}
	// The information about log s is Σ(sκ)²A′(sκ), about (d−1)/2 per pair for large κ, so that the
	// standard deviation is below 0.01.
	if math.Abs(fit.Scale/factor-1) > 0.04 || fit.Gain <= 0 {
		t.Errorf("scale %g with a gain of %g nats, want 3", fit.Scale, fit.Gain)
	}
	curve, err := ConcentrationCurve(dimension, kappas, cosines, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i, level := range curve {
		if math.Abs(level.Predicted-level.MeanCosine) > 0.04 {
			t.Errorf("level %d: mean cosine %g, predicted %g", i, level.MeanCosine, level.Predicted)
		}
		if i > 0 && level.Effective <= curve[i-1].Effective {
			t.Errorf("level %d: κ_eff %g after %g", i, level.Effective, curve[i-1].Effective)
		}
	}
}

func TestRefitOfOneConcentrationInvertsTheMeanLength(t *testing.T) {
	normalizer, err := sphere.NewVonMisesFisherNormalizer(512)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := RefitConcentration(512, []float64{5, 5}, []float64{0.2, 0.4})
	if err != nil {
		t.Fatal(err)
	}
	if want := normalizer.Concentration(0.3) / 5; math.Abs(fit.Scale/want-1) > 1e-10 {
		t.Errorf("scale %.15g, want %.15g", fit.Scale, want)
	}
	if fit, err = RefitConcentration(512, []float64{5}, []float64{-0.1}); err != nil || fit.Scale != 0 {
		t.Errorf("scale %g for a negative cosine, want 0 (error %v)", fit.Scale, err)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	nan := math.NaN()
	cases := []struct {
		err  error
		want string
	}{
		{second(RiskCoverage(nil, nil)), "0 uncertainties"},
		{second(RiskCoverage([]bool{true}, []float64{nan})), "query 0 is NaN"},
		{second(NewReliability([]bool{true}, []float64{1.5}, 3)), "answer 0 is 1.5"},
		{second(NewReliability([]bool{true}, []float64{1}, 0)), "0 intervals"},
		{second(RefitConcentration(8, []float64{1}, nil)), "1 concentrations with 0 cosines"},
		{second(RefitConcentration(8, []float64{-1}, []float64{0})), "concentration 0 is -1"},
		{second(RefitConcentration(8, []float64{1}, []float64{2})), "cosine 0 is 2"},
		{second(RefitConcentration(8, []float64{0}, []float64{1})), "all 1 concentrations are 0"},
		{second(RefitConcentration(8, []float64{1}, []float64{1})), "all cosines are 1"},
		{second(RefitConcentration(1, []float64{1}, []float64{0.5})), "dimension 1"},
		{second(ConcentrationCurve(8, []float64{1}, []float64{0.5}, 2)), "1 pairs in 2 levels"},
	}
	for _, c := range cases {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// second returns its second argument.
func second(_ any, err error) error { return err }
