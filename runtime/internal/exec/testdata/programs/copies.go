// Copies of structs and arrays of every size, with and without pointers.

package programs

import "fmt"

type (
	size1  struct{ a uint8 }
	size2  struct{ a, b uint8 }
	size3  [3]uint8
	size4  struct{ a uint32 }
	size5  [5]int8
	size6  struct{ a, b, c uint16 }
	size7  [7]byte
	size8  struct{ a float64 }
	size9  [9]bool
	size12 [3]float32
	size16 struct {
		a int64
		b uint8
	}
	size17 [17]byte
	size24 struct {
		s string
		p *int
	}
	size32 [2]any
	size40 struct {
		size24
		n complex128
	}
	size48  [3]string
	size80  [10]int
	size136 struct {
		head size1
		list [4]size24
		tail []int
	}
	size800 [100]int
	single  struct{ p *int }
	boxed   struct{ v [1]any }
	tables1 [1]map[string]int
	empty   struct{}
	// padded has bytes between its fields that no comparison may look at.
	padded struct {
		a uint8
		b uint32
		_ uint16
		c uint8
	}
)

func passedTwo[T any](v, w T) (T, T)  { return w, v }
func passedNamed[T any](v T) (out T)  { defer func() { out = v }(); return }
func replaced[T any](v, w T) T        { v = w; return v }
func throughPointer[T any](p *T, v T) { *p = v }
func swappedBy[T any](p, q *T)        { *p, *q = *q, *p }

type cellOf[T any] struct {
	before uint8
	v      T
	after  uint8
}

func (c cellOf[T]) get() T                  { return c.v }
func (c *cellOf[T]) set(v T)                { c.v = v }
func (c cellOf[T]) with(v T) cellOf[T]      { c.v = v; return c }
func (c *cellOf[T]) exchange(v T) (old T)   { old, c.v = c.v, v; return }
func (c *cellOf[T]) guarded() (uint8, bool) { return c.before, c.before == c.after }

// copied moves two values through places of every kind. The results name the places whose value is
// not the one that was stored there.
func copied[T comparable](a, b T) string {
	wrong := ""
	check := func(place string, got, want T) {
		if got != want {
			wrong += fmt.Sprint(place, ": ", got, " is not ", want, "\n")
		}
	}
	x, y := a, b
	x, y = y, x
	check("x", x, b)
	check("y", y, a)
	var zero T
	z := zero
	z = x
	check("z", z, b)

	array := [3]T{a, b, a}
	other := array
	array[0], array[1] = array[1], array[0]
	check("array", array[0], b)
	check("other", other[0], a)
	i := 1
	array[i+1] = array[i-1]
	check("array end", array[2], b)
	slice := []T{a}
	slice = append(slice, b, slice[0])
	slice = append(slice, slice[1:]...)
	check("slice", slice[3], b)
	check("slice end", slice[len(slice)-1], a)
	copy(slice[1:], slice)
	check("slice after copy", slice[1], a)
	check("slice after copy", slice[2], b)

	c := cellOf[T]{7, a, 7}
	d := c
	c.v = b
	check("field", c.v, b)
	check("field of the copy", d.v, a)
	check("method", c.get(), b)
	c.set(a)
	check("method with a pointer", c.v, a)
	check("method with a copy", c.with(b).v, b)
	check("exchange", c.exchange(b), a)
	check("after the exchange", c.v, b)
	list := []cellOf[T]{c, {v: a}, d}
	list[1], list[2] = list[2], list[1]
	list[0].v = list[1].get()
	check("list", list[0].v, a)
	check("list end", list[2].v, a)
	for n, e := range list {
		e.v = b
		check("range", list[n].v, a)
		check("range copy", e.v, b)
	}
	if n, same := c.guarded(); n != 7 || !same {
		wrong += "the fields around have changed\n"
	}

	p, q := &x, new(T)
	*q = *p
	check("pointer", *q, b)
	*p = a
	check("variable", x, a)
	swappedBy(p, q)
	check("swapped", x, b)
	throughPointer(p, *q)
	check("through a pointer", x, a)
	*p = *p
	check("itself", x, a)
	*p = passed(*p)
	check("itself passed", x, a)
	pp := &p
	**pp = b
	check("pointer to a pointer", x, b)

	check("call", passed(a), a)
	m, n := passedTwo(a, b)
	check("first result", m, b)
	check("second result", n, a)
	m, n = passedTwo(passedTwo(m, n))
	check("results passed on", m, b)
	check("named", passedNamed(b), b)
	check("replaced", replaced(a, b), b)
	slice[0], array[1] = passedTwo(a, b)
	check("element", slice[0], b)
	check("element of the array", array[1], a)

	table := map[int]T{1: a}
	table[2] = table[1]
	table[1] = b
	check("entry", table[2], a)
	check("absent entry", table[3], zero)
	keys := map[T]int{a: 1, b: 2}
	keys[a]++
	if keys[a] != 2 && a != b || len(keys) > 2 {
		wrong += fmt.Sprint("keys: ", keys, "\n")
	}
	v, ok := table[1]
	if check("entry and ok", v, b); !ok {
		wrong += "no entry\n"
	}
	channel := make(chan T, 2)
	channel <- a
	channel <- table[1]
	check("channel", <-channel, a)
	v, ok = <-channel
	if check("channel and ok", v, b); !ok {
		wrong += "closed\n"
	}
	close(channel)
	check("closed channel", <-channel, zero)

	var held any = a
	a1 := held.(T)
	check("interface", a1, a)
	held = b
	check("interface value", a1, a)
	v, ok = held.(T)
	if check("assertion and ok", v, b); !ok || held != any(b) {
		wrong += "another dynamic type\n"
	}
	_, ok = any(0i).(T)
	if v, _ = any(nil).(T); ok {
		wrong += "a complex number\n"
	}
	check("failed assertion", v, zero)
	switch held := held.(type) {
	case T:
		check("type switch", held, b)
	}

	captured := a
	get := func() T { return captured }
	set := func(v T) { captured = v }
	set(b)
	check("captured", get(), b)
	constant := func() T { return a }
	check("captured copy", constant(), a)
	nested := [2][2]T{{a, b}, {b, a}}
	nested[0] = nested[1]
	nested[1][1] = nested[0][0]
	check("nested", nested[0][1], a)
	check("nested end", nested[1][1], b)
	function := func() [2][2]T { return nested }
	check("part of a result", function()[0][1], a)
	check("field of a result", func() cellOf[T] { return list[1] }().v, a)
	if wrong == "" {
		return "ok"
	}
	return wrong
}

// Copies are the programs of this file.
var Copies = map[string]func() string{
	"of numbers": func() string {
		return copied(true, false) + copied[int8](-1, 2) + copied[uint16](65535, 1) + copied[int32](-5, 1<<30) + copied[uint64](1<<63, 3) + copied[float32](0.5, -1) +
			copied(2.5, 1e300) + copied[complex64](1+2i, -3i) + copied(1i, 4+0i) + copied("a", "text") + copied[uintptr](1, 2)
	},
	"of small values": func() string {
		return copied(size1{1}, size1{255}) + copied(size2{1, 2}, size2{3, 4}) + copied(size3{1, 2, 3}, size3{0, 0, 9}) + copied(size4{7}, size4{1 << 31}) +
			copied(size5{1, -1, 2, -2, 3}, size5{4: 5}) + copied(size6{1, 2, 3}, size6{c: 9}) + copied(size7{6: 1}, size7{1}) + copied(size8{1.5}, size8{-2}) +
			copied(size9{8: true}, size9{true}) + copied(size12{1, 2, 3}, size12{2: 4})
	},
	"of larger values": func() string {
		return copied(size16{1, 2}, size16{3, 4}) + copied(size17{16: 1}, size17{1}) + copied(size80{9: 1}, size80{1, 2, 3}) + copied(size800{99: 5}, size800{4}) +
			copied(padded{1, 2, 3, 4}, padded{a: 5, c: 6}) + copied(empty{}, empty{}) + copied([0]int{}, [0]int{}) + copied([2]empty{}, [2]empty{})
	},
	"of values with pointers": func() string {
		n, m := 1, 2
		return copied(size24{"a", &n}, size24{"b", &m}) + copied(size32{1, "x"}, size32{nil, size1{2}}) + copied(size40{size24{"s", &n}, 1i}, size40{n: 2}) +
			copied(size48{"a", "", "c"}, size48{2: "b"}) + copied(single{&n}, single{&m}) + copied(single{}, single{&n}) + copied(boxed{[1]any{&n}}, boxed{}) +
			copied(&n, &m) + copied[any](&n, 3) + copied[any](point{1, 2}, "x") + copied(make(chan int), nil) + copied([1]*int{&n}, [1]*int{&m}) + copied[error](&failure{2}, &failure{1})
	},
	"of values that cannot be compared": func() string {
		n := 1
		a := size136{size1{3}, [4]size24{{"a", &n}, 3: {"d", nil}}, []int{1, 2}}
		b := a
		b.list[3].s, b.tail, b.head.a = "changed", append(b.tail, 3), 4
		c := []size136{a, b}
		c[0], c[1] = c[1], c[0]
		c[1].tail[0] = 9
		d := tables1{{"k": 1}}
		e := d
		e[0]["k"] = 5
		e = tables1{}
		f := passed(c[0])
		f.list[0] = f.list[3]
		g := [2]func() string{func() string { return "first" }, func() string { return "second" }}
		g[0], g[1] = g[1], g[0]
		return fmt.Sprint(a.head, a.list[3], a.tail, b.head, b.list[3].s, b.tail, c[0].head, c[1].tail, d, e, f.list[0].s, c[0].list[0].s, g[0](), passed(g)[1]())
	},
	"of parts of themselves": func() string {
		type tree struct {
			name string
			kids [2]*tree
		}
		root := tree{"root", [2]*tree{{name: "left"}, {name: "right", kids: [2]*tree{{name: "deep"}}}}}
		root = *root.kids[1]
		root = *root.kids[0]
		type pair struct{ a, b [2]int }
		x := pair{[2]int{1, 2}, [2]int{3, 4}}
		x.a, x.b = x.b, x.a
		x = pair{x.b, x.a}
		x.a[0], x.a = 9, [2]int{x.a[1], x.a[0]}
		list := [][2]int{{1, 2}, {3, 4}}
		list[0], list = list[1], [][2]int{list[0]}
		y := [3]pair{{a: [2]int{1}}, {b: [2]int{2}}}
		y = [3]pair{y[1], y[2], y[0]}
		y[0] = pair{y[2].a, y[0].b}
		z := &y
		*z = [3]pair{z[1], z[0]}
		return fmt.Sprint(root, x, list, y)
	},
}
