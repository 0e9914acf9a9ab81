package laplace

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"gosphere/asymvlm/gaussian"
)

// An Evidence is the logarithm of the marginal likelihood of a layer as a function of its prior's
// precision λ:
//
//	−λ|W|²/2 + (PQ/2) log λ − ½ log det(A′ ⊗ B′),  A′ = √ν A + √λ I, B′ = √ν B + √λ I
//
// where A is P×P and B is Q×Q. log det(A′⊗B′) is Q log det A′ + P log det B′. The official form,
// that of the authors' implementation and of the published precisions, exchanges P and Q in the
// determinant and omits ½.
type Evidence struct {
	pseudoCount, weights float64
	inputs, outputs      []float64 // eigenvalues of the factors
}

// NewEvidence returns the evidence of a layer whose squared weights sum to weights, |W|². Both
// numbers must be finite and at least 0. Missing factors and factors with values that are not
// finite are errors. It computes the eigenvalues of both factors with P³+Q³ operations; each
// evaluation then takes P+Q.
func NewEvidence(f Factors, weights, pseudoCount float64) (*Evidence, error) {
	if !(weights >= 0) || !(pseudoCount >= 0) || math.IsInf(weights+pseudoCount, 1) {
		return nil, fmt.Errorf("laplace: squared weights %g and pseudo-count %g, want finite numbers from 0", weights, pseudoCount)
	}
	e := &Evidence{pseudoCount: pseudoCount, weights: weights}
	for _, side := range []struct {
		name   string
		matrix *mat.SymDense
		values *[]float64
	}{{"inputs", f.Inputs, &e.inputs}, {"outputs", f.Outputs, &e.outputs}} {
		if err := checkFactor(side.matrix); err != nil {
			return nil, fmt.Errorf("laplace: factor of the %s: %w", side.name, err)
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(side.matrix, false) {
			return nil, fmt.Errorf("laplace: a factor of %d rows has no eigenvalues", side.matrix.SymmetricDim())
		}
		*side.values = eigen.Values(nil)
	}
	return e, nil
}

// At returns the evidence at a precision λ > 0, in nats, and its derivative with respect to log λ.
// For other λ the results are NaN or infinite.
func (e *Evidence) At(form gaussian.Form, precision float64) (value, slope float64) {
	p, q := float64(len(e.inputs)), float64(len(e.outputs))
	ofInputs, ofOutputs := q/2, p/2
	if form == gaussian.Official {
		ofInputs, ofOutputs = p, q
	}
	value = -precision*e.weights/2 + p*q/2*math.Log(precision)
	slope = -precision*e.weights/2 + p*q/2
	count, root := math.Sqrt(e.pseudoCount), math.Sqrt(precision)
	for _, side := range []struct {
		values []float64
		factor float64
	}{{e.inputs, ofInputs}, {e.outputs, ofOutputs}} {
		for _, eigenvalue := range side.values {
			// Rounding can make an eigenvalue of 0 negative.
			total := count*max(eigenvalue, 0) + root
			value -= side.factor * math.Log(total)
			slope -= side.factor * root / (2 * total)
		}
	}
	return value, slope
}

// Constants of Adam in the authors' implementation.
const (
	fitRate     = 1e-2
	firstDecay  = 0.9
	secondDecay = 0.999
	epsilon     = 1e-8
)

// Fit maximizes the evidence by Adam on log λ, from a precision > 0, and returns the precision
// after each step. The authors use 300 to 1000 steps from 300 to 800. With steps of 1 %, the result
// has not reached a distant maximum.
func (e *Evidence) Fit(form gaussian.Form, precision float64, steps int) []float64 {
	precisions := make([]float64, steps)
	logarithm := math.Log(precision)
	var first, second float64
	for step := range precisions {
		_, slope := e.At(form, math.Exp(logarithm))
		first += (slope - first) * (1 - firstDecay)
		second = second*secondDecay + slope*slope*(1-secondDecay)
		t := float64(step + 1)
		root := math.Sqrt(second) / math.Sqrt(1-math.Pow(secondDecay, t))
		logarithm += fitRate / (1 - math.Pow(firstDecay, t)) * first / (root + epsilon)
		precisions[step] = math.Exp(logarithm)
	}
	return precisions
}
