package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
)

// plainAdamP performs step t of AdamP's algorithm 2, implemented independently from the paper's
// formulas: on rows of float64, with plain cosines and the projection Π_w(x) = x − (ŵ·x)ŵ.
func plainAdamP(w, m, v, gradient [][]float64, t int) {
	const eta, lambda = 0.01, 0.1
	p := make([][]float64, len(w))
	for i := range w {
		p[i] = make([]float64, len(w[i]))
		for j, g := range gradient[i] {
			m[i][j] = 0.9*m[i][j] + 0.1*g
			v[i][j] = 0.999*v[i][j] + 0.001*g*g
			p[i][j] = m[i][j] / (math.Sqrt(v[i][j]/(1-math.Pow(0.999, float64(t)))) + 1e-8)
		}
	}
	decay := lambda
	whole := [][]float64{slices.Concat(w...)}
	switch {
	case greatestCosine(w, gradient) < 0.1/math.Sqrt(float64(len(w[0]))):
		decay = 0.1 * lambda
		for i := range w {
			across(w[i], p[i])
		}
	case greatestCosine(whole, [][]float64{slices.Concat(gradient...)}) < 0.1/math.Sqrt(float64(len(whole[0]))):
		decay = 0.1 * lambda
		all := slices.Concat(p...)
		across(whole[0], all)
		for i := range p {
			copy(p[i], all[i*len(p[i]):])
		}
	}
	for i := range w {
		for j := range w[i] {
			w[i][j] = w[i][j]*(1-eta*decay) - eta/(1-math.Pow(0.9, float64(t)))*p[i][j]
		}
	}
}

// adamPTolerance allows for the 1e-8 that the implementation adds to norms where the paper divides
// by them.
const adamPTolerance = 1e-9

func greatestCosine(w, g [][]float64) float64 {
	greatest := 0.0
	for i := range w {
		greatest = math.Max(greatest, math.Abs(inner(w[i], g[i]))/(norm(w[i])*norm(g[i])))
	}
	return greatest
}

func across(w, x []float64) {
	along := inner(w, x) / inner(w, w)
	for j := range x {
		x[j] -= along * w[j]
	}
}

func TestAdamPIsThePublishedRule(t *testing.T) {
	const rows, width, steps = 4, 30, 25
	for name, skew := range map[string]float64{"rows at right angles": 0, "the whole at right angles": 1, "none": 3} {
		source := rand.New(rand.NewPCG(1, 2))
		var w [][]float64
		for range rows {
			row := make([]float64, width)
			for j := range row {
				row[j] = source.NormFloat64()
			}
			w = append(w, row)
		}
		parameters := slices.Concat(w...)
		// The gradients are random and orthogonal to the row, plus a component along it with both
		// signs, which cancels over the whole matrix; with 3 only the first row has it.
		draw := rand.New(rand.NewPCG(3, 4))
		gradients := func() [][]float64 {
			g := make([][]float64, rows)
			for i := range g {
				g[i] = make([]float64, width)
				for j := range g[i] {
					g[i][j] = draw.NormFloat64()
				}
				along := inner(g[i], w[i]) / inner(w[i], w[i])
				extra := skew * []float64{1, -1, 1, -1}[i] * inner(w[0], w[0]) / inner(w[i], w[i])
				if skew == 3 && i > 0 {
					extra = 0
				}
				for j := range g[i] {
					g[i][j] += (extra - along) * w[i][j]
				}
			}
			return g
		}
		m, v := make([][]float64, rows), make([][]float64, rows)
		for i := range m {
			m[i], v[i] = make([]float64, width), make([]float64, width)
		}
		moments := [2][]float64{make([]float64, rows*width), make([]float64, rows*width)}
		projected := 0
		for step := 1; step <= steps; step++ {
			g := gradients()
			if probe := make([]float64, rows*width); project(probe, parameters, slices.Concat(g...), width) ||
				project(probe, parameters, slices.Concat(g...), rows*width) {
				projected++
			}
			adamP(parameters, slices.Concat(g...), moments, width, adamRate{device.Rate{Rate: 0.01, WeightDecay: 0.1}, step})
			plainAdamP(w, m, v, g, step)
			near(t, fmt.Sprintf("%s: step %d", name, step), parameters, slices.Concat(w...), adamPTolerance)
		}
		if want := map[float64]int{0: steps, 1: steps, 3: 0}[skew]; projected != want {
			t.Errorf("%s: %d of %d steps were projected, want %d", name, projected, steps, want)
		}
	}
}

func TestAdamPOnBiasesAndNumbersIsAdamW(t *testing.T) {
	source := rand.New(rand.NewPCG(5, 6))
	one, two := []float64{1, -2, 3}, []float64{1, -2, 3}
	var first, second [2][]float64
	for i := range first {
		first[i], second[i] = make([]float64, 3), make([]float64, 3)
	}
	for step := 1; step < 9; step++ {
		gradient := []float64{source.NormFloat64(), source.NormFloat64(), source.NormFloat64()}
		rate := device.Rate{Rate: 0.05, WeightDecay: 0.3}
		adamP(one, gradient, first, 0, adamRate{rate, step})
		device.Reference[float64]{}.UpdateAdam(two, second, gradient, device.NewAdamStep(rate, step))
	}
	near(t, "parameters", one, two, 1e-14)
}

func TestAdamPKeepsTheLengthOfWeightsWhoseScaleDoesNotMatter(t *testing.T) {
	lengths := map[Optimizer]float64{}
	for _, optimizer := range []Optimizer{AdamW, AdamP} {
		// One linear layer without bias before a cosine: its scale has no effect, so all its
		// gradients are orthogonal to it.
		source := rand.New(rand.NewPCG(7, 8))
		p, target := make([]float64, 50), make([]float64, 50)
		for i := range p {
			p[i], target[i] = source.NormFloat64(), source.NormFloat64()
		}
		moments := [2][]float64{make([]float64, 50), make([]float64, 50)}
		before := norm(p)
		for step := 1; step <= 100; step++ {
			gradient := make([]float64, 50) // of −cos(p, target) with some orthogonal noise
			for i := range gradient {
				gradient[i] = -target[i] + source.NormFloat64()
			}
			across(p, gradient)
			rate := device.Rate{Rate: 0.02}
			if optimizer == AdamW {
				device.Reference[float64]{}.UpdateAdam(p, moments, gradient, device.NewAdamStep(rate, step))
			} else {
				adamP(p, gradient, moments, 50, adamRate{rate, step})
			}
		}
		lengths[optimizer] = norm(p) / before
	}
	if lengths[AdamW] < 1.03 || lengths[AdamP] > 1+(lengths[AdamW]-1)/2 {
		t.Errorf("lengths grow by %v, want AdamP's by much less", lengths)
	}
}

func TestAdamPLearnsAndIsRemembered(t *testing.T) {
	a := small(Architecture{Objective: PCMEPP})
	a.Optimizer = AdamP
	l := testLearner(t, device.Reference[float64]{}, a, 5)
	texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(9, 10)))
	var first, last float64
	for step := range 40 {
		result, err := l.Step(texts, images, device.Rate{Rate: 0.01, WeightDecay: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		if step == 0 {
			first = result.Loss
		}
		last = result.Loss
	}
	if last > 0.8*first {
		t.Errorf("loss %g after 40 steps from %g", last, first)
	}
	if names := l.Memory(); names[0].Name != "first_moment/text.0.weight" {
		t.Errorf("memory begins with %s", names[0].Name)
	}
}

func TestWarmUpRisesAlongALineAndThenFalls(t *testing.T) {
	s := CosineSchedule{Initial: 1, Final: 0.2, Steps: 14, WarmUp: 4}
	plain := CosineSchedule{Initial: 1, Final: 0.2, Steps: 10}
	for step, want := range []float64{0.25, 0.5, 0.75, 1} {
		if got := s.Rate(step); got != want {
			t.Errorf("rate %g at step %d, want %g", got, step, want)
		}
	}
	for step := range 12 {
		if got, want := s.Rate(4+step), plain.Rate(step); got != want {
			t.Errorf("rate %g at step %d of the fall, want %g", got, step, want)
		}
	}
}

func TestUnknownOptimizersAreErrors(t *testing.T) {
	_, err := NewLearner(device.Reference[float32]{}, Architecture{Dimension: 4, Likelihood: Cosine, Optimizer: "lion"}, 2)
	if err == nil || err.Error() != `nn: optimizer "lion", want "sgd", "adamw" or "adamp"` {
		t.Errorf("error %v", err)
	}
}
