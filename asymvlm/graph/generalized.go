package graph

import (
	"math"

	"gorgonia.org/gorgonia"
)

// Constants of ProbVLM's loss; see gaussian.Generalized.
const (
	probvlmFloor  = 1e-4
	probvlmWeight = 0.05
	exactFloor    = 1e-6 // of |μ−y|, whose power has an unbounded slope at 0 for β < 1
)

// Reconstruction returns ProbVLM's loss of targets under generalized Gaussians given by their
// heads: the means, and 1/α and β before softplus, all B×D. With q = softplus + 1e-4, and β
// likewise,
//
//	mean |μ−y| + 0.05 mean[R − log q + log Γ(1/β) − log β]
//
// where R is (|μ−y| q)^β, or in the official form |μ−y| q β clamped to 1e-4 … 1e3.
func (b *Builder) Reconstruction(means, rawScale, rawShape, targets *gorgonia.Node, official bool) *gorgonia.Node {
	apart := b.note(b.Magnitude(b.Difference(means, targets)), "|μ−y|", means, targets)
	q := b.note(b.PlusConstant(b.Softplus(rawScale), probvlmFloor), "1/α", rawScale)
	beta := b.note(b.PlusConstant(b.Softplus(rawShape), probvlmFloor), "β", rawShape)
	var far *gorgonia.Node
	if official {
		far = b.Clamped(b.Product(b.Product(apart, q), beta), probvlmFloor, 1e3)
		b.note(far, "|μ−y|β/α, clamped", apart, q, beta)
	} else {
		t := b.Product(b.Clamped(apart, exactFloor, math.Inf(1)), q)
		far = b.note(b.Exp(b.Product(beta, b.Log(t))), "(|μ−y|/α)^β", apart, q, beta)
	}
	normalizer := b.Difference(b.LogGamma(b.Inverse(beta)), b.Sum(b.Log(q), b.Log(beta)))
	b.note(normalizer, "log Γ(1/β) − log(β/α)", q, beta)
	likelihood := b.note(b.Mean(b.Sum(far, normalizer)), "mean NLL", far, normalizer)
	distance := b.note(b.Mean(apart), "mean |μ−y|", apart)
	return b.note(b.Sum(distance, b.Scaled(likelihood, probvlmWeight)), "ProbVLM loss", distance, likelihood)
}
