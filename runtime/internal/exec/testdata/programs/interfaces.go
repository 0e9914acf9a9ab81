// Interfaces and type switches.

package programs

import (
	"errors"
	"fmt"
)

type shape interface {
	area() float64
	fmt.Stringer
}

type square struct{ side float64 }

func (s square) area() float64  { return s.side * s.side }
func (s square) String() string { return fmt.Sprint("square ", s.side) }

type disc float64

func (d *disc) area() float64  { return float64(*d) * 3 }
func (d *disc) String() string { return fmt.Sprint("disc ", float64(*d)) }

type tagged struct {
	shape
	*counter2
	tag string
}

type counter2 struct{ n int }

func (c *counter2) inc() int { c.n++; return c.n }

type small int8

func (s small) String() string { return fmt.Sprintf("small(%d)", int8(s)) }

type list []int

func (l list) Len() int { return len(l) }

type function func(int) int

func (f function) Apply(n int) int { return f(n) }

func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case int, int8:
		return fmt.Sprintf("integer %v", x)
	case string:
		return "string " + x
	case []int:
		return fmt.Sprint("slice ", len(x))
	case func() int:
		return fmt.Sprint("function ", x())
	case error:
		return "error " + x.Error()
	case shape:
		return fmt.Sprint("shape ", x.area())
	case fmt.Stringer:
		return "stringer " + x.String()
	case *int:
		return fmt.Sprint("pointer ", *x)
	case map[string]int, chan int:
		return fmt.Sprintf("%T", x)
	case struct{ A int }:
		return fmt.Sprint("struct ", x.A)
	default:
		return fmt.Sprintf("other %T", v)
	}
}

// Interfaces are the programs of this file.
var Interfaces = map[string]func() string{
	"values of one pointer beside fields without size": func() string {
		type none struct{}
		n := 7
		type first struct {
			a [2]none
			p *int
		}
		type last struct {
			m    map[string]int
			none none
			_    [0]func()
		}
		type outer struct {
			none
			in [1]first
		}
		values := []any{first{p: &n}, last{m: map[string]int{"k": 1}}, outer{in: [1]first{{p: &n}}}, [1]outer{{in: [1]first{{p: &n}}}}}
		text := fmt.Sprint(*values[0].(first).p, values[1], *values[2].(outer).in[0].p, *values[3].([1]outer)[0].in[0].p)
		f, ok := values[0].(first)
		return fmt.Sprint(text, *f.p, ok, values[1].(last).m["k"], values[0] == any(first{p: &n}))
	},
	"type switches": func() string {
		var r result
		n := 5
		d := disc(2)
		for _, v := range []any{nil, 1, int8(2), int16(3), "s", []int{1}, func() int { return 4 }, errors.New("e"), square{2}, &d, small(6), &n, map[string]int{}, make(chan int), struct{ A int }{8}, point{}, 1.5, list{1}, [0]int{}} {
			r.add(describe(v))
		}
		switch v := any(n).(type) {
		case int:
			v++
			n = v
			fallthroughless(&r, v)
		}
		switch any(n).(type) {
		}
		r.add(n)
		return r.text()
	},
	"dynamic calls": func() string {
		var r result
		d := disc(3)
		for _, s := range []shape{square{2}, &d, &square{3}, tagged{shape: square{4}}, &tagged{&d, &counter2{}, "t"}} {
			r.add(s.area(), s.String(), s)
			f := s.area
			d++
			r.add(f())
		}
		return r.text()
	},
	"embedding": func() string {
		t := tagged{square{1}, &counter2{}, "x"}
		u := t
		t.inc()
		f := u.inc
		var i interface{ inc() int } = t
		return fmt.Sprint(f(), i.inc(), t.n, u.counter2.n, t.area(), t.tag, try(func() { tagged{}.inc() }), try(func() { tagged{}.area() }))
	},
	"values of every class": func() string {
		var r result
		for _, v := range []any{true, small(3), uint16(4), 5.5, 2i, "s", list{1, 2}, function(func(n int) int { return n * 2 }), [2]string{"a"}, point{1, 2}, &point{3, 4}} {
			_, stringer := v.(fmt.Stringer)
			l, lener := v.(interface{ Len() int })
			if lener {
				r.add(l.Len())
			}
			if f, ok := v.(interface{ Apply(int) int }); ok {
				r.add(f.Apply(21))
				continue
			}
			if _, pointer := v.(*point); !pointer {
				r.add(v, stringer)
			}
		}
		return r.text()
	},
	"comparison": func() string {
		var r result
		var e error
		var p *failing
		a, b := any(1), any(int8(1))
		r.add(a == 1, a == b, e == nil, error(p) == nil, any(p) == any((*failing)(nil)), any(point{1, 2}) == any(point{1, 2}), any("a") != any("b"))
		e = p
		r.add(e == p, e != nil, try(func() { r.add(e.Error()) }))
		return r.text()
	},
	"conversion between interfaces": func() string {
		var s shape = square{2}
		var f fmt.Stringer = s
		var a any = f
		_, back := f.(shape)
		_, no := a.(error)
		var none shape
		var empty any = none
		_, ok := empty.(fmt.Stringer)
		return fmt.Sprint(f, a, back, no, empty == nil, ok, a.(square).side)
	},
	"errors": func() string {
		err := fmt.Errorf("wrapped: %w", &failing{3})
		var f *failing
		return fmt.Sprint(errors.As(err, &f), f.code, errors.Is(err, f), err)
	},
}

type failing struct{ code int }

func (f *failing) Error() string { return fmt.Sprint("failing ", f.code) }

func fallthroughless(r *result, n int) { r.add("int", n) }
