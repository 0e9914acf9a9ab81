// Indices and bounds of every integer type, in and out of range, of everything that has elements.

package programs

import (
	"fmt"
	"strings"
)

var (
	sessionArray  = [4]int{1, 2, 3, 4}
	sessionSlice  = []string{"a", "b", "c"}
	sessionString = "session"
)

// indexed reads, writes and changes elements with an index in every form: a variable, an element, a
// sum and a difference.
func indexed[N wholeNumber](b *strings.Builder, i N) {
	array, s, word := [4]int{1, 2, 3, 4}, []float64{0.5, 1.5, 2.5}, "wörd"
	letters, small := []byte("bytes"), [2]uint16{8, 9}
	matrix, p := [][]int{{1, 2}, {3, 4}}, &[3]string{"x", "y", "z"}
	counts := []N{i, 1}
	each := func(name string, f func() any) {
		var v any
		if text := try(func() { v = f() }); text != "" {
			v = strings.TrimPrefix(text, "panic runtime.")
		}
		fmt.Fprint(b, name, " ", v, "\n")
	}
	each("array", func() any { return array[i] })
	each("slice", func() any { return s[i] })
	each("string", func() any { return word[i] })
	each("pointer", func() any { return p[i] })
	each("bytes", func() any { letters[i]++; return letters[i] })
	each("session array", func() any { return sessionArray[i] })
	each("session slice", func() any { return sessionSlice[i] })
	each("session string", func() any { return sessionString[i] })
	each("matrix", func() any { return matrix[i][counts[1]] })
	each("element", func() any { return s[counts[0]] + float64(array[counts[0]]) })
	each("sum", func() any { return s[i+1] })
	each("difference", func() any { return array[i-1] })
	each("constant", func() any { return "constant"[i+2] })
	each("literal", func() any { return []int{7, 8}[i] + [...]int{1, 2, 3}[i] })
	each("result", func() any { return passed(array)[i] + passed(matrix)[i][i] })
	each("map", func() any { return map[N]int{0: 5, 1: 6}[i] })
	each("write", func() any { s[i] = 9; return s })
	each("write an array", func() any { array[i] = 9; return array })
	each("write through a pointer", func() any { p[i] = "w"; return *p })
	each("change", func() any { s[i] *= 2; return s })
	each("change an array", func() any { small[i] <<= 1; return small })
	each("change in a matrix", func() any { matrix[1][i]--; return matrix })
	each("address", func() any { q := &s[i]; *q = -1; return s })
	each("from", func() any { return s[i:] })
	each("to", func() any { return word[:i] })
	each("between", func() any { return array[i:3] })
	each("session from", func() any { return sessionSlice[i:] })
	each("session to", func() any { return sessionString[:i] + fmt.Sprint(sessionArray[1:i]) })
	each("capacity", func() any { t := letters[1:2:i]; return fmt.Sprint(len(t), cap(t)) })
	each("all", func() any { t := p[0:i:i]; return fmt.Sprint(len(t), cap(t)) })
	each("strings", func() any { return word[counts[1]:i] + word[i:i] })
	if i < 100 || uint64(i) > 1<<62 {
		each("make", func() any { return len(make([]int, i)) + cap(make([]int, 0, i)) + cap(make(chan int, i)) })
	}
	b.WriteByte('\n')
}

// inTurn uses indices from -2 to 6, and the limits of the type.
func inTurn[N wholeNumber](least, most N) string {
	var b strings.Builder
	for i := range 9 {
		indexed(&b, N(i-2))
	}
	for _, i := range []N{least, least + 1, most - 1, most} {
		array, s, word := [4]int{1, 2, 3, 4}, []int{5, 6, 7}, "word"
		fmt.Fprint(&b, try(func() { s[i]++ }), try(func() { array[i]-- }), try(func() { fmt.Fprint(&b, word[i]) }), try(func() { s = s[i:] }), try(func() { word = word[:i] }),
			try(func() { fmt.Fprint(&b, array[i:4:4]) }), try(func() { fmt.Fprint(&b, s[0:1:i]) }), try(func() { fmt.Fprint(&b, s[2:i:3]) }), s, word, "\n")
	}
	return b.String()
}

// Indices are the programs of this file.
var Indices = map[string]func() string{
	"of signed types": func() string {
		return inTurn[int](-1<<63, 1<<63-1) + inTurn[int8](-128, 127) + inTurn[int16](-1<<15, 1<<15-1)
	},
	"of larger signed types": func() string { return inTurn[int32](-1<<31, 1<<31-1) + inTurn[int64](-1<<63, 1<<63-1) },
	"of unsigned types":      func() string { return inTurn[uint](0, 1<<64-1) + inTurn[uint8](0, 255) + inTurn[uint16](0, 1<<16-1) },
	"of larger unsigned types": func() string {
		return inTurn[uint32](0, 1<<32-1) + inTurn[uint64](0, 1<<64-1) + inTurn[uintptr](0, 1<<64-1)
	},
	"of nothing": func() string {
		var r result
		var s []int
		var p *[3]int
		word := ""
		for i := range 3 {
			r.add(try(func() { s[i] = 1 }), try(func() { r.add(word[i]) }), try(func() { p[i] = 1 }), try(func() { r.add(len(s[i:]), len(word[i:])) }), try(func() { r.add(s[:i]) }), try(func() { r.add(p[:i]) }))
		}
		r.add(s[0:0:0] == nil, s[:] == nil, word[0:0], len(p), cap(p), [0]int{}, try(func() { i := 0; r.add([0]int{}[i]) }))
		return r.text()
	},
	"in strings": func() string {
		var r result
		s := "aé世🙂\xff"
		for i := range len(s) + 1 {
			for j := i; j <= len(s); j++ {
				r.lines = append(r.lines, s[i:j])
			}
		}
		total := 0
		for i := 0; i < len(s); i++ {
			total = total*3 + int(s[i])
		}
		t := s
		s = s[1:]
		s = s[:len(s)-1] + t[:1]
		r.add(total, s, t, s[len(s)-1] == t[0], s[1:][1:] == t[3:len(t)-1]+"a", string(rune(t[0])))
		return r.text()
	},
	"that change while they are used": func() string {
		var r result
		i, s := 0, []int{10, 20, 30}
		next := func() int { i++; return i }
		s[i] = next() + s[i]
		r.add(i, s)
		s[next()] += i
		r.add(i, s)
		s[0], i = i, 0
		s[i], i, s[2] = 7, 1, s[i]
		r.add(i, s, s[i:next()], s[i-1:i:next()])
		drop := func() int { s = s[:1]; return 1 }
		r.add(try(func() { s[drop()] = 5 }), s, try(func() { r.add(s[0] + s[drop()]) }), s[:3], s[:3][drop()])
		return r.text()
	},
	"of elements with fields": func() string {
		type pair struct {
			name string
			at   [2]point
			next *pair
		}
		var r result
		list := make([]pair, 4)
		for i := range list {
			list[i].name, list[i].at[1].Y = fmt.Sprint("n", i), i
			if i > 0 {
				list[i-1].next = &list[i]
				list[i].at[0] = list[i-1].at[1]
				list[i].at[0].X += list[i-1].at[1].Y - list[i].at[1].Y
			}
		}
		swap := func(i, j int) { list[i], list[j] = list[j], list[i] }
		swap(0, 3)
		for i := 0; i < len(list); i++ {
			p, last := &list[i].at[1], i == len(list)-1
			p.X = -i
			r.add(list[i].name, list[i].at, list[i].next == nil, last || list[i].name < list[i+1].name, try(func() { r.add(list[i+1].at[0].Y, list[i-1].name) }))
			r.add(try(func() { list[i+1].name += "!" }), try(func() { list[i+1].at[1] = list[i].at[0] }), try(func() { list[i-1].next = nil }))
		}
		change := func() int { list = list[:2]; return 5 }
		i := 1
		list[i].at[0].Y = change()
		r.add(list, try(func() { list[i+1].at[0].X = change() }), try(func() { r.add(list[i+1].name) }))
		return r.text()
	},
}
