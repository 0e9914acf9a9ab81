package nn

import (
	"fmt"
	"math/rand/v2"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/sphere"
)

// An Objective determines the networks, the loss, and the use of the result of a learner. Its
// values are variables of this package and the results of Own; each is defined in the file of its
// mathematics. Values can be compared.
type Objective interface {
	// String returns a name for messages.
	String() string

	properties() properties
	// single and double return the objective's computation, whose tensors are taken from b.
	single(b *builder[float32]) (objective[float32], error)
	double(b *builder[float64]) (objective[float64], error)
}

// properties are the facts about an objective that do not depend on sizes. The zero value describes
// an objective with networks of free width and depth, wrong pairs in its batches, and norms
// that matter on both sides.
type properties struct {
	density     bool         // it is a loss of pairs based on a Likelihood; outputs can be scaled, and the network residual
	temperature bool         // τ is trained from a first value that can be chosen
	firstTau    float64      // τ before the first step; 0 means 1
	logTau      bool         // the parameter is always the logarithm of τ
	weights     *PairWeights // the default weights of ProLIP; nil for other losses
	fixedWidth  bool         // the width of hidden layers cannot be chosen
	fixedDepth  bool         // their number cannot be chosen
	unit        [2]bool      // by Side: raw embeddings are normalized first
	unmaskable  bool         // there are no wrong pairs that could be masked
	separate    bool         // pairs are treated separately, so that one pair is a batch
	sums        bool         // sums are accumulated, and no loss is minimized
}

// An objective is the computation of an Objective in one precision.
type objective[F device.Float] interface {
	// initialize draws the initial parameters.
	initialize(source *rand.Rand)
	// differentiate sets the gradients of all tensors for a batch of raw pairs and returns the
	// loss.
	differentiate(texts, images device.Matrix[F]) (StepResult, error)
	// width returns the number of columns that represent fills.
	width() int
	// represent sets dst to the representations of at most a batch of raw embeddings of one side,
	// from which scores are computed, and u to their uncertainties. It returns false if the side
	// has none.
	represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool
	// score sets dst, N×M, from representations of images and texts.
	score(dst, images, texts device.Matrix[F])
	// temperature returns the factor on the similarities in the loss, or 1 if there is none.
	temperature() float64
}

// A tempered is an objective with a temperature that may be fixed.
type tempered[F device.Float] interface {
	temperatureTensors() []*tensor[F]
}

// A resident is an objective whose steps a device can run as a whole.
type resident interface {
	// work describes the networks and the loss of an architecture, and returns the side with the
	// network, Texts if both have one. It returns false if this learner must use single operations.
	work(plan *device.TrainingPlan, of Architecture) (side Side, ok bool)
	// seen converts the values that the device returned for a step. The error is a *NotFiniteError,
	// as from differentiate.
	seen(s device.SeenStep) (StepResult, error)
}

// A builder holds the inputs for constructing an objective.
type builder[F device.Float] struct {
	Architecture
	ops     device.Operations[F]
	batch   int
	tensors *tensors[F]
	mask    *mask
}

// newObjective returns the computation of an architecture's objective. Only here the precision
// selects a method.
func newObjective[F device.Float](b *builder[F]) (objective[F], error) {
	return inPrecision[F, objective[F]](b, b.objective().single, b.objective().double)
}

// newLikelihood returns the computation of an architecture's likelihood.
func newLikelihood[F device.Float](b *builder[F]) (likelihood[F], error) {
	if b.Likelihood == nil {
		return nil, fmt.Errorf("nn: objective %q without a likelihood, want %q, %q, %q, %q or %q", b.objective(),
			VonMisesFisher, VonMisesFisherExact, PowerSpherical, Cosine, Gaussian)
	}
	return inPrecision[F, likelihood[F]](b, b.Likelihood.single, b.Likelihood.double)
}

// inPrecision calls the function for the builder's precision. T is the interface type of its
// result.
func inPrecision[F device.Float, T, S, D any](b *builder[F], single func(*builder[float32]) (S, error), double func(*builder[float64]) (D, error)) (result T, err error) {
	var made any
	switch b := any(b).(type) {
	case *builder[float32]:
		made, err = single(b)
	case *builder[float64]:
		made, err = double(b)
	}
	if err == nil {
		result = made.(T)
	}
	return result, err
}

// A Likelihood is a log-likelihood ℓ(x, η) of a unit embedding x under the output η of a network.
// Training makes ℓ large for an image and its own caption. Its values are variables of this
// package.
type Likelihood interface {
	// String returns a name for messages.
	String() string

	// concentrated reports whether |η| is a concentration.
	concentrated() bool
	// linear returns the constructor of F, or nil for F = 0, if ℓ is η·x + F(|η|), or μ·x without a
	// concentration.
	linear() (newNormalizer func(dimension int) (sphere.Normalizer, error), ok bool)
	// density is the name of the likelihood for devices.
	density() device.Density
	// single and double return the likelihood's computation.
	single(b *builder[float32]) (likelihood[float32], error)
	double(b *builder[float64]) (likelihood[float64], error)
}
