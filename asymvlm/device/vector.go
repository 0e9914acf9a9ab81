package device

import "math"

// The functions in this file process a whole slice: full vectors in assembly if the CPU has the
// instructions, and the rest with the loops of loops.go. A slice must be divided at the same
// indices for any number of threads, because results depend on them; multiples of lanes are
// sufficient.

// lanes is the number of values that the assembly processes together.
const lanes = 8

// leastCall is the number of values for which a call of the WebAssembly module takes less time than
// the loops in Go.
const leastCall = 48

// whole returns the number of the n values that the assembly processes.
func (v vectorUnit) whole(n int) int {
	if !v.assembled() || v.simd && n < leastCall {
		return 0
	}
	return n &^ (lanes - 1)
}

// A vectorUnit describes the vector instructions of the CPU.
type vectorUnit struct {
	fma    bool // AVX2 and FMA
	avx512 bool // AVX-512 F, with operating system support
	pairs  bool // also AVX512_BF16
	simd   bool // 128-bit vectors of WebAssembly, see module_js.go
	fused  bool // with multiply-adds that round once
}

// assembled reports whether the functions on values and panels are in assembly.
func (v vectorUnit) assembled() bool { return v.fma || v.simd }

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

func (v vectorUnit) exponentials(dst, src []float32) float64 {
	n, sum := v.whole(len(src)), 0.0
	dst = dst[:len(src)]
	if n > 0 {
		sum = float64(expAVX2(&dst[0], &src[0], n))
	}
	return sum + exponentials(dst[n:], src[n:])
}

func (v vectorUnit) combine(dst, src []float32, own, other float32) {
	n := v.whole(len(src))
	dst = dst[:len(src)]
	if n > 0 {
		combineAVX2(&dst[0], &src[0], n, own, other)
	}
	combine(dst[n:], src[n:], own, other)
}

// unit is like the function unit, with vectorized sum and division.
func (v vectorUnit) unit(dst, src []float32) float64 {
	length := math.Sqrt(v.dot(src, src))
	if len(dst) > 0 {
		copy(dst, src)
		v.combine(dst, src, 0, float32(1/math.Max(length, leastLength)))
	}
	return length
}

func (v vectorUnit) adam(parameters []float32, moments [2][]float32, gradient []float32, step AdamStep) {
	n := v.whole(len(parameters))
	first, second, gradient := moments[0][:len(parameters)], moments[1][:len(parameters)], gradient[:len(parameters)]
	if n > 0 {
		adamAVX2(&parameters[0], &first[0], &second[0], &gradient[0], n,
			float32(step.Keep), float32(step.Size), float32(step.Correction))
	}
	adam(parameters[n:], [2][]float32{first[n:], second[n:]}, gradient[n:], step)
}

// FirstAbove returns the index of the first value that exceeds its own limit or the common limit,
// or the number of values if there is none. NaN, as a value or a limit, counts as exceeding. There
// must be as many limits as values.
func FirstAbove(values, limits []float32, limit float32) int {
	return processorUnit.firstAbove(values, limits, limit)
}

// processorUnit describes the vector instructions of the CPU.
var processorUnit = detect()

func (v vectorUnit) firstAbove(values, limits []float32, limit float32) int {
	at := v.whole(len(values))
	limits = limits[:len(values)]
	if at > 0 {
		at = noneAboveAVX2(&values[0], &limits[0], at, limit)
	}
	for at < len(values) && values[at] <= limits[at] && values[at] <= limit {
		at++
	}
	return at
}

// copyPanel copies depth rows of a panel's width, stride values apart, to consecutive memory.
func copyPanel(width int, dst, src *float32, stride, depth int) {
	switch width {
	case 4:
		copyPanel4(dst, src, stride, depth)
	case 12:
		copyPanel12(dst, src, stride, depth)
	case 24:
		copyPanel24(dst, src, stride, depth)
	default:
		copyPanel32(dst, src, stride, depth)
	}
}

// sumPanel adds depth rows of a panel's width to sums.
func sumPanel(width int, sums, src *float32, depth int) {
	switch width {
	case 4:
		sumPanel4(sums, src, depth)
	case 12:
		sumPanel12(sums, src, depth)
	case 24:
		sumPanel24(sums, src, depth)
	default:
		sumPanel32(sums, src, depth)
	}
}
