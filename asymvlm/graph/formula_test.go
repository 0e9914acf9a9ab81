package graph

import (
	"fmt"
	"math"
	"testing"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/special"
	"gosphere/asymvlm/sphere"
)

// rowsOf splits a list into rows.
func rowsOf(values []float64, width int) (rows [][]float64) {
	for from := 0; from < len(values); from += width {
		rows = append(rows, values[from:from+width])
	}
	return rows
}

// unitRows returns random unit rows.
func unitRows(n, width int, seed uint64) []float64 {
	values := normal(n*width, 1, seed)
	for _, row := range rowsOf(values, width) {
		length := math.Sqrt(dot(row, row))
		for j := range row {
			row[j] /= length
		}
	}
	return values
}

// softmaxes returns the derivative (P_row + P_col − 2I)/(2B) of InfoNCE for a matrix of logits, and
// the loss.
func softmaxes(logits [][]float64) (g [][]float64, loss float64) {
	n := len(logits)
	g = make([][]float64, n)
	for s := range g {
		g[s] = make([]float64, n)
	}
	for i := range n {
		row, column := make([]float64, n), make([]float64, n)
		for j := range n {
			row[j], column[j] = logits[i][j], logits[j][i]
		}
		ofRow, ofColumn := special.LogSumExp(row), special.LogSumExp(column)
		loss += (ofRow + ofColumn - 2*logits[i][i]) / float64(2*n)
		for j := range n {
			g[i][j] += math.Exp(row[j]-ofRow) / float64(2*n)
			g[j][i] += math.Exp(column[j]-ofColumn) / float64(2*n)
		}
		g[i][i] -= 1 / float64(n)
	}
	return g, loss
}

// A kernel is a log-likelihood with its derivative with respect to a text's η, both written out.
type kernel struct {
	build func(b *Builder, images, texts *gorgonia.Node) *gorgonia.Node
	value func(x, eta []float64) float64
	slope func(x, eta []float64) []float64
}

// kernels returns the likelihoods whose derivatives are known in closed form:
//
//	vMF   x + F′(κ)/κ η,  F′/κ = −½[1/(a+s₁) + 1/(a+s₂)], or −A(κ)/κ of the exact normalizer
//	PS    (log(1+c) + C′(κ)) μ + (κ/(1+c)) (x − cμ)/κ,  C′ = −log 2 − ψ(α) + ψ(α+β)
//	G     x + (−1 + d/(2κ)) μ
func kernels(t *testing.T, dimension int) map[string]kernel {
	t.Helper()
	normalizer, err := sphere.NewVonMisesFisherNormalizer(dimension)
	if err != nil {
		t.Fatal(err)
	}
	d := float64(dimension)
	paper := func(kappa float64) (value, phi float64) {
		a := (d - 1) / 2
		for _, c := range []float64{a, a + 1} {
			root := math.Sqrt(c*c + kappa*kappa)
			value += a/2*(math.Log(a+root)-math.Log(a+c)) - (root-c)/2
			phi -= 1 / (2 * (a + root))
		}
		return value, phi
	}
	powerSpherical := func(kappa float64) (value, slope float64) {
		beta := (d - 1) / 2
		gamma := func(x float64) float64 { value, _ := math.Lgamma(x); return value }
		value = -kappa*math.Ln2 - gamma(beta+kappa) + gamma(beta) + gamma(2*beta+kappa) - gamma(2*beta)
		return value, -math.Ln2 - special.Digamma(beta+kappa) + special.Digamma(2*beta+kappa)
	}
	along := func(x, eta []float64, factor, push float64) []float64 { // factor·x + push·η
		result := make([]float64, len(x))
		for j := range x {
			result[j] = factor*x[j] + push*eta[j]
		}
		return result
	}
	length := func(eta []float64) float64 { return math.Sqrt(dot(eta, eta)) }
	return map[string]kernel{
		"vMF": {func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.VonMisesFisher(eta, x, false) },
			func(x, eta []float64) float64 { f, _ := paper(length(eta)); return dot(x, eta) + f },
			func(x, eta []float64) []float64 { _, phi := paper(length(eta)); return along(x, eta, 1, phi) }},
		"exact vMF": {func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.VonMisesFisher(eta, x, true) },
			func(x, eta []float64) float64 { return dot(x, eta) + normalizer.LogNormalizerShifted(length(eta)) },
			func(x, eta []float64) []float64 {
				return along(x, eta, 1, -normalizer.MeanResultantLength(length(eta))/length(eta))
			}},
		"power spherical": {func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.PowerSpherical(eta, x) },
			func(x, eta []float64) float64 {
				kappa := length(eta)
				f, _ := powerSpherical(kappa)
				return kappa*math.Log1p(dot(x, eta)/kappa) + f
			},
			func(x, eta []float64) []float64 {
				kappa := length(eta)
				c := dot(x, eta) / kappa
				_, slope := powerSpherical(kappa)
				return along(x, eta, 1/(1+c), (math.Log1p(c)+slope-c/(1+c))/kappa)
			}},
		"Gaussian": {func(b *Builder, x, eta *gorgonia.Node) *gorgonia.Node { return b.Gaussian(eta, x) },
			func(x, eta []float64) float64 {
				return dot(x, eta) - length(eta) + d/2*math.Log(length(eta))
			},
			func(x, eta []float64) []float64 {
				kappa := length(eta)
				return along(x, eta, 1, (-1+d/(2*kappa))/kappa)
			}},
	}
}

// TestContrastiveDerivativesAreTheClosedForms compares the graph's derivatives with respect to η, τ
// and ℓ with those derived by hand, in several dimensions.
func TestContrastiveDerivativesAreTheClosedForms(t *testing.T) {
	const n, tau = 5, 1.7
	for _, dimension := range []int{2, 3, 8, 64, 512} {
		for name, k := range kernels(t, dimension) {
			images, texts := unitRows(n, dimension, 1), normal(n*dimension, 3/math.Sqrt(float64(dimension)), 2)
			xs, etas := rowsOf(images, dimension), rowsOf(texts, dimension)
			logits, ell := make([][]float64, n), make([][]float64, n)
			for s := range n {
				for r := range n {
					ell[s] = append(ell[s], k.value(xs[s], etas[r]))
					logits[s] = append(logits[s], tau*ell[s][r])
				}
			}
			g, want := softmaxes(logits)
			loss, derivatives := run(t, map[string][]float64{"x": images, "eta": texts, "tau": {tau}}, func(b *Builder) *gorgonia.Node {
				return b.Contrastive(k.build(b, b.Input("x", n, dimension), b.Input("eta", n, dimension)), b.Number("tau"))
			})
			if !close(loss, want, 1e-11) {
				t.Errorf("%s, d = %d: loss %.15g, want %.15g", name, dimension, loss, want)
			}
			ofTau, sum := 0.0, 0.0
			for r := range n {
				slope := make([]float64, dimension)
				for s := range n {
					ofTau, sum = ofTau+g[s][r]*ell[s][r], sum+g[s][r]
					for j, value := range k.slope(xs[s], etas[r]) {
						slope[j] += tau * g[s][r] * value
					}
				}
				for j, value := range slope {
					if got := derivatives["eta"][r*dimension+j]; math.Abs(got-value) > 1e-11 {
						t.Fatalf("%s, d = %d: derivative of text %d, coordinate %d is %.15g, want %.15g", name, dimension, r, j, got, value)
					}
				}
			}
			if math.Abs(derivatives["tau"][0]-ofTau) > 1e-11 || math.Abs(sum) > 1e-14 {
				t.Errorf("%s, d = %d: derivative of τ %.15g, want %.15g; those of Λ sum to %g", name, dimension, derivatives["tau"][0], ofTau, sum)
			}
		}
	}
}

// TestSigmoidLossHasTheClosedForm checks g = −y σ(−h)/B with h = y(τℓ + b), dτ = Σgℓ, db = Σg.
func TestSigmoidLossHasTheClosedForm(t *testing.T) {
	const n, tau, bias = 4, 1.3, -2.5
	ell := normal(n*n, 3, 4)
	loss, derivatives := run(t, map[string][]float64{"ell": ell, "tau": {tau}, "bias": {bias}}, func(b *Builder) *gorgonia.Node {
		return b.PairSigmoid(b.Input("ell", n, n), b.Number("tau"), b.Number("bias"))
	})
	want, ofTau, ofBias := 0.0, 0.0, 0.0
	for i, value := range ell {
		y := -1.0
		if i%n == i/n {
			y = 1
		}
		h := y * (tau*value + bias)
		g := -y * special.Sigmoid(-h) / n
		want, ofTau, ofBias = want-special.LogSigmoid(h)/n, ofTau+g*value, ofBias+g
		if !close(derivatives["ell"][i], tau*g, 1e-13) {
			t.Errorf("derivative %d is %g, want %g", i, derivatives["ell"][i], tau*g)
		}
	}
	if !close(loss, want, 1e-14) || !close(derivatives["tau"][0], ofTau, 1e-13) || !close(derivatives["bias"][0], ofBias, 1e-13) {
		t.Errorf("%g, %g, %g, want %g, %g, %g", loss, derivatives["tau"][0], derivatives["bias"][0], want, ofTau, ofBias)
	}
}

// TestSymmetrizedHasTheClosedForm checks SymVLM's derivative with respect to a text,
//
//	(τ/2) { [Σ g c + G F′(κ)] μ + Σ g ((κ_s+κ_r)/κ_r)(μ_s − cμ) },  G = Σ_s g_sr
func TestSymmetrizedHasTheClosedForm(t *testing.T) {
	const n, d, tau = 4, 6, 0.9
	images, texts := normal(n*d, 1.5, 5), normal(n*d, 1.5, 6)
	paper, err := sphere.NewPaperNormalizer(d)
	if err != nil {
		t.Fatal(err)
	}
	length := func(v []float64) float64 { return math.Sqrt(dot(v, v)) }
	is, ts := rowsOf(images, d), rowsOf(texts, d)
	logits := make([][]float64, n)
	for s := range n {
		for r := range n {
			ki, kt := length(is[s]), length(ts[r])
			c := dot(is[s], ts[r]) / (ki * kt)
			logits[s] = append(logits[s], tau*((ki+kt)*c+paper.LogNormalizerShifted(ki)+paper.LogNormalizerShifted(kt))/2)
		}
	}
	g, want := softmaxes(logits)
	loss, derivatives := run(t, map[string][]float64{"i": images, "t": texts, "tau": {tau}}, func(b *Builder) *gorgonia.Node {
		return b.Contrastive(b.Symmetrized(b.Input("i", n, d), b.Input("t", n, d)), b.Number("tau"))
	})
	if !close(loss, want, 1e-13) {
		t.Errorf("loss %.15g, want %.15g", loss, want)
	}
	for r := range n {
		kt := length(ts[r])
		for j := range d {
			slope := 0.0
			for s := range n {
				ki := length(is[s])
				c, mu := dot(is[s], ts[r])/(ki*kt), ts[r][j]/kt
				slope += tau / 2 * g[s][r] * ((c+paper.Derivative(kt))*mu + (ki+kt)/kt*(is[s][j]/ki-c*mu))
			}
			if got := derivatives["t"][r*d+j]; math.Abs(got-slope) > 1e-12 {
				t.Errorf("text %d, coordinate %d: %.15g, want %.15g", r, j, got, slope)
			}
		}
	}
}

// TestMutualLikelihoodIsTheIntegralOfBothDensities compares on the circle with a sum over angles.
func TestMutualLikelihoodIsTheIntegralOfBothDensities(t *testing.T) {
	for _, c := range [][2][]float64{{{1, 0}, {0.5, 2}}, {{3, -4}, {-3, 4.5}}, {{0.1, 0}, {7, 7}}} {
		got, _ := run(t, map[string][]float64{"i": c[0], "t": c[1]}, func(b *Builder) *gorgonia.Node {
			return b.Total(b.Mutual(b.Input("i", 1, 2), b.Input("t", 1, 2)))
		})
		const points = 4000
		// log ∫ p_I p_T minus its value for two uniform densities.
		sum, one, two := 0.0, 0.0, 0.0
		for i := range points {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / points)
			a, b := c[0][0]*cos+c[0][1]*sin, c[1][0]*cos+c[1][1]*sin
			sum, one, two = sum+math.Exp(a+b)/points, one+math.Exp(a)/points, two+math.Exp(b)/points
		}
		if want := math.Log(sum) - math.Log(one) - math.Log(two); !close(got, want, 1e-12) {
			t.Errorf("%v: %.15g, integral %.15g", c, got, want)
		}
	}
}

// TestGaussianLossesAgreeWithTheirPackage compares values and derivatives, for both forms of the
// bottleneck.
func TestGaussianLossesAgreeWithTheirPackage(t *testing.T) {
	const n, d, eps, sharpness = 3, 4, -0.7, 5
	one := gaussian.Diagonal{Mean: normal(n*d, 1, 1), LogVariance: normal(n*d, 1, 2)}
	two := gaussian.Diagonal{Mean: normal(n*d, 1, 3), LogVariance: normal(n*d, 1, 4)}
	values := map[string][]float64{"1 mean": one.Mean, "1 log variance": one.LogVariance, "2 mean": two.Mean, "2 log variance": two.LogVariance}
	same := func(what string, got map[string][]float64, want map[string][]float64) {
		t.Helper()
		for name, list := range want {
			for i, value := range list {
				if !close(got[name][i], value, 1e-11) {
					t.Errorf("%s: derivative of %s %d is %.15g, want %.15g", what, name, i, got[name][i], value)
				}
			}
		}
	}
	for _, form := range []gaussian.Form{gaussian.Exact, gaussian.Official} {
		want, err := gaussian.Inclusion{Form: form, Eps: eps}.Loss(one, two, sharpness)
		if err != nil {
			t.Fatal(err)
		}
		got, derivatives := run(t, values, func(b *Builder) *gorgonia.Node {
			build := b.InclusionLoss
			if form == gaussian.Official {
				build = b.OfficialInclusionLoss
			}
			return build(gaussians(b, "1", n, d), gaussians(b, "2", n, d), eps, sharpness)
		})
		if !close(got, want.Loss, 1e-12) {
			t.Errorf("%v inclusion loss %.15g, want %.15g", form, got, want.Loss)
		}
		same(fmt.Sprint(form, " inclusion loss"), derivatives, map[string][]float64{"1 mean": want.One.Mean, "1 log variance": want.One.LogVariance,
			"2 mean": want.Two.Mean, "2 log variance": want.Two.LogVariance})
	}
	for _, form := range []gaussian.Form{gaussian.Exact, gaussian.Official} {
		loss, gradient, err := gaussian.Bottleneck(form, one)
		if err != nil {
			t.Fatal(err)
		}
		got, derivatives := run(t, values, func(b *Builder) *gorgonia.Node {
			return b.Bottleneck(gaussians(b, "1", n, d), form == gaussian.Official)
		})
		if !close(got, loss, 1e-13) {
			t.Errorf("%v bottleneck %.15g, want %.15g", form, got, loss)
		}
		same("bottleneck", derivatives, map[string][]float64{"1 mean": gradient.Mean, "1 log variance": gradient.LogVariance})
	}
}

// TestPairLossesHaveTheClosedForms tests PCME++ and ProLIP for the log variances: dl = −a e^l Σ q
// for q = 2(σ(logit) − Y)/B², and dl = −(a/2) e^l Σ q for q = −y σ(−y logit)/B.
func TestPairLossesHaveTheClosedForms(t *testing.T) {
	const n, d, a, c = 3, 4, 1.4, 0.3
	values := map[string][]float64{"i mean": unitRows(n, d, 1), "i log variance": normal(n*d, 0.4, 2), "t mean": unitRows(n, d, 3),
		"t log variance": normal(n*d, 0.4, 4), "a": {a}, "b": {c}}
	row := func(name string, r int) []float64 { return values[name][r*d : (r+1)*d] }
	trace := func(r []float64) (sum float64) {
		for _, l := range r {
			sum += math.Exp(l)
		}
		return sum
	}
	for name, l := range map[string]struct {
		build  func(b *Builder, images, texts Gaussians) *gorgonia.Node
		q      func(s, r int) float64
		weight float64
	}{
		"PCME++": {func(b *Builder, images, texts Gaussians) *gorgonia.Node {
			return b.MatchingProbability(images, texts, b.Number("a"), b.Number("b"))
		}, func(s, r int) float64 {
			csd := trace(row("i log variance", s)) + trace(row("t log variance", r)) + 2 - 2*dot(row("i mean", s), row("t mean", r))
			q := special.Sigmoid(c - a*csd)
			if s == r {
				q--
			}
			return 2 * q / (n * n)
		}, -a},
		"ProLIP": {func(b *Builder, images, texts Gaussians) *gorgonia.Node {
			return b.PairLoss(images, texts, b.Number("a"), b.Number("b"))
		}, func(s, r int) float64 {
			y := -1.0
			if s == r {
				y = 1
			}
			traces := trace(row("i log variance", s)) + trace(row("t log variance", r))
			return -y * special.Sigmoid(-y*(a*(dot(row("i mean", s), row("t mean", r))-traces/2)+c)) / n
		}, -a / 2},
	} {
		_, derivatives := run(t, values, func(b *Builder) *gorgonia.Node { return l.build(b, gaussians(b, "i", n, d), gaussians(b, "t", n, d)) })
		bias := 0.0
		for s := range n {
			sum := 0.0
			for r := range n {
				sum += l.q(s, r)
			}
			bias += sum
			for j, value := range row("i log variance", s) {
				if got, want := derivatives["i log variance"][s*d+j], l.weight*math.Exp(value)*sum; !close(got, want, 1e-12) {
					t.Errorf("%s: derivative of log variance %d of image %d is %.15g, want %.15g", name, j, s, got, want)
				}
			}
		}
		if !close(derivatives["b"][0], bias, 1e-12) {
			t.Errorf("%s: derivative of the bias %.15g, want %.15g", name, derivatives["b"][0], bias)
		}
	}
}
