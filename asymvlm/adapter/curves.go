package adapter

import (
	"errors"

	"gosphere/asymvlm/tracking"
)

// Curves returns one point for each completed epoch: the means of loss, temperature and mean
// concentration over its steps, the last learning rate, and the measures on the validation set if
// it was measured after that epoch. The point of epoch 0 exists only with a validation set.
func (a *Adapter) Curves() []tracking.Point {
	var points []tracking.Point
	h := &a.history
	if h.StepsPerEpoch == 0 {
		return nil
	}
	if len(a.measured) > 0 && a.measured[0].Epoch == 0 {
		points = append(points, a.point(0))
	}
	for epoch := 1; epoch <= h.Steps()/h.StepsPerEpoch; epoch++ {
		points = append(points, a.point(epoch))
	}
	return points
}

// point returns the point of a completed epoch.
func (a *Adapter) point(epoch int) tracking.Point {
	h := &a.history
	p := tracking.Point{Epoch: epoch, Step: epoch * h.StepsPerEpoch}
	if epoch > 0 {
		from := p.Step - h.StepsPerEpoch
		for i, name := range partNames[:3] {
			sum := 0.0
			for _, value := range (*h.parts()[i])[from:p.Step] {
				sum += value
			}
			p.Values = append(p.Values, tracking.Value{Name: name, Number: sum / float64(h.StepsPerEpoch)})
		}
		p.Values = append(p.Values, tracking.Value{Name: "learning_rate", Number: h.LearningRate[p.Step-1]})
	}
	for _, m := range a.measured {
		if m.Epoch == epoch {
			p.Values = append(p.Values, m.values()...)
		}
	}
	return p
}

// values returns the measures in both directions.
func (m Measurement) values() (values []tracking.Value) {
	for _, d := range []struct {
		name string
		Measures
	}{{"t2i_", m.TextToImage}, {"i2t_", m.ImageToText}} {
		values = append(values, tracking.Value{Name: d.name + "recall_1", Number: d.Recall1}, tracking.Value{Name: d.name + "recall_5", Number: d.Recall5},
			tracking.Value{Name: d.name + "recall_10", Number: d.Recall10}, tracking.Value{Name: d.name + "s", Number: d.S},
			tracking.Value{Name: d.name + "r2", Number: d.R2}, tracking.Value{Name: d.name + "minus_s_r2", Number: d.MinusSR2})
	}
	return values
}

// track opens the curve files, writes the points of a resumed checkpoint to them, and returns a
// function that closes them.
func (t *training) track() (closing func() error, err error) {
	if t.curves, err = tracking.Files(t.options.Curves, t.options.Events); err != nil {
		return nil, err
	}
	for _, p := range t.adapter.Curves() {
		if err := t.curves.Write(p); err != nil {
			return nil, errors.Join(err, t.curves.Close())
		}
	}
	return t.curves.Close, nil
}
