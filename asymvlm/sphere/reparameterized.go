package sphere

import (
	"math"

	"gosphere/asymvlm/special"
)

// A Draw is a random vector of a power spherical density that is a smooth function of the density's
// parameters, so that a loss of the vector can be differentiated with respect to them. The
// direction across μ stays as drawn, and t = μ·x stays at its quantile (implicit
// reparameterization, Figurnov and others 2018). De Cao and Aziz, who introduced the density for
// this purpose, let a library differentiate the Beta distribution; here its quantile is
// differentiated by quadrature.
type Draw struct {
	X       []float64 // the random vector
	density *PowerSpherical
	slope   float64 // dt/dκ
}

// RandDraw draws one random vector together with its derivatives. It takes some ten microseconds
// more than Rand.
func (p *PowerSpherical) RandDraw() *Draw {
	x := p.Rand(nil)
	d := float64(len(p.mu))
	return &Draw{X: x, density: p, slope: betaLaw{(d-1)/2 + p.kappa, (d - 1) / 2}.slope(dot(p.mu, x))}
}

// slope returns dt/dα at the quantile t, (∂/∂α Survival(t))/pdf(t) by the implicit function
// theorem. In the angle θ, t = cos θ, the density is proportional to cos^{2α−1}(θ/2)
// sin^{2β−1}(θ/2) and
//
//	∂/∂α Survival = ∫_{θ′<θ} f(θ′) [log cos²(θ′/2) + ψ(α+β) − ψ(α)] dθ′.
//
// The integral over all angles is 0, so the side without the peak is integrated.
func (l betaLaw) slope(t float64) float64 {
	if !(math.Abs(t) < 1) {
		return 0
	}
	a, b := 2*l.alpha-1, 2*l.beta-1
	theta, mode, low, high := math.Acos(t), 0.0, 0.0, math.Pi
	if a+b > 0 {
		mode = 2 * math.Atan2(math.Sqrt(b), math.Sqrt(a))
		width := peakWidths / math.Sqrt((a+b)/2) // from the curvature of the log density at its mode
		low, high = max(mode-width, 0), min(mode+width, math.Pi)
	}
	logDensity := func(theta float64) float64 {
		value := a * math.Log(math.Cos(theta/2))
		if b > 0 {
			value += b * math.Log(math.Sin(theta/2))
		}
		return value
	}
	here, center := logDensity(theta), special.DigammaDifference(l.alpha, l.beta)
	integrand := func(other float64) float64 {
		return math.Exp(logDensity(other)-here) * (2*math.Log(math.Cos(other/2)) + center)
	}
	from, to, sign := low, theta, 1.0
	if theta > mode {
		from, to, sign = theta, high, -1
	}
	if !(from < to) {
		return 0
	}
	count := int(math.Ceil(panels * (to - from) / (high - low)))
	step, sum := (to-from)/float64(count), 0.0
	for i := range count {
		middle := from + (float64(i)+0.5)*step
		for k, x := range gaussPoints {
			sum += gaussWeights[k] * integrand(middle+x*step/2)
		}
	}
	return sign * sum * step / 2 * math.Sin(theta)
}

// KappaDerivative writes the derivative of the vector with respect to κ to dst, which is allocated
// when nil, and returns it. With t = μ·x it is dt/dκ [μ − t (x − tμ)/(1−t²)].
func (w *Draw) KappaDerivative(dst []float64) []float64 {
	dst = sized(dst, len(w.X))
	t := dot(w.density.mu, w.X)
	square := (1 - t) * (1 + t)
	if square <= 0 {
		clear(dst)
		return dst
	}
	for i, mu := range w.density.mu {
		dst[i] = w.slope * (mu - t*(w.X[i]-t*mu)/square)
	}
	return dst
}

// Pull converts gradient, the derivative of a loss with respect to the vector, to the derivative
// with respect to the natural parameter η = κμ, as needed to train a network whose output is η. It
// writes the result to dst, which is allocated when nil, and returns it. It panics at κ = 0, where
// η has no direction.
func (w *Draw) Pull(dst, gradient []float64) []float64 {
	p := w.density
	checkLength(gradient, len(p.mu))
	if p.kappa == 0 {
		panic("sphere: the natural parameter 0 has no direction to differentiate")
	}
	along := dot(w.KappaDerivative(nil), gradient)
	dst = w.pullDirection(sized(dst, len(p.mu)), gradient)
	radial := dot(p.mu, dst)
	for i, mu := range p.mu {
		dst[i] = along*mu + (dst[i]-radial*mu)/p.kappa
	}
	return dst
}

// pullDirection writes the derivative with respect to μ to dst. The vector is x = ±y + f·μ ∓ f·e
// with f = (y₀ ∓ μ·y)/(1 ∓ μ₀), by the reflection of sample.go, which is its own inverse.
func (w *Draw) pullDirection(dst, gradient []float64) []float64 {
	mu := w.density.mu
	y := append([]float64(nil), w.X...)
	reflect(y, mu)
	sign := 1.0
	if mu[0] > 0 {
		sign = -1
	}
	f := (y[0] - sign*dot(mu, y)) / (1 - sign*mu[0])
	a := dot(gradient, mu) - sign*gradient[0]
	for i, g := range gradient {
		dst[i] = f*g - a*sign*y[i]/(1-sign*mu[0])
	}
	dst[0] += a * f * sign / (1 - sign*mu[0])
	return dst
}
