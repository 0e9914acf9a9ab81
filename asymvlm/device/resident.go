package device

import (
	"context"
	"errors"
)

// A Trainer is a device with its own memory that holds a data set and runs whole training steps, so
// that only the results of steps are transferred. Train rejects work that it does not support,
// which single operations then perform.
type Trainer interface {
	Device
	// Train copies the data of a training to the device. An error that is ErrUnknownWork means that
	// single operations must be used; any other error reports a problem of the device, such as too
	// little memory, and names the size.
	Train(work TrainingPlan) (DeviceTraining, error)
}

// TrainingPlan is the data of a training on a Trainer. A pair p is the row AdaptedOf[p] of Adapted
// and AnchorOf[p] of Anchors.
type TrainingPlan struct {
	Loss      TrainingLoss
	Optimizer string // sgd, adamw or adamp
	// Widths are the widths of a network from input to output; the first and the last are the width
	// of the embeddings. A ContrastiveLoss has one network, the others one on each side; for a
	// ReconstructionLoss it is the trunk.
	Widths []int
	Batch  int     // the largest number of pairs of a step
	Factor float32 // on the outputs of a single network
	// Parameters are the learner's initial parameters, tensor by tensor: weight and bias of each
	// layer, the texts' first, and then the scalars. Memory is the optimizer state, with the same
	// layout.
	Parameters []float32
	Memory     [][]float32
	// Adapted holds the raw embeddings of the side with the network, each multiplied by Stretch, or
	// of the texts if both sides have one. Anchors holds those of the other side, multiplied by
	// AnchorStretch unless they are normalized.
	Adapted, Anchors       Matrix[float32]
	AdaptedOf, AnchorOf    []int
	Stretch, AnchorStretch float32
	// Groups has a number from 0 for every pair; pairs of one group are neither right nor wrong for
	// each other. Nil omits nothing. It must be nil for objectives without wrong pairs.
	Groups Groups
}

// A DeviceTraining is a running training on a device.
type DeviceTraining interface {
	// Order sets the order of the pairs for the following steps, as after a shuffle.
	Order(pairs []int) error
	// Steps runs at most Window steps with equal numbers of pairs and returns their results. If a
	// value of a step is not finite, its result is the last and later steps are not run. If ctx
	// ends, no further step begins and the completed results are returned without an error.
	Steps(ctx context.Context, steps []PlannedStep) ([]SeenStep, error)
	// Save copies the parameters and the optimizer state from the device.
	Save(parameters []float32, memory [][]float32) error
	// Close frees the memory.
	Close()
}

// Window is the largest number of steps in one call of DeviceTraining.Steps.
const Window = 32

// A PlannedStep uses Rows pairs of the order, beginning at From. AdamW uses Adam; the
// other optimizers use Rate. Epoch counts from 1; only ELIP's evidential loss depends on it, and it
// rejects a step without one.
type PlannedStep struct {
	From, Rows int
	Epoch      int
	Rate       Rate
	Adam       AdamStep
}

// A SeenStep holds the values of a step, computed before its update: the loss, the factor on the
// similarities (1 if there is none), the mean concentration, the derivative with respect to the
// factor, and the squared norm of the gradient with respect to the outputs of the networks. For
// methods that learn variances the concentration is the mean variance of a coordinate of the texts,
// and for a reconstruction the slope is the squared norm of the outputs.
type SeenStep struct{ Loss, Temperature, Concentration, Slope, Gradient float64 }

// ErrUnknownWork is returned by a Trainer that does not support the given work.
var ErrUnknownWork = unknownWork{}

type unknownWork struct{}

// Error returns the message.
func (unknownWork) Error() string { return "device: work that only the operations do" }

// OfferCUDA sets the function that opens the GPU. Builds with GPU support call it during
// initialization.
func OfferCUDA(open func() (Device, error)) { openCUDA = open }

// ErrMemory is wrapped by errors about a GPU with too little free memory, returned by a training or
// used as a panic value by an operation. The device remains usable.
var ErrMemory = errors.New("the GPU has too little free memory")

// A LostError is the panic value of an operation whose device fails, such as a GPU that was
// disconnected or that another program crashed. Trainings and adapters return it as an error.
type LostError struct{ Cause error }

// Error describes the failure.
func (e *LostError) Error() string { return "device: the device was lost: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Cause }

// CatchDeviceError is meant to be deferred. It converts a panic caused by a lost device or by too
// little memory into *err and re-panics with any other value.
func CatchDeviceError(err *error) {
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
