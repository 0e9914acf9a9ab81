package adapter

import (
	"errors"
	"log"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// A noteBar records the calls that it receives.
type noteBar struct {
	note          string
	done, skipped int
}

func (b *noteBar) Begin(string, int)    {}
func (b *noteBar) End(error)            {}
func (b *noteBar) Step(d int, n string) { b.done, b.note = d, n }
func (b *noteBar) Skip(done int)        { b.skipped = done }

func TestBarTellsPairsInASecondWithoutThoseOfAnEarlierRun(t *testing.T) {
	clock, bar := time.Unix(1e6, 0), &noteBar{}
	p := ShowOn(bar).(*barProgress)
	p.now = func() time.Time { return clock }
	p.Begin("training", 100)
	for step := 91; step <= 94; step++ {
		clock = clock.Add(500 * time.Millisecond)
		if err := p.Advance(Update{Step: step, Steps: 100, Epoch: 1, Epochs: 1, Loss: 2, Temperature: 3, MeanConcentration: 4, Pairs: 2048}); err != nil {
			t.Fatal(err)
		}
	}
	if bar.done != 94 || bar.skipped != 90 || !strings.HasSuffix(bar.note, "loss 2.000, tau 3.00, kappa 4.00, 4096 samples/s") {
		t.Errorf("%+v", bar)
	}
}

func TestAFunctionWatchesATrainingAndCanStopIt(t *testing.T) {
	steps, stop := 0, errors.New("enough")
	p := Watch(func(update Update) error {
		if steps = update.Step; steps == 2 {
			return stop
		}
		return nil
	})
	p.Begin("training", 3)
	if err := p.Advance(Update{Step: 1}); err != nil {
		t.Error(err)
	}
	if err := p.Advance(Update{Step: 2}); err != stop || steps != 2 {
		t.Errorf("after step %d: %v", steps, err)
	}
	p.End(nil)
}

// A last batch of one pair has the loss log 1, which rounding can make negative.
func TestUpdatesShowNoNegativeZero(t *testing.T) {
	u := Update{Epoch: 1, Epochs: 2, Loss: -3e-8, Temperature: math.Copysign(0, -1), MeanConcentration: -0.0049}
	if got, want := u.String(), "epoch 1/2, loss 0.000, tau 0.00, kappa 0.00"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	options := smallOptions(AsymVLMVonMisesFisher)
	options.Epochs, options.Batch = 1, 2
	var seen []string
	options.Progress = Watch(func(u Update) error {
		seen = append(seen, u.String())
		return nil
	})
	one, err := smallSet(2, 8).SelectImages([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	mustTrain(t, one, options)
	if len(seen) != 2 || !strings.Contains(seen[1], "loss 0.000,") {
		t.Errorf("a training whose last batch is one pair shows %q", seen)
	}
}

// A note of a training reaches the progress, the bar below it, or else the log.
func TestNotesOfATrainingAreNeverLost(t *testing.T) {
	var written strings.Builder
	log.SetOutput(&written)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	told := &noted{}
	note(told, "one")
	note(ShowOn(noterBar{told}), "two")
	if !slices.Equal(told.notes, []string{"one", "two"}) || written.Len() > 0 {
		t.Errorf("told is %q, the log has %q", told.notes, written.String())
	}
	note(Watch(func(Update) error { return nil }), "three")
	note(ShowOn(&noteBar{}), "four")
	if got := written.String(); got != "adapter: three\nadapter: four\n" { // without times, which would differ in each run of a notebook
		t.Errorf("the log has %q", got)
	}
}

// The trainings that measure the held-out likelihood do not repeat the notes of the training.
func TestNotesOfATrainingAreGivenOnce(t *testing.T) {
	options := smallOptions(ResidualVonMisesFisher)
	told := &noted{}
	options.HeldOut, options.MatchLengths, options.Progress = true, true, told
	var written strings.Builder
	log.SetOutput(&written)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	mustTrain(t, smallSet(40, 16), options)
	changes := 0
	for _, text := range told.notes {
		if strings.Contains(text, "MatchLengths") {
			changes++
		}
	}
	if changes != 1 || written.Len() > 0 {
		t.Errorf("told is %q, the log has %q", told.notes, written.String())
	}
}

type noterBar struct{ *noted }

func (noterBar) Begin(string, int) {}
func (noterBar) Step(int, string)  {}
func (noterBar) End(error)         {}
