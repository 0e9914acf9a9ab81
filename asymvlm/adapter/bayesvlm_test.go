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

// layerWidths are the input widths of the last layers of layeredSet, larger than the width of its
// embeddings.
const (
	layerOutputs = 8
	textInputs   = 11
	imageInputs  = 13
)

// layeredSet returns random images with two captions each, whose embeddings are outputs of last
// layers; the layer of the images has a bias. The layers depend on encoder, the rows on seed.
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

// layerOutput returns the outputs of a layer for its inputs.
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

// bayesOptions returns options with batches of 30 pairs.
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

// With features the method is the Laplace approximation of the last layers, compared pair by pair
// with packages laplace and gaussian in both forms of the evidence and of the variance.
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
			if err := a.SetPrediction(Posterior{Variance: variance}); err != nil {
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

// The set decides unless the options do, and an adapter reports what it was trained on.
func TestFeaturesAreUsedWhereTheyExist(t *testing.T) {
	set := layeredSet(40, 1, 1)
	plain := *set
	plain.ImageLayer, plain.TextLayer = nil, nil
	onSet := func(s *embedding.Set, layers string) *Adapter {
		options := bayesOptions(BayesVLM)
		options.Posterior.Layers = layers
		return mustTrain(t, s, options)
	}
	auto, features := onSet(set, LayersAuto), onSet(set, LayersFeatures)
	identity, without := onSet(set, LayersIdentity), onSet(&plain, LayersAuto)
	if !slices.Equal(bits(auto), bits(features)) || !slices.Equal(bits(identity), bits(without)) || slices.Equal(bits(auto), bits(identity)) {
		t.Error("features are not what decides")
	}
	if o := auto.Options(); o.Posterior.Layers != LayersFeatures || !strings.HasSuffix(o.Label, ", last layers") || auto.TrainingChecksum() == without.TrainingChecksum() {
		t.Errorf("trained on features with %+v", o)
	}
	if o := without.Options(); o.Posterior.Layers != LayersAuto || strings.Contains(o.Label, "layers") || without.TrainingChecksum() != Checksum(&plain) || Checksum(set) != Checksum(&plain) {
		t.Errorf("trained on embeddings with %+v", o)
	}
	// Other methods do not read the layers.
	if !slices.Equal(bits(mustTrain(t, set, smallOptions(AsymVLMVonMisesFisher))), bits(mustTrain(t, &plain, smallOptions(AsymVLMVonMisesFisher)))) {
		t.Error("asymvlm-vmf learns something else from a set with last layers")
	}
}

func TestAdaptersOfLastLayersSurviveTheirFile(t *testing.T) {
	train, test := layeredSet(40, 1, 1), layeredSet(15, 1, 2)
	options := bayesOptions(BayesVLMExact)
	options.Posterior = Posterior{Variance: VarianceDelta, Prediction: PredictMonteCarlo, Draws: 7}
	options.Checkpoint, options.Resume = filepath.Join(t.TempDir(), "a.safetensors"), true
	a := mustTrain(t, train, options)
	again := mustTrain(t, train, options) // complete, and not changed
	loaded, err := Load(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	if got := loaded.Options().Posterior; got != (Posterior{LayersFeatures, VarianceDelta, PredictMonteCarlo, 7}) {
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
	// Other weights make another training.
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
		`bayesvlm on last layers needs their inputs and weights, which the set "layered" has not`:      fit(plain, func(o *Options) { o.Posterior.Layers = LayersFeatures }),
		"texts and images are not made longer":                                                         fit(train, func(o *Options) { o.TextLength = 9 }),
		`layers "all", want one of`:                                                                    fit(train, func(o *Options) { o.Posterior.Layers = "all" }),
		`variance "exact", want one of`:                                                                fit(train, func(o *Options) { o.Posterior.Variance = "exact" }),
		`prediction "best", want one of`:                                                               fit(train, func(o *Options) { o.Posterior.Prediction = "best" }),
		`5 draws with the prediction "probit"`:                                                         fit(train, func(o *Options) { o.Posterior = Posterior{Prediction: PredictProbit, Draws: 5} }),
		`optimizer "sgd" does not fit method bayesvlm`:                                                 fit(train, func(o *Options) { o.Optimizer = "sgd" }),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := a.SetPrediction(Posterior{Layers: LayersIdentity}); err == nil || !strings.Contains(err.Error(), `layers "identity", the posterior is that of "features"`) {
		t.Errorf("error %v", err)
	}
	if err := a.SetPrediction(Posterior{Draws: -1}); err == nil {
		t.Error("fewer than no draws")
	}
	options := smallOptions(PFE)
	options.Posterior.Variance = VarianceDelta
	if err := options.Check(); err == nil || !strings.Contains(err.Error(), "pfe has no posterior") {
		t.Errorf("error %v", err)
	}
	if options = smallOptions(CLIP); options.Check() != nil {
		t.Error("clip is refused")
	}
	options.Posterior.Variance = VarianceDelta
	if err := options.Check(); !errors.Is(err, ErrNoPosterior) {
		t.Errorf("error %v", err)
	}
}

func TestRatesOfAPassThatDoesNotDescendAreRefused(t *testing.T) {
	for want, change := range map[string]func(o *Options){
		"adapter: LearningRate 0.1 changes nothing in bayesvlm, which passes over the pairs once and descends no loss; leave it": func(o *Options) { o.LearningRate = 0.1 },
		"adapter: WarmUp 2 changes nothing in bayesvlm, which passes over the pairs once and descends no loss; leave it":         func(o *Options) { o.WarmUp = 2 },
	} {
		options := smallOptions(BayesVLM)
		change(&options)
		if _, err := Train(context.Background(), smallSet(20, 8), options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestOnePassMeansOnePass(t *testing.T) {
	options := smallOptions(BayesVLM)
	options.Epochs = 2
	_, err := Train(context.Background(), smallSet(20, 8), options)
	if err == nil || !strings.Contains(err.Error(), "2 epochs of bayesvlm, which passes over the pairs once") {
		t.Errorf("error %v", err)
	}
}
