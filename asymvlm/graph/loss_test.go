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

// setting returns a small training with a short last batch.
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
	options.Epochs, options.Batch = 3, 50
	if options.Reads("Hidden") {
		options.Hidden = 24
	}
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

// A focal loss, which gives more weight to pairs that are not yet retrieved, without a derivative
// written by hand.
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

func TestGraphsOfWhatAMethodDoesNotGiveAreRefused(t *testing.T) {
	variances := func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
		return b.Mean(b.Square(b.Sum(in.LogVariances[custom.Texts], in.LogVariances[custom.Images])))
	}
	for _, c := range []struct {
		method string
		loss   *graph.Loss
		want   string
	}{
		{"pfe", infoNCE(), `loss "infonce" uses LogLikelihoods, which this method does not give; it gives Means, LogVariances`},
		{"asymvlm-vmf", graph.NewLoss("variances", nil, variances), `uses LogVariances, which this method does not give; it gives LogLikelihoods, Natural, Images`},
		{"elip", graph.NewLoss("variances", nil, variances), `it gives LogLikelihoods, see custom.Batch`},
		{"symvlm", graph.NewLoss("pull", nil, func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
			return b.Mean(b.Product(in.Natural, in.Images))
		}), `uses Images, which this method does not give; it gives LogLikelihoods, Natural, NaturalImages`},
		{"probvlm", infoNCE(), `it gives Targets, Means, LogScales, LogShapes`},
	} {
		train, options := setting(t, c.method)
		options.Loss = c.loss
		_, err := adapter.Train(context.Background(), &train.Set, options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.method, err, c.want)
		}
	}
}

// agree trains with the loss of a method and with the same loss as a graph, and compares the
// results of every step.
func agree(t *testing.T, method string, byGraph *graph.Loss, tolerance float64) {
	t.Helper()
	train, options := setting(t, method)
	own, err := adapter.Train(context.Background(), &train.Set, options)
	if err != nil {
		t.Fatal(err)
	}
	options.Loss = byGraph
	again, err := adapter.Train(context.Background(), &train.Set, options)
	if err != nil {
		t.Fatal(err)
	}
	for step, loss := range own.History().Loss {
		if got := again.History().Loss[step]; math.Abs(got-loss) > tolerance*math.Abs(loss) {
			t.Errorf("%s: step %d: loss %.7g by the graph, %.7g by hand", method, step, got, loss)
		}
	}
}

// Each kind of batch has a loss of the papers that is a graph of its inputs. The parameters are
// float32, and so are the sums of one of the two.
func TestGraphsTrainTheMethodsOfEveryKindOfBatch(t *testing.T) {
	gaussians := func(in graph.Inputs, side int) graph.Gaussians {
		return graph.Gaussians{Means: in.Means[side], LogVariances: in.LogVariances[side]}
	}
	for method, loss := range map[string]*graph.Loss{
		"symvlm": infoNCE(),
		"clip-ensemble": graph.NewLoss("sum", []custom.Number{{Name: "tau", First: 1 / 0.07}}, func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
			return b.Contrastive(in.LogLikelihoods, in.Numbers[0])
		}),
		"pcmepp": graph.NewLoss("csd", []custom.Number{{Name: "a", First: 5}, {Name: "b", First: 5}}, func(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
			return b.MatchingProbability(gaussians(in, custom.Images), gaussians(in, custom.Texts), in.Numbers[0], in.Numbers[1])
		}),
		"probvlm-exact": graph.NewLoss("generalized", nil, generalized),
	} {
		agree(t, method, loss, 1e-3)
	}
}

// generalized is ProbVLM's exact loss of 1/α and β, both increased by 1e-4, without the floor of
// |μ−y|.
func generalized(b *graph.Builder, in graph.Inputs) *gorgonia.Node {
	var total *gorgonia.Node
	for side := range in.Means {
		q := b.PlusConstant(b.Exp(b.Negative(in.LogScales[side])), 1e-4)
		beta := b.PlusConstant(b.Exp(in.LogShapes[side]), 1e-4)
		normalizer := b.Difference(b.LogGamma(b.Inverse(beta)), b.Sum(b.Log(q), b.Log(beta)))
		for other, weight := range []float64{1, 1e-4} {
			apart := b.Magnitude(b.Difference(in.Means[side], in.Targets[(side+other)%2]))
			far := b.Exp(b.Product(beta, b.Log(b.Product(apart, q))))
			part := b.Scaled(b.Sum(b.Mean(apart), b.Scaled(b.Mean(b.Sum(far, normalizer)), 0.05)), weight)
			if total == nil {
				total = part
			} else {
				total = b.Sum(total, part)
			}
		}
	}
	return total
}

func TestDrawingsNameTheInputsOfEveryKind(t *testing.T) {
	labels, edges := graph.NewLoss("generalized", nil, generalized).Drawing()
	all := strings.Join(labels, "\n")
	for _, want := range []string{"μ of texts\nB × D", "y of images\nB × D", "log α of images\nB × D", "log β of texts\nB × D"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q among %q", want, labels)
		}
	}
	if strings.Contains(all, "ℓ") || len(edges) == 0 {
		t.Errorf("%d edges, labels %q", len(edges), labels)
	}
}
