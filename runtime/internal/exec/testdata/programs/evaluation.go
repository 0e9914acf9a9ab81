// The order of evaluation where a call changes what the rest of its statement reads.

package programs

import (
	"fmt"
	"strings"
)

// A world has variables of every kind that calls change.
type world struct {
	r    result
	n    int
	s    []int
	a    [3]int
	m    map[string]int
	p    *point
	f    func(int) int
	v    any
	text string
	out  chan int
}

func newWorld() *world {
	w := &world{n: 1, s: []int{1, 2, 3}, a: [3]int{4, 5, 6}, m: map[string]int{"k": 1}, p: &point{1, 2}, v: 7, text: "text", out: make(chan int, 100)}
	w.f = func(n int) int { return n + 100 }
	return w
}

// change changes everything and returns an index.
func (w *world) change() int {
	w.n++
	w.s = append([]int{w.n * 10}, w.s...)
	w.a[0] += w.n
	w.m["k"] += 10
	w.p = &point{w.n, -w.n}
	n := w.n
	w.f = func(m int) int { return m*1000 + n }
	w.v = fmt.Sprint("v", w.n)
	w.text += fmt.Sprint(w.n)
	w.out <- w.n
	return 1
}

func (w *world) many() (int, int, string) { w.change(); return w.n, -w.n, w.text }

func weigh(values ...int) (total int) {
	for i, v := range values {
		total += v * (i + 1)
	}
	return total
}

func results(mode int) (n int, text string, err error) {
	bump := func() int { n++; text += "b"; return n }
	switch mode {
	case 0:
		return n, text + "x", fmt.Errorf("error %d", bump())
	case 1:
		n = 5
		return bump(), text, nil
	case 2:
		defer func() { n *= 2; text += "d" }()
		return bump() + n, text, nil
	case 3:
		n, text := 7, "inner"
		_ = bump
		return n + 1, text, nil
	}
	return
}

var total, totals = 10, []int{1, 2, 3}

func addTotal(d int) int { total += d; totals = append(totals, total); return total }

// Evaluation holds the programs on the order of evaluation.
var Evaluation = map[string]func() string{
	"operands of operators": func() string {
		w := newWorld()
		r := &w.r
		r.add(w.n+w.change(), w.n*10+w.change()*w.n, w.change()+w.n, -w.n+w.change()-w.n)
		r.add(w.s[0]+w.change(), w.s[w.n-3]+w.s[w.change()], w.a[0]+w.change()+w.a[0], w.a[w.change()]+w.n)
		r.add(w.p.X+w.change(), w.p.Y*w.change()+w.p.X)
		r.add(w.text+fmt.Sprint(w.change()), len(w.text)+w.change()+len(w.text), w.n == w.change()+w.n-1, w.n < w.change()*w.n)
		r.add(w.n > 0 && w.change() == 1 && w.n > 2, w.n < 0 || w.change() == 1 && w.n > 0, !(w.change() > w.n))
		r.add(w.n<<w.change(), w.n/w.change(), w.n%(w.change()+2), float64(w.n)+float64(w.change()), w.v == any(w.change()), any(w.n) == any(w.change()+w.n-1))
		r.add(<-w.out+w.n+<-w.out, w.n+<-w.out)
		return r.text()
	},
	"arguments": func() string {
		w := newWorld()
		r := &w.r
		r.add(w.n, w.change(), w.n, w.text, w.s[0], w.a, *w.p, w.v, w.m["k"], len(w.s))
		r.add(weigh(w.n, w.change(), w.n), weigh(w.s...), weigh(w.s[w.change()], w.n), weigh(w.s[0:w.change()]...), w.f(w.change()), w.f(w.n)+w.f(w.change())+w.f(1))
		r.add(max(w.n, w.change(), w.n), min(w.change(), w.n), len(w.s[:w.change()]), append(w.s[:1:1], w.n, w.change(), w.n), copy(w.s, w.s[w.change():]))
		r.add([]int{w.n, w.change(), w.n, w.s[0]}, [3]int{w.n, 2: w.change()}, map[int]int{w.n: w.change(), -w.n: w.n}, point{w.n, w.change()}, &point{Y: w.n, X: w.change() + w.n})
		r.add(func(a, b int, c string, d [3]int) string { return fmt.Sprint(a, b, c, d) }(w.n, w.change(), w.text, w.a))
		r.add(w.p.sumWith(w.change(), w.n), (*point).sumWith(w.p, w.n, w.change()), w.p.sumWith(w.n, w.p.X), w.v, w.change(), fmt.Sprint(w.v, w.change()))
		f := w.f
		r.add(w.f(w.change()), f(w.n), func() int { return w.n }()+w.change()+w.n)
		return r.text()
	},
	"destinations": func() string {
		w := newWorld()
		r := &w.r
		w.s[w.n] = w.change()
		r.add(w.s)
		w.s[w.change()], w.n = w.n, w.s[0]
		r.add(w.s, w.n)
		w.n, w.s[w.n%3] = 2, w.change()+w.n
		r.add(w.s, w.n)
		w.p.X, w.p = w.change(), &point{9, 9}
		r.add(*w.p)
		w.p.Y = w.change() + w.p.X
		r.add(*w.p)
		w.a[w.n%3], w.a[0] = w.a[0], w.change()
		r.add(w.a)
		w.m[w.text], w.text = len(w.text), "key"
		w.m[w.text] = w.change()
		r.add(w.m)
		w.n, w.text, _ = w.change(), w.text+"!", w.n
		r.add(w.n, w.text)
		w.n, w.a[w.n%3], w.text = w.many()
		r.add(w.n, w.a, w.text)
		w.s[0], w.s[w.change()], w.m["z"] = w.n, w.n+1, w.s[0]
		r.add(w.s, w.m["z"])
		q := &w.n
		*q, w.n = w.n+1, *q+w.change()
		r.add(w.n)
		w.v, w.f = w.f(w.change()), func(int) int { return 0 }
		r.add(w.v, w.f(1))
		return r.text()
	},
	// With the race detector, gc reads elements of maps at another time than without.
	"elements of maps beside calls": func() string {
		w := newWorld()
		r := &w.r
		r.add(w.m["k"] + w.change() + w.m["k"])
		w.m["k"], w.m["l"] = w.m["l"], w.m["k"]+w.change()
		r.add(w.m)
		return r.text()
	},
	"operations in place": func() string {
		w := newWorld()
		r := &w.r
		w.n += w.change()
		w.n -= w.change() + w.n
		r.add(w.n)
		w.s[w.change()] += w.n
		w.s[0] *= w.change()
		r.add(w.s)
		w.a[w.change()]++
		w.a[0] <<= w.change()
		r.add(w.a)
		w.m["k"] += w.change()
		w.m[w.text] -= w.change()
		w.p.X += w.change()
		w.p.Y *= w.p.X + w.change()
		r.add(w.m, *w.p)
		w.text += fmt.Sprint(w.change(), w.text)
		r.add(w.text, len(w.s))
		w.s[w.s[len(w.s)-1]%2]--
		for w.s[0] += w.change(); w.n < 12; w.n += w.change() {
			r.add(w.n)
		}
		return r.text()
	},
	"of variables of the session": func() string {
		var r result
		total, totals = 10, []int{1, 2, 3}
		r.add(total+addTotal(1)+total, total, totals[0]+addTotal(2)*totals[len(totals)-1], len(totals)+addTotal(3))
		total = total + addTotal(4) - total
		totals[0], total = addTotal(5), total
		totals[total%3] += addTotal(6)
		x, y := total, addTotal(7)
		r.add(total, totals, x, y)
		total, y = y, addTotal(8)+total
		if total > addTotal(9) || total < addTotal(-9) {
			r.add("branch", total)
		}
		switch total {
		case addTotal(1):
			r.add("first")
		case total - addTotal(1) + total:
			r.add("second")
		default:
			r.add("default", total)
		}
		local := 1
		step := func() int { local *= 3; return local }
		a := []int{local, step(), local, step() + local, local + step()}
		b, c := local, step()
		d := []int{local, 0}[step()-step()/3*1] + local
		r.add(total, totals, a, b, c, d)
		return r.text()
	},
	"results": func() string {
		var r result
		for mode := range 5 {
			r.add(results(mode))
		}
		return r.text()
	},
	"slices of what changes": func() string {
		var r result
		s, i := []int{1, 2, 3, 4, 5}, 1
		next := func() int { i++; return i }
		cut := func() int { s = s[1:]; return len(s) }
		r.add(s[i:next()], s[i-1:i:next()], s[i:][next()-3], s[len(s)-2:cut()], s[:cut()], s[i-4:i-3:next()-2])
		i, s = 0, []int{1, 2, 3, 4, 5, 6, 7}
		type holder struct{ lo, hi int }
		h := &holder{0, 2}
		raise := func() int { h.lo++; h.hi++; return 6 }
		r.add(s[h.lo:h.hi:raise()], s[h.lo:h.hi][h.lo%2], s[h.lo:raise()], s[s[0]:s[2]:raise()])
		word := "evaluation"
		r.add(word[i:next()]+word[i:next()], word[i+1:][:next()], string(word[i])+word[next():])
		b := []byte("bytes")
		c, d := append(b, 'x'), append(b, 'y')
		r.add(string(c), string(d), string(b)+string(append(b[:1], "ig"...))+string(b))
		return r.text()
	},
	"arrays that calls change": func() string {
		var r result
		a := [3]int{1, 2, 3}
		s := a[:]
		set := func(i, v int) int { a[i] = v; return v }
		b, c := a, set(0, 9)
		d := [2][3]int{a, {set(1, 8), set(2, 7)}}
		r.add(a, b, c, d, [2]int(s), set(0, 5), a == [3]int{set(0, 4), 8, 7}, s[0]+set(0, 3)+a[0], fmt.Sprint(a, set(0, 2), a))
		pass := func(x [3]int, n int, y [3]int) string { return fmt.Sprint(x, n, y) }
		r.add(pass(a, set(0, 1), a), pass([3]int(s), set(0, 0), [3]int(s)), pass(func() [3]int { return a }(), set(1, 0), a))
		var held any = a
		set(2, -1)
		t := struct {
			a [3]int
			n int
		}{a, set(2, -2)}
		r.add(held, t, held == any(a), any(a) == any([3]int{0, 0, set(2, -2)}))
		for i, v := range a {
			a[2] += v + 10
			r.add(i, v)
		}
		for i, v := range s {
			a[2] += v + 10
			r.add(i, v)
		}
		for i, v := range &a {
			a[2] -= v
			r.add(i, v)
		}
		return r.text()
	},
	"panics among calls": func() string {
		var r result
		note := func(n int) int { r.add("call", n); return n }
		var m map[string]int
		var p *point
		var none []int
		var v any = "s"
		zero := 0
		r.add(try(func() { m["x"] = note(1) }), try(func() { p.X = note(2) }), try(func() { none[note(3)] = note(4) }), try(func() { note(1 / zero * note(5)) }))
		r.add(try(func() { r.add(note(6), v.(int), note(7)) }), try(func() { none[0], p.X = note(8), note(9) }), try(func() { *p = point{note(10), note(11)} }))
		r.add(try(func() { r.add(p.X, note(12)) }), try(func() { note(none[0] + note(13)) }), try(func() { p.sumWith(note(14), none[0]) }), try(func() { _ = []int{note(15), none[1], note(16)} }))
		var f func(int) int
		r.add(try(func() { f(note(17)) }), try(func() { (*point).sumWith(nil, note(18), 1) }), try(func() { defer f(note(19)); note(20) }), try(func() { m[fmt.Sprint(note(21))] += note(22) }))
		r.add(try(func() { _ = note(23)/zero + note(24) }), try(func() { none[note(25)]++ }), try(func() { note(copy(none[1:], []int{note(26)})) }), try(func() { _, _ = v.(fmt.Stringer).String(), note(27) }))
		return strings.Join(r.lines, "\n")
	},
}

func (p *point) sumWith(a, b int) int { return p.X*100 + a*10 + b }
