package special

import "math"

// BesselRatioFraction returns I_{ν+1}(x)/I_ν(x) for ν ≥ 0 and x ≥ 0 from the continued fraction
//
//	1/(2(ν+1)/x + 1/(2(ν+2)/x + …))
//
// by the modified Lentz method (DLMF 10.33.1). It shares no code with BesselI.Ratio and serves as a
// check of it. It needs a few dozen steps for x ≤ ν and about x steps for x above 10⁴. The result
// is NaN if ten million steps are not enough.
func BesselRatioFraction(order, x float64) float64 {
	if !(order >= 0) || outside(x) {
		return math.NaN()
	}
	if x == 0 {
		return 0
	}
	const epsilon = 0x1p-53
	// This evaluates the fraction below the leading 1/. Each convergent is the last one times
	// change. All terms are positive, so no denominator can vanish.
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

// LogRiseSeries returns the value of BesselI.LogScaled from the power series
//
//	log Σ_k (x²/4)^k / (k! (ν+1)(ν+2)…(ν+k)),
//
// in which all terms are positive. It shares no code with BesselI and serves as a check of it. It
// needs about x steps. The sum overflows, and the result is +Inf, if the exact result exceeds 709.
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
