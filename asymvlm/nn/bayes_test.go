package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/laplace"
)

// gathered returns a learner that has processed two batches of pairs.
func gathered(t *testing.T, kind Objective) (l *learner[float64], texts, images device.Matrix[float64]) {
	t.Helper()
	texts, images = pairs[float64](12, 6, rand.New(rand.NewPCG(31, 32)))
	l = testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 6, Objective: kind, Optimizer: Accumulate}, 7)
	for _, rows := range [][2]int{{0, 7}, {7, 5}} {
		if _, err := l.Step(part(texts, rows[0], rows[1]), part(images, rows[0], rows[1]), device.Rate{}); err != nil {
			t.Fatal(err)
		}
	}
	return l, texts, images
}

// variances computes the variances of one side's embeddings without the learner.
func variances(t *testing.T, form gaussian.Form, own, other device.Matrix[float64]) [][]float64 {
	t.Helper()
	var a mat.SymDense
	a.SymOuterK(1/math.Sqrt(12), dense(own).T())
	b := mat.NewSymDense(6, nil)
	for _, rows := range [][2]int{{0, 7}, {7, 5}} {
		h, err := laplace.Hessian(laplace.InfoNCE, dense(part(own, rows[0], rows[1])), dense(part(other, rows[0], rows[1])),
			laplace.Logits{Scale: 100})
		if err != nil {
			t.Fatal(err)
		}
		b.AddSym(b, h)
	}
	b.ScaleSym(1/math.Sqrt(12), b)
	factors := laplace.Factors{Inputs: &a, Outputs: b}
	evidence, err := laplace.NewEvidence(factors, 6, 10)
	if err != nil {
		t.Fatal(err)
	}
	posterior, err := laplace.NewPosterior(factors, 10, evidence.Fit(form, 300, 300)[299])
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float64
	for i := range own.Rows {
		all = append(all, posterior.Variances(nil, own.Row(i)))
	}
	return all
}

func TestPosteriorOverBatchesGivesTheMomentsOfTheCosines(t *testing.T) {
	for kind, form := range map[Objective]gaussian.Form{Laplace: gaussian.Official, LaplaceExact: gaussian.Exact} {
		l, texts, images := gathered(t, kind)
		scores := device.NewMatrix[float64](12, 12)
		ofImages, ofTexts := l.Represent(Images, images), l.Represent(Texts, texts)
		l.Score(scores, ofImages, ofTexts)
		uTexts, uImages := l.QueryUncertainty(BestOf(scores), ofImages, ofTexts)
		vTexts, vImages := variances(t, form, texts, images), variances(t, form, images, texts)
		best := bestInColumns(scores)
		for text := range 12 {
			for image := range 12 {
				moments, err := gaussian.Cosine(gaussian.Moments{Mean: images.Row(image), Variance: vImages[image]},
					gaussian.Moments{Mean: texts.Row(text), Variance: vTexts[text]})
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(scores.Row(image)[text]-moments.Mean) > 1e-12 {
					t.Errorf("%s: score %g, want %g", kind, scores.Row(image)[text], moments.Mean)
				}
				if image == best[text] && math.Abs(uTexts[text]-moments.Variance) > 1e-12*moments.Variance {
					t.Errorf("%s: variance %g, want %g", kind, uTexts[text], moments.Variance)
				}
			}
			trace := 0.0
			for _, v := range vTexts[text] {
				trace += v
			}
			length := norm(texts.Row(text))
			if want := trace / (length * length); math.Abs(ofTexts.Uncertainty[text]-want) > 1e-12*want {
				t.Errorf("%s: uncertainty %g, want %g", kind, ofTexts.Uncertainty[text], want)
			}
		}
		if len(uImages) != 12 || !(slices.Min(uImages) > 0) {
			t.Errorf("%s: uncertainties of images %v", kind, uImages)
		}
	}
}

func TestPosteriorOfNothingIsUndefined(t *testing.T) {
	texts, _ := pairs[float64](2, 6, rand.New(rand.NewPCG(33, 34)))
	l := testLearner(t, device.Reference[float64]{}, Architecture{Dimension: 6, Objective: Laplace, Optimizer: Accumulate}, 7)
	if u := l.Represent(Texts, texts).Uncertainty; !math.IsNaN(u[0]) || !math.IsNaN(u[1]) {
		t.Errorf("uncertainties %v", u)
	}
}
