package adapter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/internal/host"
)

// smallSet returns random images with three captions each. The second half of the captions is
// further from its image and has smaller norms.
func smallSet(images, columns int) *embedding.Set {
	source := rand.New(rand.NewPCG(1, 2))
	set := &embedding.Set{Name: "small", Images: embedding.NewMatrix(images, columns), Texts: embedding.NewMatrix(3*images, columns)}
	for i := range images {
		for j := range columns {
			set.Images.Set(i, j, float32(source.NormFloat64()))
		}
	}
	for text := range 3 * images {
		image, noise := text/3, 0.2
		if text%2 == 1 {
			noise = 1.5
		}
		for j := range columns {
			set.Texts.Set(text, j, set.Images.At(image, j)+float32(noise*source.NormFloat64()))
		}
		set.CaptionImages = append(set.CaptionImages, image)
	}
	return set
}

// passes returns a number of epochs, or that of the schedule if the method does not read Epochs.
func passes(method string, epochs int) int {
	options, err := PaperOptions(method)
	if err != nil {
		panic(err)
	}
	if !options.Reads("Epochs") {
		return options.Epochs
	}
	return epochs
}

// smallOptions returns options that train in a few hundredths of a second, with a short last batch.
func smallOptions(method string) Options {
	options, err := PaperOptions(method)
	if err != nil {
		panic(err)
	}
	if options.Reads("Batch") {
		options.Batch = 40
	}
	if options.Reads("Hidden") {
		options.Hidden = 32
	}
	if options.Reads("HiddenLayers") {
		options.HiddenLayers = 2
	}
	if reduced, err := DefaultOptions(method); err == nil && options.Reads("LearningRate") {
		options.LearningRate = reduced.LearningRate
		options.Epochs = 6
	}
	if method == ELIP {
		options.LearningRate = 1e-3 // the rate of its reduced schedule is intended for more steps
	}
	options.Progress = silent{}
	return options
}

func inf() float64 { return math.Inf(1) }

func mustTrain(t *testing.T, set *embedding.Set, options Options) *Adapter {
	t.Helper()
	a, err := Train(context.Background(), set, options)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// bits returns all values that a training determines.
func bits(a *Adapter) []float32 {
	var all []float32
	if a.learner != nil {
		for _, p := range a.learner.Parameters() {
			all = append(all, p.Values...)
		}
	}
	for _, part := range a.history.parts() {
		for _, value := range *part {
			all = append(all, float32(value))
		}
	}
	return all
}

// A watch is a Progress that calls functions.
type watch struct {
	began, ended int
	task         string
	steps        int
	updates      []Update
	advance      func(Update) error
	end          error
}

func (w *watch) Begin(task string, steps int) { w.began, w.task, w.steps = w.began+1, task, steps }
func (w *watch) End(err error)                { w.ended, w.end = w.ended+1, err }
func (w *watch) Advance(u Update) error {
	w.updates = append(w.updates, u)
	if w.advance != nil {
		return w.advance(u)
	}
	return nil
}

func TestTrainingLearnsToRetrieve(t *testing.T) {
	set := smallSet(60, 24)
	for _, method := range []string{AsymVLMVonMisesFisher, AsymVLMVonMisesFisherExact, AsymVLMPowerSpherical, DeterministicFineTuning} {
		options := smallOptions(method)
		options.Epochs = 60
		a := mustTrain(t, set, options)
		loss := a.History().Loss
		if first, last := loss[0], loss[len(loss)-1]; last > first/2 {
			t.Errorf("%s: loss %g after %g", method, last, first)
		}
		scores, err := a.Scores(set)
		if err != nil {
			t.Fatal(err)
		}
		hits := 0
		for text, image := range set.CaptionImages {
			best := 0
			for i := range scores.Rows {
				if scores.At(i, text) > scores.At(best, text) {
					best = i
				}
			}
			if best == image {
				hits++
			}
		}
		if share := float64(hits) / float64(set.Texts.Rows); share < 0.6 {
			t.Errorf("%s: %.2f of the training texts find their image", method, share)
		}
	}
}

func TestTrainingIsDeterministicAndFollowsTheSeed(t *testing.T) {
	set := smallSet(40, 16)
	options := smallOptions(AsymVLMVonMisesFisher)
	first := bits(mustTrain(t, set, options))
	options.Threads = 3
	if !slices.Equal(first, bits(mustTrain(t, set, options))) {
		t.Error("the same training with three threads gave other bits")
	}
	options.Seed = 1
	if slices.Equal(first, bits(mustTrain(t, set, options))) {
		t.Error("another seed gave the same bits")
	}
}

func TestStoppedTrainingResumesToTheSameBits(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range []string{AsymVLMVonMisesFisher, AsymVLMPowerSpherical, DeterministicFineTuning} {
		whole := bits(mustTrain(t, set, smallOptions(method)))
		// Steps 3 and 6 end an epoch of three steps; the others are in the middle of one.
		for _, at := range []int{1, 3, 7, 17} {
			options := smallOptions(method)
			options.Checkpoint, options.Resume = filepath.Join(t.TempDir(), "a.safetensors"), true
			enough := errors.New("enough")
			w := &watch{advance: func(u Update) error {
				if u.Step == at {
					return enough
				}
				return nil
			}}
			options.Progress = w
			a, err := Train(context.Background(), set, options)
			if !errors.Is(err, enough) || !strings.Contains(err.Error(), fmt.Sprintf("stopped after step %d of 18", at)) {
				t.Fatalf("error %v", err)
			}
			if a == nil || a.History().Steps() != at || len(w.updates) != at || !errors.Is(w.end, enough) {
				t.Fatalf("%d steps seen, history of %d, end %v", len(w.updates), a.History().Steps(), w.end)
			}
			options.Progress = silent{}
			if !slices.Equal(whole, bits(mustTrain(t, set, options))) {
				t.Errorf("%s stopped after step %d resumed to other bits", method, at)
			}
		}
	}
}

func TestEndOfTheContextStopsBeforeTheNextStep(t *testing.T) {
	set := smallSet(40, 16)
	ctx, cancel := context.WithCancel(context.Background())
	options := smallOptions(AsymVLMVonMisesFisher)
	w := &watch{advance: func(u Update) error {
		if u.Step == 5 {
			cancel()
		}
		return nil
	}}
	options.Progress = w
	options.Checkpoint = filepath.Join(t.TempDir(), "new", "folder", "a.safetensors")
	a, err := Train(ctx, set, options)
	if !errors.Is(err, context.Canceled) || len(w.updates) != 5 || a == nil {
		t.Fatalf("error %v after %d steps", err, len(w.updates))
	}
	if kept, err := Load(options.Checkpoint); err != nil || kept.History().Steps() != 5 {
		t.Errorf("checkpoint: %v", err)
	}
}

func TestProgressSeesEveryStep(t *testing.T) {
	set := smallSet(40, 16)
	options := smallOptions(AsymVLMPowerSpherical)
	w := &watch{}
	options.Progress = w
	a := mustTrain(t, set, options)
	if w.began != 1 || w.ended != 1 || w.end != nil || w.steps != 18 || w.task != "training asymvlm-psd" || len(w.updates) != 18 {
		t.Errorf("begun %d times for %q with %d steps, ended %d times with %v, %d updates", w.began, w.task, w.steps, w.ended, w.end, len(w.updates))
	}
	if last := w.updates[17]; last.Step != 18 || last.Epoch != 6 || last.Epochs != 6 || last.Loss != a.History().Loss[17] {
		t.Errorf("last update %+v", last)
	}
	if got := w.updates[0].String(); !strings.HasPrefix(got, "epoch 1/6, loss ") {
		t.Errorf("update as text: %q", got)
	}
}

// A bar counts the calls that a notebook's bar would receive.
type bar struct {
	done  []int
	begun string
	ended bool
}

func (b *bar) Begin(task string, steps int) { b.begun = fmt.Sprint(task, " ", steps) }
func (b *bar) Step(done int, note string)   { b.done = append(b.done, done) }
func (b *bar) End(error)                    { b.ended = true }

func TestDefaultProgressShowsOnABar(t *testing.T) {
	b := &bar{}
	defer host.Enter(shownOn{b})()
	options := smallOptions(AsymVLMVonMisesFisher)
	options.Progress = nil
	mustTrain(t, smallSet(40, 16), options)
	if b.begun != "training asymvlm-vmf 18" || len(b.done) != 18 || !b.ended {
		t.Errorf("bar begun %q, steps %v, ended %t", b.begun, b.done, b.ended)
	}
}

// shownOn is the host of a cell that shows trainings on a bar.
type shownOn struct{ *bar }

func (s shownOn) TrainingProgress() Progress { return ShowOn(s.bar) }

func TestNaNStopsWithTheStepAndKeepsTheLastCheckpoint(t *testing.T) {
	set := smallSet(40, 16)
	options := smallOptions(AsymVLMVonMisesFisher)
	options.Checkpoint, options.CheckpointEvery = filepath.Join(t.TempDir(), "a.safetensors"), 1
	options.LearningRate = 1e5
	a, err := Train(context.Background(), set, options)
	if err == nil || a != nil {
		t.Fatal("a learning rate of 1e5 trained")
	}
	if text := err.Error(); !strings.HasPrefix(text, "adapter: step ") || !strings.Contains(text, " of 18: nn: ") {
		t.Errorf("error %q", text)
	}
	if kept, err := Load(options.Checkpoint); err == nil {
		for _, value := range bits(kept) {
			if value-value != 0 {
				t.Fatal("the checkpoint holds a value that is not finite")
			}
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestSavedAdapterAnswersAsBefore(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range Methods() {
		options := smallOptions(method)
		options.LearningRate = min(options.LearningRate, 0.01) // a training of few steps must not make the temperature negative
		a := mustTrain(t, set, options)
		path := filepath.Join(t.TempDir(), "a.safetensors")
		if err := a.Save(path); err != nil {
			t.Fatal(err)
		}
		b, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(bits(a), bits(b)) || a.Temperature() != b.Temperature() || b.Method() != method || b.Dimension() != 16 {
			t.Errorf("%s came back changed", method)
		}
		before, err := a.Scores(set)
		if err != nil {
			t.Fatal(err)
		}
		after, err := b.Scores(set)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before.Values, after.Values) {
			t.Errorf("%s scores differently", method)
		}
	}
}

func TestUncertaintyIsTheInverseConcentration(t *testing.T) {
	set := smallSet(40, 16)
	a := mustTrain(t, set, smallOptions(AsymVLMVonMisesFisher))
	eta, err := a.Natural(set.Texts)
	if err != nil {
		t.Fatal(err)
	}
	kappa, err := a.Concentrations(set.Texts)
	if err != nil {
		t.Fatal(err)
	}
	uncertainty, err := a.Uncertainty(set.Texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, length := range eta.Norms() {
		if kappa[i] != length || uncertainty[i] != 1/length {
			t.Fatalf("text %d: |η| %g, κ %g, u %g", i, length, kappa[i], uncertainty[i])
		}
	}
}

func TestMethodsWithoutADistributionUseTheLengthOfTheText(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range []string{CLIP, DeterministicFineTuning} {
		a := mustTrain(t, set, smallOptions(method))
		if _, err := a.Concentrations(set.Texts); !errors.Is(err, ErrNoConcentration) {
			t.Errorf("%s: concentrations: %v", method, err)
		}
		uncertainty, err := a.Uncertainty(set.Texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, length := range set.Texts.Norms() {
			if uncertainty[i] != -length {
				t.Fatalf("%s: uncertainty %g of a text of length %g", method, uncertainty[i], length)
			}
		}
	}
}

func TestCLIPScoresAreCosines(t *testing.T) {
	set := smallSet(20, 16)
	a := mustTrain(t, set, smallOptions(CLIP))
	scores, err := a.Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	images, texts := set.Images.Norms(), set.Texts.Norms()
	for i := range set.Images.Rows {
		for j := range set.Texts.Rows {
			dot := 0.0
			for k := range 16 {
				dot += float64(set.Images.At(i, k)) * float64(set.Texts.At(j, k))
			}
			if want := dot / images[i] / texts[j]; math.Abs(float64(scores.At(i, j))-want) > 1e-6 {
				t.Fatalf("score %g of image %d and text %d, want %g", scores.At(i, j), i, j, want)
			}
		}
	}
}

func TestStepsOfATrainingDoNotAllocate(t *testing.T) {
	set := smallSet(40, 16)
	options := smallOptions(AsymVLMPowerSpherical)
	training, err := newTraining(device.Shared(), set, options)
	if err != nil {
		t.Fatal(err)
	}
	next, stop := training.gatherer.start(0)
	defer stop()
	step := 0
	if allocations := testing.AllocsPerRun(10, func() {
		update, err := training.step(step, next())
		if err != nil {
			t.Fatal(err)
		}
		training.adapter.history.add(update)
		step++
	}); allocations > 0 {
		t.Errorf("%g allocations in a step", allocations)
	}
}

func TestGatheredBatchesFollowFromSeedAndStepWhereverTheyStart(t *testing.T) {
	set := smallSet(40, 16)
	options := smallOptions(AsymVLMVonMisesFisher)
	options.Epochs = 3
	gather := func(from int) (captions [][]float32) {
		g := newGatherer(set, options, 13)
		next, stop := g.start(from)
		defer stop()
		for step := from; step < g.steps; step++ {
			b := next()
			captions = append(captions, slices.Clone(b.texts.Values[:b.rows*b.texts.Columns]))
			for row := range b.rows {
				if !slices.Equal(b.images.Row(row), set.Images.Row(b.pairImages[row])) {
					t.Fatalf("step %d: row %d holds another image", step, row)
				}
			}
		}
		return captions
	}
	all := gather(0)
	perEpoch := len(all) / 3
	for _, from := range []int{1, perEpoch - 1, perEpoch, perEpoch + 1} {
		if rest := gather(from); !slices.EqualFunc(rest, all[from:], slices.Equal) {
			t.Errorf("batches from step %d on are others than in the whole training", from)
		}
	}
	if slices.Equal(all[0], all[perEpoch]) {
		t.Error("two epochs begin alike")
	}
	if last := all[perEpoch-1]; len(last) != (set.Texts.Rows%13)*16 {
		t.Errorf("the last batch of an epoch has %d values", len(last))
	}
}

func TestGatheringStopsInTheMiddle(t *testing.T) {
	options := smallOptions(AsymVLMVonMisesFisher)
	for taken := range 4 {
		next, stop := newGatherer(smallSet(40, 16), options, 7).start(2)
		for range taken {
			next()
		}
		stop() // deadlocks the test if it does not return
	}
}
