package main

import (
	. "github.com/mmcloughlin/avo/build"
)

// The terms of Abramowitz and Stegun 1964, equation 7.1.26, the last one first, and the factor of
// its argument.
var tailTerms = []float32{1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592}

const tailFactor, rootHalf = 0.3275911, 0.70710678118654752

// activationConstants are the table's constants for the activations.
var activationConstants = append([]float32{tailFactor, rootHalf, 0.5, -0.5, 1}, tailTerms...)

// gelu emits x·Φ(x), computed from the complementary error function.
func gelu(pool *constants) {
	l := begin("func(dst *float32, n int)", "geluAVX2", "sets dst to dst·Φ(dst), Φ the distribution function of the normal distribution.", "dst")
	l.open()
	x, e, t, y, whole := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(l.at("dst"), x)
	VMULPS(x, x, e)
	VMULPS(pool.float(-0.5), e, e)
	exponential(e, pool)
	VANDPS(pool.bits(0x7fffffff), x, t)
	VMULPS(pool.float(rootHalf), t, t)
	VMULPS(pool.float(tailFactor), t, t)
	VADDPS(pool.float(1), t, t)
	VMOVUPS(pool.float(1), y)
	VDIVPS(t, y, t)
	VMOVUPS(pool.float(tailTerms[0]), y)
	for _, term := range tailTerms[1:] {
		VFMADD213PS(pool.float(term), t, y)
	}
	VMULPS(t, y, y)
	VMULPS(pool.float(0.5), y, y)
	VMULPS(e, y, y)
	VMOVUPS(pool.float(1), whole)
	VSUBPS(y, whole, whole)
	VBLENDVPS(x, y, whole, whole) // the tail itself where x is negative
	VMULPS(x, whole, whole)
	VMOVUPS(whole, l.at("dst"))
	l.close()
	finish()
}

// sigmoidTimes emits x·σ(scale·x + cubic·x³).
func sigmoidTimes(pool *constants) {
	l := begin("func(dst *float32, n int, scale, cubic float32)", "sigmoidTimesAVX2", "sets dst to dst/(1 + exp(−scale·dst − cubic·dst³)).", "dst")
	scale, cubic := scalar("scale"), scalar("cubic")
	l.open()
	x, e := YMM(), YMM()
	VMOVUPS(l.at("dst"), x)
	VMULPS(x, x, e)
	VMULPS(cubic, e, e)
	VADDPS(scale, e, e)
	VMULPS(x, e, e)
	VXORPS(pool.bits(signBit), e, e)
	exponential(e, pool)
	VADDPS(pool.float(1), e, e)
	VDIVPS(e, x, x)
	VMOVUPS(x, l.at("dst"))
	l.close()
	finish()
}
