package device

import (
	"math"

	"gosphere/asymvlm/special"
)

// The loops in this file are the scalar form of the losses of a row or a stretch of values.

// contrastFactors holds the scalars of one row of the contrastive loss.
type contrastFactors struct{ scale, row, weight float32 }

// contrast sets dst to weight·(exp(scale·src − row) + exp(scale·src − columns)), adds it to sums
// and returns Σ dst·src.
func contrast(dst, src, columns, sums []float32, f contrastFactors) float64 {
	dot := 0.0
	for j, value := range src {
		g := f.weight * (exp32(f.scale*value-f.row) + exp32(f.scale*value-columns[j]))
		dst[j] = g
		sums[j] += g
		dot += float64(g) * float64(value)
	}
	return dot
}

// pairSums holds the sums over a row computed by sigmoidPairs.
type pairSums struct{ loss, sum, dot float64 }

// sigmoidPairs sets dst to weight·sigmoid(h) with h = scale·src + row + columns, adds it to sums
// and returns Σ log(1+exp(h)), Σ dst and Σ dst·src.
func sigmoidPairs(dst, src, columns, sums []float32, f contrastFactors) pairSums {
	var s pairSums
	for j, value := range src {
		h := float64(f.scale*value + f.row + columns[j])
		g := f.weight * float32(special.Sigmoid(h))
		dst[j] = g
		sums[j] += g
		s.loss += special.Softplus(h)
		s.sum += float64(g)
		s.dot += float64(g) * float64(value)
	}
	return s
}

func powerLogits[F Float](dst, cosines, kappa, logs []F) {
	for j, c := range cosines {
		if c < lowestCosine {
			c = lowestCosine
			cosines[j] = c
		}
		dst[j] = kappa[j]*F(math.Log1p(float64(c))) + logs[j]
	}
}

func powerGradient[F Float, S Float](dst, g, cosines []F, radial []S) {
	for j, c := range cosines {
		value := float64(g[j])
		w := value / (1 + float64(c))
		if c <= lowestCosine {
			w = 0 // at the limit the logits do not depend on the cosine
		}
		dst[j] = F(w)
		radial[j] += S(value*math.Log1p(float64(c)) - w*float64(c))
	}
}

// softplusSum returns Σ log(1+exp(src)).
func softplusSum[F Float](src []F) (sum float64) {
	for _, value := range src {
		sum += special.Softplus(float64(value))
	}
	return sum
}

// matchedVariances returns Σ apart²/s + log s and sets gradients to weight times the derivatives.
func matchedVariances[F Float](gradients, raw, means [2][]F, weight float64) (loss float64) {
	for i, one := range raw[0] {
		one, two := float64(one), float64(raw[1][i])
		apart := float64(means[0][i]) - float64(means[1][i])
		s := special.Softplus(one) + special.Softplus(two)
		far := apart * apart / s
		loss += far + math.Log(s)
		slope := weight * (1 - far) / s
		gradients[0][i] = F(slope * special.Sigmoid(one))
		gradients[1][i] = F(slope * special.Sigmoid(two))
	}
	return loss
}

// A generalizedForm selects the residual of ProbVLM's loss and the factor on its gradient.
type generalizedForm struct {
	exact  bool
	weight float64
}

// generalized returns the sum of ProbVLM's loss against the first target plus 1e-4 times that
// against the second.
func generalized[F Float](gradient, heads [3][]F, targets [2][]F, form generalizedForm) (loss float64) {
	for i, mean := range heads[0] {
		rawQ, rawBeta := float64(heads[1][i]), float64(heads[2][i])
		q, beta := special.Softplus(rawQ)+positive, special.Softplus(rawBeta)+positive
		// log Γ(1/β) − log β = log Γ(1+1/β), and −ψ(1/β)/β² − 1/β = −ψ(1+1/β)/β².
		gamma, _ := math.Lgamma(1 + 1/beta)
		digamma := special.Digamma(1 + 1/beta)
		var dMean, dQ, dBeta float64
		for k, weight := range [2]float64{1, crossWeight} {
			apart := float64(mean) - float64(targets[k][i])
			residual, dApart, dq, db := linearResidual(math.Abs(apart), q, beta)
			if form.exact {
				residual, dApart, dq, db = powerResidual(math.Abs(apart), q, beta)
			}
			loss += weight * (math.Abs(apart) + likelihoodShare*(residual-math.Log(q)+gamma))
			if apart != 0 {
				dMean += weight * math.Copysign(1+likelihoodShare*dApart, apart)
			}
			dQ += weight * (dq - 1/q)
			dBeta += weight * (db - digamma/(beta*beta))
		}
		gradient[0][i] = F(form.weight * dMean)
		gradient[1][i] = F(form.weight * likelihoodShare * dQ * special.Sigmoid(rawQ))
		gradient[2][i] = F(form.weight * likelihoodShare * dBeta * special.Sigmoid(rawBeta))
	}
	return loss
}

// powerResidual returns (|μ−y| q)^β and its derivatives.
func powerResidual(apart, q, beta float64) (residual, dApart, dQ, dBeta float64) {
	inside := 1.0
	if apart < residualFloor {
		apart, inside = residualFloor, 0
	}
	residual = math.Pow(apart*q, beta)
	return residual, inside * beta * residual / apart, beta * residual / q, residual * math.Log(apart*q)
}

// linearResidual returns clamp(|μ−y| q β) and its derivatives, which are 0 outside the clamp.
func linearResidual(apart, q, beta float64) (residual, dApart, dQ, dBeta float64) {
	residual = apart * q * beta
	if residual < residualLow || residual > residualHigh {
		return min(max(residual, residualLow), residualHigh), 0, 0, 0
	}
	return residual, q * beta, apart * beta, apart * q
}

// generalizedVariances returns the sum of the variances a² Γ(3/b)/Γ(1/b) with the limits of
// ProbVLM's reference implementation.
func generalizedVariances[F Float](rawScale, rawShape []F) (sum float64) {
	for i, raw := range rawScale {
		a := min(max(1/(special.Softplus(float64(raw))+scaleShift), 1e-4), 5)
		b := min(max(special.Softplus(float64(rawShape[i]))+shapeShift, shapeShift), 5)
		sum += a * a * math.Exp(special.LogGammaDifference(1/b, 2/b))
	}
	return sum
}
