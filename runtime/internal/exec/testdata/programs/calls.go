// Calls.

package programs

import (
	"errors"
	"fmt"
	"strings"
)

type counter struct{ n int }

func (c counter) get() int         { return c.n }
func (c *counter) add(n int) int   { c.n += n; return c.n }
func (c *counter) chain() *counter { c.n++; return c }
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
func even(n int) bool             { return n == 0 || odd(n-1) }
func odd(n int) bool              { return n != 0 && even(n-1) }
func three() (int, string, error) { return 3, "three", errors.New("three") }
func pair(n int) (a, b int)       { a = n; b = a * 2; return }
func join(head string, tail ...any) string {
	return head + fmt.Sprint(tail...) + fmt.Sprint(len(tail), tail == nil)
}
func take(n int, s string, e error) string { return fmt.Sprint(n, s, e) }
func wide(a int8, b string, c [3]int, d float32, e point, f bool, g any, h func() int, i []int, j complex64) (bool, [3]int, point, string) {
	return !f, c, point{e.Y, e.X}, fmt.Sprint(a, b, d, g, h(), i, j)
}

// Calls are the programs of this file.
var Calls = map[string]func() string{
	"recursion": func() string { return fmt.Sprint(fib(15), even(100), odd(100), even(7)) },
	"many parameters and results": func() string {
		var r result
		for i := range 3 {
			r.add(wide(int8(i), "b", [3]int{i}, 1.5, point{1, i}, true, i, func() int { return i }, []int{i}, 2i))
		}
		return r.text()
	},
	"results passed on": func() string {
		a, b := pair(4)
		x, y, z := three()
		return take(three()) + fmt.Sprint(a, b, x, y, z) + fmt.Sprint(pair(2)) + join("h") + join("h", 1, "a") + join("h", []any{1, 2}...) + join("h", nil...)
	},
	"methods": func() string {
		c, p := counter{1}, &counter{10}
		c.add(2)
		get, add := c.get, c.add
		c.add(3)
		f, g, h := counter.get, (*counter).add, (*counter).get
		return fmt.Sprint(c.get(), p.get(), get(), add(1), c.n, f(c), g(p, 5), h(p), p.chain().chain().add(1), (&c).get(), []counter{{7}}[0].get())
	},
	"function values": func() string {
		var r result
		var none func(int) int
		apply := func(f func(int) int, n int) int { return f(n) }
		table := []func(int) int{fib, func(n int) int { return -n }}
		for i, f := range table {
			r.add(apply(f, 10+i), f(3), f != nil)
		}
		r.add(none == nil, try(func() { none(1) }), strings.Map(func(c rune) rune { return c - 1 }, "bcd"))
		return r.text()
	},
	"calls of compiled functions": func() string {
		err := fmt.Errorf("outer: %w", errors.New("inner"))
		return fmt.Sprint(err, errors.Is(err, err), strings.Join([]string{"a", "b"}, "-"), fmt.Sprintf("%v %+v %T %d", counter{1}, &counter{2}, counter{}, []int{1}))
	},
	"deep recursion": func() string {
		var depth func(n int) int
		depth = func(n int) int {
			var pad [16]int
			if n == 0 {
				return 0
			}
			pad[n%16] = n
			return depth(n-1) + pad[n%16] - n + 1
		}
		return fmt.Sprint(depth(5000))
	},
}
