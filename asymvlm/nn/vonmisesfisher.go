package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import "gosphere/asymvlm/device"

// vonMisesFisher is ℓ = η·x + F(κ): the logarithm of the von Mises–Fisher density without what does not depend on η.
// No direction is needed, so κ = 0 is an ordinary point.
type vonMisesFisher[F device.Float] struct {
	ops        device.Operations[F]
	normalizer interface {
		ZeroBased(kappa float64) float64
		SlopeOverKappa(kappa float64) float64
	}
	eta      device.Matrix[F]
	kappa    []float64
	logs     []F // F(κ) of every text
	dKernels []F // column sums of the gradient
}

func (v *vonMisesFisher[F]) prepare(eta device.Matrix[F]) {
	v.eta, v.kappa, v.logs = eta, grow(v.kappa, eta.Rows), grow(v.logs, eta.Rows)
	for r := range eta.Rows {
		v.kappa[r] = norm(eta.Row(r))
		v.logs[r] = F(v.normalizer.ZeroBased(v.kappa[r]))
	}
}

func (v *vonMisesFisher[F]) concentrations() []float64 { return v.kappa }

func (v *vonMisesFisher[F]) fill(ell, images device.Matrix[F]) {
	v.ops.ProductRightTransposed(ell, images, v.eta)
	v.ops.AddBias(ell, v.logs, false)
}

// gradient: with φ(κ) = F′(κ)/κ, dη_r = τ (Σ_s g_sr x_s + φ(κ_r) η_r Σ_s g_sr). The second term is what the row
// softmax alone feels: in a column all texts are the same and F cancels.
func (v *vonMisesFisher[F]) gradient(dEta, g, images device.Matrix[F], tau F) {
	v.dKernels = grow(v.dKernels, g.Columns)
	v.ops.ProductLeftTransposed(dEta, g, images)
	v.ops.SumRows(v.dKernels, g)
	for r := range dEta.Rows {
		factor := v.dKernels[r] * F(v.normalizer.SlopeOverKappa(v.kappa[r]))
		eta, d := v.eta.Row(r), dEta.Row(r)
		for j, value := range eta {
			d[j] = tau * (d[j] + factor*value)
		}
	}
}
