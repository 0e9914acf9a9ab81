package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/evidence"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/special"
	"gosphere/asymvlm/sphere"
)

// normal returns random normal values, made positive if the scale is negative.
func normal(n int, scale float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Abs(scale) * r.NormFloat64()
		if scale < 0 {
			values[i] = 0.2 + math.Abs(values[i])
		}
	}
	return values
}

// differences compares a program's derivatives with central differences.
func differences(t *testing.T, what string, p *Program, values map[string][]float64) {
	t.Helper()
	_, derivatives, err := p.Run(values)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for name, list := range derivatives {
		for i, derivative := range list {
			const h = 1e-5
			at := func(shift float64) float64 {
				kept := values[name][i]
				values[name][i] += shift
				result, _, err := p.Run(values)
				values[name][i] = kept
				if err != nil {
					t.Fatal(err)
				}
				return result
			}
			if difference := (at(h) - at(-h)) / (2 * h); math.Abs(difference-derivative) > 1e-6*(1+math.Abs(derivative)) {
				t.Errorf("%s: derivative with respect to %s %d is %g, difference %g", what, name, i, derivative, difference)
			}
		}
	}
}

// single lists the functions of one matrix, with the sign of their arguments and independent
// computations of their values.
var single = map[string]struct {
	build func(b *Builder, x *gorgonia.Node) *gorgonia.Node
	scale float64
	value func(x float64) float64
}{
	"exp": {(*Builder).Exp, 1, math.Exp}, "log": {(*Builder).Log, -1, math.Log}, "root": {(*Builder).Root, -1, math.Sqrt},
	"square":  {(*Builder).Square, 1, func(x float64) float64 { return x * x }},
	"inverse": {(*Builder).Inverse, -1, func(x float64) float64 { return 1 / x }},
	"log1p":   {(*Builder).Log1p, -1, math.Log1p}, "softplus": {(*Builder).Softplus, 9, special.Softplus},
	"sigmoid": {(*Builder).Sigmoid, 9, special.Sigmoid}, "log sigmoid": {(*Builder).LogSigmoid, 9, special.LogSigmoid},
	"log gamma": {(*Builder).LogGamma, -3, func(x float64) float64 { v, _ := math.Lgamma(x); return v }},
	"digamma":   {(*Builder).Digamma, -3, special.Digamma}, "magnitude": {(*Builder).Magnitude, 1, math.Abs},
	"negative":  {(*Builder).Negative, 1, func(x float64) float64 { return -x }},
	"rectified": {(*Builder).Rectified, 1, func(x float64) float64 { return max(x, 0) }},
	"clamped": {func(b *Builder, x *gorgonia.Node) *gorgonia.Node { return b.Clamped(x, -0.5, 0.8) }, 1,
		func(x float64) float64 { return min(max(x, -0.5), 0.8) }},
	"scaled": {func(b *Builder, x *gorgonia.Node) *gorgonia.Node { return b.PlusConstant(b.Scaled(x, 3), 2) }, 1,
		func(x float64) float64 { return 3*x + 2 }},
	"mixed": {func(b *Builder, x *gorgonia.Node) *gorgonia.Node { return gorgonia.Must(gorgonia.Tanh(x)) }, 1, math.Tanh},
}

func TestFunctionsOfSingleValuesHaveTheirValuesAndDerivatives(t *testing.T) {
	for name, f := range single {
		for _, shape := range [][2]int{{1, 1}, {1, 4}, {3, 1}, {3, 4}} {
			n := shape[0] * shape[1]
			b := NewBuilder()
			x := b.Input("x", shape[0], shape[1])
			weights := normal(n, 1, 7)
			p, err := b.NewProgram(b.Total(b.Product(f.build(b, x), b.Constant("w", shape[0], shape[1], weights))))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			values := normal(n, f.scale, 3)
			want := 0.0
			for i, value := range values {
				want += weights[i] * f.value(value)
			}
			got, _, err := p.Run(map[string][]float64{"x": values})
			if err != nil || math.Abs(got-want) > 1e-13*(1+math.Abs(want)) {
				t.Errorf("%s %v: %.15g, want %.15g (error %v)", name, shape, got, want, err)
			}
			differences(t, fmt.Sprint(name, shape), p, map[string][]float64{"x": values})
		}
	}
}

// likelihoods lists the matrices ℓ with independent computations of one of their values.
var likelihoods = map[string]struct {
	build func(b *Builder, images, texts *gorgonia.Node) *gorgonia.Node
	value func(image, text []float64) (float64, error)
}{
	"vmf": {func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.VonMisesFisher(eta, x, false) },
		func(x, eta []float64) (float64, error) {
			n, err := sphere.NewPaperNormalizer(len(x))
			return dot(x, eta) + n.LogNormalizerShifted(math.Sqrt(dot(eta, eta))), err
		}},
	"exact": {func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.VonMisesFisher(eta, x, true) },
		func(x, eta []float64) (float64, error) {
			v, err := sphere.VonMisesFisherFromNatural(eta, nil)
			n, _ := sphere.NewVonMisesFisherNormalizer(len(x))
			return v.LogProb(x) - n.LogNormalizerAtZero(), err
		}},
	"power spherical": {func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.PowerSpherical(eta, x) },
		func(x, eta []float64) (float64, error) {
			p, err := sphere.PowerSphericalFromNatural(eta, nil)
			n, _ := sphere.NewPowerSphericalNormalizer(len(x))
			return p.LogProb(x) - n.LogNormalizerAtZero(), err
		}},
	"gaussian": {func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.Gaussian(eta, x) },
		func(x, eta []float64) (float64, error) {
			kappa := math.Sqrt(dot(eta, eta))
			return sphere.GaussianLogLikelihood(len(x), kappa, dot(x, eta)/kappa) + float64(len(x))/2*math.Log(2*math.Pi), nil
		}},
	"mutual": {func(b *Builder, images, texts *gorgonia.Node) *gorgonia.Node { return b.Mutual(images, texts) },
		func(x, eta []float64) (float64, error) {
			one, err := sphere.VonMisesFisherFromNatural(x, nil)
			two, _ := sphere.VonMisesFisherFromNatural(eta, nil)
			n, _ := sphere.NewVonMisesFisherNormalizer(len(x))
			return one.LogInnerProduct(two) - n.LogNormalizerAtZero(), err
		}},
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, value := range a {
		sum += value * b[i]
	}
	return sum
}

func TestLikelihoodsAreThoseOfTheDistributions(t *testing.T) {
	const d, n = 6, 3
	for name, l := range likelihoods {
		texts, images := normal(n*d, 2, 1), normal(n*d, 1, 2)
		for i := range n {
			row := images[i*d : (i+1)*d]
			length := math.Sqrt(dot(row, row))
			for j := range row {
				row[j] /= length
			}
		}
		for s := range n {
			for r := range n {
				b := NewBuilder()
				ell := l.build(b, b.Input("x", n, d), b.Input("eta", n, d))
				pick := make([]float64, n*n)
				pick[s*n+r] = 1
				p, err := b.NewProgram(b.Total(b.Product(ell, b.Constant("pick", n, n, pick))))
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := p.Run(map[string][]float64{"x": images, "eta": texts})
				if err != nil {
					t.Fatal(err)
				}
				want, err := l.value(images[s*d:(s+1)*d], texts[r*d:(r+1)*d])
				if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("%s: image %d, text %d: %.15g, want %.15g (error %v)", name, s, r, got, want, err)
				}
			}
		}
	}
}

func TestLossesHaveTheirDerivatives(t *testing.T) {
	const d = 4
	for _, n := range []int{1, 2, 4} {
		losses := map[string]func(b *Builder) *gorgonia.Node{
			"siglip": func(b *Builder) *gorgonia.Node {
				return b.PairSigmoid(b.Input("ell", n, n), b.Number("tau"), b.Number("bias"))
			},
			"evidential": func(b *Builder) *gorgonia.Node { return b.Evidential(b.Input("rho", n+1, n+1), 0.4) },
			"pfe": func(b *Builder) *gorgonia.Node {
				return b.MutualLikelihood(b.Input("i", n, d), b.Input("t", n, d), b.Input("ri", n, d), b.Input("rt", n, d))
			},
			"pcme++": func(b *Builder) *gorgonia.Node {
				return b.MatchingProbability(gaussians(b, "i", n, d), gaussians(b, "t", n, d), b.Number("a"), b.Number("b"))
			},
			"prolip": func(b *Builder) *gorgonia.Node {
				images, texts := gaussians(b, "i", n, d), gaussians(b, "t", n, d)
				loss := b.Sum(b.PairLoss(images, texts, b.Number("a"), b.Number("b")), b.InclusionLoss(images, texts, -0.5, 2))
				return b.Sum(loss, b.Sum(b.Bottleneck(images, false), b.Bottleneck(texts, true)))
			},
			"probvlm": func(b *Builder) *gorgonia.Node {
				return b.Reconstruction(b.Input("mu", n, d), b.Input("q", n, d), b.Input("beta", n, d), b.Input("y", n, d), true)
			},
		}
		for name, l := range likelihoods {
			losses[name] = func(b *Builder) *gorgonia.Node {
				return b.Contrastive(l.build(b, b.Input("x", n, d), b.Input("eta", n, d)), b.Number("tau"))
			}
		}
		for name, build := range losses {
			b := NewBuilder()
			p, err := b.NewProgram(build(b))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			values := map[string][]float64{}
			for i, input := range b.inputs {
				values[input.Name()] = normal(input.Shape().TotalSize(), 1, uint64(i+1))
			}
			if x := values["x"]; name == "power spherical" {
				for i := range x { // cosines from −1 to 1
					x[i] /= 2 * math.Sqrt(dot(x, x))
				}
			}
			differences(t, fmt.Sprint(name, n), p, values)
		}
	}
}

func gaussians(b *Builder, name string, n, d int) Gaussians {
	return Gaussians{b.Input(name+" mean", n, d), b.Input(name+" log variance", n, d)}
}

// TestMeasuresAgreeWithTheirPackages compares with the formulas of packages evidence and gaussian.
func TestMeasuresAgreeWithTheirPackages(t *testing.T) {
	const n, d = 4, 3
	b := NewBuilder()
	p, err := b.NewProgram(b.Evidential(b.Input("rho", n, n), 0.7))
	if err != nil {
		t.Fatal(err)
	}
	rho := normal(n*n, 2, 5)
	want, err := evidence.Loss(rho, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	got, derivatives, err := p.Run(map[string][]float64{"rho": rho})
	if err != nil || math.Abs(got-want.Loss) > 1e-12 {
		t.Errorf("evidential loss %.15g, want %.15g (error %v)", got, want.Loss, err)
	}
	for i, g := range want.Gradient {
		if math.Abs(derivatives["rho"][i]-g) > 1e-11 {
			t.Errorf("derivative %d is %.15g, want %.15g", i, derivatives["rho"][i], g)
		}
	}
	one := gaussian.Diagonal{Mean: normal(d, 1, 1), LogVariance: normal(d, 1, 2)}
	two := gaussian.Diagonal{Mean: normal(d, 1, 3), LogVariance: normal(d, 1, 4)}
	for name, c := range map[string]struct {
		build func(b *Builder, one, two Gaussians) *gorgonia.Node
		want  float64
	}{
		"CSD": {func(b *Builder, one, two Gaussians) *gorgonia.Node { return b.CSD(one, two) }, gaussian.CSD(one, two)},
		"H": {func(b *Builder, one, two Gaussians) *gorgonia.Node {
			return b.Total(b.Difference(b.Inclusion(one, two, 0.3), b.Inclusion(two, one, 0.3)))
		}, gaussian.Inclusion{Eps: 0.3}.Compare(one, two)},
	} {
		b := NewBuilder()
		p, err := b.NewProgram(c.build(b, gaussians(b, "1", 1, d), gaussians(b, "2", 1, d)))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := p.Run(map[string][]float64{"1 mean": one.Mean, "1 log variance": one.LogVariance, "2 mean": two.Mean, "2 log variance": two.LogVariance})
		if err != nil || math.Abs(got-c.want) > 1e-12*(1+math.Abs(c.want)) {
			t.Errorf("%s: %.15g, want %.15g (error %v)", name, got, c.want, err)
		}
	}
}

func TestLogSumExpStaysFiniteWhereTheNaiveOneDoesNot(t *testing.T) {
	values := []float64{1000, 999, -1e4, -2000, -2001, -1999}
	b := NewBuilder()
	x := b.Input("x", 2, 3)
	p, err := b.NewProgram(b.Total(b.LogSumExpRows(x)))
	if err != nil {
		t.Fatal(err)
	}
	got, derivatives, err := p.Run(map[string][]float64{"x": values})
	want := special.LogSumExp(values[:3]) + special.LogSumExp(values[3:])
	if err != nil || math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("log-sum-exp %.15g, want %.15g (error %v)", got, want, err)
	}
	share := 1 / (1 + math.Exp(-1))
	if d := derivatives["x"]; math.Abs(d[0]-share) > 1e-15 || d[2] != 0 || math.Abs(d[3]+d[4]+d[5]-1) > 1e-15 {
		t.Errorf("derivatives %v", d)
	}
	naive := NewBuilder()
	y := naive.Input("x", 2, 3)
	p, err = naive.NewProgram(naive.Total(naive.Log(naive.RowSums(naive.Exp(y)))))
	if err != nil {
		t.Fatal(err)
	}
	if _, derivatives, err := p.Run(map[string][]float64{"x": values}); err == nil && !math.IsNaN(derivatives["x"][0]) {
		t.Errorf("the naive form has the derivative %g, so this package is not needed for it", derivatives["x"][0])
	}
	// Gorgonia's own function fails on matrices. If this changes, ours can be removed.
	if _, err := gorgonia.LogSumExp(NewBuilder().Input("x", 2, 3), 1); err == nil {
		t.Error("gorgonia's own log-sum-exp works on matrices now")
	}
}

func TestProgramsRunOftenWithOtherValues(t *testing.T) {
	b := NewBuilder()
	p, err := b.NewProgram(b.Total(b.Square(b.Input("x", 1, 2))))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		x := float64(i)
		got, derivatives, err := p.Run(map[string][]float64{"x": {x, 1}})
		if err != nil || got != x*x+1 || !slices.Equal(derivatives["x"], []float64{2 * x, 2}) {
			t.Fatalf("run %d: %g, %v (error %v)", i, got, derivatives, err)
		}
	}
}

func TestMistakesAreTold(t *testing.T) {
	other := NewBuilder().Input("z", 2, 2)
	cases := map[string]func(b *Builder) *gorgonia.Node{
		"sum of (2, 2) and (2, 3)":            func(b *Builder) *gorgonia.Node { return b.Sum(b.Input("x", 2, 2), b.Input("y", 2, 3)) },
		"matrix product of (2, 2) and (3, 1)": func(b *Builder) *gorgonia.Node { return b.Times(b.Input("x", 2, 2), b.Input("y", 3, 1)) },
		"belongs to another graph":            func(b *Builder) *gorgonia.Node { return b.Exp(other) },
		"two inputs called x":                 func(b *Builder) *gorgonia.Node { return b.Sum(b.Input("x", 1, 1), b.Input("x", 1, 1)) },
		"input x of 0×2":                      func(b *Builder) *gorgonia.Node { return b.Input("x", 0, 2) },
		"has 3 values":                        func(b *Builder) *gorgonia.Node { return b.Constant("c", 2, 2, make([]float64, 3)) },
		"diagonal of (2, 3)":                  func(b *Builder) *gorgonia.Node { return b.Diagonal(b.Input("x", 2, 3)) },
		"repetition of (2, 1) to 3×3":         func(b *Builder) *gorgonia.Node { return b.Repeated(b.Input("x", 2, 1), 3, 3) },
		"want a single number":                func(b *Builder) *gorgonia.Node { return b.Exp(b.Input("x", 2, 2)) },
		"depends on no input":                 func(b *Builder) *gorgonia.Node { return b.Exp(b.Constant("c", 1, 1, []float64{1})) },
		"result of nothing":                   func(b *Builder) *gorgonia.Node { return nil },
		"sigmoid loss of (2, 3)": func(b *Builder) *gorgonia.Node {
			return b.PairSigmoid(b.Input("x", 2, 3), b.Number("tau"), b.Number("bias"))
		},
	}
	for want, build := range cases {
		b := NewBuilder()
		if _, err := b.NewProgram(build(b)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	b := NewBuilder()
	p, err := b.NewProgram(b.Total(b.Input("x", 2, 2)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Run(map[string][]float64{"x": {1}}); err == nil || !strings.Contains(err.Error(), "input x has 1 values") {
		t.Errorf("error %v", err)
	}
}

func TestDrawingsShowFormulasAndNoConstants(t *testing.T) {
	labels, edges, err := Draw(func(b *Builder, pairs, dimension int) *gorgonia.Node {
		ell := b.VonMisesFisher(b.Input("η", pairs, dimension), b.Input("x", pairs, dimension), false)
		return b.Contrastive(ell, b.Number("τ"))
	})
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for i, label := range labels {
		place[label] = i
	}
	for _, e := range [][2]string{
		{"η\nB × D", "inner products\nB × B"}, {"x\nB × D", "inner products\nB × B"}, {"η\nB × D", "κ² = |η|²\nB × 1"},
		{"κ² = |η|²\nB × 1", "F(κ)\nB × 1"}, {"F(κ)\nB × 1", "ℓ = η·x + F(κ)\nB × B"}, {"τ\nnumber", "Λ = τℓ\nB × B"},
		{"Λ = τℓ\nB × B", "log Σ exp over columns\n1 × B"}, {"mean\nnumber", "InfoNCE\nnumber"},
	} {
		from, known := place[e[0]]
		to, alsoKnown := place[e[1]]
		if !known || !alsoKnown || !slices.ContainsFunc(edges, func(x [2]int) bool {
			return x[1] == to && (x[0] == from || labels[x[0]] == e[0])
		}) {
			t.Errorf("no edge from %q to %q among %q", e[0], e[1], labels)
		}
	}
	if len(labels) != 15 {
		t.Errorf("%d nodes, want 15: %q", len(labels), labels)
	}
	for _, e := range edges {
		if e[0] >= e[1] {
			t.Errorf("edge %v goes up", e)
		}
	}
}

func TestOwnLossIsDrawnWithTheNamesItGives(t *testing.T) {
	loss := NewLoss("own", []custom.Number{{Name: "tau", First: 1}}, func(b *Builder, in Inputs) *gorgonia.Node {
		squares := gorgonia.Must(gorgonia.Square(in.LogLikelihoods)) // one of gorgonia's own functions
		b.Name(squares, "ℓ²")
		return b.Mean(b.Product(squares, b.RepeatedLike(in.Numbers[0], squares)))
	})
	labels, edges := loss.Drawing()
	if want := []string{"ℓ\nB × B", "ℓ²\nB × B", "tau\nnumber", "product\nB × B", "mean\nnumber"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	if len(edges) != 4 {
		t.Errorf("edges %v", edges)
	}
	wrong := NewLoss("wrong", nil, func(b *Builder, in Inputs) *gorgonia.Node { return b.Sum(in.Natural, in.LogLikelihoods) })
	if labels, _ := wrong.Drawing(); len(labels) != 1 || !strings.Contains(labels[0], "want equal shapes") {
		t.Errorf("a mistake is drawn as %q", labels)
	}
}
