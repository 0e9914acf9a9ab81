package cells

import (
	"errors"
	"math"
	"testing"
	"time"

	"gosphere/asymvlm/adapter"
	"gosphere/plotting/figure"
	"gosphere/runtime/display"
)

// drawings is a training figure with a clock set by the test, which records its drawings.
type drawings struct {
	*trainingFigure
	clock time.Time
	shown []*figure.Figure
}

func newDrawings() *drawings {
	d := &drawings{trainingFigure: newTrainingFigure(), clock: time.Unix(1e6, 0)}
	d.now = func() time.Time { return d.clock }
	d.show = func(f *figure.Figure) *display.Display {
		d.shown = append(d.shown, f)
		return display.New(f)
	}
	return d
}

func (d *drawings) steps(from, to int, pause time.Duration) {
	for step := from; step <= to; step++ {
		d.clock = d.clock.Add(pause)
		d.Advance(adapter.Update{Step: step, Steps: to, Loss: 1 / float64(step), MeanConcentration: float64(step)})
	}
}

func TestFigureOfATrainingComesAfterSecondsAndStaysInItsPlace(t *testing.T) {
	d := newDrawings()
	d.Begin("training", 100)
	d.steps(1, 29, 100*time.Millisecond)
	if d.place != nil {
		t.Fatal("a figure before three seconds were over")
	}
	d.steps(30, 100, 100*time.Millisecond)
	d.End(nil)
	if len(d.shown) != 1 {
		t.Fatalf("%d figures shown, want one that is updated", len(d.shown))
	}
	if err := d.shown[0].Err(); err != nil {
		t.Error(err)
	}
	if text := d.shown[0].String(); text != "training (lines, 2 lines), 640×400" {
		t.Errorf("it is called %q, which does not say whose it is", text)
	}
	if _, err := d.shown[0].PNG(); err != nil {
		t.Error(err)
	}
}

func TestShortTrainingHasNoFigure(t *testing.T) {
	d := newDrawings()
	d.Begin("training", 10)
	d.steps(1, 10, 10*time.Millisecond)
	d.End(nil)
	if len(d.shown) != 0 {
		t.Error("a figure")
	}
}

func TestCurvesOfALongTrainingAreMeansOfItsSteps(t *testing.T) {
	d := newDrawings()
	d.Begin("training", 5000)
	d.steps(1001, 5000, time.Millisecond)
	if n := len(d.loss); n > figurePoints || n < figurePoints/2 {
		t.Fatalf("%d points", n)
	}
	for i, kappa := range d.kappa {
		from := d.first + i*d.width
		to := min(from+d.width-1, 5000)
		if want := float64(from+to) / 2; math.Abs(kappa-want) > 1e-9*want {
			t.Fatalf("point %d of %d steps is %g, want the mean of %d to %d, %g", i, d.width, kappa, from, to, want)
		}
	}
}

// counted is a progress that counts calls and stops a training at a step.
type counted struct{ begun, steps, ended, stop int }

func (c *counted) Begin(string, int) { c.begun++ }
func (c *counted) End(error)         { c.ended++ }
func (c *counted) Advance(u adapter.Update) error {
	c.steps++
	if u.Step == c.stop {
		return errors.New("enough")
	}
	return nil
}

func TestAllWhoWatchAreTold(t *testing.T) {
	one, two := &counted{stop: 2}, &counted{}
	all := multiProgress{one, two}
	all.Begin("training", 2)
	if err := all.Advance(adapter.Update{Step: 1}); err != nil {
		t.Error(err)
	}
	if err := all.Advance(adapter.Update{Step: 2}); err == nil {
		t.Error("the training goes on")
	}
	all.End(nil)
	if *one != (counted{1, 2, 1, 2}) || *two != (counted{1, 1, 1, 0}) {
		t.Errorf("%+v %+v", one, two)
	}
}

func TestFigureOfATrainingHasTheRecallOfItsValidation(t *testing.T) {
	d := newDrawings()
	d.Begin("training", 100)
	for step := 1; step <= 100; step++ {
		d.clock = d.clock.Add(100 * time.Millisecond)
		measured := &adapter.Measurement{Step: step / 10 * 10}
		measured.TextToImage.Recall1 = float64(measured.Step) / 100
		d.Advance(adapter.Update{Step: step, Steps: 100, Loss: 1, Validation: measured})
	}
	d.End(nil)
	if len(d.measuredAt) != 11 || d.recall[0][10] != 1 || len(d.recall[1]) != 11 {
		t.Errorf("measured at %v, recall %v", d.measuredAt, d.recall)
	}
	if text := d.shown[0].String(); text != "training (lines, 3 lines), 640×400" || d.shown[0].Err() != nil {
		t.Errorf("it is called %q, %v", text, d.shown[0].Err())
	}
}
