package adapter_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
)

func residualOptions(t *testing.T, method string) adapter.Options {
	t.Helper()
	options, err := adapter.SmallOptions(method)
	if err != nil {
		t.Fatal(err)
	}
	options.Batch, options.LearningRate = 64, 1e-3
	return options
}

func recallAfter(t *testing.T, train, test *embedding.Set, options adapter.Options) adapter.Baseline {
	t.Helper()
	trained, err := adapter.Train(context.Background(), train, options)
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := trained.Ranking(test, 1)
	if err != nil {
		t.Fatal(err)
	}
	return adapter.Baseline{TextToImage: ranking.TextToImage.Recall(1), ImageToText: ranking.ImageToText.Recall(1)}
}

// Before the first step all rank as clip does.
func TestResidualAdaptersWithoutStepsRankAsTheEmbeddings(t *testing.T) {
	set := smallWorld(t, 50)
	baseline, err := adapter.BaselineOf(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{adapter.ResidualCosine, adapter.ResidualVonMisesFisher, adapter.ResidualPowerSpherical} {
		options := residualOptions(t, method)
		options.Epochs, options.LearningRate, options.FinalRate = 1, 0, 0
		got := recallAfter(t, set, set, options)
		if got != baseline {
			t.Errorf("%s: %v, %v", method, got, baseline)
		}
		trained, err := adapter.Train(context.Background(), set, options)
		if err != nil {
			t.Fatal(err)
		}
		eta, err := trained.Natural(set.Texts)
		if method == adapter.ResidualCosine {
			if err != nil || !slices.Equal(eta.Values, set.Texts.Values) {
				t.Errorf("%s: %v, the natural parameters are not the texts", method, err)
			}
			continue
		}
		for i, kappa := range eta.Norms() { // a constant, whatever the norms of the texts
			if math.Abs(kappa-100) > 1e-3 {
				t.Fatalf("%s: %v, κ of text %d begins as %g, want 100", method, err, i, kappa)
			}
		}
	}
}

// Files of residual adapters with one layer, which was both, have no ranker.
func TestResidualAdaptersWithOneLayerLoad(t *testing.T) {
	set := smallWorld(t, 30)
	path := filepath.Join(t.TempDir(), "a.safetensors")
	options := residualOptions(t, adapter.ResidualVonMisesFisher)
	options.Epochs, options.LearningRate, options.Checkpoint = 4, 0.1, path
	if _, err := adapter.Train(context.Background(), set, options); err != nil {
		t.Fatal(err)
	}
	file, err := embedding.ReadSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	for name := range file.Arrays {
		if strings.Contains(name, "ranker.") {
			delete(file.Arrays, name)
		}
	}
	file.Arrays["tau"] = embedding.Float64Array([]float64{1})
	file.Arrays["tau"].Shape = nil
	file.Metadata["training"] = strings.Replace(file.Metadata["training"], `"revision":3,`, "", 1)
	if err := embedding.WriteSafetensors(path, file); err != nil {
		t.Fatal(err)
	}
	loaded, err := adapter.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	eta, err := loaded.Natural(set.Texts)
	if err != nil {
		t.Fatal(err)
	}
	weight, err := file.Arrays["text.0.weight"].Float64s()
	bias, err2 := file.Arrays["text.0.bias"].Float64s()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for i := range eta.Columns {
		x := set.Texts.Row64(7)
		want := x[i] + bias[i]
		for j, v := range x {
			want += weight[i*len(x)+j] * v
		}
		if got := float64(eta.At(7, i)); math.Abs(got-want) > 1e-4 {
			t.Errorf("coordinate %d is %g, want %g", i, got, want)
		}
	}
	// What training does today differs, so that file is not its result.
	if loaded.IsOf(set, options) {
		t.Error("the file counts as the result of today's training")
	}
	for _, resume := range []bool{false, true} {
		options.Resume = resume
		_, err := adapter.Train(context.Background(), set, options)
		if err == nil || !strings.Contains(err.Error(), "revision: the checkpoint has 0, asked for is 3") {
			t.Errorf("with Resume %t: %v", resume, err)
		}
	}
	again := filepath.Join(t.TempDir(), "again.safetensors")
	if err := loaded.Save(again); err != nil {
		t.Fatal(err)
	}
	if saved, err := adapter.Load(again); err != nil || saved.IsOf(set, options) {
		t.Errorf("%v, a copy of the file counts as the result of today's training", err)
	}
	delete(file.Arrays, "text.0.bias")
	if err := embedding.WriteSafetensors(path, file); err != nil {
		t.Fatal(err)
	}
	if _, err := adapter.Load(path); err == nil || !strings.Contains(err.Error(), `no tensor "text.0.bias"`) {
		t.Errorf("without a bias: %v", err)
	}
}

// All residual adapters find the same items, since their directions minimize the same loss. By
// likelihood texts of large κ are found more often.
func TestResidualAdaptersRankByTheCosine(t *testing.T) {
	set := smallWorld(t, 60)
	tops := map[string][]int{}
	for _, method := range []string{adapter.ResidualCosine, adapter.ResidualVonMisesFisher, adapter.ResidualPowerSpherical} {
		options := residualOptions(t, method)
		options.LearningRate = 0.03
		trained, err := adapter.Train(context.Background(), set, options)
		if err != nil {
			t.Fatal(err)
		}
		report, err := trained.Evaluate(set, 5)
		if err != nil {
			t.Fatal(err)
		}
		tops[method] = report.ImageToText.Top
		if method != adapter.ResidualCosine && !slices.Equal(tops[method], tops[adapter.ResidualCosine]) {
			t.Errorf("%s finds other texts than %s", method, adapter.ResidualCosine)
		}
		err = adapter.SetRanking(trained, adapter.RankLikelihood)
		if method == adapter.ResidualCosine {
			if !errors.Is(err, adapter.ErrNoDensity) {
				t.Errorf("the likelihood of a cosine: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		density, err := trained.Evaluate(set, 5)
		if err != nil || slices.Equal(density.ImageToText.Top, report.ImageToText.Top) || !slices.Equal(density.TextToImage.Top, report.TextToImage.Top) {
			t.Errorf("%s by likelihood: %v; want the same images of texts and other texts of images", method, err)
		}
	}
}

func TestResidualAdaptersKeepRecallOnFewPairs(t *testing.T) {
	all := smallWorld(t, 150)
	rest, parts, err := all.Folds(3)
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := adapter.BaselineOf(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	small := residualOptions(t, adapter.AsymVLMVonMisesFisher)
	small.LearningRate = 0.1 // the method's default
	network := recallAfter(t, rest[0], parts[0], small)
	for _, method := range []string{adapter.ResidualCosine, adapter.ResidualVonMisesFisher, adapter.ResidualPowerSpherical} {
		got := recallAfter(t, rest[0], parts[0], residualOptions(t, method))
		if got.TextToImage < baseline.TextToImage-0.02 || got.TextToImage < network.TextToImage+0.05 {
			t.Errorf("%s: %v; %v; the network of three layers has %.3f", method, got, baseline, network.TextToImage)
		}
	}
}

func TestResidualAdaptersRefuseHiddenLayersOfOnesOwn(t *testing.T) {
	options := residualOptions(t, adapter.ResidualVonMisesFisher)
	if options.Reads("Hidden") || options.Reads("HiddenLayers") {
		t.Error("the hidden layers are read")
	}
	options.Hidden = 77
	_, err := adapter.Train(context.Background(), smallWorld(t, 10), options)
	if err == nil || !strings.Contains(err.Error(), "whose residual network has no hidden layers") {
		t.Errorf("error %v", err)
	}
}
