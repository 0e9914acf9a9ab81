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

// ErrNoConcentration is returned where a method without a distribution is asked for concentrations.
var ErrNoConcentration = errors.New("adapter: this method gives texts no concentration")

// ErrNoTextUncertainty is returned where only images have an uncertainty.
var ErrNoTextUncertainty = errors.New("adapter: this method gives images an uncertainty, not texts")

// inferenceBatch is the number of texts or images taken through the network at once by an adapter that was loaded.
const inferenceBatch = 256

// An Adapter is a trained method. It must not be used by two goroutines at once.
type Adapter struct {
	method   Method
	options  Options
	shape    Shape
	stretch  [2]float32  // of raw embeddings, by nn.Side; 1 unless TextLength or MatchLengths of the options changed it
	learner  *nn.Learner // nil for CLIP
	checksum string      // of the training set
	history  History
	measured []Measurement  // on the validation set, nil without one
	best     []nn.Parameter // those of the best measurement while a training lasts
}

// newAdapter makes an adapter with weights drawn from the seed.
func newAdapter(ops device.Device, options Options, shape Shape) (*Adapter, error) {
	method, err := Lookup(options.Method)
	if err != nil {
		return nil, err
	}
	a := &Adapter{method: method, options: options, shape: shape, stretch: [2]float32{1, 1}}
	if a.learner, err = method.Learner(ops, options, shape); err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	if a.learner != nil {
		// The second number of the generator is 0 for the weights and the epoch, from 1, for the order of its pairs.
		a.learner.Initialize(rand.New(rand.NewPCG(options.Seed, 0)))
	}
	return a, nil
}

// Method returns the method's name.
func (a *Adapter) Method() string { return a.options.Method }

// String tells in one line what the adapter is and how far its training is.
func (a *Adapter) String() string {
	if a.learner == nil {
		return fmt.Sprintf("%s: %d dimensions, nothing trained", a.Method(), a.shape.Dimension)
	}
	steps, o := a.history.Steps(), a.options
	return fmt.Sprintf("%s: %d dimensions, %d of %d steps, batch %d, learning rate %g, seed %d", a.Method(), a.shape.Dimension,
		steps, max(steps, a.history.StepsPerEpoch*o.Epochs), o.Batch, o.LearningRate, o.Seed)
}

// Options returns how the adapter was trained.
func (a *Adapter) Options() Options { return a.options }

// Dimension returns the width of the embeddings that it was trained on. It takes rows of that width, but for bayesvlm on last
// layers, which takes the layers' inputs.
func (a *Adapter) Dimension() int { return a.shape.Dimension }

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

// check reports rows of one side that the adapter cannot take.
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

// represent takes raw embeddings of one side through the networks.
func (a *Adapter) represent(side nn.Side, m embedding.Matrix) (r nn.Representation, err error) {
	defer device.Told(&err)
	if err := a.check(side, m); err != nil {
		return nn.Representation{}, err
	}
	if err := m.CheckDirections(); err != nil {
		return nn.Representation{}, fmt.Errorf("adapter: %ss: %w", sideNames[side], err)
	}
	if a.stretch[side] != 1 {
		m = m.Clone()
		stretch(m.Values, a.stretch[side])
	}
	return a.method.Represent(a.learner, side, nn.Matrix(m)), nil
}

// stretch multiplies values by a factor.
func stretch(values []float32, factor float32) {
	for i := range values {
		values[i] *= factor
	}
}

// Natural returns the natural parameter η = κμ of every text, one row each. The texts are raw embeddings, as their
// encoder gave them. With CLIP η is the text itself. Methods that give texts no distribution on the sphere return
// ErrNoConcentration, but for determ-ft and determ-ft-residual, whose outputs are used like a natural parameter.
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

// Scores returns the matrix, images × texts, by which a set's images and texts retrieve each other: for the AsymVLM
// methods the log-likelihoods of the images given the texts, with the normalizer and without the temperature; for
// the others cosines, of the given embeddings where a method learns variances only, as the paper's program has it.
// Bayesvlm has the prediction of its options; that of draws depends on the direction and is left to Probabilities and Evaluate,
// so that Scores then gives the means of the cosines. Embeddings of another width, values that are not finite and rows without a direction are errors that name the side and
// the row.
func (a *Adapter) Scores(set *embedding.Set) (embedding.Matrix, error) {
	rows, err := a.rows(set)
	if err != nil {
		return embedding.Matrix{}, err
	}
	return a.LogLikelihoods(rows[nn.Images], rows[nn.Texts])
}

// LogLikelihoods is Scores for any raw images and texts; for bayesvlm on last layers they are the layers' inputs. The errors
// are those of Scores.
func (a *Adapter) LogLikelihoods(images, texts embedding.Matrix) (embedding.Matrix, error) {
	g, err := a.gallery([2]embedding.Matrix{nn.Texts: texts, nn.Images: images})
	if err != nil {
		return embedding.Matrix{}, err
	}
	scores := embedding.NewMatrix(images.Rows, texts.Rows)
	return scores, g.ReadRows(scores, 0)
}

// A gallery is both sides of a set as scores are made of, and computes those a block at a time.
type gallery struct {
	adapter *Adapter
	sides   [2]nn.Representation // by nn.Side
}

// gallery represents the rows of both sides, by nn.Side.
func (a *Adapter) gallery(rows [2]embedding.Matrix) (gallery, error) {
	g := gallery{adapter: a}
	for _, side := range []nn.Side{nn.Images, nn.Texts} {
		var err error
		if g.sides[side], err = a.represent(side, rows[side]); err != nil {
			return g, err
		}
	}
	return g, nil
}

// galleryOf represents both sides of a set.
func (a *Adapter) galleryOf(set *embedding.Set) (gallery, error) {
	rows, err := a.rows(set)
	if err != nil {
		return gallery{}, err
	}
	return a.gallery(rows)
}

// Size returns the number of images and of texts.
func (g gallery) Size() (images, texts int) {
	return g.sides[nn.Images].Rows.Rows, g.sides[nn.Texts].Rows.Rows
}

// ReadRows computes the scores of some images with all texts.
func (g gallery) ReadRows(dst embedding.Matrix, from int) (err error) {
	defer device.Told(&err)
	images := nn.Matrix(embedding.Matrix(g.sides[nn.Images].Rows).RowRange(from, from+dst.Rows))
	g.adapter.method.Score(nn.Matrix(dst), g.adapter.learner, nn.Representation{Rows: images}, g.sides[nn.Texts])
	return nil
}

// Evaluate measures retrieval on a set with the method's own uncertainties of the queries, by levels; the paper has 10.
//
// A text as a query has its own uncertainty, an image that of the text it retrieves, as in AsymVLM's program. For
// asymvlm-image it is the other way round. For elip both have their own, which depends on the number of candidates,
// and for clip-ensemble and bayesvlm it is the variance of the cosine with what was retrieved. Methods without any
// take minus the length of the raw text, see Uncertainty.
//
// Scores are computed and ranked some images at a time, so that a gallery of any size fits; the rows of a set that
// embedding.OpenSet left in files are read some at a time as well. Besides the errors of Scores
// those of package retrieval: fewer than two images or texts, an image without a text, and levels that would be empty.
func (a *Adapter) Evaluate(set *embedding.Set, levels int) (report *retrieval.Report, err error) {
	defer device.Told(&err)
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
	ranking, err := g.rank(set.CaptionImages, rankDepth)
	if err != nil {
		return nil, err
	}
	best := nn.Retrieved{ImageOfText: tops(&ranking.TextToImage), TextOfImage: tops(&ranking.ImageToText)}
	texts, images := a.method.Queries(a.learner, best, g.sides[nn.Images], g.sides[nn.Texts])
	if texts == nil {
		return ranking.Report(shortness(set.Texts), levels)
	}
	return ranking.ReportQueries(texts, images, levels)
}

// Ranking ranks a set's images and texts as queries of each other by Scores, with lists of the given length, such as
// package retrieval's Positives want. The errors are those of Scores and of retrieval.RankTop.
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
	return g.rank(set.CaptionImages, depth)
}

// rankDepth is the length of the lists of Evaluate, the largest K of Recall@K in the papers.
const rankDepth = 10

// tops returns the best item of every query.
func tops(r *retrieval.Ranked) []int {
	best := make([]int, r.Queries)
	for query := range best {
		best[query] = r.Top(query)
	}
	return best
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
// It is 1/κ for the AsymVLM methods, and +Inf where κ is 0; the mean variance for pfe, pcmepp and prolip; its
// reciprocal for probvlm, as AsymVLM's program has it, so that there a large predicted variance counts as certain; Σv/|m|² for
// bayesvlm.
//
// Methods whose texts have no uncertainty of their own (clip, determ-ft, clip-ensemble, and elip, which has one only
// within a gallery) give minus the length of the raw embedding: encoders give vague texts shorter embeddings, as the
// cheapest thing to compare with. The paper has no uncertainty for clip and determ-ft. For asymvlm-image, which knows
// the uncertainty of images only, the error is ErrNoTextUncertainty.
func (a *Adapter) Uncertainty(texts embedding.Matrix) (u []float64, err error) {
	defer device.Told(&err)
	r, err := a.represent(nn.Texts, texts)
	if err != nil {
		return nil, err
	}
	return a.method.Uncertainty(texts, r)
}

// ImageUncertainty is Uncertainty for raw images, where the method has one; nil where it has none. The errors are those of
// Scores.
func (a *Adapter) ImageUncertainty(images embedding.Matrix) ([]float64, error) {
	r, err := a.represent(nn.Images, images)
	return r.Uncertainty, err
}
