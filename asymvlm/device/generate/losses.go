package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const signBit = 0x80000000

// Constants of AdamW, and the lowest cosine of the power spherical density; the plain loops use the
// same values.
const (
	adamFirst    = 0.1
	adamKeep     = 0.999
	adamSecond   = 0.001
	adamEpsilon  = 1e-8
	lowestCosine = -1 + 1e-6
)

var lossConstants = []float32{adamFirst, adamKeep, adamSecond, adamEpsilon, lowestCosine, 2, 3, 4,
	residualLow, residualHigh, residualFloor, likelihoodShare, crossWeight, 1 + crossWeight,
	lowestScale, highestMoment}

// contrast emits the gradient of the symmetric contrastive loss for one row of logits.
func contrast(pool *constants) {
	l := begin("func(dst, src, columns, sums *float32, n int, scale, row, weight float32) float32", "contrastAVX2",
		"sets dst to weight·(exp(scale·src − row) + exp(scale·src − columns)), adds it to sums, and returns Σ dst·src.",
		"dst", "src", "columns", "sums")
	scale, row, weight, dot := scalar("scale"), scalar("row"), scalar("weight"), zero()
	l.open()
	x, y := YMM(), YMM()
	VMOVUPS(l.at("src"), x)
	VMOVUPS(x, y)
	VFMSUB213PS(row, scale, x)
	VFMSUB213PS(l.at("columns"), scale, y)
	exponential(x, pool)
	exponential(y, pool)
	VADDPS(x, y, y)
	VMULPS(weight, y, y)
	VFMADD231PS(l.at("src"), y, dot)
	VMOVUPS(y, l.at("dst"))
	VADDPS(l.at("sums"), y, y)
	VMOVUPS(y, l.at("sums"))
	l.close()
	Store(total(dot), ReturnIndex(0))
	finish()
}

// softplus returns log(1 + exp(x)) and, if requested, the sigmoid of x.
func softplus(x reg.VecVirtual, wantSlope bool, pool *constants) (value, slope reg.VecVirtual) {
	e, none := YMM(), zero()
	VORPS(pool.bits(signBit), x, e)
	exponential(e, pool) // of −|x|
	if wantSlope {
		below := YMM()
		slope = YMM()
		VMOVUPS(pool.float(1), slope)
		VBLENDVPS(x, e, slope, slope)
		VADDPS(pool.float(1), e, below)
		VDIVPS(below, slope, slope)
	}
	value = logarithm1p(e, pool)
	VMAXPS(x, none, none) // x as last operand: NaN stays
	VADDPS(none, value, value)
	return value, slope
}

// softplusInto emits the softplus of values, with and without its slope.
func softplusInto(pool *constants) {
	for _, name := range []string{"softplusAVX2", "softplusSlopeAVX2"} {
		signature, doc, pointers := "func(dst, src *float32, n int, shift float32)", "sets dst to log(1+exp(src)) + shift.", []string{"dst", "src"}
		withSlope := name == "softplusSlopeAVX2"
		if withSlope {
			signature = "func(dst, slope, src *float32, n int, shift float32)"
			doc = "sets dst to log(1+exp(src)) + shift and slope to the derivative."
			pointers = append(pointers, "slope")
		}
		l := begin(signature, name, doc, pointers...)
		shift := scalar("shift")
		l.open()
		x := YMM()
		VMOVUPS(l.at("src"), x)
		value, slope := softplus(x, withSlope, pool)
		if withSlope {
			VMOVUPS(slope, l.at("slope"))
		}
		VADDPS(shift, value, value)
		VMOVUPS(value, l.at("dst"))
		l.close()
		finish()
	}
}

// softplusSum emits the sum of softplus values.
func softplusSum(pool *constants) {
	l := begin("func(src *float32, n int) float32", "softplusSumAVX2", "returns Σ log(1+exp(src)).", "src")
	sum := zero()
	l.open()
	x := YMM()
	VMOVUPS(l.at("src"), x)
	value, _ := softplus(x, false, pool)
	VADDPS(value, sum, sum)
	l.close()
	Store(total(sum), ReturnIndex(0))
	finish()
}

// sigmoidPairs emits the gradient of the logistic loss of one row of pairs, treating all of them as
// not matching.
func sigmoidPairs(pool *constants) {
	l := begin("func(dst, src, columns, sums *float32, n int, scale, row, weight float32) (loss, sum, dot float32)", "sigmoidPairsAVX2",
		"sets dst to weight·sigmoid(h) with h = scale·src + row + columns, adds it to sums, and returns Σ log(1+exp(h)), Σ dst and Σ dst·src.",
		"dst", "src", "columns", "sums")
	loss, sum, dot := zero(), zero(), zero()
	scale, row, weight := scalar("scale"), scalar("row"), scalar("weight")
	l.open()
	h := YMM()
	VADDPS(l.at("columns"), row, h)
	VFMADD231PS(l.at("src"), scale, h)
	value, slope := softplus(h, true, pool)
	VADDPS(value, loss, loss)
	VMULPS(weight, slope, slope)
	VADDPS(slope, sum, sum)
	VFMADD231PS(l.at("src"), slope, dot)
	VMOVUPS(slope, l.at("dst"))
	VADDPS(l.at("sums"), slope, slope)
	VMOVUPS(slope, l.at("sums"))
	l.close()
	for i, acc := range []reg.VecVirtual{loss, sum, dot} {
		Store(total(acc), ReturnIndex(i))
	}
	finish()
}

// powerLogits emits the power spherical log-likelihoods of one row of cosines.
func powerLogits(pool *constants) {
	l := begin("func(dst, cosines, kappa, logs *float32, n int)", "powerLogitsAVX2",
		"raises cosines to the lowest one and sets dst to kappa·log(1+cosines) + logs.", "dst", "cosines", "kappa", "logs")
	l.open()
	c := YMM()
	low := YMM()
	VMOVUPS(pool.float(lowestCosine), low)
	VMOVUPS(l.at("cosines"), c)
	VMAXPS(c, low, c)
	VMOVUPS(c, l.at("cosines"))
	y := logarithm1p(c, pool)
	VMOVUPS(l.at("logs"), low)
	VFMADD231PS(l.at("kappa"), y, low)
	VMOVUPS(low, l.at("dst"))
	l.close()
	finish()
}

// powerGradient emits one row of the power spherical density's gradient.
func powerGradient(pool *constants) {
	l := begin("func(dst, slopes, cosines, radial *float32, n int)", "powerGradientAVX2",
		"sets dst to slopes/(1+cosines), 0 at the lowest cosine, and adds slopes·log(1+cosines) − dst·cosines to radial.",
		"dst", "slopes", "cosines", "radial")
	l.open()
	c, w, inside, sum := YMM(), YMM(), YMM(), YMM()
	VMOVUPS(l.at("cosines"), c)
	VADDPS(pool.float(1), c, w)
	VMOVUPS(l.at("slopes"), sum)
	VDIVPS(w, sum, w)
	// Predicate 2 is "less or equal", so its complement keeps NaN.
	VCMPPS(U8(2), pool.float(lowestCosine), c, inside)
	VANDNPS(w, inside, w)
	y := logarithm1p(c, pool)
	VMULPS(sum, y, sum)
	VFNMADD231PS(l.at("cosines"), w, sum)
	VADDPS(l.at("radial"), sum, sum)
	VMOVUPS(sum, l.at("radial"))
	VMOVUPS(w, l.at("dst"))
	l.close()
	finish()
}

// variances emits PFE's loss of matching pairs.
func variances(pool *constants) {
	l := begin("func(dOne, dTwo, one, two, meanOne, meanTwo *float32, n int, weight float32) float32", "variancesAVX2",
		"returns Σ (apart²/s + log s), s the sum of the softplus of one and two, and sets dOne and dTwo to weight times the derivatives.",
		"dOne", "dTwo", "one", "two", "meanOne", "meanTwo")
	loss, weight := zero(), scalar("weight")
	l.open()
	x := YMM()
	VMOVUPS(l.at("one"), x)
	s, slopeOne := softplus(x, true, pool)
	VMOVUPS(slopeOne, l.at("dOne"))
	y := YMM()
	VMOVUPS(l.at("two"), y)
	t, slopeTwo := softplus(y, true, pool)
	VMOVUPS(slopeTwo, l.at("dTwo"))
	VADDPS(t, s, s)
	far := YMM()
	VMOVUPS(l.at("meanOne"), far)
	VSUBPS(l.at("meanTwo"), far, far)
	VMULPS(far, far, far)
	VDIVPS(s, far, far)
	VADDPS(far, loss, loss)
	slope := YMM()
	VMOVUPS(pool.float(1), slope)
	VSUBPS(far, slope, slope)
	VMULPS(weight, slope, slope)
	VDIVPS(s, slope, slope)
	VADDPS(logarithm(s, nil, pool), loss, loss)
	for _, d := range []string{"dOne", "dTwo"} {
		out := YMM()
		VMULPS(l.at(d), slope, out)
		VMOVUPS(out, l.at(d))
	}
	l.close()
	Store(total(loss), ReturnIndex(0))
	finish()
}
