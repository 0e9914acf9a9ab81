package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/sphere"
)

// lowestCosine keeps log(1+c) finite for an image opposite to a text. The paper's program has no such limit; with it
// one such pair cannot make the whole batch NaN.
const lowestCosine = -1 + 1e-6

// powerSpherical is ℓ = κ log(1+μ·x) + log c(κ) − log c(0), the power spherical density.
type powerSpherical[F device.Float] struct {
	ops        device.Operations[F]
	normalizer *sphere.PowerSphericalNormalizer
	directions[F]
	cosines device.Matrix[F] // B×B, kept from fill for gradient when N ≤ B
	logs    []F
	slopes  []F
	weights device.Matrix[F] // g/(1+c)
	radial  []float64
}

func (p *powerSpherical[F]) prepare(eta device.Matrix[F]) {
	p.set(eta)
	p.logs = grow(p.logs, eta.Rows)
	for r, kappa := range p.kappa {
		p.logs[r] = F(p.normalizer.ZeroBased(kappa))
	}
}

func (p *powerSpherical[F]) concentrations() []float64 { return p.kappa }

func (p *powerSpherical[F]) fill(ell, images device.Matrix[F]) {
	p.ops.ProductRightTransposed(ell, images, p.mu)
	for i, c := range ell.Values {
		if c < lowestCosine {
			ell.Values[i] = lowestCosine
		}
	}
	if len(ell.Values) <= cap(p.cosines.Values) {
		p.cosines = device.Matrix[F]{Rows: ell.Rows, Columns: ell.Columns, Values: grow(p.cosines.Values, len(ell.Values))}
		copy(p.cosines.Values, ell.Values)
	}
	p.ops.Log1p(ell, ell)
	for s := range ell.Rows {
		row := ell.Row(s)
		for r, value := range row {
			row[r] = F(p.kappa[r])*value + p.logs[r]
		}
	}
}

// gradient: with w = g/(1+c),
//
//	dη_r = τ { [Σ_s g_sr (log(1+c_sr) + C′(κ_r)) − Σ_s w_sr c_sr] μ_r + Σ_s w_sr x_s },  C = log c(κ).
//
// The logarithms are taken again instead of being kept: dη needs them divided by the batch only, and ℓ holds κ times
// them, which is no use where κ is 0.
func (p *powerSpherical[F]) gradient(dEta, g, images device.Matrix[F], tau F) {
	p.weights = device.Matrix[F]{Rows: g.Rows, Columns: g.Columns, Values: grow(p.weights.Values, len(g.Values))}
	p.slopes, p.radial = grow(p.slopes, g.Columns), grow(p.radial, g.Columns)
	for r, kappa := range p.kappa {
		p.slopes[r], p.radial[r] = F(p.normalizer.Slope(kappa)), 0
	}
	p.ops.Log1p(p.weights, p.cosines)
	for s := range g.Rows {
		gs, cs, ws := g.Row(s), p.cosines.Row(s), p.weights.Row(s)
		for r, value := range gs {
			c := cs[r]
			radial := value * (ws[r] + p.slopes[r])
			w := value / (1 + c)
			if c <= lowestCosine {
				w = 0 // at the limit ℓ does not depend on the cosine
			}
			ws[r] = w
			p.radial[r] += float64(radial - w*c)
		}
	}
	p.ops.ProductLeftTransposed(dEta, p.weights, images)
	for r := range dEta.Rows {
		mu, d := p.mu.Row(r), dEta.Row(r)
		along := F(p.radial[r])
		for j, value := range mu {
			d[j] = tau * (d[j] + along*value)
		}
	}
}
