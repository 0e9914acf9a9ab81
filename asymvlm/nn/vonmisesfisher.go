package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import "gosphere/asymvlm/device"

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
