package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
)

// Independent implementations of this package's losses and scores by their formulas: number by
// number, in float64, without the tested code. They use the printed forms, not the stable ones.

// A plain holds a learner's parameters by name.
type plain map[string]parameter[float64]

func plainOf(l *learner[float64]) plain {
	p := plain{}
	for _, parameter := range l.Parameters() {
		p[parameter.Name] = parameter
	}
	return p
}

// number returns the value of a scalar parameter.
func (p plain) number(name string) float64 { return p[name].Values[0] }

// linear returns W x + b.
func (p plain) linear(name string, x []float64) []float64 {
	weight, bias := p[name+".weight"], p[name+".bias"]
	y := make([]float64, weight.Shape[0])
	for i := range y {
		y[i] = bias.Values[i]
		for j, value := range x {
			y[i] += weight.Values[i*weight.Shape[1]+j] * value
		}
	}
	return y
}

// network applies named layers with rectifiers between them.
func (p plain) network(x []float64, names ...string) []float64 {
	for i, name := range names {
		if i > 0 {
			x = rectified(x)
		}
		x = p.linear(name, x)
	}
	return x
}

// mlp applies the layers prefix.0, prefix.2, and so on.
func (p plain) mlp(prefix string, layers int, x []float64) []float64 {
	var names []string
	for i := range layers {
		names = append(names, fmt.Sprintf("%s.%d", prefix, 2*i))
	}
	return p.network(x, names...)
}

func rectified(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, value := range x {
		y[i] = math.Max(value, 0)
	}
	return y
}

func unitOf(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, value := range x {
		y[i] = value / norm(x)
	}
	return y
}

func plus(x, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range x {
		z[i] = x[i] + y[i]
	}
	return z
}

func softplus(x float64) float64 { return math.Log(1 + math.Exp(x)) }

func sigmoidOf(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// paperF is the printed antiderivative minus its value at 0.
func paperF(d, kappa float64) float64 {
	f := func(k float64) float64 {
		a := (d - 1) / 2
		s1, s2 := math.Hypot((d-1)/2, k), math.Hypot((d+1)/2, k)
		return a/2*math.Log(a+s1) - s1/2 + a/2*math.Log(a+s2) - s2/2
	}
	return f(kappa) - f(0)
}

// exactLogC is log C(κ) − log C(0) by the power series of the Bessel function: −log Σ (κ²/4)ᵏ/(k!
// (d/2)ₖ).
func exactLogC(d, kappa float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k < 400; k++ {
		term *= kappa * kappa / 4 / (k * (d/2 + k - 1))
		sum += term
	}
	return -math.Log(sum)
}

// powerLogC is the printed normalizer of the power spherical distribution minus its value at 0.
func powerLogC(d, kappa float64) float64 {
	f := func(k float64) float64 {
		alpha, beta := (d-1)/2+k, (d-1)/2
		first, _ := math.Lgamma(alpha)
		second, _ := math.Lgamma(alpha + beta)
		return -((alpha+beta)*math.Ln2 + beta*math.Log(math.Pi) + first - second)
	}
	return f(kappa) - f(0)
}

// plainLikelihood is ℓ of a unit vector x given η.
func plainLikelihood(kind Likelihood, x, eta []float64) float64 {
	d, kappa, product := float64(len(x)), norm(eta), inner(x, eta)
	switch kind {
	case VonMisesFisher:
		return product + paperF(d, kappa)
	case VonMisesFisherExact:
		return product + exactLogC(d, kappa)
	case PowerSpherical:
		return kappa*math.Log(1+product/kappa) + powerLogC(d, kappa)
	case Gaussian:
		return kappa*(product/kappa-1) + d/2*math.Log(kappa)
	}
	return product / kappa
}

// infoNCE, sigLIP and matchingLoss are the three losses of a matrix of similarities.
func infoNCE(similarity func(s, r int) float64, batch int) float64 {
	loss := 0.0
	for i := range batch {
		var row, column float64
		for j := range batch {
			row += math.Exp(similarity(i, j))
			column += math.Exp(similarity(j, i))
		}
		loss += math.Log(row) + math.Log(column) - 2*similarity(i, i)
	}
	return loss / float64(2*batch)
}

func sigLIP(logit func(s, r int) float64, batch int) float64 {
	loss := 0.0
	for s := range batch {
		for r := range batch {
			h := -logit(s, r)
			if s == r {
				h = -h
			}
			loss -= math.Log(sigmoidOf(h))
		}
	}
	return loss / float64(batch)
}

// A plainBatch is a batch of raw pairs with a learner's parameters.
type plainBatch struct {
	plain
	texts, images [][]float64
	layers        int
}

func newPlainBatch(l *learner[float64], texts, images device.Matrix[float64]) plainBatch {
	b := plainBatch{plain: plainOf(l), layers: l.architecture.HiddenLayers + 1}
	for i := range texts.Rows {
		b.texts, b.images = append(b.texts, texts.Row(i)), append(b.images, images.Row(i))
	}
	return b
}

// loss returns the loss of an objective by its formula.
func (b plainBatch) loss(a Architecture) float64 {
	n := len(b.texts)
	switch a.Objective {
	case Contrastive, ContrastiveImages, Sigmoid, SigmoidLog:
		return b.asymmetric(a)
	case Symmetrized, Mutual:
		return infoNCE(func(s, r int) float64 { return b.number("tau") * b.symmetric(a.Objective, s, r) }, n)
	case PFE:
		return b.pfe()
	case PCMEPP:
		return 2 / float64(n) * sigLIP(func(s, r int) float64 {
			apart := 0.0
			for j, x := range unitOf(b.images[s]) {
				apart += (x - unitOf(b.texts[r])[j]) * (x - unitOf(b.texts[r])[j])
			}
			return b.number("b") - b.number("a")*(apart+b.trace("image", b.images[s])+b.trace("text", b.texts[r]))
		}, n)
	case ProLIP, ProLIPExact, ProLIPFull, ProLIPFullOfficial:
		return b.prolip(a.Objective)
	case ProbVLM, ProbVLMExact:
		return b.probvlm(a.Objective == ProbVLMExact)
	case EvidentialITC:
		return b.itc("")
	case Ensemble:
		sum := 0.0
		for i := range ensembleSize {
			sum += b.itc(fmt.Sprintf("member.%d.", i))
		}
		return sum
	}
	return b.evidential(9)
}

func (b plainBatch) asymmetric(a Architecture) float64 {
	adapted, others, prefix := b.texts, b.images, "text"
	if a.Objective == ContrastiveImages {
		adapted, others, prefix = b.images, b.texts, "image"
	}
	ell := func(s, r int) float64 {
		return plainLikelihood(a.Likelihood, unitOf(others[s]), b.mlp(prefix, b.layers, adapted[r]))
	}
	switch a.Objective {
	case Sigmoid:
		return sigLIP(func(s, r int) float64 { return b.number("tau")*ell(s, r) + b.number("bias") }, len(adapted))
	case SigmoidLog:
		return sigLIP(func(s, r int) float64 { return math.Exp(b.number("log_tau"))*ell(s, r) + b.number("bias") }, len(adapted))
	}
	return infoNCE(func(s, r int) float64 { return b.number("tau") * ell(s, r) }, len(adapted))
}

// symmetric is ℓ of both distributions.
func (b plainBatch) symmetric(objective Objective, s, r int) float64 {
	image, text := b.mlp("image", b.layers, b.images[s]), b.mlp("text", b.layers, b.texts[r])
	d := float64(len(image))
	if objective == Mutual {
		return exactLogC(d, norm(image)) + exactLogC(d, norm(text)) - exactLogC(d, norm(plus(image, text)))
	}
	return (plainLikelihood(VonMisesFisher, unitOf(image), text) + plainLikelihood(VonMisesFisher, unitOf(text), image)) / 2
}

func (b plainBatch) pfe() float64 {
	loss := 0.0
	for i, text := range b.texts {
		image := b.images[i]
		ofText, ofImage := b.mlp("text", b.layers, text), b.mlp("image", b.layers, image)
		for j := range text {
			s := softplus(ofText[j]) + softplus(ofImage[j])
			loss += (image[j]-text[j])*(image[j]-text[j])/s + math.Log(s)
		}
	}
	return loss / float64(len(b.texts))
}

// logVariances returns the outputs of PCME++ and ProLIP for a raw embedding.
func (b plainBatch) logVariances(prefix string, raw []float64) []float64 {
	return b.mlp(prefix, b.layers, unitOf(raw))
}

func (b plainBatch) trace(prefix string, raw []float64) float64 {
	sum := 0.0
	for _, l := range b.logVariances(prefix, raw) {
		sum += math.Exp(l)
	}
	return sum
}

// isFull and isOfficial distinguish the forms of ProLIP.
func isFull(objective Objective) bool {
	return objective == ProLIPFull || objective == ProLIPFullOfficial
}

func isOfficial(objective Objective) bool {
	return objective == ProLIP || objective == ProLIPFullOfficial
}

func (b plainBatch) prolip(objective Objective) float64 {
	n, scale, bias := len(b.texts), 1.0, 0.0
	if isFull(objective) {
		scale, bias = math.Exp(b.number("log_a")), b.number("b")
	}
	loss := sigLIP(func(s, r int) float64 {
		traces := b.trace("image", b.images[s]) + b.trace("text", b.texts[r])
		return scale*(inner(unitOf(b.images[s]), unitOf(b.texts[r]))-traces/2) + bias
	}, n)
	var vib, inclusion float64
	for i := range n {
		lT, lI := b.logVariances("text", b.texts[i]), b.logVariances("image", b.images[i])
		mT, mI := unitOf(b.texts[i]), unitOf(b.images[i])
		for j := range lT {
			for _, side := range [][2]float64{{lT[j], mT[j]}, {lI[j], mI[j]}} {
				l := side[0]
				if isOfficial(objective) {
					l /= 2 // the official form's error
				}
				vib -= (1 + l - side[1]*side[1] - math.Exp(l)) / 2
			}
			u, v, apart := math.Exp(lI[j]), math.Exp(lT[j]), mI[j]-mT[j]
			h := math.Log(v/u)/2 - math.Log((2*v+u)/(2*u+v))/2 + math.Exp(-2)*apart*apart*(v-u)/((u+2*v)*(v+2*u))
			if isOfficial(objective) {
				h += math.Log(v/u) / 2 // the doubled log variances of equation (3)
			}
			inclusion -= math.Log(sigmoidOf(10 * h))
		}
	}
	elements := float64(n * len(b.texts[0]))
	if isFull(objective) {
		return loss + 1e-4*vib/elements + 0.1*inclusion/elements
	}
	return loss + 1e-5*vib/elements
}

// generalized is ProbVLM's loss of a tower's heads against one target.
func (b plainBatch) generalized(prefix string, raw, target []float64, exact bool) float64 {
	sum := plus(raw, b.mlp(prefix+".trunk", 3, raw))
	mu, q, beta := b.mlp(prefix+".head_mu", 2, sum), b.mlp(prefix+".head_q", 2, sum), b.mlp(prefix+".head_beta", 2, sum)
	loss := 0.0
	for j, y := range target {
		apart, inverse, shape := math.Abs(mu[j]-y), softplus(q[j])+1e-4, softplus(beta[j])+1e-4
		r := math.Min(math.Max(apart*inverse*shape, 1e-4), 1e3)
		if exact {
			r = math.Pow(math.Max(apart, 1e-6)*inverse, shape)
		}
		gamma, _ := math.Lgamma(1 / shape)
		loss += apart + 0.05*(r-math.Log(inverse)+gamma-math.Log(shape))
	}
	return loss / float64(len(target))
}

func (b plainBatch) probvlm(exact bool) float64 {
	loss := 0.0
	for i, text := range b.texts {
		image := b.images[i]
		loss += b.generalized("image", image, image, exact) + b.generalized("text", text, text, exact) +
			1e-4*(b.generalized("image", image, text, exact)+b.generalized("text", text, image, exact))
	}
	return loss / float64(len(b.texts))
}

// adapted is ELIP's unit vector of a raw embedding.
func (b plainBatch) adapted(prefix string, raw []float64) []float64 {
	return unitOf(plus(raw, b.network(raw, prefix+".down", prefix+".up")))
}

func (b plainBatch) itc(prefix string) float64 {
	return infoNCE(func(s, r int) float64 {
		return b.number(prefix+"iota") * inner(b.adapted(prefix+"image", b.images[s]), b.adapted(prefix+"text", b.texts[r]))
	}, len(b.texts))
}

// evidential is ELIP's loss in an epoch, for both directions. Differences of the library's log Γ
// would lose precision for ψ and log Γ; the arguments are large enough for the asymptotic series
// after a shift.
func (b plainBatch) evidential(epoch int) float64 {
	n := len(b.texts)
	rho := func(s, r int) float64 {
		return b.number("iota") * inner(b.adapted("image", b.images[s]), b.adapted("text", b.texts[r]))
	}
	direction := func(similarity func(query, item int) float64) float64 {
		loss := 0.0
		for query := range n {
			var s, sWithout float64
			var alphas []float64
			for item := range n {
				alpha := math.Exp(similarity(query, item)) + 1
				s += alpha
				if item == query {
					loss -= digamma(alpha)
					alpha = 1
				}
				alphas, sWithout = append(alphas, alpha), sWithout+alpha
			}
			loss += digamma(s)
			whole, _ := math.Lgamma(sWithout)
			uniform, _ := math.Lgamma(float64(n))
			kl := whole - uniform
			for _, alpha := range alphas {
				one, _ := math.Lgamma(alpha)
				kl += -one + (alpha-1)*(digamma(alpha)-digamma(sWithout))
			}
			loss += math.Min(1, float64(epoch)/15) * kl
		}
		return loss / float64(n)
	}
	return (direction(rho) + direction(func(query, item int) float64 { return rho(item, query) })) / 2
}

func digamma(x float64) float64 {
	sum := 0.0
	for ; x < 30; x++ {
		sum -= 1 / x
	}
	y := 1 / (x * x)
	return sum + math.Log(x) - 1/(2*x) - y*(1.0/12-y*(1.0/120-y*(1.0/252-y*(1.0/240-y/132))))
}

// every returns all objectives, with every likelihood.
func every() []Architecture {
	list := append([]Architecture{}, objectives...)
	for _, kind := range append(kinds, Gaussian) {
		for _, objective := range []Objective{Contrastive, ContrastiveImages, Sigmoid, SigmoidLog} {
			list = append(list, Architecture{Objective: objective, Likelihood: kind})
		}
	}
	return list
}

func TestLossesAreTheirFormulas(t *testing.T) {
	for _, architecture := range every() {
		t.Run(architecture.String(), func(t *testing.T) {
			for seed := range uint64(3) {
				l := testLearner(t, device.Reference[float64]{}, small(architecture), 5)
				l.SetEpoch(9)
				source := rand.New(rand.NewPCG(seed, 99))
				for i, value := range l.parameters { // move away from the initial parameters
					l.parameters[i] = value * (1 + 0.3*source.NormFloat64())
				}
				texts, images := pairs[float64](5, 8, source)
				result, err := l.differentiate(texts, images)
				if err != nil {
					t.Fatal(err)
				}
				want := newPlainBatch(l, texts, images).loss(architecture)
				// The printed divergence of the Dirichlet distributions cancels; some losses are
				// sums of large terms.
				tolerance := 1e-11
				if architecture.Objective == Evidential {
					tolerance = 1e-8
				}
				if math.Abs(result.Loss-want) > tolerance*math.Max(1, math.Abs(want)) {
					t.Errorf("seed %d: loss %.15g, by its formula %.15g", seed, result.Loss, want)
				}
			}
		})
	}
}

// For small κ, κ′ the mutual likelihood is κκ′c/D, so a temperature of D scales it to the size of
// the others.
func TestMutualLikelihoodOfSmallConcentrationsIsTheirProduct(t *testing.T) {
	l := testLearner(t, device.Reference[float64]{}, small(Architecture{Objective: Mutual}), 5)
	for i := range l.parameters {
		l.parameters[i] *= 0.3
	}
	texts, images := pairs[float64](5, 8, rand.New(rand.NewPCG(1, 1)))
	ofTexts, ofImages := l.Represent(Texts, texts), l.Represent(Images, images)
	scores := device.NewMatrix[float64](5, 5)
	l.Score(scores, ofImages, ofTexts)
	for s := range 5 {
		for r := range 5 {
			want := inner(ofImages.Rows.Row(s), ofTexts.Rows.Row(r)) / 8
			if math.Abs(scores.Row(s)[r]-want) > 1e-2*math.Abs(want) {
				t.Errorf("score %g, κκ′c/D is %g", scores.Row(s)[r], want)
			}
		}
	}
}
