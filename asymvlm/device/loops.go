package device

import "math"

// The loops in this file are the scalar form of the vector functions. They are used by the
// reference, for remainders shorter than a vector, and on CPUs without the instructions.

func addBias[F Float](dst, bias []F, rectify bool) {
	for j, value := range bias {
		sum := dst[j] + value
		if rectify && sum < 0 {
			sum = 0
		}
		dst[j] = sum
	}
}

func add[F Float](dst, src []F) {
	for j, value := range src {
		dst[j] += value
	}
}

// mask sets dst to 0 where output is 0.
func mask[F Float](dst, output []F) {
	for j, value := range output {
		if value == 0 {
			dst[j] = 0
		}
	}
}

func log1p[F Float](dst, src []F) {
	for j, value := range src {
		dst[j] = F(math.Log1p(float64(value)))
	}
}

func dot[F Float](a, b []F) float64 {
	sum := 0.0
	for j, value := range a {
		sum += float64(value) * float64(b[j])
	}
	return sum
}

func update[F Float](parameters, velocity, gradient []F, rate Rate) {
	step, momentum, decay := F(rate.Rate), F(rate.Momentum), F(rate.WeightDecay)
	for j, p := range parameters {
		v := momentum*velocity[j] + gradient[j] + decay*p
		velocity[j] = v
		parameters[j] = p - step*v
	}
}

// largest returns the maximum of least and all scale·src. It ignores NaN, which appears in the sums
// that follow.
func largest(src []float32, scale, least float32) float32 {
	for _, value := range src {
		if x := scale * value; x > least {
			least = x
		}
	}
	return least
}

// raise sets acc to the maximum of acc and scale·src.
func raise(acc, src []float32, scale float32) {
	for j, value := range src {
		if x := scale * value; x > acc[j] {
			acc[j] = x
		}
	}
}

func exp32(x float32) float32 { return float32(math.Exp(float64(x))) }

// sumExp returns Σ exp(scale·src − shift).
func sumExp(src []float32, scale, shift float32) float32 {
	sum := 0.0
	for _, value := range src {
		sum += math.Exp(float64(scale*value - shift))
	}
	return float32(sum)
}

// addExp adds exp(scale·src − shift) to acc.
func addExp(acc, src, shift []float32, scale float32) {
	for j, value := range src {
		acc[j] += exp32(scale*value - shift[j])
	}
}

// exponentials sets dst to exp(src) and returns the sum.
func exponentials[F Float](dst, src []F) float64 {
	sum := 0.0
	for j, value := range src {
		e := math.Exp(float64(value))
		dst[j] = F(e)
		sum += e
	}
	return sum
}

// combine sets dst to own·dst + other·src.
func combine[F Float](dst, src []F, own, other F) {
	for j, value := range src {
		dst[j] = own*dst[j] + other*value
	}
}

// unit sets dst, if it has values, to src divided by its norm, and returns the norm.
func unit[F Float](dst, src []F) float64 {
	length := math.Sqrt(dot(src, src))
	if len(dst) > 0 {
		scale := 1 / math.Max(length, leastLength)
		for j, value := range src {
			dst[j] = F(float64(value) * scale)
		}
	}
	return length
}

// adam performs one step of AdamW, see AdamStep.
func adam[F Float](parameters []F, moments [2][]F, gradient []F, step AdamStep) {
	keep, size, correction := F(step.Keep), F(step.Size), F(step.Correction)
	first, second := moments[0], moments[1]
	for i, g := range gradient {
		m := first[i] + (g-first[i])*0.1
		v := second[i]*0.999 + g*g*0.001
		first[i], second[i] = m, v
		parameters[i] = keep*parameters[i] - size*m/(F(math.Sqrt(float64(v)))*correction+1e-8)
	}
}
