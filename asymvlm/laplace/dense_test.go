package laplace

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/special"
)

// probabilities returns the probabilities of the classes at an embedding, or the probabilities of
// being a pair, and the logits.
func probabilities(loss Loss, f []float64, targets *mat.Dense, logits Logits) (p, z []float64) {
	classes, _ := targets.Dims()
	p, z = make([]float64, classes), make([]float64, classes)
	length := mat.Norm(mat.NewVecDense(len(f), f), 2)
	for c := range classes {
		y := targets.RowView(c)
		z[c] = logits.Scale * mat.Dot(mat.NewVecDense(len(f), f), y) / (length * mat.Norm(y, 2))
		p[c] = special.Sigmoid(z[c] + logits.Bias)
	}
	if loss == InfoNCE {
		total := special.LogSumExp(z)
		for c := range p {
			p[c] = math.Exp(z[c] - total)
		}
	}
	return p, z
}

// TestHessianIsTheCovarianceOfSlopes computes the slopes of the logits by differences: the
// Gauss-Newton matrix of a softmax is Σ p (∇z − mean)(∇z − mean)ᵀ, which is also the Fisher
// information, and that of a sum of sigmoids is Σ p(1−p) ∇z∇zᵀ.
func TestHessianIsTheCovarianceOfSlopes(t *testing.T) {
	const width, classes, step = 5, 7, 1e-6
	embeddings, targets, logits := random(3, width, 11), random(classes, width, 12), Logits{Scale: 4, Bias: -1.5}
	for _, loss := range []Loss{InfoNCE, Sigmoid} {
		want := mat.NewDense(width, width, nil)
		for i := range 3 {
			f := embeddings.RawRowView(i)
			p, _ := probabilities(loss, f, targets, logits)
			slopes := make([][]float64, classes)
			for c := range slopes {
				slopes[c] = make([]float64, width)
			}
			for j, old := range f {
				f[j] = old + step
				_, up := probabilities(loss, f, targets, logits)
				f[j] = old - step
				_, down := probabilities(loss, f, targets, logits)
				f[j] = old
				for c := range slopes {
					slopes[c][j] = (up[c] - down[c]) / (2 * step)
				}
			}
			center := make([]float64, width)
			for c, s := range slopes {
				for j, value := range s {
					if loss == InfoNCE {
						center[j] += p[c] * value
					}
				}
			}
			for c, s := range slopes {
				weight := p[c]
				if loss == Sigmoid {
					weight *= 1 - p[c]
				}
				for j := range s {
					for k := range s {
						want.Set(j, k, want.At(j, k)+weight*(s[j]-center[j])*(s[k]-center[k]))
					}
				}
			}
		}
		got, err := Hessian(loss, embeddings, targets, logits)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got, want, 1e-8) {
			t.Errorf("loss %d:\n%v\nby differences\n%v", loss, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

func TestHessianFollowsItsArguments(t *testing.T) {
	const width = 6
	embeddings, targets, logits := random(4, width, 13), random(9, width, 14), Logits{Scale: 3, Bias: 0.5}
	hessian := func(loss Loss, e, y *mat.Dense, l Logits) *mat.SymDense {
		t.Helper()
		h, err := Hessian(loss, e, y, l)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	var qr mat.QR
	qr.Factorize(random(width, width, 15))
	var q mat.Dense
	qr.QTo(&q)
	for _, loss := range []Loss{InfoNCE, Sigmoid} {
		h := hessian(loss, embeddings, targets, logits)
		near := func(name string, got, want mat.Matrix) {
			t.Helper()
			if !mat.EqualApprox(got, want, 1e-12) {
				t.Errorf("loss %d, %s:\n%v\nwant\n%v", loss, name, mat.Formatted(got), mat.Formatted(want))
			}
		}
		var turnedEmbeddings, turnedTargets, turned, half mat.Dense
		turnedEmbeddings.Mul(embeddings, q.T())
		turnedTargets.Mul(targets, q.T())
		turned.Product(&q, h, q.T())
		near("turned", hessian(loss, &turnedEmbeddings, &turnedTargets, logits), &turned)
		var long, longTargets mat.Dense
		long.Scale(10, embeddings)
		half.Scale(0.01, h)
		near("embeddings ten times as long", hessian(loss, &long, targets, logits), &half)
		longTargets.Scale(1e3, targets)
		near("long targets", hessian(loss, embeddings, &longTargets, logits), h)
		backwards := mat.NewDense(9, width, nil)
		for c := range 9 {
			backwards.SetRow(c, targets.RawRowView(8-c))
		}
		near("targets in another order", hessian(loss, embeddings, backwards, logits), h)
		near("no scale", hessian(loss, embeddings, targets, Logits{Bias: 1}), mat.NewSymDense(width, nil))
		// Certain answers have no curvature: a single class, or pairs of probability 0.
		if loss == InfoNCE {
			near("another bias", hessian(loss, embeddings, targets, Logits{Scale: 3, Bias: 1e3}), h)
			near("one class", hessian(loss, embeddings, mat.DenseCopyOf(targets.Slice(0, 1, 0, width)), logits), mat.NewSymDense(width, nil))
		} else {
			near("a bias that decides", hessian(loss, embeddings, targets, Logits{Scale: 3, Bias: -800}), mat.NewSymDense(width, nil))
		}
	}
}

// kronecker returns the covariance of the P·Q weights, grouped by output, by inverting the full
// matrix that NewPosterior inverts by factors.
func kronecker(t *testing.T, f Factors, pseudoCount, precision float64) *mat.Dense {
	t.Helper()
	shifted := func(m *mat.SymDense) *mat.Dense {
		d := mat.DenseCopyOf(m)
		d.Scale(math.Sqrt(pseudoCount), d)
		for i := range m.SymmetricDim() {
			d.Set(i, i, d.At(i, i)+math.Sqrt(precision))
		}
		return d
	}
	var whole mat.Dense
	whole.Kronecker(shifted(f.Outputs), shifted(f.Inputs))
	return &whole
}

// drawnFactors returns random curvatures of a layer with 3 inputs and 2 outputs.
func drawnFactors(seed uint64) Factors {
	var a, b mat.SymDense
	a.SymOuterK(0.3, random(10, 3, seed).T())
	b.SymOuterK(0.2, random(10, 2, seed+1).T())
	return Factors{&a, &b}
}

// TestFactoredVariancesAreThoseOfTheWholeCovariance uses that Wφ is (I ⊗ φᵀ) times the weights in
// row-major order.
func TestFactoredVariancesAreThoseOfTheWholeCovariance(t *testing.T) {
	factors, phi := drawnFactors(21), []float64{0.5, -1, 2}
	for _, pseudoCount := range []float64{0, 1, 10} {
		for _, precision := range []float64{1e-6, 1, 300, 1e9} {
			var covariance, product, spread mat.Dense
			if err := covariance.Inverse(kronecker(t, factors, pseudoCount, precision)); err != nil && pseudoCount > 0 {
				t.Logf("ν %g, λ %g: %v", pseudoCount, precision, err)
			}
			lift := mat.NewDense(2, 6, nil)
			for j := range 2 {
				for k, value := range phi {
					lift.Set(j, 3*j+k, value)
				}
			}
			product.Mul(lift, &covariance)
			spread.Mul(&product, lift.T())
			p, err := NewPosterior(factors, pseudoCount, precision)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range p.Variances(make([]float64, 2), phi) {
				if want := spread.At(j, j); math.Abs(v/want-1) > 1e-8 {
					t.Errorf("ν %g, λ %g, coordinate %d: %g, want %g", pseudoCount, precision, j, v, want)
				}
			}
		}
	}
	// Without data the variance is the prior's, |φ|²/λ.
	p, err := NewPosterior(factors, 0, 4)
	if err != nil {
		t.Fatal(err)
	}
	if v := p.Variances(nil, phi); math.Abs(v[0]-5.25/4) > 1e-14 || math.Abs(v[1]-5.25/4) > 1e-14 {
		t.Errorf("variances of the prior %g, want %g", v, 5.25/4)
	}
}

// TestEvidenceIsThatOfTheWholeMatrix computes the determinant of the Kronecker product itself, and
// checks the official form by the documented exchange.
func TestEvidenceIsThatOfTheWholeMatrix(t *testing.T) {
	factors := drawnFactors(31)
	const weights, pseudoCount = 7.0, 10.0
	e, err := NewEvidence(factors, weights, pseudoCount)
	if err != nil {
		t.Fatal(err)
	}
	determinant := func(m *mat.SymDense, precision float64) float64 {
		d := mat.DenseCopyOf(m)
		d.Scale(math.Sqrt(pseudoCount), d)
		for i := range m.SymmetricDim() {
			d.Set(i, i, d.At(i, i)+math.Sqrt(precision))
		}
		log, _ := mat.LogDet(d)
		return log
	}
	for _, precision := range []float64{1e-3, 1, 50, 1e5} {
		logDet, sign := mat.LogDet(kronecker(t, factors, pseudoCount, precision))
		if sign != 1 {
			t.Fatalf("sign %g", sign)
		}
		prior := -precision*weights/2 + 6./2*math.Log(precision)
		exact, _ := e.At(gaussian.Exact, precision)
		if want := prior - logDet/2; math.Abs(exact-want) > 1e-11*(1+math.Abs(want)) {
			t.Errorf("λ %g: %.14g, by the determinant %.14g", precision, exact, want)
		}
		official, _ := e.At(gaussian.Official, precision)
		if want := prior - 3*determinant(factors.Inputs, precision) - 2*determinant(factors.Outputs, precision); math.Abs(official-want) > 1e-11*(1+math.Abs(want)) {
			t.Errorf("λ %g: official %.14g, want %.14g", precision, official, want)
		}
	}
}

// TestTheFitEndsAtTheLargestEvidence compares with a grid of precisions.
func TestTheFitEndsAtTheLargestEvidence(t *testing.T) {
	e, err := NewEvidence(drawnFactors(41), 7, 10)
	if err != nil {
		t.Fatal(err)
	}
	best, at := math.Inf(-1), 0.0
	for l := -6.0; l < 8; l += 1e-3 {
		if value, _ := e.At(gaussian.Exact, math.Exp(l)); value > best {
			best, at = value, l
		}
	}
	for _, start := range []float64{1e-2, 1, 300} {
		precisions := e.Fit(gaussian.Exact, start, 20000)
		if end := math.Log(precisions[19999]); math.Abs(end-at) > 2e-3 {
			t.Errorf("from %g: log λ %g, the largest evidence is at %g", start, end, at)
		}
		again := e.Fit(gaussian.Exact, start, 10)
		for i, value := range again {
			if value != precisions[i] {
				t.Errorf("from %g: step %d is %g, and then %g", start, i, precisions[i], value)
			}
		}
	}
	if none := e.Fit(gaussian.Exact, 1, 0); len(none) != 0 {
		t.Errorf("no steps give %v", none)
	}
}

// TestFactorsOfRankOneHaveAnEvidence tests factors whose eigenvalues of 0 are computed as slightly
// negative.
func TestFactorsOfRankOneHaveAnEvidence(t *testing.T) {
	var a mat.SymDense
	a.SymOuterK(1, mat.NewDense(4, 1, []float64{0.1, 0.7, -0.3, 1e5}))
	e, err := NewEvidence(Factors{&a, mat.NewSymDense(1, []float64{0})}, 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	if value, slope := e.At(gaussian.Exact, 1e-6); math.IsNaN(value+slope) || math.IsInf(value, 0) {
		t.Errorf("evidence %g with slope %g", value, slope)
	}
	if _, err := NewPosterior(Factors{&a, mat.NewSymDense(1, []float64{0})}, 10, 1); err != nil {
		t.Error(err)
	}
}

func TestWhatIsMissingOrNotFiniteIsNamed(t *testing.T) {
	nan := mat.NewSymDense(2, []float64{1, math.NaN(), math.NaN(), 1})
	one := mat.NewSymDense(1, []float64{1})
	good := random(2, 3, 9)
	empty := mat.NewDense(2, 3, []float64{1, 0, 0, math.NaN(), 0, 0})
	for want, err := range map[string]error{
		"laplace: factor of the outputs: missing":                 second(NewPosterior(Factors{one, nil}, 1, 1)),
		"laplace: factor of the inputs: row 0, column 1 is NaN":   second(NewPosterior(Factors{nan, one}, 1, 1)),
		"laplace: factor of the outputs: row 0, column 1 is NaN":  second(NewEvidence(Factors{one, nan}, 1, 1)),
		"laplace: factor of the inputs: missing":                  second(NewEvidence(Factors{nil, one}, 1, 1)),
		"laplace: squared weights 1 and pseudo-count +Inf":        second(NewEvidence(Factors{one, one}, 1, math.Inf(1))),
		"laplace: squared weights NaN":                            second(NewEvidence(Factors{one, one}, math.NaN(), 1)),
		"laplace: pseudo-count NaN and precision 1":               second(NewPosterior(Factors{one, one}, math.NaN(), 1)),
		"laplace: row 1 has length NaN":                           second(Hessian(InfoNCE, empty, good, Logits{Scale: 1})),
		"laplace: logits with scale NaN and bias 0":               second(Hessian(InfoNCE, good, good, Logits{Scale: math.NaN()})),
		"laplace: logits with scale 1 and bias -Inf":              second(Hessian(Sigmoid, good, good, Logits{1, math.Inf(-1)})),
		"laplace: 0 embeddings with 0 targets, want some of each": second(Hessian(Sigmoid, &mat.Dense{}, &mat.Dense{}, Logits{Scale: 1})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	p, err := NewPosterior(Factors{one, one}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func(){
		"laplace: 2 inputs and room for 1 variances, the posterior has 1 and 1": func() { p.Variances(nil, []float64{1, 2}) },
		"laplace: 1 inputs and room for 3 variances, the posterior has 1 and 1": func() { p.Variances(make([]float64, 3), []float64{1}) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			call()
		}()
	}
}
