package cuda_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

var errLost = errors.New("the card does not answer")

// A fragile GPU fails at one call, and at all that follow.
type fragile struct {
	*emulate.Driver
	left   int // calls that succeed before the failure; negative for all
	closed bool
}

func (f *fragile) ask() error {
	if f.left == 0 {
		return errLost
	}
	f.left--
	return nil
}

func (f *fragile) Load(ptx string) error { return errors.Join(f.ask(), f.Driver.Load(ptx)) }

func (f *fragile) Allocate(bytes int) (cuda.Address, error) {
	if err := f.ask(); err != nil {
		return 0, err
	}
	return f.Driver.Allocate(bytes)
}

func (f *fragile) Write(to cuda.Address, values []float32) error {
	if err := f.ask(); err != nil {
		return err
	}
	return f.Driver.Write(to, values)
}

func (f *fragile) WriteWords(to cuda.Address, words []uint32) error {
	if err := f.ask(); err != nil {
		return err
	}
	return f.Driver.WriteWords(to, words)
}

// Read copies only half of the numbers when it fails.
func (f *fragile) Read(values []float32, from cuda.Address) error {
	if err := f.ask(); err != nil {
		for i := range values[:len(values)/2] {
			values[i] = -12345
		}
		return err
	}
	return f.Driver.Read(values, from)
}

func (f *fragile) ReadWords(words []uint32, from cuda.Address) error {
	if err := f.ask(); err != nil {
		return err
	}
	return f.Driver.ReadWords(words, from)
}

func (f *fragile) Record(parts []cuda.Part) (cuda.Recording, error) {
	if err := f.ask(); err != nil {
		return nil, err
	}
	return f.Driver.Record(parts)
}

func (f *fragile) Replay(r cuda.Recording) error {
	if err := f.ask(); err != nil {
		return err
	}
	return f.Driver.Replay(r)
}

func (f *fragile) Multiply(p cuda.Product) error {
	if err := f.ask(); err != nil {
		return err
	}
	return f.Driver.Multiply(p)
}

func (f *fragile) Wait() error { return f.ask() }

func (f *fragile) Close() error {
	f.closed = true
	return f.Driver.Close()
}

// smallGame is the smallest training with all features: two layers, two full batches and a short
// one.
func smallGame() game {
	return newGame(nn.Architecture{Dimension: 5, Hidden: 6, HiddenLayers: 1, Objective: nn.Contrastive,
		Likelihood: nn.PowerSpherical, Optimizer: nn.AdamW}, 8, 19)
}

// whole trains an epoch on a GPU and saves it, up to the first error.
func (g game) whole(t *testing.T, card cuda.Driver, work device.TrainingPlan) (err error) {
	t.Helper()
	ops, err := cuda.New(card)
	if err != nil {
		return err
	}
	defer ops.Close()
	residence, err := ops.Train(work)
	if err != nil {
		return err
	}
	defer residence.Close()
	if err := residence.Order(g.order); err != nil {
		return err
	}
	steps := g.plan(0)
	for _, some := range [][]device.PlannedStep{steps[:2], steps[2:]} {
		if _, err := residence.Steps(t.Context(), some); err != nil {
			return err
		}
	}
	return residence.Save(work.Parameters, work.Memory)
}

func TestACardThatFailsAnywhereTellsItAndTouchesNothing(t *testing.T) {
	g, every := smallGame(), 1
	if testing.Short() {
		every = 7
	}
	for left := 0; ; left += every {
		l := g.learner(t, device.Reference[float32]{})
		work := g.work(t, l)
		before := slices.Concat(append([][]float32{work.Parameters}, work.Memory...)...)
		card := &fragile{Driver: emulate.New(), left: left}
		err := g.whole(t, card, work)
		after := slices.Concat(append([][]float32{work.Parameters}, work.Memory...)...)
		if err == nil {
			if left < 40 {
				t.Errorf("a whole training asked its card %d times", left)
			}
			if slices.Equal(before, after) {
				t.Error("a training changed nothing")
			}
			return
		}
		if !errors.Is(err, errLost) {
			t.Fatalf("failing after %d questions: error %v", left, err)
		}
		if !slices.Equal(before, after) {
			t.Fatalf("failing after %d questions left other parameters or memory behind", left)
		}
		if !card.closed {
			t.Fatalf("failing after %d questions left the card open", left)
		}
	}
}

// Whichever allocation fails, the error contains the required size, and all memory is freed.
func TestTooLittleMemoryAtAnyAllocationIsToldAndLeavesNone(t *testing.T) {
	g := smallGame()
	most := emulate.New()
	peak := 0
	most.Fail = func() error { peak = max(peak, most.Used()); return nil }
	if err := g.whole(t, most, g.work(t, g.learner(t, device.Reference[float32]{}))); err != nil {
		t.Fatal(err)
	}
	failures := 0
	if testing.Short() {
		t.Skip("tries many limits")
	}
	for limit := 4; limit <= peak+4; limit += 40 {
		card := emulate.New()
		card.Limit = limit
		ops, err := cuda.New(card)
		if err != nil {
			t.Fatal(err)
		}
		residence, err := ops.Train(g.work(t, g.learner(t, device.Reference[float32]{})))
		if err == nil {
			residence.Close()
		} else {
			failures++
			for _, want := range []string{"cuda: the training wants ", " GB of emulated card, ", "a smaller batch or the device cpu helps: the GPU has too little free memory: ", " wanted in one piece, ", " free"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("with %d bytes: error %v, want %q in it", limit, err, want)
				}
			}
		}
		if (err == nil) != (limit >= peak) || card.Used() != 0 {
			t.Errorf("with %d of %d bytes: error %v, and %d bytes are left", limit, peak, err, card.Used())
		}
		ops.Close()
	}
	if failures < 20 {
		t.Errorf("%d limits were too small, want more than 20", failures)
	}
}

func TestWorkThatCannotBeIsRefusedBeforeTheCardIsAsked(t *testing.T) {
	g := smallGame()
	for want, change := range map[string]func(w *device.TrainingPlan){
		"work that only the operations do":          func(w *device.TrainingPlan) { w.Loss = device.ContrastiveLoss{Density: -1} },
		"work that only the operations do ":         func(w *device.TrainingPlan) { w.Optimizer = "accumulate" },
		"cuda: pairs of 19 and 18 rows":             func(w *device.TrainingPlan) { w.AnchorOf = w.AnchorOf[:18] },
		"vectors of the optimizer's memory, want 2": func(w *device.TrainingPlan) { w.Memory = w.Memory[:1] },
		"networks of widths":                        func(w *device.TrainingPlan) { w.Widths = []int{5, 7, 5} },
		"cuda: index 3 is 19, want one below 19":    func(w *device.TrainingPlan) { w.AdaptedOf = slices.Clone(w.AdaptedOf); w.AdaptedOf[3] = 19 },
		"cuda: index 0 is -1, want one below 10":    func(w *device.TrainingPlan) { w.AnchorOf = slices.Clone(w.AnchorOf); w.AnchorOf[0] = -1 },
	} {
		card := emulate.New()
		ops, err := cuda.New(card)
		if err != nil {
			t.Fatal(err)
		}
		work := g.work(t, g.learner(t, device.Reference[float32]{}))
		change(&work)
		_, err = ops.Train(work)
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("error %v, want %q", err, want)
		}
		if unknown := errors.Is(err, device.ErrUnknownWork); unknown != strings.HasPrefix(want, "work that") {
			t.Errorf("error %v is of unknown work: %t", err, unknown)
		}
		if card.Used() != 0 {
			t.Errorf("%s: %d bytes are left on the card", want, card.Used())
		}
		ops.Close()
	}
}

func TestStepsThatCannotBeAreErrors(t *testing.T) {
	g := smallGame()
	card := start(t, emulate.New(), g.work(t, g.learner(t, device.Reference[float32]{})))
	if err := card.Order(g.order); err != nil {
		t.Fatal(err)
	}
	for want, steps := range map[string][]device.PlannedStep{
		"cuda: 0 steps at once, want at most 32":       nil,
		"cuda: 33 steps at once, want at most 32":      make([]device.PlannedStep, 33),
		"cuda: a step of 0 pairs, want at most 8":      {{Rows: 0}},
		"cuda: a step of 9 pairs, want at most 8":      {{Rows: 9}},
		"emulate: kernel gather, block 0,0: thread 0:": {{From: 19, Rows: 8}},
	} {
		if _, err := card.Steps(t.Context(), steps); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := card.Order([]int{0, 1, 7}); err == nil || err.Error() != "cuda: index 2 is 7, want one below 3" {
		t.Errorf("error %v", err)
	}
}

// A failing product of matrices in CPU memory ends the operation with the error of a lost device.
func TestProductsOfALostCardPanicWithTheLoss(t *testing.T) {
	m := device.NewMatrix[float32](600, 600)
	for left := 1; left <= 7; left++ { // the kernels are loaded first
		card := &fragile{Driver: emulate.New(), left: left}
		ops, err := cuda.New(card)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				lost, ok := recover().(*device.LostError)
				if !ok || !errors.Is(lost, errLost) {
					t.Errorf("failing after %d questions the product panics with %v", left, lost)
				}
			}()
			card.Driver.Fail = func() error { return nil }
			card.left = left - 1
			ops.Product(device.NewMatrix[float32](600, 600), m, m)
		}()
		// The CPU is not left locked.
		ops.Sum(device.NewMatrix[float32](2, 2), device.NewMatrix[float32](2, 2), device.NewMatrix[float32](2, 2))
		ops.Close()
	}
}

// A product larger than the GPU's memory is not reported as a lost GPU: the error contains the
// sizes, all memory is freed, and smaller products still run, even if an earlier one must be freed
// first.
func TestAProductBeyondTheCardsMemoryTellsTheSizesAndTheCardGoesOn(t *testing.T) {
	const side = 600
	m := device.NewMatrix[float32](side, side)
	for i := range m.Values {
		m.Values[i] = float32(i%7) - 3
	}
	for limit, want := range map[int]string{
		1000:              ": 1.44 MB wanted in one piece, 1000 bytes free",
		2*4*side*side + 4: ": 1.44 MB wanted in one piece, 2.88 MB free",
	} {
		card := emulate.New()
		card.Limit = limit
		ops, err := cuda.New(card)
		if err != nil {
			t.Fatal(err)
		}
		product := func() (failed error) {
			defer func() { failed, _ = recover().(error) }()
			ops.Product(device.NewMatrix[float32](side, side), m, m)
			return nil
		}
		err = product()
		want = "cuda: a product of 600×600×600 wants 4.32 MB of emulated card; a smaller batch or the device cpu helps: the GPU has too little free memory" + want
		if lost := new(device.LostError); errors.As(err, &lost) || !errors.Is(err, device.ErrMemory) || err.Error() != want {
			t.Errorf("with %d bytes: error %v, want %s", limit, err, want)
		}
		if card.Used() != 0 {
			t.Errorf("with %d bytes: %d are left on the card", limit, card.Used())
		}
		card.Limit = 3 * 4 * side * side
		if err := product(); err != nil || card.Used() != card.Limit {
			t.Errorf("with enough memory: %d bytes are used, error %v", card.Used(), err)
		}
		// As large as the three matrices before, but divided differently.
		ops.Product(device.NewMatrix[float32](2*side, side/2), device.NewMatrix[float32](2*side, side*4/5), device.NewMatrix[float32](side*4/5, side/2))
		ops.Close()
	}
}

func TestColumnMajorProductsAreTheSameNumbers(t *testing.T) {
	const rows, inner, columns = 3, 4, 5
	for _, form := range [][2]bool{{false, false}, {true, false}, {false, true}} {
		p := cuda.Product{Rows: rows, Inner: inner, Columns: columns, LeftTransposed: form[0], RightTransposed: form[1]}
		c := p.ColumnMajor()
		value := func(side, place int) float64 { return float64((place*7+side*3)%11) - 5 }
		// element i,j of op(X), stored column-major
		at := func(side, leading int, transposed bool, i, j int) float64 {
			if transposed {
				i, j = j, i
			}
			return value(side, i+j*leading)
		}
		for i := range rows {
			for j := range columns {
				want, got := 0.0, 0.0
				for k := range inner {
					left, right := i*inner+k, k*columns+j
					if form[0] {
						left = k*rows + i
					}
					if form[1] {
						right = j*inner + k
					}
					want += value(0, left) * value(1, right)
					// The sides are exchanged, and so are rows and columns.
					got += at(1, c.LeadingA, c.LeftTransposed, j, k) * at(0, c.LeadingB, c.RightTransposed, k, i)
				}
				if c.M != columns || c.N != rows || c.K != inner || c.LeadingC != columns || got != want {
					t.Errorf("%v: value %d,%d is %g of %+v, want %g", form, i, j, got, c, want)
				}
			}
		}
		if p.FLOP() != 2*rows*inner*columns {
			t.Error(fmt.Sprint(p.FLOP(), " operations"))
		}
	}
}
