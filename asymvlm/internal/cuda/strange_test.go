package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

// Any NaN or infinity, in a weight before a rectifier or in a value of an embedding, is detected
// and reported by the step, which then does not update.
func TestNothingThatIsNotFiniteIsLostOnTheCard(t *testing.T) {
	const batch = 12
	for _, likelihood := range []nn.Likelihood{nn.VonMisesFisher, nn.PowerSpherical, nn.Gaussian} {
		for _, strange := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			g := newGame(nn.Architecture{Dimension: 6, Hidden: 7, HiddenLayers: 2, Objective: nn.Contrastive, Likelihood: likelihood}, batch, batch)
			l := g.learner(t, device.Reference[float32]{})
			work := g.work(t, l)
			count := len(work.Parameters)
			for what, spoil := range map[string]func(w *device.TrainingPlan){
				"a weight of the first layer":  func(w *device.TrainingPlan) { w.Parameters[5] = strange },
				"a bias of the first layer":    func(w *device.TrainingPlan) { w.Parameters[6*7+3] = strange },
				"a weight of the second layer": func(w *device.TrainingPlan) { w.Parameters[6*7+7+20] = strange },
				"a weight of the last layer":   func(w *device.TrainingPlan) { w.Parameters[count-1-6-10] = strange },
				"a bias of the last layer":     func(w *device.TrainingPlan) { w.Parameters[count-1-2] = strange },
				"the temperature":              func(w *device.TrainingPlan) { w.Parameters[count-1] = strange },
				"an embedding":                 func(w *device.TrainingPlan) { w.Adapted.Values[17] = strange },
				"an anchor":                    func(w *device.TrainingPlan) { w.Anchors.Values[8] = strange },
			} {
				w := work
				w.Parameters = slices.Clone(work.Parameters)
				w.Memory = [][]float32{make([]float32, count)}
				w.Adapted.Values, w.Anchors.Values = slices.Clone(work.Adapted.Values), slices.Clone(work.Anchors.Values)
				spoil(&w)
				if strange < 0 && (what == "a bias of the first layer" || what == "a weight of the first layer" || what == "a weight of the second layer") {
					continue // a rectifier converts minus infinity to 0, as it should
				}
				card := start(t, emulate.New(), w)
				if err := card.Order(g.order); err != nil {
					t.Fatal(err)
				}
				seen, err := card.Steps(t.Context(), []device.PlannedStep{g.plan(0)[0], g.plan(0)[0]})
				if err != nil {
					t.Fatal(err)
				}
				if _, bad := l.Seen(seen[0]); bad == nil || len(seen) != 1 {
					t.Errorf("%s: %s is %g: %d steps, the first saw %+v", likelihood, what, strange, len(seen), seen[0])
				}
				after := [][]float32{make([]float32, count)}
				parameters := make([]float32, count)
				if err := card.Save(parameters, after); err != nil {
					t.Fatal(err)
				}
				same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
				if !slices.EqualFunc(parameters, w.Parameters, same) || !slices.Equal(after[0], make([]float32, count)) {
					t.Errorf("%s: %s is %g: the step updated", likelihood, what, strange)
				}
			}
		}
	}
}

// A bench is a GPU for single kernels.
type bench struct {
	t    *testing.T
	card *emulate.Driver
}

func newBench(t *testing.T) bench {
	t.Helper()
	card := emulate.New()
	if err := card.Load(cuda.Kernels); err != nil {
		t.Fatal(err)
	}
	return bench{t, card}
}

func (b bench) put(values ...float32) cuda.Address {
	b.t.Helper()
	a, err := b.card.Allocate(4 * max(1, len(values)))
	if err == nil {
		err = b.card.Write(a, values)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

func (b bench) get(a cuda.Address, count int) []float32 {
	b.t.Helper()
	values := make([]float32, count)
	if err := b.card.Read(values, a); err != nil {
		b.t.Fatal(err)
	}
	return values
}

func (b bench) run(kernel string, grid, block cuda.Size, arguments ...any) {
	b.t.Helper()
	l := cuda.Launch{Kernel: kernel, Grid: grid, Block: block}
	for _, argument := range arguments {
		switch value := argument.(type) {
		case cuda.Address:
			l.Arguments = append(l.Arguments, uint64(value))
		case int:
			l.Arguments = append(l.Arguments, uint64(uint32(value)))
		case float32:
			l.Arguments = append(l.Arguments, uint64(math.Float32bits(value)))
		}
	}
	if err := b.card.Launch(l); err != nil {
		b.t.Fatal(err)
	}
}

func TestTheRectifierOfTheCardKeepsNaN(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	b := newBench(t)
	y := b.put(nan, -2, 3, -inf, inf, 0.5, -0.5, -1)
	b.run("add_bias", cuda.Size{X: 1, Y: 1}, cuda.Size{X: 128, Y: 1}, y, b.put(0, 1, nan, 1), 2, 4, 1)
	got := b.get(y, 8)
	for i, want := range []float32{nan, 0, nan, 0, inf, 1.5, nan, 0} {
		if got[i] != want && !(got[i] != got[i] && want != want) {
			t.Errorf("value %d is %g, want %g", i, got[i], want)
		}
	}
}

// Biases are added to every row for any grid: blocks loop over rows.
func TestBiasesAreAddedOnceToEveryRow(t *testing.T) {
	for _, shape := range [][3]int{{1, 1, 1}, {5, 130, 2}, {7, 128, 7}, {300, 3, 256}} {
		rows, columns, blocks := shape[0], shape[1], shape[2]
		b := newBench(t)
		y, bias := make([]float32, rows*columns), make([]float32, columns)
		for i := range y {
			y[i] = float32(i % 13)
		}
		for j := range bias {
			bias[j] = float32(j) - 60
		}
		at := b.put(y...)
		b.run("add_bias", cuda.Size{X: (columns + 127) / 128, Y: blocks}, cuda.Size{X: 128, Y: 1}, at, b.put(bias...), rows, columns, 0)
		for i, got := range b.get(at, len(y)) {
			if want := y[i] + bias[i%columns]; got != want {
				t.Fatalf("%v: value %d is %g, want %g", shape, i, got, want)
			}
		}
	}
}

// Partial sums of exponentials are merged without overflow, however different they are.
func TestMergedLogarithmsAreThoseOfAllParts(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))
	for _, count := range []int{1, 7, 8, 9, 33} {
		for _, spread := range []float64{0, 1, 200, 3000} {
			const length = 45
			most, sums := make([]float32, count*length), make([]float32, count*length)
			for i := range most {
				most[i], sums[i] = float32(spread*source.NormFloat64()), float32(1+30*source.Float64())
			}
			b := newBench(t)
			out := b.put(make([]float32, length)...)
			b.run("merge", cuda.Size{X: 2, Y: 1}, cuda.Size{X: 32, Y: 8}, out, b.put(most...), b.put(sums...), count, length)
			for column, got := range b.get(out, length) {
				top, sum := math.Inf(-1), 0.0
				for part := range count {
					top = math.Max(top, float64(most[part*length+column]))
				}
				for part := range count {
					sum += float64(sums[part*length+column]) * math.Exp(float64(most[part*length+column])-top)
				}
				near(t, fmt.Sprintf("%d parts, spread %g", count, spread), float64(got), top+math.Log(sum), 1e-6)
			}
		}
	}
}

// The GPU's optimizers equal those of the CPU, for any number of parameters, and do nothing after a
// failed step.
func TestOptimizersOfTheCardAreThoseOfTheProcessor(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(source.NormFloat64())
		}
		return values
	}
	rate := device.Rate{Rate: 0.03, Momentum: 0.9, WeightDecay: 0.01}
	adam := device.NewAdamStep(rate, 4)
	for _, count := range []int{1, 255, 257, 1000} {
		for _, broken := range []uint32{0, 1} {
			p, v, second, g := draw(count), draw(count), draw(count), draw(count)
			for i := range second {
				second[i] *= second[i]
			}
			b := newBench(t)
			plan := []float32{0, float32(rate.Rate), float32(rate.Momentum), float32(rate.WeightDecay), float32(adam.Keep), float32(adam.Size), float32(adam.Correction), 0}
			plans, control := b.put(append(make([]float32, 8), plan...)...), b.put(0, 0)
			if err := b.card.WriteWords(control, []uint32{1, broken}); err != nil {
				t.Fatal(err)
			}
			onP, onV, adamP, first, moment, gradient := b.put(p...), b.put(v...), b.put(p...), b.put(v...), b.put(second...), b.put(g...)
			b.run("descend", cuda.Size{X: 2, Y: 1}, cuda.Size{X: 256, Y: 1}, onP, onV, gradient, plans, control, count)
			b.run("adam", cuda.Size{X: 2, Y: 1}, cuda.Size{X: 256, Y: 1}, adamP, first, moment, gradient, plans, control, count)
			wantP, wantV, wantAdam, wantFirst, wantSecond := slices.Clone(p), slices.Clone(v), slices.Clone(p), slices.Clone(v), slices.Clone(second)
			if broken == 0 {
				device.Reference[float32]{}.Update(wantP, wantV, g, rate)
				device.Reference[float32]{}.UpdateAdam(wantAdam, [2][]float32{wantFirst, wantSecond}, g, adam)
			}
			for what, pair := range map[string][2][]float32{
				"parameters": {b.get(onP, count), wantP}, "velocity": {b.get(onV, count), wantV}, "parameters of AdamW": {b.get(adamP, count), wantAdam},
				"first moment": {b.get(first, count), wantFirst}, "second moment": {b.get(moment, count), wantSecond},
			} {
				for i := range count {
					near(t, fmt.Sprintf("%s, %d, broken %d", what, count, broken), float64(pair[0][i]), float64(pair[1][i]), 2e-6)
				}
			}
		}
	}
}
