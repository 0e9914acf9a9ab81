package adapter

import (
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
)

// SetPrediction changes how bayesvlm computes scores and uncertainties from its posterior in later
// calls. Layers must be the value used in training, or LayersAuto. Other methods return
// ErrNoPosterior.
func (a *Adapter) SetPrediction(b Posterior) error {
	if !IsOnePass(a.Method()) {
		return ErrNoPosterior
	}
	if err := b.Check(); err != nil {
		return err
	}
	if b.Layers == LayersAuto {
		b.Layers = a.options.Posterior.Layers
	}
	if b.Layers != a.options.Posterior.Layers {
		return fmt.Errorf("adapter: layers %q, the posterior is that of %q", b.Layers, a.options.Posterior.Layers)
	}
	a.options.Posterior = b
	return a.learner.Predict(b.prediction())
}

// CosineMoments returns mean and variance, N×M, of the cosines of N raw images and M raw texts
// under the posterior of bayesvlm, with the selected form of the variance. On last layers the rows
// are the inputs of those layers. Other methods return ErrNoPosterior; the other errors are the
// same as for Scores.
func (a *Adapter) CosineMoments(images, texts embedding.Matrix) (mean, variance embedding.Matrix, err error) {
	g, err := a.posteriorGallery(images, texts)
	if err != nil {
		return mean, variance, err
	}
	mean, variance = embedding.NewMatrix(images.Rows, texts.Rows), embedding.NewMatrix(images.Rows, texts.Rows)
	_, err = g.moments(mean, variance, 0)
	return mean, variance, err
}

// Probabilities returns, N×M, the probability of each of M texts for each of N images under the
// selected prediction of bayesvlm. It is the softmax over texts of t E[cos] (mean) or of the logits
// of gaussian.Probit (probit), or the mean of the softmax over samples (Monte Carlo), as
// gaussian.MonteCarlo computes for one image, on the device of the adapter (device.Samples). The
// samples depend on the seed of the options and the index of the image. Texts that name all classes
// form a classifier. On last layers the rows are the inputs of those layers. The errors are the
// same as for CosineMoments.
func (a *Adapter) Probabilities(images, texts embedding.Matrix) (embedding.Matrix, error) {
	g, err := a.posteriorGallery(images, texts)
	if err != nil {
		return embedding.Matrix{}, err
	}
	probabilities := embedding.NewMatrix(images.Rows, texts.Rows)
	if a.options.Posterior.Prediction == PredictMonteCarlo {
		return probabilities, drawn{g, nn.Images}.ReadRows(probabilities, 0)
	}
	mean, variance := embedding.NewMatrix(images.Rows, texts.Rows), embedding.NewMatrix(images.Rows, texts.Rows)
	scale, err := g.moments(mean, variance, 0)
	if a.options.Posterior.Prediction != PredictProbit {
		clear(variance.Values) // the probit without a variance is the softmax
	}
	for i := 0; i < images.Rows && err == nil; i++ {
		var row []float64
		row, err = gaussian.Probit(mean.Row64(i), variance.Row64(i), scale)
		for text, p := range row {
			probabilities.Row(i)[text] = float32(p)
		}
	}
	return probabilities, err
}

// posteriorGallery returns a gallery, or an error for methods without a posterior.
func (a *Adapter) posteriorGallery(images, texts embedding.Matrix) (gallery, error) {
	if !IsOnePass(a.Method()) {
		return gallery{}, ErrNoPosterior
	}
	return a.gallery([2]embedding.Matrix{nn.Texts: texts, nn.Images: images})
}

// moments sets mean and variance to those of the cosines of images from, from+1, … with all texts,
// and returns the scale of the logits.
func (g gallery) moments(mean, variance embedding.Matrix, from int) (scale float64, err error) {
	defer device.CatchDeviceError(&err)
	images := nn.Matrix(embedding.Matrix(g.sides[nn.Images].Rows).RowRange(from, from+mean.Rows))
	return g.adapter.learner.CosineMoments(nn.Matrix(mean), nn.Matrix(variance), nn.Representation{Rows: images}, g.sides[nn.Texts])
}

// A drawn is a gallery whose scores are Monte Carlo probabilities of the candidates of each query.
// A row is a query of one side, a column a candidate of the other.
type drawn struct {
	gallery
	queries nn.Side
}

// Size returns the number of queries and the number of candidates.
func (d drawn) Size() (queries, candidates int) {
	return d.sides[d.queries].Rows.Rows, d.sides[1-d.queries].Rows.Rows
}

// ReadRows computes the probabilities of all candidates for some queries. They do not depend on how
// queries are divided into blocks.
func (d drawn) ReadRows(dst embedding.Matrix, from int) (err error) {
	defer device.CatchDeviceError(&err)
	rows := nn.Matrix(embedding.Matrix(d.sides[d.queries].Rows).RowRange(from, from+dst.Rows))
	options := d.adapter.options
	origin := device.Origin{Seed: options.Seed, Row: from}
	if d.queries == nn.Texts {
		origin.Row += d.sides[nn.Images].Rows.Rows // offset by the images, so that the two directions share no random numbers
	}
	return d.adapter.learner.DrawnProbabilities(nn.Matrix(dst), nn.Representation{Rows: rows}, d.sides[1-d.queries], options.Posterior.draws(), origin)
}

// rank ranks a gallery by the scores of its method. Monte Carlo probabilities are normalized over
// the candidates of a query, so each direction has its own scores.
func (g gallery) rank(relevance retrieval.Relevance, depth int) (*retrieval.Ranking, error) {
	if g.adapter.options.Posterior.Prediction != PredictMonteCarlo {
		return retrieval.RankRelevant(g, relevance, depth)
	}
	return retrieval.RankEach(drawn{g, nn.Images}, drawn{g, nn.Texts}, relevance, depth)
}
