package gaussian

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// noisy returns a mean of norm 1 at the given cosine to the first axis, with equal variances that
// sum to rho.
func noisy(width int, cosine, rho float64) Moments {
	m := Moments{make([]float64, width), make([]float64, width)}
	m.Mean[0], m.Mean[1] = cosine, math.Sqrt(1-cosine*cosine)
	for i := range m.Variance {
		m.Variance[i] = rho / float64(width)
	}
	return m
}

// TestVariancesOfTheCosineAreAsGoodAsTheirCommentSays draws uncertain embeddings and compares the
// two published variances with the sample variance of the cosines. The standard error of a variance
// from 6000 draws is 2 %.
func TestVariancesOfTheCosineAreAsGoodAsTheirCommentSays(t *testing.T) {
	const width, draws = 48, 6000
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		cosine, rho   float64
		low, high     float64 // BayesVLM's variance divided by the true one
		deltaL, delta float64 // the first-order variance, likewise
	}{
		{0.3, 0.05, 0.9, 1.2, 0.93, 1.15},
		{0.8, 0.05, 2.1, 2.95, 0.92, 1.1},
		{0.8, 0.2, 1.9, 2.8, 0.92, 1.12},
		{0.3, 1, 0.9, 1.25, 2, 2.8},
	} {
		one, two := noisy(width, 1, c.rho), noisy(width, c.cosine, c.rho)
		sum, squares := 0.0, 0.0
		for range draws {
			product, a, b := 0.0, 0.0, 0.0
			for i := range width {
				x := one.Mean[i] + math.Sqrt(one.Variance[i])*r.NormFloat64()
				y := two.Mean[i] + math.Sqrt(two.Variance[i])*r.NormFloat64()
				product, a, b = product+x*y, a+x*x, b+y*y
			}
			cosine := product / math.Sqrt(a*b)
			sum, squares = sum+cosine, squares+cosine*cosine
		}
		mean := sum / draws
		variance := squares/draws - mean*mean
		m, err := Cosine(one, two)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("cosine %g, ρ %g", c.cosine, c.rho)
		if ratio := m.Variance / variance; ratio < c.low || ratio > c.high {
			t.Errorf("%s: BayesVLM's variance is %.3g times that of draws, want %g to %g", name, ratio, c.low, c.high)
		}
		if ratio := m.DeltaVariance / variance; ratio < c.deltaL || ratio > c.delta {
			t.Errorf("%s: the first-order variance is %.3g times that of draws, want %g to %g", name, ratio, c.deltaL, c.delta)
		}
		if math.Abs(m.Mean-mean) > 0.02 {
			t.Errorf("%s: mean %g, drawn %g", name, m.Mean, mean)
		}
	}
}

func TestCosinesDoNotDependOnLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{2, 3, 512, 4096} {
		one, two := noisy(width, 1, 0.3), noisy(width, 0.4, 0.1)
		for i := range width {
			one.Mean[i] += 0.1 * r.NormFloat64()
		}
		want, err := Cosine(one, two)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []float64{1e-140, 1e-3, 10, 1e140} {
			scaled := Moments{make([]float64, width), make([]float64, width)}
			for i := range width {
				scaled.Mean[i], scaled.Variance[i] = s*one.Mean[i], s*s*one.Variance[i]
			}
			got, err := Cosine(scaled, two)
			if err != nil {
				t.Fatal(err)
			}
			swapped, _ := Cosine(two, scaled)
			for name, pair := range map[string][3]float64{"mean": {got.Mean, want.Mean, swapped.Mean}, "variance": {got.Variance, want.Variance, swapped.Variance},
				"delta": {got.DeltaVariance, want.DeltaVariance, swapped.DeltaVariance}} {
				if math.Abs(pair[0]-pair[1]) > 1e-12*math.Abs(pair[1]) || math.Abs(pair[2]-pair[1]) > 1e-12*math.Abs(pair[1]) {
					t.Errorf("width %d, scale %g: %s %.15g and exchanged %.15g, want %.15g", width, s, name, pair[0], pair[2], pair[1])
				}
			}
		}
	}
}

func TestCertainEmbeddingsHaveTheirCosine(t *testing.T) {
	m, err := Cosine(Moments{[]float64{3, 4}, []float64{0, 0}}, Moments{[]float64{0, 2}, []float64{0, 0}})
	if err != nil || math.Abs(m.Mean-0.8) > 1e-15 || m.Variance != 0 || m.DeltaVariance != 0 {
		t.Errorf("%+v (error %v)", m, err)
	}
	// To first order, noise along the mean does not change the direction.
	m, err = Cosine(Moments{[]float64{2, 0}, []float64{1e-4, 0}}, Moments{[]float64{1, 1}, []float64{0, 0}})
	if err != nil || m.DeltaVariance > 1e-30 || !(m.Variance > 1e-6) {
		t.Errorf("%+v (error %v)", m, err)
	}
}

// TestProbitIsNearTheAverageOfTheSoftmax has two candidates, one of them certain at 0. The average
// of the sigmoid over a normal logit is computed by quadrature; the approximation is known to be
// within 0.02.
func TestProbitIsNearTheAverageOfTheSoftmax(t *testing.T) {
	for _, mean := range []float64{-3, -0.5, 0, 1, 2.5} {
		for _, variance := range []float64{0, 0.3, 2, 10} {
			p, err := Probit([]float64{mean, 0}, []float64{variance, 0}, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := 1 / (1 + math.Exp(-mean))
			if variance > 0 {
				spread := math.Sqrt(variance)
				want = integrate(func(x float64) float64 { return density(mean, variance, x) / (1 + math.Exp(-x)) }, mean-9*spread, mean+9*spread)
			}
			if math.Abs(p[0]-want) > 0.021 {
				t.Errorf("mean %g, variance %g: %g, average %g", mean, variance, p[0], want)
			}
			if math.Abs(p[0]+p[1]-1) > 1e-15 {
				t.Errorf("mean %g, variance %g: sum %g", mean, variance, p[0]+p[1])
			}
		}
	}
}

func TestProbitAtTheEndsOfItsDomain(t *testing.T) {
	for _, c := range []struct {
		means, variances []float64
		scale            float64
		want             []float64
	}{
		{[]float64{0.3, 0.9}, []float64{1, 1}, 0, []float64{0.5, 0.5}},                                          // scale 0: no preference
		{[]float64{0.3, 0.9}, []float64{0, 0}, 1e6, []float64{0, 1}},                                            // certain
		{[]float64{0.9, 0}, []float64{math.Inf(1), 0}, 100, []float64{0.5, 0.5}},                                // infinite variance: no information
		{[]float64{1, 0}, []float64{8 / math.Pi, 0}, 1e200, []float64{math.E / (1 + math.E), 1 / (1 + math.E)}}, // scale·m/√(scale²) = 1
		{[]float64{0.5}, []float64{3}, 10, []float64{1}},
	} {
		got, err := Probit(c.means, c.variances, c.scale)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-14 {
				t.Errorf("%+v: %g", c, got)
			}
		}
	}
	for want, err := range map[string]error{
		"gaussian: candidate 1 has mean +Inf and variance 1":   second(Probit([]float64{0, math.Inf(1)}, []float64{1, 1}, 1)),
		"gaussian: candidate 0 has mean 0 and variance NaN":    second(Probit([]float64{0}, []float64{math.NaN()}, 1)),
		"gaussian: candidate 0 has mean 0 and variance -1":     second(Probit([]float64{0}, []float64{-1}, 1)),
		"gaussian: scale NaN of logits, want a finite number":  second(Probit([]float64{0}, []float64{1}, math.NaN())),
		"gaussian: scale +Inf of logits, want a finite number": second(Probit([]float64{0}, []float64{1}, math.Inf(1))),
		"gaussian: 0 means with 0 variances":                   second(Probit(nil, nil, 1)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
