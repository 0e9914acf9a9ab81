package adapter

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/world"
)

// hinge is a ranking loss with a trained temperature.
func hinge() custom.Func {
	return custom.Func{
		Label: "hinge", Parameters: []custom.Number{{Name: "tau", First: 1.5}},
		Loss: func(b *custom.Batch) (loss float64) {
			n := float64(b.Pairs())
			for s, row := range b.LogLikelihoods {
				for r, ell := range row {
					if lack := 1 + b.Numbers[0]*(ell-row[s]); r != s && lack > 0 {
						loss += lack / n
						b.DLogLikelihoods[s][r] += b.Numbers[0] / n
						b.DLogLikelihoods[s][s] -= b.Numbers[0] / n
						b.DNumbers[0] += (ell - row[s]) / n
					}
				}
			}
			return loss
		},
	}
}

func TestOwnLossTrainsAnAdapterThatFindsItsImages(t *testing.T) {
	for _, method := range []string{AsymVLMVonMisesFisher, AsymVLMPowerSpherical, DeterministicFineTuning, AsymVLMImage, SigLIPVonMisesFisher} {
		set, options := smallSet(40, 16), smallOptions(method)
		options.Loss, options.Epochs, options.LearningRate, options.WeightDecay = hinge(), 12, 0.02, 0
		a := mustTrain(t, set, options)
		report, err := a.Evaluate(set, 4)
		if err != nil {
			t.Fatal(err)
		}
		h := a.History()
		if first, last := h.Loss[0], h.Loss[h.Steps()-1]; last > 0.7*first || report.TextToImage.Recall1 < 0.3 {
			t.Errorf("%s: loss from %.3f to %.3f, recall %.2f", method, first, last, report.TextToImage.Recall1)
		}
		if a.Temperature() == 1.5 || math.Abs(h.Temperature[0]-1.5) > 1e-6 {
			t.Errorf("%s: temperature from %g to %g", method, h.Temperature[0], a.Temperature())
		}
	}
}

// spread is minimal if the variance of every text and image is the squared distance of the pair.
func spread() custom.Func {
	const weight = 1. / 1000
	return custom.Func{Label: "spread", Loss: func(b *custom.Batch) (loss float64) {
		for side, rows := range b.LogVariances {
			for i, row := range rows {
				for j, l := range row {
					apart := b.Means[custom.Texts][i][j] - b.Means[custom.Images][i][j]
					loss += weight * (l + apart*apart*math.Exp(-l))
					b.DLogVariances[side][i][j] += weight * (1 - apart*apart*math.Exp(-l))
				}
			}
		}
		return loss
	}}
}

// pull is minimal if the outputs of both networks are equal for each pair.
func pull() custom.Func {
	return custom.Func{Label: "pull", Loss: func(b *custom.Batch) (loss float64) {
		n := float64(b.Pairs())
		for i, text := range b.Natural {
			for j, eta := range text {
				apart := eta - b.NaturalImages[i][j]
				loss += apart * apart / n
				b.DNatural[i][j] += 2 * apart / n
				b.DNaturalImages[i][j] -= 2 * apart / n
			}
		}
		return loss
	}}
}

// laplaces rewards targets with a high Laplace density and shapes of 1.
func laplaces() custom.Func {
	return custom.Func{Label: "laplaces", Loss: func(b *custom.Batch) (loss float64) {
		n := float64(b.Pairs() * len(b.Targets[custom.Texts][0]))
		for side, rows := range b.Means {
			for i, row := range rows {
				for j, mean := range row {
					apart := mean - b.Targets[side][i][j]
					far := math.Abs(apart) * math.Exp(-b.LogScales[side][i][j])
					shape := b.LogShapes[side][i][j]
					loss += (far + b.LogScales[side][i][j] + shape*shape) / n
					b.DMeans[side][i][j] += math.Copysign(math.Exp(-b.LogScales[side][i][j]), apart) / n
					b.DLogScales[side][i][j] += (1 - far) / n
					b.DLogShapes[side][i][j] += 2 * shape / n
				}
			}
		}
		return loss
	}}
}

func TestOwnLossTrainsEveryKindOfMethod(t *testing.T) {
	for method, loss := range map[string]custom.Loss{
		PFE: spread(), PCMEpp: spread(), ProLIP: spread(), ELIP: hinge(), CLIPEnsemble: hinge(),
		SymVLM: pull(), SymVLMMutual: hinge(), ProbVLM: laplaces(), ProbVLMExact: laplaces(),
	} {
		set, options := smallSet(40, 16), smallOptions(method)
		options.Loss, options.Optimizer, options.Epochs, options.LearningRate, options.WeightDecay = loss, nn.AdamW, 12, 0.01, 0
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		a := mustTrain(t, set, options)
		h := a.History()
		if first, last := h.Loss[0], h.Loss[h.Steps()-1]; !(last < first-0.02*math.Abs(first)) {
			t.Errorf("%s: loss from %.4f to %.4f", method, first, last)
		}
		report, err := a.Evaluate(set, 4)
		if err != nil || report.TextToImage.Recall1 == 0 {
			t.Errorf("%s: %v, %v", method, report, err)
		}
		loaded, err := Load(options.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(bits(loaded), bits(a)) || loaded.Options().Loss.Name() != loss.Name() {
			t.Errorf("%s: the loaded adapter is another one", method)
		}
	}
}

func TestAdapterWithItsOwnLossIsLoadedAndResumed(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	options.Loss, options.Optimizer, options.LearningRate, options.WarmUp = hinge(), nn.AdamP, 1e-3, 5
	whole := mustTrain(t, set, options)
	options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	stopped := options
	halt := errors.New("halt")
	stopped.Progress = &watch{advance: func(u Update) error {
		if u.Step == 8 {
			return halt
		}
		return nil
	}}
	if _, err := Train(context.Background(), set, stopped); !errors.Is(err, halt) {
		t.Fatalf("error %v", err)
	}
	loaded, err := Load(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	if o := loaded.Options(); o.Loss.Name() != "hinge" || o.Optimizer != nn.AdamP || o.WarmUp != 5 || loaded.History().Steps() != 8 {
		t.Errorf("options %+v after %d steps", o, loaded.History().Steps())
	}
	if _, err := loaded.Scores(set); err != nil {
		t.Error(err)
	}
	if _, err := loaded.Options().Loss.Differentiate(nil); err == nil {
		t.Error("the loss of a loaded adapter can be computed")
	}
	options.Resume = true
	if again := mustTrain(t, set, options); !slices.Equal(bits(again), bits(whole)) {
		t.Error("a resumed training differs from an uninterrupted one")
	}
	options.Loss = nil
	if _, err := Train(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), "loss: the checkpoint has hinge") {
		t.Errorf("resumed with another loss: %v", err)
	}
}

func TestWarmUpStartsLow(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	options.WarmUp = 4
	rates := mustTrain(t, set, options).History().LearningRate
	if math.Abs(rates[0]-options.LearningRate/4) > 1e-15 || rates[3] != options.LearningRate || rates[5] >= rates[4] {
		t.Errorf("rates %v", rates)
	}
}

// penaltyOfImages is a loss for methods with a network on one side.
func penaltyOfImages() custom.Func {
	return custom.Func{Label: "penalty", Loss: func(b *custom.Batch) (loss float64) {
		for r, row := range b.Natural {
			for j, eta := range row {
				loss += (eta - b.Images[r][j]) * (eta - b.Images[r][j])
				b.DNatural[r][j] += 2 * (eta - b.Images[r][j])
			}
		}
		return loss
	}}
}

func TestLossesAndOptimizersThatDoNotFitAreErrors(t *testing.T) {
	set := smallSet(40, 16)
	wrong := hinge()
	right := wrong.Loss
	wrong.Loss = func(b *custom.Batch) float64 {
		loss := right(b)
		b.DNumbers[0] *= 1.1
		return loss
	}
	cases := []struct {
		method string
		change func(*Options)
		want   string
	}{
		{AsymVLMVonMisesFisher, func(o *Options) { o.Loss = wrong }, `step 1 of 18: custom: loss "hinge": its derivative with respect to the number "tau" is`},
		{ProbVLM, func(o *Options) { o.Loss = hinge() }, `loss "hinge" has no derivative with respect to Means, LogScales, LogShapes`},
		{SymVLM, func(o *Options) { o.Loss = penaltyOfImages() }, "index out of range [0] with length 0; this method gives LogLikelihoods, Natural, NaturalImages, see custom.Batch"},
		{BayesVLM, func(o *Options) { o.Loss = hinge() }, `bayesvlm takes no loss, "hinge": it accumulates the curvature`},
		{PFE, func(o *Options) { o.Loss = hinge() }, `loss "hinge" has no derivative with respect to LogVariances`},
		{ELIP, func(o *Options) { o.Loss = custom.Func{Label: "empty", Loss: func(*custom.Batch) float64 { return 1 }} }, "with respect to LogLikelihoods"},
		{CLIP, func(o *Options) { o.Loss = hinge() }, "clip is not trained and takes no loss, \"hinge\"; determ-ft trains"},
		{AsymVLMVonMisesFisher, func(o *Options) { o.Loss = custom.Func{} }, "needs a name"},
		{AsymVLMVonMisesFisher, func(o *Options) { o.Loss, o.MaskSameImage = hinge(), true }, "sees all pairs"},
		{AsymVLMVonMisesFisher, func(o *Options) { o.Optimizer = "lion" }, `optimizer "lion"`},
		{BayesVLM, func(o *Options) { o.Optimizer = nn.AdamW }, "does not fit"},
		{AsymVLMVonMisesFisher, func(o *Options) { o.WarmUp = 18 }, "warm-up of 18 steps in a training of 18"},
		{AsymVLMVonMisesFisher, func(o *Options) { o.WarmUp = -1 }, "warm-up of -1"},
	}
	for _, c := range cases {
		options := smallOptions(c.method)
		c.change(&options)
		if _, err := Train(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.method, err, c.want)
		}
	}
}

// scaledInfoNCE is InfoNCE with a trained temperature and its first value.
func scaledInfoNCE(first float64) custom.Func {
	return custom.Func{Label: "own", Parameters: []custom.Number{{Name: custom.Temperature, First: first}}, Loss: func(b *custom.Batch) (loss float64) {
		n, tau := b.Pairs(), b.Numbers[0]
		for i := range n {
			for _, pick := range []func(j int) (s, r int){
				func(j int) (int, int) { return i, j }, func(j int) (int, int) { return j, i },
			} {
				largest, sum := math.Inf(-1), 0.0
				for j := range n {
					s, r := pick(j)
					largest = max(largest, tau*b.LogLikelihoods[s][r])
				}
				for j := range n {
					s, r := pick(j)
					sum += math.Exp(tau*b.LogLikelihoods[s][r] - largest)
				}
				loss += (largest + math.Log(sum) - tau*b.LogLikelihoods[i][i]) / float64(2*n)
				for j := range n {
					s, r := pick(j)
					g := math.Exp(tau*b.LogLikelihoods[s][r]-largest) / sum / float64(2*n)
					if j == i {
						g -= 1 / float64(2*n)
					}
					b.DLogLikelihoods[s][r] += tau * g
					b.DNumbers[0] += g * b.LogLikelihoods[s][r]
				}
			}
		}
		return loss
	}}
}

// The temperature of a user-defined loss is trained as that of the method: InfoNCE written by a
// user ends with the weights of the method's own. Trained by itself and not by its logarithm, the
// temperature took κ of the residual adapters from 100 to 0.03.
func TestTheTemperatureOfAnOwnLossIsTrainedAsThatOfTheMethod(t *testing.T) {
	train, _, err := world.New(world.Options{Seed: 1, Scenes: 200, TestScenes: 2, Dimension: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{ResidualVonMisesFisher, ResidualPowerSpherical, SigLIPVonMisesFisherLog} {
		options := smallOptions(method)
		options.Epochs, options.Batch, options.LearningRate = 6, 64, 0.03
		first := 0.3 // that of the estimators
		own := options
		if method == SigLIPVonMisesFisherLog {
			options.Method, options.FirstTemperature, options.LogTemperature, first = AsymVLMVonMisesFisher, 10, true, 10
			options.LearningRate, own.LearningRate = 1e-3, 1e-3
		}
		own.Loss = scaledInfoNCE(first)
		want, got := mustTrain(t, &train.Set, options), mustTrain(t, &train.Set, own)
		a, b := want.History(), got.History()
		if last := a.Steps() - 1; math.Abs(a.Temperature[last]-b.Temperature[last]) > 0.02*a.Temperature[last] ||
			math.Abs(a.MeanConcentration[last]-b.MeanConcentration[last]) > 0.02*a.MeanConcentration[last] {
			t.Errorf("%s: temperature %g and κ %g, with an own InfoNCE %g and %g", method,
				a.Temperature[last], a.MeanConcentration[last], b.Temperature[last], b.MeanConcentration[last])
		}
	}
}

func TestConcentrationsThatCollapseAreAnError(t *testing.T) {
	train, validation, err := world.New(world.Options{Seed: 1, Scenes: 200, TestScenes: 60, Dimension: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{ResidualVonMisesFisher, ResidualPowerSpherical} {
		options := smallOptions(method)
		options.Epochs, options.Batch, options.LearningRate = 6, 64, 0.03
		own, builtIn := options, options
		own.Loss, builtIn.FirstTemperature = scaledInfoNCE(20), 20
		for kind, o := range map[string]Options{"own loss": own, "first temperature": builtIn} {
			a, err := Train(t.Context(), &train.Set, o)
			if !errors.Is(err, ErrCollapsed) || a == nil || !strings.Contains(err.Error(), "a first temperature of at most 0.3") {
				t.Errorf("%s, %s: %v", method, kind, err)
			}
		}
		builtIn.Validation = NewValidation(&validation.Set)
		if _, err := Train(t.Context(), &train.Set, builtIn); errors.Is(err, ErrCollapsed) {
			t.Errorf("%s: a training whose measurements see the order: %v", method, err)
		}
	}
}

func TestATemperatureOfAnOwnLossBelowZeroIsAnError(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	for _, first := range []float64{0, -0.5, math.NaN()} {
		options.Loss = scaledInfoNCE(first)
		if _, err := Train(t.Context(), set, options); err == nil {
			t.Errorf("a temperature that begins at %g is accepted", first)
		}
	}
	mirrored := scaledInfoNCE(0.01)
	right := mirrored.Loss
	mirrored.Loss = func(b *custom.Batch) float64 { // the true pairs are those to avoid
		loss := right(b)
		for _, row := range b.DLogLikelihoods {
			for r := range row {
				row[r] *= -1
			}
		}
		b.DNumbers[0] *= -1
		return -loss
	}
	options.Loss, options.Epochs, options.LearningRate = mirrored, 20, 0.05
	if a, err := Train(t.Context(), set, options); !errors.Is(err, ErrMirrored) || a == nil {
		t.Errorf("a temperature that ends below 0: %v", err)
	}
}
