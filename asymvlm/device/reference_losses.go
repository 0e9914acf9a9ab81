package device

import (
	"math"

	"gosphere/asymvlm/special"
)

// Contrast computes the symmetric InfoNCE loss and its gradient.
func (Reference[F]) Contrast(dst, a Matrix[F], scale F, groups Groups, columns []float64) (loss, dScale float64) {
	checkPairs("contrast", dst, a, groups)
	checkLength("contrast", columns, a.Columns)
	batch := a.Rows
	logits := make([]float64, 0, batch)
	sums := func(i int, at func(k int) F) float64 {
		logits = logits[:0]
		for k := range batch {
			if !groups.hide(i, k) {
				logits = append(logits, float64(scale)*float64(at(k)))
			}
		}
		return special.LogSumExp(logits)
	}
	ofRows, ofColumns := make([]float64, batch), make([]float64, batch)
	for i := range batch {
		ofRows[i] = sums(i, func(k int) F { return a.Values[i*batch+k] })
		ofColumns[i] = sums(i, func(k int) F { return a.Values[k*batch+i] })
	}
	clear(columns)
	for i := range batch {
		for j := range batch {
			at := i*batch + j
			if groups.hide(i, j) {
				dst.Values[at] = 0
				continue
			}
			x := float64(scale) * float64(a.Values[at])
			g := (math.Exp(x-ofRows[i]) + math.Exp(x-ofColumns[j])) / float64(2*batch)
			if i == j {
				loss += ((ofRows[i] - x) + (ofColumns[i] - x)) / float64(2*batch)
				g -= 1 / float64(batch)
			}
			dScale += g * float64(a.Values[at])
			columns[j] += g
			dst.Values[at] = F(g)
		}
	}
	return loss, dScale
}

// SigmoidPairs computes the loss of separate pairs.
func (Reference[F]) SigmoidPairs(dst, a Matrix[F], logits Logits[F], margins Margins) (loss, dScale float64) {
	checkPairs("pairs", dst, a, logits.Groups)
	checkLogits(a, logits, margins)
	clear(margins.Rows)
	clear(margins.Columns)
	for i := range a.Rows {
		for j, value := range a.Row(i) {
			if logits.Groups.hide(i, j) {
				dst.Values[i*a.Columns+j] = 0
				continue
			}
			sign := -1.0
			if i == j {
				sign = 1
			}
			h := sign * (float64(logits.Scale)*float64(value) + float64(logits.Rows[i]) + float64(logits.Columns[j]))
			loss -= float64(logits.Weight) * special.LogSigmoid(h)
			g := -float64(logits.Weight) * sign * special.Sigmoid(-h)
			dScale += g * float64(value)
			margins.Rows[i] += g
			margins.Columns[j] += g
			dst.Values[i*a.Columns+j] = F(g)
		}
	}
	return loss, dScale
}

// PowerLogits sets dst to the power spherical log-likelihoods of cosines.
func (Reference[F]) PowerLogits(dst, cosines Matrix[F], kappa, logs []F) {
	checkSame("power logits", dst, cosines)
	checkLength("power logits", kappa, dst.Columns)
	checkLength("power logits", logs, dst.Columns)
	for i := range dst.Rows {
		powerLogits(dst.Row(i), cosines.Row(i), kappa, logs)
	}
}

// PowerGradient sets dst to g/(1+c) and radial to Σ g·log(1+c) − dst·c.
func (Reference[F]) PowerGradient(dst, g, cosines Matrix[F], radial []float64) {
	checkSame("power gradient", dst, g)
	checkSame("power gradient", dst, cosines)
	checkLength("power gradient", radial, dst.Columns)
	clear(radial)
	for i := range dst.Rows {
		powerGradient(dst.Row(i), g.Row(i), cosines.Row(i), radial)
	}
}

// MatchedVariances computes the loss of matching rows and its gradient.
func (Reference[F]) MatchedVariances(gradients, raw, means [2]Matrix[F]) (loss float64) {
	checkMatched(gradients, raw, means)
	weight := 1 / float64(max(1, raw[0].Rows))
	return weight * matchedVariances(flatAll(gradients), flatAll(raw), flatAll(means), weight)
}

// GeneralizedGaussian computes ProbVLM's loss and its gradient.
func (Reference[F]) GeneralizedGaussian(gradient, heads Heads[F], targets [2]Matrix[F], exact bool) (loss float64) {
	checkHeads(gradient, heads, targets)
	weight := 1 / float64(max(1, len(heads[0].Values)))
	return weight * generalized(flatHeads(gradient), flatHeads(heads), flatAll(targets), generalizedForm{exact, weight})
}

// GeneralizedVariance returns the mean of the predicted variances.
func (Reference[F]) GeneralizedVariance(heads Heads[F]) float64 {
	checkSame("generalized variance", heads[1], heads[2])
	return generalizedVariances(heads[1].Values, heads[2].Values) / float64(max(1, len(heads[1].Values)))
}

func checkMatched[F Float](gradients, raw, means [2]Matrix[F]) {
	for _, m := range []Matrix[F]{gradients[0], gradients[1], raw[1], means[0], means[1]} {
		checkSame("variances", raw[0], m)
	}
}

// flatAll returns the values of matrices.
func flatAll[F Float](m [2]Matrix[F]) [2][]F { return [2][]F{m[0].Values, m[1].Values} }

func flatHeads[F Float](h Heads[F]) [3][]F { return [3][]F{h[0].Values, h[1].Values, h[2].Values} }
