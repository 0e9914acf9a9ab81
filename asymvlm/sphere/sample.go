package sphere

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Both densities depend on x only through t = μ·x, so a draw has two parts: t from its own law, and a direction v,
// uniform on the sphere of the d−1 remaining dimensions. With the first axis in place of μ the vector is
// (t, √(1−t²) v); a reflection then takes the first axis to μ. Costs d−1 normal deviates.

// A random draws from a source, or from the global one.
type random struct {
	src     rand.Source
	normal  func() float64
	uniform func() float64
}

// newRandom returns the functions that draw from src, or from the global source when it is nil.
func newRandom(src rand.Source) random {
	if src == nil {
		return random{normal: rand.NormFloat64, uniform: rand.Float64}
	}
	r := rand.New(src)
	return random{src: src, normal: r.NormFloat64, uniform: r.Float64}
}

// beta draws z from Beta(a, b) and returns z and 1−z, each with small relative error.
func (r random) beta(a, b float64) (z, rest float64) {
	x := distuv.Gamma{Alpha: a, Beta: 1, Src: r.src}.Rand()
	y := distuv.Gamma{Alpha: b, Beta: 1, Src: r.src}.Rand()
	return x / (x + y), y / (x + y)
}

// wood draws t = μ·x for the von Mises–Fisher density with m = d−1, by the rejection method of Ulrich (1984) as
// corrected by Wood (1994), and returns t and √(1−t²). The acceptance rate is near 1 for κ much smaller than m and
// 0.7 for the largest κ.
//
// With Z from Beta(m/2, m/2), W = (1−(1+b)Z)/(1−(1−b)Z) is accepted with probability
// exp(κ(W−x₀) + m log((1−x₀W)/(1−x₀²))). All of it is written in 1−W and 1−x₀, which are tiny for large κ.
func (r random) wood(m, kappa float64) (t, across float64) {
	b := m / (2*kappa + math.Sqrt(4*kappa*kappa+m*m))
	gap := 2 * b / (1 + b) // 1 − x₀
	for {
		z, rest := r.beta(m/2, m/2)
		denominator := rest + b*z // 1 − (1−b)Z
		below := 2 * b * z / denominator
		ratio := (gap + (1-gap)*below) / (gap * (2 - gap))
		// A uniform deviate of exactly 0 has the logarithm −∞ and accepts, as it should.
		if kappa*(gap-below)+m*math.Log(ratio) >= math.Log(r.uniform()) {
			return 1 - below, 2 * math.Sqrt(b*z*rest) / denominator
		}
	}
}

// around fills dst with the vector whose component along mu is the given one and whose remainder has length across
// and a uniform direction.
func (r random) around(dst, mu []float64, along, across float64) []float64 {
	square := 0.0
	for square == 0 { // a draw of all zeros has no direction; it is possible only for d = 2, once in 2⁵² draws
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

// reflect applies to y an orthogonal map that takes the first axis e to mu. The Householder reflection along e−μ does
// so; when μ is close to e that difference loses its digits, and the reflection along e+μ followed by a change of
// sign is used instead.
func reflect(y, mu []float64) {
	sign := 1.0
	if mu[0] > 0 {
		sign = -1
	}
	// u = e − sign·μ has |u|² = 2 − 2·sign·μ₀, at least 2 by the choice of the sign.
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
