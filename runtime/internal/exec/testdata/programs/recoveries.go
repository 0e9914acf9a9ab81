// Panics that are recovered: where, by whom, and with what values and results.

package programs

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// recovered returns the value of a panic with its type, and whether it is a run-time error.
func recovered(f func()) (text string) {
	defer func() {
		v := recover()
		e, ok := v.(runtime.Error)
		text = fmt.Sprintf("%T %v %v", v, v, ok)
		if ok {
			text += " " + e.Error()
		}
	}()
	f()
	return "none"
}

type trail struct{ steps []string }

func (t *trail) step(s string)     { t.steps = append(t.steps, s) }
func (t *trail) recovers(s string) { t.step(fmt.Sprint(s, " ", recover())) }
func (t trail) copies(s string)    { t.steps[0] = s }

func nested(depth int, t *trail) (n int, err error) {
	defer func() {
		if v := recover(); v != nil {
			t.step(fmt.Sprint("depth ", depth, " ", v))
			n, err = -depth, fmt.Errorf("depth %d: %v", depth, v)
			if depth%2 == 1 {
				panic(err)
			}
		}
	}()
	if depth == 0 {
		var m map[string]int
		m["x"]++
	}
	n, err = nested(depth-1, t)
	return n + 10, err
}

func assertion[T any](v any) func() { return func() { _ = v.(T) } }

type spelled string

func (s spelled) String() string { return string(s) }

type withFunction struct {
	f func()
	n int
}

// Recoveries are the programs of this file.
var Recoveries = map[string]func() string{
	"texts of run-time errors": func() string {
		var r result
		zero, two, minus, s := 0, 2, -1, []int{1, 2, 3}
		var p *point
		var m map[string]map[string]int
		var c chan int
		var f func(int) int
		var e error
		for _, g := range []func(){
			func() { _ = 1 / zero }, func() { _ = 1 % zero }, func() { _ = s[two+1] }, func() { _ = s[minus] }, func() { _ = s[two:1] }, func() { _ = s[:two*2] }, func() { _ = s[two:minus] },
			func() { _ = s[two:][two] }, func() { _ = s[0 : 1 : two*2] }, func() { _ = s[two:1:two] }, func() { _ = "abc"[two+1:] }, func() { _ = "abc"[two:1] }, func() { _ = [4]int(s) },
			func() { p.X++ }, func() { m["a"]["b"] = 1 }, func() { close(c) }, func() { f(1) }, func() { _ = e.Error() }, func() { _ = make([]int, minus) }, func() { _ = make([]int, two, 1+zero) },
			func() { _ = 1 << minus }, func() { panic(nil) }, func() { panic(error(nil)) }, func() { panic(fmt.Sprint(two)) }, func() { panic(&failure{two}) }, func() { panic(point{1, 2}) },
			func() { _ = map[any]int{s: 1} }, func() { _ = any(s) == any(s) }, func() { _ = any(withFunction{}) == any(withFunction{}) }, func() { _ = map[any]int{1: 1}[[1]func(){}] }, func() { _ = [1]any{s} == [1]any{s} },
			assertion[int]("s"), assertion[string](nil), assertion[error](1), assertion[fmt.Stringer](errors.New("e")), assertion[*point](point{}), assertion[point](&point{}), assertion[map[string][]int](s),
			assertion[interface {
				M()
				N()
			}](spelled("x")), assertion[func(int) string](func(int) int { return 0 }), assertion[struct{ A int }](struct{ B int }{1}), assertion[chan<- int](make(chan int)),
		} {
			r.add(recovered(g))
		}
		return r.text()
	},
	"results after recover": func() string {
		var r result
		for depth := range 5 {
			var t trail
			r.add(try(func() { r.add(nested(depth, &t)) }), strings.Join(t.steps, "; "))
		}
		return r.text()
	},
	"who may recover": func() string {
		var r result
		t := trail{[]string{"start"}}
		r.add(try(func() { defer t.recovers("method"); panic("a") }), try(func() { f := t.recovers; defer f("method value"); panic("b") }))
		r.add(try(func() { defer (*trail).recovers(&t, "method expression"); panic("c") }), try(func() { defer func() { t.recovers("called") }(); panic("d") }))
		r.add(try(func() { var i interface{ recovers(string) } = &t; defer i.recovers("interface"); panic("e") }))
		r.add(try(func() { defer func() { defer t.recovers("deferred twice") }(); panic("f") }), try(func() { defer recover(); panic("g") }))
		r.add(try(func() { defer func() { recover() }(); defer func() { panic("second") }(); panic("first") }))
		r.add(try(func() { defer t.copies("copied"); defer func() { t.steps = []string{"replaced"} }(); panic("h") }), t.steps)
		func() {
			defer func() { r.add(recover(), recover()) }()
			defer func() { r.add("inner", func() any { return recover() }()) }()
			panic("i")
		}()
		return r.text()
	},
	"loops, defers and closures": func() string {
		var r result
		f := func(n int) (out []int) {
			for i := range n {
				defer func() {
					if v := recover(); v != nil {
						out = append(out, i, v.(int))
						if i > n-3 {
							panic(i * 100)
						}
					}
				}()
			}
			out = []int{n}
			panic(n)
		}
		for n := range 6 {
			r.add(try(func() { r.add(f(n)) }))
		}
		x := 0
		func() {
			defer func() { x++; recover(); x *= 2 }()
			for {
				x++
				_ = []int{1, 2, 3}[x]
			}
		}()
		r.add(x)
		return r.text()
	},
	"the end of a goroutine": func() string {
		var r result
		done := make(chan string)
		for i := range 4 {
			go func() {
				var t trail
				defer func() { done <- strings.Join(t.steps, "; ") }()
				defer t.recovers("last")
				defer func() {
					if i == 1 {
						panic("replaces")
					}
				}()
				func() {
					defer t.step(fmt.Sprint("inner ", i))
					if i%2 == 0 {
						runtime.Goexit()
					}
					panic(i)
				}()
				t.step("never")
			}()
			r.add(<-done)
		}
		return r.text()
	},
	"errors that wrap": func() string {
		var r result
		inner := &failure{7}
		var e error = fmt.Errorf("outer %w", inner)
		func() {
			defer func() {
				err, _ := recover().(error)
				var f *failure
				r.add(errors.As(err, &f), f == inner, errors.Is(err, inner), err)
			}()
			panic(e)
		}()
		func() {
			defer func() {
				err, _ := recover().(error)
				var f runtime.Error
				r.add(errors.As(fmt.Errorf("wrapped: %w", err), &f), f)
			}()
			_ = []int{}[len(r.lines)]
		}()
		return r.text()
	},
}
