// Operands: variables, constants, elements and lengths on both sides of every operator, of every
// kind of number. Each of these forms may be compiled in its own way.

package programs

import (
	"fmt"
	"strings"
)

type realNumber interface {
	wholeNumber | ~float32 | ~float64
}

// assignWhole applies every assignment with an operation to a variable of the frame, to an element
// and to a variable that a closure captures.
func assignWhole[T wholeNumber](x, y T) string {
	var b strings.Builder
	list, captured := []T{x, y}, x
	change := func(v T) { captured ^= v; captured |= 3; captured &^= 1; captured /= 2 }
	change(y)
	a := x
	a ^= y
	list[0] ^= list[1]
	b.WriteString(fmt.Sprint(a, list[0]))
	a |= list[1]
	a &= y + 1
	b.WriteString(fmt.Sprint(" ", a))
	a = x
	a &^= list[1]
	a ^= a >> 1
	b.WriteString(fmt.Sprint(" ", a))
	a = x
	a /= y
	a %= list[1]
	list[0] %= y
	b.WriteString(fmt.Sprint(" ", a, list[0]))
	a = x
	a ^= 1
	a |= 8
	a &= 13
	a /= 3
	a %= 2
	b.WriteString(fmt.Sprint(" ", a, captured))
	return b.String()
}

// divideBy returns the panic of a division in place by zero, and the variable, which keeps its
// value.
func divideBy[T wholeNumber](x, zero T, rest bool) (text string) {
	a := x
	defer func() { text = fmt.Sprint(recover(), " ", a) }()
	if rest {
		a %= zero
	} else {
		a /= zero
	}
	return "none"
}

// compared compares variables, elements, constants and sums in every order.
func compared[T realNumber](x, y T) string {
	var b strings.Builder
	xs, ys := []T{x, y, 3}, []T{y, x, 3}
	i, j := 0, 1
	b.WriteString(fmt.Sprint(xs[i] == ys[j], xs[i] != ys[j], xs[i] == ys[i], xs[j] != ys[j+1], xs[i+2] == ys[j+1]))
	b.WriteString(fmt.Sprint(" ", xs[i] == y, xs[i] != y, xs[i] < y, xs[i] <= y, xs[i] > y, xs[i] >= y))
	b.WriteString(fmt.Sprint(" ", x == ys[j], x != ys[j], x < ys[i], x <= ys[j], x > ys[i], x >= ys[j]))
	b.WriteString(fmt.Sprint(" ", xs[i] == 3, xs[j] != 3, xs[i] < 3, xs[j] <= 3, xs[i] > 3, xs[j] >= 3))
	b.WriteString(fmt.Sprint(" ", xs[i]+1 == y+1, x+y < y+x, xs[i]+ys[i] > x, xs[i]+7, ys[j-1]+x))
	v := xs[j+1]
	w := ys[i]
	b.WriteString(fmt.Sprint(" ", v, w, min(x, xs[j]+1, y+1), max(xs[i], y, 2), min(x, y), max(ys[j], x)))
	return b.String()
}

// lengths uses lengths and capacities of variables as operands.
func lengths(text string, list []int) string {
	var b strings.Builder
	total := 0
	for i := 0; i < len(text); i++ {
		total += i*len(text) - len(list)
	}
	for i := 0; i < len(list); i++ {
		if len(list) < 6 {
			list = append(list, len(list), cap(list[:2:2]))
		}
	}
	list = append(list, len(list), len(text)+1)
	b.WriteString(fmt.Sprint(total, list, list[len(list)-1], text[len(text)-2], len(list) > len(text), len(text) == 4))
	shorter := list[1 : len(list)-1 : len(list)]
	b.WriteString(fmt.Sprint(len(shorter), cap(shorter), cap(shorter) != len(shorter), [2]int{len(text), cap(shorter)}))
	halve := func() int { list = list[:len(list)/2]; return len(list) }
	b.WriteString(fmt.Sprint(len(list), halve(), len(list), halve()+len(list)))
	m := map[int]string{len(text): text}
	m[len(shorter)] += "x"
	b.WriteString(fmt.Sprint(m[len(text)], m[len(shorter)], max(len(text), cap(shorter))))
	return b.String()
}

// outside returns the panic of a comparison or an assignment with an index out of range.
func outside(kind, i, j int) (text string) {
	xs, s := []byte("abc"), "abd"
	defer func() { text = fmt.Sprint(recover(), text) }()
	switch kind {
	case 0:
		text = fmt.Sprint(xs[i] == s[j])
	case 1:
		text = fmt.Sprint(xs[i] != xs[j+1])
	case 2:
		v := xs[i-1]
		text = fmt.Sprint(v)
	case 3:
		text = fmt.Sprint(xs[i]+1, s[j]+2)
	case 4:
		h := uint32(7)
		h ^= uint32(s[j])
		h |= uint32(xs[i]) << 3
		text = fmt.Sprint(h)
	}
	return "no panic " + text
}

// Operands holds the programs on operands.
var Operands = map[string]func() string{
	"assign integers": func() string {
		return strings.Join([]string{
			assignWhole[int](-77, 5), assignWhole[int8](-128, 7), assignWhole[int16](300, -9), assignWhole[int32](1<<30, 3),
			assignWhole[int64](-1<<62, 11), assignWhole[uint](1<<63+5, 9), assignWhole[uint8](255, 6), assignWhole[uint16](65535, 10),
			assignWhole[uint32](1<<31+3, 1000), assignWhole[uint64](1<<63+1, 12345), assignWhole[uintptr](4096, 17),
		}, "\n")
	},
	"assign floats": func() string {
		a, list := 7.5, []float64{2.5, 0}
		a /= list[0]
		b := float32(1)
		b /= 3
		c := a
		c /= list[1]
		z := 3 + 4i
		z /= 1 - 2i
		return fmt.Sprint(a, b, c, z)
	},
	"divide in place by zero": func() string {
		return divideBy[int](5, 0, false) + divideBy[uint8](200, 0, true) + divideBy[int64](-1<<63, -1, false) + divideBy[int32](-1<<31, -1, true)
	},
	"compare": func() string {
		return strings.Join([]string{
			compared[int](-3, 8), compared[int8](3, -128), compared[int16](3, 3), compared[int32](0, 1), compared[int64](-1<<63, 1<<63-1),
			compared[uint](0, 1<<64-1), compared[uint8](255, 3), compared[uint16](3, 2), compared[uint32](1, 2), compared[uint64](1<<63, 3),
			compared[uintptr](3, 4), compared[float32](0.5, -0.5), compared[float64](3, 2.5),
		}, "\n")
	},
	"lengths": func() string { return lengths("word", []int{5, 6, 7}) + lengths("ab", make([]int, 0, 3)) },
	"indices out of range": func() string {
		var b strings.Builder
		for kind := range 5 {
			for i := -1; i < 5; i += 2 {
				for j := -1; j < 5; j++ {
					b.WriteString(fmt.Sprintln(kind, i, j, outside(kind, i, j)))
				}
			}
		}
		return b.String()
	},
}
