// Range statements.

package programs

import "fmt"

// Ranges are the programs of this file.
var Ranges = map[string]func() string{
	"integers": func() string {
		var r result
		n := 3
		for i := range n {
			n++
			i *= 10
			r.add(i, n)
		}
		for i := range uint8(3) {
			r.add(fmt.Sprintf("%T %d", i, i))
		}
		var k int8
		for k = range 5 {
		}
		for range -3 {
			r.add("never")
		}
		for range n {
			k++
		}
		r.add(k)
		return r.text()
	},
	"slices": func() string {
		var r result
		s := []int{1, 2, 3}
		for i, x := range s {
			s = append(s, x*10)
			s[2] = 50
			r.add(i, x)
		}
		for i := range s {
			s[i] += i
		}
		for _, x := range s[:2] {
			x++
			r.add(x)
		}
		for i, x := range []point{{1, 2}, {3, 4}} {
			r.add(i, x.X, x.Y)
		}
		for range []int(nil) {
			r.add("never")
		}
		r.add(s)
		return r.text()
	},
	"arrays": func() string {
		var r result
		a := [3]int{1, 2, 3}
		for i, x := range a {
			a[2] = 100
			r.add(i, x)
		}
		for i, x := range &a {
			a[2] = 200
			r.add(i, x)
		}
		for i := range a {
			r.add(i)
		}
		var none *[4]int
		for i := range none {
			r.add(i)
		}
		return r.text()
	},
	"strings": func() string {
		var r result
		for _, s := range []string{"plain", "grüße 世", "a\xffb", "", "\xe4\xb8"} {
			for i, c := range s {
				r.add(i, c, string(c))
			}
			for i := range s {
				r.add(i)
			}
		}
		return r.text()
	},
	"maps": func() string {
		sum, count := 0, 0
		m := map[string]int{}
		for i := range 50 {
			m[fmt.Sprint(i)] = i
		}
		for k, v := range m {
			sum += v + len(k)
		}
		for k := range m {
			count += len(k)
		}
		for range m {
			count++
		}
		return fmt.Sprint(sum, count)
	},
	"places": func() string {
		var list [4]int
		m := map[string]int{}
		p := &point{}
		for list[0], list[1] = range []int{7, 8, 9} {
		}
		for p.X, m["v"] = range []int{4, 5} {
		}
		for m["k"] = range 6 {
		}
		return fmt.Sprint(list, m, *p)
	},
	"channels": func() string {
		c := make(chan string, 3)
		c <- "a"
		c <- "b"
		close(c)
		s := ""
		for x := range c {
			s += x
		}
		return s
	},
	"functions": func() string {
		var r result
		count := func(n int) func(func(int, string) bool) {
			return func(yield func(int, string) bool) {
				defer r.add("end of", n)
				for i := range n {
					if !yield(i, fmt.Sprint("v", i)) {
						r.add("stopped at", i)
						return
					}
				}
			}
		}
		for i, s := range count(2) {
			r.add(i, s)
		}
		find := func(x int) string {
			for i, s := range count(5) {
				for j := range count(3) {
					if i == 1 && j == 1 {
						break
					}
					if i == 2 {
						continue
					}
					if i*j == x {
						return s
					}
				}
			}
			return "none"
		}
		r.add(find(3), find(4), find(100))
	outer:
		for i := range count(4) {
			for j := range count(4) {
				switch {
				case j == 1:
					continue outer
				case i == 2:
					break outer
				}
				r.add(i, j)
			}
		}
		none := func(yield func() bool) { _ = yield() && yield() }
		n := 0
		for range none {
			n++
		}
		r.add(n)
		return r.text()
	},
	"functions that misbehave": func() string {
		var r result
		var kept func(int) bool
		r.add(try(func() {
			for x := range func(yield func(int) bool) { kept = yield; yield(1) } {
				r.add(x)
			}
		}))
		r.add(try(func() { kept(2) }))
		r.add(try(func() {
			for range func(yield func() bool) { yield(); yield() } {
				break
			}
		}))
		r.add(try(func() {
			for range func(yield func() bool) { defer func() { recover() }(); yield() } {
				panic("lost")
			}
		}))
		r.add(try(func() {
			for range func(yield func() bool) { yield() } {
				panic("kept")
			}
		}))
		return r.text()
	},
}
