package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
)

// Matrix is a float32 matrix of a device.
type Matrix = device.Matrix[float32]

// An Architecture is the shape of what is learned. The paper's program has three hidden layers of 1024 (its text says
// two).
type Architecture struct {
	Dimension    int    // of the embeddings
	Hidden       int    // width of the hidden layers
	HiddenLayers int    // their number, at least 0
	Likelihood   string // VonMisesFisher, VonMisesFisherExact, PowerSpherical or Cosine
}

// Check reports what makes an architecture impossible.
func (a Architecture) Check() error {
	switch {
	case a.Dimension < 2:
		return fmt.Errorf("nn: dimension %d, want at least 2", a.Dimension)
	case a.HiddenLayers < 0 || a.HiddenLayers > 0 && a.Hidden < 1:
		return fmt.Errorf("nn: %d hidden layers of width %d", a.HiddenLayers, a.Hidden)
	}
	_, err := newLikelihood[float64](device.Reference[float64]{}, a.Likelihood, a.Dimension, 0)
	return err
}

// A Parameter is a named part of the vector that is trained. Values are the learner's memory.
type Parameter = parameter[float32]

type parameter[F device.Float] struct {
	Name   string // as in PyTorch: text.0.weight, text.0.bias, text.2.weight, …, tau
	Shape  []int
	Values []F
}

// A StepResult tells what one step saw, before its update.
type StepResult struct {
	Loss              float64
	Temperature       float64
	MeanConcentration float64
}

// A NotFiniteError tells which quantity became NaN or infinite.
type NotFiniteError struct {
	Term  string
	Value float64
}

// Error names the quantity.
func (e *NotFiniteError) Error() string { return fmt.Sprintf("nn: %s is %g", e.Term, e.Value) }

// A Learner is a text network with a temperature, the likelihood of its outputs, and the memory of an optimiser. It
// must not be used by two goroutines at once.
type Learner = learner[float32]

type learner[F device.Float] struct {
	architecture Architecture
	ops          device.Operations[F]
	network      *network[F]
	likelihood   likelihood[F]
	contrastive  contrastive[F]
	batch        int

	// parameters holds the network's, then τ; the others are laid out alike.
	parameters, velocity, gradient []F
	ell, dEta                      device.Matrix[F]
}

// NewLearner makes a learner with all parameters 0 for batches of at most batch pairs.
func NewLearner(ops device.Device, architecture Architecture, batch int) (*Learner, error) {
	return newLearner(ops, architecture, batch)
}

func newLearner[F device.Float](ops device.Operations[F], architecture Architecture, batch int) (*learner[F], error) {
	if err := architecture.Check(); err != nil {
		return nil, err
	}
	if batch < 1 {
		return nil, fmt.Errorf("nn: batch of %d pairs, want at least 1", batch)
	}
	length := architecture.weights() + 1
	l := &learner[F]{
		architecture: architecture, ops: ops, batch: batch, contrastive: contrastive[F]{ops: ops},
		parameters: make([]F, length), velocity: make([]F, length), gradient: make([]F, length),
		ell: device.NewMatrix[F](batch, batch), dEta: device.NewMatrix[F](batch, architecture.Dimension),
	}
	l.network = newNetwork(ops, architecture.sizes(), [2][]F{l.parameters, l.gradient}, batch)
	var err error
	l.likelihood, err = newLikelihood(ops, architecture.Likelihood, architecture.Dimension, batch)
	return l, err
}

// Initialize draws new parameters, sets the temperature to 1 and forgets the velocity.
func (l *learner[F]) Initialize(source *rand.Rand) {
	l.network.initialize(source)
	*l.tau() = 1
	clear(l.velocity)
}

func (l *learner[F]) tau() *F { return &l.parameters[len(l.parameters)-1] }

// Temperature returns τ, which multiplies the log-likelihoods in the loss and has no part in retrieval.
func (l *learner[F]) Temperature() float64 { return float64(*l.tau()) }

// Parameters returns what is trained, by name; writing to the values changes the learner.
func (l *learner[F]) Parameters() []parameter[F] { return l.named(l.parameters) }

// Velocities returns the optimiser's memory, named and shaped as the parameters.
func (l *learner[F]) Velocities() []parameter[F] { return l.named(l.velocity) }

// named cuts a vector that is laid out as the parameters.
func (l *learner[F]) named(vector []F) []parameter[F] {
	var parts []parameter[F]
	at := 0
	take := func(name string, shape ...int) {
		length := 1
		for _, n := range shape {
			length *= n
		}
		parts = append(parts, parameter[F]{Name: name, Shape: shape, Values: vector[at : at+length : at+length]})
		at += length
	}
	for i, layer := range l.network.layers {
		// Rectifiers have the odd numbers in PyTorch's Sequential.
		take(fmt.Sprintf("text.%d.weight", 2*i), layer.weight.Rows, layer.weight.Columns)
		take(fmt.Sprintf("text.%d.bias", 2*i), len(layer.bias))
	}
	take("tau")
	return parts
}

// differentiate sets the gradient for a batch of pairs and returns what it saw.
func (l *learner[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	if texts.Rows != images.Rows || texts.Rows < 1 || texts.Rows > l.batch {
		return StepResult{}, fmt.Errorf("nn: batch of %d texts and %d images, want as many of both, at most %d",
			texts.Rows, images.Rows, l.batch)
	}
	eta := l.network.forward(texts)
	l.likelihood.prepare(eta)
	result := StepResult{Temperature: l.Temperature(), MeanConcentration: mean(l.likelihood.concentrations())}
	ell := device.Matrix[F]{Rows: texts.Rows, Columns: texts.Rows, Values: l.ell.Values[:texts.Rows*texts.Rows]}
	l.likelihood.fill(ell, images)
	loss, g, dTau := l.contrastive.loss(ell, *l.tau())
	result.Loss = loss
	dEta := l.dEta.Top(texts.Rows)
	l.likelihood.gradient(dEta, g, images, *l.tau())
	l.gradient[len(l.gradient)-1] = F(dTau)
	for _, check := range []NotFiniteError{
		{"the temperature", result.Temperature}, {"the mean concentration", result.MeanConcentration}, {"the loss", loss},
		{"the gradient of the temperature", dTau}, {"the gradient of the outputs", l.ops.Dot(dEta, dEta)},
	} {
		if math.IsNaN(check.Value) || math.IsInf(check.Value, 0) {
			return result, &NotFiniteError{check.Term, check.Value}
		}
	}
	l.network.backward(texts, dEta)
	return result, nil
}

// Step does one step of gradient descent on a batch of pairs: row i of texts, raw embeddings, belongs to row i of
// images, which must have length 1. When something is not finite the error is a *NotFiniteError and no parameter
// has changed.
func (l *learner[F]) Step(texts, images device.Matrix[F], rate device.Rate) (StepResult, error) {
	result, err := l.differentiate(texts, images)
	if err != nil {
		return result, err
	}
	l.ops.Update(l.parameters, l.velocity, l.gradient, rate)
	return result, nil
}

// Natural sets dst, M×D, to the outputs η of the network for any number of raw text embeddings.
func (l *learner[F]) Natural(dst, texts device.Matrix[F]) {
	for from := 0; from < texts.Rows; from += l.batch {
		rows := min(l.batch, texts.Rows-from)
		copy(dst.Values[from*dst.Columns:], l.network.forward(part(texts, from, rows)).Values)
	}
}

// LogLikelihoods sets ell, N×M, to the log-likelihoods of N unit image embeddings given M outputs of Natural. The
// temperature is not in it.
func (l *learner[F]) LogLikelihoods(ell, images, eta device.Matrix[F]) {
	l.likelihood.prepare(eta)
	for from := 0; from < images.Rows; from += l.batch {
		rows := min(l.batch, images.Rows-from)
		l.likelihood.fill(part(ell, from, rows), part(images, from, rows))
	}
}

// part returns some rows of a matrix, sharing the values.
func part[F device.Float](m device.Matrix[F], from, rows int) device.Matrix[F] {
	return device.Matrix[F]{Rows: rows, Columns: m.Columns, Values: m.Values[from*m.Columns : (from+rows)*m.Columns]}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}
