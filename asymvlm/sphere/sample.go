package sphere

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Both densities depend on x only through t = μ·x, so a draw has two parts: t from its own
// distribution, and a direction v that is uniform on the sphere of the d−1 remaining dimensions. If
// μ is the first axis, the vector is (t, √(1−t²) v); a reflection then maps the first axis to μ. A
// draw needs d−1 normal deviates.

// A random draws deviates from a source, or from the global source.
type random struct {
	src     rand.Source
	normal  func() float64
	uniform func() float64
}

// newRandom returns a random that draws from src, or from the global source if src is nil.
func newRandom(src rand.Source) random {
	if src == nil {
		return random{normal: rand.NormFloat64, uniform: rand.Float64}
	}
	r := rand.New(src)
	return random{src: src, normal: r.NormFloat64, uniform: r.Float64}
}

// beta draws z from Beta(a, b) and returns z and 1−z, each with a small relative error.
func (r random) beta(a, b float64) (z, rest float64) {
	x := distuv.Gamma{Alpha: a, Beta: 1, Src: r.src}.Rand()
	y := distuv.Gamma{Alpha: b, Beta: 1, Src: r.src}.Rand()
	return x / (x + y), y / (x + y)
}

// wood draws t = μ·x for the von Mises–Fisher density with m = d−1, by the rejection method of
// Ulrich (1984) as corrected by Wood (1994), and returns t and √(1−t²). The acceptance rate is near
// 1 for κ much smaller than m and 0.7 for the largest κ.
//
// With Z from Beta(m/2, m/2), W = (1−(1+b)Z)/(1−(1−b)Z) is accepted with probability exp(κ(W−x₀) +
// m log((1−x₀W)/(1−x₀²))). All terms are written in 1−W and 1−x₀, which are tiny for large κ.
func (r random) wood(m, kappa float64) (t, across float64) {
	b := m / (2*kappa + math.Sqrt(4*kappa*kappa+m*m))
	gap := 2 * b / (1 + b) // 1 − x₀
	for {
		z, rest := r.beta(m/2, m/2)
		denominator := rest + b*z // 1 − (1−b)Z
		below := 2 * b * z / denominator
		ratio := (gap + (1-gap)*below) / (gap * (2 - gap))
		// A uniform deviate of exactly 0 has the logarithm −Inf and accepts, which is correct.
		if kappa*(gap-below)+m*math.Log(ratio) >= math.Log(r.uniform()) {
			return 1 - below, 2 * math.Sqrt(b*z*rest) / denominator
		}
	}
}

// around sets dst to a vector whose component along mu has the length along and whose remainder has
// the norm across and a uniform direction.
func (r random) around(dst, mu []float64, along, across float64) []float64 {
	square := 0.0
	for square == 0 { // all deviates are 0 with probability 2⁻⁵², and only for d = 2; that vector has no direction
		for i := 1; i < len(dst); i++ {
			dst[i] = r.normal()
			square += dst[i] * dst[i]
		}
	}
	scale := across / math.Sqrt(square)
	dst[0] = along
	for i := 1; i < len(dst); i++ {
		dst[i] *= scale
	}
	reflect(dst, mu)
	return dst
}

// reflect applies to y an orthogonal map that takes the first axis e to mu. The Householder
// reflection along e−μ does so, but e−μ loses its digits if μ is close to e. In that case the
// reflection along e+μ followed by a change of sign is used instead.
func reflect(y, mu []float64) {
	sign := 1.0
	if mu[0] > 0 {
		sign = -1
	}
	// u = e − sign·μ has |u|² = 2 − 2·sign·μ₀, which is at least 2 by the choice of sign.
	product := y[0]
	for i, value := range mu {
		product -= sign * value * y[i]
	}
	factor := product / (1 - sign*mu[0])
	y[0] -= factor
	for i, value := range mu {
		y[i] = sign * (y[i] + factor*sign*value)
	}
}
