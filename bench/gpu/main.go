// Command gpu compares training on an NVIDIA card with training on the processor, and measures it: parity of losses over
// 100 steps, parity of S and R² after a training, the time of every part of a step against its bound, and the paper's 200
// epochs on embeddings of COCO's size. It prints Markdown. `sh bench/gpu.sh` builds and runs it, with PyTorch beside it.
//
// Builds without the tag gpu say that there is no card.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/cuda"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

func main() {
	p := plan{batch: 2048, columns: 512, hidden: 1024, parityBatch: 512, parityEpochs: 30, replays: 200}
	flag.BoolVar(&p.parity, "parity", true, "compare losses, S and R2 with the processor's")
	flag.IntVar(&p.epochs, "epochs", 200, "epochs on embeddings of COCO's size")
	flag.IntVar(&p.pairs, "pairs", 591_753, "pairs of those; there is an image for every five")
	flag.DurationVar(&p.limit, "limit", 2*time.Minute, "time for the epochs; what is left is extrapolated and said so")
	flag.Parse()
	if err := bench(os.Stdout, p); err != nil {
		fmt.Fprintln(os.Stderr, "gpu:", err)
		os.Exit(1)
	}
}

// A plan says what to measure and how large.
type plan struct {
	batch, columns, hidden    int
	parity                    bool
	parityBatch, parityEpochs int
	replays                   int // of every part
	epochs, pairs             int // at full speed
	limit                     time.Duration
}

func bench(w io.Writer, p plan) error {
	if err := device.Use(device.NameCUDA); err != nil {
		return err
	}
	card, able := device.Shared().(*cuda.Device)
	if !able {
		return errors.New("the device cuda trains on no card")
	}
	cpu := device.NewCPU(0)
	defer cpu.Close()
	fmt.Fprintf(w, "- %s\n- %s\n", card.Name(), cpu.Name())
	if p.parity {
		for _, likelihood := range []string{nn.VonMisesFisher, nn.PowerSpherical} {
			if err := p.compareLosses(w, [2]device.Device{card, cpu}, likelihood); err != nil {
				return err
			}
		}
		if err := p.compareRetrieval(w); err != nil {
			return err
		}
	}
	for _, likelihood := range []string{nn.VonMisesFisher, nn.PowerSpherical} {
		if err := p.measureParts(w, card, likelihood); err != nil {
			return err
		}
	}
	return p.measureEpochs(w, card)
}

// problem is pairs of embeddings: texts around the directions of their images.
func problem(pairs, images, columns int) (work device.Work) {
	work.Anchors, work.Adapted = device.NewMatrix[float32](images, columns), device.NewMatrix[float32](pairs, columns)
	work.AdaptedOf, work.AnchorOf = make([]int, pairs), make([]int, pairs)
	work.Stretch = 1
	source := rand.New(rand.NewPCG(1, 2))
	// Numbers are drawn from a table: at COCO's size drawing each would take longer than the training.
	table := make([]float32, 1<<16)
	for i := range table {
		table[i] = float32(source.NormFloat64())
	}
	for i := range work.Anchors.Values {
		work.Anchors.Values[i] = table[source.Uint64()&(1<<16-1)] / 2
	}
	for p := range pairs {
		work.AdaptedOf[p], work.AnchorOf[p] = p, p*images/pairs
		anchor, shift := work.Anchors.Row(work.AnchorOf[p]), source.Uint64()
		for k := range work.Adapted.Row(p) {
			work.Adapted.Row(p)[k] = anchor[k]*0.5 + table[(shift+uint64(k))&(1<<16-1)]/4
		}
	}
	return work
}

// learner is one of the paper's network, with its work on a problem.
func (p plan) learner(ops device.Device, likelihood string, batch int, data device.Work) (*nn.Learner, device.Work, error) {
	l, err := nn.NewLearner(ops, nn.Architecture{Dimension: p.columns, Hidden: p.hidden, HiddenLayers: 3,
		Likelihood: likelihood}, batch)
	if err != nil {
		return nil, data, err
	}
	l.Initialize(rand.New(rand.NewPCG(3, 0)))
	work, _, _ := l.Work()
	work.Adapted, work.Anchors, work.AdaptedOf, work.AnchorOf, work.Stretch = data.Adapted, data.Anchors, data.AdaptedOf,
		data.AnchorOf, data.Stretch
	return l, work, nil
}

// rate is that of the paper's program at its start.
var rate = device.Rate{Rate: 1e-2, Momentum: 0.9, WeightDecay: 5e-4}

// compareLosses trains 100 steps on both and tells how far the losses are apart.
func (p plan) compareLosses(w io.Writer, sides [2]device.Device, likelihood string) error {
	const steps = 100
	card, cpu, batch := sides[0].(device.Trainer), sides[1], p.parityBatch
	data := problem(steps*batch, steps*batch/5, p.columns)
	_, work, err := p.learner(cpu, likelihood, batch, data)
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
	onCPU, _, err := p.learner(cpu, likelihood, batch, data)
	if err != nil {
		return err
	}
	worst, last := 0.0, 0.0
	texts, images := device.NewMatrix[float32](batch, p.columns), device.NewMatrix[float32](batch, p.columns)
	for step := range steps {
		seen, err := residence.Steps(context.Background(), []device.PlannedStep{{From: step * batch, Rows: batch, Rate: rate}})
		if err != nil {
			return err
		}
		for row, pair := range order[step*batch : (step+1)*batch] {
			copy(texts.Row(row), data.Adapted.Row(pair))
			copy(images.Row(row), data.Anchors.Row(data.AnchorOf[pair]))
		}
		want, err := onCPU.Step(texts, images, rate)
		if err != nil {
			return err
		}
		worst, last = math.Max(worst, math.Abs(seen[0].Loss-want.Loss)), want.Loss
	}
	_, err = fmt.Fprintf(w, "- losses of %s over %d steps of %d pairs: at most %.2g apart; the last is %.5f\n", likelihood, steps, batch, worst, last)
	return err
}

// compareRetrieval trains on the built-in data on both, and prints S and R² of both.
func (p plan) compareRetrieval(w io.Writer) error {
	train, test, err := embedding.Scenes()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n| method | device | text to image: R@1, S, R² | image to text: R@1, S, R² |\n|---|---|---|---|\n")
	for _, method := range []string{adapter.AsymVLMVonMisesFisher, adapter.AsymVLMPowerSpherical} {
		for _, name := range []string{device.NameCPU, device.NameCUDA} {
			if err := device.Use(name); err != nil {
				return err
			}
			options, err := adapter.PaperOptions(method)
			if err != nil {
				return err
			}
			options.Epochs, options.Batch, options.LearningRate, options.Hidden = p.parityEpochs, 512, 0.1, p.hidden
			trained, err := adapter.Train(context.Background(), train, options)
			if err != nil {
				return err
			}
			report, err := trained.Evaluate(test, 10)
			if err != nil {
				return err
			}
			t, i := report.TextToImage, report.ImageToText
			fmt.Fprintf(w, "| %s | %s | %.4f %.3f %.3f | %.4f %.3f %.3f |\n", method, name, t.Recall1, t.S, t.R2, i.Recall1, i.S, i.R2)
		}
	}
	return device.Use(device.NameCUDA)
}

// measureParts prints the time of every part of a step beside its bound.
func (p plan) measureParts(w io.Writer, card *cuda.Device, likelihood string) error {
	_, work, err := p.learner(card, likelihood, p.batch, problem(4*p.batch, p.batch, p.columns))
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
	fmt.Fprintf(w, "\n| part of %s, batch %d, d=%d | µs | bound (%s), µs | times the bound |\n|---|---|---|---|\n", likelihood, p.batch, p.columns, speed.Name)
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
	_, work, err := p.learner(card, nn.VonMisesFisher, batch, problem(p.pairs, (p.pairs+4)/5, p.columns))
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
				steps = append(steps, device.PlannedStep{From: from, Rows: rows,
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
