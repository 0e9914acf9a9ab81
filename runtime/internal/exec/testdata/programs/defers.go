// Deferred calls and recover.

package programs

import (
	"errors"
	"fmt"
	"runtime"
)

func named(mode int) (x int, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("recovered %v", v)
			x = -x
		}
	}()
	x = 7
	switch mode {
	case 0:
		return 1, nil
	case 1:
		panic("one")
	case 2:
		var p *point
		p.X = 1
	case 3:
		return 3, errors.New("three")
	}
	x = 9
	return
}

func rethrow() {
	defer func() {
		v := recover()
		panic(fmt.Sprint("again ", v))
	}()
	panic("first")
}

func helper() any { return recover() }

// Defers are the programs of this file.
var Defers = map[string]func() string{
	"results": func() string {
		var r result
		for mode := range 5 {
			r.add(named(mode))
		}
		return r.text()
	},
	"order and arguments": func() string {
		var r result
		func() {
			for i := range 4 {
				defer r.add("loop", i)
				defer func() { r.add("literal", i) }()
			}
			x := 1
			defer r.add("x", x)
			x = 2
			defer func(y int) { r.add("y", x, y) }(x)
			x = 3
		}()
		return r.text()
	},
	"panics replace panics": func() string {
		var r result
		r.add(try(rethrow))
		r.add(try(func() {
			defer panic("second")
			panic("first")
		}))
		r.add(try(func() {
			defer func() { r.add(recover()) }()
			defer func() { panic("inner") }()
			panic("outer")
		}))
		return r.text()
	},
	"recover only in deferred functions": func() string {
		var r result
		r.add(recover(), helper())
		r.add(try(func() {
			defer func() { func() { r.add(recover()) }() }()
			panic("nested")
		}))
		r.add(try(func() {
			defer func() { r.add(helper()) }()
			panic("called")
		}))
		r.add(try(func() {
			defer helper()
			panic("direct")
		}))
		return r.text()
	},
	"continue after recover": func() string {
		var r result
		for i := range 4 {
			func() {
				defer func() {
					if e, ok := recover().(runtime.Error); ok {
						r.add(i, e.Error())
					}
				}()
				r.add([]int{1, 2}[i])
			}()
		}
		return r.text()
	},
	"methods and predeclared functions": func() string {
		var r result
		m := map[int]int{1: 1, 2: 2}
		c := make(chan int, 1)
		n := &counterOfDefers{&r, 5}
		func() {
			defer delete(m, 1)
			defer close(c)
			defer n.show("value")
			defer n.add(3)
			n.n = 10
		}()
		_, open := <-c
		r.add(m, open, n.n)
		r.add(try(func() { var f func(); defer f(); r.add("before") }))
		return r.text()
	},
	"in loops over functions": func() string {
		var r result
		three := func(yield func(int) bool) {
			for i := range 3 {
				if !yield(i) {
					return
				}
			}
		}
		func() {
			for i := range three {
				defer r.add("deferred", i)
				r.add("body", i)
			}
			r.add("after")
		}()
		return r.text()
	},
	"goexit of a panic value that is an error": func() string {
		err := errors.New("value")
		var got any
		func() {
			defer func() { got = recover() }()
			panic(err)
		}()
		return fmt.Sprint(got == err, got)
	},
}

type counterOfDefers struct {
	r *result
	n int
}

func (c counterOfDefers) show(s string) { c.r.add(s, c.n) }
func (c *counterOfDefers) add(n int)    { c.n += n; c.r.add("add", c.n) }
