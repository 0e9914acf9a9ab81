package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A pair is two neighbors along the inner dimension rounded to bfloat16, in the bits of one
// float32: the first in the lower half. Packed panels of pairs are half as deep as those of
// float32.

// dotPairs encodes VDPBF16PS, dst += a·b for each of the 16 pairs, for registers Z0 to Z31. Neither
// Go's assembler nor avo supports it: EVEX.512 of map 0F38 with prefix F3, W0, operation 52
// (Intel's manual, volume 2).
func dotPairs(dst, a, b int) {
	Comment(fmt.Sprintf("VDPBF16PS Z%d, Z%d, Z%d", b, a, dst))
	code := dotPairsCode(dst, a, b)
	Instruction(&ir.Instruction{Opcode: "LONG", Operands: []Op{U32(code & 0xffffffff)}})
	Instruction(&ir.Instruction{Opcode: "WORD", Operands: []Op{U16(code >> 32)}})
}

// dotPairsCode returns the six bytes of the instruction, the first in the lowest byte.
func dotPairsCode(dst, a, b int) uint64 {
	without := func(register, bit int) int { return 1 - register>>bit&1 } // the bits of registers are stored inverted
	var code uint64
	for i, value := range []int{
		0x62,
		without(dst, 3)<<7 | without(b, 4)<<6 | without(b, 3)<<5 | without(dst, 4)<<4 | 2,
		(^a&15)<<3 | 1<<2 | 2,
		2<<5 | without(a, 4)<<3,
		0x52,
		3<<6 | dst&7<<3 | b&7,
	} {
		code |= uint64(value) << (8 * i)
	}
	return code
}

// productOfPairs emits the micro-kernel for CPUs with AVX2 and FMA but without VDPBF16PS, which
// produces the same bits. Each half of a pair is a float32 once it is shifted to the upper half of
// a register. While the kernel multiplies, the CPU treats denormal numbers as 0 and flushes them to
// 0, as that instruction does.
func productOfPairs() {
	const rows, vectors, width = 4, 2, 32
	TEXT("productPairsAVX2", NOSPLIT, "func(depth int, a, b, c, earlier *float32, stride int)")
	Doc(fmt.Sprintf("productPairsAVX2 sets c to the product of two packed panels of pairs of bfloat16, or adds it, for a tile of %d×%d values.",
		rows, vectors*width/4))
	Pragma("noescape")
	depth, a, b := Load(Param("depth"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	before, during := AllocLocal(8), AllocLocal(8)
	STMXCSR(before)
	control := GP32()
	MOVL(before, control)
	ORL(U32(0x8040), control)
	MOVL(control, during)
	LDMXCSR(during)
	t := tile{rows: rows, vectors: vectors}
	sums := rows * vectors
	for i := range sums {
		VXORPS(t.register(i), t.register(i), t.register(i))
	}
	upper := t.register(sums)
	VPCMPEQD(upper, upper, upper)
	VPSLLD(U8(16), upper, upper)
	Label("pair")
	// The second halves first, then the first ones, as VDPBF16PS does.
	left, second, first := t.register(sums+1), []Op{t.register(sums + 2), t.register(sums + 3)}, []Op{t.register(sums + 4), t.register(sums + 5)}
	for v := range vectors {
		VPAND(Mem{Base: b, Disp: v * width}, upper, second[v])
		VMOVUPS(Mem{Base: b, Disp: v * width}, first[v])
		VPSLLD(U8(16), first[v], first[v])
	}
	both := t.register(sums + 6)
	for row := range rows {
		VBROADCASTSS(Mem{Base: a, Disp: 4 * row}, both)
		VPAND(both, upper, left)
		for v := range vectors {
			VFMADD231PS(second[v], left, t.register(row*vectors+v))
		}
		VPSLLD(U8(16), both, left)
		for v := range vectors {
			VFMADD231PS(first[v], left, t.register(row*vectors+v))
		}
	}
	ADDQ(U32(4*rows), a)
	ADDQ(U32(vectors*width), b)
	DECQ(depth)
	JNZ(LabelRef("pair"))
	LDMXCSR(before)
	c, stride, earlier := Load(Param("c"), GP64()), Load(Param("stride"), GP64()), Load(Param("earlier"), GP64())
	SHLQ(U8(2), stride)
	TESTQ(earlier, earlier)
	JZ(LabelRef("overwrite"))
	t.store(c, stride, earlier)
	VZEROUPPER()
	RET()
	Label("overwrite")
	t.store(c, stride, nil)
	VZEROUPPER()
	RET()
}

// A rounding holds the constants for rounding float32 to bfloat16.
type rounding struct{ one, bias, quiet reg.VecVirtual }

func newRounding() rounding {
	r := rounding{YMM(), YMM(), YMM()}
	VPCMPEQD(r.one, r.one, r.one)
	VPSRLD(U8(17), r.one, r.bias)
	VPSRLD(U8(31), r.one, r.one)
	VPSLLD(U8(22), r.one, r.quiet)
	return r
}

// round rounds eight or four values to the nearest bfloat16, ties to even, and leaves the result in
// the upper halves. The lower halves are undefined. NaN becomes a quiet NaN.
func (r rounding) round(x reg.VecVirtual) {
	one, bias, quiet, sum, nan := Op(r.one), Op(r.bias), Op(r.quiet), Op(YMM()), Op(YMM())
	if x.Size() == 16 {
		one, bias, quiet, sum, nan = r.one.AsX(), r.bias.AsX(), r.quiet.AsX(), XMM(), XMM()
	}
	VPSRLD(U8(16), x, sum)
	VPAND(one, sum, sum)
	VPADDD(bias, sum, sum)
	VPADDD(x, sum, sum)
	// Predicate 3 is "unordered": NaN.
	VCMPPS(U8(3), x, x, nan)
	VPOR(quiet, x, x)
	VBLENDVPS(nan, x, sum, x)
}

// transposePairs emits the copy of four rows into a panel as pairs.
func transposePairs() {
	TEXT("transposePairsAVX2", NOSPLIT, "func(dst *float32, panel int, src *float32, stride int, sixteens int)")
	Doc("transposePairsAVX2 copies four rows of 16·sixteens values as columns of pairs: dst[p·panel+r] holds src[r·stride+2p] and its neighbor.")
	Pragma("noescape")
	dst, panel := Load(Param("dst"), GP64()), Load(Param("panel"), GP64())
	src, stride := Load(Param("src"), GP64()), Load(Param("stride"), GP64())
	count := Load(Param("sixteens"), GP64())
	SHLQ(U8(2), panel)
	SHLQ(U8(2), stride)
	triple, upper := GP64(), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, triple)
	r := newRounding()
	Label("loop")
	var rows []reg.VecVirtual
	for _, at := range []Mem{{Base: src}, {Base: src, Index: stride, Scale: 1}, {Base: src, Index: stride, Scale: 2}, {Base: src, Index: triple, Scale: 1}} {
		low, high := YMM(), YMM()
		VMOVUPS(at, low)
		VMOVUPS(at.Offset(32), high)
		r.round(low)
		r.round(high)
		VPSRLD(U8(16), low, low)
		VPSRLD(U8(16), high, high)
		// Pairs 0, 1, 4, 5 in the lower half of the register and 2, 3, 6, 7 in the upper half.
		VPACKUSDW(high, low, low)
		rows = append(rows, low)
	}
	low01, high01, low23, high23 := YMM(), YMM(), YMM(), YMM()
	VUNPCKLPS(rows[1], rows[0], low01)
	VUNPCKHPS(rows[1], rows[0], high01)
	VUNPCKLPS(rows[3], rows[2], low23)
	VUNPCKHPS(rows[3], rows[2], high23)
	columns := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	VUNPCKLPD(low23, low01, columns[0])
	VUNPCKHPD(low23, low01, columns[1])
	VUNPCKLPD(high23, high01, columns[2])
	VUNPCKHPD(high23, high01, columns[3])
	LEAQ(Mem{Base: dst, Index: panel, Scale: 2}, upper)
	for i := 0; i < len(columns); i += 2 {
		VMOVUPS(columns[i].AsX(), Mem{Base: dst})
		VMOVUPS(columns[i+1].AsX(), Mem{Base: dst, Index: panel, Scale: 1})
		VEXTRACTF128(U8(1), columns[i], Mem{Base: upper})
		VEXTRACTF128(U8(1), columns[i+1], Mem{Base: upper, Index: panel, Scale: 1})
		LEAQ(Mem{Base: dst, Index: panel, Scale: 4}, dst)
		LEAQ(Mem{Base: upper, Index: panel, Scale: 4}, upper)
	}
	ADDQ(U8(64), src)
	DECQ(count)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// copyPairs emits copies of columns into a panel of pairs, for each width of a panel.
func copyPairs() {
	for _, width := range []int{4, 12, 16, 32} {
		name := fmt.Sprintf("copyPairs%dAVX2", width)
		TEXT(name, NOSPLIT, "func(dst, src *float32, stride, depth int)")
		Doc(fmt.Sprintf("%s copies 2·depth rows of %d values, stride values apart in src, as depth rows of pairs.", name, width))
		Pragma("noescape")
		dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
		stride, depth := Load(Param("stride"), GP64()), Load(Param("depth"), GP64())
		SHLQ(U8(2), stride)
		r := newRounding()
		Label("loop")
		pieces(width, func(at int, first reg.VecVirtual) {
			second := YMM()
			if first.Size() == 16 {
				second = XMM()
			}
			VMOVUPS(Mem{Base: src, Disp: at}, first)
			VMOVUPS(Mem{Base: src, Index: stride, Scale: 1, Disp: at}, second)
			r.round(first)
			r.round(second)
			VPSRLD(U8(16), first, first)
			VPBLENDW(U8(0xaa), second, first, first)
			VMOVUPS(first, Mem{Base: dst, Disp: at})
		})
		LEAQ(Mem{Base: src, Index: stride, Scale: 2}, src)
		ADDQ(U32(4*width), dst)
		DECQ(depth)
		JNZ(LabelRef("loop"))
		VZEROUPPER()
		RET()
	}
}
