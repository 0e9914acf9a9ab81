// Structs.

package programs

import (
	"fmt"
	"strings"
)

type inner struct {
	A byte
	B [2]int16
}

type middle struct {
	inner
	C string
	D *inner
}

type outer struct {
	F bool
	middle
	G []inner
	H any
}

func (i *inner) bump()        { i.A++; i.B[1] += 2 }
func (m middle) name() string { return m.C + fmt.Sprint(m.A) }

// Structs are the programs of this file.
var Structs = map[string]func() string{
	"fields at all depths": func() string {
		o := outer{true, middle{inner{1, [2]int16{2, 3}}, "c", &inner{A: 9}}, []inner{{A: 4}, {}}, nil}
		o.A += 10
		o.B[1] = 30
		o.D.A--
		o.G[1].B[0] = 7
		o.middle.inner.B[0]++
		o.bump()
		o.D.bump()
		o.G[0].bump()
		o.H = o.inner
		copied := o
		copied.A, copied.D.A, copied.G[0].A = 100, 101, 102
		return fmt.Sprintf("%v %v %v %v %v %v %v", o.inner, *o.D, o.G, o.H, o.name(), copied.inner, copied.F)
	},
	"comparison": func() string {
		type key struct {
			N int
			S string
			P *int
			I any
			A [2]float64
		}
		n := 1
		a, b := key{1, "s", &n, 2, [2]float64{1}}, key{1, "s", &n, 2, [2]float64{1}}
		c := b
		c.I = 2.0
		_, blank := struct{ _ int }{}, 0
		same := fmt.Sprint(a == b, a != c, c == key{}, struct{}{} == struct{}{}, blank)
		return same + try(func() { a.I, b.I = []int{}, []int{}; c.N += map[bool]int{a == b: 1}[true] })
	},
	"assignment copies": func() string {
		p := &point{1, 2}
		q := *p
		*p = point{q.Y, q.X}
		list := []point{q, *p}
		for _, x := range list {
			x.X = 50
		}
		for i := range list {
			list[i].X *= 3
		}
		m := map[string]point{"a": list[0]}
		x := m["a"]
		x.X = -1
		array := [2]point{x, m["a"]}
		array[0], array[1] = array[1], array[0]
		return fmt.Sprint(*p, q, list, m, array)
	},
	"swapped parts": func() string {
		a, b := middle{C: "a", D: &inner{A: 1}}, middle{C: "b", D: &inner{A: 2}}
		a, b = b, a
		a.D, b.D = b.D, a.D
		*a.D, *b.D = *b.D, *a.D
		a.inner, b.C = *a.D, a.C+b.C
		return fmt.Sprint(a.C, b.C, *a.D, *b.D, a.inner)
	},
	"lists": func() string {
		type cell struct {
			value int
			next  *cell
		}
		var head *cell
		for i := range 10 {
			head = &cell{i, head}
		}
		var reversed *cell
		for head != nil {
			head, head.next, reversed = head.next, reversed, head
		}
		var b strings.Builder
		for c := reversed; c != nil; c = c.next {
			b.WriteString(fmt.Sprint(c.value))
		}
		return b.String()
	},
	"empty": func() string {
		var a [3]struct{}
		m := map[struct{}]int{}
		m[struct{}{}]++
		c := make(chan struct{}, 3)
		c <- a[0]
		n := 0
		for range a {
			n++
		}
		return fmt.Sprint(len(a), m, len(c), n, any(struct{}{}) == any(a[1]))
	},
	"new": func() string {
		p, q, n := new(point), new(int), new([3]string)
		p.X = 3
		*q += 4
		n[2] = "z"
		return fmt.Sprint(*p, *q, *n, *new(string) == "")
	},
}
