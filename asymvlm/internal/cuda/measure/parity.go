package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// A tooFar error reports losses that differ too much. The GPU remains usable.
type tooFar string

func (t tooFar) Error() string { return string(t) }

// compareAllLosses compares the losses of every subject on the GPU and on the CPU, continuing after
// subjects whose losses differ too much.
func (p plan) compareAllLosses(w io.Writer, sides [2]device.Device) error {
	fmt.Fprintf(w, "\n| method | largest distance of losses over %d steps of %d pairs | the last loss |\n|---|---|---|\n", p.paritySteps, p.parityBatch)
	data := problem(p.paritySteps*p.parityBatch, (p.paritySteps*p.parityBatch+4)/5, p.columns)
	var far []error
	for _, s := range subjects {
		if p.late(w, "the losses of "+s.name()) {
			continue
		}
		err := p.compareLosses(w, sides, s, data)
		if err != nil {
			far = append(far, fmt.Errorf("%s: %w", s.name(), err))
		}
		if err != nil && !errors.As(err, new(tooFar)) {
			break
		}
	}
	return errors.Join(far...)
}

// compareLosses trains some steps on both sides and returns the difference of the losses.
func (p plan) compareLosses(w io.Writer, sides [2]device.Device, s subject, data device.TrainingPlan) error {
	card, cpu, batch := sides[0].(device.Trainer), sides[1], p.parityBatch
	_, work, err := p.learner(cpu, s, batch, data)
	if err != nil {
		return err
	}
	residence, err := card.Train(work)
	if err != nil {
		return err
	}
	defer residence.Close()
	order := rand.New(rand.NewPCG(5, 6)).Perm(len(data.AdaptedOf))
	if err := residence.Order(order); err != nil {
		return err
	}
	onCPU, _, err := p.learner(cpu, s, batch, data)
	if err != nil {
		return err
	}
	worst, last := 0.0, 0.0
	var far error
	rate := device.Rate{Rate: s.rate, Momentum: 0.9, WeightDecay: 5e-4}
	texts, images := device.NewMatrix[float32](batch, p.columns), device.NewMatrix[float32](batch, p.columns)
	groups := make([]int, batch)
	for step := range p.paritySteps {
		seen, err := residence.Steps(context.Background(), []device.PlannedStep{{From: step * batch, Rows: batch, Epoch: 1, Rate: rate,
			Adam: device.NewAdamStep(rate, step+1)}})
		if err != nil {
			return err
		}
		for row, pair := range order[step*batch : (step+1)*batch] {
			copy(texts.Row(row), data.Adapted.Row(pair))
			copy(images.Row(row), data.Anchors.Row(data.AnchorOf[pair]))
		}
		if s.masked {
			for row, pair := range order[step*batch : (step+1)*batch] {
				groups[row] = data.AnchorOf[pair]
			}
			if err := onCPU.MaskSameImage(groups); err != nil {
				return err
			}
		}
		want, err := onCPU.Step(texts, images, rate)
		if err != nil {
			return err
		}
		apart := math.Abs(seen[0].Loss - want.Loss)
		if far == nil && p.tolerance > 0 && !(apart <= p.tolerance*math.Max(1, math.Abs(want.Loss))) {
			far = tooFar(fmt.Sprintf("step %d has the loss %g on the GPU and %g on the CPU", step+1, seen[0].Loss, want.Loss))
		}
		worst, last = math.Max(worst, apart), want.Loss
	}
	if _, err := fmt.Fprintf(w, "| %s | %.2g | %.5g |\n", s.name(), worst, last); err != nil {
		return err
	}
	return far
}

// compareRetrieval trains on the built-in data on both sides, and prints S and R² of both.
func (p plan) compareRetrieval(w io.Writer) error {
	if p.parityEpochs == 0 {
		return nil
	}
	train, test, err := embedding.Scenes()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n| method, %d epochs | device | text to image: R@1, S, R² | image to text: R@1, S, R² |\n|---|---|---|---|\n", p.parityEpochs)
	for _, s := range subjects {
		if p.late(w, "S and R² of "+s.name()) {
			continue
		}
		for _, name := range []string{device.NameCUDA, device.NameCPU} {
			if err := device.Use(name); err != nil {
				return err
			}
			options, err := adapter.DefaultOptions(s.method)
			if err != nil {
				return err
			}
			options.Epochs, options.Batch, options.MaskSameImage = p.parityEpochs, 512, s.masked
			if s.architecture.Optimizer == nn.AdamP {
				options.Optimizer = nn.AdamP
			}
			if options.Reads("Hidden") {
				options.Hidden = p.hidden
			}
			trained, err := adapter.Train(context.Background(), train, options)
			if err != nil {
				return err
			}
			report, err := trained.Evaluate(test, 10)
			if err != nil {
				return err
			}
			t, i := report.TextToImage, report.ImageToText
			fmt.Fprintf(w, "| %s | %s | %.4f %.3f %.3f | %.4f %.3f %.3f |\n", s.name(), name, t.Recall1, t.S, t.R2, i.Recall1, i.S, i.R2)
		}
	}
	return device.Use(device.NameCUDA)
}
