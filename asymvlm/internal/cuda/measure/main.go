// Command gpu compares training on an NVIDIA GPU with training on the CPU, and measures it: parity
// of losses over 100 steps, parity of S and R² after a training, the time of every part of a step
// against its bound, and the paper's 200 epochs on embeddings of COCO's size. It prints Markdown.
// `sh bench/gpu.sh` runs it together with PyTorch.
//
// Builds without the tag gpu report that there is no GPU.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/nn"
)

func main() {
	p := plan{}
	flag.IntVar(&p.batch, "batch", 2048, "pairs of a step that is timed")
	flag.IntVar(&p.columns, "columns", 512, "width of the embeddings")
	flag.IntVar(&p.hidden, "hidden", 1024, "width of the hidden layers")
	flag.BoolVar(&p.parity, "parity", true, "compare losses, S and R2 with the CPU's")
	flag.IntVar(&p.paritySteps, "parity-steps", 100, "steps whose losses are compared")
	flag.IntVar(&p.parityBatch, "parity-batch", 512, "pairs of each")
	flag.IntVar(&p.parityEpochs, "parity-epochs", 12, "epochs on the built-in data before S and R2 are compared; 0 for none")
	flag.Float64Var(&p.tolerance, "tolerance", 0, "end with an error where losses are further apart, relative to the larger of 1 and the loss; 0 for any distance")
	flag.IntVar(&p.replays, "replays", 200, "replays of every part that is timed; 0 times none")
	flag.IntVar(&p.epochs, "epochs", 200, "epochs on embeddings of COCO's size")
	flag.IntVar(&p.pairs, "pairs", 591_753, "pairs of those; there is an image for every five")
	flag.DurationVar(&p.limit, "limit", 2*time.Minute, "time for the epochs; what is left is extrapolated and said so")
	within := flag.Duration("within", time.Hour, "time after which nothing new is begun; what is left out is said")
	flag.Parse()
	p.until = time.Now().Add(*within)
	if err := bench(os.Stdout, p); err != nil {
		fmt.Fprintln(os.Stderr, "gpu:", err)
		os.Exit(1)
	}
}

// A plan describes what to measure, and the sizes.
type plan struct {
	batch, columns, hidden                 int
	parity                                 bool
	paritySteps, parityBatch, parityEpochs int
	tolerance                              float64
	replays                                int // of every part
	epochs, pairs                          int // at full speed
	limit                                  time.Duration
	until                                  time.Time // no new measurement begins after this time
}

// A subject is a method that trains on the GPU.
type subject struct {
	method       string // of package adapter
	architecture nn.Architecture
	rate         float64 // of the compared steps
	masked       bool    // whether captions of the same image are masked
}

// name returns the method, with the mask or a non-default optimizer.
func (s subject) name() string {
	switch {
	case s.masked:
		return s.method + " masked"
	case s.architecture.Optimizer == nn.AdamP:
		return s.method + " by " + string(nn.AdamP)
	}
	return s.method
}

// subjects lists all methods that train on the GPU, and variants that have their own kernels.
var subjects = []subject{
	{adapter.AsymVLMVonMisesFisher, nn.Architecture{Likelihood: nn.VonMisesFisher}, 1e-2, false},
	{adapter.AsymVLMPowerSpherical, nn.Architecture{Likelihood: nn.PowerSpherical}, 1e-2, false},
	{adapter.AsymVLMImage, nn.Architecture{Likelihood: nn.VonMisesFisher, Objective: nn.ContrastiveImages}, 1e-2, false},
	{adapter.DeterministicFineTuning, nn.Architecture{Likelihood: nn.Cosine}, 1e-2, false},
	{adapter.PCMEpp, nn.Architecture{Objective: nn.PCMEPP, Optimizer: nn.AdamW}, 5e-4, false},
	{adapter.ProLIP, nn.Architecture{Objective: nn.ProLIP, Optimizer: nn.AdamW}, 5e-4, false},
	{adapter.ProLIPExact, nn.Architecture{Objective: nn.ProLIPExact, Optimizer: nn.AdamW}, 5e-4, false},
	{adapter.ProLIPFull, nn.Architecture{Objective: nn.ProLIPFull, Optimizer: nn.AdamW}, 5e-4, false},
	{adapter.ProLIPFullOfficial, nn.Architecture{Objective: nn.ProLIPFullOfficial, Optimizer: nn.AdamW}, 5e-4, false},
	{adapter.AsymVLMVonMisesFisherExact, nn.Architecture{Likelihood: nn.VonMisesFisherExact}, 1e-2, false},
	{adapter.SigLIPVonMisesFisher, nn.Architecture{Likelihood: nn.VonMisesFisher, Objective: nn.Sigmoid}, 1e-2, false},
	{adapter.SigLIPPowerSpherical, nn.Architecture{Likelihood: nn.PowerSpherical, Objective: nn.Sigmoid}, 1e-2, false},
	{adapter.SigLIPVonMisesFisherLog, nn.Architecture{Likelihood: nn.VonMisesFisher, Objective: nn.SigmoidLog}, 1e-2, false},
	{adapter.SymVLM, nn.Architecture{Objective: nn.Symmetrized}, 1e-2, false},
	{adapter.SymVLMMutual, nn.Architecture{Objective: nn.Mutual}, 1e-2, false},
	{adapter.PFE, nn.Architecture{Objective: nn.PFE}, 1e-4, false},
	{adapter.ProbVLM, nn.Architecture{Objective: nn.ProbVLM, Optimizer: nn.AdamW}, 1e-4, false},
	{adapter.ProbVLMExact, nn.Architecture{Objective: nn.ProbVLMExact, Optimizer: nn.AdamW}, 1e-4, false},
	{adapter.ELIP, nn.Architecture{Objective: nn.Evidential, Optimizer: nn.AdamW}, 1e-3, false},
	{adapter.ELIPITC, nn.Architecture{Objective: nn.EvidentialITC, Optimizer: nn.AdamW}, 1e-3, false},
	{adapter.CLIPEnsemble, nn.Architecture{Objective: nn.Ensemble, Optimizer: nn.AdamW}, 1e-3, false},
	{adapter.AsymVLMVonMisesFisher, nn.Architecture{Likelihood: nn.VonMisesFisher}, 1e-2, true},
	{adapter.AsymVLMPowerSpherical, nn.Architecture{Likelihood: nn.PowerSpherical}, 1e-2, true},
	{adapter.PCMEpp, nn.Architecture{Objective: nn.PCMEPP, Optimizer: nn.AdamW}, 5e-4, true},
	{adapter.SigLIPVonMisesFisher, nn.Architecture{Likelihood: nn.VonMisesFisher, Objective: nn.Sigmoid}, 1e-2, true},
	{adapter.SigLIPPowerSpherical, nn.Architecture{Likelihood: nn.PowerSpherical, Objective: nn.Sigmoid}, 1e-2, true},
	{adapter.PCMEpp, nn.Architecture{Objective: nn.PCMEPP, Optimizer: nn.AdamP}, 5e-4, false},
}

func bench(w io.Writer, p plan) error {
	if err := device.Use(device.NameCUDA); err != nil {
		return err
	}
	card, able := device.Shared().(*cuda.Device)
	if !able {
		return errors.New("the device cuda does not train on a GPU")
	}
	cpu := device.NewCPU(0)
	defer cpu.Close()
	fmt.Fprintf(w, "- %s\n- %s\n", card.Name(), cpu.Name())
	// The most important measurements come first, because the time may end before all parts are
	// measured.
	if err := p.measureEpochs(w, card); err != nil {
		return err
	}
	if p.parity {
		sides := [2]device.Device{card, cpu}
		if err := errors.Join(p.compareAllLosses(w, sides), p.compareDraws(w, sides)); err != nil {
			return err
		}
	}
	for _, s := range subjects {
		if p.replays == 0 || p.late(w, "the parts of "+s.name()) {
			continue
		}
		if err := p.measureParts(w, card, s); err != nil {
			return err
		}
	}
	if p.parity {
		return p.compareRetrieval(w)
	}
	return nil
}

// late reports whether there is no time left for a measurement, and prints it.
func (p plan) late(w io.Writer, what string) bool {
	if p.until.IsZero() || time.Now().Before(p.until) {
		return false
	}
	fmt.Fprintf(w, "\n**Left out for want of time: %s.**\n", what)
	return true
}

// A problem holds pairs of embeddings: texts around the directions of their images.
func problem(pairs, images, columns int) (work device.TrainingPlan) {
	work.Anchors, work.Adapted = device.NewMatrix[float32](images, columns), device.NewMatrix[float32](pairs, columns)
	work.AdaptedOf, work.AnchorOf = make([]int, pairs), make([]int, pairs)
	work.Stretch, work.AnchorStretch = 1, 1
	source := rand.New(rand.NewPCG(1, 2))
	// Numbers come from a table, because at COCO's size generating each would take longer than the
	// training.
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

// learner returns a learner of the paper's network, with its work on a problem, whose texts are the
// adapted side.
func (p plan) learner(ops device.Device, s subject, batch int, data device.TrainingPlan) (*nn.Learner, device.TrainingPlan, error) {
	a := s.architecture
	a.Dimension, a.Hidden, a.HiddenLayers = p.columns, p.hidden, 3
	l, err := nn.NewLearner(ops, a, batch)
	if err != nil {
		return nil, data, err
	}
	l.Initialize(rand.New(rand.NewPCG(3, 0)))
	work, side, ok := l.Work()
	if !ok {
		return nil, data, fmt.Errorf("%s does not train on GPUs", s.name())
	}
	work.Adapted, work.Anchors, work.AdaptedOf, work.AnchorOf = data.Adapted, data.Anchors, data.AdaptedOf, data.AnchorOf
	if side == nn.Images {
		work.Adapted, work.Anchors, work.AdaptedOf, work.AnchorOf = data.Anchors, data.Adapted, data.AnchorOf, data.AdaptedOf
	}
	work.Stretch, work.AnchorStretch = data.Stretch, data.AnchorStretch
	if s.masked {
		work.Groups = data.AnchorOf
	}
	return l, work, nil
}
