package special

import "math"

// BesselRatioFraction returns I_{ν+1}(x)/I_ν(x) for ν ≥ 0 and x ≥ 0 from the continued fraction
//
//	1/(2(ν+1)/x + 1/(2(ν+2)/x + …))
//
// by the modified method of Lentz (DLMF 10.33.1). It is a second route to BesselI.Ratio with nothing in common: a few dozen
// steps for x ≤ ν, about as many as x beyond 10⁴. Where ten million steps are not enough the result is NaN.
func BesselRatioFraction(order, x float64) float64 {
	if !(order >= 0) || outside(x) {
		return math.NaN()
	}
	if x == 0 {
		return 0
	}
	const epsilon = 0x1p-53
	// The fraction below the leading 1/: its convergents times change give the next ones. All terms are positive,
	// so no denominator can vanish.
	fraction := 2 * (order + 1) / x
	c, d := fraction, 0.0
	for n := 2.0; n < 1e7; n++ {
		b := 2 * (order + n) / x
		d = 1 / (b + d)
		c = b + 1/c
		change := c * d
		fraction *= change
		if math.Abs(change-1) <= epsilon {
			return 1 / fraction
		}
	}
	return math.NaN()
}

// LogRiseSeries returns the same as BesselI.LogRise from the power series
//
//	log Σ_k (x²/4)^k / (k! (ν+1)(ν+2)…(ν+k)),
//
// whose terms are all positive. It is a second route with nothing in common; about x steps are needed, and the sum
// overflows, giving +Inf, when the result would exceed 709.
func LogRiseSeries(order, x float64) float64 {
	if !(order >= 0) || outside(x) {
		return math.NaN()
	}
	term, sum := 1.0, 0.0
	for k := 1.0; ; k++ {
		term *= x / 2 / k * (x / 2 / (order + k))
		sum += term
		if term <= sum*0x1p-60 || math.IsInf(sum, 1) {
			return math.Log1p(sum)
		}
	}
}
