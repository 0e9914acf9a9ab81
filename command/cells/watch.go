package cells

import (
	"time"

	"gosphere/asymvlm/adapter"
	"gosphere/plotting/figure"
	"gosphere/runtime/display"
)

// watched is several ways to watch one training.
type watched []adapter.Progress

// Begin tells all.
func (w watched) Begin(task string, steps int) {
	for _, p := range w {
		p.Begin(task, steps)
	}
}

// Advance tells all until one stops the training.
func (w watched) Advance(update adapter.Update) error {
	for _, p := range w {
		if err := p.Advance(update); err != nil {
			return err
		}
	}
	return nil
}

// End tells all.
func (w watched) End(err error) {
	for _, p := range w {
		p.End(err)
	}
}

const (
	// figureInterval is the time between two drawings. One takes some hundredths of a second of the training's own
	// goroutine, about 1 %.
	figureInterval = 3 * time.Second
	// figurePoints is the number of points of a curve. Longer trainings have the means of equally many steps in each.
	figurePoints = 256
)

// A trainingFigure draws loss and mean concentration in the output of a cell, and again every few seconds in the same
// place. Trainings that are over sooner have none.
type trainingFigure struct {
	now         func() time.Time
	show        func(*figure.Figure) *display.Display
	task        string // what is done, as the bar says it
	drawn       time.Time
	place       *display.Display
	first       int // the step of the first point
	width       int // steps of one point
	count       int // steps in the last one
	loss, kappa []float64

	measuredAt []float64    // the steps after which a validation set was measured
	recall     [2][]float64 // and Recall@1 then, text to image and image to text
}

func newTrainingFigure() *trainingFigure {
	return &trainingFigure{now: time.Now, show: func(f *figure.Figure) *display.Display { return display.New(f) }}
}

// Begin forgets the training before.
func (t *trainingFigure) Begin(task string, _ int) {
	*t = trainingFigure{now: t.now, show: t.show, task: task, drawn: t.now(), width: 1}
}

// Advance takes a step into the curves and draws them when it is time.
func (t *trainingFigure) Advance(update adapter.Update) error {
	t.add(update)
	if now := t.now(); now.Sub(t.drawn) >= figureInterval {
		t.drawn = now
		t.draw()
	}
	return nil
}

// End draws all steps where a part of them was shown.
func (t *trainingFigure) End(error) {
	if t.place != nil {
		t.draw()
	}
}

func (t *trainingFigure) add(update adapter.Update) {
	if m := update.Validation; m != nil && (len(t.measuredAt) == 0 || t.measuredAt[len(t.measuredAt)-1] < float64(m.Step)) {
		t.measuredAt = append(t.measuredAt, float64(m.Step))
		t.recall[0], t.recall[1] = append(t.recall[0], m.TextToImage.Recall1), append(t.recall[1], m.ImageToText.Recall1)
	}
	if len(t.loss) == 0 {
		t.first, t.count = update.Step, t.width
	}
	if t.count == t.width {
		if len(t.loss) == figurePoints {
			t.halve()
		}
		t.loss, t.kappa, t.count = append(t.loss, 0), append(t.kappa, 0), 0
	}
	last, n := len(t.loss)-1, float64(t.count)
	t.loss[last] = (t.loss[last]*n + update.Loss) / (n + 1)
	t.kappa[last] = (t.kappa[last]*n + update.MeanConcentration) / (n + 1)
	t.count++
}

// halve makes one point of every two.
func (t *trainingFigure) halve() {
	for i := range figurePoints / 2 {
		t.loss[i] = (t.loss[2*i] + t.loss[2*i+1]) / 2
		t.kappa[i] = (t.kappa[2*i] + t.kappa[2*i+1]) / 2
	}
	t.loss, t.kappa = t.loss[:figurePoints/2], t.kappa[:figurePoints/2]
	t.width *= 2
	t.count = t.width
}

// draw shows the curves, or shows them again.
func (t *trainingFigure) draw() {
	if len(t.loss) < 2 {
		return
	}
	x := make([]float64, len(t.loss))
	for i := range x {
		x[i] = float64(t.first+i*t.width) + float64(t.width-1)/2
	}
	series := []figure.Series{{Name: "loss", Values: t.loss, X: x}}
	for _, kappa := range t.kappa {
		if kappa != 0 { // methods without a concentration have 0 throughout
			series = append(series, figure.Series{Name: "mean concentration", Values: t.kappa, X: x})
			break
		}
	}
	if len(t.measuredAt) > 1 {
		series = append(series, figure.Series{Name: "validation R@1, text to image", Values: t.recall[0], X: t.measuredAt},
			figure.Series{Name: "validation R@1, image to text", Values: t.recall[1], X: t.measuredAt})
	}
	drawing := figure.Lines("step", "", series...)
	drawing.Title = t.task // by which a comparison knows that it belongs to the bar
	if t.place == nil {
		t.place = t.show(drawing)
		return
	}
	t.place.Update(drawing)
}
