package device

import "math"

// A sequence is the counters of one draw's cosine, taken one after another. What a draw takes is its own affair, so rejections
// of one do not move the numbers of another.
type sequence struct {
	generator       philox
	row, draw, next uint32
}

func (s *sequence) words() [4]uint32 {
	w := s.generator.words([4]uint32{s.next, s.draw, s.row, forCosines})
	s.next++
	return w
}

// A drawnCosine is the component of a draw along its mean direction and the length of the rest, in float64: for large
// concentrations both 1 − along and across are small.
type drawnCosine struct{ along, across float64 }

// cosine draws one for a law on the sphere in so many dimensions; package sphere tells the methods. The logarithms
// decide on rejections in float64, so that a card decides as the processor but for one draw in 10¹⁴ or so.
func (s *sequence) cosine(law Law, dimension int, kappa float64) drawnCosine {
	m := float64(dimension - 1)
	if law == PowerSpherical {
		z, rest := s.beta(m/2+kappa, m/2)
		return drawnCosine{z - rest, 2 * math.Sqrt(z*rest)}
	}
	return s.wood(m, kappa)
}

// wood draws from the von Mises–Fisher law (Ulrich 1984, corrected by Wood 1994), written in 1−W and 1−x₀ as in package sphere.
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

// beta draws z from Beta(a, b) and returns z and 1−z.
func (s *sequence) beta(a, b float64) (z, rest float64) {
	x := s.gamma(a)
	y := s.gamma(b)
	return x / (x + y), y / (x + y)
}

// gamma draws from Γ(a), a ≥ ½, by the rejection method of Marsaglia and Tsang (2000), which takes a+1 in place of a < 1 and
// a power of one more number.
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

// around32 turns the normal numbers y into the unit vector with the given component along mean, a direction of the given
// length, and the rest in y's direction: with the first axis in place of the mean, and then reflected as in package sphere.
func around32(y, mean []float32, length float64, c drawnCosine) {
	square := dot(y[1:], y[1:])
	if square == 0 { // all numbers of the rest are 0: possible in few dimensions, once in 2²⁵ draws
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

// around64 is around32 in float64.
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
