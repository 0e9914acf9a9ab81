package adapter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/nn"
)

// glance is the longest time between progress updates of training on a device.
const glance = 50 * time.Millisecond

// reside starts the training on a device that runs whole steps. It returns nil if single operations
// must be used: on other devices, for methods that the device does not support, and if the device
// has too little memory and falling back is allowed. If there is such a device, why is the reason.
func (t *training) reside() (residence device.DeviceTraining, why string, err error) {
	trainer, able := t.ops.(device.Trainer)
	work, side, ok := t.adapter.learner.Work()
	switch {
	case !able:
		return nil, "", nil
	case t.options.Loss != nil:
		return nil, "user-defined losses run on the CPU", nil
	case t.options.FixedTemperature:
		return nil, "steps with a fixed temperature are done by single operations", nil
	case t.gatherer.set.Positives != nil:
		return nil, "steps with several right images for a text are done by single operations", nil
	case t.options.LogTemperature:
		return nil, "steps with the logarithm of the temperature are done by single operations", nil
	case !ok && t.adapter.learner.IsResidual():
		return nil, "the steps of residual networks are done by single operations", nil
	case !ok && t.options.Pairs != nil:
		return nil, "an inclusion loss without ProLIP's scale and bias is computed by single operations", nil
	case !ok:
		return nil, "only methods that minimize a loss train entirely on a GPU", nil
	}
	set := t.gatherer.set
	if set.IsStored() {
		return nil, "the embeddings are in files, and training entirely on a GPU needs them in memory", nil
	}
	own := make([]int, set.Texts.Rows)
	for i := range own {
		own[i] = i
	}
	work.Adapted, work.AdaptedOf = device.Matrix[float32](set.Texts), own
	work.Anchors, work.AnchorOf = device.Matrix[float32](set.Images), set.CaptionImages
	if side == nn.Images {
		work.Adapted, work.Anchors, work.AdaptedOf, work.AnchorOf = work.Anchors, work.Adapted, work.AnchorOf, work.AdaptedOf
	}
	work.Stretch, work.AnchorStretch = t.adapter.stretch[side], t.adapter.stretch[1-side]
	if t.options.MaskSameImage {
		work.Groups = set.CaptionImages
	}
	residence, err = trainer.Train(work)
	switch {
	case err == nil:
		return residence, "", nil
	case errors.Is(err, device.ErrUnknownWork), device.MayFallBack():
		return nil, err.Error(), nil
	}
	return nil, "", fmt.Errorf("adapter: %w", err)
}

// runResident runs the remaining steps on a device that runs whole steps, several per call. When
// the context ends no further step begins; an error from the progress takes effect after the
// current call.
func (t *training) runResident(ctx context.Context, progress Progress) (*Adapter, error) {
	h, window, ordered := &t.adapter.history, 1, -1
	if err := t.measure(); err != nil {
		return nil, err
	}
	for h.Steps() < t.steps && !t.adapter.impatient() {
		if ctx.Err() != nil {
			return t.stop(context.Cause(ctx))
		}
		if epoch := h.Steps() / t.perEpoch; epoch != ordered {
			t.gatherer.shuffle(epoch)
			if err := t.residence.Order(t.gatherer.order); err != nil {
				return nil, t.lost(err)
			}
			ordered = epoch
		}
		plan, start := t.plan(window), time.Now()
		seen, err := t.residence.Steps(ctx, plan)
		if err != nil {
			return nil, t.lost(err)
		}
		if len(seen) == 0 {
			continue // the context has ended
		}
		window = nextWindow(len(plan), time.Since(start))
		if err := t.show(plan, seen, progress); err != nil {
			var bad *nn.NotFiniteError
			if errors.As(err, &bad) {
				return nil, fmt.Errorf("adapter: step %d of %d: %w; %s", h.Steps()+1, t.steps, err, t.kept())
			}
			return t.stop(err)
		}
		if t.checkpointDue(h.Steps() - 1) {
			if err := t.save(); err != nil {
				return nil, err
			}
		}
	}
	return t.end()
}

// nextWindow returns the number of steps for the next call, from the number and duration of the
// last.
func nextWindow(steps int, took time.Duration) int {
	if took*2 <= glance {
		return min(2*steps, device.Window)
	}
	if took > glance {
		return max(1, steps/2)
	}
	return max(1, steps)
}

// plan returns the next steps. They belong to one epoch and have equal numbers of pairs.
func (t *training) plan(window int) []device.PlannedStep {
	var plan []device.PlannedStep
	size, pairs := t.gatherer.buffers[0].texts.Rows, len(t.gatherer.order)
	for step := t.adapter.history.Steps(); len(plan) < window; step++ {
		from := step % t.perEpoch * size
		rows := min(size, pairs-from)
		if len(plan) > 0 && (from == 0 || rows != plan[0].Rows) || step == t.steps {
			break
		}
		rate := t.rate(step)
		plan = append(plan, device.PlannedStep{From: from, Rows: rows, Epoch: step/t.perEpoch + 1, Rate: rate, Adam: device.NewAdamStep(rate, step+1)})
	}
	return plan
}

// show adds the results of steps to the history and reports them to progress. All steps that were
// computed are in the history even if progress returns an error.
func (t *training) show(plan []device.PlannedStep, seen []device.SeenStep, progress Progress) error {
	var stopped error
	for i, s := range seen {
		result, err := t.adapter.learner.Seen(s)
		if err != nil {
			return err
		}
		update := t.update(t.adapter.history.Steps(), result, plan[i].Rate.Rate, plan[i].Rows)
		t.adapter.history.add(update)
		if stopped == nil {
			stopped = t.advance(progress, update)
		}
	}
	t.adapter.learner.SetSteps(t.adapter.history.Steps())
	return stopped
}

// lost returns an error that reports the failure of the device, or that it has too little memory.
func (t *training) lost(err error) error {
	if !errors.Is(err, device.ErrMemory) {
		err = &device.LostError{Cause: err}
	}
	return fmt.Errorf("adapter: after step %d of %d: %w; %s", t.adapter.history.Steps(), t.steps, err, t.kept())
}

// fetch copies the parameters from a device that runs whole steps.
func (t *training) fetch() error {
	if t.residence == nil {
		return nil
	}
	work, _, _ := t.adapter.learner.Work()
	if err := t.residence.Save(work.Parameters, work.Memory); err != nil {
		return t.lost(err)
	}
	return nil
}
