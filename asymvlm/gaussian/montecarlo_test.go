package gaussian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// There are two candidates, one certain at 0. The mean of the sigmoid of a normal logit is computed
// by quadrature. A draw lies in 0 … 1, so five standard errors are at most 5·½/√draws; they are
// exceeded for 6e-7 of all seeds.
func TestMonteCarloIsTheAverageOfTheSoftmax(t *testing.T) {
	const draws = 40_000
	for _, mean := range []float64{-3, 0, 1.5} {
		for _, variance := range []float64{0.3, 2, 10} {
			const scale = 2
			p, err := MonteCarlo([]float64{mean / scale, 0}, []float64{variance / (scale * scale), 0}, scale, draws, rand.NewPCG(1, 2))
			if err != nil {
				t.Fatal(err)
			}
			spread := math.Sqrt(variance)
			want := integrate(func(x float64) float64 { return density(mean, variance, x) / (1 + math.Exp(-x)) }, mean-9*spread, mean+9*spread)
			if math.Abs(p[0]-want) > 2.5/math.Sqrt(draws) || math.Abs(p[0]+p[1]-1) > 1e-9 {
				t.Errorf("mean %g, variance %g: %g of draws, %g by quadrature", mean, variance, p[0], want)
			}
		}
	}
}

func TestMonteCarloWithoutNoiseIsProbit(t *testing.T) {
	means, none := []float64{0.31, 0.28, -0.1, 0.3}, make([]float64, 4)
	drawn, err := MonteCarlo(means, none, 100, 7, nil)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := Probit(means, none, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range drawn {
		if math.Abs(p-closed[i]) > 1e-14 {
			t.Errorf("candidate %d: %g and %g", i, p, closed[i])
		}
	}
}

func TestEqualSourcesDrawEqualProbabilities(t *testing.T) {
	draw := func(seed uint64) []float64 {
		p, err := MonteCarlo([]float64{0.3, 0.2, 0.1}, []float64{0.01, 0.02, 0.03}, 30, 50, rand.NewPCG(seed, 1))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if !slices.Equal(draw(1), draw(1)) || slices.Equal(draw(1), draw(2)) {
		t.Error("equal seeds give other probabilities, or other seeds the same")
	}
}

// pairAt returns two embeddings of 64 coordinates at the given cosine. Part is the variance of the
// noise divided by the squared norm.
func pairAt(cosine, part float64) (one, two Moments) {
	const d = 64
	one, two = Moments{make([]float64, d), make([]float64, d)}, Moments{make([]float64, d), make([]float64, d)}
	one.Mean[0], two.Mean[0], two.Mean[1] = 3, 5*cosine, 5*math.Sqrt(1-cosine*cosine)
	for i := range d {
		one.Variance[i], two.Variance[i] = 9*part/d, 25*part/d
	}
	return one, two
}

// The delta form is right to 10 % if the noise is a twentieth of the squared norm. BayesVLM's
// variance is about right at a cosine of 0.3 and two to three times too large at 0.8. The standard
// error of a variance from 20,000 draws is 1 %.
func TestVariancesOfCosinesAgainstDraws(t *testing.T) {
	for _, c := range []struct{ cosine, part, released float64 }{{0.3, 0.05, 1.15}, {0.8, 0.05, 2.6}} {
		one, two := pairAt(c.cosine, c.part)
		moments, err := Cosine(one, two)
		if err != nil {
			t.Fatal(err)
		}
		draws := make([]float64, 20_000)
		if err := DrawCosines(draws, one, two, rand.NewPCG(3, 4)); err != nil {
			t.Fatal(err)
		}
		mean, variance, n := 0.0, 0.0, float64(len(draws))
		for _, cosine := range draws {
			mean += cosine / n
		}
		for _, cosine := range draws {
			variance += (cosine - mean) * (cosine - mean) / n
		}
		if math.Abs(mean-moments.Mean) > 0.01 {
			t.Errorf("cosine %g: mean of draws %.4f, %.4f in closed form", c.cosine, mean, moments.Mean)
		}
		if ratio := moments.DeltaVariance / variance; math.Abs(ratio-1) > 0.1 {
			t.Errorf("cosine %g: delta variance %.5g, of draws %.5g", c.cosine, moments.DeltaVariance, variance)
		}
		if ratio := moments.Variance / variance; math.Abs(ratio-c.released) > 0.15*c.released {
			t.Errorf("cosine %g: BayesVLM's variance is %.2f times that of draws, want about %.2f", c.cosine, ratio, c.released)
		}
	}
}

func TestDrawsThatCannotBeAreErrors(t *testing.T) {
	one, two := pairAt(0.5, 0.1)
	short := Moments{one.Mean[:3], one.Variance[:3]}
	for want, err := range map[string]error{
		"gaussian: 0 draws, want at least 1":                                       second(MonteCarlo([]float64{0}, []float64{1}, 1, 0, nil)),
		"gaussian: candidate 1 has variance +Inf, from which nothing can be drawn": second(MonteCarlo([]float64{0, 0}, []float64{1, math.Inf(1)}, 1, 9, nil)),
		"gaussian: candidate 0 has mean NaN and variance 1":                        second(MonteCarlo([]float64{math.NaN()}, []float64{1}, 1, 9, nil)),
		"gaussian: 1 means with 2 variances":                                       second(MonteCarlo([]float64{1}, []float64{1, 2}, 1, 9, nil)),
		"gaussian: scale +Inf of logits, want a finite number":                     second(MonteCarlo([]float64{0}, []float64{1}, math.Inf(1), 9, nil)),
		"gaussian: 3 coordinates against 64":                                       DrawCosines(make([]float64, 1), short, two, nil),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
