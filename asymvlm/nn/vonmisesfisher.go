package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/sphere"
)

// The von Mises–Fisher likelihoods η·x + F(κ), shifted to be 0 at κ = 0: with F the closed form of
// the AsymVLM paper, and with the exact normalizer.
var (
	VonMisesFisher      Likelihood = ofVonMisesFisher{"vmf", device.DensityPaper}
	VonMisesFisherExact Likelihood = ofVonMisesFisher{"vmf-exact", device.DensityExact}
)

type ofVonMisesFisher struct {
	name   string
	normal device.Density
}

func (v ofVonMisesFisher) String() string { return v.name }

func (v ofVonMisesFisher) density() device.Density { return v.normal }

func (ofVonMisesFisher) concentrated() bool { return true }

func (v ofVonMisesFisher) linear() (func(dimension int) (sphere.Normalizer, error), bool) {
	return func(dimension int) (sphere.Normalizer, error) { return v.normalizer(dimension) }, true
}

// normalizer returns F for a dimension.
func (v ofVonMisesFisher) normalizer(dimension int) (interface {
	sphere.Normalizer
	DerivativeOverKappa(kappa float64) float64
}, error) {
	if v.normal == device.DensityExact {
		return sphere.NewVonMisesFisherNormalizer(dimension)
	}
	return sphere.NewPaperNormalizer(dimension)
}

func (v ofVonMisesFisher) single(b *builder[float32]) (likelihood[float32], error) {
	return newVonMisesFisher(b, v)
}

func (v ofVonMisesFisher) double(b *builder[float64]) (likelihood[float64], error) {
	return newVonMisesFisher(b, v)
}

func newVonMisesFisher[F device.Float](b *builder[F], v ofVonMisesFisher) (likelihood[F], error) {
	normalizer, err := v.normalizer(b.Dimension)
	return &vonMisesFisher[F]{ops: b.ops, normalizer: normalizer}, err
}

// vonMisesFisher is ℓ = η·x + F(κ): the logarithm of the von Mises–Fisher density without the terms
// that do not depend on η. It needs no direction, so κ = 0 is an ordinary point.
type vonMisesFisher[F device.Float] struct {
	ops        device.Operations[F]
	normalizer interface {
		LogNormalizerShifted(kappa float64) float64
		DerivativeOverKappa(kappa float64) float64
	}
	eta        device.Matrix[F]
	kappa      []float64
	logs       []F // F(κ) of every text
	own, other []F // factors of the gradient
}

func (v *vonMisesFisher[F]) prepare(eta device.Matrix[F]) {
	v.eta, v.kappa, v.logs = eta, grow(v.kappa, eta.Rows), grow(v.logs, eta.Rows)
	v.ops.Units(device.Matrix[F]{}, v.kappa, eta)
	for r, kappa := range v.kappa {
		v.logs[r] = F(v.normalizer.LogNormalizerShifted(kappa))
	}
}

func (v *vonMisesFisher[F]) concentrations() []float64 { return v.kappa }

func (v *vonMisesFisher[F]) fill(ell, images device.Matrix[F]) {
	v.ops.Affine(ell, images, v.eta, device.Bias[F]{Values: v.logs})
}

// gradient computes, with φ(κ) = F′(κ)/κ, dη_r = τ (Σ_s g_sr x_s + φ(κ_r) η_r Σ_s g_sr). The second
// term affects only the softmax over rows: a column belongs to one text, so F cancels.
func (v *vonMisesFisher[F]) gradient(dEta device.Matrix[F], s slopes[F], images device.Matrix[F], tau F) {
	v.ops.ProductLeftTransposed(dEta, s.g, images)
	v.own, v.other = grow(v.own, dEta.Rows), grow(v.other, dEta.Rows)
	for r, kappa := range v.kappa {
		v.own[r], v.other[r] = tau, tau*F(s.columns[r]*v.normalizer.DerivativeOverKappa(kappa))
	}
	v.ops.Combine(dEta, v.eta, v.own, v.other)
}
