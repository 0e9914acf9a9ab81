// Conversions.

package programs

import (
	"fmt"
	"unsafe"
)

type (
	celsius float64
	letters []rune
	octets  []byte
	number  int
)

// Conversions are the programs of this file.
var Conversions = map[string]func() string{
	"integers": func() string {
		var r result
		for _, x := range []int64{0, 1, -1, 127, 128, 255, 256, 65535, 1 << 31, 1<<63 - 1, -1 << 63} {
			r.add(int(x), int8(x), int16(x), int32(x), uint(x), uint8(x), uint16(x), uint32(x), uint64(x), uintptr(x), float32(x), float64(x))
			y := uint32(x)
			r.add(int(y), int8(y), int16(y), int32(y), uint64(y), float32(y), float64(y), number(y))
			z := int8(x)
			r.add(int(z), uint(z), uint16(z), int32(z), uint64(z), float64(z))
			r.add(float64(uint64(x)), float32(uint64(x)))
		}
		return r.text()
	},
	"fractions": func() string {
		var r result
		for _, x := range []float64{0, 1.9, -1.9, 255.5, 1e9, 1<<53 + 1} {
			r.add(int(x), int64(x), int32(x), float32(x), celsius(x), complex(x, 1))
			if x >= 0 {
				r.add(uint64(x), uint32(x))
			}
		}
		return r.text()
	},
	"texts": func() string {
		var r result
		for _, s := range []string{"", "plain", "grüße, 世界", "\xff\xfe broken", "\x00"} {
			b, l := []byte(s), []rune(s)
			r.add(b, l, string(b) == s, string(l), octets(s), letters(s), text(s), string(text(b)), text(octets(b)), string(letters(l)))
			b = append(b, '!')
			r.add(s, string(b))
		}
		for _, n := range []int{65, -1, 0x10ffff, 0x110000, 0xd800} {
			r.add(string(rune(n)))
		}
		return r.text()
	},
	"slices to arrays": func() string {
		var r result
		s := []int{1, 2, 3}
		a := [2]int(s)
		p := (*[2]int)(s)
		p[0] = 10
		r.add(a, *p, s, (*[0]int)(nil) == nil, (*[0]int)([]int{}) != nil)
		r.add(try(func() { r.add([4]int(s)) }), try(func() { r.add((*[4]int)(s)) }))
		return r.text()
	},
	"identical underlying types": func() string {
		type a struct {
			X int `a:"1"`
			Y string
		}
		type b struct {
			X int
			Y string
		}
		v := b(a{1, "y"})
		f := func(n int) int { return n + 1 }
		type function func(int) int
		return fmt.Sprintf("%+v %T %v %v", v, v, function(f)(1), (*b)(&a{2, "z"}).Y)
	},
	"unsafe": func() string {
		x := [4]uint32{1, 2, 3, 4}
		p := unsafe.Pointer(&x[0])
		q := (*uint32)(unsafe.Add(p, 8))
		*q += 40
		s := unsafe.Slice(&x[0], 3)
		b := []byte("bytes")
		return fmt.Sprint(*q, s, unsafe.String(&b[0], 3), *unsafe.StringData("z"), *unsafe.SliceData(s), uintptr(p) != 0, unsafe.Sizeof(x))
	},
}
