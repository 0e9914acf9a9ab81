package device

import (
	"context"
	"errors"
)

// A Trainer is a device with memory of its own that holds a data set and does whole steps there, so that nothing but
// what the steps saw comes back. What it does not know, Train refuses, and the operations do it.
type Trainer interface {
	Device
	// Train copies a training's work to the device. An error that is ErrUnknownWork leaves it to the operations; any other
	// one is of the device, such as too little memory, and names the size.
	Train(work Work) (Residence, error)
}

// Work is what a device that trains by itself holds. A pair p is the row AdaptedOf[p] of Adapted and AnchorOf[p] of Anchors.
type Work struct {
	Objective  string // as in package nn, without a side: contrastive, matching-probability, reconstruction, …
	Likelihood string // as in package nn: vmf, ps, gauss, cosine; only of the objectives that have one
	Optimizer  string // sgd, adamw or adamp
	// Widths are those of the layers of a network, from input to output; the first and the last are those of the embeddings.
	// Contrastive and sigmoid objectives have one network, the others one on each side; of a reconstruction it is the trunk.
	Widths []int
	Batch  int     // the largest number of pairs of a step
	Factor float32 // on the outputs of the one network
	// Parameters are those of the learner at the start, tensor by tensor: weight and bias of each layer, those of the texts
	// first, and the numbers behind the networks. Memory is the optimizer's, laid out alike.
	Parameters []float32
	Memory     [][]float32
	// Adapted are the raw embeddings of the side with the network, each multiplied by Stretch, or of the texts where both have
	// one; Anchors those of the other side, multiplied by AnchorStretch unless they get length 1.
	Adapted, Anchors       Matrix[float32]
	AdaptedOf, AnchorOf    []int
	Stretch, AnchorStretch float32
	// Groups has a number from 0 for every pair; pairs of one group are neither right nor wrong for each other. Nil leaves
	// nothing out. Objectives without wrong pairs take none.
	Groups Groups
}

// A Residence is a training under way on a device.
type Residence interface {
	// Order sets the order of the pairs for the steps that follow, as after a shuffle.
	Order(pairs []int) error
	// Steps does steps, at most Window of them with equally many pairs, and returns what each saw. The steps from one that
	// saw something not finite on are not done, and that one is the last that is returned. When ctx ends no further step is
	// begun, which is no error: those that were done are returned.
	Steps(ctx context.Context, steps []PlannedStep) ([]SeenStep, error)
	// Save copies parameters and the optimizer's memory back.
	Save(parameters []float32, memory [][]float32) error
	// Close gives the memory back.
	Close()
}

// Window is the largest number of steps that a Residence does without a look from outside.
const Window = 32

// A PlannedStep takes Rows pairs of the order from number From on. Adam counts for that optimizer, Rate for the other. Epoch,
// from 1, is that of the step; only ELIP's evidential loss depends on it, and refuses a step without.
type PlannedStep struct {
	From, Rows int
	Epoch      int
	Rate       Rate
	Adam       AdamStep
}

// A SeenStep is what a step saw before its update: the loss, the factor on the similarities (1 where there is none), the mean
// concentration, the derivative in the factor, and the squared length of the gradient with respect to the outputs of the
// networks. For methods that learn variances the concentration is the mean variance of a coordinate of the texts, and for a
// reconstruction the slope is the squared length of the outputs.
type SeenStep struct{ Loss, Temperature, Concentration, Slope, Gradient float64 }

// ErrUnknownWork tells that a device trains by itself, but not this.
var ErrUnknownWork = unknownWork{}

type unknownWork struct{}

// Error says so.
func (unknownWork) Error() string { return "device: work that only the operations do" }

// OfferCUDA tells the package how to start the card; builds with GPU support call it before the program begins.
func OfferCUDA(open func() (Device, error)) { openCUDA = open }

// ErrMemory is what the error of a card with too little free memory wraps: one of a training, or what an operation panics with.
// The device can be used afterward.
var ErrMemory = errors.New("the card has too little free memory")

// A LostError is what an operation panics with when the device it runs on fails: a card that was unplugged or that another
// program crashed. Trainings and adapters return it as an error.
type LostError struct{ Cause error }

// Error tells what happened.
func (e *LostError) Error() string { return "device: the device was lost: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Cause }

// Told, deferred, turns what an operation panics with where its device is lost or has too little memory into an error. Other panics go on.
func Told(err *error) {
	problem := recover()
	if problem == nil {
		return
	}
	failed, ok := problem.(error)
	if lost := new(LostError); !ok || !errors.As(failed, &lost) && !errors.Is(failed, ErrMemory) {
		panic(problem)
	}
	*err = failed
}
