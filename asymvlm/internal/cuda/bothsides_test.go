package cuda_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

// bothSides are the methods with networks on both sides.
var bothSides = []nn.Architecture{
	{Objective: nn.PCMEPP, Optimizer: nn.AdamW}, {Objective: nn.ProLIP, Optimizer: nn.AdamW},
	{Objective: nn.ProLIPExact}, {Objective: nn.PFE}, {Objective: nn.ProbVLM, Optimizer: nn.AdamW},
	{Objective: nn.ProbVLMExact, Optimizer: nn.AdamW}, {Objective: nn.EvidentialITC, Optimizer: nn.AdamW},
	{Objective: nn.Evidential, Optimizer: nn.AdamW}, {Objective: nn.Ensemble, Optimizer: nn.AdamW},
	{Objective: nn.Symmetrized}, {Objective: nn.Mutual}, {Objective: nn.ProLIPFull, Optimizer: nn.AdamP},
}

func ofBoth(a nn.Architecture) game {
	a.Dimension, a.Hidden, a.HiddenLayers = 6, 7, 1
	return newGame(a, 10, 10)
}

// A NaN in the last layer of either side, in a scalar or in an embedding of the batch ends the
// training before the update.
func TestNaNOnEitherSideIsToldAndNothingIsUpdated(t *testing.T) {
	if testing.Short() {
		t.Skip("does many steps")
	}
	nan := float32(math.NaN())
	for _, a := range bothSides {
		g := ofBoth(a)
		l := g.learner(t, device.Reference[float32]{})
		work := g.work(t, l)
		count := len(work.Parameters)
		for what, spoil := range map[string]func(w *device.TrainingPlan){
			"a bias of the texts":     func(w *device.TrainingPlan) { w.Parameters[lastBias(l, "text")] = nan },
			"a bias of the images":    func(w *device.TrainingPlan) { w.Parameters[lastBias(l, "image")] = nan },
			"the last parameter":      func(w *device.TrainingPlan) { w.Parameters[count-1] = nan },
			"a text of the batch":     func(w *device.TrainingPlan) { w.Adapted.Values[8] = nan },
			"an image of the batch":   func(w *device.TrainingPlan) { w.Anchors.Values[8] = nan },
			"an infinitely long text": func(w *device.TrainingPlan) { w.Adapted.Values[8] = float32(math.Inf(1)) },
		} {
			w := work
			w.Parameters, w.Memory = slices.Clone(work.Parameters), nil
			for range work.Memory {
				w.Memory = append(w.Memory, make([]float32, count))
			}
			w.Adapted.Values, w.Anchors.Values = slices.Clone(work.Adapted.Values), slices.Clone(work.Anchors.Values)
			spoil(&w)
			card := start(t, emulate.New(), w)
			if err := card.Order(g.order); err != nil {
				t.Fatal(err)
			}
			seen, err := card.Steps(t.Context(), []device.PlannedStep{g.plan(0)[0], g.plan(0)[0]})
			if err != nil {
				t.Fatal(err)
			}
			if _, bad := l.Seen(seen[0]); bad == nil || len(seen) != 1 {
				t.Errorf("%s: %s is strange: %d steps, the first saw %+v", a.Objective, what, len(seen), seen[0])
			}
			after, parameters := [][]float32{}, make([]float32, count)
			for range work.Memory {
				after = append(after, make([]float32, count))
			}
			if err := card.Save(parameters, after); err != nil {
				t.Fatal(err)
			}
			same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
			if !slices.EqualFunc(parameters, w.Parameters, same) || !slices.Equal(after[0], make([]float32, count)) {
				t.Errorf("%s: %s is strange: the step updated", a.Objective, what)
			}
		}
	}
}

// lastBias returns the index of the first value of a side's last bias.
func lastBias(l *nn.Learner, side string) int {
	at, found := 0, -1
	for _, p := range l.Parameters() {
		if len(p.Shape) == 1 && strings.Contains(p.Name, side+".") {
			found = at
		}
		at += len(p.Values)
	}
	return found
}

// A seed produces the same bits, whether steps are requested one by one or several per call.
func TestStepsOfBothSidesAreTheSameBitsInWindowsOfAnySize(t *testing.T) {
	if testing.Short() {
		t.Skip("does many steps")
	}
	for _, a := range bothSides {
		a.Dimension, a.Hidden, a.HiddenLayers = 6, 7, 1
		g := newGame(a, 8, 32)
		var first []float32
		for _, window := range []int{1, 3, 4} {
			work := g.work(t, g.learner(t, device.Reference[float32]{}))
			card := start(t, emulate.New(), work)
			if err := card.Order(g.order); err != nil {
				t.Fatal(err)
			}
			for some := range slices.Chunk(g.plan(0), window) {
				if _, err := card.Steps(t.Context(), some); err != nil {
					t.Fatal(err)
				}
			}
			if err := card.Save(work.Parameters, work.Memory); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = slices.Clone(work.Parameters)
			} else if !slices.Equal(first, work.Parameters) {
				t.Errorf("%s: windows of %d steps give other bits", a.Objective, window)
			}
		}
	}
}

func TestWorkOfUnknownKindsIsLeftToTheOperations(t *testing.T) {
	for _, change := range []func(w *device.TrainingPlan){
		func(w *device.TrainingPlan) { w.Loss = nil }, func(w *device.TrainingPlan) { w.Optimizer = "accumulate" },
		func(w *device.TrainingPlan) { w.Loss = device.ContrastiveLoss{Density: -1} },
		func(w *device.TrainingPlan) { w.Loss = device.AdapterLoss{} },
		func(w *device.TrainingPlan) { w.Loss = device.AdapterLoss{Members: 2, Evidential: true} },
		func(w *device.TrainingPlan) { w.Loss = device.PairsLoss{Inclusion: 0.1} },
	} {
		g := ofBoth(bothSides[0])
		work := g.work(t, g.learner(t, device.Reference[float32]{}))
		change(&work)
		if _, err := cuda.Budget(work); err != device.ErrUnknownWork {
			t.Errorf("%#v %s: error %v", work.Loss, work.Optimizer, err)
		}
	}
	g := ofBoth(bothSides[0])
	work := g.work(t, g.learner(t, device.Reference[float32]{}))
	work.Widths = []int{6}
	if _, err := cuda.Budget(work); err == nil || err.Error() != "cuda: a network of widths [6] has no layer" {
		t.Errorf("error %v", err)
	}
	if !errorsIn(work) {
		t.Error("a work without layers is no error of a card")
	}
	work.Widths = []int{6, 33_000, 33_000, 6} // on both sides
	if _, err := cuda.Budget(work); err == nil || err.Error() != "cuda: networks of widths [6 33000 33000 6] have 2178924014 parameters, and the kernels count up to 2147221503; choose narrower layers or the device cpu" {
		t.Errorf("error %v", err)
	}
}

// errorsIn reports whether a GPU rejects a work and frees its memory.
func errorsIn(work device.TrainingPlan) bool {
	card := emulate.New()
	ops, err := cuda.New(card)
	if err != nil {
		return false
	}
	defer ops.Close()
	_, err = ops.Train(work)
	return err != nil && card.Used() == 0
}
