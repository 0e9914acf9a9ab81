package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants of philox.go. Products are rounded before they are added, so there are no fused
// instructions here.
const (
	multiplier0 = 0xD2511F53
	multiplier1 = 0xCD9E8D57
	golden      = 0x9E3779B9
	root        = 0xBB67AE85
	halfBits    = 0x3f3504f3 // those of √½
)

var (
	logarithmSeries = []float32{1. / 9, 1. / 7, 1. / 5, 1. / 3}
	sineSeries      = []float32{1. / 362880, -1. / 5040, 1. / 120, -1. / 6}
	cosineSeries    = []float32{1. / 40320, -1. / 720, 1. / 24, -1. / 2}
	randomConstants = append([]float32{0x1p-16, 0x1p-32, 0x1p-33, 1, -1, 0.5, -2, 4, math.Ln2, math.Pi / 2},
		append(append(append([]float32{}, logarithmSeries...), sineSeries...), cosineSeries...)...)
	randomPatterns = []uint32{multiplier0, multiplier1, golden, root, halfBits, 0xffff, 8, signBit}
)

// A quarter holds the words of four counters, each in the lower half of 64 bits; the upper halves
// are undefined.
type quarter [4]reg.VecVirtual

// normals emits the standard normal numbers of consecutive counters, eight counters per iteration:
// 32 numbers.
func normals(pool *constants) {
	TEXT("normalsAVX2", NOSPLIT, "func(dst *float32, eights int, words *uint32)")
	Doc("normalsAVX2 sets four values for each of 8·eights counters to their normal numbers. The words are, each in eight places: the first",
		"ones of the counters 0, 2, 4 and 6, and of 1, 3, 5 and 7, in lower halves of 64 bits; the other three words of all of them, and the key.")
	Pragma("noescape")
	dst, count, given := Load(Param("dst"), GP64()), Load(Param("eights"), GP64()), Load(Param("words"), GP64())
	at := func(i int) Mem { return Mem{Base: given}.Offset(32 * i) }
	var first [2]reg.VecVirtual
	for i := range first {
		first[i] = YMM()
		VMOVUPS(at(i), first[i])
	}
	TESTQ(count, count)
	JZ(LabelRef("done"))
	Label("loop")
	var words [2]quarter
	for i := range words {
		words[i] = scrambled(first[i], at, pool)
		VPADDD(pool.bits(8), first[i], first[i])
	}
	var numbers [4]reg.VecVirtual
	for pair := range 2 {
		numbers[2*pair], numbers[2*pair+1] = boxMuller(both(words, 2*pair), both(words, 2*pair+1), pool)
	}
	scatter(numbers, dst)
	ADDQ(U8(128), dst)
	DECQ(count)
	JNZ(LabelRef("loop"))
	Label("done")
	finish()
}

// scrambled emits the ten rounds of Philox, with the given words other than the first.
func scrambled(first reg.VecVirtual, at func(i int) Mem, pool *constants) quarter {
	key0, key1 := YMM(), YMM()
	VMOVUPS(at(5), key0)
	VMOVUPS(at(6), key1)
	x := quarter{first, YMM(), YMM(), YMM()}
	for i := range 3 {
		VMOVUPS(at(2+i), x[1+i])
	}
	for round := range 10 {
		if round > 0 {
			VPADDD(pool.bits(golden), key0, key0)
			VPADDD(pool.bits(root), key1, key1)
		}
		low0, low1, high0, high1 := YMM(), YMM(), YMM(), YMM()
		VPMULUDQ(pool.bits(multiplier0), x[0], low0)
		VPMULUDQ(pool.bits(multiplier1), x[2], low1)
		VPSRLQ(U8(32), low0, high0)
		VPSRLQ(U8(32), low1, high1)
		VXORPS(x[1], high1, high1)
		VXORPS(key0, high1, high1)
		VXORPS(x[3], high0, high0)
		VXORPS(key1, high0, high0)
		x = quarter{high1, low1, high0, low0}
	}
	return x
}

// both merges a word of all eight counters in order.
func both(words [2]quarter, which int) reg.VecVirtual {
	x := YMM()
	VPSLLQ(U8(32), words[1][which], x)
	VPBLENDD(U8(0xaa), x, words[0][which], x)
	return x
}

// number32 converts words to numbers in (0, 1]. The 16-bit halves are exact, so that their sum is
// rounded once.
func number32(word reg.VecVirtual, pool *constants) reg.VecVirtual {
	high, low := YMM(), YMM()
	VPSRLD(U8(16), word, high)
	VCVTDQ2PS(high, high)
	VMULPS(pool.float(0x1p-16), high, high)
	VANDPS(pool.bits(0xffff), word, low)
	VCVTDQ2PS(low, low)
	VMULPS(pool.float(0x1p-32), low, low)
	VADDPS(low, high, high)
	VADDPS(pool.float(0x1p-33), high, high)
	return high
}

// series emits a polynomial of z, multiplied by z once more.
func series(z reg.VecVirtual, terms []float32, pool *constants) reg.VecVirtual {
	p := YMM()
	VMULPS(pool.float(terms[0]), z, p)
	VADDPS(pool.float(terms[1]), p, p)
	for _, term := range terms[2:] {
		VMULPS(p, z, p)
		VADDPS(pool.float(term), p, p)
	}
	VMULPS(p, z, p)
	return p
}

// boxMuller emits normals32.
func boxMuller(first, second reg.VecVirtual, pool *constants) (a, b reg.VecVirtual) {
	radius := number32(first, pool)
	exponent, below := YMM(), YMM()
	VPSUBD(pool.bits(halfBits), radius, exponent)
	VPSRAD(U8(23), exponent, exponent)
	VPSLLD(U8(23), exponent, below)
	VPSUBD(below, radius, radius)
	VADDPS(pool.float(1), radius, below)
	VADDPS(pool.float(-1), radius, radius)
	VDIVPS(below, radius, radius) // s
	VMULPS(radius, radius, below)
	p := series(below, logarithmSeries, pool)
	VADDPS(radius, radius, radius)
	VMULPS(radius, p, p)
	VADDPS(radius, p, p)
	VCVTDQ2PS(exponent, exponent)
	VMULPS(pool.float(math.Ln2), exponent, exponent)
	VADDPS(p, exponent, radius)
	VMULPS(pool.float(-2), radius, radius)
	VSQRTPS(radius, radius)

	turns, quarters := number32(second, pool), YMM()
	VMULPS(pool.float(4), turns, turns)
	VADDPS(pool.float(0.5), turns, quarters)
	VCVTTPS2DQ(quarters, quarters)
	x, z := YMM(), YMM()
	VCVTDQ2PS(quarters, x)
	VSUBPS(x, turns, x)
	VMULPS(pool.float(math.Pi/2), x, x)
	VMULPS(x, x, z)
	sine := series(z, sineSeries, pool)
	VMULPS(x, sine, sine)
	VADDPS(x, sine, sine)
	cosine := series(z, cosineSeries, pool)
	VADDPS(pool.float(1), cosine, cosine)
	odd, half := YMM(), YMM()
	VPSLLD(U8(31), quarters, odd) // the sign: an odd quarter
	VPSLLD(U8(30), quarters, half)
	VANDPS(pool.bits(signBit), half, half)
	a, b = YMM(), YMM()
	VBLENDVPS(odd, sine, cosine, a)
	VBLENDVPS(odd, cosine, sine, b)
	VXORPS(odd, a, a)
	VXORPS(half, a, a)
	VXORPS(half, b, b)
	VMULPS(radius, a, a)
	VMULPS(radius, b, b)
	return a, b
}

// scatter stores number k of counter i at index 4i+k.
func scatter(n [4]reg.VecVirtual, dst reg.Register) {
	low, high, low2, high2 := YMM(), YMM(), YMM(), YMM()
	VUNPCKLPS(n[1], n[0], low)
	VUNPCKHPS(n[1], n[0], high)
	VUNPCKLPS(n[3], n[2], low2)
	VUNPCKHPS(n[3], n[2], high2)
	for i, pair := range [][2]reg.VecVirtual{{low, low2}, {high, high2}} {
		for k, unpack := range []func(ops ...Op){
			func(ops ...Op) { VUNPCKLPD(ops[0], ops[1], ops[2]) }, func(ops ...Op) { VUNPCKHPD(ops[0], ops[1], ops[2]) },
		} {
			four := YMM()
			unpack(pair[1], pair[0], four)
			at := 16 * (2*i + k)
			VMOVUPS(four.AsX(), Mem{Base: dst}.Offset(at))
			upper := XMM()
			VEXTRACTF128(U8(1), four, upper)
			VMOVUPS(upper, Mem{Base: dst}.Offset(at+64))
		}
	}
}
