package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/gaussian"
)

// Objectives of ProLIP on frozen means.
var (
	// ProLIP is ProLIP as in AsymVLM's reference implementation.
	ProLIP Objective = proLIP("probabilistic-pairs", adapterWeights, newOfficialPairs[float32], newOfficialPairs[float64])
	// ProLIPExact is the same with the right information bottleneck.
	ProLIPExact Objective = proLIP("probabilistic-pairs-exact", adapterWeights, newExactPairs[float32], newExactPairs[float64])
	// ProLIPFull is the exact form with ProLIP's scale, bias and inclusion loss.
	ProLIPFull Objective = proLIP("probabilistic-pairs-full", fullWeights, newFullPairs[float32], newFullPairs[float64])
	// ProLIPFullOfficial is the same with ProLIP's own forms of bottleneck and inclusion.
	ProLIPFullOfficial Objective = proLIP("probabilistic-pairs-full-official", fullWeights, newFullOfficialPairs[float32], newFullOfficialPairs[float64])
)

func proLIP(name string, weights PairWeights, loss32 func(*builder[float32]) varianceLoss[float32], loss64 func(*builder[float64]) varianceLoss[float64]) *onFrozenMeans {
	return &onFrozenMeans{name, properties{unit: [2]bool{true, true}, weights: &weights}, loss32, loss64}
}

// probabilisticPairs is ProLIP on frozen means: the pairwise loss of
//
//	logit = a (x·e − (Σ σ_I² + Σ σ_T²)/2) + b
//
// and an information bottleneck with a small weight. In AsymVLM's reference implementation a is 1,
// b is 0 and the bottleneck has ProLIP's halved form. The full forms train log a and b and add
// ProLIP's inclusion loss of images in texts.
type probabilisticPairs[F device.Float] struct {
	matching[F]
	logA, b *tensor[F]    // nil except in the full forms
	form    gaussian.Form // of the bottleneck and the inclusion
	weights PairWeights
}

// PairWeights holds the weights of the terms of ProLIP's loss besides the pairwise one.
type PairWeights struct {
	// Bottleneck is the weight of the information bottleneck, and Inclusion is α, the weight of the
	// inclusion of images in texts; both are at least 0.
	Bottleneck, Inclusion float64
	// Eps and Sharpness are eps and c of the inclusion loss. They are ignored if Inclusion is 0.
	Eps, Sharpness float64
}

// Check returns an error for the first weight that is out of range.
func (w PairWeights) Check() error {
	for _, n := range []struct {
		name         string
		value, least float64
	}{{"weight of the bottleneck", w.Bottleneck, 0}, {"weight of the inclusion", w.Inclusion, 0}, {"eps", w.Eps, -1e3}, {"sharpness", w.Sharpness, 0}} {
		if !(n.value >= n.least) || n.value > 1e6 {
			return fmt.Errorf("nn: %s %g of ProLIP, want a number from %g to 1e6", n.name, n.value, n.least)
		}
	}
	return nil
}

// The weights of AsymVLM's reference implementation, and those of the full form. ProLIP's own
// weight of the inclusion of images in texts, 1e-7 with eps −20 and sharpness 1000, has no effect
// on embeddings of this size. The full form's weights were chosen here, with eps and sharpness
// between ProLIP's recommended values and those.
var (
	adapterWeights = PairWeights{Bottleneck: 1e-5}
	fullWeights    = PairWeights{Bottleneck: 1e-4, Inclusion: 0.1, Eps: -2, Sharpness: 10}
)

func newOfficialPairs[F device.Float](b *builder[F]) varianceLoss[F] {
	return newPairs(b, gaussian.Official, adapterWeights)
}

func newExactPairs[F device.Float](b *builder[F]) varianceLoss[F] {
	return newPairs(b, gaussian.Exact, adapterWeights)
}

func newFullPairs[F device.Float](b *builder[F]) varianceLoss[F] {
	return newPairs(b, gaussian.Exact, fullWeights).scaled(b)
}

func newFullOfficialPairs[F device.Float](b *builder[F]) varianceLoss[F] {
	return newPairs(b, gaussian.Official, fullWeights).scaled(b)
}

// newPairs returns ProLIP's loss with the given weights, or with those of the architecture.
func newPairs[F device.Float](b *builder[F], form gaussian.Form, weights PairWeights) *probabilisticPairs[F] {
	if b.Pairs != nil {
		weights = *b.Pairs
	}
	return &probabilisticPairs[F]{matching: newMatching(b), form: form, weights: weights}
}

// scaled adds the trained scale and bias of the full forms.
func (p *probabilisticPairs[F]) scaled(b *builder[F]) *probabilisticPairs[F] {
	p.logA, p.b = b.tensors.take("log_a"), b.tensors.take("b")
	return p
}

func (p *probabilisticPairs[F]) described() device.TrainingLoss {
	w := p.weights
	if w.Inclusion != 0 && p.logA == nil {
		return nil
	}
	return device.PairsLoss{Exact: p.form == gaussian.Exact, Scaled: p.logA != nil,
		Bottleneck: float32(w.Bottleneck), Inclusion: float32(w.Inclusion), Eps: float32(w.Eps), Sharpness: float32(w.Sharpness)}
}

// initialize sets ProLIP's initial values, a = 10 and b = −10.
func (p *probabilisticPairs[F]) initialize() {
	if p.logA != nil {
		p.logA.values[0], p.b.values[0] = F(math.Log(firstTemperature)), firstBias
	}
}

func (p *probabilisticPairs[F]) scale() float64 {
	if p.logA == nil {
		return 1
	}
	return math.Exp(p.logA.number())
}

func (p *probabilisticPairs[F]) gradient(b *varianceBatch[F]) float64 {
	loss := p.pairs(b)
	means, outputs, dOutputs := b.means, b.outputs, b.dOutputs
	texts, images := diagonal(means[Texts], outputs[Texts]), diagonal(means[Images], outputs[Images])
	for side, d := range [2]gaussian.Diagonal{Texts: texts, Images: images} {
		part, gradient, err := gaussian.Bottleneck(p.form, d)
		if err != nil {
			return math.NaN() // an output is not finite; the caller reports it
		}
		loss += p.weights.Bottleneck * part
		addScaled(dOutputs[side].Values, gradient.LogVariance, p.weights.Bottleneck)
	}
	if p.weights.Inclusion == 0 {
		return loss
	}
	inclusion := gaussian.Inclusion{Form: p.form, Eps: p.weights.Eps}
	part, err := inclusion.Loss(images, texts, p.weights.Sharpness)
	if err != nil {
		return math.NaN()
	}
	addScaled(dOutputs[Images].Values, part.One.LogVariance, p.weights.Inclusion)
	addScaled(dOutputs[Texts].Values, part.Two.LogVariance, p.weights.Inclusion)
	return loss + p.weights.Inclusion*part.Loss
}

// pairs returns the pairwise loss and sets all gradients.
func (p *probabilisticPairs[F]) pairs(b *varianceBatch[F]) (loss float64) {
	a, constant := p.scale(), 0.0
	if p.b != nil {
		constant = p.b.number()
	}
	loss, d := p.matching.pairs(b, matchingLogits{cosine: a, constant: constant, traces: -a / 2,
		weight: 1 / float64(b.outputs[Texts].Rows)})
	if p.logA != nil {
		p.logA.gradient[0], p.b.gradient[0] = F(a*(d.cosine-d.traces/2)), F(d.constant)
	}
	return loss
}

// diagonal converts means and log variances to the form of package gaussian.
func diagonal[F device.Float](means, outputs device.Matrix[F]) gaussian.Diagonal {
	return gaussian.Diagonal{Mean: doubles(means.Values), LogVariance: doubles(outputs.Values)}
}

func doubles[F device.Float](values []F) []float64 {
	list := make([]float64, len(values))
	for i, value := range values {
		list[i] = float64(value)
	}
	return list
}

func addScaled[F device.Float](dst []F, values []float64, factor float64) {
	for i, value := range values {
		dst[i] += F(factor * value)
	}
}
