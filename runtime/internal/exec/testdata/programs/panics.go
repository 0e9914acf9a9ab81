// Run-time errors.

package programs

import (
	"errors"
	"fmt"
	"runtime"
)

type stringer struct{ s string }

func (s stringer) String() string { return s.s }

// Panics are the programs of this file.
var Panics = map[string]func() string{
	"nil pointers": func() string {
		var r result
		var p *point
		var f *failure
		var n *node2
		var a *[3]int
		var e error
		r.add(try(func() { r.add(p.X) }), try(func() { p.Y = 1 }), try(func() { r.add(*p) }), try(func() { *p = point{} }), try(func() { r.add(&p.Y) }))
		r.add(try(func() { r.add(f.Error()) }), try(func() { r.add(n.next.next.v) }), try(func() { r.add(a[1]) }), try(func() { a[1]++ }), try(func() { r.add(e.Error()) }))
		r.add(try(func() { r.add(len(a)) }), try(func() {
			for i := range a {
				r.add(i)
			}
		}), try(func() {
			for _, x := range a {
				r.add(x)
			}
		}), try(func() { r.add(a[:]) }))
		return r.text()
	},
	"division by zero": func() string {
		var r result
		zero, small := 0, uint8(0)
		r.add(try(func() { r.add(1 / zero) }), try(func() { r.add(5 % small) }), try(func() { x := int16(3); x /= int16(zero) }))
		r.add(try(func() { r.add(1.0 / float64(zero)) }))
		return r.text()
	},
	"assertions": func() string {
		var r result
		for _, v := range []any{nil, 1, "s", point{}, &failure{1}, stringer{"x"}, []int(nil)} {
			r.add(try(func() { r.add(v.(int)) }), try(func() { r.add(v.(string)) }), try(func() { r.add(v.(error)) }), try(func() { r.add(v.(fmt.Stringer).String()) }), try(func() { r.add(v.(point)) }), try(func() {
				r.add(v.(interface {
					String() string
					Other()
				}))
			}))
		}
		return r.text()
	},
	"comparisons": func() string {
		var r result
		for _, v := range []any{1, []int{}, map[int]int{}, func() {}, struct{ F func() }{}, [1]any{[]int{}}} {
			r.add(try(func() { w := v; r.add(v == w) }), try(func() { r.add(v == any(1)) }))
		}
		return r.text()
	},
	"values": func() string {
		var r result
		for _, v := range []any{1, "s", 1.5, point{1, 2}, &failure{2}, errors.New("e"), stringer{"x"}} {
			r.add(try(func() { panic(v) }))
		}
		r.add(try(func() { panic(nil) }), try(func() { panic(error(nil)) }))
		return r.text()
	},
	"are runtime errors": func() string {
		var r result
		check := func(f func()) {
			defer func() {
				v := recover()
				_, ok := v.(runtime.Error)
				_, is := v.(error)
				r.add(ok, is)
			}()
			f()
		}
		check(func() { panic(1) })
		check(func() { panic(&failure{}) })
		check(func() { r.add([]int{}[len(r.lines)]) })
		check(func() { var m map[int]int; m[1] = 1 })
		check(func() { var v any = 1; r.add(v.(string)) })
		return r.text()
	},
	"channels": func() string {
		var r result
		c, none := make(chan int, 1), (chan int)(nil)
		close(c)
		r.add(try(func() { close(c) }), try(func() { c <- 1 }), try(func() { close(none) }))
		r.add(try(func() {
			select {
			case c <- 1:
			default:
			}
		}))
		return r.text()
	},
	"leave operations half done": func() string {
		var r result
		s, i := []int{1, 2, 3}, 0
		r.add(try(func() { i, s[5] = 9, 9 }), i, s)
		r.add(try(func() { s[i], s[2], s[7] = 4, 5, 6 }), s)
		m := map[string]int{}
		r.add(try(func() { m["a"] = s[9] }), m, try(func() { m["a"] += 1 / len(m) }), m)
		return r.text()
	},
}

type node2 struct {
	next *node2
	v    int
}
