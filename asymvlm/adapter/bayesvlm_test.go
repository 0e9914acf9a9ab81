package adapter

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/laplace"
)

// layerWidths are the inputs of the last layers of layeredSet, more than its embeddings have.
const (
	layerOutputs = 8
	textInputs   = 11
	imageInputs  = 13
)

// layeredSet draws images with two captions each, whose embeddings are made by last layers: of the images' with a bias. The
// layers depend on the encoder, the rows on the seed.
func layeredSet(images int, encoder, seed uint64) *embedding.Set {
	weights, rows := rand.New(rand.NewPCG(encoder, 61)), rand.New(rand.NewPCG(seed, 62))
	layer := func(inputs, count int) *embedding.Layer {
		l := &embedding.Layer{Inputs: embedding.NewMatrix(count, inputs), Weights: embedding.NewMatrix(layerOutputs, inputs)}
		for j := range layerOutputs {
			for k := range inputs {
				l.Weights.Set(j, k, float32(0.3*weights.NormFloat64()))
			}
			l.Weights.Set(j, j, 1)
		}
		return l
	}
	set := &embedding.Set{Name: "layered", ImageLayer: layer(imageInputs, images), TextLayer: layer(textInputs, 2*images)}
	for range layerOutputs {
		set.ImageLayer.Bias = append(set.ImageLayer.Bias, float32(0.2*weights.NormFloat64()))
	}
	for i := range images {
		for k := range imageInputs {
			set.ImageLayer.Inputs.Set(i, k, float32(rows.NormFloat64()))
		}
		for caption := 2 * i; caption < 2*i+2; caption++ {
			set.CaptionImages = append(set.CaptionImages, i)
			for k := range textInputs {
				noise := 0.1 + 0.5*float64(caption%4)
				set.TextLayer.Inputs.Set(caption, k, set.ImageLayer.Inputs.At(i, k)+float32(noise*rows.NormFloat64()))
			}
		}
	}
	set.Images, set.Texts = layerOutput(set.ImageLayer), layerOutput(set.TextLayer)
	return set
}

// layerOutput returns what a layer makes of its inputs.
func layerOutput(l *embedding.Layer) embedding.Matrix {
	m, row := embedding.NewMatrix(l.Inputs.Rows, l.Weights.Rows), make([]float64, l.Weights.Rows)
	for i := range m.Rows {
		l.Apply(row, l.Inputs.Row(i))
		for j, value := range row {
			m.Set(i, j, float32(value))
		}
	}
	return m
}

// bayesOptions trains in batches of 30 pairs.
func bayesOptions(method string) Options {
	options := smallOptions(method)
	options.Epochs, options.Batch = 1, 30
	return options
}

// momentsByHand computes the moments of one side's embeddings from the formulas, in float64.
func momentsByHand(t *testing.T, form gaussian.Form, own, other *embedding.Layer, order [][2][]int, tested *embedding.Layer) []gaussian.Moments {
	t.Helper()
	inputs := func(l *embedding.Layer, rows []int) *mat.Dense {
		extra := 0
		if l.Bias != nil {
			extra = 1
		}
		m := mat.NewDense(len(rows), l.Weights.Columns+extra, nil)
		for i, row := range rows {
			copy(m.RawRowView(i), l.Inputs.Row64(row))
			if extra == 1 {
				m.Set(i, l.Weights.Columns, 1)
			}
		}
		return m
	}
	outputs := func(l *embedding.Layer, rows []int) *mat.Dense {
		m := mat.NewDense(len(rows), l.Weights.Rows, nil)
		for i, row := range rows {
			l.Apply(m.RawRowView(i), l.Inputs.Row(row))
		}
		return m
	}
	n, width := 0, inputs(own, []int{0}).RawMatrix().Cols
	a, b := mat.NewSymDense(width, nil), mat.NewSymDense(layerOutputs, nil)
	for _, rows := range order {
		var product mat.SymDense
		product.SymOuterK(1, inputs(own, rows[0]).T())
		a.AddSym(a, &product)
		h, err := laplace.Hessian(laplace.InfoNCE, outputs(own, rows[0]), outputs(other, rows[1]), laplace.Logits{Scale: 100})
		if err != nil {
			t.Fatal(err)
		}
		b.AddSym(b, h)
		n += len(rows[0])
	}
	a.ScaleSym(1/math.Sqrt(float64(n)), a)
	b.ScaleSym(1/math.Sqrt(float64(n)), b)
	squares := 0.0
	for _, w := range append(slices.Clone(own.Weights.Values), own.Bias...) {
		squares += float64(w) * float64(w)
	}
	factors := laplace.Factors{Inputs: a, Outputs: b}
	evidence, err := laplace.NewEvidence(factors, squares, 10)
	if err != nil {
		t.Fatal(err)
	}
	posterior, err := laplace.NewPosterior(factors, 10, evidence.Fit(form, 300, 300)[299])
	if err != nil {
		t.Fatal(err)
	}
	var all []gaussian.Moments
	for i := range tested.Inputs.Rows {
		all = append(all, gaussian.Moments{Mean: outputs(tested, []int{i}).RawRowView(0), Variance: posterior.Variances(nil, inputs(tested, []int{i}).RawRowView(0))})
	}
	return all
}

// With features the method is the Laplace approximation of the last layers, pair by pair as packages laplace and gaussian have
// it; both forms of the evidence and of the variance.
func TestBayesVLMOnLastLayersHasTheMomentsOfTheLayers(t *testing.T) {
	train, test := layeredSet(40, 1, 1), layeredSet(15, 1, 2)
	for method, form := range map[string]gaussian.Form{BayesVLM: gaussian.Official, BayesVLMExact: gaussian.Exact} {
		options := bayesOptions(method)
		a := mustTrain(t, train, options)
		g := newGatherer(train, options, 30)
		g.shuffle(0)
		var texts, images [][2][]int
		for from := 0; from < len(g.order); from += 30 {
			captions := g.order[from:min(from+30, len(g.order))]
			var of []int
			for _, caption := range captions {
				of = append(of, train.CaptionImages[caption])
			}
			texts, images = append(texts, [2][]int{captions, of}), append(images, [2][]int{of, captions})
		}
		ofTexts := momentsByHand(t, form, train.TextLayer, train.ImageLayer, texts, test.TextLayer)
		ofImages := momentsByHand(t, form, train.ImageLayer, train.TextLayer, images, test.ImageLayer)
		for _, variance := range []string{VarianceOfficial, VarianceDelta} {
			if err := a.SetPrediction(BayesOptions{Variance: variance}); err != nil {
				t.Fatal(err)
			}
			means, variances, err := a.CosineMoments(test.ImageLayer.Inputs, test.TextLayer.Inputs)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := a.Scores(test)
			if err != nil || !slices.Equal(scores.Values, means.Values) {
				t.Fatalf("%s: scores are not the means (%v)", method, err)
			}
			for i, image := range ofImages {
				for j, text := range ofTexts {
					want, err := gaussian.Cosine(image, text)
					if err != nil {
						t.Fatal(err)
					}
					v := want.Variance
					if variance == VarianceDelta {
						v = want.DeltaVariance
					}
					if math.Abs(float64(means.At(i, j))-want.Mean) > 1e-5 || math.Abs(float64(variances.At(i, j))-v) > 1e-3*v {
						t.Fatalf("%s, %s: image %d and text %d have %g and %g, want %g and %g", method, variance, i, j, means.At(i, j), variances.At(i, j), want.Mean, v)
					}
				}
			}
		}
	}
}

// The set decides unless the options do; an adapter says of itself what it was trained on.
func TestFeaturesAreUsedWhereTheyExist(t *testing.T) {
	set := layeredSet(40, 1, 1)
	plain := *set
	plain.ImageLayer, plain.TextLayer = nil, nil
	onSet := func(s *embedding.Set, layers string) *Adapter {
		options := bayesOptions(BayesVLM)
		options.Bayes.Layers = layers
		return mustTrain(t, s, options)
	}
	auto, features := onSet(set, LayersAuto), onSet(set, LayersFeatures)
	identity, without := onSet(set, LayersIdentity), onSet(&plain, LayersAuto)
	if !slices.Equal(bits(auto), bits(features)) || !slices.Equal(bits(identity), bits(without)) || slices.Equal(bits(auto), bits(identity)) {
		t.Error("features are not what decides")
	}
	if o := auto.Options(); o.Bayes.Layers != LayersFeatures || !strings.HasSuffix(o.Schedule, ", last layers") || auto.TrainingChecksum() == without.TrainingChecksum() {
		t.Errorf("trained on features with %+v", o)
	}
	if o := without.Options(); o.Bayes.Layers != LayersAuto || strings.Contains(o.Schedule, "layers") || without.TrainingChecksum() != Checksum(&plain) || Checksum(set) != Checksum(&plain) {
		t.Errorf("trained on embeddings with %+v", o)
	}
	// Other methods do not look at the layers.
	if !slices.Equal(bits(mustTrain(t, set, smallOptions(AsymVLMVonMisesFisher))), bits(mustTrain(t, &plain, smallOptions(AsymVLMVonMisesFisher)))) {
		t.Error("asymvlm-vmf learns something else from a set with last layers")
	}
}

func TestAdaptersOfLastLayersSurviveTheirFile(t *testing.T) {
	train, test := layeredSet(40, 1, 1), layeredSet(15, 1, 2)
	options := bayesOptions(BayesVLMExact)
	options.Bayes = BayesOptions{Variance: VarianceDelta, Prediction: PredictMonteCarlo, Draws: 7}
	options.Checkpoint, options.Resume = filepath.Join(t.TempDir(), "a.safetensors"), true
	a := mustTrain(t, train, options)
	again := mustTrain(t, train, options) // finished, and left as it is
	loaded, err := Load(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	if got := loaded.Options().Bayes; got != (BayesOptions{LayersFeatures, VarianceDelta, PredictMonteCarlo, 7}) {
		t.Errorf("loaded with %+v", got)
	}
	want, err := a.Evaluate(test, 5)
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*Adapter{"resumed": again, "loaded": loaded} {
		if !slices.Equal(bits(a), bits(other)) {
			t.Errorf("%s: other sums", name)
		}
		if got, err := other.Evaluate(test, 5); err != nil || !slices.Equal(got.TextToImage.Uncertainty, want.TextToImage.Uncertainty) || !slices.Equal(got.ImageToText.Top, want.ImageToText.Top) {
			t.Errorf("%s: another report (%v)", name, err)
		}
	}
	// Other weights are another training.
	if _, err := Train(context.Background(), layeredSet(40, 2, 1), options); err == nil || !strings.Contains(err.Error(), "is of another training and cannot be resumed") {
		t.Errorf("error %v", err)
	}
}

func TestSetsThatDoNotFitTheLastLayersAreErrors(t *testing.T) {
	train := layeredSet(40, 1, 1)
	a := mustTrain(t, train, bayesOptions(BayesVLM))
	plain := layeredSet(15, 1, 2)
	plain.ImageLayer, plain.TextLayer = nil, nil
	scores := func(set *embedding.Set) error {
		_, err := a.Scores(set)
		return err
	}
	evaluate := func(set *embedding.Set) error {
		_, err := a.Evaluate(set, 5)
		return err
	}
	uncertainty := func(m embedding.Matrix) error {
		_, err := a.Uncertainty(m)
		return err
	}
	fit := func(set *embedding.Set, change func(*Options)) error {
		options := bayesOptions(BayesVLM)
		change(&options)
		_, err := Train(context.Background(), set, options)
		return err
	}
	for want, err := range map[string]error{
		`was trained on the encoders' last layers, and the set "layered" has no features of the texts`: evaluate(plain),
		`the text projection of the set "layered" is not the one of the training: another encoder?`:    scores(layeredSet(15, 2, 2)),
		"features of texts have 8 columns, bayesvlm was trained on 11":                                 uncertainty(plain.Texts),
		`bayesvlm on last layers needs their inputs and weights, which the set "layered" has not`:      fit(plain, func(o *Options) { o.Bayes.Layers = LayersFeatures }),
		"texts and images are not made longer":                                                         fit(train, func(o *Options) { o.TextLength = 9 }),
		`layers "all", want one of`:                                                                    fit(train, func(o *Options) { o.Bayes.Layers = "all" }),
		`variance "exact", want one of`:                                                                fit(train, func(o *Options) { o.Bayes.Variance = "exact" }),
		`prediction "best", want one of`:                                                               fit(train, func(o *Options) { o.Bayes.Prediction = "best" }),
		`5 draws with the prediction "probit"`:                                                         fit(train, func(o *Options) { o.Bayes = BayesOptions{Prediction: PredictProbit, Draws: 5} }),
		`optimiser "sgd" for bayesvlm`:                                                                 fit(train, func(o *Options) { o.Optimizer = "sgd" }),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := a.SetPrediction(BayesOptions{Layers: LayersIdentity}); err == nil || !strings.Contains(err.Error(), `layers "identity", the posterior is that of "features"`) {
		t.Errorf("error %v", err)
	}
	if err := a.SetPrediction(BayesOptions{Draws: -1}); err == nil {
		t.Error("fewer than no draws")
	}
	options := smallOptions(PFE)
	options.Bayes.Variance = VarianceDelta
	if err := options.Check(); err == nil || !strings.Contains(err.Error(), "pfe has no posterior") {
		t.Errorf("error %v", err)
	}
	if options = smallOptions(CLIP); options.Check() != nil {
		t.Error("clip is refused")
	}
	options.Bayes.Variance = VarianceDelta
	if err := options.Check(); !errors.Is(err, ErrNoPosterior) {
		t.Errorf("error %v", err)
	}
}

// Probabilities of the texts of an image sum to 1 in every prediction, and are what their formulas give.
func TestPredictionsAreTheirFormulas(t *testing.T) {
	train, test := layeredSet(40, 1, 1), layeredSet(10, 1, 2)
	options := bayesOptions(BayesVLM)
	options.Bayes.Variance = VarianceDelta
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
		PredictMonteCarlo: func(mean, variance []float64, image int) ([]float64, error) {
			return gaussian.MonteCarlo(mean, variance, 100, 300, rand.NewPCG(0, uint64(image)+1))
		},
	}
	for prediction, formula := range byFormula {
		b := BayesOptions{Variance: VarianceDelta, Prediction: prediction}
		if prediction == PredictMonteCarlo {
			b.Draws = 300
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
				if math.Abs(p-want[j]) > 1e-6 {
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
	if err := mustTrain(t, train, smallOptions(PFE)).SetPrediction(BayesOptions{}); !errors.Is(err, ErrNoPosterior) {
		t.Errorf("error %v", err)
	}
}

// Each direction has the probabilities among the candidates of its queries, the same however the gallery is read.
func TestDrawsRankBothDirectionsByTheirOwnProbabilities(t *testing.T) {
	train, test := layeredSet(40, 1, 1), layeredSet(12, 1, 2)
	options := bayesOptions(BayesVLM)
	options.Bayes = BayesOptions{Prediction: PredictMonteCarlo, Draws: 40}
	a := mustTrain(t, train, options)
	g, err := a.galleryOf(test)
	if err != nil {
		t.Fatal(err)
	}
	d := drawn{gallery: g}
	if err := d.total(); err != nil {
		t.Fatal(err)
	}
	whole, part := embedding.NewMatrix(12, 24), embedding.NewMatrix(5, 24)
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
			sum += float64(whole.At(image, text))
			if whole.At(image, text) > whole.At(best, text) {
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
