package adapter

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// ErrNoConcentration is returned where a method without a distribution is asked for concentrations.
var ErrNoConcentration = errors.New("adapter: this method gives texts no concentration")

// inferenceBatch is the number of texts or images taken through the network at once by an adapter that was loaded.
const inferenceBatch = 256

// An Adapter is a trained method. It must not be used by two goroutines at once.
type Adapter struct {
	options   Options
	dimension int
	learner   *nn.Learner // nil for CLIP
	checksum  string      // of the training set
	history   History
}

// newAdapter makes an adapter with weights drawn from the seed.
func newAdapter(ops device.Device, options Options, dimension, batch int) (*Adapter, error) {
	a := &Adapter{options: options, dimension: dimension}
	if options.Method == CLIP {
		return a, nil
	}
	architecture := nn.Architecture{
		Dimension: dimension, Hidden: options.Hidden, HiddenLayers: options.HiddenLayers,
		Likelihood: likelihoods[options.Method],
	}
	learner, err := nn.NewLearner(ops, architecture, batch)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	// The second number of the generator is 0 for the weights and the epoch, from 1, for the order of its pairs.
	learner.Initialize(rand.New(rand.NewPCG(options.Seed, 0)))
	a.learner = learner
	return a, nil
}

// Method returns the method's name.
func (a *Adapter) Method() string { return a.options.Method }

// Options returns how the adapter was trained.
func (a *Adapter) Options() Options { return a.options }

// Dimension returns the width of the embeddings it takes.
func (a *Adapter) Dimension() int { return a.dimension }

// History returns what the training saw, step by step; empty for CLIP.
func (a *Adapter) History() *History { return &a.history }

// TrainingChecksum returns the Checksum of the set it was trained on, "" for CLIP.
func (a *Adapter) TrainingChecksum() string { return a.checksum }

// Temperature returns τ. It multiplies the log-likelihoods in the training loss and has no part in scores; 1 for CLIP.
func (a *Adapter) Temperature() float64 {
	if a.learner == nil {
		return 1
	}
	return a.learner.Temperature()
}

// Natural returns the natural parameter η = κμ of every text, one row each. The texts are raw embeddings, as their
// encoder gave them. With CLIP η is the text itself.
func (a *Adapter) Natural(texts embedding.Matrix) (embedding.Matrix, error) {
	if texts.Columns != a.dimension {
		return embedding.Matrix{}, fmt.Errorf("adapter: texts have %d columns, %s was trained on %d",
			texts.Columns, a.Method(), a.dimension)
	}
	if err := texts.Check(); err != nil {
		return embedding.Matrix{}, fmt.Errorf("adapter: texts: %w", err)
	}
	if a.learner == nil {
		return texts.Clone(), nil
	}
	eta := embedding.NewMatrix(texts.Rows, texts.Columns)
	a.learner.Natural(nn.Matrix(eta), nn.Matrix(texts))
	return eta, nil
}

// Scores returns the matrix, images × texts, by which a set's images and texts retrieve each other: the
// log-likelihoods of the images given the texts, with the normaliser and without the temperature; for determ-ft and
// clip the cosines.
func (a *Adapter) Scores(set *embedding.Set) (embedding.Matrix, error) {
	return a.LogLikelihoods(set.Images, set.Texts)
}

// LogLikelihoods is Scores for any images and raw texts.
func (a *Adapter) LogLikelihoods(images, texts embedding.Matrix) (embedding.Matrix, error) {
	if images.Columns != a.dimension {
		return embedding.Matrix{}, fmt.Errorf("adapter: images have %d columns, %s was trained on %d",
			images.Columns, a.Method(), a.dimension)
	}
	unit, err := images.Normalized()
	if err != nil {
		return embedding.Matrix{}, fmt.Errorf("adapter: images: %w", err)
	}
	eta, err := a.Natural(texts)
	if err != nil {
		return embedding.Matrix{}, err
	}
	scores := embedding.NewMatrix(images.Rows, texts.Rows)
	if a.learner != nil {
		a.learner.LogLikelihoods(nn.Matrix(scores), nn.Matrix(unit), nn.Matrix(eta))
		return scores, nil
	}
	if eta, err = eta.Normalized(); err != nil {
		return embedding.Matrix{}, fmt.Errorf("adapter: texts: %w", err)
	}
	device.Shared().ProductRightTransposed(nn.Matrix(scores), nn.Matrix(unit), nn.Matrix(eta))
	return scores, nil
}

// Concentrations returns κ = |η| of every raw text embedding, or ErrNoConcentration.
func (a *Adapter) Concentrations(texts embedding.Matrix) ([]float64, error) {
	if !IsProbabilistic(a.Method()) {
		return nil, ErrNoConcentration
	}
	eta, err := a.Natural(texts)
	if err != nil {
		return nil, err
	}
	return eta.Norms(), nil
}

// Uncertainty returns a number for every raw text embedding that is larger for texts that are less certain about
// their image.
//
// It is 1/κ for the AsymVLM methods, and +Inf where κ is 0. For clip and determ-ft, which have no uncertainty of
// their own, it is minus the length of the raw embedding: encoders give vague texts shorter embeddings, as the
// cheapest thing to compare with. The paper has no uncertainty for these two.
func (a *Adapter) Uncertainty(texts embedding.Matrix) ([]float64, error) {
	if !IsProbabilistic(a.Method()) {
		if err := texts.Check(); err != nil {
			return nil, fmt.Errorf("adapter: texts: %w", err)
		}
		lengths := texts.Norms()
		for i, length := range lengths {
			lengths[i] = -length
		}
		return lengths, nil
	}
	uncertainty, err := a.Concentrations(texts)
	if err != nil {
		return nil, err
	}
	for i, kappa := range uncertainty {
		uncertainty[i] = 1 / kappa
	}
	return uncertainty, nil
}
