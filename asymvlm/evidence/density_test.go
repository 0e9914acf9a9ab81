package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gosphere/asymvlm/special"
)

// integrateUnit integrates f(p, 1−p) over 0 < p < 1 by the double exponential rule, p = 1/(1+exp(−π
// sinh t)), which tolerates infinite slopes at the ends.
func integrateUnit(f func(p, rest float64) float64) float64 {
	const step = 1. / 64
	sum := 0.0
	for k := -4 * 64; k <= 4*64; k++ {
		t := float64(k) * step
		s := math.Pi * math.Sinh(t)
		p, rest := special.Sigmoid(s), special.Sigmoid(-s)
		if p == 0 || rest == 0 {
			continue
		}
		sum += f(p, rest) * p * rest * math.Pi * math.Cosh(t) * step
	}
	return sum
}

// TestTermsAreIntegralsOverTheBetaDensity uses two candidates, for which the Dirichlet density is a
// Beta density of p₀.
func TestTermsAreIntegralsOverTheBetaDensity(t *testing.T) {
	for _, rho := range [][2]float64{{0, 0}, {1, -2}, {-4, 3}, {2.5, 2}} {
		o := must(t, rho[0], rho[1])
		a, b := math.Exp(rho[0])+1, math.Exp(rho[1])+1
		logDensity := func(p, rest, a, b float64) float64 {
			return (a-1)*math.Log(p) + (b-1)*math.Log(rest) - special.LogBeta(a, b)
		}
		crossEntropy := integrateUnit(func(p, rest float64) float64 { return -math.Log(p) * math.Exp(logDensity(p, rest, a, b)) })
		if got := o.CrossEntropy(0); math.Abs(got-crossEntropy) > 1e-12*(1+crossEntropy) {
			t.Errorf("ρ = %g: cross-entropy %.15g, integral %.15g", rho, got, crossEntropy)
		}
		// For y = 0 the evidence of candidate 0 is removed: the density is Beta(1, b), and Dir(1)
		// is 1.
		divergence := integrateUnit(func(p, rest float64) float64 {
			l := logDensity(p, rest, 1, b)
			return l * math.Exp(l)
		})
		if got := o.KL(0); math.Abs(got-divergence) > 1e-12*(1+divergence) {
			t.Errorf("ρ = %g: KL %.15g, integral %.15g", rho, got, divergence)
		}
		mean := integrateUnit(func(p, rest float64) float64 { return p * math.Exp(logDensity(p, rest, a, b)) })
		if got := o.Expected(nil)[0]; math.Abs(got-mean) > 1e-12 {
			t.Errorf("ρ = %g: expected probability %.15g, integral %.15g", rho, got, mean)
		}
	}
}

// TestTermsAreMeansOverDraws draws from Dirichlet densities over five candidates by gamma deviates.
// The bounds are five standard errors of the means, each exceeded for one of 1.7 million seeds.
func TestTermsAreMeansOverDraws(t *testing.T) {
	const draws, y = 40000, 2
	rho := []float64{0.5, -1, 2, 3, -6}
	o := must(t, rho...)
	source := rand.NewPCG(1, 2)
	sample := func(alpha []float64) (logs []float64) {
		sum := 0.0
		for _, a := range alpha {
			logs = append(logs, math.Log(distuv.Gamma{Alpha: a, Beta: 1, Src: source}.Rand()))
			sum += math.Exp(logs[len(logs)-1])
		}
		for j := range logs {
			logs[j] -= math.Log(sum)
		}
		return logs
	}
	check := func(name string, got float64, draw func() float64) {
		sum, squares := 0.0, 0.0
		for range draws {
			x := draw()
			sum += x
			squares += x * x
		}
		mean := sum / draws
		deviation := math.Sqrt((squares/draws - mean*mean) / draws)
		if math.Abs(got-mean) > 5*deviation {
			t.Errorf("%s: %g, drawn %g ± %g", name, got, mean, deviation)
		}
	}
	alpha := o.Parameters(nil)
	check("cross-entropy", o.CrossEntropy(y), func() float64 { return -sample(alpha)[y] })
	wrong := o.Parameters(nil)
	wrong[y] = 1
	total, constant := 0.0, 0.0
	for _, a := range wrong {
		total += a
		gamma, _ := math.Lgamma(a)
		constant -= gamma
	}
	whole, _ := math.Lgamma(total)
	candidates, _ := math.Lgamma(5)
	check("KL", o.KL(y), func() float64 {
		ratio := whole + constant - candidates
		for j, logP := range sample(wrong) {
			ratio += (wrong[j] - 1) * logP
		}
		return ratio
	})
}

// naiveKL computes the divergence as the paper prints it.
func naiveKL(o *Opinion, y int) float64 {
	alpha := o.Parameters(nil)
	alpha[y] = 1
	total, count := 0.0, float64(len(alpha))
	for _, a := range alpha {
		total += a
	}
	gamma := func(x float64) float64 { value, _ := math.Lgamma(x); return value }
	sum := gamma(total) - gamma(count)
	for _, a := range alpha {
		sum += (a-1)*(special.Digamma(a)-special.Digamma(total)) - gamma(a)
	}
	return sum
}

func TestKLIsThePrintedOneWhereThatHasDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, count := range []int{2, 3, 10, 280} {
		for range 10 {
			rho := make([]float64, count)
			for j := range rho {
				rho[j] = 3 * r.NormFloat64()
			}
			o, y := must(t, rho...), r.IntN(count)
			// In the printed form, terms of size S log S cancel.
			strength := o.Strength()
			if got, want := o.KL(y), naiveKL(o, y); math.Abs(got-want) > 1e-14*strength*math.Log(strength)+1e-12*want {
				t.Errorf("%d candidates: %.15g, printed %.15g", count, got, want)
			}
		}
	}
}

func TestGradientsOfTheBatchAreThoseOfDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const pairs, step, weight = 4, 1e-5, 0.4
	rho := make([]float64, pairs*pairs)
	for i := range rho {
		rho[i] = 2 * r.NormFloat64()
	}
	at := func() *BatchLoss {
		l, err := Loss(rho, weight)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	here := at()
	if sum := here.CrossEntropy + weight*here.Divergence; sum != here.Loss {
		t.Errorf("loss %g, its terms make %g", here.Loss, sum)
	}
	for i, old := range rho {
		rho[i] = old + step
		up := at().Loss
		rho[i] = old - step
		down := at().Loss
		rho[i] = old
		if want := (up - down) / (2 * step); math.Abs(here.Gradient[i]-want) > 1e-9 {
			t.Errorf("entry %d: %g, want %g", i, here.Gradient[i], want)
		}
	}
}

func TestTheLossSeesPairsOnly(t *testing.T) {
	// Reordering the pairs, or exchanging images and texts, yields the same batch.
	rho := []float64{5, 1, -2, 0, 4, 3, 2, -1, 6}
	first, err := Loss(rho, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	permuted, transposed := make([]float64, 9), make([]float64, 9)
	for i, p := range []int{2, 0, 1} {
		for j, q := range []int{2, 0, 1} {
			permuted[i*3+j], transposed[j*3+i] = rho[p*3+q], rho[i*3+j]
		}
	}
	for name, other := range map[string][]float64{"permuted": permuted, "transposed": transposed} {
		l, err := Loss(other, 0.7)
		if err != nil || math.Abs(l.Loss-first.Loss) > 1e-14*first.Loss {
			t.Errorf("%s: loss %.17g, want %.17g (error %v)", name, l.Loss, first.Loss, err)
		}
		if name == "transposed" && (l.RowUncertainty[1] != first.ColumnUncertainty[1] || math.Abs(l.Gradient[3]-first.Gradient[1]) > 1e-15) {
			t.Errorf("transposed: uncertainty %g and gradient %g, want %g and %g", l.RowUncertainty[1], l.Gradient[3], first.ColumnUncertainty[1], first.Gradient[1])
		}
	}
}

// TestASinglePairTeachesNothing covers a last batch of one pair.
func TestASinglePairTeachesNothing(t *testing.T) {
	for _, rho := range []float64{math.Inf(-1), -3, 0, 7, 25} {
		l, err := Loss([]float64{rho}, 1)
		if err != nil || math.Abs(l.Loss) > 1e-15 || l.Gradient[0] != 0 {
			t.Errorf("ρ = %g: %+v (error %v)", rho, l, err)
		}
		if want := 1 / (math.Exp(min(rho, MaxSimilarity)) + 1); math.Abs(l.RowUncertainty[0]-want) > 1e-15 {
			t.Errorf("ρ = %g: uncertainty %g, want %g", rho, l.RowUncertainty[0], want)
		}
	}
}

// TestLargeGalleriesKeepTheirDigits uses the size of COCO's gallery. All similarities are equal, so
// that the terms have simple forms.
func TestLargeGalleriesKeepTheirDigits(t *testing.T) {
	for _, count := range []int{280, 25014, 100000} {
		rho := make([]float64, count)
		o := must(t, rho...)
		m := float64(count)
		if u := o.Uncertainty(); u != 0.5 {
			t.Errorf("%d candidates without a preference: uncertainty %g", count, u)
		}
		// ψ(2M) − ψ(2), ψ(2) = 1 − γ
		const euler = 0.57721566490153286061
		if got, want := o.CrossEntropy(7), special.Digamma(2*m)-1+euler; math.Abs(got-want) > 1e-13*want {
			t.Errorf("%d candidates: cross-entropy %.16g, want %.16g", count, got, want)
		}
		for j := range rho {
			rho[j] = math.Inf(-1)
		}
		if none := must(t, rho...); none.KL(0) > 1e-9 || none.Uncertainty() != 1 {
			t.Errorf("%d candidates without evidence: KL %g", count, none.KL(0))
		}
	}
}

func TestMoreEvidenceIsMoreCertain(t *testing.T) {
	last := math.Inf(1)
	for _, rho := range []float64{-700, -30, -1, 0, 1, 5, 19, 20} {
		o := must(t, rho, 0, 0.5)
		if u := o.Uncertainty(); u > last || u < 0 {
			t.Errorf("ρ = %g: uncertainty %g after %g", rho, u, last)
		} else {
			last = u
		}
		if e := o.Expected(nil); math.Abs(e[0]+e[1]+e[2]-1) > 1e-15 {
			t.Errorf("ρ = %g: probabilities sum to %g", rho, e[0]+e[1]+e[2])
		}
	}
}

func TestDestinationsOfAnotherLengthPanic(t *testing.T) {
	o := must(t, 1, 2)
	for name, call := range map[string]func(){
		"parameters": func() { o.Parameters(make([]float64, 3)) },
		"gradient":   func() { o.KLGradient(make([]float64, 1), 0) },
		"candidate":  func() { o.KL(2) },
		"below":      func() { o.CrossEntropy(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
	if o.Candidates() != 2 {
		t.Errorf("%d candidates", o.Candidates())
	}
}

func TestAnEmptyGalleryIsAnError(t *testing.T) {
	if _, err := NewOpinion(nil); err == nil || err.Error() != "evidence: 0 candidates, want at least one" {
		t.Errorf("error %v", err)
	}
}
