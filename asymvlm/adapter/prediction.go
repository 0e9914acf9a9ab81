package adapter

import (
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
)

// SetPrediction changes how bayesvlm makes scores and uncertainties of its posterior, from now on. Layers must be that of the
// training, or LayersAuto. Other methods return ErrNoPosterior.
func (a *Adapter) SetPrediction(b BayesOptions) error {
	if !IsOnePass(a.Method()) {
		return ErrNoPosterior
	}
	if err := b.Check(); err != nil {
		return err
	}
	if b.Layers == LayersAuto {
		b.Layers = a.options.Bayes.Layers
	}
	if b.Layers != a.options.Bayes.Layers {
		return fmt.Errorf("adapter: layers %q, the posterior is that of %q", b.Layers, a.options.Bayes.Layers)
	}
	a.options.Bayes = b
	return a.learner.Predict(b.prediction())
}

// CosineMoments returns mean and variance, N×M, of the cosines of N raw images and M raw texts under the posterior of bayesvlm,
// the variance in the chosen form. With last layers the rows are their inputs. Other methods return ErrNoPosterior; the other
// errors are those of Scores.
func (a *Adapter) CosineMoments(images, texts embedding.Matrix) (mean, variance embedding.Matrix, err error) {
	g, err := a.posteriorGallery(images, texts)
	if err != nil {
		return mean, variance, err
	}
	mean, variance = embedding.NewMatrix(images.Rows, texts.Rows), embedding.NewMatrix(images.Rows, texts.Rows)
	_, err = g.moments(mean, variance, 0)
	return mean, variance, err
}

// Probabilities returns, N×M, the probability of each of M texts for each of N images by the chosen prediction of bayesvlm: the
// softmax over texts of t E[cos] (mean) or of the probit's logits (gaussian.Probit), or the mean of the softmax over draws, what
// gaussian.MonteCarlo is for one image, on the device of the adapter (device.Samples). Draws depend on the seed of the options and
// the number of the image. The texts of all classes make a classifier. With last layers the rows are their inputs. The errors are
// those of CosineMoments.
func (a *Adapter) Probabilities(images, texts embedding.Matrix) (embedding.Matrix, error) {
	g, err := a.posteriorGallery(images, texts)
	if err != nil {
		return embedding.Matrix{}, err
	}
	probabilities := embedding.NewMatrix(images.Rows, texts.Rows)
	if a.options.Bayes.Prediction == PredictMonteCarlo {
		return probabilities, drawn{g, nn.Images}.ReadRows(probabilities, 0)
	}
	mean, variance := embedding.NewMatrix(images.Rows, texts.Rows), embedding.NewMatrix(images.Rows, texts.Rows)
	scale, err := g.moments(mean, variance, 0)
	if a.options.Bayes.Prediction != PredictProbit {
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

// posteriorGallery is gallery for methods with a posterior.
func (a *Adapter) posteriorGallery(images, texts embedding.Matrix) (gallery, error) {
	if !IsOnePass(a.Method()) {
		return gallery{}, ErrNoPosterior
	}
	return a.gallery([2]embedding.Matrix{nn.Texts: texts, nn.Images: images})
}

// moments sets mean and variance to those of the cosines of some images with all texts, and returns the scale of logits.
func (g gallery) moments(mean, variance embedding.Matrix, from int) (scale float64, err error) {
	defer device.Told(&err)
	images := nn.Matrix(embedding.Matrix(g.sides[nn.Images].Rows).RowRange(from, from+mean.Rows))
	return g.adapter.learner.CosineMoments(nn.Matrix(mean), nn.Matrix(variance), nn.Representation{Rows: images}, g.sides[nn.Texts])
}

// drawn is the probabilities by draws of the candidates of queries, as scores: a row is a query of one side, a column a candidate of
// the other.
type drawn struct {
	gallery
	queries nn.Side
}

// Size returns the number of queries and of candidates.
func (d drawn) Size() (queries, candidates int) {
	return d.sides[d.queries].Rows.Rows, d.sides[1-d.queries].Rows.Rows
}

// ReadRows computes the probabilities of all candidates for some queries, the same whatever the block.
func (d drawn) ReadRows(dst embedding.Matrix, from int) (err error) {
	defer device.Told(&err)
	rows := nn.Matrix(embedding.Matrix(d.sides[d.queries].Rows).RowRange(from, from+dst.Rows))
	options := d.adapter.options
	origin := device.Origin{Seed: options.Seed, Row: from}
	if d.queries == nn.Texts {
		origin.Row += d.sides[nn.Images].Rows.Rows // behind the images, so that the directions share no numbers
	}
	return d.adapter.learner.DrawnProbabilities(nn.Matrix(dst), nn.Representation{Rows: rows}, d.sides[1-d.queries], options.Bayes.draws(), origin)
}

// rank ranks a gallery by the scores of its method. Probabilities by draws are those among the candidates of a query, so both
// directions have their own.
func (g gallery) rank(captionImages []int, depth int) (*retrieval.Ranking, error) {
	if g.adapter.options.Bayes.Prediction != PredictMonteCarlo {
		return retrieval.RankTop(g, captionImages, depth)
	}
	return retrieval.RankEach(drawn{g, nn.Images}, drawn{g, nn.Texts}, captionImages, depth)
}
