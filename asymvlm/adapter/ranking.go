package adapter

import (
	"errors"
	"fmt"
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
)

// Values of Options.Ranking.
const (
	// RankCosine ranks by the cosine of the means. It is the default of methods with Gaussians, as in
	// AsymVLM's reference implementation, and of residual adapters. Other methods with concentrations
	// rank by the log-likelihood by default, and by the cosine of the directions with RankCosine:
	// images then prefer no text for its concentration, which raises the recall of image to text.
	RankCosine     = "cosine"
	RankLikelihood = "likelihood" // by the log-likelihood; only for methods with concentrations
	RankCSD        = "csd"        // by minus the closed-form sampled distance, as in the implementations of PCME++ and ProLIP
)

// ErrNoDensity is returned for RankLikelihood with a method without concentrations.
var ErrNoDensity = errors.New("adapter: Ranking likelihood compares densities on the sphere, which only methods with concentrations have")

// ErrNoDistance is returned for RankCSD with a method without Gaussians.
var ErrNoDistance = errors.New("adapter: Ranking csd compares Gaussians, which only pfe, pcmepp and prolip with its variants have")

// SetRanking changes the scores of an adapter in later calls; see Options.Ranking. Methods without
// Gaussians return ErrNoDistance for RankCSD, those without concentrations ErrNoDensity for
// RankLikelihood, and an unknown ranking is an error.
func SetRanking(a *Adapter, ranking string) error {
	o := a.options
	o.Ranking = ranking
	if err := o.checkRanking(); err != nil {
		return err
	}
	a.options = o
	return nil
}

// checkRanking returns an error for a ranking that is unknown or that the method does not support.
func (o Options) checkRanking() error {
	switch o.Ranking {
	case "", RankCosine:
		return nil
	case RankLikelihood:
		if aboutOf(o.Method).Concentrated {
			return nil
		}
		return fmt.Errorf("%w, and not %s", ErrNoDensity, o.Method)
	case RankCSD:
		if aboutOf(o.Method).Gaussian {
			return nil
		}
		return fmt.Errorf("%w, and not %s", ErrNoDistance, o.Method)
	}
	return fmt.Errorf("adapter: ranking %q, want %s, %s or %s", o.Ranking, RankCosine, RankLikelihood, RankCSD)
}

// candidates returns the representations of rows in the form that score requires.
func candidates(a *Adapter, side nn.Side, m embedding.Matrix) (r nn.Representation, err error) {
	defer device.CatchDeviceError(&err)
	if r, err = a.represent(side, m); err != nil || !ranksByRows(a) {
		return r, err
	}
	if a.options.Ranking != RankCSD {
		rows, err := embedding.Matrix(r.Rows).Normalized()
		r.Rows = nn.Matrix(rows)
		return r, err
	}
	means, logVariances, ok := a.learner.Gaussians(side, nn.Matrix(stretched(m, a.stretch[side])))
	if !ok {
		return r, ErrNoDistance
	}
	r.Rows = distanceRows(side, embedding.Matrix(means), embedding.Matrix(logVariances))
	return r, nil
}

// ranksByRows reports whether scores are inner products of the rows of candidates instead of those
// of the method.
func ranksByRows(a *Adapter) bool {
	if a.options.Ranking == "" {
		return a.learner != nil && a.learner.IsResidual() && a.method.About().Concentrated
	}
	return a.options.Ranking == RankCSD || a.options.Ranking == RankCosine && a.method.About().Concentrated
}

// distanceRows returns rows whose inner products are minus the closed-form sampled distances,
// gaussian.CSD:
//
//	(2μ, −|μ|² − Σσ², 1) for images and (μ, 1, −|μ|² − Σσ²) for texts
func distanceRows(side nn.Side, means, logVariances embedding.Matrix) nn.Matrix {
	width := means.Columns
	rows := embedding.NewMatrix(means.Rows, width+2)
	factor, own, other := float32(2), width, width+1
	if side == nn.Texts {
		factor, own, other = 1, width+1, width
	}
	for i := range means.Rows {
		mean, row, sum := means.Row(i), rows.Row(i), 0.0
		for j, l := range logVariances.Row(i) {
			sum += float64(mean[j])*float64(mean[j]) + math.Exp(float64(l))
			row[j] = factor * mean[j]
		}
		row[own], row[other] = float32(-sum), 1
	}
	return nn.Matrix(rows)
}

// score sets dst to the retrieval scores of images and texts returned by candidates.
func score(a *Adapter, dst nn.Matrix, images, texts nn.Representation) {
	if ranksByRows(a) {
		device.Shared().ProductRightTransposed(dst, images.Rows, texts.Rows)
		return
	}
	a.method.Score(dst, a.learner, images, texts)
}

// cosineScale is CLIP's factor on cosines: the limit that its trained models reach.
const cosineScale = 100

// ConfidenceScaleOf returns the factor that ConfidencesOf applies to scores to obtain logits: the
// learned τ for log-likelihoods if the loss multiplies them by one, CLIP's factor 100 for cosines,
// and half of it for distances. A temperature that is not positive, as after a mirrored training,
// is an error.
func ConfidenceScaleOf(a *Adapter) (float64, error) {
	switch {
	case a.options.Ranking == RankCSD:
		return cosineScale / 2, nil
	case ranksByRows(a):
		return cosineScale, nil
	case a.learner == nil || !a.options.Reads("FirstTemperature"):
		return cosineScale, nil
	case !(a.Temperature() > 0):
		return 0, fmt.Errorf("adapter: %s ended with the temperature %g, which makes no confidences", a.Method(), a.Temperature())
	}
	return a.Temperature(), nil
}

// ConfidencesOf returns, for every text and every image of a set as a query, the probability that
// the adapter assigns to the item it retrieves; see retrieval.Confidences and ConfidenceScaleOf.
// Package calibration compares them with the hits of Evaluate. The errors are the same as for
// Scores and ConfidenceScaleOf.
func ConfidencesOf(a *Adapter, set *embedding.Set) (texts, images []float64, err error) {
	defer device.CatchDeviceError(&err)
	scale, err := ConfidenceScaleOf(a)
	if err != nil {
		return nil, nil, err
	}
	return ConfidencesAt(a, set, scale, scale)
}

// ConfidencesAt is like ConfidencesOf with given factors on the scores for texts and for images as
// queries, such as those of FitConfidenceScales.
func ConfidencesAt(a *Adapter, set *embedding.Set, ofTexts, ofImages float64) (texts, images []float64, err error) {
	defer device.CatchDeviceError(&err)
	if set, err = inMemory(set); err != nil {
		return nil, nil, err
	}
	g, err := a.galleryOf(set)
	if err != nil {
		return nil, nil, err
	}
	if texts, images, err = retrieval.Confidences(g, ofTexts); err != nil || ofTexts == ofImages {
		return texts, images, err
	}
	_, images, err = retrieval.Confidences(g, ofImages)
	return texts, images, err
}

// FitConfidenceScales returns the factors on scores under which the right items of a set, such as a
// validation set, have the largest mean log-likelihood; see retrieval.FitScales. The errors are the
// same as for Scores.
func FitConfidenceScales(a *Adapter, set *embedding.Set) (texts, images float64, err error) {
	defer device.CatchDeviceError(&err)
	if set, err = inMemory(set); err != nil {
		return 0, 0, err
	}
	scores, err := a.Scores(set)
	if err != nil {
		return 0, 0, err
	}
	return retrieval.FitScales(scores, retrieval.RelevanceOf(set))
}

// asksPosterior reports whether the uncertainty of an image query is the entropy of the posterior
// over the texts, as for residual adapters, and not a property of the text that it retrieves.
//
// 1/κ of the retrieved text says how sharp the answers of that text are, and not whether it is the
// text of the image. On the training parts of world and world_elliptical, images that retrieved
// texts of large κ failed more often: −S·R² was −0.92 and −0.21. With the entropy it is 0.59 and
// 0.26.
func asksPosterior(a *Adapter) bool {
	return a.learner != nil && a.learner.IsResidual() && a.method.About().Concentrated && a.Temperature() > 0
}

// posteriorEntropies returns, for each image v of a set, the entropy in nats of p(t|v), which is
// proportional to exp(τℓ(v, t)), over all texts t. ℓ is the log-likelihood with the normalizer.
func posteriorEntropies(a *Adapter, set *embedding.Set) ([]float64, error) {
	density := *a
	density.options.Ranking = RankLikelihood
	if !set.IsStored() {
		g, err := density.galleryOf(set)
		if err != nil {
			return nil, err
		}
		_, images, err := retrieval.SharpnessOf(g, a.Temperature())
		if err != nil {
			return nil, err
		}
		return images.Entropy, nil
	}
	sides := set.Sides()
	s := &streamed{adapter: &density, rows: [2]*embedding.Stored{nn.Images: sides[0], nn.Texts: sides[1]}}
	_, _, images, err := retrieval.RankSharp(s, retrieval.RelevanceOf(set), 1, a.Temperature())
	if err != nil {
		return nil, err
	}
	return images.Entropy, nil
}
