// Conditions on variables of the frame, in every place that may evaluate them itself, and
// assignments of arithmetic to variables, elements and fields.

package programs

import (
	"fmt"
	"math"
	"strings"
)

// bits collects conditions.
type bits struct{ b strings.Builder }

func (b *bits) add(conds ...bool) {
	for _, c := range conds {
		if c {
			b.b.WriteByte('1')
		} else {
			b.b.WriteByte('0')
		}
	}
	b.b.WriteByte(' ')
}

// rangesOf compares a variable with constants at the ends of int, in conditions and as values.
func rangesOf(x int) string {
	var b bits
	b.add(x < 5, x <= 5, x > 5, x >= 5, x == 5, x != 5, 5 < x, 5 <= x, 5 > x, 5 >= x, 5 == x, 5 != x)
	b.add(x < math.MinInt, x <= math.MinInt, x > math.MinInt, x >= math.MinInt, x == math.MinInt)
	b.add(x < math.MaxInt, x <= math.MaxInt, x > math.MaxInt, x >= math.MaxInt, x != math.MaxInt)
	if x < 5 {
		b.add(true)
	}
	if x >= 5 {
		b.add(true)
	} else {
		b.add(false)
	}
	if !(x > -3) {
		b.add(true)
	}
	if x < math.MinInt {
		b.add(true)
	} else if x <= math.MinInt {
		b.add(true, true)
	} else if math.MaxInt == x {
		b.add(true, true, true)
	}
	return b.b.String()
}

// pairs compares two variables in conditions.
func pairs(x, y int, p, q bool) string {
	var b bits
	b.add(x < y, x <= y, x > y, x >= y, x == y, x != y, !(x < y), !(x <= y), !(x > y), !(x >= y))
	b.add(x < y && p, p && x > y, p && q, p || q, x < y || q, !p && q, !p || !q, x <= y && y < 9, p || x >= y)
	b.add(x < y && isOdd(x), isOdd(y) && x < y, isOdd(x) && isOdd(y), x > y || isOdd(x), isOdd(y) || p, isOdd(x) || isOdd(y))
	if p {
		b.add(true)
	}
	if !q {
		b.add(true)
	} else {
		b.add(false)
	}
	if x < y {
		b.add(true)
	} else {
		b.add(false)
	}
	return b.b.String()
}

func isOdd(n int) bool { return n&1 != 0 }

// The results of these functions are chosen by a condition.
func smaller(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func clamped(n int) int {
	if n < 0 {
		return 0
	}
	if n > 9 {
		return 9
	}
	return n
}

func signOf(x float64) string {
	if x == 0 {
		return "zero"
	} else if x < 0 {
		return "negative"
	}
	return "positive"
}

func either(p bool, a, b string) string {
	if p {
		return a + b
	}
	return b
}

func otherwise(p bool, a, b string) string {
	if !p {
		return a
	}
	return b
}

func down(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + down(n-1)
}

func triangle(n int) (sum int) {
	for n > 0 {
		sum += n
		n--
	}
	return sum
}

func steps(n, by int) (count int) {
	for i := n * n; i <= 1000; i += by {
		count++
	}
	for more := true; more; {
		more = count < 3
		count++
	}
	return count
}

// visits calls itself in a statement, with an argument near a variable.
func visits(n int, seen *[]int) {
	if n <= 0 {
		return
	}
	*seen = append(*seen, n)
	visit := func(n int) { visits(n-2, seen) }
	visit(n + 1)
}

func countdown(n int) {
	countedDown += n
	if n > 1 {
		countdown(n - 1)
	}
}

var countedDown int

// added assigns every operation of numbers to a variable, with variables, constants, elements and
// calls as operands, and adds it to one.
func added[T wholeNumber | ~float32 | ~float64](x, y T) string {
	xs, i := []T{x, y, 2}, 1
	a, b, c, d := x+y, x-y, x*y, x+3
	e, f, g, h := x-2, y*3, 3-x, 3+y
	k, l, m, n := passed(x)+y, passed(x)-y, passed(x)*y, x+passed(y)
	o, p, q, r := x-passed(y), x*passed(y), passed(x)+passed(y), passed(x)-passed(y)
	s, t, u, v := passed(x)*passed(y), passed(x)+2, passed(x)-2, passed(x)*2
	w, z := xs[i]+1, xs[i-1]-xs[i]
	text := fmt.Sprint(a, b, c, d, e, f, g, h, k, l, m, n, o, p, q, r, s, t, u, v, w, z)
	a += x + y
	a += passed(x) + y
	a += passed(y) + 2
	a += x - y
	a += passed(x) - y
	a += passed(x) - 1
	a -= x * y
	a += 2 * passed(x)
	a += xs[i] * y
	b = a - b
	b = b + b
	c = passed(c) - c
	d = (x + y) * passed(d)
	e = x + y + 1
	xs[0], xs[i] = xs[i], xs[i+1]
	xs[i+1] = 7
	xs[i-1] = y
	return fmt.Sprint(text, " ", a, b, c, d, e, xs)
}

// quotients divides floats into variables.
func quotients[T ~float32 | ~float64](x, y T) string {
	a, b, c, d, e := x/y, x/2, 2/y, passed(x)/y, x/passed(y)
	f, g, h := passed(x)/passed(y), 1/passed(y), passed(x)/4
	a += x / y
	return fmt.Sprint(a, b, c, d, e, f, g, h)
}

// masks assigns bitwise operations to variables.
func masks[T wholeNumber](x, y T) string {
	a, b, c, d := x&y, x&6, x^y, x^5
	e, f, g, h := passed(x)&y, passed(x)&6, passed(x)^y, passed(x)^passed(y)
	a += x & 3
	a += passed(x) & 3
	a += passed(x) & y
	a += x ^ y
	a += passed(x) ^ y
	a += passed(x) ^ passed(y)
	return fmt.Sprint(a, b, c, d, e, f, g, h)
}

type particle struct {
	x, v float64
	n    int
	next *particle
}

// move uses fields of two structs as operands.
func move(p, q *particle, t float64) string {
	dx, dv := p.x-q.x, p.v+q.v
	p.v -= dx * q.v * t
	q.v += dv * p.x
	p.x += t * p.v
	p.n += q.n
	q.n -= 3
	p.x *= 2
	return fmt.Sprint(dx, dv, *p, *q, p.x-q.x-1, (p.v+q.v)*2, t*q.x, p.n*q.n, p.n-q.n, q.n+p.n)
}

// missing uses an index out of range, or a nil pointer, in every form that reads an element or a
// field itself.
func missing(r *result) {
	xs, text, i, n := []int{1, 2}, "ab", 1, 7
	var p, nothing *particle
	p = &particle{}
	r.add(try(func() { xs, i := xs, i; n := xs[i+1]; _ = n }))
	r.add(try(func() { xs, i := xs, i; xs[i+1] = 5 }), try(func() { xs, i, n := xs, i, n; xs[i+2] = n }))
	r.add(try(func() { xs, i := xs, i; xs[i-2] = 5 }), try(func() { xs, i := xs, i; r.add(xs[i+3] + 1) }))
	r.add(try(func() { s, i := text, i; r.add(s[i] == s[i+1]) }), try(func() { s, i := text, i; r.add(s[i-2] != s[i]) }))
	r.add(try(func() { xs, i := xs, i; r.add(xs[i] != xs[i+4], xs[i+5] == xs[i]) }))
	r.add(try(func() { p, q := p, nothing; d := p.x - q.x; _ = d }), try(func() { p, q := nothing, p; r.add(p.x + q.x) }))
	r.add(try(func() { p := nothing; p.x += 1 }), try(func() { p := nothing; p.n -= passed(1) }))
	r.add(try(func() { p, t := nothing, 2.0; r.add(t * p.x) }), try(func() { p := nothing; p.x -= passed(2.0) * p.v }))
	r.add(xs, n, *p)
}

// delayedChecks has operands whose evaluation must be seen before a check fails.
func delayedChecks(r *result) {
	var nothing *particle
	log := func(v float64) float64 { r.add("log", v); return v }
	r.add(try(func() { p := nothing; p.x += log(1) }), try(func() { p := nothing; r.add(log(2) * p.x) }))
	xs, i := []float64{1}, 3
	r.add(try(func() { xs, i := xs, i; xs[i] = log(3) }))
	x := 1.0
	set := func(v float64) float64 { x = v; return v }
	x += set(10) - 1
	r.add(x)
	x = set(3) - x
	r.add(x)
}

// extremes finds minima and maxima of variables, neighbors of variables and calls.
func extremes(a, b int) string {
	return fmt.Sprint(min(a, b), max(a, b), min(a, b+1), max(a-1, b), min(a+1, b-1, 3), max(passed(a), b), min(passed(a), b+2),
		max(a, passed(b)), min(a, 4), max(4, b), min(passed(a), passed(b), a))
}

// whole are ints at and around the constants that they are compared with.
var whole = []int{math.MinInt, math.MinInt + 1, -4, -3, -2, 0, 4, 5, 6, math.MaxInt - 1, math.MaxInt}

var Conditions = map[string]func() string{
	"comparisons with constants": func() string {
		var r result
		for _, x := range whole {
			r.add(x, rangesOf(x))
		}
		return r.text()
	},
	"comparisons of variables": func() string {
		var r result
		for i, x := range whole {
			for j, y := range whole {
				r.add(pairs(x, y, i&1 == 0, j&2 == 0))
			}
		}
		return r.text()
	},
	"results chosen by a condition": func() string {
		var r result
		for _, x := range whole {
			r.add(smaller(x, 4), smaller(4, x), clamped(x), signOf(float64(x)), either(x < 4, "a", "b"), otherwise(x < 4, "a", "b"))
		}
		r.add(down(0), down(300), triangle(10), triangle(-1), steps(3, 7), steps(40, 1), signOf(math.NaN()))
		var seen []int
		visits(5, &seen)
		countedDown = 0
		countdown(4)
		r.add(seen, countedDown)
		return r.text()
	},
	"arithmetic assigned to variables": func() string {
		var r result
		r.add(added[int](7, -3), added[int8](100, 90), added[uint8](200, 100), added[int16](30000, 9), added[uint32](1, 5))
		r.add(added(1.5, -2.25), added[float32](1e8, 1), added(math.Inf(1), 2), added(0.1, 0.2), added[uint64](3, 1<<63))
		r.add(quotients(7.0, 2), quotients[float32](1, 3), quotients(1.0, 0), quotients(math.NaN(), 1))
		r.add(masks[int](-7, 12), masks[uint8](250, 77), masks[int64](1<<40, -1), masks[uint16](65535, 3))
		return r.text()
	},
	"fields as operands": func() string {
		var r result
		p := &particle{1, 2, 3, nil}
		r.add(move(p, &particle{-4, 0.5, 8, nil}, 0.25), move(p, p, 3))
		return r.text()
	},
	"operands that do not exist": func() string { var r result; missing(&r); return r.text() },
	"operands before checks":     func() string { var r result; delayedChecks(&r); return r.text() },
	"minima and maxima": func() string {
		var r result
		for _, x := range whole[2:9] {
			r.add(extremes(x, 3), extremes(3, x))
		}
		return r.text()
	},
}
