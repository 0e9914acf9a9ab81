package graph

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/sphere"
)

// TestConstantsOfOneNameAreOneConstant checks that constants with equal names and different values
// are errors, because gorgonia merges matrices with the same name and shape silently.
func TestConstantsOfOneNameAreOneConstant(t *testing.T) {
	for _, name := range []string{"1", "I", "y", "2", "1−I", "constant 1 2×2"} {
		weights := []float64{2, 3, 5, 7}
		got, _ := run(t, map[string][]float64{"x": {1, 1, 1, 1}}, func(b *Builder) *gorgonia.Node {
			x := b.Input("x", 2, 2)
			// Sums, diagonals and multiples use internal constants.
			rest := b.Sum(b.Total(b.Diagonal(x)), b.Total(b.Scaled(x, 2)))
			return b.Sum(rest, b.Total(b.Product(x, b.Constant(name, 2, 2, weights))))
		})
		if got != 2+8+17 {
			t.Errorf("a constant called %q gives %g, want 27", name, got)
		}
	}
	b := NewBuilder()
	first, again := b.Constant("w", 1, 2, []float64{1, 2}), b.Constant("w", 1, 2, []float64{1, 2})
	if first == nil || first != again || b.Constant("w", 2, 1, []float64{5, 6}) == nil || b.Err() != nil {
		t.Errorf("equal constants are %v and %v (error %v)", first, again, b.Err())
	}
	if b.Constant("w", 1, 2, []float64{1, 3}) != nil || b.Err() == nil || b.Err().Error() != "graph: two constants called w, value 1 is 2 and 3" {
		t.Errorf("error %v", b.Err())
	}
	b = NewBuilder()
	if b.Input("constant 1 2×2", 2, 2) != nil || b.Err() == nil || !strings.Contains(b.Err().Error(), "does not begin with") {
		t.Errorf("error %v", b.Err())
	}
}

func TestConstantsKeepTheirValues(t *testing.T) {
	weights := []float64{1, 10}
	b := NewBuilder()
	p, err := b.NewProgram(b.Total(b.Product(b.Input("x", 1, 2), b.Constant("w", 1, 2, weights))))
	if err != nil {
		t.Fatal(err)
	}
	weights[0] = 99
	given := []float64{3, 4}
	got, derivatives, err := p.Run(map[string][]float64{"x": given})
	if err != nil || got != 43 {
		t.Errorf("result %g (error %v)", got, err)
	}
	derivatives["x"][0], given[1] = -1, -1
	if got, derivatives, err = p.Run(map[string][]float64{"x": {3, 4}}); err != nil || got != 43 || derivatives["x"][0] != 1 {
		t.Errorf("result %g with the derivative %g after changes of other lists (error %v)", got, derivatives["x"][0], err)
	}
}

// TestNothingAfterAMistakePanics calls every method of the builder with nodes that are nil, of
// another graph and of a wrong shape, also after a first error: all return nil or a node, and the
// first error is kept.
func TestNothingAfterAMistakePanics(t *testing.T) {
	other := NewBuilder().Input("elsewhere", 2, 3)
	builder := reflect.TypeOf(&Builder{})
	for i := range builder.NumMethod() {
		method := builder.Method(i)
		if slices.Contains([]string{"Err", "Graph", "Drawing", "NewProgram"}, method.Name) {
			continue
		}
		for kind := range 4 {
			b := NewBuilder()
			node := [...]*gorgonia.Node{nil, other, b.Input("x", 2, 3), nil}[kind]
			if kind == 3 {
				b.fail("the first")
			}
			arguments := []reflect.Value{reflect.ValueOf(b)}
			for k := 1; k < method.Type.NumIn(); k++ {
				switch in := method.Type.In(k); {
				case in == reflect.TypeOf(node):
					arguments = append(arguments, reflect.ValueOf(node))
				case in == reflect.TypeOf(Gaussians{}):
					arguments = append(arguments, reflect.ValueOf(Gaussians{node, node}))
				default:
					arguments = append(arguments, reflect.Zero(in))
				}
			}
			call := method.Func.Call
			if method.Type.IsVariadic() {
				call = method.Func.CallSlice
			}
			call(arguments) // must not panic
			if kind == 3 && b.Err().Error() != "graph: the first" {
				t.Errorf("%s replaced the first mistake by %v", method.Name, b.Err())
			}
			if isName := method.Name == "Name" || method.Name == "Network" || method.Name == "Input" || method.Name == "Number" || method.Name == "Constant"; kind < 2 && b.Err() == nil && !isName {
				t.Errorf("%s of %v is no mistake", method.Name, node)
			}
		}
	}
}

func TestKinksHaveTheDerivativesThatTheyState(t *testing.T) {
	for name, c := range map[string]struct {
		build func(b *Builder, x *gorgonia.Node) *gorgonia.Node
		want  []float64 // at −1, 0, 1, 2
	}{
		"rectified": {(*Builder).Rectified, []float64{0, 0, 1, 1}},
		"magnitude": {(*Builder).Magnitude, []float64{-1, 0, 1, 1}},
		"clamped":   {func(b *Builder, x *gorgonia.Node) *gorgonia.Node { return b.Clamped(x, 0, 1) }, []float64{0, 1, 1, 0}},
		"below":     {func(b *Builder, x *gorgonia.Node) *gorgonia.Node { return b.Clamped(x, math.Inf(-1), 1) }, []float64{1, 1, 1, 0}},
	} {
		_, derivatives := run(t, map[string][]float64{"x": {-1, 0, 1, 2}}, func(b *Builder) *gorgonia.Node { return b.Total(c.build(b, b.Input("x", 1, 4))) })
		if !slices.Equal(derivatives["x"], c.want) {
			t.Errorf("%s: derivatives %v, want %v", name, derivatives["x"], c.want)
		}
	}
}

// TestExtremeArgumentsStayFinite tests κ from nearly 0 to 1e6, and temperatures and similarities
// whose exp overflows.
func TestExtremeArgumentsStayFinite(t *testing.T) {
	const n, d = 3, 5
	for name, build := range map[string]func(b *Builder, images, texts *gorgonia.Node) *gorgonia.Node{
		"vMF":             func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.VonMisesFisher(eta, x, false) },
		"exact":           func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.VonMisesFisher(eta, x, true) },
		"power spherical": func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.PowerSpherical(eta, x) },
		"cosine":          func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.Cosine(eta, x) },
		"symmetrised":     func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.Symmetrized(x, eta) },
		"mutual":          func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.Mutual(x, eta) },
	} {
		for _, kappa := range []float64{1e-9, 1e-3, 1, 1e3, 1e6} {
			for _, tau := range []float64{1e-3, 1, 1e3} {
				texts := unitRows(n, d, 7)
				for i := range texts {
					texts[i] *= kappa
				}
				loss, derivatives := run(t, map[string][]float64{"x": unitRows(n, d, 8), "eta": texts, "tau": {tau}}, func(b *Builder) *gorgonia.Node {
					return b.Contrastive(build(b, b.Input("x", n, d), b.Input("eta", n, d)), b.Number("tau"))
				})
				bad := loss < -1e-9 || loss-loss != 0
				for _, list := range derivatives {
					bad = bad || slices.ContainsFunc(list, func(v float64) bool { return v-v != 0 })
				}
				if bad {
					t.Errorf("%s, κ %g, τ %g: loss %g, derivatives %v", name, kappa, tau, loss, derivatives)
				}
			}
		}
	}
	// A zero text has no direction, but it has a von Mises–Fisher likelihood, the uniform one.
	loss, derivatives := run(t, map[string][]float64{"x": unitRows(2, d, 9), "eta": make([]float64, 2*d), "tau": {1}}, func(b *Builder) *gorgonia.Node {
		return b.Contrastive(b.VonMisesFisher(b.Input("eta", 2, d), b.Input("x", 2, d), false), b.Number("tau"))
	})
	if !close(loss, math.Ln2, 1e-15) || slices.ContainsFunc(derivatives["eta"], math.IsNaN) {
		t.Errorf("texts of length 0: loss %g, derivatives %v", loss, derivatives["eta"])
	}
}

func TestSmallDimensionsAreMistakes(t *testing.T) {
	for name, build := range map[string]func(b *Builder) *gorgonia.Node{
		"paper":           func(b *Builder) *gorgonia.Node { return b.PaperNormalizer(b.Number("k"), 1) },
		"exact":           func(b *Builder) *gorgonia.Node { return b.Normalizer(b.Number("k"), 0) },
		"power spherical": func(b *Builder) *gorgonia.Node { return b.PowerSphericalNormalizer(b.Number("k"), 1) },
		"vMF": func(b *Builder) *gorgonia.Node {
			return b.Total(b.VonMisesFisher(b.Input("e", 1, 1), b.Input("x", 1, 1), false))
		},
	} {
		b := NewBuilder()
		if _, err := b.NewProgram(build(b)); err == nil || !strings.Contains(err.Error(), "dimension") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// Densities exist in two and three dimensions.
	for _, d := range []int{2, 3} {
		n, err := sphere.NewPaperNormalizer(d)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := run(t, map[string][]float64{"k": {4}}, func(b *Builder) *gorgonia.Node { return b.PaperNormalizer(b.Number("k"), d) }); !close(got, n.LogNormalizerShifted(4), 1e-14) {
			t.Errorf("d = %d: F(4) is %g, want %g", d, got, n.LogNormalizerShifted(4))
		}
	}
}

// TestLossesFollowTurnsAndOrders checks that rotating images and texts together, or reordering the
// pairs, does not change the loss, and rotates or reorders its derivatives.
func TestLossesFollowTurnsAndOrders(t *testing.T) {
	const n, d = 4, 3
	sin, cos := math.Sincos(0.7)
	turn := func(values []float64) []float64 { // about two axes
		var turned []float64
		for _, v := range rowsOf(values, d) {
			x, y := cos*v[0]-sin*v[1], sin*v[0]+cos*v[1]
			turned = append(turned, x, cos*y-sin*v[2], sin*y+cos*v[2])
		}
		return turned
	}
	order := []int{2, 0, 3, 1}
	reorder := func(values []float64) []float64 {
		var result []float64
		for _, r := range order {
			result = append(result, values[r*d:(r+1)*d]...)
		}
		return result
	}
	for name, l := range likelihoods {
		b := NewBuilder()
		p, err := b.NewProgram(b.Contrastive(l.build(b, b.Input("x", n, d), b.Input("eta", n, d)), b.Number("tau")))
		if err != nil {
			t.Fatal(err)
		}
		images, texts := unitRows(n, d, 1), normal(n*d, 2, 2)
		loss, derivatives, err := p.Run(map[string][]float64{"x": images, "eta": texts, "tau": {1.2}})
		if err != nil {
			t.Fatal(err)
		}
		for what, change := range map[string]func([]float64) []float64{"turned": turn, "reordered": reorder} {
			other, changed, err := p.Run(map[string][]float64{"x": change(images), "eta": change(texts), "tau": {1.2}})
			if err != nil || !close(other, loss, 1e-12) || !close(changed["tau"][0], derivatives["tau"][0], 1e-11) {
				t.Errorf("%s %s: loss %.15g, want %.15g (error %v)", name, what, other, loss, err)
			}
			for i, want := range change(derivatives["eta"]) {
				if !close(changed["eta"][i], want, 1e-11) {
					t.Errorf("%s %s: derivative %d is %.15g, want %.15g", name, what, i, changed["eta"][i], want)
				}
			}
		}
	}
}

func TestProgramsGiveTheSameBitsWhateverRunsThem(t *testing.T) {
	const n, d = 6, 8
	values := map[string][]float64{"x": unitRows(n, d, 1), "eta": normal(n*d, 2, 2), "tau": {1.5}}
	build := func(b *Builder) *gorgonia.Node {
		return b.Contrastive(b.VonMisesFisher(b.Input("eta", n, d), b.Input("x", n, d), true), b.Number("tau"))
	}
	loss, derivatives := run(t, values, build)
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	for range 3 {
		again, other := run(t, values, build)
		if again != loss || !slices.Equal(other["eta"], derivatives["eta"]) || !slices.Equal(other["x"], derivatives["x"]) {
			t.Errorf("%.17g, and then %.17g", loss, again)
		}
	}
}

func TestDrawingsOfOddNamesEnd(t *testing.T) {
	b := NewBuilder()
	x, y := b.Input("x", 1, 1), b.Input("y", 1, 1)
	sum := b.Sum(b.Exp(x), y)
	b.Name(x, "") // hidden, with nothing to draw instead
	labels, edges, err := b.Drawing(sum, nil)
	if err != nil || len(labels) != 3 || len(edges) != 2 {
		t.Errorf("labels %q, edges %v (error %v)", labels, edges, err)
	}
	one, two := b.Log(y), b.Root(y)
	b.Name(one, "one", two)
	b.Name(two, "", one) // each noted as computed from the other
	if _, _, err := b.Drawing(one, nil); err != nil {
		t.Error(err)
	}
	if _, _, err := b.Drawing(nil, nil); err == nil {
		t.Error("a drawing of nothing is no error")
	}
	if labels, _, err := Draw(func(b *Builder, pairs, dimension int) *gorgonia.Node { return nil }); err == nil {
		t.Errorf("a function that builds nothing is drawn as %q", labels)
	}
}

func TestLossesTellWhatIsWrongWithThem(t *testing.T) {
	for want, loss := range map[string]*Loss{
		`graph: loss "taken": graph: two inputs called x`: NewLoss("taken", []custom.Number{{Name: "x", First: 1}}, func(b *Builder, in Inputs) *gorgonia.Node {
			return b.Total(in.LogLikelihoods)
		}),
		`graph: loss "many": graph: the result has the shape (3, 3), want a single number`: NewLoss("many", nil, func(b *Builder, in Inputs) *gorgonia.Node {
			return in.LogLikelihoods
		}),
		`graph: loss "none": graph: result of nothing`: NewLoss("none", nil, func(b *Builder, in Inputs) *gorgonia.Node { return nil }),
		`graph: loss "fixed": graph: the result depends on no input`: NewLoss("fixed", nil, func(b *Builder, in Inputs) *gorgonia.Node {
			return b.Constant("c", 1, 1, []float64{1})
		}),
	} {
		_, err := loss.Differentiate(custom.NewBatch(3, 2, len(loss.Numbers())))
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
		if again, second := loss.Differentiate(custom.NewBatch(3, 2, len(loss.Numbers()))); second == nil || again != 0 || errors.Is(second, nil) {
			t.Errorf("a second call gives %g (error %v)", again, second)
		}
	}
}

// TestFiguresOfOneNumberAreMatricesToo checks that scalars are matrices, and that repeating and
// summing are each other's derivatives.
func TestFiguresOfOneNumberAreMatricesToo(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {1, 5}, {4, 1}, {4, 5}} {
		for _, from := range [][2]int{{1, 1}, {1, shape[1]}, {shape[0], 1}, shape} {
			n, m := shape[0]*shape[1], from[0]*from[1]
			weights := normal(n, 1, 3)
			got, derivatives := run(t, map[string][]float64{"x": normal(m, 1, 4)}, func(b *Builder) *gorgonia.Node {
				return b.Total(b.Product(b.Repeated(b.Input("x", from[0], from[1]), shape[0], shape[1]), b.Constant("w", shape[0], shape[1], weights)))
			})
			want, sums := 0.0, make([]float64, m)
			for i := range n {
				at := i/shape[1]%from[0]*from[1] + i%shape[1]%from[1]
				want += weights[i] * normal(m, 1, 4)[at]
				sums[at] += weights[i]
			}
			if !close(got, want, 1e-14) {
				t.Errorf("%v to %v: %.15g, want %.15g", from, shape, got, want)
			}
			for i, sum := range sums {
				if !close(derivatives["x"][i], sum, 1e-14) {
					t.Errorf("%v to %v: derivative %d is %.15g, want %.15g", from, shape, i, derivatives["x"][i], sum)
				}
			}
		}
	}
}
