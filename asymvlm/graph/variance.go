package graph

import (
	"math"

	"gorgonia.org/gorgonia"
)

// A Gaussians is a batch of Gaussians with independent coordinates: means and the logarithms of the
// variances, B×D.
type Gaussians struct{ Means, LogVariances *gorgonia.Node }

// MutualLikelihood returns PFE's loss of matching pairs, as in AsymVLM's reference implementation,
// from the means and the outputs before softplus of both sides:
//
//	mean_b Σ_j (μ_I−μ_T)²/s + log s,  s = softplus(r_I) + softplus(r_T)
func (b *Builder) MutualLikelihood(images, texts, rawImages, rawTexts *gorgonia.Node) *gorgonia.Node {
	s := b.note(b.Sum(b.Softplus(rawImages), b.Softplus(rawTexts)), "s = σ² + σ²", rawImages, rawTexts)
	far := b.note(b.Quotient(b.Square(b.Difference(images, texts)), s), "(μ−μ)²/s", images, texts, s)
	logs := b.note(b.Log(s), "log s", s)
	return b.note(b.Mean(b.RowSums(b.Sum(far, logs))), "PFE loss", far, logs)
}

// traces returns Σσ² as a column.
func (b *Builder) traces(g Gaussians) *gorgonia.Node {
	return b.note(b.RowSums(b.Exp(g.LogVariances)), "Σσ²", g.LogVariances)
}

// CSD returns PCME++'s closed-form sampled distance of all pairs, |μ−μ|² + Σσ² + Σσ², images ×
// texts.
func (b *Builder) CSD(images, texts Gaussians) *gorgonia.Node {
	dot := b.note(b.Inner(images.Means, texts.Means), "inner products", images.Means, texts.Means)
	ofImages := b.Sum(b.RowSums(b.Square(images.Means)), b.traces(images))
	ofTexts := b.Sum(b.RowSums(b.Square(texts.Means)), b.traces(texts))
	all := b.Sum(b.Scaled(dot, -2), b.Sum(b.RepeatedLike(ofImages, dot), b.columns(ofTexts, dot)))
	return b.note(all, "CSD", images.Means, images.LogVariances, texts.Means, texts.LogVariances)
}

// MatchingProbability returns PCME++'s loss as in AsymVLM's reference implementation: twice the
// mean cross-entropy of sigmoid(−a·CSD+c) over all pairs.
func (b *Builder) MatchingProbability(images, texts Gaussians, scale, bias *gorgonia.Node) *gorgonia.Node {
	csd := b.CSD(images, texts)
	logits := b.Difference(b.RepeatedLike(bias, csd), b.Product(b.RepeatedLike(scale, csd), csd))
	b.note(logits, "−a CSD + b", csd, scale, bias)
	if !b.ok("matching probability", logits) {
		return nil
	}
	return b.pairSigmoid(logits, 2/float64(logits.Shape()[0]), "PCME++ loss")
}

// PairLoss returns ProLIP's pairwise loss (PPCL) −1/B Σ log sigmoid(y(a(x·e − (Σσ²+Σσ²)/2) + c)).
func (b *Builder) PairLoss(images, texts Gaussians, scale, bias *gorgonia.Node) *gorgonia.Node {
	dot := b.note(b.Inner(images.Means, texts.Means), "x·e", images.Means, texts.Means)
	traces := b.Sum(b.RepeatedLike(b.traces(images), dot), b.columns(b.traces(texts), dot))
	b.note(traces, "Σσ² + Σσ²", images.LogVariances, texts.LogVariances)
	similarity := b.note(b.Difference(dot, b.Scaled(traces, 0.5)), "x·e − ½ traces", dot, traces)
	logits := b.Sum(b.Product(b.RepeatedLike(scale, dot), similarity), b.RepeatedLike(bias, dot))
	return b.pairSigmoid(b.note(logits, "a· + b", similarity, scale, bias), 1, "ProLIP loss")
}

// Bottleneck returns the information bottleneck, the mean over all coordinates of ½(μ² + exp(l) − 1
// − l), or ProLIP's form with l halved.
func (b *Builder) Bottleneck(g Gaussians, halved bool) *gorgonia.Node {
	l := g.LogVariances
	if halved {
		l = b.Scaled(l, 0.5)
	}
	inner := b.Sum(b.Square(g.Means), b.PlusConstant(b.Difference(b.Exp(l), l), -1))
	return b.note(b.Scaled(b.Mean(inner), 0.5), "KL to N(0,1)", g.Means, g.LogVariances)
}

// Inclusion returns ProLIP's inc(1 in 2) of every coordinate, up to a constant, by the formula
// derived from the integral of p₁²p₂:
//
//	−l₁ − ½ l₂ − ½ log(1/u + 1/(2v)) − e^eps D²/(u+2v),  u = exp l₁, v = exp l₂
func (b *Builder) Inclusion(one, two Gaussians, eps float64) *gorgonia.Node {
	u, v := b.Exp(one.LogVariances), b.Exp(two.LogVariances)
	logs := b.Sum(one.LogVariances, b.Scaled(two.LogVariances, 0.5))
	inner := b.Scaled(b.Log(b.Sum(b.Inverse(u), b.Scaled(b.Inverse(v), 0.5))), 0.5)
	apart := b.Quotient(b.Square(b.Difference(one.Means, two.Means)), b.Sum(u, b.Scaled(v, 2)))
	all := b.Sum(b.Sum(logs, inner), b.Scaled(apart, math.Exp(eps)))
	return b.note(b.Negative(all), "inc", one.Means, one.LogVariances, two.Means, two.LogVariances)
}

// InclusionLoss returns the mean over all coordinates of −log sigmoid(c·H), H = inc(1 in 2) − inc(2
// in 1).
func (b *Builder) InclusionLoss(one, two Gaussians, eps, sharpness float64) *gorgonia.Node {
	return b.inclusionLoss(b.inclusionTest(one, two, eps), sharpness)
}

// OfficialInclusionLoss returns InclusionLoss in the form of ProLIP's paper and implementation,
// with the log variances in inc doubled: H + ½ (l₂ − l₁) instead of H.
func (b *Builder) OfficialInclusionLoss(one, two Gaussians, eps, sharpness float64) *gorgonia.Node {
	h := b.inclusionTest(one, two, eps)
	doubled := b.Scaled(b.Difference(two.LogVariances, one.LogVariances), 0.5)
	return b.inclusionLoss(b.note(b.Sum(h, doubled), "H + ½(l₂−l₁)", h, one.LogVariances, two.LogVariances), sharpness)
}

// inclusionTest returns H of every coordinate.
func (b *Builder) inclusionTest(one, two Gaussians, eps float64) *gorgonia.Node {
	there, back := b.Inclusion(one, two, eps), b.Inclusion(two, one, eps)
	return b.note(b.Difference(there, back), "H", there, back)
}

// inclusionLoss returns the mean of −log sigmoid(c·h).
func (b *Builder) inclusionLoss(h *gorgonia.Node, sharpness float64) *gorgonia.Node {
	return b.note(b.Negative(b.Mean(b.LogSigmoid(b.Scaled(h, sharpness)))), "−mean log σ(c·H)", h)
}
