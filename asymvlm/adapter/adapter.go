package adapter

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
)

// ErrNoConcentration is returned by Natural and Concentrations for a method without a distribution.
var ErrNoConcentration = errors.New("adapter: this method gives texts no concentration")

// ErrNoTextUncertainty is returned by Uncertainty for a method that models the uncertainty of
// images only.
var ErrNoTextUncertainty = errors.New("adapter: this method gives images an uncertainty, not texts")

// inferenceBatch is the number of rows that a loaded adapter passes through the network per batch.
const inferenceBatch = 256

// An Adapter is a trained method. It is not safe for concurrent use.
type Adapter struct {
	method   Method
	revision int // of the method
	options  Options
	shape    Shape
	stretch  [2]float32  // factors on raw embeddings, by nn.Side; 1 unless TextLength or MatchLengths changed them
	learner  *nn.Learner // nil for CLIP
	checksum string      // of the training set
	history  History
	measured []Measurement  // on the validation set, nil without one
	best     []nn.Parameter // parameters at the best measurement, during training
	heldOut  *retrieval.HeldOut
}

// newAdapter returns an adapter with weights initialized from the seed.
func newAdapter(ops device.Device, options Options, shape Shape) (*Adapter, error) {
	method, err := Lookup(options.Method)
	if err != nil {
		return nil, err
	}
	a := &Adapter{method: method, revision: shape.Revision, options: options, shape: shape, stretch: [2]float32{1, 1}}
	if a.learner, err = method.Learner(ops, options, shape); err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	if a.learner != nil {
		// The second PCG seed is 0 for the weights; shuffling the pairs uses the epoch, counted
		// from 1.
		a.learner.Initialize(rand.New(rand.NewPCG(options.Seed, 0)))
	}
	return a, nil
}

// Method returns the method's name.
func (a *Adapter) Method() string { return a.options.Method }

// String describes the adapter and the progress of its training in one line.
func (a *Adapter) String() string {
	if a.learner == nil {
		return fmt.Sprintf("%s: %d dimensions, nothing trained", a.Method(), a.shape.Dimension)
	}
	steps, o := a.history.Steps(), a.options
	return fmt.Sprintf("%s: %d dimensions, %d of %d steps, batch %d, learning rate %g, seed %d", a.Method(), a.shape.Dimension,
		steps, max(steps, StepsOf(a)), o.Batch, o.LearningRate, o.Seed)
}

// StepsOf returns the number of steps of the whole training of an adapter, as its options determine
// it.
func StepsOf(a *Adapter) int { return stepsOf(a.options, a.history.StepsPerEpoch) }

// stepsOf returns the number of steps of a training whose epochs have a number of steps.
func stepsOf(o Options, perEpoch int) int {
	if o.Steps > 0 {
		return o.Steps
	}
	return perEpoch * o.Epochs
}

// HeldOutIn returns the gain of learned concentrations over a constant that the training of an
// adapter measured with Options.HeldOut, or nil.
func HeldOutIn(a *Adapter) *retrieval.HeldOut { return a.heldOut }

// Options returns the options that the adapter was trained with.
func (a *Adapter) Options() Options { return a.options }

// Dimension returns the width of the embeddings that the adapter was trained on. Its rows must have
// that width, except for bayesvlm on last layers, whose rows are the inputs of those layers.
func (a *Adapter) Dimension() int { return a.shape.Dimension }

// History returns the recorded values of every training step. It is empty for CLIP.
func (a *Adapter) History() *History { return &a.history }

// TrainingChecksum returns the Checksum of the training set, or "" for CLIP.
func (a *Adapter) TrainingChecksum() string { return a.checksum }

// Temperature returns τ, which multiplies the log-likelihoods in the training loss but is not used
// in scores. It is 1 for CLIP.
func (a *Adapter) Temperature() float64 {
	if a.learner == nil {
		return 1
	}
	return a.learner.Temperature()
}

// check returns an error if the adapter cannot use the rows of one side.
func (a *Adapter) check(side nn.Side, m embedding.Matrix) error {
	what, width := sideNames[side]+"s", a.shape.Dimension
	if inputs := a.shape.Layers[side].Inputs; inputs != 0 {
		what, width = "features of "+what, inputs
	}
	if m.Columns != width {
		return fmt.Errorf("adapter: %s have %d columns, %s was trained on %d", what, m.Columns, a.Method(), width)
	}
	if err := m.Check(); err != nil {
		return fmt.Errorf("adapter: %s: %w", what, err)
	}
	return nil
}

// represent passes the raw embeddings of one side through the networks.
func (a *Adapter) represent(side nn.Side, m embedding.Matrix) (r nn.Representation, err error) {
	defer device.CatchDeviceError(&err)
	if err := a.check(side, m); err != nil {
		return nn.Representation{}, err
	}
	if err := m.CheckDirections(); err != nil {
		return nn.Representation{}, fmt.Errorf("adapter: %ss: %w", sideNames[side], err)
	}
	return a.method.Represent(a.learner, side, nn.Matrix(stretched(m, a.stretch[side]))), nil
}

// stretched returns rows multiplied by a factor, the rows themselves where it is 1.
func stretched(m embedding.Matrix, factor float32) embedding.Matrix {
	if factor != 1 {
		m = m.Clone()
		scaleInput(m.Values, factor)
	}
	return m
}

// scaleInput multiplies values by a factor.
func scaleInput(values []float32, factor float32) {
	for i := range values {
		values[i] *= factor
	}
}

// Natural returns the natural parameter η = κμ of every text, one row each. The texts are raw
// embeddings, as produced by their encoder. For CLIP, η is the text itself. Methods without a
// distribution on the sphere return ErrNoConcentration, except determ-ft and determ-ft-residual,
// whose outputs are used as natural parameters.
func (a *Adapter) Natural(texts embedding.Matrix) (embedding.Matrix, error) {
	if err := a.check(nn.Texts, texts); err != nil {
		return embedding.Matrix{}, err
	}
	switch {
	case a.learner == nil:
		return texts.Clone(), nil
	case !IsProbabilistic(a.Method()) && a.Method() != DeterministicFineTuning && a.Method() != ResidualCosine:
		return embedding.Matrix{}, ErrNoConcentration
	}
	r, err := a.represent(nn.Texts, texts)
	return embedding.Matrix(r.Rows), err
}

// Scores returns the matrix, images × texts, by which the images and texts of a set retrieve each
// other. For the AsymVLM methods it holds the log-likelihoods of the images given the texts, with
// the normalizer and without the temperature. For the others it holds cosines; methods that learn
// only variances use those of the given embeddings, as in the paper's reference implementation,
// unless Options.Ranking is RankCSD.
//
// Bayesvlm applies the prediction of its options. Monte Carlo prediction depends on the direction
// of retrieval and is available from Probabilities and Evaluate; Scores then returns the means of
// the cosines.
//
// Embeddings of another width, values that are not finite and rows without a direction are errors
// that name the side and the row.
func (a *Adapter) Scores(set *embedding.Set) (embedding.Matrix, error) {
	rows, err := a.rows(set)
	if err != nil {
		return embedding.Matrix{}, err
	}
	return a.LogLikelihoods(rows[nn.Images], rows[nn.Texts])
}

// LogLikelihoods is like Scores for arbitrary raw images and texts. For bayesvlm on last layers the
// rows are the inputs of those layers. The errors are the same as for Scores.
func (a *Adapter) LogLikelihoods(images, texts embedding.Matrix) (embedding.Matrix, error) {
	g, err := a.gallery([2]embedding.Matrix{nn.Texts: texts, nn.Images: images})
	if err != nil {
		return embedding.Matrix{}, err
	}
	scores := embedding.NewMatrix(images.Rows, texts.Rows)
	return scores, g.ReadRows(scores, 0)
}

// A gallery holds the representations of both sides of a set and computes scores block by block.
type gallery struct {
	adapter *Adapter
	sides   [2]nn.Representation // by nn.Side
}

// gallery returns the representations of the given rows, by nn.Side.
func (a *Adapter) gallery(rows [2]embedding.Matrix) (gallery, error) {
	g := gallery{adapter: a}
	for _, side := range []nn.Side{nn.Images, nn.Texts} {
		var err error
		if g.sides[side], err = candidates(a, side, rows[side]); err != nil {
			return g, err
		}
	}
	return g, nil
}

// galleryOf returns the representations of both sides of a set.
func (a *Adapter) galleryOf(set *embedding.Set) (gallery, error) {
	rows, err := a.rows(set)
	if err != nil {
		return gallery{}, err
	}
	return a.gallery(rows)
}

// Size returns the number of images and the number of texts.
func (g gallery) Size() (images, texts int) {
	return g.sides[nn.Images].Rows.Rows, g.sides[nn.Texts].Rows.Rows
}

// ReadRows computes the scores of images from, from+1, … with all texts.
func (g gallery) ReadRows(dst embedding.Matrix, from int) (err error) {
	defer device.CatchDeviceError(&err)
	images := nn.Matrix(embedding.Matrix(g.sides[nn.Images].Rows).RowRange(from, from+dst.Rows))
	score(g.adapter, nn.Matrix(dst), nn.Representation{Rows: images}, g.sides[nn.Texts])
	return nil
}

// Evaluate measures retrieval on a set by levels of the uncertainty of the queries; the paper uses
// 10 levels.
//
// A text query has its own uncertainty, and an image query that of the text it retrieves, as in
// AsymVLM's reference implementation. For asymvlm-image it is the other way round. For elip both
// sides have their own uncertainty, which depends on the number of candidates. For residual
// adapters an image query has the entropy of the posterior over the texts. For clip-ensemble
// and bayesvlm it is the variance of the cosine with the retrieved item. Methods without an
// uncertainty use minus the norm of the raw text; see Uncertainty.
//
// Scores are computed and ranked block by block, so a gallery of any size fits in memory; the rows
// of a set from embedding.OpenSet are also read block by block. The errors are those of Scores and
// of package retrieval: fewer than two images or texts, an image without a text, and levels that
// would be empty.
func (a *Adapter) Evaluate(set *embedding.Set, levels int) (report *retrieval.Report, err error) {
	if report, err = evaluate(a, set, levels); err == nil {
		report.HeldOut = a.heldOut
	}
	return report, err
}

// evaluate is Evaluate without what the training measured.
func evaluate(a *Adapter, set *embedding.Set, levels int) (report *retrieval.Report, err error) {
	defer device.CatchDeviceError(&err)
	if set, err = a.placed(set); err != nil {
		return nil, err
	}
	if set != nil && set.IsStored() {
		return a.evaluateStored(set, levels)
	}
	g, err := a.galleryOf(set)
	if err != nil {
		return nil, err
	}
	ranking, err := g.rank(retrieval.RelevanceOf(set), rankDepth)
	if err != nil {
		return nil, err
	}
	best := nn.Retrieved{ImageOfText: ranking.TextToImage.Tops(), TextOfImage: ranking.ImageToText.RowTops()}
	texts, images := a.method.Queries(a.learner, best, g.sides[nn.Images], g.sides[nn.Texts])
	if texts == nil {
		return ranking.Report(shortness(set.Texts), levels)
	}
	if asksPosterior(a) {
		if images, err = posteriorEntropies(a, set); err != nil {
			return nil, err
		}
	}
	return ranking.ReportQueries(texts, ranking.ImageToText.OfQueries(images), levels)
}

// Ranking ranks the images and texts of a set against each other by Scores, with lists of length
// depth, as required by retrieval.Positives. The errors are the same as for Scores and
// retrieval.RankTop.
func (a *Adapter) Ranking(set *embedding.Set, depth int) (*retrieval.Ranking, error) {
	set, err := a.placed(set)
	if err != nil {
		return nil, err
	}
	if set != nil && set.IsStored() {
		ranking, _, err := a.rankStored(set, depth)
		return ranking, err
	}
	g, err := a.galleryOf(set)
	if err != nil {
		return nil, err
	}
	return g.rank(retrieval.RelevanceOf(set), depth)
}

// rankDepth is the list length of Evaluate: the largest K of Recall@K in the papers.
const rankDepth = 10

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

// Uncertainty returns a number for every raw text embedding. A larger number means that the text is
// less certain about its image.
//
// It is 1/κ for the AsymVLM methods, +Inf if κ is 0; the mean variance for pfe, pcmepp and prolip;
// and Σv/|m|² for bayesvlm. For probvlm it is the reciprocal of the mean variance, as in AsymVLM's
// reference implementation, so a large predicted variance counts as certain.
//
// Methods without an uncertainty of single texts (clip, determ-ft, clip-ensemble, and elip, which
// has one only within a gallery) return minus the norm of the raw embedding. It is the simplest
// baseline, because encoders map vague texts to embeddings with smaller norms. The paper defines no
// uncertainty for clip and determ-ft. For asymvlm-image, which models the uncertainty of images
// only, the error is ErrNoTextUncertainty.
func (a *Adapter) Uncertainty(texts embedding.Matrix) (u []float64, err error) {
	defer device.CatchDeviceError(&err)
	r, err := a.represent(nn.Texts, texts)
	if err != nil {
		return nil, err
	}
	return a.method.Uncertainty(texts, r)
}

// ImageUncertainty is like Uncertainty for raw images. It returns nil if the method has no
// uncertainty of single images. The errors are the same as for Scores.
func (a *Adapter) ImageUncertainty(images embedding.Matrix) ([]float64, error) {
	r, err := a.represent(nn.Images, images)
	return r.Uncertainty, err
}
