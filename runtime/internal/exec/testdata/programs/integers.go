// Arithmetic of integers of every size.

package programs

import "fmt"

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Integers are the programs of this file.
var Integers = map[string]func() string{
	"int":     func() string { return arithmetic([]int{0, 1, -1, 7, -13, 1 << 62, 1<<63 - 1, -1 << 63}) },
	"int8":    func() string { return arithmetic([]int8{0, 1, -1, 7, -13, 64, 127, -128}) },
	"int16":   func() string { return arithmetic([]int16{0, 1, -1, 7, -13, 1 << 14, 1<<15 - 1, -1 << 15}) },
	"int32":   func() string { return arithmetic([]int32{0, 1, -1, 7, -13, 1 << 30, 1<<31 - 1, -1 << 31}) },
	"int64":   func() string { return arithmetic([]int64{0, 1, -1, 7, -13, 1 << 62, 1<<63 - 1, -1 << 63}) },
	"uint":    func() string { return arithmetic([]uint{0, 1, 7, 13, 1 << 63, 1<<64 - 1}) },
	"uint8":   func() string { return arithmetic([]uint8{0, 1, 7, 13, 128, 255}) },
	"uint16":  func() string { return arithmetic([]uint16{0, 1, 7, 13, 1 << 15, 1<<16 - 1}) },
	"uint32":  func() string { return arithmetic([]uint32{0, 1, 7, 13, 1 << 31, 1<<32 - 1}) },
	"uint64":  func() string { return arithmetic([]uint64{0, 1, 7, 13, 1 << 63, 1<<64 - 1}) },
	"uintptr": func() string { return arithmetic([]uintptr{0, 1, 7, 13, 1 << 63, 1<<64 - 1}) },

	"shifts of int":    func() string { return shifts([]int{0, 1, -1, 1<<62 + 5, -1 << 63}) },
	"shifts of int8":   func() string { return shifts([]int8{0, 1, -1, 93, -128}) },
	"shifts of int16":  func() string { return shifts([]int16{0, 1, -1, 12345, -1 << 15}) },
	"shifts of int32":  func() string { return shifts([]int32{0, 1, -1, 1<<30 + 5, -1 << 31}) },
	"shifts of uint8":  func() string { return shifts([]uint8{0, 1, 93, 255}) },
	"shifts of uint16": func() string { return shifts([]uint16{0, 1, 12345, 1<<16 - 1}) },
	"shifts of uint32": func() string { return shifts([]uint32{0, 1, 1<<31 + 5, 1<<32 - 1}) },
	"shifts of uint64": func() string { return shifts([]uint64{0, 1, 1<<63 + 5, 1<<64 - 1}) },

	"assignment operations": assignments,
	"constant operands":     constants,
	"negative shifts":       negativeShifts,
}

// arithmetic applies every operator to every pair of values.
func arithmetic[T integer](values []T) string {
	var r result
	for _, x := range values {
		r.add(-x, +x, ^x, x+1, x-1, x*3, x/7, x%7, x&6, x|9, x^5, x&^3)
		for _, y := range values {
			r.add(x+y, x-y, x*y, x&y, x|y, x^y, x&^y)
			r.add(x == y, x != y, x < y, x <= y, x > y, x >= y, min(x, y), max(x, y, 5))
			r.add(try(func() { r.add(x / y) }), try(func() { r.add(x % y) }))
		}
	}
	return r.text()
}

// shifts shifts values by counts of several types.
func shifts[T integer](values []T) string {
	var r result
	for _, x := range values {
		for n := range 70 {
			r.add(x<<n, x>>n, x<<uint8(n), x>>uint64(n), x<<int16(n), x>>uint32(n))
			y, z := x, x
			y <<= n
			z >>= uint16(n)
			r.add(y, z)
		}
		r.add(x<<3, x>>3, x<<7, x>>7)
	}
	return r.text()
}

func assignments() string {
	var r result
	var a int8 = 120
	var b uint16 = 65530
	var c int64 = -1 << 62
	list := []int32{1 << 30, -7}
	p := &list[1]
	for i := range 9 {
		a += 3
		b *= 3
		c -= 1 << 60
		list[0] += 1 << 29
		*p *= -3
		list[i%2] ^= 0x55
		list[(i+1)%2] &^= 1
		*p |= int32(i)
		*p %= 1000
		a++
		b--
		r.add(a, b, c, list, *p)
	}
	return r.text()
}

func constants() string {
	var r result
	for i := range 5 {
		x, u := int32(i)-2, uint8(i)*60
		r.add(x*1000003, 1000003*x, 10-x, x-10, 100/(x*2+1), u+200, 200-u, u/3, u%9, 255&^u, u<<1, 1<<u)
		r.add(1<<i == 4, 3 < x, x < 3, 5 >= u, x == -2, uint8(1)<<u>>1)
	}
	return r.text()
}

func negativeShifts() string {
	var r result
	for n := -2; n < 2; n++ {
		r.add(n, try(func() { r.add(1 << n) }), try(func() { x := uint8(3); x >>= n; r.add(x) }), try(func() { m := int8(n); r.add(fmt.Sprint(int64(5) << m)) }))
	}
	return r.text()
}
