package zeroshot

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/gaussian"
)

// mixture draws prompts around the axes of a space.
func mixture(r *rand.Rand, count, width int) []gaussian.Moments {
	prompts := make([]gaussian.Moments, count)
	for k := range prompts {
		p := gaussian.Moments{Mean: make([]float64, width), Variance: make([]float64, width)}
		for i := range p.Mean {
			p.Mean[i], p.Variance[i] = 0.3*r.NormFloat64(), 0.01+0.05*r.Float64()
		}
		p.Mean[k%width] += 2
		prompts[k] = p
	}
	return prompts
}

// TestWeightsAreTheSharesOfTheObservations draws three of four observations from one prompt and one
// from another. For prompts far apart the weights are exactly (J_k + α − 1)/(J + K(α−1)), the mode
// of the Dirichlet posterior.
func TestWeightsAreTheSharesOfTheObservations(t *testing.T) {
	prompts := mixture(rand.New(rand.NewPCG(1, 2)), 4, 6)
	for k := range prompts {
		for i := range prompts[k].Mean {
			prompts[k].Mean[i] *= 10
		}
	}
	observations := slices.Concat(Observe(prompts[:1], 30, rand.NewPCG(3, 4)), Observe(prompts[2:3], 10, rand.NewPCG(5, 6)))
	for _, alpha := range []float64{1, 2, 5} {
		setting := FewShot()
		setting.Alpha = alpha
		w, err := setting.Fit(prompts, observations)
		if err != nil {
			t.Fatal(err)
		}
		for k, count := range []float64{30, 0, 10, 0} {
			if want := (count + alpha - 1) / (40 + 4*(alpha-1)); math.Abs(w.Prompts[k]-want) > 1e-10 {
				t.Errorf("α %g: weight %d is %g, want %g", alpha, k, w.Prompts[k], want)
			}
		}
	}
}

func TestWeightsFollowThePromptsWhereverTheyAre(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	prompts := mixture(r, 5, 4)
	observations := Observe(prompts[:3], 8, rand.NewPCG(9, 10))
	want, err := ZeroShot().Fit(prompts, observations)
	if err != nil {
		t.Fatal(err)
	}
	if s := sum(want.Prompts); math.Abs(s-1) > 1e-14 || slices.Min(want.Prompts) < 0 {
		t.Errorf("weights %g sum to %g", want.Prompts, s)
	}
	order := r.Perm(5)
	turned := make([]gaussian.Moments, 5)
	for k, to := range order {
		turned[to] = prompts[k]
	}
	back := slices.Clone(observations)
	slices.Reverse(back)
	got, err := ZeroShot().Fit(turned, back)
	if err != nil {
		t.Fatal(err)
	}
	for k, to := range order {
		if math.Abs(got.Prompts[to]-want.Prompts[k]) > 1e-11 {
			t.Errorf("prompt %d weighs %.15g, elsewhere %.15g", k, want.Prompts[k], got.Prompts[to])
		}
	}
	// A common shift, and another order of the coordinates, must not change the weights either.
	for k := range prompts {
		for i := range prompts[k].Mean {
			prompts[k].Mean[i] += 3
		}
	}
	for j := range observations {
		for i := range observations[j] {
			observations[j][i] += 3
		}
	}
	moved, err := ZeroShot().Fit(prompts, observations)
	if err != nil {
		t.Fatal(err)
	}
	for k := range prompts {
		if math.Abs(moved.Prompts[k]-want.Prompts[k]) > 1e-10 {
			t.Errorf("prompt %d weighs %.15g, moved %.15g", k, want.Prompts[k], moved.Prompts[k])
		}
	}
}

// TestAClassHasTheMomentsOfItsWeights compares Σπm and Σπ²s with values computed by hand, and
// checks a single prompt.
func TestAClassHasTheMomentsOfItsWeights(t *testing.T) {
	prompts := mixture(rand.New(rand.NewPCG(11, 12)), 3, 2)
	w, err := FewShot().Fit(prompts, Observe(prompts, 5, rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		mean, variance := 0.0, 0.0
		for k, p := range prompts {
			mean += w.Prompts[k] * p.Mean[i]
			variance += w.Prompts[k] * w.Prompts[k] * p.Variance[i]
		}
		if math.Abs(w.Class.Mean[i]-mean) > 1e-15 || math.Abs(w.Class.Variance[i]-variance) > 1e-15 {
			t.Errorf("coordinate %d: %g and %g, want %g and %g", i, w.Class.Mean[i], w.Class.Variance[i], mean, variance)
		}
	}
	one, err := FewShot().Fit(prompts[:1], [][]float64{{0, 0}})
	if err != nil || one.Prompts[0] != 1 || !slices.Equal(one.Class.Mean, prompts[0].Mean) {
		t.Errorf("one prompt weighs %v (error %v)", one.Prompts, err)
	}
	same, err := FewShot().Fit([]gaussian.Moments{prompts[0], prompts[0], prompts[0]}, [][]float64{{1, 1}})
	if err != nil || math.Abs(same.Prompts[0]-1./3) > 1e-14 {
		t.Errorf("three equal prompts weigh %v (error %v)", same.Prompts, err)
	}
}

// TestObservationsHaveTheirMoments checks draws in 3 dimensions. Five standard errors of a mean of
// 20000 are exceeded for one of 1.7 million seeds, and there are 6 checks.
func TestObservationsHaveTheirMoments(t *testing.T) {
	image := gaussian.Moments{Mean: []float64{1, -2, 0}, Variance: []float64{0.5, 0, 4}}
	const draws = 20000
	observations := Observe([]gaussian.Moments{image}, draws, rand.NewPCG(1, 2))
	if len(observations) != draws {
		t.Fatalf("%d observations", len(observations))
	}
	for i := range image.Mean {
		mean, square := 0.0, 0.0
		for _, x := range observations {
			mean += x[i] / draws
			square += (x[i] - image.Mean[i]) * (x[i] - image.Mean[i]) / draws
		}
		if v := image.Variance[i]; math.Abs(mean-image.Mean[i]) > 5*math.Sqrt(v/draws)+1e-12 || math.Abs(square-v) > 5*v*math.Sqrt(2./draws)+1e-12 {
			t.Errorf("coordinate %d: mean %g and variance %g, want %g and %g", i, mean, square, image.Mean[i], v)
		}
	}
	two := Observe([]gaussian.Moments{image, {Mean: []float64{9, 9, 9}, Variance: []float64{0, 0, 0}}}, 2, rand.NewPCG(1, 2))
	if len(two) != 4 || two[2][0] != 9 || two[0][0] != observations[0][0] {
		t.Errorf("draws are not in the order of the images, or of the seed: %v", two)
	}
}

func TestEqualPromptsAreAllKept(t *testing.T) {
	for _, count := range []int{1, 3, 7, 10, 49} {
		for _, variance := range []float64{0.1, 0.3, 1e-9, 7} {
			prompts := slices.Repeat([]gaussian.Moments{{Mean: []float64{1, 0}, Variance: []float64{variance, variance / 3}}}, count)
			if kept := KeepCertain(prompts, 0); len(kept) != count {
				t.Errorf("%d equal prompts of variance %g: %d are kept", count, variance, len(kept))
			}
			if best := MostCertain(prompts, count+5); len(best) != count || !slices.IsSorted(best) {
				t.Errorf("the most certain of equal ones are %v", best)
			}
		}
	}
	if kept := KeepCertain(nil, 1); len(kept) != 0 {
		t.Errorf("of no prompts %v are kept", kept)
	}
	if best := MostCertain(nil, -1); len(best) != 0 {
		t.Errorf("of no prompts %v are the best", best)
	}
}

func TestFitsThatCannotBeAreErrors(t *testing.T) {
	prompts := []gaussian.Moments{{Mean: []float64{1, 0}, Variance: []float64{0.1, 0.1}}, {Mean: []float64{0, 1}, Variance: []float64{0.1, 0.1}}}
	infinite, negative := FewShot(), FewShot()
	infinite.Alpha, negative.Floor = math.Inf(1), -1
	for want, err := range map[string]error{
		"observation 1 is so far from all 2 prompts": second(FewShot().Fit(prompts, [][]float64{{0, 0}, {1e200, 0}})),
		"observation 0, value 1 is +Inf":             second(FewShot().Fit(prompts, [][]float64{{0, math.Inf(1)}})),
		"want finite Alpha":                          second(infinite.Fit(prompts, [][]float64{{0, 0}})),
		"Floor ≥ 0":                                  second(negative.Fit(prompts, [][]float64{{0, 0}})),
		"prompt 1 has 1 values, want 2":              second(FewShot().Fit([]gaussian.Moments{prompts[0], {Mean: []float64{1}, Variance: []float64{1}}}, [][]float64{{0, 0}})),
		"prompt 0: gaussian: variance 1 is NaN":      second(FewShot().Fit([]gaussian.Moments{{Mean: []float64{1, 0}, Variance: []float64{1, math.NaN()}}}, [][]float64{{0, 0}})),
		"0 prompts and 1 observations":               second(MeanPrompt(nil)),
		"the means of 3 prompts cancel": second(MeanPrompt([]gaussian.Moments{
			{Mean: []float64{0.1, 0.2}, Variance: []float64{1, 1}}, {Mean: []float64{0.2, 0.1}, Variance: []float64{1, 1}}, {Mean: []float64{-0.3, -0.3}, Variance: []float64{1, 1}}})),
		"class 0 2 means and 1 variances": second(Logits([][]float64{{1, 2}}, []gaussian.Moments{{Mean: []float64{1, 2}, Variance: []float64{1}}})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestLogitsAreThoseOfTheExpectedDistance: for unit means 100 x·m − 50 Σs equals 100 − 50 E|x − y|²
// for a certain image x and a draw y of the class.
func TestLogitsAreThoseOfTheExpectedDistance(t *testing.T) {
	x := []float64{0.6, 0.8}
	class := gaussian.Moments{Mean: []float64{0, 1}, Variance: []float64{0.02, 0.03}}
	logits, err := Logits([][]float64{x}, []gaussian.Moments{class, {Mean: []float64{1, 0}, Variance: []float64{0, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	distance := 0.6*0.6 + 0.2*0.2 + 0.05
	if math.Abs(logits[0][0]-(100-50*distance)) > 1e-12 || math.Abs(logits[0][1]-60) > 1e-12 {
		t.Errorf("logits %v", logits)
	}
}
