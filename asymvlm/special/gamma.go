package special

import "math"

// asymptoticFrom is the argument from which the asymptotic series below are used. With the terms
// kept there, the first omitted one is below 1e-17 of the sum; smaller arguments are raised by
// recurrence.
const asymptoticFrom = 15

// The coefficients of the asymptotic series, B the Bernoulli numbers 1/6, −1/30, 1/42, −1/30, 5/66,
// −691/2730, 7/6.
var (
	// log Γ(x) = (x−½) log x − x + ½ log 2π + Σ B_{2k}/(2k(2k−1)) x^{1−2k} (DLMF 5.11.1)
	stirling = []float64{1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156}
	// ψ(x) = log x − 1/(2x) − Σ B_{2k}/(2k) x^{−2k} (DLMF 5.11.2), the power 0 first
	digamma = []float64{0, 1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12}
	// ψ′(x) = 1/x + 1/(2x²) + Σ B_{2k} x^{−2k−1} (DLMF 5.15.8)
	trigamma = []float64{0, 1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6}
)

// afterFirst is stirling without its first term.
var afterFirst = append([]float64{0}, stirling[1:]...)

// dividedDifference returns (f(b) − f(a))/(b − a) for the polynomial f with the given coefficients,
// lowest power first, and f(b). No difference is taken, so nothing cancels when b is close to a.
func dividedDifference(coefficients []float64, a, b float64) (difference, atB float64) {
	for i := len(coefficients) - 1; i >= 0; i-- {
		difference = difference*a + atB
		atB = atB*b + coefficients[i]
	}
	return difference, atB
}

// Digamma returns ψ(x), the derivative of log Γ(x), for x > 0.
func Digamma(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	sum := 0.0
	for ; x < asymptoticFrom; x++ {
		sum -= 1 / x
	}
	return sum + math.Log(x) - 1/(2*x) - horner(digamma, 1/(x*x))
}

// Trigamma returns ψ′(x), the derivative of the digamma function, for x > 0.
func Trigamma(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	sum := 0.0
	for ; x < asymptoticFrom; x++ {
		sum += 1 / (x * x)
	}
	y := 1 / (x * x)
	return sum + (1+horner(trigamma, y))/x + y/2
}

// DigammaDifference returns ψ(x+k) − ψ(x) for x > 0 and x+k > 0. The relative error stays small as
// k approaches 0.
func DigammaDifference(x, k float64) float64 {
	if !(x > 0) || !(x+k > 0) {
		return math.NaN()
	}
	sum := 0.0
	for ; x < asymptoticFrom || x+k < asymptoticFrom; x++ {
		sum += k / (x * (x + k))
	}
	a, b := 1/x, 1/(x+k)
	tail, _ := dividedDifference(digamma, a*a, b*b)
	// b² − a² = −kab(a+b) has k as a factor.
	return sum + logRise(x, k) + k*a*b/2 + k*a*b*(a+b)*tail
}

// LogGammaDifference returns log Γ(x+k) − log Γ(x) for x > 0 and x+k > 0. The relative error stays
// small as k approaches 0, and for large x, where the two values agree in most of their digits.
func LogGammaDifference(x, k float64) float64 {
	if !(x > 0) || !(x+k > 0) {
		return math.NaN()
	}
	sum := 0.0
	for ; x < asymptoticFrom || x+k < asymptoticFrom; x++ {
		sum -= logRise(x, k)
	}
	return sum + (x-0.5)*logRise(x, k) + k*math.Log(x+k) - k + k*stirlingSlope(stirling, x, k)
}

// logRise returns log(x+k) − log x.
func logRise(x, k float64) float64 {
	if k < -x/2 { // 1 + k/x would lose digits
		return math.Log((x + k) / x)
	}
	return math.Log1p(k / x)
}

// stirlingSlope returns (g(x+k) − g(x))/k, where g is the part of Stirling's series that has the
// given coefficients.
func stirlingSlope(coefficients []float64, x, k float64) float64 {
	a, b := 1/x, 1/(x+k)
	difference, atB := dividedDifference(coefficients, a*a, b*b)
	// g = y·f(y²) in y = 1/x, so that g(b) − g(a) = (b−a) f(b²) + a (b²−a²) f[a², b²].
	return -a * b * (atB + a*(a+b)*difference)
}

// LogGammaSecondDifference returns
//
//	log Γ(x+s+t) − log Γ(x+s) − log Γ(x+t) + log Γ(x)
//
// for positive x, x+s, x+t and x+s+t. It has the sign of st and is about st/x. The relative error
// stays small as s or t approaches 0, although the four values may be in the thousands.
func LogGammaSecondDifference(x, s, t float64) float64 {
	if !(x > 0) || !(x+s > 0) || !(x+t > 0) || !(x+s+t > 0) {
		return math.NaN()
	}
	// Starting from the smallest of the four arguments keeps the terms below of similar size.
	if s < 0 {
		return -LogGammaSecondDifference(x+s, -s, t)
	}
	if t < 0 {
		return -LogGammaSecondDifference(x+t, s, -t)
	}
	sum := 0.0
	for ; x < asymptoticFrom; x++ {
		sum -= secondLog(x, s, t)
	}
	main := (x-0.5)*secondLog(x, s, t) + s*logRise(x+s, t) + t*logRise(x+t, s)
	// The first term of Stirling's series, 1/(12x), has a second difference with the factor st. The
	// remaining terms are so small that a plain difference suffices.
	first := s / x * (t / (x + s)) * (2*x + s + t) / ((x + t) * (x + s + t)) / 12
	return sum + main + first + s*(stirlingSlope(afterFirst, x+t, s)-stirlingSlope(afterFirst, x, s))
}

// secondLog returns log(x+s+t) − log(x+s) − log(x+t) + log x.
func secondLog(x, s, t float64) float64 {
	lost := s / (x + s) * (t / (x + t))
	if lost > 0.5 { // 1 − lost would lose digits
		return logRise(x+t, s) - logRise(x, s)
	}
	return math.Log1p(-lost)
}
