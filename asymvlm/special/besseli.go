package special

import (
	"fmt"
	"math"
	"sync/atomic"
)

// expansionOrder is the lowest order at which the uniform expansion is used directly. At this order
// the eleventh term is below 1e-16 for every argument. Lower orders are reached from it by
// recurrence.
const expansionOrder = 40

// A BesselI evaluates the modified Bessel function of the first kind I_ν(x) and quantities derived
// from it, for one real order ν ≥ 0 and arguments 0 ≤ x ≤ 1e100, to nearly full float64 accuracy.
// Make one with NewBesselI. Construction is expensive (microseconds); an evaluation costs about a
// tenth of a microsecond for ν ≥ 40 and a little more for smaller ν.
//
// The uniform (Debye) expansion at an order of at least 40 is written as differences from x = 0, so
// that nothing cancels for small x. Lower orders follow from the recurrence
//
//	I_{ν}/I_{ν−1} = 1/(2ν/x + I_{ν+1}/I_ν)
//
// downwards, in which all terms are positive.
type BesselI struct {
	order float64
	// top is the order ν + steps at which the expansion is evaluated.
	top   float64
	steps int
	// Polynomials in p, lowest power first: the sums over k of U_k, (V_k−U_k)/(1−p²) and
	// (U_k−U_k(1))/(p−1), each divided by top^k; u starts with 1.
	u, t, e []float64
	// uSlope and tSlope are the derivatives of u and t.
	uSlope, tSlope []float64
	atOne          float64 // the sum u at p = 1, that is at x = 0
}

// NewBesselI prepares the evaluation of I_ν. It panics if the order is negative, infinite or NaN.
func NewBesselI(order float64) *BesselI {
	if !(order >= 0) || math.IsInf(order, 0) {
		panic(fmt.Sprintf("special: Bessel function of order %g, want a finite order of at least 0", order))
	}
	if b := lastBesselI.Load(); b != nil && b.order == order {
		return b
	}
	b := &BesselI{order: order, top: order}
	for b.top < expansionOrder {
		b.steps++
		b.top = order + float64(b.steps)
	}
	terms := debyeTerms()[:termsFor(b.top)]
	b.u, b.atOne = []float64{1}, 1
	scale := 1.0
	for _, term := range terms {
		scale /= b.top
		b.u = accumulate(b.u, term.u, scale)
		b.t = accumulate(b.t, term.t, scale)
		b.e = accumulate(b.e, term.e, scale)
		b.atOne += term.one * scale
	}
	b.uSlope, b.tSlope = slope(b.u), slope(b.t)
	lastBesselI.Store(b)
	return b
}

// lastBesselI is what NewBesselI has last returned: many densities in one dimension need the same
// function, and preparing it takes as long as hundreds of evaluations. Nothing modifies it.
var lastBesselI atomic.Pointer[BesselI]

// termsFor returns the number of terms of the expansion that an order needs: the first omitted term
// is below 1e-16 relative to the ratio, for this order and all higher ones.
func termsFor(order float64) int {
	switch {
	case order >= 250:
		return 6
	case order >= 120:
		return 8
	}
	return maxTerms
}

// accumulate adds scale·term to sum, extending sum as needed.
func accumulate(sum, term []float64, scale float64) []float64 {
	for len(sum) < len(term) {
		sum = append(sum, 0)
	}
	for i, c := range term {
		sum[i] += c * scale
	}
	return sum
}

// slope returns the derivative of the polynomial c.
func slope(c []float64) []float64 {
	d := make([]float64, max(len(c)-1, 1))
	for i := 1; i < len(c); i++ {
		d[i-1] = float64(i) * c[i]
	}
	return d
}

// Table returns the coefficients that LogScaled and RatioOverX evaluate, for devices that evaluate
// the same functions: the order ν, the order of the expansion, the number of recurrence steps
// between them, the sum at x = 0, the lengths of the polynomials e, u and t, and then their
// coefficients, lowest power first.
func (b *BesselI) Table() []float64 {
	table := []float64{b.order, b.top, float64(b.steps), b.atOne, float64(len(b.e)), float64(len(b.u)), float64(len(b.t))}
	return append(append(append(table, b.e...), b.u...), b.t...)
}

// horner evaluates the polynomial c at p.
func horner(c []float64, p float64) float64 {
	value := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		value = value*p + c[i]
	}
	return value
}

// Order returns ν.
func (b *BesselI) Order() float64 { return b.order }

// maxArgument is the upper end of the domain. Squares of larger arguments, or products of such
// squares, would overflow.
const maxArgument = 1e100

// outside reports whether x is outside the domain.
func outside(x float64) bool { return !(x >= 0 && x <= maxArgument) }

// A point is an argument in the variables of the expansion at the top order: z = x/ν, w = √(1+z²),
// p = 1/w, h = w − 1.
type point struct{ z, w, p, h float64 }

func (b *BesselI) at(x float64) point {
	z := x / b.top
	w := math.Hypot(1, z)
	return point{z: z, w: w, p: 1 / w, h: z * (z / (1 + w))}
}

// LogScaled returns the increase of log I_ν over its leading power:
//
//	LogScaled(x) = log[ Γ(ν+1) (2/x)^ν I_ν(x) ] = log ₀F₁(; ν+1; x²/4)
//
// for x ≥ 0. It is 0 at x = 0, grows like x²/(4(ν+1)), and is accurate to a few units in the last
// place even for small x, where the difference of two values of log I_ν has no correct digits. The
// expansion is DLMF 10.41.3 minus its value at 0.
func (b *BesselI) LogScaled(x float64) float64 {
	if outside(x) {
		return math.NaN()
	}
	q := b.at(x)
	// U-sum at p over U-sum at 1, minus 1; p − 1 = −h/(1+h).
	excess := -q.h / (1 + q.h) * horner(b.e, q.p) / b.atOne
	rise := b.top*(q.h-math.Log1p(q.h/2)) - math.Log1p(q.h)/2 + math.Log1p(excess)
	if b.steps == 0 {
		return rise
	}
	// LogScaled of order μ−1 is LogScaled of order μ plus log(1 + x²ρ/(2μ)), where ρ = I_{μ+1}/(x
	// I_μ). The factors are multiplied before the logarithm is taken; product is their product minus
	// 1.
	rho, product := b.ratioOverXAtTop(q), 0.0
	for step := b.steps - 1; step >= 0; step-- {
		twice := 2 * (b.order + float64(step) + 1)
		y := x * (x * rho) / twice
		product += y + product*y
		if product > 1e150 { // one more factor could overflow
			rise += math.Log1p(product)
			product = 0
		}
		rho = 1 / (twice + x*(x*rho))
	}
	return rise + math.Log1p(product)
}

// ratioOverXAtTop returns I_{μ+1}/(x I_μ) at the top order μ.
func (b *BesselI) ratioOverXAtTop(q point) float64 {
	return (1/(1+q.w) + q.p*horner(b.t, q.p)/horner(b.u, q.p)) / b.top
}

// RatioOverX returns I_{ν+1}(x)/(x I_ν(x)) for x ≥ 0. The function is smooth at 0, where its value
// is 1/(2(ν+1)).
func (b *BesselI) RatioOverX(x float64) float64 {
	if outside(x) {
		return math.NaN()
	}
	rho := b.ratioOverXAtTop(b.at(x))
	for step := b.steps - 1; step >= 0; step-- {
		rho = 1 / (2*(b.order+float64(step)+1) + x*(x*rho))
	}
	return rho
}

// Ratio returns I_{ν+1}(x)/I_ν(x) for x ≥ 0. It rises from 0 to 1 and is the derivative of
// LogScaled.
func (b *BesselI) Ratio(x float64) float64 { return x * b.RatioOverX(x) }

// RatioDerivative returns the derivative of Ratio with respect to x, for x ≥ 0. The textbook
// formula 1 − R² − (2ν+1)R/x loses all digits for large x, so the expansion itself is
// differentiated instead. The recurrence to orders below 40 costs up to four digits for x in the
// ten thousands.
func (b *BesselI) RatioDerivative(x float64) float64 {
	if outside(x) {
		return math.NaN()
	}
	q := b.at(x)
	t, u := horner(b.t, q.p), horner(b.u, q.p)
	quotient := t / u
	quotientSlope := (horner(b.tSlope, q.p) - quotient*horner(b.uSlope, q.p)) / u
	zp := q.z * q.p
	rise := q.p * q.p / b.top * (1/(1+q.p) + q.p*quotient - zp*zp*quotientSlope)
	rho := (1/(1+q.w) + q.p*quotient) / b.top
	for step := b.steps - 1; step >= 0; step-- {
		twice := 2 * (b.order + float64(step) + 1)
		rho = 1 / (twice + x*(x*rho))
		// The derivative of R = 1/(2μ/x + S) is R²(2μ/x² − S′), here with R = xρ.
		rise = rho * rho * (twice - x*x*rise)
	}
	return rise
}

// Log returns log I_ν(x) for x ≥ 0; at x = 0 it is 0 for ν = 0 and −∞ otherwise.
func (b *BesselI) Log(x float64) float64 {
	rise := b.LogScaled(x)
	if b.order == 0 {
		return rise
	}
	gamma, _ := math.Lgamma(b.order + 1)
	return rise + b.order*math.Log(x/2) - gamma
}
