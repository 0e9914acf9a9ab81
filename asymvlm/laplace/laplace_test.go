package laplace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gosphere/asymvlm/gaussian"
	"gosphere/internal/testing/golden"
)

func flat(m mat.Matrix) []float64 { return mat.DenseCopyOf(m).RawMatrix().Data }

func TestLayersAgreeWithPyTorch(t *testing.T) {
	array := golden.Open(t, "bayesvlm.npz")
	dense := func(name string, rows int) *mat.Dense {
		values := array(name)
		return mat.NewDense(rows, len(values)/rows, values)
	}
	for side, other := range map[string]string{"image": "text", "text": "image"} {
		embeddings, targets, phi := dense(side+"/e", 7), dense(other+"/e", 7), dense(side+"/phi", 7)
		contrastive, err := Hessian(InfoNCE, embeddings, targets, Logits{Scale: 20})
		if err != nil {
			t.Fatal(err)
		}
		golden.Near(t, side+" InfoNCE", flat(contrastive), array(side+"/H_infonce"), 1e-9)
		pairwise, err := Hessian(Sigmoid, embeddings, targets, Logits{20, -3})
		if err != nil {
			t.Fatal(err)
		}
		golden.Near(t, side+" sigmoid", flat(pairwise), array(side+"/H_siglip"), 1e-9)
		var a, b mat.SymDense
		a.SymOuterK(1/math.Sqrt(7), phi.T())
		b.ScaleSym(1/math.Sqrt(7), contrastive)
		golden.Near(t, side+" A", flat(&a), array(side+"/A"), 1e-9)
		golden.Near(t, side+" B", flat(&b), array(side+"/B"), 1e-9)
		factors := Factors{&a, &b}
		posterior, err := NewPosterior(factors, 10, 300)
		if err != nil {
			t.Fatal(err)
		}
		golden.Near(t, side+" inverse of A", flat(posterior.Inputs), array(side+"/A_inv"), 1e-9)
		golden.Near(t, side+" inverse of B", flat(posterior.Outputs), array(side+"/B_inv"), 1e-9)
		var variances []float64
		for i := range 7 {
			variances = append(variances, posterior.Variances(nil, phi.RawRowView(i))...)
		}
		golden.Near(t, side+" variances", variances, array(side+"/v"), 1e-9)
		weights := 0.0
		for _, w := range array(side + "/W") {
			weights += w * w
		}
		evidence, err := NewEvidence(factors, weights, 10)
		if err != nil {
			t.Fatal(err)
		}
		for form, name := range map[gaussian.Form]string{gaussian.Official: "official", gaussian.Exact: "exact"} {
			precisions := evidence.Fit(form, 300, 5)
			golden.Near(t, side+" precisions", precisions, array(side+"/lam_"+name), 1e-9)
			var values, slopes []float64
			for _, precision := range append([]float64{300}, precisions[:4]...) {
				value, slope := evidence.At(form, precision)
				values, slopes = append(values, value), append(slopes, slope)
			}
			golden.Near(t, side+" evidence", values, array(side+"/evidence_"+name), 1e-9)
			golden.Near(t, side+" slope of the evidence", slopes, array(side+"/evidence_grad_"+name), 1e-9)
		}
	}
}

// random returns a random matrix.
func random(rows, columns int, seed uint64) *mat.Dense {
	source := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(rows, columns, nil)
	for i := range rows {
		for j := range columns {
			m.Set(i, j, source.NormFloat64())
		}
	}
	return m
}

func TestHessianIsTheCurvatureOfTheSoftmaxWhereLogitsAreLinear(t *testing.T) {
	// The loss does not change along the embedding, so its direction is in the kernel of the
	// matrix.
	embeddings, targets := random(1, 6, 1), random(9, 6, 2)
	for _, loss := range []Loss{InfoNCE, Sigmoid} {
		h, err := Hessian(loss, embeddings, targets, Logits{Scale: 5, Bias: -1})
		if err != nil {
			t.Fatal(err)
		}
		var product mat.VecDense
		product.MulVec(h, embeddings.RowView(0))
		if size := mat.Norm(&product, 2) / mat.Norm(h, 2); size > 1e-14 {
			t.Errorf("loss %d: the embedding is stretched by %g", loss, size)
		}
		var eigen mat.EigenSym
		eigen.Factorize(h, false)
		if least := eigen.Values(nil)[0]; least < -1e-14*mat.Norm(h, 2) {
			t.Errorf("loss %d: eigenvalue %g below 0", loss, least)
		}
	}
}

func TestHessianOfABatchIsTheSumOverItsRows(t *testing.T) {
	embeddings, targets := random(4, 5, 3), random(8, 5, 4)
	whole, err := Hessian(InfoNCE, embeddings, targets, Logits{Scale: 3})
	if err != nil {
		t.Fatal(err)
	}
	sum := mat.NewSymDense(5, nil)
	for i := range 4 {
		one, err := Hessian(InfoNCE, mat.DenseCopyOf(embeddings.Slice(i, i+1, 0, 5)), targets, Logits{Scale: 3})
		if err != nil {
			t.Fatal(err)
		}
		sum.AddSym(sum, one)
	}
	if !mat.EqualApprox(whole, sum, 1e-12) {
		t.Errorf("%v, want %v", mat.Formatted(whole), mat.Formatted(sum))
	}
}

func TestMorePrecisePriorsGiveSmallerVariances(t *testing.T) {
	var a, b mat.SymDense
	a.SymOuterK(1, random(20, 4, 5).T())
	b.SymOuterK(1, random(20, 3, 6).T())
	last := math.Inf(1)
	for _, precision := range []float64{1, 10, 100} {
		p, err := NewPosterior(Factors{&a, &b}, 10, precision)
		if err != nil {
			t.Fatal(err)
		}
		v := p.Variances(nil, []float64{1, 2, 3, 4})
		if !(v[0] > 0 && v[0] < last) || len(v) != 3 {
			t.Errorf("precision %g: variances %v after %g", precision, v, last)
		}
		last = v[0]
	}
}

func TestSlopeOfTheEvidenceIsItsDerivative(t *testing.T) {
	var a, b mat.SymDense
	a.SymOuterK(1, random(20, 4, 7).T())
	b.SymOuterK(1, random(20, 3, 8).T())
	e, err := NewEvidence(Factors{&a, &b}, 5, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []gaussian.Form{gaussian.Official, gaussian.Exact} {
		const h = 1e-5
		above, _ := e.At(form, 7*math.Exp(h))
		below, _ := e.At(form, 7*math.Exp(-h))
		_, slope := e.At(form, 7)
		if numeric := (above - below) / (2 * h); math.Abs(numeric-slope) > 1e-7*math.Abs(slope) {
			t.Errorf("%v: slope %g, finite difference %g", form, slope, numeric)
		}
	}
	precisions := e.Fit(gaussian.Exact, 7, 2000)
	if _, slope := e.At(gaussian.Exact, precisions[1999]); math.Abs(slope) > 1e-3 {
		t.Errorf("slope %g at the end", slope)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	zero := mat.NewDense(2, 3, []float64{1, 0, 0, 0, 0, 0})
	good := random(2, 3, 9)
	for want, err := range map[string]error{
		"laplace: row 1 has length 0":                   second(Hessian(InfoNCE, zero, good, Logits{})),
		"laplace: row 1 has length 0, of the targets":   second(Hessian(InfoNCE, good, zero, Logits{})),
		"laplace: embeddings have 3 columns, targets 4": second(Hessian(InfoNCE, good, random(2, 4, 9), Logits{})),
		"laplace: pseudo-count 1 and precision 0":       second(NewPosterior(Factors{}, 1, 0)),
		"not positive definite":                         second(NewPosterior(Factors{mat.NewSymDense(1, []float64{-9}), nil}, 1, 1)),
		"laplace: squared weights -1":                   second(NewEvidence(Factors{}, -1, 0)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func second(_ any, err error) error { return err }

func ExamplePosterior_Variances() {
	one := mat.NewSymDense(1, []float64{3})
	p, err := NewPosterior(Factors{one, one}, 1, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Variances(nil, []float64{2}))
	// Output: [0.25]
}
