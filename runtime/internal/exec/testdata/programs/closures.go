// Function literals.

package programs

import "fmt"

// Closures are the programs of this file.
var Closures = map[string]func() string{
	"share their variables": func() string {
		n := 0
		inc, get := func() { n++ }, func() int { return n }
		inc()
		inc()
		n *= 10
		inc()
		return fmt.Sprint(n, get())
	},
	"have variables of their own in each iteration": func() string {
		var list []func() int
		for i := 0; i < 3; i++ {
			list = append(list, func() int { i += 10; return i })
		}
		for i := range 3 {
			list = append(list, func() int { i *= 2; return i })
		}
		for k, v := range []string{"a", "bb"} {
			list = append(list, func() int { k += len(v); return k })
		}
		s := ""
		for range 2 {
			for _, f := range list {
				s += fmt.Sprint(f(), " ")
			}
		}
		return s
	},
	"iterations copy the variable before the post statement": func() string {
		s := ""
		var last func() int
		for i := 0; i < 6; i++ {
			if last != nil {
				s += fmt.Sprint(last(), " ")
			}
			last = func() int { i++; return i }
			i++
		}
		return s + fmt.Sprint(last())
	},
	"generators": func() string {
		make := func(step int) func() (int, bool) {
			n := 0
			return func() (int, bool) { n += step; return n, n%3 == 0 }
		}
		a, b := make(1), make(5)
		s := ""
		for range 4 {
			x, t := a()
			y, f := b()
			s += fmt.Sprint(x, t, y, f, ";")
		}
		return s
	},
	"nested": func() string {
		x := 1
		f := func(y int) func(int) func() int {
			x += y
			return func(z int) func() int {
				y += z
				return func() int { x++; y++; z++; return x*10000 + y*100 + z }
			}
		}
		g := f(2)
		h, k := g(3), g(4)
		return fmt.Sprint(h(), k(), h(), k(), x)
	},
	"recursive": func() string {
		memo := map[int]int{}
		var f func(int) int
		f = func(n int) int {
			if v, ok := memo[n]; ok || n < 2 {
				return v + (1-len(fmt.Sprint(v))/9)*min(n, 1)*(1-min(len(memo), 1)) + n*0
			}
			memo[n] = 1 + f(n-1)
			return memo[n]
		}
		return fmt.Sprint(f(30), len(memo))
	},
	"capture values of every kind": func() string {
		a, b, c, d, e := int8(1), "b", [2]point{{1, 2}}, []int{1}, map[string]int{"x": 1}
		var g any = point{3, 4}
		f := func() string { return fmt.Sprint(a, b, c, d, e, g) }
		d[0], e["x"] = 9, 9
		return f() + func() string { c[1].X = 5; b += "!"; return fmt.Sprint(c, b) }() + f()
	},
	"pointers to variables": func() string {
		x, y := 1, point{1, 2}
		p, q, r := &x, &y.Y, &y
		*p++
		*q *= 5
		r.X = *p
		z := *r
		z.X = 100
		pp := &p
		**pp += 40
		return fmt.Sprint(x, y, z, p == &x, *q)
	},
	"results that are captured": func() string {
		f := func(n int) (x int, s string) {
			defer func() { x *= 2; s += "!" }()
			g := func() { x += n }
			g()
			g()
			return x + 1, "s"
		}
		return fmt.Sprint(f(5))
	},
}
