package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tile is the shape of a micro-kernel: rows × (vectors of one register width).
type tile struct {
	name          string
	rows, vectors int
	wide          bool // 512 bits instead of 256
	paired        bool // of pairs of bfloat16, for processors with AVX512_BF16
}

// register returns the i-th vector register of the tile's width.
func (t tile) register(i int) reg.VecPhysical {
	if t.wide {
		return []reg.VecPhysical{
			reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12,
			reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
			reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
		}[i]
	}
	return []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12,
		reg.Y13, reg.Y14, reg.Y15,
	}[i]
}

// width returns the bytes of one register.
func (t tile) width() int {
	if t.wide {
		return 64
	}
	return 32
}

// product emits one micro-kernel: a packed right panel (depth × columns) with count consecutive
// packed left panels (depth × rows each). Each product becomes a tile of c, one below the other, or
// is added to an earlier tile and becomes that; the earlier tiles are consecutive. Meanwhile the
// kernel prefetches the cache lines at ahead, one for every four values of depth. stride is the
// distance of c's rows in values.
func product(t tile) {
	TEXT(t.name, NOSPLIT, "func(depth, count int, a, b, c, ahead, earlier *float32, stride int)")
	of := ""
	if t.paired {
		of = " of pairs of bfloat16"
	}
	Doc(fmt.Sprintf("%s sets tiles of %d×%d values to the products of a packed right panel and packed left ones%s, or adds them.",
		t.name, t.rows, t.vectors*t.width()/4, of))
	Pragma("noescape")
	count := Load(Param("count"), GP64())
	a := Load(Param("a"), GP64())
	c := Load(Param("c"), GP64())
	ahead := Load(Param("ahead"), GP64())
	stride := Load(Param("stride"), GP64())
	SHLQ(U8(2), stride)
	earlier := Load(Param("earlier"), GP64())
	Label("tile")
	t.prefetch(c, stride)
	for i := range t.rows * t.vectors {
		if t.wide {
			VPXORD(t.register(i), t.register(i), t.register(i))
		} else {
			VXORPS(t.register(i), t.register(i), t.register(i))
		}
	}
	t.sum(a, ahead)
	TESTQ(earlier, earlier)
	JZ(LabelRef("overwrite"))
	t.store(c, stride, earlier)
	ADDQ(U32(t.rows*t.vectors*t.width()), earlier)
	DECQ(count)
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
	Label("overwrite")
	t.store(c, stride, nil)
	DECQ(count)
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// sum emits the multiply-adds of one tile. It advances both a and ahead.
func (t tile) sum(a, ahead reg.Register) {
	const unroll = 4
	depth := Load(Param("depth"), GP64())
	b := Load(Param("b"), GP64())
	fours := GP64()
	MOVQ(depth, fours)
	SHRQ(U8(2), fours)
	JZ(LabelRef("single"))
	Label("four")
	PREFETCHT1(Mem{Base: ahead}) // into the second level: the first is full with the two panels
	ADDQ(U8(64), ahead)
	for step := range unroll {
		t.step(a, b, step)
	}
	ADDQ(U32(unroll*t.rows*4), a)
	ADDQ(U32(unroll*t.vectors*t.width()), b)
	DECQ(fours)
	JNZ(LabelRef("four"))
	Label("single")
	ANDQ(U8(3), depth)
	JZ(LabelRef("store"))
	Label("one")
	t.step(a, b, 0)
	ADDQ(U32(t.rows*4), a)
	ADDQ(U32(t.vectors*t.width()), b)
	DECQ(depth)
	JNZ(LabelRef("one"))
	Label("store")
}

// prefetch emits prefetches of the lines of c, which are written at the end.
func (t tile) prefetch(c, stride reg.Register) {
	row := GP64()
	MOVQ(c, row)
	for i := range t.rows {
		PREFETCHT0(Mem{Base: row})
		PREFETCHT0(Mem{Base: row, Disp: t.vectors*t.width() - 4})
		if i < t.rows-1 {
			ADDQ(stride, row)
		}
	}
}

// step emits the multiply-adds of one value of the inner dimension.
func (t tile) step(a, b reg.Register, step int) {
	sums := t.rows * t.vectors
	for v := range t.vectors {
		at := Mem{Base: b, Disp: (step*t.vectors + v) * t.width()}
		if t.wide {
			VMOVUPS(at, t.register(sums+v))
		} else {
			VMOVUPS(at, t.register(sums+v))
		}
	}
	spare := 32 - sums - t.vectors
	if !t.wide {
		spare = 16 - sums - t.vectors
	}
	for row := range t.rows {
		// Rotating broadcast registers keeps several rows in flight.
		broadcast := t.register(sums + t.vectors + row%spare)
		VBROADCASTSS(Mem{Base: a, Disp: (step*t.rows + row) * 4}, broadcast)
		for v := range t.vectors {
			if t.paired {
				dotPairs(row*t.vectors+v, sums+t.vectors+row%spare, sums+v)
			} else {
				VFMADD231PS(t.register(sums+v), broadcast, t.register(row*t.vectors+v))
			}
		}
	}
}

// store emits the stores of the tile, with the consecutive rows of sums at earlier added if there
// are any, and advances c to the tile below.
func (t tile) store(c, stride, earlier reg.Register) {
	for row := range t.rows {
		for v := range t.vectors {
			sum := t.register(row*t.vectors + v)
			if earlier != nil {
				VADDPS(Mem{Base: earlier, Disp: (row*t.vectors + v) * t.width()}, sum, sum)
			}
			VMOVUPS(sum, Mem{Base: c, Disp: v * t.width()})
		}
		ADDQ(stride, c)
	}
}

// transpose emits the copy of four rows into a panel: destination value p·panel+r gets source value
// r·stride+p.
func transpose() {
	TEXT("transposeFour", NOSPLIT, "func(dst *float32, panel int, src *float32, stride int, eights int)")
	Doc("transposeFour copies four rows of 8·eights values as columns: dst[p·panel+r] = src[r·stride+p].")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	panel := Load(Param("panel"), GP64())
	src := Load(Param("src"), GP64())
	stride := Load(Param("stride"), GP64())
	count := Load(Param("eights"), GP64())
	SHLQ(U8(2), panel)
	SHLQ(U8(2), stride)
	triple := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, triple)
	Label("loop")
	rows := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	VMOVUPS(Mem{Base: src}, rows[0])
	VMOVUPS(Mem{Base: src, Index: stride, Scale: 1}, rows[1])
	VMOVUPS(Mem{Base: src, Index: stride, Scale: 2}, rows[2])
	VMOVUPS(Mem{Base: src, Index: triple, Scale: 1}, rows[3])
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
	for _, column := range columns {
		VMOVUPS(column.AsX(), Mem{Base: dst})
		ADDQ(panel, dst)
	}
	for _, column := range columns {
		VEXTRACTF128(U8(1), column, Mem{Base: dst})
		ADDQ(panel, dst)
	}
	ADDQ(U8(32), src)
	DECQ(count)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// copyPanels emits copies of columns into a panel, and sums of a panel's rows, for each width of a
// panel.
func copyPanels() {
	for _, width := range []int{4, 12, 24, 32} {
		TEXT(fmt.Sprintf("copyPanel%d", width), NOSPLIT, "func(dst, src *float32, stride, depth int)")
		Doc(fmt.Sprintf("copyPanel%d copies depth rows of %d values, stride values apart in src, one after the other.", width, width))
		Pragma("noescape")
		dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
		stride, depth := Load(Param("stride"), GP64()), Load(Param("depth"), GP64())
		SHLQ(U8(2), stride)
		Label("loop")
		pieces(width, func(at int, v reg.VecVirtual) {
			VMOVUPS(Mem{Base: src, Disp: at}, v)
			VMOVUPS(v, Mem{Base: dst, Disp: at})
		})
		ADDQ(stride, src)
		ADDQ(U32(4*width), dst)
		DECQ(depth)
		JNZ(LabelRef("loop"))
		VZEROUPPER()
		RET()

		TEXT(fmt.Sprintf("sumPanel%d", width), NOSPLIT, "func(sums, src *float32, depth int)")
		Doc(fmt.Sprintf("sumPanel%d adds depth rows of %d values to sums.", width, width))
		Pragma("noescape")
		sums, src := Load(Param("sums"), GP64()), Load(Param("src"), GP64())
		depth = Load(Param("depth"), GP64())
		var totals []reg.VecVirtual
		pieces(width, func(at int, v reg.VecVirtual) {
			VMOVUPS(Mem{Base: sums, Disp: at}, v)
			totals = append(totals, v)
		})
		Label("loop")
		i := 0
		pieces(width, func(at int, _ reg.VecVirtual) {
			VADDPS(Mem{Base: src, Disp: at}, totals[i], totals[i])
			i++
		})
		ADDQ(U32(4*width), src)
		DECQ(depth)
		JNZ(LabelRef("loop"))
		i = 0
		pieces(width, func(at int, _ reg.VecVirtual) {
			VMOVUPS(totals[i], Mem{Base: sums, Disp: at})
			i++
		})
		VZEROUPPER()
		RET()
	}
}

// pieces splits a width into registers of eight values and one of four.
func pieces(width int, do func(at int, v reg.VecVirtual)) {
	for at := 0; at < width; at += 8 {
		if width-at >= 8 {
			do(4*at, YMM())
		} else {
			do(4*at, XMM())
		}
	}
}
