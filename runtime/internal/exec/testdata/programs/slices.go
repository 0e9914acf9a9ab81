// Slices and arrays.

package programs

import (
	"fmt"
	"strings"
)

// Slices are the programs of this file.
var Slices = map[string]func() string{
	"bounds of elements": func() string {
		var r result
		s, a := []int{1, 2, 3}, [3]string{"a", "b", "c"}
		p, none := &a, (*[3]string)(nil)
		for i := -1; i < 5; i++ {
			r.add(i, try(func() { r.add(s[i]) }), try(func() { r.add(a[i]) }), try(func() { r.add(p[i]) }))
			r.add(try(func() { s[i] = i }), try(func() { a[i] += "x" }), try(func() { r.add(&p[i] == &a[i]) }))
			r.add(try(func() { r.add(none[i]) }), try(func() { r.add(s[uint8(i)]) }), try(func() { r.add(s[int64(i)<<40]) }))
		}
		r.add(s, a)
		return r.text()
	},
	"bounds of slices": func() string {
		var r result
		s := make([]int, 3, 5)
		a := [4]int{1, 2, 3, 4}
		for lo := -1; lo <= 6; lo++ {
			r.add(try(func() { r.add(s[lo:]) }), try(func() { r.add(s[:lo]) }), try(func() { r.add(a[lo:]) }))
			for hi := -1; hi <= 6; hi++ {
				r.add(lo, hi, try(func() { t := s[lo:hi]; r.add(t, len(t), cap(t)) }), try(func() { t := a[lo:hi]; r.add(t, cap(t)) }))
				r.add(try(func() { t := s[lo:hi:5]; r.add(t, cap(t)) }), try(func() { t := s[1:lo:hi]; r.add(t, cap(t)) }))
			}
		}
		for _, n := range []uint64{4, 5, 1 << 63, 1<<64 - 1} {
			r.add(try(func() { r.add(s[n:]) }), try(func() { r.add(s[:n]) }), try(func() { r.add(a[:n]) }), try(func() { r.add(a[n:]) }))
			r.add(try(func() { r.add(s[1:2:n]) }), try(func() { r.add(a[1:2:n]) }), try(func() { r.add(a[1:n:4]) }), try(func() { r.add("text"[:n]) }))
		}
		return r.text()
	},
	"append and copy": func() string {
		var r result
		var s []int
		for i := range 10 {
			s = append(s, i, i*i)
			t := append(s[:i:i], s...)
			r.add(len(s), t, copy(t, s[1:]), t, copy(t[2:], t))
		}
		b := append([]byte("a"), "text"...)
		r.add(string(b), copy(b, "xyz"), string(b), append([]string(nil), "a", "b"))
		list := append([]any{}, 1, "a", nil, []int{2})
		r.add(list...)
		clear(s)
		r.add(s)
		return r.text()
	},
	"make": func() string {
		var r result
		for n := -1; n < 3; n++ {
			r.add(try(func() { s := make([]string, n, 2); r.add(len(s), cap(s)) }), try(func() { r.add(len(make([]int, n))) }), try(func() { r.add(cap(make(chan int, n))) }), try(func() { r.add(len(make(map[int]int, n))) }))
		}
		return r.text()
	},
	"arrays are values": func() string {
		a := [3]int{1, 2, 3}
		b := a
		b[0] = 9
		f := func(c [3]int) [3]int { c[1] = 8; return c }
		g := f(b)
		m := [2][2]int{{1, 2}, {3, 4}}
		n := m
		n[1][0] = 7
		p := &m
		p[0][1]++
		return fmt.Sprint(a, b, g, f(a)[1], m, n, a == [3]int{1, 2, 3}, m != n, len(a), cap(p))
	},
	"elements of many sizes": func() string {
		type odd struct {
			A byte
			B string
			C [3]uint16
		}
		o := make([]odd, 4)
		flags := make([]bool, 3)
		wide := make([]complex128, 2)
		hold := make([]any, 2)
		for i := range o {
			o[i].A = byte(i)
			o[i].B += fmt.Sprint(i)
			o[i].C[i%3] = uint16(i * 1000)
			flags[i%3] = !flags[i%3]
			wide[i%2] += complex(float64(i), 1)
			hold[i%2] = o[i]
		}
		o[0] = o[3]
		o[1], o[2] = o[2], o[1]
		return fmt.Sprint(o, flags, wide, hold)
	},
	"sorting": func() string {
		s := []int{5, 2, 9, 1, 7, 3, 8}
		for i := range s {
			for j := i; j > 0 && s[j] < s[j-1]; j-- {
				s[j], s[j-1] = s[j-1], s[j]
			}
		}
		return fmt.Sprint(s)
	},
	"indices near a variable": func() string {
		var r result
		s, t, word := []int{1, 2, 4, 8, 16}, []float64{0.5, 1.5, 2.5, 3.5, 4.5}, "nearby"
		for i := -2; i < 7; i++ {
			r.add(try(func() { r.add(s[i+1]) }), try(func() { r.add(s[i-1]) }), try(func() { r.add(word[i+2], word[i-2]) }))
			j, k, u, text := i, i+1, s, word
			r.add(try(func() {
				j, u, text := j, u, text
				u[j-1] = j
				u[j+1] += j
				r.add(u, text[j+1], int(text[j-1])*2, rune(text[j]))
			}))
			r.add(try(func() { u, k := t, k; u[k-1] = u[k+1] * u[k-1]; r.add(u) }))
			r.add(try(func() { u, k := t, k; r.add(float32(u[k-2]), int(u[k+2])) }))
		}
		most := int(^uint(0) >> 1)
		r.add(try(func() { m, u := most, s; r.add(u[m+1]) }), try(func() { m, u := most, s; u[m+2] = 1 }), try(func() { m, w := most, word; r.add(w[m+1]) }))
		r.add(try(func() { m, w := -most, word; r.add(w[m-3]) }), try(func() { r.add("constant"[most]) }), try(func() { r.add(strings.Repeat("ab", 3)[len(s)-1]) }))
		least, huge := -most-1, uint64(1)<<63
		r.add(try(func() { r.add(s[least:]) }), try(func() { r.add(s[:least]) }), try(func() { r.add(s[least:2:3]) }), try(func() { r.add(word[least:]) }), try(func() { r.add(word[:least]) }))
		r.add(try(func() { r.add(word[huge:]) }), try(func() { r.add(word[least:]) }), try(func() { r.add(s[huge+uint64(len(s)):]) }), try(func() { r.add(s[least]) }))
		change := func() int { s = s[:2]; return 3 }
		r.add(try(func() { r.add(s[change()]) }), try(func() { i := 1; u := s; u[i+1] = func() int { i = -1; return 7 }(); r.add(u) }), s)
		return r.text()
	},
	"large arrays": func() string {
		var a [2000]int
		for i := range a {
			a[i] = i * i
		}
		b := a
		p := &b
		p[5] = -1
		return fmt.Sprint(a[5], b[5], a[1999], len(b))
	},
}
