package adapter

import (
	"fmt"
	"math"
	"math/rand/v2"

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
// softmax over texts of t E[cos] (mean) or of the probit's logits (gaussian.Probit), or the mean of the softmax over draws
// (gaussian.MonteCarlo), which depend on the seed of the options and the row. The texts of all classes make a classifier. With
// last layers the rows are their inputs. The errors are those of CosineMoments.
func (a *Adapter) Probabilities(images, texts embedding.Matrix) (embedding.Matrix, error) {
	g, err := a.posteriorGallery(images, texts)
	if err != nil {
		return embedding.Matrix{}, err
	}
	probabilities := embedding.NewMatrix(images.Rows, texts.Rows)
	return probabilities, drawn{gallery: g}.ReadRows(probabilities, 0)
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
	images := nn.Matrix(embedding.Matrix(g.sides[nn.Images].Rows).RowRange(from, from+mean.Rows))
	return g.adapter.learner.CosineMoments(nn.Matrix(mean), nn.Matrix(variance), nn.Representation{Rows: images}, g.sides[nn.Texts])
}

// drawn is a gallery whose scores are probabilities: of the texts of an image, or, where it has totals, of the images of a text.
type drawn struct {
	gallery
	totals [][]float64 // log Σ exp over all images, by draw and text; nil for the probabilities of texts
}

// ReadRows computes the probabilities of some images with all texts.
func (d drawn) ReadRows(dst embedding.Matrix, from int) error {
	if d.totals != nil {
		clear(dst.Values)
		return d.draw(dst.Rows, from, func(image, draw int, logits []float64) {
			row := dst.Row(image - from)
			for text, logit := range logits {
				row[text] += float32(math.Exp(logit-d.totals[draw][text]) / float64(len(d.totals)))
			}
		})
	}
	mean, variance := embedding.NewMatrix(dst.Rows, dst.Columns), embedding.NewMatrix(dst.Rows, dst.Columns)
	scale, err := d.moments(mean, variance, from)
	for i := 0; i < dst.Rows && err == nil; i++ {
		var probabilities []float64
		means, variances := mean.Row64(i), variance.Row64(i)
		switch b := d.adapter.options.Bayes; b.Prediction {
		case PredictMonteCarlo:
			probabilities, err = gaussian.MonteCarlo(means, variances, scale, b.draws(), d.source(from+i))
		case PredictProbit:
			probabilities, err = gaussian.Probit(means, variances, scale)
		default:
			probabilities, err = gaussian.Probit(means, make([]float64, len(means)), scale) // without a variance: the softmax
		}
		for text, p := range probabilities {
			dst.Row(i)[text] = float32(p)
		}
	}
	return err
}

// source draws for one image, the same whenever it is asked for.
func (d drawn) source(image int) rand.Source {
	return rand.NewPCG(d.adapter.options.Seed, uint64(image)+1)
}

// draw calls a function with the logits of all texts for every image of a block and every draw, the same draws each time.
func (d drawn) draw(rows, from int, see func(image, draw int, logits []float64)) error {
	_, texts := d.Size()
	mean, variance := embedding.NewMatrix(rows, texts), embedding.NewMatrix(rows, texts)
	scale, err := d.moments(mean, variance, from)
	if err != nil {
		return err
	}
	logits := make([]float64, texts)
	for i := range rows {
		normal := rand.New(d.source(from + i))
		means, variances := mean.Row64(i), variance.Row64(i)
		for draw := range d.adapter.options.Bayes.draws() {
			for text := range logits {
				logits[text] = scale * (means[text] + math.Sqrt(variances[text])*normal.NormFloat64())
			}
			see(from+i, draw, logits)
		}
	}
	return nil
}

// drawnRows is the number of images whose moments are kept at once.
const drawnRows = 64

// total sets the totals over all images.
func (d *drawn) total() error {
	images, texts := d.Size()
	draws := d.adapter.options.Bayes.draws()
	largest := make([][]float64, draws)
	d.totals = make([][]float64, draws)
	for draw := range draws {
		largest[draw], d.totals[draw] = make([]float64, texts), make([]float64, texts)
		for text := range texts {
			largest[draw][text] = math.Inf(-1)
		}
	}
	for from := 0; from < images; from += drawnRows {
		err := d.draw(min(drawnRows, images-from), from, func(_, draw int, logits []float64) {
			sums, top := d.totals[draw], largest[draw]
			for text, logit := range logits {
				if logit > top[text] {
					sums[text] *= math.Exp(top[text] - logit)
					top[text] = logit
				}
				sums[text] += math.Exp(logit - top[text])
			}
		})
		if err != nil {
			return err
		}
	}
	for draw, sums := range d.totals {
		for text, sum := range sums {
			sums[text] = largest[draw][text] + math.Log(sum)
		}
	}
	return nil
}

// rank ranks a gallery by the scores of its method. Probabilities by draws are those among the candidates of a query, so both
// directions have their own.
func (g gallery) rank(captionImages []int, depth int) (*retrieval.Ranking, error) {
	if g.adapter.options.Bayes.Prediction != PredictMonteCarlo {
		return retrieval.RankTop(g, captionImages, depth)
	}
	ofImages, err := retrieval.RankTop(drawn{gallery: g}, captionImages, depth)
	if err != nil {
		return nil, err
	}
	columns := drawn{gallery: g}
	if err := columns.total(); err != nil {
		return nil, err
	}
	ofTexts, err := retrieval.RankTop(columns, captionImages, depth)
	if err != nil {
		return nil, err
	}
	return &retrieval.Ranking{TextToImage: ofTexts.TextToImage, ImageToText: ofImages.ImageToText}, nil
}
