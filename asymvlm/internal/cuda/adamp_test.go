package cuda_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/nn"
)

// A projected is one step of AdamP on one matrix.
type projected struct{ rows, columns int }

// step runs on the GPU and returns the resulting weights, and the change in addition to the decay.
func (s projected) step(t *testing.T, p, g []float32, broken uint32) (after []float32, added []float64, share float64) {
	t.Helper()
	rate := device.Rate{Rate: 0.05, WeightDecay: 0.02}
	adam := device.NewAdamStep(rate, 1)
	b, n := newBench(t), s.rows*s.columns
	plans, control := b.put(0, float32(rate.Rate), 0, float32(rate.WeightDecay), float32(adam.Keep), float32(adam.Size), float32(adam.Correction), 0), b.words(0, broken)
	zeros := func(count int) cuda.Address { return b.put(make([]float32, count)...) }
	weights, gradient, steps, first, second := b.put(p...), b.put(g...), zeros(n), zeros(n), zeros(n)
	angles, chosen := zeros(4*s.rows), zeros(3)
	b.run("adamp_moments", cuda.Size{X: 2, Y: 1}, cuda.Size{X: 256, Y: 1}, steps, first, second, gradient, plans, control, n)
	b.rows("adamp_angles", s.rows, angles, weights, gradient, steps, s.columns)
	b.run("adamp_choose", cuda.Size{X: 1, Y: 1}, cuda.Size{X: 1024, Y: 1}, chosen, angles, s.rows, s.columns)
	// Fewer blocks than rows, as for grids that would exceed the limit.
	b.run("adamp", cuda.Size{X: (s.columns + 127) / 128, Y: min(s.rows, 7)}, cuda.Size{X: 128, Y: 1}, weights, steps, angles, chosen, plans, control, s.rows, s.columns)
	kind := make([]uint32, 1)
	if err := b.card.ReadWords(kind, chosen); err != nil {
		t.Fatal(err)
	}
	share = map[uint32]float64{0: 1, 1: 0.1, 2: 0.1}[kind[0]]
	after = b.get(weights, n)
	for i, value := range after {
		added = append(added, float64(value)-float64(p[i])*(1-rate.Rate*rate.WeightDecay*share))
	}
	return after, added, share
}

// along returns the cosine of two lists.
func along[A, B float32 | float64](a []A, b []B) float64 {
	dot, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		dot, aa, bb = dot+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

// orthogonal removes the component along p from g, row by row of the given width.
func orthogonal(p, g []float32, width int) {
	for from := 0; from < len(p); from += width {
		dot, pp := 0.0, 0.0
		for i := from; i < from+width; i++ {
			dot, pp = dot+float64(p[i])*float64(g[i]), pp+float64(p[i])*float64(p[i])
		}
		for i := from; i < from+width; i++ {
			g[i] -= float32(dot / pp * float64(p[i]))
		}
	}
}

// If every row's gradient is orthogonal to its weights, so is the step of every row, and the decay
// is small. If only the gradient of the whole matrix is, so is the step of the whole matrix.
// Otherwise the step is AdamW's.
func TestAdamPOnTheCardOnlyTurnsWeightsThatAreScaleFree(t *testing.T) {
	source := rand.New(rand.NewPCG(51, 1))
	for _, s := range []projected{{1, 5}, {3, 128}, {40, 31}, {1100, 3}} {
		p, raw := normal(source, s.rows*s.columns, 1), normal(source, s.rows*s.columns, 1)
		for i := range raw {
			raw[i] += 2 * p[i] // far from orthogonal
		}
		rows := slices.Clone(raw)
		orthogonal(p, rows, s.columns)
		_, added, share := s.step(t, p, rows, 0)
		for row := range s.rows {
			from := row * s.columns
			if cosine := along(p[from:from+s.columns], added[from:from+s.columns]); !(math.Abs(cosine) < 1e-3) || share != 0.1 {
				t.Fatalf("%v: row %d has a step at the cosine %g, share %g of the decay", s, row, cosine, share)
			}
		}
		if s.rows > 1 {
			whole := slices.Clone(raw)
			orthogonal(p, whole, len(p))
			if _, added, share := s.step(t, p, whole, 0); !(math.Abs(along(p, added)) < 1e-3) || share != 0.1 {
				t.Errorf("%v: the whole has a step at the cosine %g, share %g of the decay", s, along(p, added), share)
			}
		}
		after, added, share := s.step(t, p, raw, 0)
		if share != 1 || !(along(p, added) < -0.1) {
			t.Errorf("%v: a gradient along the weights is projected", s)
		}
		want, rate := slices.Clone(p), device.Rate{Rate: 0.05, WeightDecay: 0.02}
		device.Reference[float32]{}.UpdateAdam(want, [2][]float32{make([]float32, len(p)), make([]float32, len(p))}, raw, device.NewAdamStep(rate, 1))
		closeTo(t, "AdamW's step", after, doubles(want), 1e-6)
	}
}

// Layers of any width have grids that every GPU can run: at most 65,535 blocks along y.
func TestStepsOfWideLayersHaveGridsThatCardsCanRun(t *testing.T) {
	const wide = 1<<16 + 5
	for _, optimizer := range []nn.Optimizer{nn.AdamP, nn.AdamW, nn.SGD} {
		l, err := nn.NewLearner(device.Reference[float32]{}, nn.Architecture{Dimension: 2, Hidden: wide, HiddenLayers: 1, Objective: nn.Contrastive,
			Likelihood: nn.PowerSpherical, Optimizer: optimizer}, 3)
		if err != nil {
			t.Fatal(err)
		}
		work, _, _ := l.Work()
		parts, err := cuda.StepOf(work)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if p.Launch != nil && (p.Launch.Grid.Y > 65_535 || p.Launch.Grid.X > math.MaxInt32) {
				t.Errorf("%v: kernel %s wants %d×%d blocks", optimizer, p.Launch.Kernel, p.Launch.Grid.X, p.Launch.Grid.Y)
			}
		}
	}
}

func TestABrokenStepOfAdamPChangesNothing(t *testing.T) {
	source := rand.New(rand.NewPCG(52, 1))
	s := projected{4, 9}
	p, g := normal(source, 36, 1), normal(source, 36, 1)
	if after, _, _ := s.step(t, p, g, 1); !slices.Equal(after, p) {
		t.Error("the weights changed")
	}
}
