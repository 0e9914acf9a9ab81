package nn

import (
	"math"

	"gosphere/asymvlm/device"
)

// Constants of AdamP's published implementation.
const (
	projectionLimit = 0.1 // δ of the paper
	projectedDecay  = 0.1 // factor on the weight decay if a step was projected
)

// adamP performs step number step, from 1, of AdamP (Heo and others, ICLR 2021, algorithm 2) on one
// tensor with rows of the given width, 0 for a bias or a scalar:
//
//	m ← 0.9 m + 0.1 g,  v ← 0.999 v + 0.001 g²,  s = m/(√v/√(1−0.999ᵗ) + 1e-8)
//	p ← p (1 − rate·decay·w) − rate/(1−0.9ᵗ) · q
//
// Scale-invariant weights have gradients orthogonal to themselves, and a step along the gradient
// only increases their norm. If all rows (or else the whole matrix) are nearly orthogonal to their
// gradients, |cos(g, p)| < δ/√n for vectors of n numbers, q is the component of s orthogonal to p,
// and w is 0.1. Otherwise, and for biases and scalars, q is s and w is 1, which is AdamW. The
// Nesterov option, off by default in the published implementation, is not supported.
func adamP[F device.Float](parameters, gradient []F, moments [2][]F, width int, at adamRate) {
	step := make([]float64, len(parameters))
	correction := 1 / math.Sqrt(1-math.Pow(secondDecay, float64(at.step)))
	for i, value := range gradient {
		g := float64(value)
		m := firstDecay*float64(moments[0][i]) + (1-firstDecay)*g
		v := secondDecay*float64(moments[1][i]) + (1-secondDecay)*g*g
		moments[0][i], moments[1][i] = F(m), F(v)
		step[i] = m / (math.Sqrt(v)*correction + adamEpsilon)
	}
	share := 1.0
	if width > 0 && (project(step, parameters, gradient, width) || project(step, parameters, gradient, len(parameters))) {
		share = projectedDecay
	}
	keep := 1 - at.rate.Rate*at.rate.WeightDecay*share
	size := at.rate.Rate / (1 - math.Pow(firstDecay, float64(at.step)))
	for i, value := range step {
		parameters[i] = F(float64(parameters[i])*keep - size*value)
	}
}

// An adamRate is a rate and the number of the step.
type adamRate struct {
	rate device.Rate
	step int
}

// project removes the component along the parameters from the step, vector by vector of the given
// width, if every gradient vector is nearly orthogonal to its parameters. Otherwise it changes
// nothing and returns false.
func project[F device.Float](step []float64, parameters, gradient []F, width int) bool {
	limit := projectionLimit / math.Sqrt(float64(width))
	for from := 0; from < len(step); from += width {
		p, g := parameters[from:from+width], gradient[from:from+width]
		// As in PyTorch's cosine, norms are at least adamEpsilon.
		if math.Abs(inner(p, g)) >= limit*math.Max(norm(p), adamEpsilon)*math.Max(norm(g), adamEpsilon) {
			return false
		}
	}
	for from := 0; from < len(step); from += width {
		p, s := parameters[from:from+width], step[from:from+width]
		length, along := norm(p)+adamEpsilon, 0.0
		for i, value := range p {
			along += float64(value) / length * s[i]
		}
		for i, value := range p {
			s[i] -= float64(value) / length * along
		}
	}
	return true
}

// updateAdamP performs one step of AdamP on every tensor.
func (l *learner[F]) updateAdamP(rate device.Rate) {
	at := 0
	for _, part := range l.tensors.all {
		end, width := at+part.length(), 0
		if len(part.shape) > 1 {
			width = part.length() / part.shape[0]
		}
		moments := [2][]F{l.memory[0][at:end], l.memory[1][at:end]}
		adamP(part.values, part.gradient, moments, width, adamRate{rate, l.steps})
		at = end
	}
}
