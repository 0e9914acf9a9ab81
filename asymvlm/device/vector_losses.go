package device

// The losses of a row or a stretch: full vectors in assembly, remainders with the loops of
// loops_losses.go.

func (v vectorUnit) contrast(dst, src, columns, sums []float32, f contrastFactors) float64 {
	n, dot := v.whole(len(src)), 0.0
	dst, columns, sums = dst[:len(src)], columns[:len(src)], sums[:len(src)]
	if n > 0 {
		dot = float64(contrastAVX2(&dst[0], &src[0], &columns[0], &sums[0], n, f.scale, f.row, f.weight))
	}
	return dot + contrast(dst[n:], src[n:], columns[n:], sums[n:], f)
}

func (v vectorUnit) sigmoidPairs(dst, src, columns, sums []float32, f contrastFactors) pairSums {
	n := v.whole(len(src))
	dst, columns, sums = dst[:len(src)], columns[:len(src)], sums[:len(src)]
	rest := sigmoidPairs(dst[n:], src[n:], columns[n:], sums[n:], f)
	if n > 0 {
		loss, sum, dot := sigmoidPairsAVX2(&dst[0], &src[0], &columns[0], &sums[0], n, f.scale, f.row, f.weight)
		rest.loss += float64(loss)
		rest.sum += float64(sum)
		rest.dot += float64(dot)
	}
	return rest
}

func (v vectorUnit) powerLogits(dst, cosines, kappa, logs []float32) {
	n := v.whole(len(dst))
	if n > 0 {
		powerLogitsAVX2(&dst[0], &cosines[0], &kappa[0], &logs[0], n)
	}
	powerLogits(dst[n:], cosines[n:], kappa[n:], logs[n:])
}

func (v vectorUnit) powerGradient(dst, g, cosines, radial []float32) {
	n := v.whole(len(dst))
	if n > 0 {
		powerGradientAVX2(&dst[0], &g[0], &cosines[0], &radial[0], n)
	}
	powerGradient(dst[n:], g[n:], cosines[n:], radial[n:])
}

func (v vectorUnit) softplusSum(src []float32) (sum float64) {
	n := v.whole(len(src))
	if n > 0 {
		sum = float64(softplusSumAVX2(&src[0], n))
	}
	return sum + softplusSum(src[n:])
}

// rest2 removes the first n values of two slices.
func rest2(s [2][]float32, n int) [2][]float32 { return [2][]float32{s[0][n:], s[1][n:]} }

func rest3(s [3][]float32, n int) [3][]float32 { return [3][]float32{s[0][n:], s[1][n:], s[2][n:]} }

func (v vectorUnit) matchedVariances(gradients, raw, means [2][]float32, weight float64) (loss float64) {
	n := v.whole(len(raw[0]))
	if n > 0 {
		loss = float64(variancesAVX2(&gradients[0][0], &gradients[1][0], &raw[0][0], &raw[1][0], &means[0][0], &means[1][0],
			n, float32(weight)))
	}
	return loss + matchedVariances(rest2(gradients, n), rest2(raw, n), rest2(means, n), weight)
}

// staged is the number of values that pass through the functions of ProbVLM's heads together, so
// that intermediate values stay in the first-level cache. It is a multiple of lanes.
const staged = 256

func (v vectorUnit) generalized(gradient, heads [3][]float32, targets [2][]float32, form generalizedForm) (loss float64) {
	n := v.whole(len(heads[0]))
	var scales, shapes, gamma, dGamma [staged]float32
	for from := 0; from < n; from += staged {
		few := min(staged, n-from)
		dScale, dShape := &gradient[1][from], &gradient[2][from]
		softplusSlopeAVX2(&scales[0], dScale, &heads[1][from], few, positive)
		softplusSlopeAVX2(&shapes[0], dShape, &heads[2][from], few, positive)
		headsAVX2(&gamma[0], &dGamma[0], &scales[0], &shapes[0], few)
		// Two direct calls, because arguments of a call through a variable would escape to the
		// heap.
		if form.exact {
			loss += float64(powerAVX2(&gradient[0][from], dScale, dShape, &heads[0][from], &scales[0], &shapes[0], &gamma[0], &dGamma[0],
				&targets[0][from], &targets[1][from], few, float32(form.weight)))
		} else {
			loss += float64(linearAVX2(&gradient[0][from], dScale, dShape, &heads[0][from], &scales[0], &shapes[0], &gamma[0], &dGamma[0],
				&targets[0][from], &targets[1][from], few, float32(form.weight)))
		}
	}
	return loss + generalized(rest3(gradient, n), rest3(heads, n), rest2(targets, n), form)
}

func (v vectorUnit) generalizedVariances(rawScale, rawShape []float32) (sum float64) {
	n := v.whole(len(rawScale))
	var values, moments [staged]float32
	for from := 0; from < n; from += staged {
		few := min(staged, n-from)
		softplusAVX2(&values[0], &rawShape[from], few, shapeShift)
		momentsAVX2(&moments[0], &values[0], few)
		softplusAVX2(&values[0], &rawScale[from], few, scaleShift)
		sum += float64(scaledMomentsAVX2(&moments[0], &values[0], few))
	}
	return sum + generalizedVariances(rawScale[n:], rawShape[n:])
}
