package device

// The functions in this file do a whole slice: the part that fills vectors in assembly where the processor has the
// instructions, the rest with the loops of loops.go. A slice must be cut at the same places whatever the number of
// threads, or results would depend on it; cutting at multiples of lanes is enough.

// lanes is the number of values that the assembly takes at once.
const lanes = 8

// whole returns how many of n values the assembly does.
func (v vectorUnit) whole(n int) int {
	if !v.fma {
		return 0
	}
	return n &^ (lanes - 1)
}

// A vectorUnit is what this processor offers.
type vectorUnit struct {
	fma    bool // AVX2 and FMA
	avx512 bool // AVX-512 F, with the operating system keeping its registers
}

func (v vectorUnit) addBias(dst, bias []float32, rectify bool) {
	n := v.whole(len(bias))
	dst = dst[:len(bias)]
	if n > 0 && rectify {
		addRectifiedAVX2(&dst[0], &bias[0], n)
	} else if n > 0 {
		addAVX2(&dst[0], &bias[0], n)
	}
	addBias(dst[n:], bias[n:], rectify)
}

func (v vectorUnit) add(dst, src []float32) {
	n := v.whole(len(src))
	dst = dst[:len(src)]
	if n > 0 {
		addAVX2(&dst[0], &src[0], n)
	}
	add(dst[n:], src[n:])
}

func (v vectorUnit) mask(dst, output []float32) {
	n := v.whole(len(output))
	dst = dst[:len(output)]
	if n > 0 {
		maskAVX2(&dst[0], &output[0], n)
	}
	mask(dst[n:], output[n:])
}

func (v vectorUnit) log1p(dst, src []float32) {
	n := v.whole(len(src))
	dst = dst[:len(src)]
	if n > 0 {
		log1pAVX2(&dst[0], &src[0], n)
	}
	log1p(dst[n:], src[n:])
}

func (v vectorUnit) dot(a, b []float32) float64 {
	n, sum := v.whole(len(a)), 0.0
	b = b[:len(a)]
	if n > 0 {
		sum = dotAVX2(&a[0], &b[0], n)
	}
	return sum + dot(a[n:], b[n:])
}

func (v vectorUnit) update(parameters, velocity, gradient []float32, rate Rate) {
	n := v.whole(len(parameters))
	velocity, gradient = velocity[:len(parameters)], gradient[:len(parameters)]
	if n > 0 {
		updateAVX2(&parameters[0], &velocity[0], &gradient[0], n,
			float32(rate.Rate), float32(rate.Momentum), float32(rate.WeightDecay))
	}
	update(parameters[n:], velocity[n:], gradient[n:], rate)
}

func (v vectorUnit) largest(src []float32, scale, least float32) float32 {
	n := v.whole(len(src))
	if n > 0 {
		least = largestAVX2(&src[0], n, scale, least)
	}
	return largest(src[n:], scale, least)
}

func (v vectorUnit) raise(acc, src []float32, scale float32) {
	n := v.whole(len(src))
	acc = acc[:len(src)]
	if n > 0 {
		raiseAVX2(&acc[0], &src[0], n, scale)
	}
	raise(acc[n:], src[n:], scale)
}

func (v vectorUnit) sumExp(src []float32, scale, shift float32) float32 {
	n, sum := v.whole(len(src)), float32(0)
	if n > 0 {
		sum = sumExpAVX2(&src[0], n, scale, shift)
	}
	return sum + sumExp(src[n:], scale, shift)
}

func (v vectorUnit) addExp(acc, src, shift []float32, scale float32) {
	n := v.whole(len(src))
	acc, shift = acc[:len(src)], shift[:len(src)]
	if n > 0 {
		addExpAVX2(&acc[0], &src[0], &shift[0], n, scale)
	}
	addExp(acc[n:], src[n:], shift[n:], scale)
}

func (v vectorUnit) softmaxPair(dst, src, columns []float32, f pairFactors) {
	n := v.whole(len(src))
	dst, columns = dst[:len(src)], columns[:len(src)]
	if n > 0 {
		softmaxPairAVX2(&dst[0], &src[0], &columns[0], n, f.scale, f.row, f.weight)
	}
	softmaxPair(dst[n:], src[n:], columns[n:], f)
}
