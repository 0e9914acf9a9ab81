package special

import "math"

// TrigammaDifference returns ψ′(x+k) − ψ′(x) for x > 0 and x+k > 0. The relative error stays small
// as k approaches 0.
func TrigammaDifference(x, k float64) float64 {
	if !(x > 0) || !(x+k > 0) {
		return math.NaN()
	}
	sum := 0.0
	for ; x < asymptoticFrom || x+k < asymptoticFrom; x++ {
		sum -= k / x * (2*x + k) / x / ((x + k) * (x + k))
	}
	a, b := 1/x, 1/(x+k)
	tail, atB := dividedDifference(trigamma, a*a, b*b)
	// The series is y + y²/2 + y·f(y²) in y = 1/x. The factor b − a = −kab is taken out of all
	// differences.
	return sum - k*a*b*(1+(a+b)/2+atB+a*(a+b)*tail)
}

// LogBeta returns log B(a, b) = log Γ(a) + log Γ(b) − log Γ(a+b) for a > 0 and b > 0. The two large
// terms are computed as one difference.
func LogBeta(a, b float64) float64 {
	if !(a > 0) || !(b > 0) {
		return math.NaN()
	}
	if a < b {
		a, b = b, a
	}
	small, _ := math.Lgamma(b)
	return small - LogGammaDifference(a, b)
}

// LogBetaDifference returns log B(a+k, b) − log B(a, b) for positive a, b and a+k. The relative
// error stays small as k or b approaches 0, although the two values may be in the thousands.
func LogBetaDifference(a, b, k float64) float64 {
	if !(a > 0) || !(b > 0) || !(a+k > 0) {
		return math.NaN()
	}
	return -LogGammaSecondDifference(a, b, k)
}
