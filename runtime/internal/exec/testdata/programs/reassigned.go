// Variables that held a known function literal and are assigned to, in every form.

package programs

import (
	"errors"
	"sync"
)

type step = func(int) int

// stepAndError returns a function and an error.
func stepAndError(f step, fail bool) (step, error) {
	if fail {
		return f, errors.New("failed")
	}
	return f, nil
}

func incremented(n int) int { return n + 1 }

type stepper struct{ by int }

func (s stepper) next(n int) int { return n + s.by }

// The functions of Reassigned declare a variable with a known function literal, call it, and change
// it between calls.
var Reassigned = map[string]func() string{
	"plain, in branches of a loop": func() string {
		var r result
		f := func(n int) int { return n + 1 }
		for i := range 6 {
			r.add(f(i))
			if i == 1 {
				f = func(n int) int { return n * 10 }
			} else if i == 3 {
				f = incremented
			} else if i == 4 {
				f = stepper{100}.next
			}
			r.add(f(i))
		}
		return r.text()
	},
	"tuples and exchanges": func() string {
		var r result
		f, g := func(n int) int { return n + 1 }, func(n int) int { return n * 10 }
		for i := range 4 {
			f, g = g, f
			r.add(f(i), g(i))
		}
		list := []step{incremented, nil}
		f, list[1] = list[0], f
		r.add(f(5), list[1](5))
		x := 0
		x, f = f(x), func(n int) int { return n - 1 }
		r.add(x, f(x))
		{
			f, x := f(3), 4 // other variables
			r.add(f, x)
		}
		r.add(f(3), x)
		return r.text()
	},
	"results of calls": func() string {
		var r result
		f := func(n int) int { return n + 1 }
		for i := range 3 {
			var err error
			f, err = stepAndError(func(n int) int { return n * (i + 2) }, i == 1)
			r.add(f(7), err)
		}
		f, last := stepAndError(f, false) // the same variable
		r.add(f(1), last)
		return r.text()
	},
	"ranges": func() string {
		var r result
		f := func(n int) int { return n + 1 }
		r.add(f(1))
		for _, f = range []step{incremented, func(n int) int { return n * 10 }} {
			r.add(f(2))
		}
		r.add(f(3))
		for _, f = range [...]step{func(n int) int { return -n }} {
		}
		r.add(f(4))
		for _, f = range map[string]step{"k": func(n int) int { return n * n }} {
			r.add(f(5))
		}
		r.add(f(6))
		steps := func(yield func(int, step) bool) {
			_ = yield(0, func(n int) int { return n + 100 }) && yield(1, func(n int) int { return n + 200 })
		}
		for _, f = range steps {
			r.add(f(7))
		}
		r.add(f(8))
		c := make(chan step, 1)
		c <- incremented
		close(c)
		for f = range c {
		}
		r.add(f(9))
		return r.text()
	},
	"channels": func() string {
		var r result
		f, ok := func(n int) int { return n + 1 }, false
		c := make(chan step, 4)
		c <- func(n int) int { return n * 2 }
		c <- func(n int) int { return n * 3 }
		r.add(f(5))
		f = <-c
		r.add(f(5))
		f, ok = <-c
		r.add(f(5), ok)
		close(c)
		if f, ok = <-c; !ok {
			r.add(f == nil, try(func() { f(1) }))
		}
		return r.text()
	},
	"select": func() string {
		var r result
		f, ok := func(n int) int { return n + 1 }, false
		c, d := make(chan step, 1), make(chan step, 1)
		for i := range 4 {
			switch i {
			case 0, 3:
				c <- func(n int) int { return n * (i + 10) }
			case 1:
				d <- func(n int) int { return n - i }
			}
			select {
			case f = <-c:
			case f, ok = <-d:
			default:
				r.add("none")
			}
			r.add(f(i), ok)
		}
		return r.text()
	},
	"maps": func() string {
		var r result
		m := map[string]step{"a": func(n int) int { return n * 2 }, "nil": nil}
		f, ok := func(n int) int { return n + 1 }, false
		r.add(f(1))
		f = m["a"]
		r.add(f(1))
		f = func(n int) int { return n + 3 }
		f, ok = m["a"]
		r.add(f(1), ok)
		f = func(n int) int { return n + 4 }
		f, ok = m["none"]
		r.add(f == nil, ok)
		return r.text()
	},
	"assertions": func() string {
		var r result
		var x any = step(func(n int) int { return n * 2 })
		f, ok := func(n int) int { return n + 1 }, false
		r.add(f(1))
		f = x.(step)
		r.add(f(1))
		f = func(n int) int { return n + 3 }
		f, ok = x.(step)
		r.add(f(1), ok)
		x = 7
		f = func(n int) int { return n + 4 }
		f, ok = x.(step)
		r.add(f == nil, ok)
		x = step(incremented)
		switch g := x.(type) {
		case step:
			f, x = g, nil
		}
		r.add(f(1), x)
		return r.text()
	},
	"pointers": func() string {
		var r result
		f := func(n int) int { return n + 1 }
		r.add(f(1))
		p := &f
		*p = func(n int) int { return n * 2 }
		r.add(f(1), (*p)(2))
		set := func(p *step, g step) { *p = g }
		for i := range 3 {
			set(&f, func(n int) int { return n - i })
			r.add(f(10))
		}
		h := struct{ f, g step }{f: func(n int) int { return n + 5 }}
		h.g = h.f
		h.f = f
		r.add(h.f(1), h.g(1))
		fs := [2]step{func(n int) int { return n + 6 }}
		fs[1] = fs[0]
		fs[0] = h.g
		r.add(fs[0](1), fs[1](1))
		return r.text()
	},
	"closures": func() string {
		var r result
		f := func(n int) int { return n + 1 }
		change := func(k int) { f = func(n int) int { return n * k } }
		for i := range 3 {
			r.add(f(5))
			change(i + 2)
		}
		func() { f = incremented }()
		r.add(f(5))
		g := f
		outer := func() int {
			inner := func() { f = g }
			f = func(n int) int { return -n }
			x := f(3)
			inner()
			return x + f(3)
		}
		r.add(outer(), f(3))
		defer func() { f = nil }()
		var wait sync.WaitGroup
		wait.Go(func() { f = func(n int) int { return n + 50 } })
		wait.Wait()
		r.add(f(3))
		return r.text()
	},
	"loops over functions": func() string {
		var r result
		up := func(yield func(int) bool) { _ = yield(1) && yield(2) && yield(3) }
		down := func(yield func(int) bool) { _ = yield(-1) && yield(-2) }
		f := up
		for range 3 {
			for v := range f {
				r.add(v)
				f = down // the loop goes on with the function it began with
			}
		}
		body := func(n int) int { return n }
		for v := range up {
			r.add(body(v))
			if v == 2 {
				body = func(n int) int { return n * 1000 }
			}
		}
		return r.text()
	},
	"clauses of for statements": func() string {
		var r result
		var kept []func() int
		i := 0
		for f := func(n int) int { return n + 1 }; i < 4; f = func(n int) int { return n * (i + 10) } {
			i++
			kept = append(kept, func() int { return f(i) })
			r.add(f(2))
		}
		f := incremented
		for f = func(n int) int { return n * 2 }; f(i) > 0; f, i = func(n int) int { return n - 5 }, i-1 {
			r.add(f(i))
		}
		r.add(f(i))
		for _, g := range kept {
			r.add(g())
		}
		return r.text()
	},
	"jumps": func() string {
		var r result
		i := 0
		f := func(n int) int { return n + 1 }
	again:
		r.add(f(i))
		if i++; i < 3 {
			f = func(n int) int { return n * (i + 7) }
			goto again
		}
		n := 0
	over:
		g := func(n int) int { return n + 10 }
		r.add(g(n))
		if n++; n < 2 {
			g = incremented
			r.add(g(n))
			goto over
		}
		r.add(g(n))
	outer:
		for {
			for {
				f = func(n int) int { return n + 20 }
				if n++; n > 3 {
					break outer
				}
				continue outer
			}
		}
		r.add(f(n))
		return r.text()
	},
	"parameters and results": func() string {
		var r result
		apply := func(f step, n int) (g step, m int) {
			g = func(n int) int { return n + 1 }
			m = f(n) + g(n)
			f = func(n int) int { return n * 100 }
			defer func() { g, m = f, m+g(1)+f(1) }()
			return func(n int) int { return n * 3 }, m + f(n)
		}
		f, m := apply(func(n int) int { return n - 1 }, 5)
		r.add(f(2), m)
		return r.text()
	},
	"nil and recursion": func() string {
		var r result
		f := func(n int) int { return n + 1 }
		r.add(f(1))
		f = nil
		r.add(try(func() { r.add(f(1)) }))
		var fact step
		fact = func(n int) int {
			if n < 2 {
				return 1
			}
			return n * fact(n-1)
		}
		g := fact
		r.add(fact(5))
		fact = incremented
		r.add(g(5), fact(5))
		return r.text()
	},
}
