package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/evidence"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

// A testimony holds the inputs of the kernels of the evidential loss.
type testimony struct {
	batch        int
	cosines      []float32
	iota, weight float32
}

// onCard returns the loss, Σ g·c and the gradient, which overwrites the cosines.
func (e testimony) onCard(t *testing.T) (loss, dot float64, gradient []float32) {
	t.Helper()
	b, n := newBench(t), e.batch
	across, down := (n+127)/128, (n+31)/32
	plans, control := b.put(make([]float32, 16)...), b.words(1, 0)
	if err := b.card.Write(plans+4*(8+7), []float32{e.weight}); err != nil { // the last number of the second plan
		t.Fatal(err)
	}
	pairs, iota := b.put(e.cosines...), b.put(e.iota)
	queries, losses, dots := b.put(make([]float32, 2*n*6)...), b.put(make([]float32, n)...), b.put(make([]float32, across*down)...)
	b.run("evidence", cuda.Size{X: n, Y: 2}, cuda.Size{X: 128, Y: 1}, queries, pairs, iota, plans, control, n)
	b.run("evidence_gradient", cuda.Size{X: across, Y: down}, cuda.Size{X: 128, Y: 1}, pairs, losses, dots, queries, iota, plans, control, n)
	return sum(b.get(losses, n)) / float64(2*n), sum(b.get(dots, across*down)), b.get(pairs, n*n)
}

// reference returns the same values computed by package evidence.
func (e testimony) reference(t *testing.T) (loss, dot float64, gradient []float64) {
	t.Helper()
	similarities := doubles(e.cosines)
	for i := range similarities {
		similarities[i] *= float64(e.iota)
	}
	want, err := evidence.Loss(similarities, float64(e.weight))
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range want.Gradient {
		dot += g * float64(e.cosines[i])
	}
	return want.Loss, dot, want.Gradient
}

// testify returns random cosines with similar pairs on the diagonal.
func testify(source *rand.Rand, batch int, iota, weight float32) testimony {
	e := testimony{batch: batch, iota: iota, weight: weight}
	for i := range batch * batch {
		c := source.NormFloat64() / 3
		if i/batch == i%batch {
			c++
		}
		e.cosines = append(e.cosines, float32(math.Tanh(c)))
	}
	return e
}

// Weights from none to the full one, and factors from no evidence to those of CLIP, where
// similarities are clamped.
func TestTheEvidentialLossOfTheCardIsThatOfItsPackage(t *testing.T) {
	source := rand.New(rand.NewPCG(31, 1))
	sizes := edges[1:]
	if testing.Short() {
		sizes = edges[1:6]
	}
	for _, batch := range sizes {
		for _, weight := range []float32{0, 1. / 15, 1} {
			for _, iota := range []float32{0, 1, 1 / 0.07, 30, 100, -5} {
				if batch > 100 && (weight != 1 || iota != 30) {
					continue // the emulated GPU takes a second for each
				}
				e := testify(source, batch, iota, weight)
				wantLoss, wantDot, want := e.reference(t)
				loss, dot, got := e.onCard(t)
				what := fmt.Sprintf("%d pairs, factor %g, weight %g", batch, iota, weight)
				near(t, what+": loss", loss, wantLoss, 2e-7)
				near(t, what+": Σ g·c", dot, wantDot, 1e-6)
				closeTo(t, what+": gradient", got, want, 3e-7)
			}
		}
	}
}

// Each gradient separately: the divergence as printed cancels, and a small slope must keep its
// precision next to large ones.
func TestEveryGradientOfTheEvidenceKeepsItsDigits(t *testing.T) {
	source := rand.New(rand.NewPCG(32, 1))
	for _, iota := range []float32{0.01, 2, 14, 19} {
		e := testify(source, 40, iota, 1)
		_, _, want := e.reference(t)
		_, _, got := e.onCard(t)
		for i, value := range got {
			if !(math.Abs(float64(value)-want[i]) <= 1e-6*math.Abs(want[i])+1e-12) {
				t.Fatalf("factor %g: gradient %d is %g, want %g", iota, i, value, want[i])
			}
		}
	}
}

// With a single candidate there is no choice.
func TestASinglePairHasNoEvidentialLoss(t *testing.T) {
	for _, cosine := range []float32{-1, 0.3, 1} {
		e := testimony{1, []float32{cosine}, 14, 1}
		if loss, dot, gradient := e.onCard(t); math.Abs(loss) > 1e-12 || math.Abs(dot) > 1e-7 || math.Abs(float64(gradient[0])) > 1e-7 {
			t.Errorf("cosine %g: loss %g, slope %g, gradient %g", cosine, loss, dot, gradient[0])
		}
	}
}

// A clamped similarity has no gradient, one just below the limit has.
func TestNothingPullsBeyondTheLimitOfTheEvidence(t *testing.T) {
	e := testimony{2, []float32{1, 0.25, 0.25, 0.5}, 20.5, 1}
	_, _, gradient := e.onCard(t)
	if gradient[0] != 0 || gradient[1] == 0 || gradient[3] == 0 {
		t.Errorf("gradients %v, want none of the similarity 20.5 and some of the others", gradient)
	}
}

func TestNaNOfASimilarityIsInTheEvidentialLoss(t *testing.T) {
	source := rand.New(rand.NewPCG(33, 1))
	for _, at := range []int{0, 1, 34, 35*34 + 34, 35*35 - 1} {
		for _, strange := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
			e := testify(source, 35, 3, 1)
			e.cosines[at] = strange
			if loss, _, _ := e.onCard(t); loss-loss == 0 {
				t.Errorf("the loss is %g with %g at %d", loss, strange, at)
			}
		}
	}
}

// Steps of one call may belong to several epochs; a step without an epoch is rejected before
// anything runs.
func TestTheWeightOfTheDivergenceFollowsTheEpoch(t *testing.T) {
	g := newGame(nn.Architecture{Dimension: 6, Hidden: 7, HiddenLayers: 1, Objective: nn.Evidential, Optimizer: nn.AdamW}, 8, 8)
	l := g.learner(t, device.Reference[float32]{})
	card := emulate.New()
	residence := start(t, card, g.work(t, l))
	if err := residence.Order(g.order); err != nil {
		t.Fatal(err)
	}
	still := device.PlannedStep{Rows: 8, Adam: device.AdamStep{Keep: 1}} // changes nothing
	steps := []device.PlannedStep{still, still, still, still}
	for i, epoch := range []int{1, 7, 15, 40} {
		steps[i].Epoch = epoch
	}
	seen, err := residence.Steps(t.Context(), steps)
	if err != nil || len(seen) != 4 {
		t.Fatal(seen, err)
	}
	each := (seen[1].Loss - seen[0].Loss) / 6 // of a fifteenth
	near(t, "the loss of epoch 15", seen[2].Loss, seen[1].Loss+8*each, 1e-6)
	near(t, "the loss of epoch 40", seen[3].Loss, seen[2].Loss, 0)
	if !(each > 0.001) {
		t.Errorf("a fifteenth of the divergence is %g", each)
	}
	done := card.Launches["advance"]
	steps[2].Epoch = 0
	if _, err := residence.Steps(t.Context(), steps); err == nil || !strings.Contains(err.Error(), "step 2 of 4 is of epoch 0; the weight of ELIP's divergence follows from the epoch") || card.Launches["advance"] != done {
		t.Errorf("error %v, %d steps were done", err, card.Launches["advance"]-done)
	}
}

// The members of an ensemble are independent: each has the bits of a separate training.
func TestMembersOfAnEnsembleAreTrainingsByThemselves(t *testing.T) {
	a := nn.Architecture{Dimension: 6, Hidden: 7, HiddenLayers: 1, Objective: nn.Ensemble, Optimizer: nn.AdamW}
	train := func(objective nn.Objective, parameters []float32) (trained []float32, seen []device.SeenStep) {
		a.Objective = objective
		g := newGame(a, 10, 30).masked(masking["thirds"])
		work := g.work(t, g.learner(t, device.Reference[float32]{}))
		if parameters != nil {
			copy(work.Parameters, parameters)
		}
		card := start(t, emulate.New(), work)
		if err := card.Order(g.order); err != nil {
			t.Fatal(err)
		}
		seen, err := card.Steps(t.Context(), g.plan(0))
		if err != nil || len(seen) != 3 {
			t.Fatal(seen, err)
		}
		if err := card.Save(work.Parameters, work.Memory); err != nil {
			t.Fatal(err)
		}
		return work.Parameters, seen
	}
	g := newGame(a, 10, 30)
	first := slices.Clone(g.work(t, g.learner(t, device.Reference[float32]{})).Parameters)
	whole, seen := train(nn.Ensemble, nil)
	each, losses, temperatures := len(whole)/5, make([]float64, 3), make([]float64, 3)
	for member := range 5 {
		from := member * each
		alone, saw := train(nn.EvidentialITC, first[from:from+each])
		if !slices.Equal(alone, whole[from:from+each]) {
			t.Errorf("member %d is not the training by itself", member)
		}
		for i, s := range saw {
			losses[i] += s.Loss
			temperatures[i] += s.Temperature / 5
		}
	}
	for i, s := range seen {
		near(t, "the sum of the losses", s.Loss, losses[i], 1e-7)
		near(t, "the mean temperature", s.Temperature, temperatures[i], 1e-7)
	}
}
