package special

import "math"

// Deficit returns x − LogScaled(x) for x ≥ 0. It keeps its digits for large x, where LogScaled(x)
// is nearly x and the difference grows only like (ν+½) log x.
func (b *BesselI) Deficit(x float64) float64 {
	if outside(x) {
		return math.NaN()
	}
	q := b.at(x)
	// These are the terms of LogScaled, except for the first: z − h = 1 − 1/(w+z).
	excess := -q.h / (1 + q.h) * horner(b.e, q.p) / b.atOne
	deficit := b.top*(1-1/(q.w+q.z)) + b.top*math.Log1p(q.h/2) + math.Log1p(q.h)/2 - math.Log1p(excess)
	rho := b.ratioOverXAtTop(q)
	for step := b.steps - 1; step >= 0; step-- {
		twice := 2 * (b.order + float64(step) + 1)
		deficit -= math.Log1p(x * (x * rho) / twice)
		rho = 1 / (twice + x*(x*rho))
	}
	return deficit
}

// OneMinusRatio returns 1 − Ratio(x) for x ≥ 0. It falls from 1 and behaves like (ν+½)/x for large
// x, where Ratio itself rounds to 1.
func (b *BesselI) OneMinusRatio(x float64) float64 {
	if outside(x) {
		return math.NaN()
	}
	q := b.at(x)
	deficit := (1+1/(q.w+q.z))/(1+q.w) - q.z*q.p*horner(b.t, q.p)/horner(b.u, q.p)
	for step := b.steps - 1; step >= 0; step-- {
		// R = 1/(2μ/x + 1 − D) for the deficit D of the next order.
		rest := 2*(b.order+float64(step)+1) - x*deficit
		deficit = rest / (rest + x)
	}
	return deficit
}
