package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/gaussian"
)

// onLayers returns a learner of last layers that has processed the given rows in one batch.
func onLayers[F device.Float](t *testing.T, ops device.Operations[F], layers [2]LastLayer, weights map[string][]float64, rows [2]device.Matrix[F]) (*learner[F], *bayes[F]) {
	t.Helper()
	l, err := newLearner(ops, Architecture{Dimension: 12, Objective: Laplace, Optimizer: Accumulate, Layers: layers}, rows[Texts].Rows)
	if err != nil {
		t.Fatal(err)
	}
	l.Initialize(rand.New(rand.NewPCG(1, 1)))
	for _, p := range l.Parameters() {
		for i, value := range weights[p.Name] {
			p.Values[i] = F(value)
		}
	}
	return l, l.objective.(*bayes[F])
}

// checkLayersGolden compares the learner with the file of BayesVLM: layers, posterior, moments,
// predictions, queries.
func checkLayersGolden[F device.Float](t *testing.T, ops device.Operations[F], tolerance float64) {
	g := readGolden(t, "bayesvlm")
	rows := [2]device.Matrix[F]{Texts: goldenMatrix[F](g, "text/phi"), Images: goldenMatrix[F](g, "image/phi")}
	l, n := onLayers(t, ops, [2]LastLayer{Texts: {Inputs: 12}, Images: {Inputs: 15}},
		map[string][]float64{"text.weight": g.values("text/W"), "image.weight": g.values("image/W")}, rows)
	n.scale, n.prior = 20, [2]float64{300, 0} // as in the reference
	for side, name := range []string{"text", "image"} {
		near(t, name+" embeddings", n.embeddings(Side(side), rows[side]).Values, g.values(name+"/e"), tolerance)
	}
	if _, err := l.Step(rows[Texts], rows[Images], device.Rate{}); err != nil {
		t.Fatal(err)
	}
	images, texts := l.Represent(Images, rows[Images]), l.Represent(Texts, rows[Texts])
	near(t, "Σv/|m|² of texts", texts.Uncertainty, g.values("infer/u_text_trace"), tolerance)
	means, variances := device.NewMatrix[F](7, 7), device.NewMatrix[F](7, 7)
	for _, form := range []struct {
		Prediction
		name string
	}{{Prediction{}, "cos/var"}, {Prediction{Delta: true}, "cos/var_delta"}} {
		if err := l.Predict(form.Prediction); err != nil {
			t.Fatal(err)
		}
		scale, err := l.CosineMoments(means, variances, images, texts)
		if err != nil || scale != 20 {
			t.Fatal(scale, err)
		}
		near(t, "cos/mean", means.Values, g.values("cos/mean"), tolerance)
		near(t, form.name, variances.Values, g.values(form.name), tolerance)
	}
	if err := l.Predict(Prediction{Probit: true}); err != nil {
		t.Fatal(err)
	}
	l.Score(variances, images, texts)
	for image := range 7 {
		probit, err := gaussian.Probit(doubles(variances.Row(image)), make([]float64, 7), 1) // the softmax of the logits
		if err != nil {
			t.Fatal(err)
		}
		near(t, "probit", probit, g.values("cos/probit")[image*7:image*7+7], 10*tolerance) // exp of logits of 20
	}
	best := BestOf(means)
	for query := range 7 {
		if float64(best.ImageOfText[query]) != g.values("infer/t2i")[query] || float64(best.TextOfImage[query]) != g.values("infer/i2t")[query] {
			t.Errorf("query %d finds image %d and text %d", query, best.ImageOfText[query], best.TextOfImage[query])
		}
	}
	ofTexts, ofImages := l.QueryUncertainty(best, images, texts)
	near(t, "u_t2i", ofTexts, g.values("infer/u_t2i"), tolerance)
	near(t, "u_i2t", ofImages, g.values("infer/u_i2t"), tolerance)
}

func TestLastLayersAgreeWithPyTorch(t *testing.T) {
	t.Run("float64", func(t *testing.T) { checkLayersGolden(t, device.Reference[float64]{}, 1e-9) })
	t.Run("float32", func(t *testing.T) { checkLayersGolden(t, device.Reference[float32]{}, 2e-5) })
	t.Run("cpu", func(t *testing.T) {
		cpu := device.NewCPU(2)
		defer cpu.Close()
		checkLayersGolden(t, device.Operations[float32](cpu), 2e-5)
	})
}

// drawnLayer returns random weights, bias and inputs of a layer.
func drawnLayer(inputs, outputs, rows int, seed uint64) (weights, bias []float64, phi device.Matrix[float64]) {
	source := rand.New(rand.NewPCG(seed, 3))
	draw := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = source.NormFloat64()
		}
		return values
	}
	return draw(inputs * outputs), draw(outputs), device.Matrix[float64]{Rows: rows, Columns: inputs, Values: draw(rows * inputs)}
}

// results returns all outputs of a learner for rows.
func results(t *testing.T, l *learner[float64], rows [2]device.Matrix[float64]) []float64 {
	t.Helper()
	if _, err := l.Step(rows[Texts], rows[Images], device.Rate{}); err != nil {
		t.Fatal(err)
	}
	images, texts := l.Represent(Images, rows[Images]), l.Represent(Texts, rows[Texts])
	means, variances := device.NewMatrix[float64](9, 9), device.NewMatrix[float64](9, 9)
	if _, err := l.CosineMoments(means, variances, images, texts); err != nil {
		t.Fatal(err)
	}
	ofTexts, ofImages := l.QueryUncertainty(BestOf(means), images, texts)
	return slices.Concat(means.Values, variances.Values, ofTexts, ofImages, texts.Uncertainty, images.Uncertainty)
}

// A bias is equivalent to a column of the weights with an input that is always 1.
func TestABiasIsAnInputOfOne(t *testing.T) {
	ops := device.Reference[float64]{}
	var with, without [2]device.Matrix[float64]
	biased, widened := map[string][]float64{}, map[string][]float64{}
	for side, name := range []string{"text", "image"} {
		weights, bias, phi := drawnLayer(8, 12, 9, uint64(side)+5)
		with[side], without[side] = phi, device.NewMatrix[float64](9, 9)
		biased[name+".weight"], biased[name+".bias"] = weights, bias
		for j, b := range bias {
			widened[name+".weight"] = append(append(widened[name+".weight"], weights[j*8:(j+1)*8]...), b)
		}
		for i := range 9 {
			copy(without[side].Row(i), append(slices.Clone(phi.Row(i)), 1))
		}
	}
	one, _ := onLayers(t, ops, [2]LastLayer{{8, true}, {8, true}}, biased, with)
	two, _ := onLayers(t, ops, [2]LastLayer{{9, false}, {9, false}}, widened, without)
	near(t, "with a bias", results(t, one, with), results(t, two, without), 1e-12)
}

// The identity as a layer is equivalent to no layer.
func TestTheIdentityIsALayer(t *testing.T) {
	identity := make([]float64, 12*12)
	for i := range 12 {
		identity[i*13] = 1
	}
	texts, images := pairs[float64](9, 12, rand.New(rand.NewPCG(41, 42)))
	rows := [2]device.Matrix[float64]{Texts: texts, Images: images}
	ops := device.Reference[float64]{}
	one, _ := onLayers(t, ops, [2]LastLayer{{12, false}, {12, false}}, map[string][]float64{"text.weight": identity, "image.weight": identity}, rows)
	two, _ := onLayers(t, ops, [2]LastLayer{}, nil, rows)
	near(t, "as a layer", results(t, one, rows), results(t, two, rows), 1e-13)
}

// A layer that scales its outputs has the same directions; inputs with zero weight still add
// uncertainty.
func TestUnusedInputsOfALayerMakeItLessCertain(t *testing.T) {
	texts, images := pairs[float64](9, 12, rand.New(rand.NewPCG(43, 44)))
	ops := device.Reference[float64]{}
	wide := [2]device.Matrix[float64]{device.NewMatrix[float64](9, 15), device.NewMatrix[float64](9, 15)}
	source := rand.New(rand.NewPCG(45, 46))
	for side, m := range [2]device.Matrix[float64]{texts, images} {
		for i := range 9 {
			copy(wide[side].Row(i), m.Row(i))
			for j := 12; j < 15; j++ {
				wide[side].Row(i)[j] = 3 * source.NormFloat64()
			}
		}
	}
	weights := make([]float64, 12*15)
	for j := range 12 {
		weights[j*16] = 1
	}
	plain, _ := onLayers(t, ops, [2]LastLayer{}, nil, [2]device.Matrix[float64]{texts, images})
	more, n := onLayers(t, ops, [2]LastLayer{{15, false}, {15, false}}, map[string][]float64{"text.weight": weights, "image.weight": weights}, wide)
	plainBayes := plain.objective.(*bayes[float64])
	plainBayes.prior, n.prior = [2]float64{300, 0}, [2]float64{300, 0}
	results(t, plain, [2]device.Matrix[float64]{texts, images})
	results(t, more, wide)
	before, after := plain.Represent(Texts, texts).Uncertainty, more.Represent(Texts, wide[Texts]).Uncertainty
	for i := range before {
		if !(after[i] > before[i]) {
			t.Errorf("text %d: %g with three inputs more, %g without", i, after[i], before[i])
		}
	}
}

// Variances of all pairs computed by matrix products equal those that package gaussian computes
// coordinate by coordinate.
func TestVariancesOfAllPairsAreThoseOfEachPair(t *testing.T) {
	l, texts, images := gathered(t, Laplace)
	vTexts, vImages := variances(t, gaussian.Official, texts, images), variances(t, gaussian.Official, images, texts)
	ofImages, ofTexts := l.Represent(Images, images), l.Represent(Texts, texts)
	means, all := device.NewMatrix[float64](12, 12), device.NewMatrix[float64](12, 12)
	for _, delta := range []bool{false, true} {
		if err := l.Predict(Prediction{Delta: delta}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.CosineMoments(means, all, ofImages, ofTexts); err != nil {
			t.Fatal(err)
		}
		uTexts, _ := l.QueryUncertainty(BestOf(means), ofImages, ofTexts)
		best := bestInColumns(means)
		for text := range 12 {
			for image := range 12 {
				m, err := gaussian.Cosine(gaussian.Moments{Mean: images.Row(image), Variance: vImages[image]},
					gaussian.Moments{Mean: texts.Row(text), Variance: vTexts[text]})
				if err != nil {
					t.Fatal(err)
				}
				want := m.Variance
				if delta {
					want = m.DeltaVariance
				}
				if math.Abs(all.Row(image)[text]-want) > 1e-11*want || math.Abs(means.Row(image)[text]-m.Mean) > 1e-12 {
					t.Fatalf("delta %t: moments %g and %g, want %g and %g", delta, means.Row(image)[text], all.Row(image)[text], m.Mean, want)
				}
				if image == best[text] && math.Abs(uTexts[text]-want) > 1e-11*want {
					t.Errorf("delta %t: query %d has %g, want %g", delta, text, uTexts[text], want)
				}
			}
		}
	}
}

// Probit moves the logits of uncertain pairs toward 0 and keeps their signs.
func TestProbitShrinksUncertainLogits(t *testing.T) {
	l, texts, images := gathered(t, LaplaceExact)
	ofImages, ofTexts := l.Represent(Images, images), l.Represent(Texts, texts)
	means, all, scores := device.NewMatrix[float64](12, 12), device.NewMatrix[float64](12, 12), device.NewMatrix[float64](12, 12)
	if err := l.Predict(Prediction{Probit: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.CosineMoments(means, all, ofImages, ofTexts); err != nil {
		t.Fatal(err)
	}
	l.Score(scores, ofImages, ofTexts)
	for i, score := range scores.Values {
		want := 100 * means.Values[i] / math.Sqrt(1+math.Pi/8*1e4*all.Values[i])
		if math.Abs(score-want) > 1e-12*math.Abs(want) || math.Abs(score) >= 100*math.Abs(means.Values[i]) {
			t.Errorf("score %d is %g, want %g, of the mean %g", i, score, want, means.Values[i])
		}
	}
}

// Images among texts and texts among images use the moments of one matrix and of its transpose, and
// the random numbers of their rows.
func TestDrawnProbabilitiesAreThoseOfTheMomentsForEitherSide(t *testing.T) {
	l, texts, images := gathered(t, Laplace)
	ofImages, ofTexts := l.Represent(Images, images), l.Represent(Texts, texts)
	means, deviations := device.NewMatrix[float64](12, 12), device.NewMatrix[float64](12, 12)
	for _, delta := range []bool{false, true} {
		if err := l.Predict(Prediction{Delta: delta}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.CosineMoments(means, deviations, ofImages, ofTexts); err != nil {
			t.Fatal(err)
		}
		for side, queries := range []representation[float64]{Texts: ofTexts, Images: ofImages} {
			logits := device.UncertainLogits[float64]{Means: device.NewMatrix[float64](12, 12), Deviations: device.NewMatrix[float64](12, 12), Scale: 100}
			candidates := ofTexts
			for i := range 12 {
				for j := range 12 {
					at := i*12 + j
					if Side(side) == Texts {
						at, candidates = j*12+i, ofImages
					}
					logits.Means.Values[i*12+j], logits.Deviations.Values[i*12+j] = means.Values[at], math.Sqrt(deviations.Values[at])
				}
			}
			got, want := device.NewMatrix[float64](12, 12), device.NewMatrix[float64](12, 12)
			from := device.Origin{Seed: 2, Row: 40}
			if err := l.DrawnProbabilities(got, queries, candidates, 30, from); err != nil {
				t.Fatal(err)
			}
			if err := (device.Reference[float64]{}).MeanSoftmax(want, logits, 30, from); err != nil {
				t.Fatal(err)
			}
			near(t, "probabilities", got.Values, want.Values, 1e-9)
		}
	}
	if err := l.DrawnProbabilities(means, ofImages, ofTexts, 0, device.Origin{}); err == nil || !strings.Contains(err.Error(), "0 draws, want at least 1") {
		t.Errorf("error %v", err)
	}
}

func TestLayersAndPredictionsOfOtherObjectivesAreErrors(t *testing.T) {
	for want, a := range map[string]Architecture{
		`objective "contrastive" with a last layer of 5 inputs (bias: false)`: {Objective: Contrastive, Likelihood: VonMisesFisher, Layers: [2]LastLayer{{5, false}, {5, false}}},
		`objective "laplace" with a last layer of -1 inputs (bias: false)`:    {Objective: Laplace, Optimizer: Accumulate, Layers: [2]LastLayer{{-1, false}, {5, false}}},
		`objective "laplace" with a last layer of 0 inputs (bias: true)`:      {Objective: Laplace, Optimizer: Accumulate, Layers: [2]LastLayer{{0, true}, {5, false}}},
	} {
		a.Dimension = 4
		if err := a.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	l := testLearner(t, device.Reference[float64]{}, small(Architecture{Likelihood: Cosine}), 4)
	if err := l.Predict(Prediction{}); err == nil || !strings.Contains(err.Error(), "no posterior") {
		t.Errorf("error %v", err)
	}
	if err := l.DrawnProbabilities(device.Matrix[float64]{}, representation[float64]{}, representation[float64]{}, 1, device.Origin{}); err == nil || !strings.Contains(err.Error(), "no posterior") {
		t.Errorf("error %v", err)
	}
	if _, err := l.CosineMoments(device.Matrix[float64]{}, device.Matrix[float64]{}, representation[float64]{}, representation[float64]{}); err == nil || !strings.Contains(err.Error(), "no posterior") {
		t.Errorf("error %v", err)
	}
}
