package graph_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/graph"
	"gosphere/asymvlm/world"
)

// infoNCE is the method's own loss as a graph.
func infoNCE() *graph.Loss {
	return graph.NewLoss("infonce", []custom.Number{{Name: "tau", First: 1}}, func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
		return b.Contrastive(in.LogLikelihoods, in.Numbers[0])
	})
}

// setting is a small training with a short last batch.
func setting(t testing.TB, method string) (*world.Set, adapter.Options) {
	t.Helper()
	train, _, err := world.New(world.Options{Seed: 1, Scenes: 30, TestScenes: 10, Dimension: 16})
	if err != nil {
		t.Fatal(err)
	}
	options, err := adapter.DefaultOptions(method)
	if err != nil {
		t.Fatal(err)
	}
	options.Epochs, options.Batch, options.Hidden = 3, 50, 24
	return train, options
}

func TestGraphTrainsLikeTheLossItWrites(t *testing.T) {
	for _, method := range []string{"asymvlm-vmf", "asymvlm-psd"} {
		train, options := setting(t, method)
		own, err := adapter.Train(context.Background(), &train.Set, options)
		if err != nil {
			t.Fatal(err)
		}
		options.Loss = infoNCE()
		byGraph, err := adapter.Train(context.Background(), &train.Set, options)
		if err != nil {
			t.Fatal(err)
		}
		for step, loss := range own.History().Loss {
			// Parameters are float32, and so are the sums of one of the two.
			if got := byGraph.History().Loss[step]; math.Abs(got-loss) > 2e-4*loss {
				t.Errorf("%s: step %d: loss %.7g by the graph, %.7g by hand", method, step, got, loss)
			}
		}
		if math.Abs(own.Temperature()-byGraph.Temperature()) > 1e-3 {
			t.Errorf("%s: temperatures %g and %g", method, own.Temperature(), byGraph.Temperature())
		}
	}
}

func TestLossOfTheOutputsTrains(t *testing.T) {
	train, options := setting(t, "asymvlm-vmf")
	options.LearningRate = 0.02
	options.Loss = graph.NewLoss("distance", nil, func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
		return b.Mean(b.RowSums(b.Square(b.Difference(in.Natural, b.Scaled(in.Images, 4)))))
	})
	a, err := adapter.Train(context.Background(), &train.Set, options)
	if err != nil {
		t.Fatal(err)
	}
	h := a.History()
	if first, last := h.Loss[0], h.Loss[h.Steps()-1]; last > 0.95*first {
		t.Errorf("loss from %g to %g", first, last)
	}
}

func TestMistakeOfTheGraphStopsTheTraining(t *testing.T) {
	train, options := setting(t, "asymvlm-vmf")
	options.Loss = graph.NewLoss("wrong", nil, func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
		return b.Total(b.Sum(in.Natural, in.LogLikelihoods))
	})
	_, err := adapter.Train(context.Background(), &train.Set, options)
	if err == nil || !strings.Contains(err.Error(), `loss "wrong"`) || !strings.Contains(err.Error(), "want equal shapes") {
		t.Errorf("error %v", err)
	}
}

// A loss that is harder on pairs that are not yet found (a focal loss), without a derivative written by hand.
func ExampleNewLoss() {
	loss := graph.NewLoss("focal", []custom.Number{{Name: "tau", First: 1}}, func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
		lambda := b.Product(b.RepeatedLike(in.Numbers[0], in.LogLikelihoods), in.LogLikelihoods)
		lack := b.Difference(b.LogSumExpRows(lambda), b.Diagonal(lambda)) // −log p of the own text
		missing := b.PlusConstant(b.Negative(b.Exp(b.Negative(lack))), 1)
		return b.Mean(b.Product(b.Square(missing), lack))
	})
	train, _, err := world.New(world.Options{Seed: 1, Scenes: 30, Dimension: 16})
	if err != nil {
		panic(err)
	}
	options, err := adapter.DefaultOptions("asymvlm-vmf")
	if err != nil {
		panic(err)
	}
	options.Loss, options.Epochs, options.Batch, options.Hidden = loss, 3, 50, 24
	a, err := adapter.Train(context.Background(), &train.Set, options)
	if err != nil {
		panic(err)
	}
	h := a.History()
	labels, edges := loss.Drawing()
	fmt.Println("the loss falls:", h.Loss[h.Steps()-1] < h.Loss[0])
	fmt.Println("its picture has", len(labels), "boxes and", len(edges), "arrows")
	// Output:
	// the loss falls: true
	// its picture has 13 boxes and 14 arrows
}

func TestGraphOfLogLikelihoodsIsRefusedWhereThereAreNone(t *testing.T) {
	train, options := setting(t, "pfe")
	options.Loss = infoNCE()
	_, err := adapter.Train(context.Background(), &train.Set, options)
	if err == nil || !strings.Contains(err.Error(), `loss "infonce" needs log-likelihoods and natural parameters`) {
		t.Errorf("error %v", err)
	}
}
