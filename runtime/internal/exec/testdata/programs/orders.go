// The order of evaluation.

package programs

import "fmt"

type tracer struct {
	r *result
	n int
}

func (t *tracer) int(name string, n int) int       { t.r.add(name, n, t.n); t.n++; return n }
func (t *tracer) slice(name string, s []int) []int { t.r.add(name); return s }
func (t *tracer) self(name string) *tracer         { t.r.add(name); return t }

// Orders are the programs of this file.
var Orders = map[string]func() string{
	"calls": func() string {
		var r result
		t := &tracer{r: &r}
		s := []int{1, 2, 3}
		m := map[int]int{}
		t.slice("s", s)[t.int("index", 1)] = t.int("value", 7)
		m[t.int("key", 1)], s[t.int("i", 0)] = t.int("a", 5), t.int("b", 6)
		r.add(t.int("x", 1)+t.int("y", 2)*t.int("z", 3), []int{t.int("e0", 0), 2: t.int("e2", 2)}, map[int]int{t.int("k", 1): t.int("v", 2)})
		t.self("first").self("second").int("third", t.self("argument").int("inner", 1))
		r.add(s, m)
		return r.text()
	},
	"variables beside calls": func() string {
		n := 1
		bump := func() int { n *= 10; return n }
		a := n + bump()
		s := []int{n, bump(), n}
		p := point{n, bump()}
		f := func(x, y int) string { return fmt.Sprint(x, y) }
		return fmt.Sprint(a, s, p, f(n, bump()), n+bump()+n, n)
	},
	"elements beside calls": func() string {
		s := []int{1, 2, 3}
		set := func(i int) int { s[i] *= 100; return s[i] }
		x := s[0] + set(0)
		y, z := s[1], set(1)
		return fmt.Sprint(x, y, z, s)
	},
	"assignments in parallel": func() string {
		i, s := 0, []int{10, 20, 30}
		i, s[i] = 2, 99
		s[i], i = 77, 1
		s[0], s[1], s[2] = s[2], s[0], s[1]
		p := &point{1, 2}
		q := p
		p, p.X = &point{5, 6}, 50
		a, b := 1, 2
		a, b = b, a+b
		return fmt.Sprint(i, s, *p, *q, a, b)
	},
	"operations on places": func() string {
		var r result
		t := &tracer{r: &r}
		s := []int{1, 2, 3}
		s[t.int("index", 2)] += t.int("value", 5)
		s[t.int("post", 0)]++
		m := map[int]string{}
		m[t.int("key", 1)] += fmt.Sprint(t.int("text", 2))
		t.self("place").n += 100
		r.add(s, m, t.n)
		return r.text()
	},
	"conditional operands": func() string {
		n := 0
		inc := func() int { n++; return n }
		a := n == 0 && inc() == 1 && n == 1
		b := inc() > 5 || n == 2 && inc() == 3
		c := n + map[bool]int{true: 10, false: 20}[n < 3 || inc() == 4] + n
		return fmt.Sprint(a, b, c, n)
	},
}
