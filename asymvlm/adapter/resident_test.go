package adapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
	"gosphere/asymvlm/nn"
)

// emulated returns a device on an emulated GPU, and the GPU.
func emulated(t *testing.T) (*cuda.Device, *emulate.Driver) {
	t.Helper()
	t.Setenv(device.Variable, device.NameCUDA) // so that nothing silently falls back to the CPU
	card := emulate.New()
	ops, err := cuda.New(card)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ops.Close)
	return ops, card
}

// trainOn is Train on a given device.
func trainOn(t *testing.T, ops device.Device, set *embedding.Set, options Options) (*Adapter, error) {
	t.Helper()
	training, err := newTraining(ops, set, options)
	if err != nil {
		t.Fatal(err)
	}
	return training.run(context.Background(), options.progress())
}

// cardOptions returns options for 3 epochs of 2 full batches and a short one.
func cardOptions(t *testing.T, method string) Options {
	t.Helper()
	options := smallOptions(method)
	options.Epochs, options.CheckpointEvery = passes(method, 3), 1
	if options.Reads("Hidden") {
		options.Hidden = 16
	}
	options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	return options
}

// masked is a suffix of a method's name that selects training with captions of the same image
// masked.
const masked = ", masked"

func TestTrainingOnTheCardIsTrainingOnTheProcessor(t *testing.T) {
	if testing.Short() {
		t.Skip("trains every method on an emulated card")
	}
	set := smallSet(30, 8)
	for _, method := range []string{AsymVLMVonMisesFisher, AsymVLMPowerSpherical, AsymVLMImage, DeterministicFineTuning, AsymVLMGaussian,
		AsymVLMVonMisesFisherExact, SigLIPVonMisesFisher, SigLIPPowerSpherical, SigLIPVonMisesFisherLog, SymVLM, SymVLMMutual,
		PCMEpp, ProLIP, ProLIPExact, ProLIPFull, ProLIPFullOfficial, PFE, ProbVLM, ProbVLMExact, ELIP, ELIPITC, CLIPEnsemble,
		AsymVLMVonMisesFisher + masked, AsymVLMPowerSpherical + masked, AsymVLMImage + masked, SigLIPVonMisesFisher + masked, SymVLM + masked,
		PCMEpp + masked, ProLIP + masked, ELIPITC + masked} {
		method, mask := strings.CutSuffix(method, masked)
		options := cardOptions(t, method)
		options.MaskSameImage, options.Epochs = mask, 2
		ops, card := emulated(t)
		got, err := trainOn(t, ops, set, options)
		if err != nil {
			t.Fatal(err)
		}
		if steps := card.Launches["advance"]; steps != 6 {
			t.Errorf("%s: %d steps on the card, want all 6", method, steps)
		}
		if used := card.Used(); used != 0 {
			t.Errorf("%s: %d bytes are left on the card", method, used)
		}
		options.Checkpoint = ""
		want, err := trainOn(t, device.Reference[float32]{}, set, options)
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range bits(want) {
			if !(math.Abs(float64(bits(got)[i]-value)) <= 3e-5*math.Max(1, math.Abs(float64(value)))) {
				t.Fatalf("%s: value %d is %g, want %g", method, i, bits(got)[i], value)
			}
		}
	}
}

func TestTrainingStoppedOnTheCardResumesToTheSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	set := smallSet(30, 8)
	options := cardOptions(t, AsymVLMVonMisesFisher)
	ops, _ := emulated(t)
	whole, err := trainOn(t, ops, set, options)
	if err != nil {
		t.Fatal(err)
	}
	options.Checkpoint = filepath.Join(t.TempDir(), "b.safetensors")
	enough := errors.New("enough")
	options.Progress = &watch{advance: func(u Update) error {
		if u.Step == 4 {
			return enough
		}
		return nil
	}}
	if _, err := trainOn(t, ops, set, options); !errors.Is(err, enough) {
		t.Fatalf("error %v, want the progress's own", err)
	}
	options.Progress, options.Resume = silent{}, true
	resumed, err := trainOn(t, ops, set, options)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(bits(resumed), bits(whole)) {
		t.Error("other weights or another history")
	}
}

// If the context ends during a step, that step is completed and no further step begins, regardless
// of how many steps the GPU was given in one call.
func TestAnInterruptOnTheCardTakesEffectWithinOneStep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	set := smallSet(20, 8)
	for _, last := range []int{1, 2, 5, 11} {
		options := cardOptions(t, AsymVLMVonMisesFisher)
		options.Epochs, options.Batch, options.CheckpointEvery = 4, 4, 0 // 15 steps per epoch
		ops, card := emulated(t)
		training, err := newTraining(ops, set, options)
		if err != nil {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		card.Fail = func() error {
			if card.Launches["advance"] == last-1 && card.Launches["gather"] == last {
				interrupt(enough)
			}
			return nil
		}
		stopped, err := training.run(ctx, silent{})
		if !errors.Is(err, enough) || card.Launches["advance"] != last || stopped.History().Steps() != last {
			t.Errorf("%d steps on the card and %d in the history, want %d; error %v", card.Launches["advance"], stopped.History().Steps(), last, err)
		}
		options.Resume = true
		resumed, err := trainOn(t, ops, set, options)
		if err != nil {
			t.Fatal(err)
		}
		if done := card.Launches["advance"]; done != 60 || resumed.History().Steps() != 60 {
			t.Errorf("%d steps in both runs, want 60", done)
		}
	}
}

func TestALostCardEndsTheTrainingAndKeepsTheCheckpoint(t *testing.T) {
	options := cardOptions(t, AsymVLMVonMisesFisher)
	ops, card := emulated(t)
	training, err := newTraining(ops, smallSet(30, 8), options)
	if err != nil {
		t.Fatal(err)
	}
	var kept []byte
	card.Fail = func() error {
		if card.Launches["advance"] < 5 {
			return nil
		}
		kept, err = os.ReadFile(options.Checkpoint)
		return errors.New("the card does not answer")
	}
	_, failed := training.run(context.Background(), silent{})
	if err != nil || failed == nil || !strings.Contains(failed.Error(), "the device was lost: the card does not answer; the last checkpoint") {
		t.Errorf("error %v, reading %v", failed, err)
	}
	var lost *device.LostError
	if !errors.As(failed, &lost) {
		t.Errorf("error %v is not of a lost device", failed)
	}
	if now, err := os.ReadFile(options.Checkpoint); err != nil || !bytes.Equal(now, kept) {
		t.Errorf("the checkpoint changed, error %v", err)
	}
	t.Setenv(device.Variable, device.NameCPU)
	if _, err := Load(options.Checkpoint); err != nil {
		t.Error(err)
	}
}

// Too little memory for a matrix product or a recording ends the training with that error and is
// not reported as a lost device.
func TestTooLittleMemoryWithinATrainingIsNoLostDevice(t *testing.T) {
	products := device.NewCPU(1)
	defer products.Close()
	products.GiveProducts("somebody", 0, func(device.ForeignProduct) {
		panic(fmt.Errorf("a product wants 5 GB: %w", device.ErrMemory))
	})
	steps, card := emulated(t)
	card.Fail = func() error { return device.ErrMemory }
	for want, ops := range map[string]device.Device{
		"adapter: step 1 of 3: a product wants 5 GB: the GPU has too little free memory; ": products,
		"adapter: after step 0 of 3: the GPU has too little free memory; ":                 steps,
	} {
		_, err := trainOn(t, ops, smallSet(10, 8), cardOptions(t, AsymVLMPowerSpherical))
		if lost := new(device.LostError); errors.As(err, &lost) || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Wherever the GPU fails, the file is missing or complete: the state after the last completed
// epoch.
func TestAFailedStartNeverLeavesAHalfWrittenCheckpoint(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	set := smallSet(10, 8)
	for failing := 1; ; failing += 19 { // operations of the GPU
		options := cardOptions(t, AsymVLMPowerSpherical)
		options.Hidden, options.Batch = 8, 16 // two steps per epoch, of 16 and 14 pairs
		ops, card := emulated(t)
		training, err := newTraining(ops, set, options)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		card.Fail = func() error {
			if asked++; asked >= failing {
				return errors.New("the card does not answer")
			}
			return nil
		}
		_, failed := training.run(context.Background(), silent{})
		t.Setenv(device.Variable, device.NameCPU) // for loading
		kept, err := Load(options.Checkpoint)
		switch {
		case failed == nil && (err != nil || kept.History().Steps() != 6 || failing < 100):
			t.Fatalf("a training of %d works: error %v", asked, err)
		case failed == nil:
			return
		case errors.Is(err, os.ErrNotExist):
			if !strings.Contains(failed.Error(), "no checkpoint was written before it") || card.Launches["advance"] > 2 {
				t.Errorf("work %d: no checkpoint after %d steps, error %v", failing, card.Launches["advance"], failed)
			}
		case err != nil:
			t.Errorf("work %d: %v", failing, err)
		case kept.History().Steps()%2 != 0 || !strings.Contains(failed.Error(), "is kept"):
			t.Errorf("work %d: a checkpoint of %d steps, error %v", failing, kept.History().Steps(), failed)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(options.Checkpoint), "*")); err == nil && len(left) != 1 || err != nil && len(left) != 0 {
			t.Errorf("work %d leaves %v behind", failing, left)
		}
	}
}

func TestWhatIsNotFiniteOnTheCardStopsBeforeItsUpdate(t *testing.T) {
	options := cardOptions(t, AsymVLMVonMisesFisher)
	options.LearningRate = 1e6
	ops, _ := emulated(t)
	_, err := trainOn(t, ops, smallSet(30, 8), options)
	var bad *nn.NotFiniteError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "of 9: nn: ") {
		t.Errorf("error %v, want the step and the quantity", err)
	}
}

func TestACardWithTooLittleMemoryIsLeftOnlyWhereItWasNotAskedFor(t *testing.T) {
	set, options := smallSet(30, 8), cardOptions(t, AsymVLMVonMisesFisher)
	ops, card := emulated(t)
	card.Limit = 20_000
	if _, err := trainOn(t, ops, set, options); !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "a smaller batch or the device cpu helps") {
		t.Errorf("error %v, want that of the memory", err)
	}
	if card.Used() != 0 {
		t.Errorf("%d bytes are left on the card", card.Used())
	}
	t.Setenv(device.Variable, device.NameAuto)
	told := &noted{}
	options.Progress = told
	if _, err := trainOn(t, ops, set, options); err != nil || card.Launches["advance"] != 0 {
		t.Errorf("error %v, %d steps on the card; want the processor's", err, card.Launches["advance"])
	}
	if len(told.notes) != 1 || !strings.HasPrefix(told.notes[0], "asymvlm-vmf is trained on the CPU, with only large matrix products on cuda") {
		t.Errorf("told is %q", told.notes)
	}
}

// A noted records the notes that a progress receives.
type noted struct {
	silent
	notes []string
}

func (n *noted) Note(text string) { n.notes = append(n.notes, text) }

// staysOnCard reports whether a training runs entirely on a GPU, as all methods that minimize their
// own loss do. A user-defined loss is Go code, which no GPU runs, bayesvlm accumulates curvatures
// in one pass, and residual networks are not implemented in the GPU's training step.
func staysOnCard(options Options) bool {
	return options.Loss == nil && !IsOnePass(options.Method) && !strings.HasSuffix(options.Method, "-residual")
}

func TestEveryMethodAndOptionStaysOnTheCardOrIsSaidNotTo(t *testing.T) {
	if testing.Short() {
		t.Skip("trains every method with every option")
	}
	ops, card := emulated(t)
	set, tried := smallSet(4, 8), map[string]int{}
	for _, method := range Methods() {
		if !aboutOf(method).Trained {
			continue // nothing to train
		}
		for name, change := range map[string]func(o *Options){
			"plain":        func(*Options) {},
			"masked":       func(o *Options) { o.MaskSameImage = true },
			"scaled start": func(o *Options) { o.ScaledStart = true },
			"lengths":      func(o *Options) { o.MatchLengths, o.TextLength = true, 9 },
			"warm-up":      func(o *Options) { o.WarmUp = 1 },
			"sgd":          func(o *Options) { o.Optimizer = nn.SGD },
			"adamw":        func(o *Options) { o.Optimizer = nn.AdamW },
			"adamp":        func(o *Options) { o.Optimizer = nn.AdamP },
			"own loss":     func(o *Options) { o.Loss = smallness() },
			"no layers":    func(o *Options) { o.HiddenLayers = 0 },
		} {
			options := cardOptions(t, method)
			options.Epochs, options.Batch, options.Checkpoint = 1, 9, ""
			if options.Reads("LearningRate") {
				options.LearningRate = 1e-6
			}
			if options.Reads("Hidden") {
				options.Hidden = 4
			}
			change(&options)
			if options.Check() != nil || options.checkIdle(find(method)) != nil {
				continue // not available for this method
			}
			tried[name]++
			before := card.Launches["advance"]
			if _, err := trainOn(t, ops, set, options); err != nil {
				t.Errorf("%s, %s: %v", method, name, err)
				continue
			}
			want := 0
			if staysOnCard(options) {
				want = 2 // 12 pairs
			}
			if steps := card.Launches["advance"] - before; steps != want {
				t.Errorf("%s, %s: %d steps on the card, want %d", method, name, steps, want)
			}
		}
	}
	for name, least := range map[string]int{"plain": 24, "masked": 15, "scaled start": 2, "sgd": 20, "adamp": 20, "own loss": 20} {
		if tried[name] < least {
			t.Errorf("%s was tried with %d methods, want %d or more", name, tried[name], least)
		}
	}
}

// smallness is a user-defined loss: the mean square of the inputs that a method provides.
func smallness() custom.Func {
	return custom.Func{Label: "smallness", Loss: func(b *custom.Batch) (loss float64) {
		for _, part := range b.Parts() {
			for r, row := range part.Derivatives {
				for k := range row {
					value := part.Values[r][k]
					loss += value * value / 1e3
					row[k] += 2 * value / 1e3
				}
			}
		}
		return loss
	}}
}
