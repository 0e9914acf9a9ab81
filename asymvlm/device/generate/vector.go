package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constants holds the data section; every constant fills one 256-bit vector.
type constants struct {
	data   Mem
	offset map[uint32]int
	next   int
}

// float returns the address of a constant, repeated eight times.
func (c *constants) float(value float32) Mem { return c.bits(math.Float32bits(value)) }

func (c *constants) bits(pattern uint32) Mem {
	at, ok := c.offset[pattern]
	if !ok {
		at = c.next
		c.next += 32
		c.offset[pattern] = at
		for lane := range 8 {
			DATA(at+4*lane, U32(pattern))
		}
	}
	return c.data.Offset(at)
}

// vectors emits the vector functions. All take n values, a multiple of 8.
func vectors() {
	pool := &constants{data: GLOBL("constants", RODATA|NOPTR), offset: map[uint32]int{}}
	// The table must be complete before a function refers to it, because avo alternates between
	// data and functions.
	for _, list := range [][]float32{exponentialConstants, logarithmConstants, gammaConstants, lossConstants, randomConstants, activationConstants} {
		for _, value := range list {
			pool.float(value)
		}
	}
	for _, pattern := range append([]uint32{0x7f, 0x007fffff, 0x3f000000, 0x7fffffff, signBit, infinity}, randomPatterns...) {
		pool.bits(pattern)
	}
	sumExp(pool)
	addExp(pool)
	exponentials(pool)
	log1p(pool)
	largest()
	noneAbove()
	raise()
	addInto()
	addRectified()
	maskInto()
	dot()
	combine()
	update()
	adam(pool)
	contrast(pool)
	softplusSum(pool)
	softplusInto(pool)
	sigmoidPairs(pool)
	powerLogits(pool)
	powerGradient(pool)
	variances(pool)
	generalized("linearAVX2", pool, linearResidual)
	generalized("powerAVX2", pool, powerResidual)
	heads(pool)
	moments(pool)
	scaledMoments(pool)
	normals(pool)
	gelu(pool)
	sigmoidTimes(pool)
}

// A loop is a function over n values with the pointers that it advances.
type loop struct {
	names    []string
	pointers map[string]reg.Register
	count    reg.Register
}

// begin starts a function, loads its pointers and opens the loop.
func begin(signature, name, doc string, pointers ...string) *loop {
	TEXT(name, NOSPLIT, signature)
	Doc(name + " " + doc)
	Pragma("noescape")
	l := &loop{names: pointers, pointers: map[string]reg.Register{}}
	for _, p := range pointers {
		l.pointers[p] = Load(Param(p), GP64())
	}
	l.count = Load(Param("n"), GP64())
	SHRQ(U8(3), l.count)
	return l
}

// scalar loads a float32 argument into all lanes.
func scalar(name string) reg.VecVirtual {
	x, y := XMM(), YMM()
	Load(Param(name), x)
	VBROADCASTSS(x, y)
	return y
}

func (l *loop) open() {
	TESTQ(l.count, l.count)
	JZ(LabelRef("done"))
	Label("loop")
}

func (l *loop) at(name string) Mem { return Mem{Base: l.pointers[name]} }

// close advances the pointers and jumps back.
func (l *loop) close() {
	for _, name := range l.names {
		ADDQ(U8(32), l.pointers[name])
	}
	DECQ(l.count)
	JNZ(LabelRef("loop"))
	Label("done")
}

func finish() {
	VZEROUPPER()
	RET()
}

// The exponential after Cephes' expf: 2ⁿ·p(r) with x = n log 2 + r, log 2 in two parts, relative
// error below 2⁻²³. The highest argument is the last one below 128 log 2, where the result's
// exponent still fits; above it the result is infinite.
const (
	lowest   = -87.3
	highest  = 88.72283
	log2e    = 1.44269504088896341
	ln2High  = 0.693359375
	ln2Low   = -2.12194440e-4
	halfRoot = 0.707106781186547524
	infinity = 0x7f800000
)

var (
	exponentialTerms     = []float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5}
	exponentialConstants = append([]float32{lowest, highest, log2e, ln2High, ln2Low, 1}, exponentialTerms...)
	// The logarithm after Cephes' logf on √½ ≤ m < √2.
	logarithmTerms = []float32{7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
		-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1}
	logarithmConstants = append([]float32{1, 0.5, halfRoot, ln2High, ln2Low}, logarithmTerms...)
)

// exponential replaces x by exp(x): 0 below −87.3, infinite above 88.72283, NaN for NaN.
func exponential(x reg.VecVirtual, pool *constants) {
	argument, n, power, y, limit := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(x, argument)
	VMOVUPS(pool.float(lowest), limit)
	// With x as the last operand of the instruction (the first here) NaN passes through.
	VMAXPS(x, limit, x)
	VMOVUPS(pool.float(highest), limit)
	VMINPS(x, limit, x)
	VMULPS(pool.float(log2e), x, n)
	VROUNDPS(U8(0), n, n)
	VFNMADD231PS(pool.float(ln2High), n, x)
	VFNMADD231PS(pool.float(ln2Low), n, x)
	VMOVUPS(pool.float(exponentialTerms[0]), y)
	for _, term := range exponentialTerms[1:] {
		VFMADD213PS(pool.float(term), x, y)
	}
	VMULPS(x, x, power)
	VFMADD213PS(x, power, y)
	VADDPS(pool.float(1), y, y)
	VCVTPS2DQ(n, n)
	VPSLLD(U8(23), n, n)
	VPADDD(n, y, y)
	// Predicates 14 and 1 are "greater than" and "less than", false for NaN.
	VCMPPS(U8(14), pool.float(highest), argument, n)
	VBLENDVPS(n, pool.bits(infinity), y, y)
	VCMPPS(U8(1), pool.float(lowest), argument, n)
	VANDNPS(y, n, x)
}

// total adds the eight lanes of a register and returns the sum in the lowest.
func total(y reg.VecVirtual) reg.VecVirtual {
	x := XMM()
	VEXTRACTF128(U8(1), y, x)
	VADDPS(y.AsX(), x, x)
	VHADDPS(x, x, x)
	VHADDPS(x, x, x)
	return x
}

func zero() reg.VecVirtual {
	y := YMM()
	VXORPS(y, y, y)
	return y
}

func sumExp(pool *constants) {
	l := begin("func(src *float32, n int, scale, shift float32) float32", "sumExpAVX2",
		"returns the sum of exp(scale·src − shift).", "src")
	scale, shift, sum := scalar("scale"), scalar("shift"), zero()
	l.open()
	x := YMM()
	VMOVUPS(l.at("src"), x)
	VFMSUB213PS(shift, scale, x)
	exponential(x, pool)
	VADDPS(x, sum, sum)
	l.close()
	Store(total(sum), ReturnIndex(0))
	finish()
}

func addExp(pool *constants) {
	l := begin("func(acc, src, shift *float32, n int, scale float32)", "addExpAVX2",
		"adds exp(scale·src − shift) to acc, shift being a vector.", "acc", "src", "shift")
	scale := scalar("scale")
	l.open()
	x := YMM()
	VMOVUPS(l.at("src"), x)
	VFMSUB213PS(l.at("shift"), scale, x)
	exponential(x, pool)
	VADDPS(l.at("acc"), x, x)
	VMOVUPS(x, l.at("acc"))
	l.close()
	finish()
}

// exponentials emits the exponential as a separate function.
func exponentials(pool *constants) {
	l := begin("func(dst, src *float32, n int) float32", "expAVX2", "sets dst to exp(src) and returns the sum.", "dst", "src")
	sum := zero()
	l.open()
	x := YMM()
	VMOVUPS(l.at("src"), x)
	exponential(x, pool)
	VADDPS(x, sum, sum)
	VMOVUPS(x, l.at("dst"))
	l.close()
	Store(total(sum), ReturnIndex(0))
	finish()
}

func log1p(pool *constants) {
	l := begin("func(dst, src *float32, n int)", "log1pAVX2", "sets dst to log(1 + src) for src > −1.", "dst", "src")
	l.open()
	x := YMM()
	VMOVUPS(l.at("src"), x)
	VMOVUPS(logarithm1p(x, pool), l.at("dst"))
	l.close()
	finish()
}

// logarithm1p returns log(1+x) for x > −1.
func logarithm1p(x reg.VecVirtual, pool *constants) reg.VecVirtual {
	u, lost := YMM(), YMM()
	VADDPS(pool.float(1), x, u)
	// The rounding error of 1+x, divided by it, is the first-order correction of the logarithm.
	VSUBPS(pool.float(1), u, lost)
	VSUBPS(lost, x, lost)
	VDIVPS(u, lost, lost)
	return logarithm(u, &lost, pool)
}

// logarithm returns log u for normal u > 0, plus an optional correction; NaN if u is not finite.
func logarithm(u reg.VecVirtual, correction *reg.VecVirtual, pool *constants) reg.VecVirtual {
	if correction == nil {
		// The arithmetic below operates on bits, so non-finite values need this separate test.
		lost := zero()
		VMULPS(u, lost, lost)
		correction = &lost
	}
	exponent, m := YMM(), YMM()
	VPSRLD(U8(23), u, exponent)
	VPSUBD(pool.bits(0x7f), exponent, exponent)
	VCVTDQ2PS(exponent, exponent)
	VADDPS(pool.float(1), exponent, exponent)
	VANDPS(pool.bits(0x007fffff), u, m)
	VORPS(pool.bits(0x3f000000), m, m) // ½ ≤ m < 1
	small, extra := YMM(), YMM()
	VCMPPS(U8(1), pool.float(halfRoot), m, small)
	VANDPS(m, small, extra)
	VANDPS(pool.float(1), small, small)
	VSUBPS(small, exponent, exponent)
	VADDPS(extra, m, m)
	VSUBPS(pool.float(1), m, m)
	square, y := YMM(), YMM()
	VMULPS(m, m, square)
	VMOVUPS(pool.float(logarithmTerms[0]), y)
	for _, term := range logarithmTerms[1:] {
		VFMADD213PS(pool.float(term), m, y)
	}
	VMULPS(m, y, y)
	VMULPS(square, y, y)
	VFMADD231PS(pool.float(ln2Low), exponent, y)
	VFNMADD231PS(pool.float(0.5), square, y)
	VADDPS(*correction, y, y)
	VADDPS(m, y, y)
	VFMADD231PS(pool.float(ln2High), exponent, y)
	return y
}
