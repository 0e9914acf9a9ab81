package adapter_test

import (
	"context"
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

// The deterministic adapter ranks as clip does before the first step; with a likelihood the order
// of texts depends on their norms.
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
		if got.TextToImage != baseline.TextToImage || method == adapter.ResidualCosine && got != baseline {
			t.Errorf("%s: %v, %v", method, got, baseline)
		}
		trained, err := adapter.Train(context.Background(), set, options)
		if err != nil {
			t.Fatal(err)
		}
		eta, err := trained.Natural(set.Texts)
		if err != nil || !slices.Equal(eta.Values, set.Texts.Values) {
			t.Errorf("%s: %v, the natural parameters are not the texts", method, err)
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
