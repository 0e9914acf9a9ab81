package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// answers draws answers with uncertainties from a few values, so that there are ties. Certain
// answers are right more often.
func answers(r *rand.Rand, n int) (hits []bool, uncertainty []float64) {
	for range n {
		u := float64(r.IntN(6))
		hits, uncertainty = append(hits, r.Float64() > u/6), append(uncertainty, u)
	}
	return hits, uncertainty
}

// TestRisksAreExpectedOverAllOrdersOfTies enumerates all orders of up to seven queries that are
// consistent with the uncertainties.
func TestRisksAreExpectedOverAllOrdersOfTies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		n := 1 + r.IntN(6)
		hits, u := answers(r, n)
		c, err := RiskCoverage(hits, u)
		if err != nil {
			t.Fatal(err)
		}
		sums, orders := make([]float64, n), 0.0
		order := make([]int, 0, n)
		var extend func()
		extend = func() {
			if len(order) == n {
				orders++
				wrong := 0.0
				for k, query := range order {
					if !hits[query] {
						wrong++
					}
					sums[k] += wrong / float64(k+1)
				}
				return
			}
			for query := range n {
				if !slices.Contains(order, query) && (len(order) == 0 || u[query] >= u[order[len(order)-1]]) {
					order = append(order, query)
					extend()
					order = order[:len(order)-1]
				}
			}
		}
		extend()
		area := 0.0
		for k, sum := range sums {
			near(t, "risk", c.Risk[k], sum/orders)
			area += sum / orders / float64(n)
		}
		near(t, "AURC", c.AURC, area)
	}
}

func TestCoverageHoldsItsBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		hits, u := answers(r, 1+r.IntN(60))
		c, err := RiskCoverage(hits, u)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for _, hit := range hits {
			if !hit {
				wrong++
			}
		}
		n := len(hits)
		near(t, "risk of all", c.Risk[n-1], float64(wrong)/float64(n))
		near(t, "coverage of all", c.Coverage[n-1], 1)
		near(t, "coverage at the risk of all", c.AtRisk(c.Risk[n-1]), 1)
		if c.AURC < 0 || c.AURC > 1 || c.Excess < 0 || c.Excess > c.AURC {
			t.Errorf("AURC %g, excess %g", c.AURC, c.Excess)
		}
		// A perfect measure has no excess, and the area of any other is that of the perfect one
		// plus the excess.
		perfect := make([]float64, n)
		for i, hit := range hits {
			if !hit {
				perfect[i] = 1
			}
		}
		if best, _ := RiskCoverage(hits, perfect); best.Excess > 1e-15 || math.Abs(c.AURC-c.Excess-best.AURC) > 1e-14 {
			t.Errorf("the best order has the area %g and excess %g, others say %g", best.AURC, best.Excess, c.AURC-c.Excess)
		}
	}
}

// TestAnUninformativeMeasureHasTheRiskOfAll checks that, with equal uncertainties, the risk is the
// same at every coverage.
func TestAnUninformativeMeasureHasTheRiskOfAll(t *testing.T) {
	for _, u := range []float64{0, 3, math.Inf(1), math.Inf(-1)} {
		c, err := RiskCoverage([]bool{true, false, false, true, false}, []float64{u, u, u, u, u})
		if err != nil {
			t.Fatal(err)
		}
		for _, risk := range c.Risk {
			near(t, "risk", risk, 0.6)
		}
		near(t, "AURC", c.AURC, 0.6)
	}
}

func TestRiskDependsOnTheOrderOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	hits, u := answers(r, 80)
	want, err := RiskCoverage(hits, u)
	if err != nil {
		t.Fatal(err)
	}
	order := r.Perm(80)
	shuffled, scaled := make([]bool, 80), make([]float64, 80)
	for i, query := range order {
		shuffled[i], scaled[i] = hits[query], math.Exp(100*u[query])
	}
	got, err := RiskCoverage(shuffled, scaled)
	if err != nil || !slices.Equal(got.Risk, want.Risk) || got.AURC != want.AURC {
		t.Errorf("AURC %.17g, want %.17g (error %v)", got.AURC, want.AURC, err)
	}
}

func TestConfidencesAtEdgesAreInTheIntervalAbove(t *testing.T) {
	for _, intervals := range []int{1, 3, 10, 49, 100} {
		for i := range intervals {
			edge := float64(i) / float64(intervals)
			for _, c := range []struct {
				p     float64
				place int
			}{{edge, i}, {math.Nextafter(edge, 0), max(i-1, 0)}} {
				r, err := NewReliability([]bool{true}, []float64{c.p}, intervals)
				if err != nil {
					t.Fatal(err)
				}
				if got := slices.Index(r.Count, 1); got != c.place {
					t.Errorf("%d intervals: %.17g is in interval %d, want %d", intervals, c.p, got, c.place)
				}
			}
		}
		if r, _ := NewReliability([]bool{false}, []float64{1}, intervals); r.Count[intervals-1] != 1 || r.ECE != 1 {
			t.Errorf("%d intervals: a wrong answer of confidence 1 gives %+v", intervals, r)
		}
	}
}

// TestCalibratedConfidencesHaveASmallError draws answers that are right as often as claimed. The
// mean error of an interval of n answers is √(p(1−p)/n)·√(2/π), 0.8·0.41/√2000 here. Doubling the
// log odds of the confidences causes a larger error.
func TestCalibratedConfidencesHaveASmallError(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n, intervals = 20000, 10
	hits, honest, sure := make([]bool, n), make([]float64, n), make([]float64, n)
	for i := range n {
		honest[i] = r.Float64()
		hits[i] = r.Float64() < honest[i]
		odds := honest[i] / (1 - honest[i])
		sure[i] = odds * odds / (1 + odds*odds)
	}
	good, err := NewReliability(hits, honest, intervals)
	if err != nil {
		t.Fatal(err)
	}
	bad, err := NewReliability(hits, sure, intervals)
	if err != nil {
		t.Fatal(err)
	}
	if good.ECE > 0.015 {
		t.Errorf("ECE of honest confidences %g", good.ECE)
	}
	// The mean of |p − p²/(p²+(1−p)²)| over p, by the midpoint rule.
	want := 0.0
	for i := range 10000 {
		p := (float64(i) + 0.5) / 10000
		want += math.Abs(p-p*p/(p*p+(1-p)*(1-p))) / 10000
	}
	if math.Abs(bad.ECE-want) > 0.015 {
		t.Errorf("ECE of confidences that are too sure %g, want %g", bad.ECE, want)
	}
	total := 0
	for _, count := range bad.Count {
		total += count
	}
	if total != n {
		t.Errorf("%d answers in intervals, want %d", total, n)
	}
}
