// Shifts of integers of every size by counts of every type.

package programs

import (
	"fmt"
	"strings"
)

// shiftedBy shifts in every form: of variables, elements, sums and constants, into new values and in
// place. Counts above the size give 0 or -1.
func shiftedBy[T, N wholeNumber](b *strings.Builder, x T, n N) {
	list, counts, i := []T{x, x}, []N{n, 0}, 0
	v, w := x, x
	v <<= n
	w >>= n
	list[i] <<= n
	list[i+1] >>= counts[i]
	one := T(1)
	left, right := x<<n, x>>n
	fmt.Fprint(b, left, " ", right, " ", one<<n, " ", (x+1)<<(n+0), " ", ^x>>n, " ", list, " ")
	if v != left || w != right || list[0] != left || list[1] != right || x<<counts[0] != left || (x|0)>>(counts[i]) != right || passed(x)<<passed(n) != left {
		fmt.Fprintf(b, "%T by %T: %v %v %v ", x, n, v, w, list)
	}
	captured := n
	func() { captured++ }()
	fmt.Fprint(b, x<<captured, x>>captured&1, "; ")
}

func byAll[T wholeNumber](x T) string {
	var b strings.Builder
	for _, n := range []uint{0, 1, 7, 8, 15, 31, 33, 63, 64, 65, 100} {
		shiftedBy(&b, x, int(n))
		shiftedBy(&b, x, int8(n))
		shiftedBy(&b, x, int16(n))
		shiftedBy(&b, x, int32(n))
		shiftedBy(&b, x, int64(n))
		shiftedBy(&b, x, n)
		shiftedBy(&b, x, uint8(n))
		shiftedBy(&b, x, uint16(n))
		shiftedBy(&b, x, uint32(n))
		shiftedBy(&b, x, uint64(n))
		shiftedBy(&b, x, uintptr(n))
		b.WriteByte('\n')
	}
	return b.String()
}

// byConstants shifts by counts that are known when the code is compiled.
func byConstants[T wholeNumber](x T) string {
	a, b, c, d := x, x, x, []T{x}
	a <<= 3
	b >>= 7
	c <<= 64
	d[0] >>= 200
	return fmt.Sprintln(a, b, c, d, x<<0, x>>0, x<<1, x>>1, x<<7, x>>7, x<<8, x>>8, x<<31, x>>31, x<<32, x>>32, x<<63, x>>63, x<<64, x>>64, x>>1000, x<<1<<2>>3, (x+3)<<2, 2<<(x&3), -x>>2)
}

func bySigned[T wholeNumber, N int | int8 | int16 | int32 | int64](x T, n N) string {
	var r result
	list, counts, k := []T{x}, []N{n}, 0
	r.add(try(func() { r.add(x << n) }), try(func() { r.add(x >> n) }), try(func() { list[0] <<= n }), try(func() { list[k] >>= counts[k] }), try(func() { r.add(1 << n >> n) }))
	r.add(try(func() { x <<= n }), try(func() { x >>= counts[0] }), x, list, try(func() { m := map[string]T{}; m["k"] <<= n; r.add(m) }))
	return r.text()
}

// Shifts are the programs of this file.
var Shifts = map[string]func() string{
	"by all counts": func() string {
		return byAll[int](-3) + byAll[int8](-100) + byAll[int16](12345) + byAll[int32](-1<<31) + byAll[int64](1<<63-1)
	},
	"of unsigned integers by all counts": func() string {
		return byAll[uint](1<<63+9) + byAll[uint8](0x81) + byAll[uint16](0x8001) + byAll[uint32](0xdeadbeef) + byAll[uint64](1<<64-1) + byAll[uintptr](77)
	},
	"by constants": func() string {
		return byConstants[int](-77) + byConstants[int8](-128) + byConstants[int16](300) + byConstants[int32](1<<30+1) + byConstants[int64](-1<<63) + byConstants[uint](5) +
			byConstants[uint8](255) + byConstants[uint16](65535) + byConstants[uint32](1<<31) + byConstants[uint64](1<<63+1) + byConstants[uintptr](12)
	},
	"by negative counts": func() string {
		return bySigned[int, int](5, -1) + bySigned[int8, int8](-5, -128) + bySigned[uint16, int16](5, -3) + bySigned[uint32, int32](1, -1<<31) + bySigned[uint64, int64](9, -1<<63) + bySigned[int64, int8](9, 3)
	},
	"of untyped constants": func() string {
		n := 4
		var a int8 = 1 << n
		var b = uint64(1<<n) + 1
		var c int64 = 1<<n<<n | 1
		list := [1 << 3]int{1 << 2: 1}
		d := list[1<<n>>2]
		e := []byte{1<<n - 1}
		f := make([]int, 1<<n)
		g := 1<<n == 16
		h := uint8(255)<<n>>n | 1<<3
		var i any = 1 << n
		_, ok := i.(int)
		return fmt.Sprint(a, b, c, d, e, len(f), g, h, i, ok, "text"[1<<n>>3], int16(1)<<n, ^0<<n, -1>>n, 1<<n*2, 7&1<<n>>2)
	},
	"of operands with effects": func() string {
		var r result
		n := 1
		next := func() int { n++; return n }
		x := next() << next() << 1
		list := []int{1, 1, 1, 1, 1, 1, 1}
		list[next()] <<= next()
		r.add(x, n, list, next()<<n, n<<next(), 1<<next()>>next())
		r.add(try(func() { r.add(next() << -next()) }), n, try(func() { list[next()] >>= next() }), n)
		return r.text()
	},
}
