// Arithmetic of floating-point and complex numbers.

package programs

import (
	"fmt"
	"math"
)

type float interface{ ~float32 | ~float64 }

// Floats are the programs of this file.
var Floats = map[string]func() string{
	"float32":                func() string { return fractions([]float32{0, 1, -1.5, 1e38, 1e-40, 3.3333333}) },
	"float64":                func() string { return fractions([]float64{0, 1, -1.5, 1e308, 1e-320, 3.3333333333333333}) },
	"divisions by constants": scaled,
	"complex":                complexes,
	"sums":                   sums,
	"chains": func() string {
		return chains(0.1, 1e16, []float64{0.3, -1e16, 7}) + chains(int8(100), -3, []int8{77, 2, 5}) + chains(0.1+2i, 1e16, []complex128{0.3, -1e16, 7i})
	},
}

func fractions[T float](values []T) string {
	var zero T
	values = append(values, 1/zero, -1/zero, zero/zero, -zero)
	var r result
	for _, x := range values {
		r.add(-x, x*2, x/3, x == x, x != x)
		for _, y := range values {
			r.add(x+y, x-y, x*y, x/y, x < y, x <= y, x > y, x >= y, x == y, min(x, y), max(x, y))
		}
	}
	return r.text()
}

func complexes() string {
	var r result
	values := []complex128{0, 1, 2i, -3 + 4i}
	for _, x := range values {
		for _, y := range values {
			r.add(x+y, x-y, x*y, x == y, x != y, real(x), imag(y), complex(real(y), imag(x)))
			if y != 0 {
				r.add(x / y)
			}
			s := complex64(x)
			s *= complex64(y)
			r.add(s, -s, complex64(y) == s)
		}
	}
	return r.text()
}

// chains computes sums of three terms and sums of products, of variables, elements and other
// operands.
func chains[T float | int8 | complex128](a, b T, list []T) string {
	s, p, product := a+b+1, a*2, func() T { a += 2; return a }
	x, y, z := b, b+3, list
	for i, v := range z {
		x += v + y + 1
		x += z[i] * 2
		y += v * s
		y += (v - s) * x
		y += p * (s - v)
		p += z[i] * list[len(list)-1-i]
		p += v + 2 + z[i]
		s += product() * z[i]
		s += product() * product()
		s += p * p
		z[i] += v * p
		x = s - x + p + 4
	}
	x += x * x
	y += z[1] * y
	return fmt.Sprintln(s, p, x, y, z, a)
}

func sums() string {
	total, small := 0.0, float32(0)
	for i := 1; i <= 1000; i++ {
		total += 1 / float64(i)
		small += 1 / float32(i)
	}
	return fmt.Sprintf("%x %x", total, small)
}

// scaled divides by constants, among them powers of two.
func scaled() string {
	var r result
	for _, x := range []float64{0, 1, -3, 1e-320, 5e-324, 1.7e308, -2.5e-308, math.Inf(-1), math.NaN()} {
		r.add(x/2, x/-0.25, x/(1<<53), x/0x1p-1022, x/0x1p1022, x/0x1p1023, x/0x1p-1074, x/3, x/1, x/0x1.8p4, 1/(x/4))
		x /= 8
		r.add(x)
		y := float32(x)
		r.add(y/2, y/-0.25, y/0x1p-126, y/0x1p126, y/0x1p127, y/0x1p-149, y/3, y*1e30/0x1p-126)
		y /= 0x1p100
		r.add(y)
	}
	return r.text()
}
