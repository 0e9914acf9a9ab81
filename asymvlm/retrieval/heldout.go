package retrieval

import (
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/embedding"
)

// A HeldOut is how much better the concentrations that a method learns predict the images of
// held-out texts than a constant one does. Package adapter measures it; see adapter.HeldOutOf.
type HeldOut struct {
	Texts int     `json:"texts"` // held-out texts
	Gain  float64 `json:"gain"`  // nats per text
	Low   float64 `json:"low"`   // ends of the 95 % interval of Gain over the images of the texts
	High  float64 `json:"high"`
}

// TooFew reports whether the gain is not above 0 beyond its interval, so that the pairs do not
// suffice to learn an uncertainty.
func (h HeldOut) TooFew() bool { return !(h.Low > 0) }

// String describes the gain in one line.
func (h HeldOut) String() string {
	gain := fmt.Sprintf("%s nats a text, 95 %% interval [%s, %s], on %d held-out texts", Decimal(h.Gain, 4), Decimal(h.Low, 4), Decimal(h.High, 4), h.Texts)
	if h.TooFew() {
		return "too few pairs to learn an uncertainty: the concentrations predict images no better than a constant (" + gain + "); order by one that needs no training, such as margin or entropy"
	}
	return "the concentrations predict images better than a constant (" + gain + ")"
}

// HeldOutGains collects the gains of held-out texts, gallery by gallery.
type HeldOutGains struct {
	values []float64
	images []int // of each text, counted over all galleries
	first  int   // number of the first image of the next gallery
}

// Texts returns the number of texts so far.
func (g *HeldOutGains) Texts() int { return len(g.values) }

// Add adds the texts of a gallery from their log-likelihoods, images × texts, and concentrations. A
// log-likelihood is κ times a function of the direction of the text, plus a normalizer of κ.
// Numbers that do not fit each other are an error.
func (g *HeldOutGains) Add(likelihoods embedding.Matrix, kappas []float64, relevance Relevance) error {
	if _, err := relevance.queries(likelihoods.Rows, likelihoods.Columns); err != nil {
		return err
	}
	if len(kappas) != likelihoods.Columns {
		return fmt.Errorf("retrieval: %d concentrations of %d texts", len(kappas), likelihoods.Columns)
	}
	scores := make([]textScores, likelihoods.Columns)
	for text := range scores {
		s := &scores[text]
		s.right = []int{relevance.CaptionImages[text]}
		if relevance.Positives != nil {
			s.right = relevance.Positives[text]
		}
		for image := range likelihoods.Rows { // the normalizer is the same for all images of a text
			s.logits = append(s.logits, float64(likelihoods.At(image, text)-likelihoods.At(0, text)))
		}
	}
	learned := bestMean(scores)
	for text, kappa := range kappas {
		for image := range scores[text].logits {
			scores[text].logits[image] /= kappa
		}
	}
	for text, constant := range bestMean(scores) {
		g.values = append(g.values, learned[text]-constant)
		g.images = append(g.images, g.first+relevance.CaptionImages[text])
	}
	g.first += likelihoods.Rows
	return nil
}

// A textScores is the scores of all images with a text, and the images that are right, or the same
// for an image and texts.
type textScores struct {
	logits []float64
	right  []int
}

// logLikelihood returns the logarithm of the probability that softmax(s·logits) gives to the right
// images.
func (t textScores) logLikelihood(s float64) float64 {
	highest, all, right := slices.Max(t.logits), 0.0, 0.0
	for _, l := range t.logits {
		all += math.Exp(s * (l - highest))
	}
	for _, image := range t.right {
		right += math.Exp(s * (t.logits[image] - highest))
	}
	return math.Log(max(right, math.SmallestNonzeroFloat64) / all)
}

// bestMean returns the log-likelihoods of all texts at the common factor with the largest mean.
func bestMean(texts []textScores) (values []float64) {
	s := bestFactor(texts)
	for _, t := range texts {
		values = append(values, t.logLikelihood(s))
	}
	return values
}

// bestFactor returns the common factor with the largest mean log-likelihood, or 1 if all logits are
// equal. For queries with one right item the mean is concave in the factor.
func bestFactor(texts []textScores) float64 {
	at := func(logS float64) (sum float64) {
		for _, t := range texts {
			sum += t.logLikelihood(math.Exp(logS))
		}
		return sum
	}
	largest := 0.0 // difference of logits, which sets the unit of the factor
	for _, t := range texts {
		largest = max(largest, slices.Max(t.logits)-slices.Min(t.logits))
	}
	if largest == 0 {
		return 1
	}
	low, high := math.Log(1e-2/largest), math.Log(1e4/largest)
	for range 30 { // leaves (2/3)³⁰ of the interval
		a, b := low+(high-low)/3, high-(high-low)/3
		if at(a) < at(b) {
			low = a
		} else {
			high = b
		}
	}
	return math.Exp((low + high) / 2)
}

// FitScales returns the inverse temperatures of the softmax over the images of a text and over the
// texts of an image under which the right items have the largest mean log-likelihood, for
// Confidences on other data. Images without texts are no queries. A gallery that cannot be ranked
// is an error.
func FitScales(scores embedding.Matrix, relevance Relevance) (texts, images float64, err error) {
	if _, err := relevance.queries(scores.Rows, scores.Columns); err != nil {
		return 0, 0, err
	}
	ofTexts, ofImages := make([]textScores, scores.Columns), make([]textScores, scores.Rows)
	for image := range scores.Rows {
		for text, score := range scores.Row(image) {
			ofTexts[text].logits = append(ofTexts[text].logits, float64(score))
			ofImages[image].logits = append(ofImages[image].logits, float64(score))
			if relevance.has(text, image) {
				ofTexts[text].right = append(ofTexts[text].right, image)
				ofImages[image].right = append(ofImages[image].right, text)
			}
		}
	}
	ofImages = slices.DeleteFunc(ofImages, func(t textScores) bool { return len(t.right) == 0 })
	return bestFactor(ofTexts), bestFactor(ofImages), nil
}

// HeldOut returns the mean gain with its normal interval, in which the texts of an image are drawn
// together.
func (g *HeldOutGains) HeldOut() *HeldOut {
	h := &HeldOut{Texts: len(g.values)}
	for _, x := range g.values {
		h.Gain += x / float64(len(g.values))
	}
	sums := map[int]float64{}
	for i, x := range g.values {
		sums[g.images[i]] += x - h.Gain
	}
	squares := make([]float64, 0, len(sums))
	for _, sum := range sums {
		squares = append(squares, sum*sum)
	}
	slices.Sort(squares) // so that the sum does not depend on the order of the map
	variance := 0.0
	for _, square := range squares {
		variance += square
	}
	half := 1.96 * math.Sqrt(variance) / float64(max(1, len(g.values)))
	h.Low, h.High = h.Gain-half, h.Gain+half
	return h
}
