// Conversions between numbers of all kinds, at the limits of each.

package programs

import (
	"fmt"
	"strings"
)

type anyNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

// converted converts a variable, an element, a field and a sum.
func converted[T, F anyNumber](b *strings.Builder, x F) {
	list := []F{0, x, 1}
	s := struct {
		pad uint8
		x   F
	}{1, x}
	i := 1
	v := T(x)
	captured := x
	add := func(d F) T { captured += d; return T(captured - d) }
	w, u := T(list[i]), T(s.x)
	y := T(list[i-1]+x) + T(list[i+1])
	fmt.Fprint(b, v, " ")
	if w != v || u != v || T(passed(x)) != v || y != v+1 || add(0) != v {
		fmt.Fprintf(b, "%T of %T: %v %v %v %v %v ", v, x, w, u, T(passed(x)), y, add(0))
	}
}

func fromWhole[F wholeNumber](x F) string {
	var b strings.Builder
	converted[int](&b, x)
	converted[int8](&b, x)
	converted[int16](&b, x)
	converted[int32](&b, x)
	converted[int64](&b, x)
	converted[uint](&b, x)
	converted[uint8](&b, x)
	converted[uint16](&b, x)
	converted[uint32](&b, x)
	converted[uint64](&b, x)
	converted[uintptr](&b, x)
	b.WriteString(fmt.Sprintln(float32(x), float64(x), string(rune(x)) == string([]rune{rune(x)})))
	return b.String()
}

// fromReal converts a number that all kinds can represent without its fraction.
func fromReal[F float32 | float64](x F) string {
	var b strings.Builder
	list := []F{x, 1}
	b.WriteString(fmt.Sprint(int(x), int8(x), int16(list[0]), int32(x), int64(list[0]), uint(x), uint8(x), uint16(list[0]), uint32(x), uint64(x), uintptr(list[0]), float32(x), float64(x)))
	return b.String()
}

func limits[T wholeNumber](least, most T) string {
	var b strings.Builder
	for _, x := range []T{least, least + 1, 0, 1, 65, most / 2, most - 1, most} {
		b.WriteString(fromWhole(x))
	}
	// Overflow wraps around in every form of the operation.
	x, y, list := most, least, []T{most, least}
	x++
	y--
	list[0] += 1
	list[1] -= 1
	b.WriteString(fmt.Sprintln(x == least, y == most, list[0] == least, list[1] == most, most+1 == least, -least, -most, ^most, least*least, most*most, most*2, least-most, least/2, least>>1))
	return b.String()
}

// Numbers are the programs of this file.
var Numbers = map[string]func() string{
	"limits of signed integers": func() string {
		return limits[int](-1<<63, 1<<63-1) + limits[int8](-128, 127) + limits[int16](-1<<15, 1<<15-1) + limits[int32](-1<<31, 1<<31-1) + limits[int64](-1<<63, 1<<63-1)
	},
	"limits of unsigned integers": func() string {
		return limits[uint](0, 1<<64-1) + limits[uint8](0, 255) + limits[uint16](0, 1<<16-1) + limits[uint32](0, 1<<32-1) + limits[uint64](0, 1<<64-1) + limits[uintptr](0, 1<<64-1)
	},
	"fractions": func() string {
		var r result
		for _, x := range []float64{0, 0.5, 0.999999, 1, 1.5, 64.75, 127.9} {
			r.add(fromReal(x), fromReal(float32(x)))
		}
		for _, x := range []float64{-1.5, -0.5, 1 << 31, 1<<62 + 1, -1 << 63, 1e18} {
			r.add(int64(x), float32(x), int(x) == int(int64(x)), int64(float32(x)))
		}
		for _, x := range []float64{1 << 63, 1<<63 + 1<<12, 1.8e19, 1 << 32} {
			r.add(uint64(x), uint(x), uint64(float32(x)), uintptr(x))
		}
		return r.text()
	},
	"rounding": func() string {
		var r result
		for _, x := range []float64{1.0 / 3, 16777217, 1e-46, 1e-45, 1.4e-45, 3.4028234e38, 3.4028236e38, 1e39, -1e39, 4.9e-324, 1.7e308} {
			f := float32(x)
			list := []float32{float32(x)}
			list[0] /= 3
			r.add(f, float64(f), list[0], float64(f)*2, x*10, float32(float64(f)+x))
		}
		for _, n := range []int64{1<<24 + 1, 1<<53 + 1, 1<<53 + 3, 1<<62 + 1, -1<<53 - 1, 1<<63 - 1} {
			r.add(float32(n), float64(n), float64(float32(n)), int64(float64(n/2)), float32(uint64(n)), float64(uint64(n)))
		}
		for _, n := range []uint64{1<<63 + 1, 1<<63 + 1<<10, 1<<63 + 1<<10 + 1, 1<<64 - 1, 1<<40 + 1<<16 + 1} {
			r.add(float32(n), float64(n), uint64(float64(n/4)))
		}
		return r.text()
	},
	"numbers that are none": func() string {
		var r result
		zero := 0.0
		nan, inf, minus := zero/zero, 1/zero, -zero
		minus *= -1
		negative := -1 / inf
		list := []float64{nan, inf, -inf, negative, zero}
		for _, x := range list {
			for _, y := range list {
				r.add(x == y, x != y, x < y, x <= y, x > y, x >= y, x+y, x-y, x*y, x/y, min(x, y), max(x, y), 1/min(x, y), 1/max(y, x))
			}
			f := float32(x)
			r.add(f, f == f, -f, 1/f, float64(f), x == x, !(x < 1), x != 0, complex(x, f2(f)))
		}
		small := []float32{float32(nan), float32(inf), float32(negative)}
		r.add(small[0] == small[0], small[0] != small[0], small[1] > 1e38, 1/small[2], min(small[0], 1), max(1, small[1]), 1/minus)
		m := map[float64]int{nan: 1, negative: 2, zero: 3}
		m[nan]++
		r.add(len(m), m[0], m[negative])
		return r.text()
	},
	"complex numbers": func() string {
		var r result
		list := []complex128{0, 1, -2i, 3 + 4i, -1.5 + 0.25i}
		for i, x := range list {
			y := list[(i+1)%len(list)]
			c := complex64(x)
			d := complex64(y)
			r.add(x+y, x-y, x*y, -x, x == y, x != y, real(x), imag(y), complex(imag(x), real(y)))
			r.add(c+d, c-d, c*d, -c, c == d, c != d, real(c), imag(d), complex(imag(c), real(d)), complex128(c), complex64(complex128(d)))
			if y != 0 {
				r.add(x/y, c/d)
			}
			x += y
			c *= d
			list[i] -= 1i
			r.add(x, c, list[i])
			z := complex64(list[i])
			z -= 2
			r.add(z, real(list[i])+1, imag(z)*2)
		}
		v := struct {
			c complex64
			d complex128
		}{2i, 1}
		p := &v
		p.c, p.d = complex64(p.d), complex128(p.c)
		p.c++
		p.d--
		var held any = p.c
		_, wide := held.(complex128)
		r.add(v, held == any(complex64(2)), wide)
		return r.text()
	},
	"constants of every kind": func() string {
		const big = 1 << 100
		const part = big >> 98
		var a int8 = part
		var f float32 = big
		var g = float64(big) / 3
		var c complex64 = part + 1i
		var h uint8 = 'a' + part - 2
		x, y := 7, 2.0
		return fmt.Sprint(a, f, g, c, h, 'x', 1/3.0, 7/2, 7/2.0, x/2, float64(x)/y, part*y, 5.0*part, "s"+"t", uint64(1<<64-1), -5%3, 5%-3, x<<part, 1.0<<3, len("grüße"), big/(big-1))
	},
	"division at the limits": func() string {
		var r result
		for _, y := range []int{1, -1, 2, -2, 3, 7, -7, 1 << 62, -1 << 63} {
			x := -1 << 63
			r.add(x/y, x%y, (x+1)/y, (x+1)%y, int32(-1<<31)/int32(y|1), int32(-1<<31)%int32(y|1), int16(-1<<15)/int16(y|1), int8(-128)/int8(y|1), int8(-128)%int8(y|1))
			x /= y
			z := int8(-128)
			z %= int8(y | 1)
			r.add(x, z)
		}
		return r.text()
	},
}

func f2(f float32) float64 { return float64(f) }
