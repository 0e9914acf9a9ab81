package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

// A game is a small training for the GPU and for single operations: pairs of texts and images,
// every image twice.
type game struct {
	architecture   nn.Architecture
	batch, pairs   int
	texts, images  device.Matrix[float32]
	imageOf, order []int
	groups         []int // of the pairs, nil to mask none
}

func newGame(architecture nn.Architecture, batch, pairs int) game {
	source := rand.New(rand.NewPCG(7, 8))
	g := game{architecture: architecture, batch: batch, pairs: pairs, order: source.Perm(pairs)}
	g.images = device.NewMatrix[float32]((pairs+1)/2, architecture.Dimension)
	g.texts = device.NewMatrix[float32](pairs, architecture.Dimension)
	for i := range g.images.Values {
		g.images.Values[i] = float32(source.NormFloat64())
	}
	for p := range pairs {
		g.imageOf = append(g.imageOf, p/2)
		for k := range g.texts.Row(p) {
			g.texts.Row(p)[k] = g.images.Row(p / 2)[k] + float32(source.NormFloat64())/2
		}
	}
	return g
}

// learner returns a learner with the weights of a seed.
func (g game) learner(t *testing.T, ops device.Device) *nn.Learner {
	t.Helper()
	l, err := nn.NewLearner(ops, g.architecture, g.batch)
	if err != nil {
		t.Fatal(err)
	}
	l.Initialize(rand.New(rand.NewPCG(1, 0)))
	return l
}

// work returns the learner's work on the game's pairs.
func (g game) work(t *testing.T, l *nn.Learner) device.TrainingPlan {
	t.Helper()
	work, side, ok := l.Work()
	if !ok {
		t.Fatal("the learner cannot be taken to the card")
	}
	own := make([]int, g.pairs)
	for i := range own {
		own[i] = i
	}
	work.Stretch, work.AnchorStretch, work.Groups = 1.5, 0.75, g.groups
	work.Adapted, work.AdaptedOf, work.Anchors, work.AnchorOf = g.texts, own, g.images, g.imageOf
	if side == nn.Images {
		work.Adapted, work.AdaptedOf, work.Anchors, work.AnchorOf = g.images, g.imageOf, g.texts, own
	}
	return work
}

// plan returns the steps of an epoch, the last one with the remaining pairs, numbered from first.
func (g game) plan(first int) []device.PlannedStep {
	var steps []device.PlannedStep
	for from := 0; from < g.pairs; from += g.batch {
		rate := device.Rate{Rate: 0.05 / float64(first+1), Momentum: 0.9, WeightDecay: 5e-4}
		first++
		steps = append(steps, device.PlannedStep{Epoch: 1, From: from, Rows: min(g.batch, g.pairs-from), Rate: rate,
			Adam: device.NewAdamStep(rate, first)})
	}
	return steps
}

// step performs a planned step by single operations.
func (g game) step(l *nn.Learner, side nn.Side, s device.PlannedStep) (nn.StepResult, error) {
	texts, images := device.NewMatrix[float32](s.Rows, g.texts.Columns), device.NewMatrix[float32](s.Rows, g.texts.Columns)
	for row, pair := range g.order[s.From : s.From+s.Rows] {
		copy(texts.Row(row), g.texts.Row(pair))
		copy(images.Row(row), g.images.Row(g.imageOf[pair]))
	}
	adapted, anchors := texts, images
	if side == nn.Images {
		adapted, anchors = images, texts
	}
	for i := range adapted.Values {
		adapted.Values[i] *= 1.5
		anchors.Values[i] *= 0.75
	}
	if g.groups != nil {
		var groups []int
		for _, pair := range g.order[s.From : s.From+s.Rows] {
			groups = append(groups, g.groups[pair])
		}
		if err := l.MaskSameImage(groups); err != nil {
			return nn.StepResult{}, err
		}
	}
	l.SetEpoch(s.Epoch)
	return l.Step(texts, images, s.Rate)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: %.9g, want %.9g", what, got, want)
	}
}

// start starts a training on an emulated GPU.
func start(t *testing.T, card *emulate.Driver, work device.TrainingPlan) device.DeviceTraining {
	t.Helper()
	ops, err := cuda.New(card)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ops.Close)
	residence, err := ops.Train(work)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(residence.Close)
	return residence
}

// Compares the kernels, their grids, the order of the work and the recording with the reference.
// The sizes cross the tiles of 32 rows and 128 columns and leave a short last batch.
func TestStepsOnTheCardAgreeWithTheOperations(t *testing.T) {
	for _, test := range []struct {
		likelihood nn.Likelihood
		optimizer  nn.Optimizer
		objective  nn.Objective
		factor     float64
		batch      int
	}{
		{nn.VonMisesFisher, nn.SGD, nn.Contrastive, 0, 131},
		{nn.PowerSpherical, nn.SGD, nn.Contrastive, 0, 40},
		{nn.PowerSpherical, nn.AdamW, nn.ContrastiveImages, 3, 33},
		{nn.VonMisesFisher, nn.AdamW, nn.Contrastive, 2, 20},
		{nn.Gaussian, nn.SGD, nn.ContrastiveImages, 0, 16},
		{nn.Cosine, nn.SGD, nn.Contrastive, 0, 37},
		{nn.Cosine, nn.AdamW, nn.ContrastiveImages, 2.5, 9},
		{nil, nn.AdamW, nn.PCMEPP, 0, 131},
		{nil, nn.SGD, nn.PCMEPP, 0, 33},
		{nil, nn.AdamW, nn.ProLIP, 0, 40},
		{nil, nn.AdamW, nn.ProLIPExact, 0, 20},
		{nil, nn.SGD, nn.PFE, 0, 33},
		{nil, nn.AdamW, nn.ProbVLM, 0, 33},
		{nil, nn.AdamW, nn.ProbVLMExact, 0, 20},
		{nil, nn.SGD, nn.ProbVLM, 0, 7},
		{nil, nn.AdamW, nn.EvidentialITC, 0, 130},
		{nil, nn.AdamW, nn.Evidential, 0, 33},
		{nil, nn.SGD, nn.Evidential, 0, 130},
		{nil, nn.SGD, nn.Ensemble, 0, 35},
		{nn.VonMisesFisher, nn.SGD, nn.Sigmoid, 0, 131},
		{nn.PowerSpherical, nn.AdamW, nn.Sigmoid, 2, 40},
		{nn.VonMisesFisher, nn.AdamW, nn.SigmoidLog, 0, 33},
		{nn.Cosine, nn.SGD, nn.SigmoidLog, 0, 20},
		{nn.VonMisesFisherExact, nn.SGD, nn.Contrastive, 0, 131},
		{nn.VonMisesFisherExact, nn.AdamW, nn.Sigmoid, 0, 20},
		{nil, nn.SGD, nn.Symmetrized, 0, 131},
		{nil, nn.AdamW, nn.Symmetrized, 0, 33},
		{nil, nn.SGD, nn.Mutual, 0, 40},
		{nil, nn.AdamW, nn.Mutual, 0, 33},
		{nil, nn.SGD, nn.ProLIPFull, 0, 33},
		{nil, nn.AdamW, nn.ProLIPFull, 0, 131},
		{nil, nn.AdamW, nn.ProLIPFullOfficial, 0, 40},
		{nil, nn.AdamP, nn.PCMEPP, 0, 40},
		{nn.VonMisesFisher, nn.AdamP, nn.Contrastive, 0, 33},
	} {
		t.Run(fmt.Sprintf("%s %s %s %d", test.likelihood, test.optimizer, test.objective, test.batch), func(t *testing.T) {
			g := newGame(nn.Architecture{Dimension: 9, Hidden: 14, HiddenLayers: 2, Objective: test.objective,
				Likelihood: test.likelihood, Optimizer: test.optimizer, OutputFactor: test.factor}, test.batch, 2*test.batch+5)
			compareSteps(t, g)
		})
	}
}

// So large that every loop of a kernel runs more than once: rows wider than a block, more rows than
// blocks, more than eight parts of a sum, more parameters than the optimizers have threads.
func TestStepsOfManyTurnsAgreeWithTheOperations(t *testing.T) {
	if os.Getenv("GOSPHERE_LARGE") == "" {
		t.Skip("make large does these steps")
	}
	for objective, hidden := range map[nn.Objective]int{nn.Contrastive: 530, nn.PCMEPP: 14} { // one large network is enough
		compareSteps(t, newGame(nn.Architecture{Dimension: 130, Hidden: hidden, HiddenLayers: 2, Objective: objective,
			Likelihood: nn.PowerSpherical, Optimizer: nn.SGD}, 300, 605))
	}
}

// compareSteps runs three steps on the GPU and by single operations, the last with fewer pairs, and
// compares their results and the final parameters.
func compareSteps(t *testing.T, g game) {
	t.Helper()
	ops := device.Reference[float32]{}
	resident, byOperations := g.learner(t, ops), g.learner(t, ops)
	_, side, _ := resident.Work()
	card := start(t, emulate.New(), g.work(t, resident))
	if err := card.Order(g.order); err != nil {
		t.Fatal(err)
	}
	steps := g.plan(0)
	for i := range steps {
		steps[i].Epoch += 4 * i // for losses that depend on it
	}
	seen, err := card.Steps(t.Context(), steps[:2])
	last, lastErr := card.Steps(t.Context(), steps[2:]) // fewer pairs
	if err != nil || lastErr != nil || len(seen) != 2 || len(last) != 1 {
		t.Fatalf("%d and %d steps, errors %v, %v", len(seen), len(last), err, lastErr)
	}
	for i, s := range append(seen, last...) {
		want, err := g.step(byOperations, side, steps[i])
		got, bad := resident.Seen(s)
		if err != nil || bad != nil {
			t.Fatal(err, bad)
		}
		near(t, "loss", got.Loss, want.Loss, 2e-6)
		near(t, "temperature", got.Temperature, want.Temperature, 2e-6)
		near(t, "mean concentration", got.MeanConcentration, want.MeanConcentration, 2e-6)
	}
	w, _, _ := resident.Work()
	if err := card.Save(w.Parameters, w.Memory); err != nil {
		t.Fatal(err)
	}
	compare(t, resident.Parameters(), byOperations.Parameters())
	compare(t, resident.Memory(), byOperations.Memory())
}

// compare compares named vectors value by value, relative to the largest of each.
func compare(t *testing.T, got, want []nn.Parameter) {
	t.Helper()
	for i, p := range want {
		worst, size := 0.0, 1e-6
		if strings.HasPrefix(p.Name, "velocity/member.") && strings.HasSuffix(p.Name, "iota") {
			size = 0.02 // a difference of sums near 1, which the first small steps of members leave near 0
		}
		for k, value := range p.Values {
			worst = max(worst, math.Abs(float64(got[i].Values[k]-value)))
			size = max(size, math.Abs(float64(value)))
		}
		if !(worst <= 2e-5*size) {
			t.Errorf("%s differs by %.2g of %.2g", p.Name, worst, size)
		}
	}
}
