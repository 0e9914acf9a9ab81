// Small functions, which run in the frames of their callers.

package programs

import (
	"fmt"
	"runtime"
	"strings"
)

type vec struct{ x, y, z float64 }

func (v vec) plus(w vec) vec            { return vec{v.x + w.x, v.y + w.y, v.z + w.z} }
func (v vec) swapped() vec              { v.x, v.y = v.y, v.x; return v }
func (v vec) scaled(f float64) vec      { return vec{v.x * f, v.y * f, v.z * f} }
func (v *vec) move(d float64) *vec      { v.x += d; return v }
func quotientOf(a, b int) int           { return a / b }
func rest8(a, b int8) int8              { return a % b }
func shifted(a, n int) int              { return a << n }
func unshifted(a int, n uint) int       { return a >> n }
func atIndex(xs []int, i int) int       { return xs[i] }
func at64(xs []int, i uint64) int       { return xs[i] }
func fourth(xs [3]int, i int) int       { return xs[i] }
func firstOf(p *vec) float64            { return p.x }
func cutText(s string, i, j int) string { return s[i:j] }
func made(n int) []int                  { return make([]int, n) }
func exchange(a, b int) (int, int)      { return b, a }
func namedOf(a int) (r int, s string) {
	if a > 0 {
		r = a
		return
	}
	s = "none"
	return
}
func counted(n int) (r int) { r += n; return }
func grown(a int) int       { a++; a *= 2; return a }
func chosen(a, b, c int) int {
	if a > b {
		return c
	}
	if a == b {
		return 0
	}
	return -c
}
func evenly(n int) bool {
	if n == 0 {
		return true
	}
	return oddly(n - 1)
}
func oddly(n int) bool {
	if n == 0 {
		return false
	}
	return evenly(n - 1)
}
func upper(n int) int                  { return center(n) + center(n+1) }
func center(n int) int                 { return lower(n, 2) * lower(2, n) }
func lower(a, b int) int               { return a - b }
func setThird(xs [3]int, v int) [3]int { xs[2] = v; return xs }
func kindOf(v any) string {
	switch v := v.(type) {
	case int:
		return "int" + fmt.Sprint(v)
	case string:
		return v
	}
	return "?"
}
func isNil(p *int, s []int, v any) bool { return p == nil && s == nil && v == nil }
func largerOf[T int | float64 | string](a, b T) T {
	if a > b {
		return a
	}
	return b
}
func discard(int, string) {}
func panicAbove(n int) int {
	if n > 2 {
		panic(fmt.Sprint("n is ", n))
	}
	return n
}

func caughtIn(f func() any) (text string) {
	defer func() {
		if v := recover(); v != nil {
			_, ok := v.(runtime.Error)
			text = fmt.Sprint(v, ok)
		}
	}()
	return fmt.Sprint(f())
}

// Inlined are the programs of this file.
var Inlined = map[string]func() string{
	"struct arguments and results": func() string {
		v, w := vec{1, 2, 3}, vec{10, 20, 30}
		v = v.plus(v).plus(w.swapped())
		w = w.swapped().swapped().plus(w.scaled(2))
		u := v.swapped()
		v.move(1).move(2)
		list := []vec{v, w}
		list[0] = list[1].plus(list[0])
		return fmt.Sprint(u, v, w, list, vec{}.plus(vec{1, 1, 1}).scaled(3).plus(u), setThird([3]int{1, 2, 3}, 9))
	},
	"arguments that the callee changes": func() string {
		a, xs := 3, [3]int{1, 2, 3}
		ys := setThird(xs, a)
		zs := setThird(setThird(xs, 7), 8)
		return fmt.Sprint(grown(a), a, grown(grown(a)), a, xs, ys, zs, counted(a), counted(a))
	},
	"several results": func() string {
		a, b := 1, 2
		a, b = exchange(a, b)
		a, b = exchange(exchange(a, b))
		r, s := namedOf(a)
		q, t := namedOf(-a)
		_, only := namedOf(0)
		return fmt.Sprint(a, b, r, s, q, t, only)
	},
	"assignments to an argument": func() string {
		x := 5
		x = chosen(x, 4, x)
		x = chosen(x, 5, x+1) + chosen(1, 1, x) - chosen(0, x, x)
		x += lower(x, x-1)
		return fmt.Sprint(x)
	},
	"constant arguments that panic": func() string {
		var r result
		var none []int
		one := 1
		r.add(caughtIn(func() any { return quotientOf(one, 0) }))
		r.add(caughtIn(func() any { return rest8(-128, 0) }))
		r.add(caughtIn(func() any { return shifted(one, -1) }))
		r.add(caughtIn(func() any { return unshifted(one, 1<<40) }))
		r.add(caughtIn(func() any { return atIndex([]int{1, 2}, -1) }))
		r.add(caughtIn(func() any { return atIndex([]int{1, 2}, 2) }))
		r.add(caughtIn(func() any { return at64([]int{1, 2}, 1<<63) }))
		r.add(caughtIn(func() any { return atIndex(nil, 0) }))
		r.add(caughtIn(func() any { return atIndex(none, 0) }))
		r.add(caughtIn(func() any { return fourth([3]int{}, 3) }))
		r.add(caughtIn(func() any { return firstOf(nil) }))
		r.add(caughtIn(func() any { return cutText("text", 3, 2) }))
		r.add(caughtIn(func() any { return cutText("text", 1, 9) }))
		r.add(caughtIn(func() any { return made(-1) }))
		r.add(caughtIn(func() any { return panicAbove(3) + panicAbove(2) }))
		return r.text()
	},
	"constant arguments": func() string {
		return fmt.Sprint(quotientOf(-7, 2), quotientOf(-7, -1), rest8(-128, -1), rest8(-7, 4), shifted(3, 70), unshifted(-9, 1), cutText("text", 1, 1), atIndex([]int{4}, 0),
			isNil(nil, nil, nil), isNil(new(int), nil, nil), kindOf("s"), kindOf(1), kindOf(nil), largerOf("a", "b"), largerOf(2.5, 1), largerOf(1, 2))
	},
	"calls of calls": func() string {
		n := 0
		for i := range 20 {
			n = n*3 + upper(i) + lower(upper(n&3), i)
			discard(lower(i, n), "x")
		}
		return fmt.Sprint(n, evenly(10), oddly(10), evenly(7))
	},
	"order of arguments": func() string {
		var b strings.Builder
		note := func(n int) int { b.WriteString(fmt.Sprint(n, " ")); return n }
		x := chosen(note(1), note(2), note(3)) + lower(note(4), note(5))*quotientOf(note(6), note(7))
		return fmt.Sprint(x, b.String())
	},
	"divisions by powers of two": func() string {
		var r result
		for _, v := range []int{-9, -8, -7, -1, 0, 1, 7, 8, 9, 1 << 62, -1 << 63} {
			r.add(v/2, v%2, v/8, v%8, v/(1<<62), v%(1<<62))
		}
		for _, v := range []int8{-128, -127, -65, -64, -63, -1, 0, 1, 63, 64, 127} {
			r.add(v/2, v%2, v/64, v%64, v/1, v%1)
		}
		for _, v := range []uint8{0, 1, 127, 128, 255} {
			r.add(v/2, v%2, v/128, v%128)
		}
		for _, v := range []uint64{0, 1, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
			r.add(v/2, v%2, v/(1<<63), v%(1<<63))
		}
		return r.text()
	},
	"products of elements": func() string {
		xs, ys, s, t := []int{1, 2, 3}, []float64{0.5, 1.5, 2.5}, 0, 0.0
		for i := range xs {
			s += xs[i]*xs[2-i] + xs[i]
			t += ys[i] * ys[2-i] * float64(xs[i])
			s += xs[s&1]
		}
		shrink := func() int { xs = xs[:1]; return 2 }
		return fmt.Sprint(s, t, caughtIn(func() any { return xs[0] * xs[shrink()] }), caughtIn(func() any { s += xs[1]; return s }), s)
	},
	"variables that closures share": func() string {
		n, text := 0, ""
		add := func(d int) int { n += d; text += fmt.Sprint(n); return n }
		nested := func() func() int { return func() int { add(10); n++; return n } }
		for i := range 3 {
			add(i)
			nested()()
		}
		for v := range func(yield func(int) bool) {
			for i := range 5 {
				if !yield(i * n) {
					return
				}
			}
		} {
			v++
			n += v
			if n > 1000 {
				break
			}
		}
		return fmt.Sprint(n, text)
	},
}
