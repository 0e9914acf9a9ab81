package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

// masking are the groups used by the tests, for any number of pairs.
var masking = map[string]func(pair int) int{
	"twins":   func(pair int) int { return pair / 2 },
	"thirds":  func(pair int) int { return pair % 3 }, // most pairs are masked
	"nobody":  func(pair int) int { return pair },
	"one set": func(int) int { return 7 },
}

func (g game) masked(groups func(pair int) int) game {
	g.groups = make([]int, g.pairs)
	for pair := range g.groups {
		g.groups[pair] = groups(pair)
	}
	return g
}

// maskable are the trainings on the GPU that have wrong pairs, with sizes that cross the tiles.
var maskable = []struct {
	architecture nn.Architecture
	batch        int
}{
	{nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.VonMisesFisher}, 131},
	{nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.PowerSpherical}, 40},
	{nn.Architecture{Objective: nn.ContrastiveImages, Likelihood: nn.PowerSpherical, Optimizer: nn.AdamW, OutputFactor: 3}, 33},
	{nn.Architecture{Objective: nn.ContrastiveImages, Likelihood: nn.Gaussian}, 16},
	{nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.Cosine}, 37},
	{nn.Architecture{Objective: nn.PCMEPP, Optimizer: nn.AdamW}, 131},
	{nn.Architecture{Objective: nn.PCMEPP}, 33},
	{nn.Architecture{Objective: nn.ProLIP, Optimizer: nn.AdamW}, 40},
	{nn.Architecture{Objective: nn.ProLIPExact}, 20},
	{nn.Architecture{Objective: nn.ProLIPFull}, 20},
	{nn.Architecture{Objective: nn.Sigmoid, Likelihood: nn.VonMisesFisher}, 131},
	{nn.Architecture{Objective: nn.Sigmoid, Likelihood: nn.PowerSpherical}, 33},
	{nn.Architecture{Objective: nn.SigmoidLog, Likelihood: nn.VonMisesFisherExact}, 20},
	{nn.Architecture{Objective: nn.Symmetrized}, 40},
	{nn.Architecture{Objective: nn.Mutual}, 33},
	{nn.Architecture{Objective: nn.EvidentialITC}, 130},
	{nn.Architecture{Objective: nn.Ensemble}, 35},
}

func TestMaskedStepsOnTheCardAgreeWithTheOperations(t *testing.T) {
	if testing.Short() {
		t.Skip("does many steps")
	}
	for _, test := range maskable {
		for _, name := range []string{"twins", "thirds"} {
			a := test.architecture
			t.Run(fmt.Sprintf("%s %s %d %s", a.Likelihood, a.Objective, test.batch, name), func(t *testing.T) {
				a.Dimension, a.Hidden, a.HiddenLayers = 9, 14, 2
				compareSteps(t, newGame(a, test.batch, 2*test.batch+5).masked(masking[name]))
			})
		}
	}
}

// Groups of one pair each mask nothing: the steps equal those without groups to the bit.
func TestGroupsOfOnePairChangeNoBit(t *testing.T) {
	if testing.Short() {
		t.Skip("does many steps")
	}
	for _, test := range maskable {
		a := test.architecture
		a.Dimension, a.Hidden, a.HiddenLayers = 6, 7, 1
		var first []float32
		for _, g := range []game{newGame(a, 33, 66), newGame(a, 33, 66).masked(masking["nobody"])} {
			work := g.work(t, g.learner(t, device.Reference[float32]{}))
			card := start(t, emulate.New(), work)
			if err := card.Order(g.order); err != nil {
				t.Fatal(err)
			}
			if _, err := card.Steps(t.Context(), g.plan(0)); err != nil {
				t.Fatal(err)
			}
			if err := card.Save(work.Parameters, work.Memory); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = slices.Clone(work.Parameters)
			} else if !slices.Equal(first, work.Parameters) {
				t.Errorf("%s %s: groups that hide nothing give other bits", a.Objective, a.Likelihood)
			}
		}
	}
}

// If every wrong pair is masked, the true pair has no competitor: the loss of InfoNCE is 0, and so
// is the gradient.
func TestABatchOfOneGroupTeachesInfoNCENothing(t *testing.T) {
	for _, likelihood := range []nn.Likelihood{nn.VonMisesFisher, nn.PowerSpherical, nn.Cosine} {
		g := newGame(nn.Architecture{Dimension: 6, Hidden: 7, HiddenLayers: 1, Likelihood: likelihood}, 35, 35).masked(masking["one set"])
		work := g.work(t, g.learner(t, device.Reference[float32]{}))
		before := slices.Clone(work.Parameters)
		card := start(t, emulate.New(), work)
		if err := card.Order(g.order); err != nil {
			t.Fatal(err)
		}
		seen, err := card.Steps(t.Context(), []device.PlannedStep{{Rows: 35, Rate: device.Rate{Rate: 0.5}}})
		if err != nil || len(seen) != 1 {
			t.Fatal(seen, err)
		}
		if s := seen[0]; math.Abs(s.Loss) > 1e-6 || math.Abs(s.Slope) > 1e-6 || s.Gradient > 1e-10 {
			t.Errorf("%s: a batch without wrong pairs has the loss %g, the slope %g and gradients of %g", likelihood, s.Loss, s.Slope, s.Gradient)
		}
		if err := card.Save(work.Parameters, work.Memory); err != nil {
			t.Fatal(err)
		}
		for i, value := range work.Parameters {
			near(t, likelihood.String()+": parameter", float64(value), float64(before[i]), 1e-5)
		}
	}
}

// A contrastTable holds the inputs of the kernels of InfoNCE, with groups.
type contrastTable struct {
	batch               int
	power               bool
	pairs, kappas, logs []float32
	tau                 float32
	groups              []int
}

// onCard returns the loss, Σ g·ℓ, the gradient, which overwrites the pairs, and the sums of its
// columns.
func (c contrastTable) onCard(t *testing.T) (loss, dot float64, gradient, columns []float32) {
	t.Helper()
	b, n := newBench(t), c.batch
	across, down := (n+127)/128, (n+31)/32
	zeros := func(count int) cuda.Address { return b.put(make([]float32, count)...) }
	numbers := make([]uint32, n)
	for i, group := range c.groups {
		numbers[i] = uint32(group)
	}
	groups, pairs, kappas, logs, tau := b.words(numbers...), b.put(c.pairs...), b.put(c.kappas...), b.put(c.logs...), b.put(c.tau)
	rowMost, rowSums, columnMost, columnSums := zeros(across*n), zeros(across*n), zeros(down*n), zeros(down*n)
	ofRows, ofColumns, losses, dots, sums := zeros(n), zeros(n), zeros(n), zeros(across*down), zeros(n)
	kind := map[bool]string{false: "linear", true: "power"}[c.power]
	over, each, merge, merger := cuda.Size{X: across, Y: down}, cuda.Size{X: 128, Y: 1}, cuda.Size{X: (n + 31) / 32, Y: 1}, cuda.Size{X: 32, Y: 8}
	b.run("sums_"+kind+"_masked", over, each, rowMost, rowSums, columnMost, columnSums, pairs, kappas, logs, tau, n, groups)
	b.run("merge", merge, merger, ofRows, rowMost, rowSums, across, n)
	b.run("merge", merge, merger, ofColumns, columnMost, columnSums, down, n)
	b.run("gradient_"+kind+"_masked", over, each, pairs, columnMost, columnSums, losses, dots, ofRows, ofColumns, kappas, logs, tau, n, groups)
	b.run("add_parts", merge, merger, sums, columnMost, down, n)
	for _, value := range b.get(losses, n) {
		loss += float64(value) / float64(2*n)
	}
	for _, value := range b.get(dots, across*down) {
		dot += float64(value)
	}
	return loss, dot, b.get(pairs, n*n), b.get(sums, n)
}

// Masked values may be anything, including NaN, and whole tiles may be masked: neither the loss nor
// a gradient depends on them.
func TestWhatIsHiddenHasNoPartInTheKernels(t *testing.T) {
	source := rand.New(rand.NewPCG(21, 1))
	sizes := edges
	if testing.Short() {
		sizes = edges[:6]
	}
	for _, batch := range sizes {
		for name, groups := range map[string]func(int) int{
			"twins": masking["twins"], "thirds": masking["thirds"], "one set": masking["one set"],
			"tiles": func(pair int) int { return pair / 32 / 4 }, // whole tiles of 32×128 are masked
		} {
			c := contrastTable{batch: batch, tau: 1.7, pairs: normal(source, batch*batch, 3), kappas: make([]float32, batch), logs: normal(source, batch, 1)}
			for pair := range batch {
				c.groups = append(c.groups, groups(pair))
			}
			a := device.NewMatrix[float64](batch, batch)
			for i, product := range c.pairs {
				row, column := i/batch, i%batch
				a.Values[i] = float64(product) + float64(c.logs[column])
				if row != column && c.groups[row] == c.groups[column] {
					c.pairs[i] = float32(math.NaN())
				}
			}
			gradient, columns := device.NewMatrix[float64](batch, batch), make([]float64, batch)
			wantLoss, wantDot := device.Reference[float64]{}.Contrast(gradient, a, float64(c.tau), c.groups, columns)
			loss, dot, got, sums := c.onCard(t)
			what := fmt.Sprintf("%d pairs, %s", batch, name)
			near(t, what+": loss", loss, wantLoss, 2e-6)
			near(t, what+": Σ g·ℓ", dot, wantDot, 5e-6)
			if name != "one set" && batch > 2 { // the gradients of one group are rounding errors
				closeTo(t, what+": gradient", got, gradient.Values, 5e-6)
				closeTo(t, what+": sums of columns", sums, columns, 2e-5)
			}
			for i, value := range got {
				if row, column := i/batch, i%batch; row != column && c.groups[row] == c.groups[column] && value != 0 {
					t.Fatalf("%s: the hidden pair %d, %d has the gradient %g", what, row, column, value)
				}
			}
		}
	}
}

func TestGroupsThatDoNotFitAreRefused(t *testing.T) {
	for want, change := range map[string]func(g *game, w *device.TrainingPlan){
		"groups of 34 pairs, want those of all 35":                            func(_ *game, w *device.TrainingPlan) { w.Groups = w.Groups[:34] },
		"groups of 0 pairs, want those of all 35":                             func(_ *game, w *device.TrainingPlan) { w.Groups = w.Groups[:0] },
		"index 3 is -1, want one below":                                       func(_ *game, w *device.TrainingPlan) { w.Groups[3] = -1 },
		"a device.MatchedLoss has no wrong pairs that could be hidden; leave": func(g *game, w *device.TrainingPlan) { *w = of35(t, nn.PFE) },
		"a device.ReconstructionLoss has no wrong pairs":                      func(g *game, w *device.TrainingPlan) { *w = of35(t, nn.ProbVLM) },
		"a device.AdapterLoss has no wrong pairs":                             func(g *game, w *device.TrainingPlan) { *w = of35(t, nn.Evidential) },
	} {
		work := of35(t, nn.PCMEPP)
		change(nil, &work)
		card := emulate.New()
		ops, err := cuda.New(card)
		if err != nil {
			t.Fatal(err)
		}
		defer ops.Close()
		if _, err := ops.Train(work); err == nil || !strings.Contains(err.Error(), want) || card.Used() != 0 {
			t.Errorf("error %v, want %s; %d bytes are left", err, want, card.Used())
		}
	}
}

// of35 returns the work of an objective on 35 pairs of twins.
func of35(t *testing.T, objective nn.Objective) device.TrainingPlan {
	t.Helper()
	g := newGame(nn.Architecture{Dimension: 6, Hidden: 7, HiddenLayers: 1, Objective: objective}, 35, 35).masked(masking["twins"])
	return g.work(t, g.learner(t, device.Reference[float32]{}))
}

// The groups are gathered with the batch, for a short last batch and another order as well.
func TestGroupsFollowTheOrderOfThePairs(t *testing.T) {
	b := newBench(t)
	groups, groupOf, order := b.words(make([]uint32, 130)...), b.words(9, 8, 7, 6, 5), b.words(4, 2, 0, 1, 3)
	plans, control := b.words(make([]uint32, 16)...), b.words(1, 0)
	if err := b.card.WriteWords(plans+32, []uint32{2}); err != nil { // the second step begins with the third pair
		t.Fatal(err)
	}
	b.run("gather_groups", cuda.Size{X: 1, Y: 1}, cuda.Size{X: 128, Y: 1}, groups, groupOf, order, plans, control, 3)
	got := make([]uint32, 4)
	if err := b.card.ReadWords(got, groups); err != nil || !slices.Equal(got, []uint32{9, 8, 6, 0}) {
		t.Errorf("groups %v, want 9, 8, 6 and nothing more, error %v", got, err)
	}
}
