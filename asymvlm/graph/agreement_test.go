package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/special"
	"gosphere/asymvlm/sphere"
)

// run builds and runs a graph, and returns its result with the derivatives.
func run(t *testing.T, values map[string][]float64, build func(b *Builder) *gorgonia.Node) (float64, map[string][]float64) {
	t.Helper()
	b := NewBuilder()
	p, err := b.NewProgram(build(b))
	if err != nil {
		t.Fatal(err)
	}
	result, derivatives, err := p.Run(values)
	if err != nil {
		t.Fatal(err)
	}
	return result, derivatives
}

func close(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*(1+math.Abs(b)) }

// TestNetworksAreLayersWithRectifiersBetween compares with two layers computed by loops.
func TestNetworksAreLayersWithRectifiersBetween(t *testing.T) {
	const n, in, hidden, out = 3, 4, 5, 2
	values := map[string][]float64{
		"x": normal(n*in, 1, 1), "net.0.weight": normal(hidden*in, 1, 2), "net.0.bias": normal(hidden, 1, 3),
		"net.2.weight": normal(out*hidden, 1, 4), "net.2.bias": normal(out, 1, 5),
	}
	weights := normal(n*out, 1, 6)
	build := func(b *Builder) *gorgonia.Node {
		return b.Total(b.Product(b.Network(b.Input("x", n, in), "net", hidden, out), b.Constant("w", n, out, weights)))
	}
	layer := func(x, weight, bias []float64) []float64 {
		width := len(weight) / len(bias)
		var y []float64
		for from := 0; from < len(x); from += width {
			for o, shift := range bias {
				y = append(y, shift+dot(x[from:from+width], weight[o*width:(o+1)*width]))
			}
		}
		return y
	}
	middle := layer(values["x"], values["net.0.weight"], values["net.0.bias"])
	for i, v := range middle {
		middle[i] = max(v, 0)
	}
	want := dot(weights, layer(middle, values["net.2.weight"], values["net.2.bias"]))
	if got, _ := run(t, values, build); !close(got, want, 1e-13) {
		t.Errorf("network gives %.15g, want %.15g", got, want)
	}
	b := NewBuilder()
	p, err := b.NewProgram(build(b))
	if err != nil {
		t.Fatal(err)
	}
	differences(t, "network", p, values)
}

// TestEqualNodesWithOtherSettingsStayApart tests gorgonia's merging of equal operations: the same
// column with two dimensions, or two bounds, must not become one node.
func TestEqualNodesWithOtherSettingsStayApart(t *testing.T) {
	kappa := []float64{3}
	for _, exact := range []bool{false, true} {
		got, derivatives := run(t, map[string][]float64{"kappa": kappa}, func(b *Builder) *gorgonia.Node {
			k := b.Number("kappa")
			if exact {
				return b.Difference(b.Normalizer(k, 8), b.Normalizer(k, 64))
			}
			return b.Difference(b.PaperNormalizer(k, 8), b.PaperNormalizer(k, 64))
		})
		want, slope := 0.0, 0.0
		for d, sign := range map[int]float64{8: 1, 64: -1} {
			var n sphere.Normalizer
			n, err := sphere.NewPaperNormalizer(d)
			if exact {
				n, err = sphere.NewVonMisesFisherNormalizer(d)
			}
			if err != nil {
				t.Fatal(err)
			}
			want += sign * n.LogNormalizerShifted(3)
			slope += sign * n.Derivative(3)
		}
		if !close(got, want, 1e-13) || !close(derivatives["kappa"][0], slope, 1e-12) {
			t.Errorf("exact %v: %.15g with slope %.15g, want %.15g and %.15g", exact, got, derivatives["kappa"][0], want, slope)
		}
	}
	got, derivatives := run(t, map[string][]float64{"x": {2}}, func(b *Builder) *gorgonia.Node {
		x := b.Number("x")
		return b.Sum(b.Clamped(x, 0, 1), b.Clamped(x, 0, 5))
	})
	if got != 3 || derivatives["x"][0] != 1 {
		t.Errorf("two bounds give %g with slope %g, want 3 and 1", got, derivatives["x"][0])
	}
}

func TestReconstructionAgreesWithItsPackage(t *testing.T) {
	const n, d = 3, 4
	values := map[string][]float64{"mu": normal(n*d, 1, 1), "q": normal(n*d, 1, 2), "beta": normal(n*d, 1, 3), "y": normal(n*d, 1, 4)}
	g := gaussian.Generalized{Mean: values["mu"], RawInverseScale: values["q"], RawShape: values["beta"]}
	for _, form := range []gaussian.Form{gaussian.Exact, gaussian.Official} {
		want, err := g.Loss(form, values["y"])
		if err != nil {
			t.Fatal(err)
		}
		got, derivatives := run(t, values, func(b *Builder) *gorgonia.Node {
			return b.Reconstruction(b.Input("mu", n, d), b.Input("q", n, d), b.Input("beta", n, d), b.Input("y", n, d), form == gaussian.Official)
		})
		if !close(got, want.Loss, 1e-12) {
			t.Errorf("%v: loss %.15g, want %.15g", form, got, want.Loss)
		}
		for name, list := range map[string][]float64{"mu": want.Gradient.Mean, "q": want.Gradient.RawInverseScale, "beta": want.Gradient.RawShape} {
			for i, derivative := range list {
				if !close(derivatives[name][i], derivative, 1e-11) {
					t.Errorf("%v: derivative of %s %d is %.15g, want %.15g", form, name, i, derivatives[name][i], derivative)
				}
			}
		}
	}
}

// TestPairLossesAgreeWithLoops computes PFE's, PCME++'s and ProLIP's losses pair by pair.
func TestPairLossesAgreeWithLoops(t *testing.T) {
	const n, d, a, c = 3, 4, 1.7, -0.6
	values := map[string][]float64{
		"i mean": normal(n*d, 1, 1), "i log variance": normal(n*d, 0.5, 2), "t mean": normal(n*d, 1, 3), "t log variance": normal(n*d, 0.5, 4),
		"a": {a}, "b": {c},
	}
	row := func(name string, r int) []float64 { return values[name][r*d : (r+1)*d] }
	var pcme, prolip, pfe float64
	for s := range n {
		for r := range n {
			traces, apart := 0.0, 0.0
			for j := range d {
				traces += math.Exp(row("i log variance", s)[j]) + math.Exp(row("t log variance", r)[j])
				apart += math.Pow(row("i mean", s)[j]-row("t mean", r)[j], 2)
			}
			y := -1.0
			if s == r {
				y = 1
			}
			pcme -= 2. / (n * n) * special.LogSigmoid(y*(c-a*(apart+traces)))
			prolip -= 1. / n * special.LogSigmoid(y*(a*(dot(row("i mean", s), row("t mean", r))-traces/2)+c))
		}
		for j := range d {
			v := special.Softplus(row("i log variance", s)[j]) + special.Softplus(row("t log variance", s)[j])
			pfe += (math.Pow(row("i mean", s)[j]-row("t mean", s)[j], 2)/v + math.Log(v)) / n
		}
	}
	for name, l := range map[string]struct {
		want  float64
		build func(b *Builder, images, texts Gaussians) *gorgonia.Node
	}{
		"PCME++": {pcme, func(b *Builder, images, texts Gaussians) *gorgonia.Node {
			return b.MatchingProbability(images, texts, b.Number("a"), b.Number("b"))
		}},
		"ProLIP": {prolip, func(b *Builder, images, texts Gaussians) *gorgonia.Node {
			return b.PairLoss(images, texts, b.Number("a"), b.Number("b"))
		}},
		"PFE": {pfe, func(b *Builder, images, texts Gaussians) *gorgonia.Node {
			return b.MutualLikelihood(images.Means, texts.Means, images.LogVariances, texts.LogVariances)
		}},
	} {
		got, _ := run(t, values, func(b *Builder) *gorgonia.Node { return l.build(b, gaussians(b, "i", n, d), gaussians(b, "t", n, d)) })
		if !close(got, l.want, 1e-12) {
			t.Errorf("%s: %.15g, want %.15g", name, got, l.want)
		}
	}
}

func TestContrastiveLossOfEqualPairsIsTheLogarithmOfTheBatch(t *testing.T) {
	for _, n := range []int{1, 4, 9} {
		got, derivatives := run(t, map[string][]float64{"ell": make([]float64, n*n), "tau": {2}}, func(b *Builder) *gorgonia.Node {
			return b.Contrastive(b.Input("ell", n, n), b.Number("tau"))
		})
		sum := 0.0
		for _, g := range derivatives["ell"] {
			sum += g
		}
		if !close(got, math.Log(float64(n)), 1e-14) || math.Abs(sum) > 1e-14 {
			t.Errorf("%d pairs: loss %.15g, sum of the derivatives %g", n, got, sum)
		}
	}
}

func TestLossAddsItsDerivativesAndKeepsAProgramForEverySize(t *testing.T) {
	builds := 0
	loss := NewLoss("all", []custom.Number{{Name: "tau", First: 1}, {Name: "unused", First: 2}}, func(b *Builder, in Inputs) *gorgonia.Node {
		builds++
		fit := b.Total(b.Product(in.Natural, in.Images))
		return b.Sum(b.Contrastive(in.LogLikelihoods, in.Numbers[0]), fit)
	})
	for _, pairs := range []int{4, 3, 4, 3} {
		batch := custom.NewBatch(pairs, 2, 2)
		for i := range pairs {
			copy(batch.Natural[i], normal(2, 1, uint64(i)))
			copy(batch.Images[i], normal(2, 1, uint64(i+9)))
			copy(batch.LogLikelihoods[i], normal(pairs, 1, uint64(i+20)))
		}
		batch.Numbers[0] = 1.5
		if err := custom.Check(loss, batch); err != nil {
			t.Fatal(err)
		}
		before := batch.DNatural[1][1]
		if _, err := loss.Differentiate(batch); err != nil {
			t.Fatal(err)
		}
		if batch.DNatural[1][1] != 2*before || before != batch.Images[1][1] || batch.DNumbers[1] != 0 {
			t.Errorf("%d pairs: derivatives %g after %g", pairs, batch.DNatural[1][1], before)
		}
	}
	if builds != 2 {
		t.Errorf("the graph was built %d times for two sizes", builds)
	}
	if _, err := loss.Differentiate(custom.NewBatch(0, 2, 2)); err == nil || !strings.Contains(err.Error(), "no pairs") {
		t.Errorf("error %v", err)
	}
}

// TestEveryLossCanBeDrawn checks that every drawing has one result that all other nodes lead to,
// and that labels contain a name and a shape without the sizes used for drawing.
func TestEveryLossCanBeDrawn(t *testing.T) {
	sides := func(b *Builder, n, d int) (images, texts Gaussians) {
		return gaussians(b, "i", n, d), gaussians(b, "t", n, d)
	}
	losses := map[string]func(b *Builder, n, d int) *gorgonia.Node{
		"siglip": func(b *Builder, n, d int) *gorgonia.Node {
			return b.PairSigmoid(b.Cosine(b.Input("η", n, d), b.Input("x", n, d)), b.Number("τ"), b.Number("b"))
		},
		"elip": func(b *Builder, n, d int) *gorgonia.Node { return b.Evidential(b.Input("ρ", n, n), 0.5) },
		"pcme++": func(b *Builder, n, d int) *gorgonia.Node {
			images, texts := sides(b, n, d)
			return b.MatchingProbability(images, texts, b.Number("a"), b.Number("b"))
		},
		"prolip": func(b *Builder, n, d int) *gorgonia.Node {
			images, texts := sides(b, n, d)
			return b.Sum(b.InclusionLoss(images, texts, 0, 10), b.Bottleneck(texts, false))
		},
		"network": func(b *Builder, n, d int) *gorgonia.Node {
			return b.Mean(b.Network(b.Input("text", n, d), "text", 8, d))
		},
	}
	for name, l := range likelihoods {
		losses[name] = func(b *Builder, n, d int) *gorgonia.Node {
			return b.Contrastive(l.build(b, b.Input("x", n, d), b.Input("η", n, d)), b.Number("τ"))
		}
	}
	for name, build := range losses {
		labels, edges, err := Draw(build)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		used := make([]bool, len(labels))
		for _, e := range edges {
			used[e[0]] = true
		}
		if i := slices.Index(used, false); i != len(labels)-1 {
			t.Errorf("%s: %q leads nowhere", name, labels[max(i, 0)])
		}
		for _, label := range labels {
			head, shape, found := strings.Cut(label, "\n")
			if !found || head == "" || shape == "" || strings.Contains(label, fmt.Sprint(drawnPairs)) || strings.Contains(label, fmt.Sprint(drawnDimension)) {
				t.Errorf("%s: label %q", name, label)
			}
		}
	}
}
