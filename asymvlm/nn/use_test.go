package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
)

// score is the retrieval score of image s and text r by its formula.
func (b plainBatch) score(a Architecture, s, r int) float64 {
	image, text := b.images[s], b.texts[r]
	switch a.Objective {
	case Contrastive, Sigmoid, SigmoidLog:
		return plainLikelihood(a.Likelihood, unitOf(image), b.mlp("text", b.layers, text))
	case ContrastiveImages:
		return plainLikelihood(a.Likelihood, unitOf(text), b.mlp("image", b.layers, image))
	case Symmetrized, Mutual:
		return b.symmetric(a.Objective, s, r)
	case ProbVLM, ProbVLMExact:
		return inner(unitOf(b.head("image", "mu", image)), unitOf(b.head("text", "mu", text)))
	case Evidential, EvidentialITC:
		return b.number("iota") * inner(b.adapted("image", image), b.adapted("text", text))
	case Ensemble:
		sum := 0.0
		for _, cosine := range b.members(s, r) {
			sum += cosine / ensembleSize
		}
		return sum
	}
	return inner(unitOf(image), unitOf(text))
}

// head is an output of ProbVLM.
func (b plainBatch) head(prefix, name string, raw []float64) []float64 {
	return b.mlp(prefix+".head_"+name, 2, plus(raw, b.mlp(prefix+".trunk", 3, raw)))
}

// members returns the cosines of the ensemble's members.
func (b plainBatch) members(s, r int) []float64 {
	var cosines []float64
	for i := range ensembleSize {
		prefix := fmt.Sprintf("member.%d.", i)
		cosines = append(cosines, inner(b.adapted(prefix+"image", b.images[s]), b.adapted(prefix+"text", b.texts[r])))
	}
	return cosines
}

// uncertainty returns the uncertainty of one raw embedding, NaN if the side has none.
func (b plainBatch) uncertainty(a Architecture, side Side, raw []float64) float64 {
	prefix, d := side.name(), float64(len(raw))
	switch a.Objective {
	case Symmetrized, Mutual:
		return 1 / norm(b.mlp(prefix, b.layers, raw))
	case PFE:
		sum := 0.0
		for _, r := range b.mlp(prefix, b.layers, raw) {
			sum += softplus(r)
		}
		return sum / d
	case PCMEPP, ProLIP, ProLIPExact, ProLIPFull, ProLIPFullOfficial:
		return b.trace(prefix, raw) / d
	case ProbVLM, ProbVLMExact:
		sum, betas := 0.0, b.head(prefix, "beta", raw)
		for j, q := range b.head(prefix, "q", raw) {
			alpha := math.Min(math.Max(1/(softplus(q)+1e-5), 1e-4), 5)
			beta := math.Min(math.Max(softplus(betas[j])+0.1, 0.1), 5)
			sum += alpha * alpha * math.Gamma(3/beta) / math.Gamma(1/beta)
		}
		if a.Objective == ProbVLM {
			return d / sum // the reciprocal, as in AsymVLM's reference implementation
		}
		return sum / d
	}
	own := Texts
	if a.Objective == ContrastiveImages {
		own = Images
	}
	if a.Likelihood == nil || a.Likelihood == Cosine || side != own {
		return math.NaN()
	}
	return 1 / norm(b.mlp(prefix, b.layers, raw))
}

func TestScoresAndUncertaintiesAreTheirFormulas(t *testing.T) {
	for _, architecture := range every() {
		t.Run(architecture.String(), func(t *testing.T) {
			l := testLearner(t, device.Reference[float64]{}, small(architecture), 4) // six rows are a batch and a half
			texts, images := pairs[float64](6, 8, rand.New(rand.NewPCG(8, 9)))
			b := newPlainBatch(l, texts, images)
			ofTexts, ofImages := l.Represent(Texts, texts), l.Represent(Images, images)
			scores := device.NewMatrix[float64](6, 6)
			l.Score(scores, ofImages, ofTexts)
			for s := range 6 {
				for r, score := range scores.Row(s) {
					if want := b.score(architecture, s, r); math.Abs(score-want) > 1e-12*math.Max(1, math.Abs(want)) {
						t.Fatalf("score of image %d and text %d is %.15g, by its formula %.15g", s, r, score, want)
					}
				}
			}
			for side, got := range [2]representation[float64]{Texts: ofTexts, Images: ofImages} {
				for i := range 6 {
					want := b.uncertainty(architecture, Side(side), [2][][]float64{Texts: b.texts, Images: b.images}[side][i])
					if math.IsNaN(want) != (got.Uncertainty == nil) {
						t.Fatalf("%s have uncertainties %v, the formula gives %g", Side(side).name(), got.Uncertainty, want)
					}
					if got.Uncertainty != nil && math.Abs(got.Uncertainty[i]-want) > 1e-11*want {
						t.Fatalf("%s %d: uncertainty %.15g, by its formula %.15g", Side(side).name(), i, got.Uncertainty[i], want)
					}
				}
			}
		})
	}
}

// A query has the uncertainty of its own side or of the retrieved item; for ELIP it is the belief
// mass without a candidate, and for the ensemble the disagreement of its members about the
// retrieved item.
func TestQueriesHaveTheUncertaintyOfTheRule(t *testing.T) {
	for _, architecture := range every() {
		l := testLearner(t, device.Reference[float64]{}, small(architecture), 7)
		texts, images := pairs[float64](7, 8, rand.New(rand.NewPCG(18, 9)))
		b := newPlainBatch(l, texts, images)
		ofTexts, ofImages := l.Represent(Texts, texts), l.Represent(Images, images)
		scores := device.NewMatrix[float64](7, 7)
		l.Score(scores, ofImages, ofTexts)
		best := BestOf(scores)
		gotTexts, gotImages := l.QueryUncertainty(best, ofImages, ofTexts)
		for i := range 7 {
			wantText, wantImage := b.queries(architecture, best, i)
			if gotTexts == nil || gotImages == nil {
				if !math.IsNaN(wantText) || !math.IsNaN(wantImage) {
					t.Fatalf("%s: none, want %g and %g", architecture, wantText, wantImage)
				}
				continue
			}
			if math.Abs(gotTexts[i]-wantText) > 1e-11*wantText || math.Abs(gotImages[i]-wantImage) > 1e-11*wantImage {
				t.Fatalf("%s: query %d has %g and %g, want %g and %g", architecture, i, gotTexts[i], gotImages[i], wantText, wantImage)
			}
		}
	}
}

// queries returns the uncertainties of text i and of image i as queries, NaN if there are none.
func (b plainBatch) queries(a Architecture, best Retrieved, i int) (text, image float64) {
	switch a.Objective {
	case Evidential:
		var ofText, ofImage float64
		for j := range b.texts {
			ofText += math.Exp(math.Min(b.score(a, j, i), 20)) + 1
			ofImage += math.Exp(math.Min(b.score(a, i, j), 20)) + 1
		}
		m := float64(len(b.texts))
		return m / ofText, m / ofImage
	case Ensemble:
		variance := func(cosines []float64) float64 {
			sum, center := 0.0, mean(cosines)
			for _, c := range cosines {
				sum += (c - center) * (c - center) / ensembleSize
			}
			return sum
		}
		return variance(b.members(best.ImageOfText[i], i)), variance(b.members(i, best.TextOfImage[i]))
	case ContrastiveImages:
		return b.uncertainty(a, Images, b.images[best.ImageOfText[i]]), b.uncertainty(a, Images, b.images[i])
	}
	return b.uncertainty(a, Texts, b.texts[i]), b.uncertainty(a, Texts, b.texts[best.TextOfImage[i]])
}

func TestTheFirstOfEqualScoresIsBest(t *testing.T) {
	best := BestOf(device.Matrix[float64]{Rows: 3, Columns: 2, Values: []float64{
		1, 5,
		4, 5,
		4, 4,
	}})
	if !slices.Equal(best.ImageOfText, []int{1, 0}) || !slices.Equal(best.TextOfImage, []int{1, 1, 0}) {
		t.Errorf("best %+v", best)
	}
}

// Rotating all embeddings together with the weights of a network without hidden layers changes no
// result.
// likelihoodFor returns the computation of a likelihood on the reference device.
func likelihoodFor(kind Likelihood, dimension, batch int) (likelihood[float64], error) {
	return kind.double(&builder[float64]{Architecture: Architecture{Dimension: dimension}, ops: device.Reference[float64]{}, batch: batch})
}

func TestLikelihoodsDoNotKnowDirectionsOfSpace(t *testing.T) {
	for _, kind := range append(kinds, Gaussian) {
		likelihood, err := likelihoodFor(kind, 8, 5)
		if err != nil {
			t.Fatal(err)
		}
		eta, images := pairs[float64](5, 8, rand.New(rand.NewPCG(4, 4)))
		before, after := device.NewMatrix[float64](5, 5), device.NewMatrix[float64](5, 5)
		likelihood.prepare(eta)
		likelihood.fill(before, images)
		for _, m := range []device.Matrix[float64]{eta, images} {
			for i := range m.Rows {
				row := m.Row(i)
				for j := 0; j < 8; j += 2 { // a rotation by 0.7 in four planes
					x, y := row[j], row[j+1]
					row[j], row[j+1] = math.Cos(0.7)*x-math.Sin(0.7)*y, math.Sin(0.7)*x+math.Cos(0.7)*y
				}
			}
		}
		likelihood.prepare(eta)
		likelihood.fill(after, images)
		for i, value := range before.Values {
			if math.Abs(value-after.Values[i]) > 1e-12*math.Max(1, math.Abs(value)) {
				t.Errorf("%s: %g before and %g after a turn", kind, value, after.Values[i])
			}
		}
	}
}
