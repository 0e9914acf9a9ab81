package laplace

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Factors are the two Kronecker factors of the curvature of a layer over n pairs: A = Σ φφᵀ/√n of
// its inputs and B = Σ H/√n of its outputs.
type Factors struct{ Inputs, Outputs *mat.SymDense }

// A Posterior is the Laplace approximation of a layer's weights: their covariance is the Kronecker
// product of (√ν A + √λ I)⁻¹ and (√ν B + √λ I)⁻¹ with the pseudo-count ν and the precision λ of the
// prior.
type Posterior struct {
	Inputs, Outputs *mat.SymDense // the two inverses
}

// NewPosterior returns the posterior of a layer for a pseudo-count ν ≥ 0 and a precision λ > 0 of
// the prior, both finite. The authors' pseudo-count is 10 in their zero-shot implementation.
// Missing factors, factors with values that are not finite, and factors that are not positive
// definite together with the prior are errors.
func NewPosterior(f Factors, pseudoCount, precision float64) (*Posterior, error) {
	if !(pseudoCount >= 0) || !(precision > 0) || math.IsInf(pseudoCount+precision, 1) {
		return nil, fmt.Errorf("laplace: pseudo-count %g and precision %g, want finite numbers from 0 and above 0", pseudoCount, precision)
	}
	p := &Posterior{}
	var err error
	if p.Inputs, err = inverse(f.Inputs, math.Sqrt(pseudoCount), math.Sqrt(precision)); err != nil {
		return nil, fmt.Errorf("laplace: factor of the inputs: %w", err)
	}
	if p.Outputs, err = inverse(f.Outputs, math.Sqrt(pseudoCount), math.Sqrt(precision)); err != nil {
		return nil, fmt.Errorf("laplace: factor of the outputs: %w", err)
	}
	return p, nil
}

// inverse returns (scale·m + shift·I)⁻¹.
func inverse(m *mat.SymDense, scale, shift float64) (*mat.SymDense, error) {
	if err := checkFactor(m); err != nil {
		return nil, err
	}
	var shifted, inverted mat.SymDense
	shifted.ScaleSym(scale, m)
	for i := range shifted.SymmetricDim() {
		shifted.SetSym(i, i, shifted.At(i, i)+shift)
	}
	var factors mat.Cholesky
	if !factors.Factorize(&shifted) {
		return nil, fmt.Errorf("not positive definite with the prior's precision")
	}
	if err := factors.InverseTo(&inverted); err != nil {
		return nil, err
	}
	return &inverted, nil
}

// checkFactor returns an error if a factor is missing or has values that are not finite.
func checkFactor(m *mat.SymDense) error {
	if m == nil || m.SymmetricDim() == 0 {
		return fmt.Errorf("missing")
	}
	for i := range m.SymmetricDim() {
		for j := i; j < m.SymmetricDim(); j++ {
			if value := m.At(i, j); math.IsNaN(value) || math.IsInf(value, 0) {
				return fmt.Errorf("row %d, column %d is %g", i, j, value)
			}
		}
	}
	return nil
}

// Variances sets dst to the variance of every coordinate of the embedding Wφ, Q values, and returns
// it: v_j = (φᵀ A⁻¹ φ)(B⁻¹)_jj with the inverses of the posterior. A nil dst is allocated. If the
// layer has a bias, φ, P values, ends with an additional 1. Variances panics if dst or φ has
// another length.
func (p *Posterior) Variances(dst, phi []float64) []float64 {
	width := p.Outputs.SymmetricDim()
	if dst == nil {
		dst = make([]float64, width)
	}
	if inputs := p.Inputs.SymmetricDim(); len(phi) != inputs || len(dst) != width {
		panic(fmt.Sprintf("laplace: %d inputs and room for %d variances, the posterior has %d and %d", len(phi), len(dst), inputs, width))
	}
	input := mat.NewVecDense(len(phi), phi)
	spread := mat.Inner(input, p.Inputs, input)
	for j := range dst {
		dst[j] = spread * p.Outputs.At(j, j)
	}
	return dst
}
