package adapter

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/nn"
)

func TestWeightsOfProLIPAreOptions(t *testing.T) {
	set := smallSet(12, 16)
	own, err := PairWeightsOf(ProLIPFull)
	if err != nil {
		t.Fatal(err)
	}
	losses := func(w *nn.PairWeights) []float64 {
		o := smallOptions(ProLIPFull)
		o.Pairs = w
		return mustTrain(t, set, o).History().Loss
	}
	usual := losses(nil)
	for i, loss := range losses(&own) {
		if loss != usual[i] {
			t.Fatalf("step %d: the method's own weights give the loss %g, none %g", i, loss, usual[i])
		}
	}
	for name, change := range map[string]func(*nn.PairWeights){
		"bottleneck": func(w *nn.PairWeights) { w.Bottleneck = 0.3 },
		"inclusion":  func(w *nn.PairWeights) { w.Inclusion = 0 },
		"eps":        func(w *nn.PairWeights) { w.Eps = 1 },
		"sharpness":  func(w *nn.PairWeights) { w.Sharpness = 1 },
	} {
		other := own
		change(&other)
		if losses(&other)[0] == usual[0] {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func TestCheckpointsKeepTheWeightsOfProLIP(t *testing.T) {
	set := smallSet(12, 16)
	o := smallOptions(ProLIPExact)
	o.Pairs, o.Checkpoint = &nn.PairWeights{Bottleneck: 0.25}, filepath.Join(t.TempDir(), "a.safetensors")
	trained := mustTrain(t, set, o)
	loaded, err := Load(o.Checkpoint)
	if err != nil || loaded.Options().Pairs == nil || *loaded.Options().Pairs != *o.Pairs || !loaded.IsOf(set, o) {
		t.Errorf("loaded %+v, %v", loaded.Options().Pairs, err)
	}
	other := o
	other.Pairs, other.Resume = nil, true
	if trained.IsOf(set, other) {
		t.Error("a training with the method's own weights is taken for it")
	}
	if _, err := Train(context.Background(), set, other); err == nil || !strings.Contains(err.Error(), "the checkpoint has bottleneck 0.25, inclusion 0, eps 0, sharpness 0, asked for is the method's own") {
		t.Errorf("got %v", err)
	}
}

func TestWeightsThatNoLossTakesAreRefused(t *testing.T) {
	set := smallSet(12, 16)
	for want, c := range map[string]struct {
		method  string
		weights nn.PairWeights
	}{
		"weight of the bottleneck -1":             {ProLIP, nn.PairWeights{Bottleneck: -1}},
		"asymvlm-vmf":                             {AsymVLMVonMisesFisher, nn.PairWeights{}},
		"clip, which is not trained":              {CLIP, nn.PairWeights{}},
		"Pairs &{0 1 0 0} changes nothing in pfe": {PFE, nn.PairWeights{Inclusion: 1}},
	} {
		o := smallOptions(c.method)
		o.Pairs = &c.weights
		if _, err := Train(context.Background(), set, o); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "has no weights of ProLIP") {
			t.Errorf("%s: got %v, want %q", c.method, err, want)
		}
	}
	if _, err := PairWeightsOf(CLIP); err == nil {
		t.Error("clip has no weights")
	}
}
