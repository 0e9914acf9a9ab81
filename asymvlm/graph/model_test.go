package graph

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
)

// residual is determ-ft-residual on at most 400 pairs as a graph, up to its initial weights of 0.
func residual() Model {
	return Model{
		Texts: func(b *Builder, raw *gorgonia.Node) *gorgonia.Node {
			return b.Sum(raw, b.Linear(raw, "text", raw.Shape()[1]))
		},
		Numbers: []custom.Number{{Name: "tau", First: 1}},
		Loss: func(b *Builder, out Outputs) *gorgonia.Node {
			loss := b.Contrastive(b.Inner(b.Directions(out.Images), b.Directions(out.Texts)), out.Numbers[0])
			const lambda = 10 // adapter.ResidualCosine says why
			for _, name := range []string{"text.weight", "text.bias"} {
				for _, weights := range b.Graph().ByName(name) {
					loss = b.Sum(loss, b.Scaled(b.Total(b.Square(weights)), lambda/2))
				}
			}
			return loss
		},
	}
}

// pairs returns a small set.
func pairs(t *testing.T) *embedding.Set {
	t.Helper()
	train, _, err := world.New(world.Options{Scenes: 20, TestScenes: 5, Dimension: 8, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return &train.Set
}

// register registers a model as a method.
func register(t *testing.T, id string, m Model) {
	t.Helper()
	definition, err := m.Custom()
	if err != nil {
		t.Fatal(err)
	}
	if err := adapter.Register(adapter.Definition{ID: id, Model: definition, LearningRate: 0.05}); err != nil {
		t.Fatal(err)
	}
}

// fit trains a method for some steps.
func fit(t *testing.T, set *embedding.Set, method string) *adapter.Adapter {
	t.Helper()
	o, err := adapter.PaperOptions(method)
	if err != nil {
		t.Fatal(err)
	}
	o.Epochs, o.Batch, o.LearningRate, o.FinalRate, o.WeightDecay = 4, 16, 0.05, 1e-6, 0
	a, err := adapter.Train(context.Background(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAModelOfGraphsTrainsAsTheBuiltInMethod(t *testing.T) {
	m := residual()
	m.Initialize = func(v custom.Values, _ *rand.Rand) { v["tau"][0] = 1 } // the layer stays at 0
	register(t, "graph-residual", m)
	set := pairs(t)
	ours, theirs := fit(t, set, "graph-residual"), fit(t, set, adapter.ResidualCosine)
	got, err := ours.Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	want, err := theirs.Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	moved := 0.0
	zero, err := adapter.PaperOptions(adapter.CLIP)
	if err != nil {
		t.Fatal(err)
	}
	untrained, err := adapter.Train(context.Background(), set, zero)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := untrained.Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Values {
		if math.Abs(float64(got.Values[i]-want.Values[i])) > 1e-4 {
			t.Fatalf("score %d: %g, want %g", i, got.Values[i], want.Values[i])
		}
		moved = max(moved, math.Abs(float64(plain.Values[i]-want.Values[i])))
	}
	if moved < 1e-2 {
		t.Errorf("training changed scores by %g only", moved)
	}
}

func TestAModelOfGraphsHasUncertaintiesScoresAndCheckpoints(t *testing.T) {
	m := Model{
		Texts:   func(b *Builder, raw *gorgonia.Node) *gorgonia.Node { return b.Network(raw, "text", 12, raw.Shape()[1]) },
		Numbers: []custom.Number{{Name: "tau", First: 1}},
		Loss: func(b *Builder, out Outputs) *gorgonia.Node {
			return b.Contrastive(b.Inner(b.Directions(out.Images), out.Texts), out.Numbers[0])
		},
		Uncertainty: func(b *Builder, side int, outputs *gorgonia.Node) *gorgonia.Node {
			if side == custom.Images {
				return nil
			}
			return b.Inverse(b.Lengths(outputs))
		},
		Score: func(b *Builder, images, texts *gorgonia.Node) *gorgonia.Node {
			return b.Inner(b.Directions(images), texts)
		},
	}
	register(t, "graph-network", m)
	set := pairs(t)
	a := fit(t, set, "graph-network")
	u, err := a.Uncertainty(set.Texts)
	if err != nil {
		t.Fatal(err)
	}
	if u[0] == u[1] || !(u[0] > 0) {
		t.Errorf("uncertainties %v", u[:2])
	}
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := a.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := adapter.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	one, err := a.Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	two, err := again.Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	for i := range one.Values {
		if one.Values[i] != two.Values[i] {
			t.Fatalf("score %d: %g after loading, want %g", i, two.Values[i], one.Values[i])
		}
	}
	if h := a.History().Loss; !(h[len(h)-1] < h[0]) {
		t.Errorf("the loss went from %g to %g", h[0], h[len(h)-1])
	}
	if _, err := a.Evaluate(set, 4); err != nil {
		t.Error(err)
	}
}

func TestWrongModelsOfGraphsAreRefused(t *testing.T) {
	for want, m := range map[string]Model{
		"without Loss": {},
		"nothing to train": {Loss: func(b *Builder, out Outputs) *gorgonia.Node {
			return b.Mean(b.Inner(out.Images, out.Texts))
		}},
		"want a single number": {Loss: func(b *Builder, out Outputs) *gorgonia.Node { return out.Texts }},
		"want 3 rows and as many columns": {
			Texts: func(b *Builder, raw *gorgonia.Node) *gorgonia.Node { return b.Linear(raw, "text", 3) },
			Loss:  func(b *Builder, out Outputs) *gorgonia.Node { return b.Mean(out.Texts) },
		},
		"want 3×4: images × texts": func() Model {
			m := residual()
			m.Score = func(b *Builder, images, texts *gorgonia.Node) *gorgonia.Node { return b.Inner(texts, images) }
			return m
		}(),
		"want a column": func() Model {
			m := residual()
			m.Uncertainty = func(b *Builder, _ int, outputs *gorgonia.Node) *gorgonia.Node { return outputs }
			return m
		}(),
	} {
		if _, err := m.Custom(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
