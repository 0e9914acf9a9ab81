package cells

import (
	"time"

	"gosphere/asymvlm/adapter"
	"gosphere/plotting/figure"
	"gosphere/runtime/display"
)

// multiProgress is an adapter.Progress that forwards to several others.
type multiProgress []adapter.Progress

// Begin calls Begin of each.
func (w multiProgress) Begin(task string, steps int) {
	for _, p := range w {
		p.Begin(task, steps)
	}
}

// Advance calls Advance of each until one returns an error.
func (w multiProgress) Advance(update adapter.Update) error {
	for _, p := range w {
		if err := p.Advance(update); err != nil {
			return err
		}
	}
	return nil
}

// End calls End of each.
func (w multiProgress) End(err error) {
	for _, p := range w {
		p.End(err)
	}
}

const (
	// figureInterval is the time between two drawings. A drawing takes some hundredths of a second
	// on the goroutine of the training, about 1 % of its time.
	figureInterval = 3 * time.Second
	// figurePoints is the maximum number of points of a curve. In longer trainings each point is
	// the mean of equally many steps.
	figurePoints = 256
)

// A trainingFigure draws loss and mean concentration in the output of a cell and updates the
// drawing every few seconds. Trainings that end before the first interval show no figure.
type trainingFigure struct {
	now         func() time.Time
	show        func(*figure.Figure) *display.Display
	task        string // the task, as the bar shows it
	drawn       time.Time
	place       *display.Display
	first       int // step of the first point
	width       int // steps per point
	count       int // steps in the last point
	loss, kappa []float64

	measuredAt []float64    // steps at which a validation set was measured
	recall     [2][]float64 // Recall@1 at those steps, text to image and image to text
}

func newTrainingFigure() *trainingFigure {
	return &trainingFigure{now: time.Now, show: func(f *figure.Figure) *display.Display { return display.New(f) }}
}

// Begin discards the data of the previous training.
func (t *trainingFigure) Begin(task string, _ int) {
	*t = trainingFigure{now: t.now, show: t.show, task: task, drawn: t.now(), width: 1}
}

// Advance adds a step to the curves and redraws them if figureInterval has passed.
func (t *trainingFigure) Advance(update adapter.Update) error {
	t.add(update)
	if now := t.now(); now.Sub(t.drawn) >= figureInterval {
		t.drawn = now
		t.draw()
	}
	return nil
}

// End draws the complete curves if a part of them was shown.
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

// halve merges each pair of points into one.
func (t *trainingFigure) halve() {
	for i := range figurePoints / 2 {
		t.loss[i] = (t.loss[2*i] + t.loss[2*i+1]) / 2
		t.kappa[i] = (t.kappa[2*i] + t.kappa[2*i+1]) / 2
	}
	t.loss, t.kappa = t.loss[:figurePoints/2], t.kappa[:figurePoints/2]
	t.width *= 2
	t.count = t.width
}

// draw shows the curves, or updates the display.
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
		if kappa != 0 { // methods without a concentration report 0 for all steps
			series = append(series, figure.Series{Name: "mean concentration", Values: t.kappa, X: x})
			break
		}
	}
	if len(t.measuredAt) > 1 {
		series = append(series, figure.Series{Name: "validation R@1, text to image", Values: t.recall[0], X: t.measuredAt},
			figure.Series{Name: "validation R@1, image to text", Values: t.recall[1], X: t.measuredAt})
	}
	drawing := figure.Lines("step", "", series...)
	drawing.Title = t.task // lets a comparison of outputs pair the figure with its progress bar
	if t.place == nil {
		t.place = t.show(drawing)
		return
	}
	t.place.Update(drawing)
}
