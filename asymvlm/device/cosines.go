package device

import "math"

// A sequence enumerates the random counters for the cosine of one sample. Each sample has its own
// counters, so rejections in one do not affect another.
type sequence struct {
	generator       philox
	row, draw, next uint32
}

func (s *sequence) words() [4]uint32 {
	w := s.generator.words([4]uint32{s.next, s.draw, s.row, forCosines})
	s.next++
	return w
}

// A drawnCosine is the component of a sample along its mean direction and the norm of the
// orthogonal component, in float64: for large concentrations both 1 − along and across are small.
type drawnCosine struct{ along, across float64 }

// cosine samples from a law on the sphere in the given dimension; package sphere describes the
// methods. Rejections compare logarithms in float64, so that GPU and CPU decide differently for
// only about one sample in 10¹⁴.
func (s *sequence) cosine(law Law, dimension int, kappa float64) drawnCosine {
	m := float64(dimension - 1)
	if law == PowerSpherical {
		z, rest := s.beta(m/2+kappa, m/2)
		return drawnCosine{z - rest, 2 * math.Sqrt(z*rest)}
	}
	return s.wood(m, kappa)
}

// wood samples from the von Mises–Fisher law (Ulrich 1984, corrected by Wood 1994), written in 1−W
// and 1−x₀ as in package sphere.
func (s *sequence) wood(m, kappa float64) drawnCosine {
	b := m / (2*kappa + math.Sqrt(4*kappa*kappa+m*m))
	gap := 2 * b / (1 + b)
	for {
		z, rest := s.beta(m/2, m/2)
		denominator := rest + b*z
		below := 2 * b * z / denominator
		ratio := (gap + (1-gap)*below) / (gap * (2 - gap))
		if kappa*(gap-below)+m*math.Log(ratio) >= math.Log(float64(number(s.words()[0]))) {
			return drawnCosine{1 - below, 2 * math.Sqrt(b*z*rest) / denominator}
		}
	}
}

// beta samples z from Beta(a, b) and returns z and 1−z.
func (s *sequence) beta(a, b float64) (z, rest float64) {
	x := s.gamma(a)
	y := s.gamma(b)
	return x / (x + y), y / (x + y)
}

// gamma samples from Γ(a), a ≥ ½, by the rejection method of Marsaglia and Tsang (2000). For a < 1
// the method samples from Γ(a+1) and multiplies by a power of another random number.
func (s *sequence) gamma(a float64) float64 {
	raised := a
	if a < 1 {
		raised++
	}
	d := raised - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		w := s.words()
		normal, _ := normals32(w[0], w[1])
		x := float64(normal)
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(float64(number(w[2]))) >= x*x/2+d*(1-v+math.Log(v)) {
			continue
		}
		if a < 1 {
			return d * v * math.Exp(math.Log(float64(number(w[3])))/a)
		}
		return d * v
	}
}

// around32 replaces the normal numbers y by the unit vector with the given component along mean and
// the remaining component in the direction of y. mean has the given length. The vector is built
// around the first axis and then reflected, as in package sphere.
func around32(y, mean []float32, length float64, c drawnCosine) {
	square := dot(y[1:], y[1:])
	if square == 0 { // all remaining numbers are 0: possible in low dimensions, once in 2²⁵ samples
		y[1], square = 1, 1
	}
	scale := float32(c.across / math.Sqrt(square))
	y[0] = float32(c.along)
	for i := 1; i < len(y); i++ {
		y[i] *= scale
	}
	inverse, sign := float32(1/length), float32(1)
	if mean[0] > 0 {
		sign = -1
	}
	product := float64(y[0]) - float64(sign)*dot(y, mean)/length
	factor := float32(product / (1 - float64(sign)*float64(mean[0])/length))
	y[0] -= factor
	for i, value := range mean {
		y[i] = sign*y[i] + factor*(inverse*value)
	}
}

// around64 is like around32 in float64.
func around64(y, mean []float64, length float64, c drawnCosine) {
	square := dot(y[1:], y[1:])
	if square == 0 {
		y[1], square = 1, 1
	}
	y[0] = c.along
	for i := 1; i < len(y); i++ {
		y[i] *= c.across / math.Sqrt(square)
	}
	sign := 1.0
	if mean[0] > 0 {
		sign = -1
	}
	factor := (y[0] - sign*dot(y, mean)/length) / (1 - sign*mean[0]/length)
	y[0] -= factor
	for i, value := range mean {
		y[i] = sign*y[i] + factor*value/length
	}
}
