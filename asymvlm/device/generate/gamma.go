package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants of ProbVLM's loss and of its variances; the plain loops use the same values.
const (
	residualLow     = 1e-4
	residualHigh    = 1e3
	residualFloor   = 1e-6
	likelihoodShare = 0.05
	crossWeight     = 1e-4
	lowestScale     = 1e-4
	highestMoment   = 5
)

// Stirling's series after w = z + 4 ≥ 4: the first omitted terms are below 4e-8 of log Γ and 7e-8
// of ψ.
var (
	stirlingTerms  = []float32{1. / 1260, -1. / 360, 1. / 12}
	digammaTerms   = []float32{-1. / 252, 1. / 120, -1. / 12}
	halfLogTwoPi   = float32(0.918938533204672742)
	gammaConstants = append(append([]float32{halfLogTwoPi, 0.5, 1, 2, 3, 4}, stirlingTerms...), digammaTerms...)
)

// logGamma returns log Γ(z) and, if requested, ψ(z) for z > 0.2, from those of w = z + 4: with u =
// z² + 3z, z(z+1)(z+2)(z+3) = u(u+2), and the reciprocals of the four factors add up to
// (2z+3)(2u+2)/(u(u+2)).
func logGamma(z reg.VecVirtual, wantSlope bool, pool *constants) (value, slope reg.VecVirtual) {
	u, product, w := YMM(), YMM(), YMM()
	VADDPS(pool.float(3), z, u)
	VMULPS(z, u, u)
	VADDPS(pool.float(2), u, product)
	VMULPS(u, product, product)
	VADDPS(pool.float(4), z, w)
	inverse, square := YMM(), YMM()
	VMOVUPS(pool.float(1), inverse)
	VDIVPS(w, inverse, inverse)
	VMULPS(inverse, inverse, square)
	if wantSlope {
		slope = YMM()
		VMOVUPS(pool.float(digammaTerms[0]), slope)
		for _, term := range digammaTerms[1:] {
			VFMADD213PS(pool.float(term), square, slope)
		}
		VMULPS(square, slope, slope)
		VFNMADD231PS(pool.float(0.5), inverse, slope)
		// u becomes the sum of the reciprocals.
		VADDPS(u, u, u)
		VADDPS(pool.float(2), u, u)
		z2 := YMM()
		VADDPS(z, z, z2)
		VADDPS(pool.float(3), z2, z2)
		VMULPS(z2, u, u)
		VDIVPS(product, u, u)
		VSUBPS(u, slope, slope)
	}
	value = YMM()
	VMOVUPS(pool.float(stirlingTerms[0]), value)
	for _, term := range stirlingTerms[1:] {
		VFMADD213PS(pool.float(term), square, value)
	}
	VFMADD213PS(pool.float(halfLogTwoPi), inverse, value)
	VSUBPS(w, value, value)
	VSUBPS(logarithm(product, nil, pool), value, value)
	VSUBPS(pool.float(0.5), w, z)
	logW := logarithm(w, nil, pool)
	if wantSlope {
		VADDPS(logW, slope, slope)
	}
	VFMADD231PS(logW, z, value)
	return value, slope
}

// A residualForm emits the residual of the likelihood and its derivatives. The first argument is
// |mean − target|.
type residualForm func(apart, q, beta reg.VecVirtual, pool *constants) (residual, dApart, dQ, dBeta reg.VecVirtual)

// linearResidual is clamp(|μ−y| q β).
func linearResidual(apart, q, beta reg.VecVirtual, pool *constants) (residual, dApart, dQ, dBeta reg.VecVirtual) {
	residual, dApart, dQ, dBeta = YMM(), YMM(), YMM(), YMM()
	inside, limit := YMM(), YMM()
	VMULPS(q, beta, dApart)
	VMULPS(apart, dApart, residual)
	VCMPPS(U8(2), residual, pooled(pool, residualLow), inside) // low ≤ residual
	VCMPPS(U8(2), pool.float(residualHigh), residual, limit)
	VANDPS(limit, inside, inside)
	VANDPS(inside, dApart, dApart)
	VANDPS(inside, apart, inside)
	VMULPS(beta, inside, dQ)
	VMULPS(q, inside, dBeta)
	VMOVUPS(pool.float(residualLow), limit)
	VMAXPS(residual, limit, residual)
	VMOVUPS(pool.float(residualHigh), limit)
	VMINPS(residual, limit, residual)
	return residual, dApart, dQ, dBeta
}

// pooled emits the load of a constant into all lanes of a new register, which it returns.
func pooled(pool *constants, value float32) reg.VecVirtual {
	y := YMM()
	VMOVUPS(pool.float(value), y)
	return y
}

// powerResidual returns (|μ−y| q)^β.
func powerResidual(apart, q, beta reg.VecVirtual, pool *constants) (residual, dApart, dQ, dBeta reg.VecVirtual) {
	residual, dApart, dQ, dBeta = YMM(), YMM(), YMM(), YMM()
	inside, raised := YMM(), YMM()
	VMOVUPS(pool.float(residualFloor), raised)
	VMAXPS(apart, raised, raised)
	t := YMM()
	VMULPS(q, raised, t)
	VMOVUPS(logarithm(t, nil, pool), dBeta)
	VMULPS(beta, dBeta, residual)
	exponential(residual, pool)
	VMULPS(residual, dBeta, dBeta)
	VMULPS(beta, residual, dQ)
	VDIVPS(raised, dQ, dApart)
	VCMPPS(U8(5), pool.float(residualFloor), apart, inside) // not below the floor
	VANDPS(inside, dApart, dApart)
	VDIVPS(q, dQ, dQ)
	return residual, dApart, dQ, dBeta
}

// heads emits the terms of ProbVLM's loss that do not depend on the targets. The loss is split into
// several short functions, because one function of a few hundred dependent instructions would leave
// the CPU idle.
func heads(pool *constants) {
	l := begin("func(gamma, dShape, scales, shapes *float32, n int)", "headsAVX2",
		"sets gamma to a share of log Γ(1+1/shape) − log scale, of both targets, and dShape to its derivative in the shape without that share.",
		"gamma", "dShape", "scales", "shapes")
	l.open()
	z, square, q := YMM(), YMM(), YMM()
	VMOVUPS(pool.float(1), z)
	VDIVPS(l.at("shapes"), z, z)
	VMULPS(z, z, square)
	VADDPS(pool.float(1), z, z)
	gamma, digamma := logGamma(z, true, pool)
	VMULPS(pool.float(1+crossWeight), digamma, digamma)
	VMULPS(square, digamma, digamma)
	VXORPS(pool.bits(signBit), digamma, digamma)
	VMOVUPS(digamma, l.at("dShape"))
	VMOVUPS(l.at("scales"), q)
	VSUBPS(logarithm(q, nil, pool), gamma, gamma)
	VMULPS(pool.float(1+crossWeight), gamma, gamma)
	VMULPS(pool.float(likelihoodShare), gamma, gamma)
	VMOVUPS(gamma, l.at("gamma"))
	l.close()
	finish()
}

// generalized emits ProbVLM's loss of the heads of one side against the embeddings of both.
func generalized(name string, pool *constants, form residualForm) {
	l := begin("func(dMean, dScale, dShape, mean, scales, shapes, gamma, dGamma, own, other *float32, n int, weight float32) float32", name,
		"returns the sum of ProbVLM's loss against own plus 1e-4 times that against other, and sets the gradients to weight times the derivatives; dScale and dShape hold the slopes of scales and shapes before, gamma and dGamma what headsAVX2 made of them.",
		"dMean", "dScale", "dShape", "mean", "scales", "shapes", "gamma", "dGamma", "own", "other")
	loss := zero()
	l.open()
	q, beta, sumBeta, sumQ := YMM(), YMM(), YMM(), YMM()
	VMOVUPS(l.at("scales"), q)
	VMOVUPS(l.at("shapes"), beta)
	VMOVUPS(l.at("dGamma"), sumBeta)
	VADDPS(l.at("gamma"), loss, loss)
	dMean := zero()
	VMOVUPS(pool.bits(signBit), sumQ)
	VORPS(pool.float(1+crossWeight), sumQ, sumQ)
	VDIVPS(q, sumQ, sumQ)
	for i, target := range []string{"own", "other"} {
		// The sixteen registers of AVX2 barely suffice, so cheap values are recomputed instead of
		// kept.
		difference := func() reg.VecVirtual {
			d := YMM()
			VMOVUPS(l.at("mean"), d)
			VSUBPS(l.at(target), d, d)
			return d
		}
		apart := difference()
		VANDPS(pool.bits(0x7fffffff), apart, apart)
		part, dApart, dQ, dB := form(apart, q, beta, pool)
		VMULPS(pool.float(likelihoodShare), part, part)
		VADDPS(apart, part, part)
		VMULPS(pool.float(likelihoodShare), dApart, dApart)
		VADDPS(pool.float(1), dApart, dApart)
		// The sign of the difference, 0 if there is none.
		zeroed := YMM()
		VXORPS(zeroed, zeroed, zeroed)
		VCMPPS(U8(4), apart, zeroed, zeroed)
		VANDPS(zeroed, dApart, dApart)
		sign := difference()
		VANDPS(pool.bits(signBit), sign, sign)
		VXORPS(sign, dApart, dApart)
		if i == 0 {
			VADDPS(part, loss, loss)
			VADDPS(dApart, dMean, dMean)
			VADDPS(dQ, sumQ, sumQ)
			VADDPS(dB, sumBeta, sumBeta)
			continue
		}
		VFMADD231PS(pool.float(crossWeight), part, loss)
		VFMADD231PS(pool.float(crossWeight), dApart, dMean)
		VFMADD231PS(pool.float(crossWeight), dQ, sumQ)
		VFMADD231PS(pool.float(crossWeight), dB, sumBeta)
	}
	weight := scalar("weight")
	VMULPS(weight, dMean, dMean)
	VMOVUPS(dMean, l.at("dMean"))
	chain(l, pool, "dScale", sumQ, weight)
	chain(l, pool, "dShape", sumBeta, weight)
	l.close()
	Store(total(loss), ReturnIndex(0))
	finish()
}

// chain sets a gradient to the product of a share, the weight, a sum and the slope that is stored
// in its memory.
func chain(l *loop, pool *constants, name string, sum, weight reg.VecVirtual) {
	VMULPS(pool.float(likelihoodShare), sum, sum)
	VMULPS(weight, sum, sum)
	VMULPS(l.at(name), sum, sum)
	VMOVUPS(sum, l.at(name))
}

// moments emits Γ(3/b)/Γ(1/b).
func moments(pool *constants) {
	l := begin("func(dst, shapes *float32, n int)", "momentsAVX2", "sets dst to Γ(3/b)/Γ(1/b), b the shape, but at most 5.", "dst", "shapes")
	l.open()
	b, z, three := YMM(), YMM(), YMM()
	VMOVUPS(l.at("shapes"), b)
	VMOVUPS(pool.float(highestMoment), z)
	VMINPS(b, z, b)
	VMOVUPS(pool.float(1), z)
	VDIVPS(b, z, z)
	VMULPS(pool.float(3), z, three)
	low, _ := logGamma(z, false, pool)
	exponent, _ := logGamma(three, false, pool)
	VSUBPS(low, exponent, exponent)
	exponential(exponent, pool)
	VMOVUPS(exponent, l.at("dst"))
	l.close()
	finish()
}

// scaledMoments emits the sum of the variances as predicted by ProbVLM's reference implementation.
func scaledMoments(pool *constants) {
	l := begin("func(moments, scales *float32, n int) float32", "scaledMomentsAVX2",
		"returns Σ moments/scales², the reciprocals of the scales kept from 1e-4 to 5.", "moments", "scales")
	sum := zero()
	l.open()
	a, limit := YMM(), YMM()
	VMOVUPS(pool.float(1), a)
	VDIVPS(l.at("scales"), a, a)
	VMOVUPS(pool.float(highestMoment), limit)
	VMINPS(a, limit, a)
	VMOVUPS(pool.float(lowestScale), limit)
	VMAXPS(a, limit, a)
	VMULPS(a, a, a)
	VFMADD231PS(l.at("moments"), a, sum)
	l.close()
	Store(total(sum), ReturnIndex(0))
	finish()
}
