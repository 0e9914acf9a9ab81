package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/nn"
)

// measureParts prints the time of every part of a step next to its bound.
func (p plan) measureParts(w io.Writer, card *cuda.Device, s subject) error {
	_, work, err := p.learner(card, s, p.batch, problem(4*p.batch, p.batch, p.columns))
	if err != nil {
		return err
	}
	costs, err := cuda.Budget(work)
	if err != nil {
		return err
	}
	times, err := card.Times(work, p.replays)
	if err != nil {
		return err
	}
	speed := cuda.H200
	if os.Getenv("GOSPHERE_CUDA_PRECISION") == "tf32" {
		speed = cuda.H200TF32
	}
	fmt.Fprintf(w, "\n| part of %s, batch %d, d=%d | µs | bound (%s), µs | times the bound |\n|---|---|---|---|\n", s.name(), p.batch, p.columns, speed.Name)
	sum, bounds := 0.0, 0.0
	for i, c := range costs {
		bound, _ := c.Bound(speed)
		sum, bounds = sum+times[i], bounds+bound
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f |\n", c.Name, times[i], bound, times[i]/bound)
	}
	whole := times[len(costs)]
	_, err = fmt.Fprintf(w, "| all parts by themselves | %.1f | %.1f | %.2f |\n| **the step as one graph** | %.1f | %.1f | %.2f |\n",
		sum, bounds, sum/bounds, whole, bounds, whole/bounds)
	return err
}

// measureEpochs trains the paper's schedule at full speed.
func (p plan) measureEpochs(w io.Writer, card device.Trainer) error {
	batch := p.batch
	_, work, err := p.learner(card, subjects[0], batch, problem(p.pairs, (p.pairs+4)/5, p.columns))
	if err != nil {
		return err
	}
	start := time.Now()
	residence, err := card.Train(work)
	if err != nil {
		return err
	}
	defer residence.Close()
	copied := time.Since(start)
	perEpoch := (p.pairs + batch - 1) / batch
	schedule := nn.CosineSchedule{Initial: 1e-2, Final: 1e-6, Steps: p.epochs * perEpoch}
	source, done, loss := rand.New(rand.NewPCG(7, 8)), 0, 0.0
	start = time.Now()
	for epoch := range p.epochs {
		if err := residence.Order(source.Perm(p.pairs)); err != nil {
			return err
		}
		for from := 0; from < p.pairs; {
			var steps []device.PlannedStep
			for rows := min(batch, p.pairs-from); len(steps) < device.Window && from < p.pairs && min(batch, p.pairs-from) == rows; from += rows {
				steps = append(steps, device.PlannedStep{From: from, Rows: rows, Epoch: epoch + 1,
					Rate: device.Rate{Rate: schedule.Rate(done + len(steps)), Momentum: 0.9, WeightDecay: 5e-4}})
			}
			seen, err := residence.Steps(context.Background(), steps)
			if err != nil {
				return err
			}
			done, loss = done+len(steps), seen[len(seen)-1].Loss
		}
		if time.Since(start) > p.limit && epoch+1 < p.epochs {
			fmt.Fprintf(w, "\n**Only %d of %d epochs were done in the time; the rest is extrapolated.**\n", epoch+1, p.epochs)
			break
		}
	}
	spent := time.Since(start).Seconds()
	all := spent * float64(p.epochs*perEpoch) / float64(done)
	_, err = fmt.Fprintf(w, "\n- %d epochs of %d pairs, %d steps of %d at d=%d: **%.1f s**, %.3f ms a step, last loss %.4f; the data set was copied in %.2f s before\n",
		p.epochs, p.pairs, p.epochs*perEpoch, batch, p.columns, all, 1e3*spent/float64(done), loss, copied.Seconds())
	return err
}
