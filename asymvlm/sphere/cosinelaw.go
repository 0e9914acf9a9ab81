package sphere

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// A CosineLaw is the distribution of t = μ·x, the cosine between a draw and the mean direction.
// Both families depend on x through t alone, so this distribution describes completely how far
// draws lie from μ: the highest-density region of probability p is the cap t ≥ Cap(p).
type CosineLaw interface {
	// CDF returns the probability of μ·x ≤ t and Survival the probability of μ·x > t. Both keep
	// small probabilities accurate.
	CDF(t float64) float64
	Survival(t float64) float64
	// Quantile returns the t with CDF(t) = p, and Cap the t with Survival(t) = p. Both return NaN
	// unless 0 ≤ p ≤ 1. If all probability lies close to t = ±1, they are as accurate as float64
	// allows near 1.
	Quantile(p float64) float64
	Cap(p float64) float64
}

// CosineLaw returns the distribution of μ·x. The angle θ = arccos t has a density proportional to
//
//	exp(κ cos θ) sin^{d−2} θ,   0 ≤ θ ≤ π,
//
// which is integrated numerically. Probabilities above 1e-40 have a relative error of about 1e-12.
func (v *VonMisesFisher) CosineLaw() CosineLaw { return newAngleLaw(len(v.mu), v.kappa) }

// CosineLaw returns the distribution of μ·x, in which (1 + μ·x)/2 is Beta(α, β).
func (p *PowerSpherical) CosineLaw() CosineLaw {
	beta := float64(len(p.mu)-1) / 2
	return betaLaw{beta + p.kappa, beta}
}

// A betaLaw is the distribution of t when (1+t)/2 is Beta(alpha, beta).
type betaLaw struct{ alpha, beta float64 }

// CDF returns the probability of μ·x ≤ t.
func (l betaLaw) CDF(t float64) float64 {
	if math.IsNaN(t) {
		return t
	}
	return mathext.RegIncBeta(l.alpha, l.beta, min(max((1+t)/2, 0), 1))
}

// Survival returns the probability of μ·x > t.
func (l betaLaw) Survival(t float64) float64 {
	if math.IsNaN(t) {
		return t
	}
	return mathext.RegIncBeta(l.beta, l.alpha, min(max((1-t)/2, 0), 1))
}

// Quantile returns the t with CDF(t) = p.
func (l betaLaw) Quantile(p float64) float64 { return bisect(p, l.CDF, l.Survival) }

// Cap returns the t with Survival(t) = p.
func (l betaLaw) Cap(p float64) float64 { return -bisect(p, below(l.Survival), below(l.CDF)) }

// below returns the function t ↦ f(−t).
func below(f func(t float64) float64) func(t float64) float64 {
	return func(t float64) float64 { return f(-t) }
}

// bisect returns the t between −1 and 1 with lower(t) = p, where lower rises from 0 to 1 and upper
// is 1 − lower. For p > ½ it compares upper, so that both tails are exact. It halves an interval of
// the angle, which resolves both ends of the range of t, until its ends are neighboring numbers.
func bisect(p float64, lower, upper func(t float64) float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return -1
	case p == 1:
		return 1
	}
	isBelow := func(t float64) bool { return lower(t) < p }
	if p > 0.5 {
		isBelow = func(t float64) bool { return upper(t) > 1-p }
	}
	near, far := 0.0, math.Pi // angles: t falls from 1 to −1
	for {
		middle := near + (far-near)/2
		if middle == near || middle == far {
			return math.Cos(middle)
		}
		if isBelow(math.Cos(middle)) {
			far = middle
		} else {
			near = middle
		}
	}
}

// The angle's density is an entire function with a single peak in [0, π]. Gauss–Legendre quadrature
// on panels as wide as the peak therefore converges to float64 accuracy with few points.
const (
	panels     = 48   // over the interval that holds all but the tails
	peakWidths = 28.0 // half the interval in standard deviations of the peak; the omitted tails are below 1e-40
)

// gaussPoints and gaussWeights are the Gauss–Legendre rule of 16 points on [−1, 1], exact to degree
// 31.
var gaussPoints, gaussWeights = gaussRule(16)

// gaussRule returns the Gauss–Legendre rule with the given number of points.
func gaussRule(points int) (x, weight []float64) {
	x, weight = make([]float64, points), make([]float64, points)
	quad.Legendre{}.FixedLocations(x, weight, -1, 1)
	return x, weight
}

// An angleLaw is the distribution of the angle between a von Mises–Fisher draw and the mean
// direction.
type angleLaw struct {
	d, kappa  float64
	mode      float64 // mode of the angle
	low, high float64 // angles outside of which the density is taken as 0
	total     float64 // integral of the density divided by its value at the mode
}

// newAngleLaw locates the peak, κ sin²θ = (d−2) cos θ. With m = d−2 and r = √(m²+4κ²), cos θ =
// 2κ/(m+r) and sin²θ = 2m/(m+r), neither of which cancels. The curvature of the log density at the
// peak is κ cos θ + m/sin²θ.
func newAngleLaw(d int, kappa float64) *angleLaw {
	l := &angleLaw{d: float64(d), kappa: kappa, high: math.Pi}
	m := l.d - 2
	if m > 0 || kappa > 0 {
		root := math.Hypot(m, 2*kappa)
		cosine, curvature := 2*kappa/(m+root), kappa
		l.mode = math.Atan2(math.Sqrt(2*m/(m+root)), cosine)
		if m > 0 {
			curvature = kappa*cosine + (m+root)/2
		}
		width := peakWidths / math.Sqrt(curvature)
		l.low, l.high = max(l.mode-width, 0), min(l.mode+width, math.Pi)
	}
	l.total = l.integral(l.low, l.high)
	return l
}

// density returns the density at the angle theta divided by the density at the mode.
func (l *angleLaw) density(theta float64) float64 {
	// cos θ − cos θ₀ as a product, which does not cancel.
	exponent := -2 * l.kappa * math.Sin((theta+l.mode)/2) * math.Sin((theta-l.mode)/2)
	if l.d > 2 {
		exponent += (l.d - 2) * math.Log(math.Sin(theta)/math.Sin(l.mode))
	}
	return math.Exp(exponent)
}

// integral returns the integral of the density between two angles. Its panels are no wider than
// those that cover the whole interval.
func (l *angleLaw) integral(from, to float64) float64 {
	from, to = max(from, l.low), min(to, l.high)
	if !(from < to) {
		return 0
	}
	count := int(math.Ceil(panels * (to - from) / (l.high - l.low)))
	width := (to - from) / float64(count)
	sum := 0.0
	for i := range count {
		middle := from + (float64(i)+0.5)*width
		for k, x := range gaussPoints {
			sum += gaussWeights[k] * l.density(middle+x*width/2)
		}
	}
	return sum * width / 2
}

// angle returns arccos t for any t, and NaN for NaN.
func angle(t float64) float64 {
	if math.IsNaN(t) {
		return t
	}
	return 2 * math.Atan2(math.Sqrt(max(1-t, 0)), math.Sqrt(max(1+t, 0)))
}

// CDF returns the probability of μ·x ≤ t, which is the probability of an angle of at least arccos
// t.
func (l *angleLaw) CDF(t float64) float64 {
	if math.IsNaN(t) {
		return t
	}
	return min(l.integral(angle(t), l.high)/l.total, 1)
}

// Survival returns the probability of μ·x > t.
func (l *angleLaw) Survival(t float64) float64 {
	if math.IsNaN(t) {
		return t
	}
	return min(l.integral(l.low, angle(t))/l.total, 1)
}

// Quantile returns the t with CDF(t) = p.
func (l *angleLaw) Quantile(p float64) float64 { return bisect(p, l.CDF, l.Survival) }

// Cap returns the t with Survival(t) = p.
func (l *angleLaw) Cap(p float64) float64 { return -bisect(p, below(l.Survival), below(l.CDF)) }
