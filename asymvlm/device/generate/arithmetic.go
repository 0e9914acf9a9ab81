package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func largest() {
	l := begin("func(src *float32, n int, scale, least float32) float32", "largestAVX2",
		"returns the largest of least and all scale·src.", "src")
	scale, most := scalar("scale"), scalar("least")
	l.open()
	x := YMM()
	VMULPS(l.at("src"), scale, x)
	VMAXPS(x, most, most)
	l.close()
	half, shuffled := XMM(), XMM()
	VEXTRACTF128(U8(1), most, half)
	VMAXPS(most.AsX(), half, half)
	VPERMILPS(U8(0x4e), half, shuffled)
	VMAXPS(shuffled, half, half)
	VPERMILPS(U8(0xb1), half, shuffled)
	VMAXPS(shuffled, half, half)
	Store(half, ReturnIndex(0))
	finish()
}

// noneAbove emits a search that counts, group by group, the leading values within their limits.
func noneAbove() {
	l := begin("func(src, limits *float32, n int, limit float32) int", "noneAboveAVX2",
		"returns how many values, whole eights of them, come before an eight with one that is not at most its own limit and the common one.",
		"src", "limits")
	limit, start := scalar("limit"), GP64()
	MOVQ(l.pointers["src"], start)
	l.open()
	x, above, own := YMM(), YMM(), YMM()
	VMOVUPS(l.at("src"), x)
	// Predicate 6 is "not less or equal", true for NaN.
	VCMPPS(U8(6), limit, x, above)
	VCMPPS(U8(6), l.at("limits"), x, own)
	VORPS(above, own, own)
	some := GP32()
	VMOVMSKPS(own, some)
	TESTL(some, some)
	JNZ(LabelRef("done"))
	l.close()
	SUBQ(start, l.pointers["src"])
	SHRQ(U8(2), l.pointers["src"])
	Store(l.pointers["src"], ReturnIndex(0))
	finish()
}

func raise() {
	l := begin("func(acc, src *float32, n int, scale float32)", "raiseAVX2",
		"sets acc to the larger of acc and scale·src.", "acc", "src")
	scale := scalar("scale")
	l.open()
	x := YMM()
	VMULPS(l.at("src"), scale, x)
	VMAXPS(l.at("acc"), x, x)
	VMOVUPS(x, l.at("acc"))
	l.close()
	finish()
}

func addInto() {
	l := begin("func(dst, src *float32, n int)", "addAVX2", "adds src to dst.", "dst", "src")
	l.open()
	x := YMM()
	VMOVUPS(l.at("src"), x)
	VADDPS(l.at("dst"), x, x)
	VMOVUPS(x, l.at("dst"))
	l.close()
	finish()
}

func addRectified() {
	l := begin("func(dst, src *float32, n int)", "addRectifiedAVX2", "sets dst to the larger of 0 and dst + src.", "dst", "src")
	none := zero()
	l.open()
	x := YMM()
	VMOVUPS(l.at("src"), x)
	VADDPS(l.at("dst"), x, x)
	// With the sum as last operand NaN stays NaN instead of becoming 0.
	VMAXPS(x, none, x)
	VMOVUPS(x, l.at("dst"))
	l.close()
	finish()
}

func maskInto() {
	l := begin("func(dst, src *float32, n int)", "maskAVX2", "sets dst to 0 where src is 0.", "dst", "src")
	none := zero()
	l.open()
	mask := YMM()
	// Predicate 4 is "not equal", true for NaN.
	VCMPPS(U8(4), l.at("src"), none, mask)
	VANDPS(l.at("dst"), mask, mask)
	VMOVUPS(mask, l.at("dst"))
	l.close()
	finish()
}

func dot() {
	l := begin("func(a, b *float32, n int) float64", "dotAVX2", "returns Σ a·b, summed in float64.", "a", "b")
	low, high := zero(), zero()
	l.open()
	x, y := YMM(), YMM()
	for half, sum := range []Op{low, high} {
		VCVTPS2PD(l.at("a").Offset(16*half), x)
		VCVTPS2PD(l.at("b").Offset(16*half), y)
		VFMADD231PD(x, y, sum)
	}
	l.close()
	VADDPD(high, low, low)
	upper := XMM()
	VEXTRACTF128(U8(1), low, upper)
	VADDPD(low.AsX(), upper, upper)
	VHADDPD(upper, upper, upper)
	Store(upper, ReturnIndex(0))
	finish()
}

func combine() {
	l := begin("func(dst, src *float32, n int, own, other float32)", "combineAVX2", "sets dst to own·dst + other·src.", "dst", "src")
	own, other := scalar("own"), scalar("other")
	l.open()
	x := YMM()
	VMULPS(l.at("dst"), own, x)
	VFMADD231PS(l.at("src"), other, x)
	VMOVUPS(x, l.at("dst"))
	l.close()
	finish()
}

func update() {
	l := begin("func(dst, velocity, gradient *float32, n int, rate, momentum, decay float32)", "updateAVX2",
		"does one step: velocity = momentum·velocity + gradient + decay·dst, dst −= rate·velocity.", "dst", "velocity", "gradient")
	rate, momentum, decay := scalar("rate"), scalar("momentum"), scalar("decay")
	l.open()
	p, v := YMM(), YMM()
	VMOVUPS(l.at("dst"), p)
	VMOVUPS(l.at("gradient"), v)
	VFMADD231PS(decay, p, v)
	VFMADD231PS(l.at("velocity"), momentum, v)
	VMOVUPS(v, l.at("velocity"))
	VFNMADD231PS(rate, v, p)
	VMOVUPS(p, l.at("dst"))
	l.close()
	finish()
}

// adam emits one step of AdamW. Its factors are the factor on the parameters, the size of the step
// and the correction of the root of the second moment.
func adam(pool *constants) {
	l := begin("func(dst, first, second, gradient *float32, n int, keep, size, correction float32)", "adamAVX2",
		"does one step of AdamW.", "dst", "first", "second", "gradient")
	keep, size, correction := scalar("keep"), scalar("size"), scalar("correction")
	l.open()
	g, m, v, p := YMM(), YMM(), YMM(), YMM()
	VMOVUPS(l.at("gradient"), g)
	VMOVUPS(l.at("first"), m)
	VSUBPS(m, g, p)
	VFMADD231PS(pool.float(adamFirst), p, m)
	VMOVUPS(m, l.at("first"))
	VMULPS(g, g, g)
	VMULPS(pool.float(adamSecond), g, g)
	VMOVUPS(l.at("second"), v)
	VFMADD132PS(pool.float(adamKeep), g, v)
	VMOVUPS(v, l.at("second"))
	VSQRTPS(v, v)
	VMULPS(correction, v, v)
	VADDPS(pool.float(adamEpsilon), v, v)
	VMULPS(size, m, m)
	VDIVPS(v, m, m)
	VMULPS(l.at("dst"), keep, p)
	VSUBPS(m, p, p)
	VMOVUPS(p, l.at("dst"))
	l.close()
	finish()
}
