package special

import (
	"math/big"
	"sync"
)

// maxTerms is the largest number of terms of the uniform expansion. Ten give full float64 accuracy
// for all orders from 31.
const maxTerms = 10

// A debyeTerm holds three polynomials in p, lowest power first, that belong to one power of 1/ν in
// the uniform expansion of I_ν (NIST Digital Library of Mathematical Functions, 10.41).
type debyeTerm struct {
	u []float64 // U_k(p)
	t []float64 // (V_k(p) − U_k(p))/(1 − p²), used by the ratio of two neighboring orders
	e []float64 // (U_k(p) − U_k(1))/(p − 1), used by the difference from the value at 0
	// one is U_k(1), the k-th coefficient of Stirling's series with the sign changed for odd k.
	one float64
}

// debyeTerms returns the terms k = 1 … maxTerms. They are computed once, in exact rational
// arithmetic: the coefficients are large and alternate in sign, so rounding within the recurrence
// would lose the digits that the expansion is meant to keep. This takes about a millisecond.
var debyeTerms = sync.OnceValue(func() []debyeTerm {
	terms := make([]debyeTerm, 0, maxTerms)
	u := polynomial{big.NewRat(1, 1)} // U_0
	for range maxTerms {
		t := u.ratioTerm()
		u = u.next()
		e, one := u.divideByPMinusOne()
		terms = append(terms, debyeTerm{u: u.floats(), t: t.floats(), e: e.floats(), one: toFloat(one)})
	}
	return terms
})

// A polynomial is a polynomial in p with exact coefficients, lowest power first.
type polynomial []*big.Rat

// next returns U_{k+1} for u = U_k (DLMF 10.41.9):
//
//	U_{k+1}(p) = ½ p²(1−p²) U_k′(p) + ⅛ ∫₀ᵖ (1−5t²) U_k(t) dt
func (u polynomial) next() polynomial {
	sum := newPolynomial(len(u) + 3)
	for n, c := range u {
		power := int64(n)
		sum.add(n+1, c, power, 2) // ½ p²·n p^{n−1}
		sum.add(n+3, c, -power, 2)
		sum.add(n+1, c, 1, 8*(power+1))
		sum.add(n+3, c, -5, 8*(power+3))
	}
	return sum
}

// ratioTerm returns (V_{k+1} − U_{k+1})/(1−p²) for u = U_k. By DLMF 10.41.9,
//
//	V_{k+1}(p) = U_{k+1}(p) − ½ p(1−p²) U_k(p) − p²(1−p²) U_k′(p),
//
// so the factor 1−p² divides out exactly and −½ p U_k(p) − p² U_k′(p) remains.
func (u polynomial) ratioTerm() polynomial {
	sum := newPolynomial(len(u) + 1)
	for n, c := range u {
		sum.add(n+1, c, -1, 2)
		sum.add(n+1, c, -int64(n), 1)
	}
	return sum
}

// divideByPMinusOne returns (u(p) − u(1))/(p − 1) by Horner's scheme, and u(1).
func (u polynomial) divideByPMinusOne() (quotient polynomial, one *big.Rat) {
	quotient = newPolynomial(len(u) - 1)
	carry := new(big.Rat)
	for n := len(u) - 1; n >= 0; n-- {
		carry.Add(carry, u[n])
		if n > 0 {
			quotient[n-1].Set(carry)
		}
	}
	return quotient, carry
}

// newPolynomial returns a polynomial of n coefficients, all 0.
func newPolynomial(n int) polynomial {
	p := make(polynomial, n)
	for i := range p {
		p[i] = new(big.Rat)
	}
	return p
}

// add adds c·numerator/denominator to the coefficient of a power of p.
func (u polynomial) add(power int, c *big.Rat, numerator, denominator int64) {
	factor := big.NewRat(numerator, denominator)
	u[power].Add(u[power], factor.Mul(factor, c))
}

// floats returns the coefficients rounded to float64.
func (u polynomial) floats() []float64 {
	values := make([]float64, len(u))
	for i, c := range u {
		values[i] = toFloat(c)
	}
	return values
}

// toFloat returns the float64 nearest to c.
func toFloat(c *big.Rat) float64 {
	value, _ := c.Float64()
	return value
}
