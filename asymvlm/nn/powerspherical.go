package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/sphere"
)

// PowerSpherical is the power spherical likelihood κ log(1+μ·x) + log c(κ), shifted to be 0 at κ =
// 0.
var PowerSpherical Likelihood = ofPowerSpherical{}

type ofPowerSpherical struct{}

func (ofPowerSpherical) String() string { return "ps" }

func (ofPowerSpherical) density() device.Density { return device.DensityPowerSpherical }

func (ofPowerSpherical) concentrated() bool { return true }

func (ofPowerSpherical) linear() (func(dimension int) (sphere.Normalizer, error), bool) {
	return nil, false
}

func (ofPowerSpherical) single(b *builder[float32]) (likelihood[float32], error) {
	return newPowerSpherical(b)
}

func (ofPowerSpherical) double(b *builder[float64]) (likelihood[float64], error) {
	return newPowerSpherical(b)
}

func newPowerSpherical[F device.Float](b *builder[F]) (likelihood[F], error) {
	normalizer, err := sphere.NewPowerSphericalNormalizer(b.Dimension)
	return &powerSpherical[F]{ops: b.ops, normalizer: normalizer, cosines: device.NewMatrix[F](b.batch, b.batch)}, err
}

// powerSpherical is the power spherical density, ℓ = κ log(1+μ·x) + log c(κ) − log c(0).
type powerSpherical[F device.Float] struct {
	ops        device.Operations[F]
	normalizer *sphere.PowerSphericalNormalizer
	directions[F]
	cosines    device.Matrix[F] // B×B, kept from fill for gradient if N ≤ B
	factors    []F              // κ
	logs       []F
	radial     []float64
	own, other []F // factors of the gradient
}

func (p *powerSpherical[F]) prepare(eta device.Matrix[F]) {
	p.set(p.ops, eta)
	p.logs, p.factors = grow(p.logs, eta.Rows), grow(p.factors, eta.Rows)
	for r, kappa := range p.kappa {
		p.logs[r], p.factors[r] = F(p.normalizer.LogNormalizerShifted(kappa)), F(kappa)
	}
}

func (p *powerSpherical[F]) concentrations() []float64 { return p.kappa }

func (p *powerSpherical[F]) fill(ell, images device.Matrix[F]) {
	cosines := ell
	if len(ell.Values) <= cap(p.cosines.Values) {
		cosines.Values = p.cosines.Values[:len(ell.Values)]
		p.cosines = cosines
	}
	p.ops.ProductRightTransposed(cosines, images, p.mu)
	p.ops.PowerLogits(ell, cosines, p.factors, p.logs)
}

// gradient computes, with w = g/(1+c),
//
//	dη_r = τ { [Σ_s g_sr (log(1+c_sr) + C′(κ_r)) − Σ_s w_sr c_sr] μ_r + Σ_s w_sr x_s },  C = log c(κ).
//
// The logarithms are recomputed, not kept. ℓ contains them multiplied by κ, which loses them for κ
// = 0.
func (p *powerSpherical[F]) gradient(dEta device.Matrix[F], s slopes[F], images device.Matrix[F], tau F) {
	p.radial = grow(p.radial, s.g.Columns)
	p.ops.PowerGradient(s.g, s.g, p.cosines, p.radial)
	p.ops.ProductLeftTransposed(dEta, s.g, images)
	p.own, p.other = grow(p.own, dEta.Rows), grow(p.other, dEta.Rows)
	for r, kappa := range p.kappa {
		along := p.radial[r] + s.columns[r]*p.normalizer.Derivative(kappa)
		p.own[r], p.other[r] = tau, tau*F(along)
	}
	p.ops.Combine(dEta, p.mu, p.own, p.other)
}
