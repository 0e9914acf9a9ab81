package adapter

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/nn"
)

// The probabilities of the texts of an image sum to 1 for every prediction and follow their
// formulas.
func TestPredictionsAreTheirFormulas(t *testing.T) {
	train, test := layeredSet(40, 1, 1), layeredSet(10, 1, 2)
	options := bayesOptions(BayesVLM)
	options.Posterior.Variance = VarianceDelta
	a := mustTrain(t, train, options)
	images, texts := test.ImageLayer.Inputs, test.TextLayer.Inputs
	means, variances, err := a.CosineMoments(images, texts)
	if err != nil {
		t.Fatal(err)
	}
	byFormula := map[string]func(mean, variance []float64, image int) ([]float64, error){
		PredictMean: func(mean, _ []float64, _ int) ([]float64, error) {
			return gaussian.Probit(mean, make([]float64, len(mean)), 100)
		},
		PredictProbit: func(mean, variance []float64, _ int) ([]float64, error) { return gaussian.Probit(mean, variance, 100) },
		// The definition, in float64: one row of the operation, with the index of the image.
		PredictMonteCarlo: func(mean, variance []float64, image int) ([]float64, error) {
			row, deviations := device.NewMatrix[float64](1, len(mean)), make([]float64, len(mean))
			for j, v := range variance {
				deviations[j] = math.Sqrt(v)
			}
			wide := func(values []float64) device.Matrix[float64] {
				return device.Matrix[float64]{Rows: 1, Columns: len(values), Values: values}
			}
			err := device.Reference[float64]{}.MeanSoftmax(row, device.UncertainLogits[float64]{Means: wide(mean), Deviations: wide(deviations), Scale: 100},
				300, device.Origin{Row: image})
			return row.Values, err
		},
	}
	for prediction, formula := range byFormula {
		b := Posterior{Variance: VarianceDelta, Prediction: prediction}
		tolerance := 1e-6
		if prediction == PredictMonteCarlo {
			b.Draws, tolerance = 300, 2e-5 // logits of about 100 in float32
		}
		if err := a.SetPrediction(b); err != nil {
			t.Fatal(err)
		}
		got, err := a.Probabilities(images, texts)
		if err != nil {
			t.Fatal(err)
		}
		for i := range images.Rows {
			want, err := formula(means.Row64(i), variances.Row64(i), i)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for j, p := range got.Row64(i) {
				sum += p
				if math.Abs(p-want[j]) > tolerance {
					t.Fatalf("%s: image %d, text %d: %g, want %g", prediction, i, j, p, want[j])
				}
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Errorf("%s: probabilities of image %d sum to %g", prediction, i, sum)
			}
		}
	}
	if _, err := mustTrain(t, train, smallOptions(CLIP)).Probabilities(test.Images, test.Texts); !errors.Is(err, ErrNoPosterior) {
		t.Errorf("error %v", err)
	}
	if _, _, err := mustTrain(t, train, smallOptions(PFE)).CosineMoments(test.Images, test.Texts); !errors.Is(err, ErrNoPosterior) {
		t.Errorf("error %v", err)
	}
	if err := mustTrain(t, train, smallOptions(PFE)).SetPrediction(Posterior{}); !errors.Is(err, ErrNoPosterior) {
		t.Errorf("error %v", err)
	}
}

// Each direction has the probabilities among the candidates of its queries, independent of how the
// gallery is divided into blocks.
func TestDrawsRankBothDirectionsByTheirOwnProbabilities(t *testing.T) {
	train, test := layeredSet(40, 1, 1), layeredSet(12, 1, 2)
	options := bayesOptions(BayesVLM)
	options.Posterior = Posterior{Prediction: PredictMonteCarlo, Draws: 40}
	a := mustTrain(t, train, options)
	g, err := a.galleryOf(test)
	if err != nil {
		t.Fatal(err)
	}
	whole, part := embedding.NewMatrix(24, 12), embedding.NewMatrix(5, 12)
	d := drawn{g, nn.Texts}
	if err := errors.Join(d.ReadRows(whole, 0), d.ReadRows(part, 4)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(part.Values, whole.RowRange(4, 9).Values) {
		t.Error("a block has other probabilities than the whole")
	}
	ranking, err := a.Ranking(test, 3)
	if err != nil {
		t.Fatal(err)
	}
	for text := range 24 {
		sum, best := 0.0, 0
		for image := range 12 {
			sum += float64(whole.At(text, image))
			if whole.At(text, image) > whole.At(text, best) {
				best = image
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("probabilities of the images of text %d sum to %g", text, sum)
		}
		if got := ranking.TextToImage.Top(text); got != best {
			t.Errorf("text %d finds image %d, the most probable is %d", text, got, best)
		}
	}
	probabilities, err := a.Probabilities(test.ImageLayer.Inputs, test.TextLayer.Inputs)
	if err != nil {
		t.Fatal(err)
	}
	for image := range 12 {
		row := probabilities.Row(image)
		if got := ranking.ImageToText.Top(image); row[got] != slices.Max(row) {
			t.Errorf("image %d finds text %d, which is not the most probable", image, got)
		}
	}
	report, err := a.Evaluate(test, 4)
	if err != nil || !(report.TextToImage.Recall1 > 2.0/12) {
		t.Errorf("report %v, %v", report, err)
	}
}

// Both directions have the statistics of gaussian.MonteCarlo, which draws other random numbers. A
// probability of n samples has a standard deviation of at most √(p(1−p)/n). Five standard
// deviations of a difference are exceeded for 6e-7 of all seeds, for each of 1,152 probabilities.
func TestDrawnProbabilitiesHaveTheStatisticsOfMonteCarlo(t *testing.T) {
	const draws = 1000
	train, test := layeredSet(40, 1, 1), layeredSet(24, 1, 2)
	options := bayesOptions(BayesVLM)
	options.Posterior = Posterior{Variance: VarianceDelta, Prediction: PredictMonteCarlo, Draws: draws}
	a := mustTrain(t, train, options)
	g, err := a.galleryOf(test)
	if err != nil {
		t.Fatal(err)
	}
	means, variances, err := a.CosineMoments(test.ImageLayer.Inputs, test.TextLayer.Inputs)
	if err != nil {
		t.Fatal(err)
	}
	for side, queries := range map[nn.Side]int{nn.Images: 24, nn.Texts: 48} {
		got := embedding.NewMatrix(queries, 72-queries)
		if err := (drawn{g, side}).ReadRows(got, 0); err != nil {
			t.Fatal(err)
		}
		uncertain, noticed := 0, 0.0
		for query := range queries {
			ofMeans, ofVariances := make([]float64, got.Columns), make([]float64, got.Columns)
			for j := range ofMeans {
				image, text := query, j
				if side == nn.Texts {
					image, text = j, query
				}
				ofMeans[j], ofVariances[j] = float64(means.At(image, text)), float64(variances.At(image, text))
			}
			want, err := gaussian.MonteCarlo(ofMeans, ofVariances, 100, draws, rand.NewPCG(5, uint64(query)))
			if err != nil {
				t.Fatal(err)
			}
			without, err := gaussian.Probit(ofMeans, make([]float64, len(ofMeans)), 100)
			if err != nil {
				t.Fatal(err)
			}
			for j, p := range want {
				between := (p + float64(got.At(query, j))) / 2
				if math.Abs(p-float64(got.At(query, j))) > 5*math.Sqrt(2*between*(1-between)/draws)+1e-4 {
					t.Errorf("side %d, query %d, candidate %d: %g, %g by MonteCarlo", side, query, j, got.At(query, j), p)
				}
				if p > 0.02 && p < 0.98 {
					uncertain++
				}
				noticed = math.Max(noticed, math.Abs(p-without[j]))
			}
		}
		// The comparison is meaningful only if sampling changes the result.
		if uncertain < 40 || noticed < 0.05 {
			t.Errorf("side %d: %d probabilities are uncertain, and draws move them by %g at most", side, uncertain, noticed)
		}
	}
}

// The same seed produces the same bits, another seed other samples; queries of the two sides use
// different random numbers.
func TestDrawsDependOnTheSeedAlone(t *testing.T) {
	train, test := layeredSet(40, 1, 1), layeredSet(12, 1, 2)
	draw := func(seed uint64) embedding.Matrix {
		options := bayesOptions(BayesVLM)
		options.Seed, options.Posterior = seed, Posterior{Variance: VarianceDelta, Prediction: PredictMonteCarlo, Draws: 10}
		p, err := mustTrain(t, train, options).Probabilities(test.ImageLayer.Inputs, test.TextLayer.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if first := draw(3); !slices.Equal(first.Values, draw(3).Values) || slices.Equal(first.Values, draw(4).Values) {
		t.Error("equal seeds give other probabilities, or other seeds the same")
	}
	// An image and a text with equal moments among equal numbers of candidates.
	a := mustTrain(t, train, bayesOptions(BayesVLM))
	g, err := a.galleryOf(test)
	if err != nil {
		t.Fatal(err)
	}
	g.sides[nn.Texts] = g.sides[nn.Images]
	ofImages, ofTexts := embedding.NewMatrix(12, 12), embedding.NewMatrix(12, 12)
	if err := errors.Join(drawn{g, nn.Images}.ReadRows(ofImages, 0), drawn{g, nn.Texts}.ReadRows(ofTexts, 0)); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(ofImages.Values, ofTexts.Values) {
		t.Error("both sides draw the same numbers")
	}
}
