package evidence

import (
	"math"

	"gosphere/asymvlm/special"
)

// seriesFrom is the argument from which h and q are computed by asymptotic series; at 15 the first
// omitted term of either is below 2e-13.
const seriesFrom = 15

// hSeries and qSeries are the coefficients of 1/x, 1/x², … in h and q. They follow from Stirling's
// series (DLMF 5.11.1) and its derivatives, term by term; the terms of size x log x, x and log x
// cancel exactly.
var (
	hSeries = []float64{-1. / 3, -1. / 12, -1. / 90, 1. / 120, 1. / 210, -1. / 252, -1. / 210, 1. / 240}
	qSeries = []float64{-1. / 2, -1. / 3, -1. / 6, -1. / 30, 1. / 30, 1. / 42, -1. / 42, -1. / 30, 1. / 30}
)

// h returns log Γ(x) − (x−1)ψ(x) + x for x ≥ 1. Its terms grow like x log x while h grows like (log
// x)/2: at x = e²⁰ the definition has no correct digit in float32 and ten in float64.
func h(x float64) float64 {
	if x < seriesFrom {
		gamma, _ := math.Lgamma(x)
		return gamma - (x-1)*special.Digamma(x) + x
	}
	return math.Log(x)/2 + math.Log(2*math.Pi)/2 + 0.5 + inverse(hSeries, x)
}

// q returns (x−1)ψ′(x) − 1 for x ≥ 1, which is minus the derivative of h. It rises from −1 to 0 and
// behaves like −1/(2x) for large x.
func q(x float64) float64 {
	if x < seriesFrom {
		return (x-1)*special.Trigamma(x) - 1
	}
	return inverse(qSeries, x)
}

// inverse returns Σ coefficients[k]·x^(−k−1).
func inverse(coefficients []float64, x float64) float64 {
	sum := 0.0
	for k := len(coefficients) - 1; k >= 0; k-- {
		sum = (sum + coefficients[k]) / x
	}
	return sum
}
