// Calls in every form: arguments and results of each class, tails, methods of all kinds.

package programs

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

type (
	unaryOf[A, R any]     func(A) R
	binaryOf[A, B, R any] func(A, B) R
)

// called calls functions with a parameter and a result of one type in every way.
func called[T any](v, w T) string {
	id := func(v T) T { return v }
	second := func(_, v T) T { return v }
	var none T
	count, captured := 0, v
	get := func() T { count++; return captured }
	put := func(v T) { captured = v }
	both := func(v, w T) (T, T) { return w, v }
	variadic := func(list ...T) (int, T) {
		if len(list) == 0 {
			return 0, none
		}
		return len(list), list[len(list)-1]
	}
	table := map[string]func(T) T{"id": id}
	list := []unaryOf[T, T]{id, passed[T], func(T) T { return captured }}
	holder := struct{ f binaryOf[T, T, T] }{second}
	var dynamic interface{ get() T } = cellOf2[T]{v}
	method, bound := cellOf2[T].get, cellOf2[T]{w}.get
	put(w)
	a, b := both(v, get())
	c, d := both(both(a, b))
	n, last := variadic(v, w, get())
	m, first := variadic()
	k, only := variadic([]T{v}...)
	text := fmt.Sprint(id(v), second(v, w), a, b, c, d, n, last, m, first, k, only, table["id"](w), list[0](v), list[1](w), list[2](v), holder.f(w, v), dynamic.get(), method(cellOf2[T]{v}), bound(), id(id(id(get()))), count)
	defer put(v)
	done := make(chan T, 1)
	go func(v T, w T) { done <- second(v, w) }(v, w)
	return text + fmt.Sprintln("", <-done, func(v T) T { return v }(w), func() (out T) { defer func() { out = v }(); return w }())
}

type cellOf2[T any] struct{ v T }

func (c cellOf2[T]) get() T { return c.v }

type animal interface {
	name() string
	speak(n int) (string, error)
}

type dog struct{ age, legs int }

func (d dog) name() string                { return fmt.Sprint("dog ", d.age) }
func (d dog) speak(n int) (string, error) { return strings.Repeat("woof", n), nil }

type cat [3]string

func (c *cat) name() string                { return c[0] }
func (c *cat) speak(n int) (string, error) { return c[n%3], errors.New("hiss") }

type word string

func (w word) name() string                { return string(w) }
func (w word) speak(n int) (string, error) { return string(w[:n]), nil }

type pet struct {
	animal
	owner *word
}

type kennel struct {
	*pet
	extra [2]dog
}

func (k kennel) name() string { return "kennel of " + k.pet.name() }

type byAge []dog

func (b byAge) Len() int           { return len(b) }
func (b byAge) Less(i, j int) bool { return b[i].age < b[j].age }
func (b byAge) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// Functions that call themselves with their own parameters in another order.
func ackermann(m, n int) int {
	if m == 0 {
		return n + 1
	}
	if n == 0 {
		return ackermann(m-1, 1)
	}
	return ackermann(m-1, ackermann(m, n-1))
}

func gcd(a, b int) int {
	if b == 0 {
		return a
	}
	return gcd(b, a%b)
}

func rotate(a, b, c string, n int) string {
	if n == 0 {
		return a + b + c
	}
	return rotate(c, a, b, n-1)
}

func exchangeArrays(a, b [3]int, n int) ([3]int, [3]int) {
	if n == 0 {
		return a, b
	}
	a[0]++
	return exchangeArrays(b, a, n-1)
}

func hanoi(n int, from, to, via string, move func(from, to string)) int {
	if n == 0 {
		return 0
	}
	return hanoi(n-1, from, via, to, move) + func() int { move(from, to); return 1 }() + hanoi(n-1, via, to, from, move)
}

func collatz2(n, steps int) (int, int) {
	switch {
	case n == 1:
		return n, steps
	case n%2 == 0:
		return collatz2(n/2, steps+1)
	default:
		return collatz2(3*n+1, steps+1)
	}
}

func mutual(n int, f func(int) (int, error)) (v int, err error) {
	if n <= 0 {
		return f(n)
	}
	v, err = mutual(n-2, f)
	return v + n, err
}

// Callforms are the programs of this file.
var Callforms = map[string]func() string{
	"with values of each class": func() string {
		n := 5
		return called(1, 2) + called(int8(-1), 127) + called(uint16(1), 65535) + called('a', 'b') + called(uint64(1<<63), 1) + called(true, false) + called(float32(1.5), 2) + called(2.5, -1) +
			called(1i, 2) + called("a", "bc") + called([]int{1}, nil) + called([2]int{1, 2}, [2]int{3, 4}) + called(point{1, 2}, point{3, 4}) + called[any](1, "x") + called[error](errors.New("e"), nil) +
			called(map[string]int{"k": 1}, nil) + called(&n, &n)[:0] + called(struct{}{}, struct{}{}) + called([0]string{}, [0]string{}) + called([100]uint8{99: 1}, [100]uint8{5: 2}) + called(complex64(1i), 2)
	},
	"of methods in every form": func() string {
		var r result
		owner, tom := word("owner"), cat{"tom", "purr", "meow"}
		p := pet{dog{3, 4}, &owner}
		k := kennel{&p, [2]dog{{1, 4}, {2, 3}}}
		for _, a := range []animal{dog{7, 4}, &dog{8, 4}, &tom, owner, &owner, p, &p, k, &k, pet{animal: &tom}, kennel{pet: &pet{animal: owner}}} {
			s, err := a.speak(2)
			f, g := a.name, animal.speak
			t, _ := g(a, 1)
			r.add(a.name(), f(), s, err, t)
		}
		f, g, h, i := dog.name, (*dog).name, (*cat).speak, pet.name
		j, l := k.owner.name, k.extra[1].name
		k.extra[1].age, p.animal = 50, word("changed")
		r.add(f(dog{1, 1}), g(&dog{2, 2}), i(p), j(), l(), k.name(), k.animal.name(), k.extra[0].name(), kennel.name(k), (*kennel).name(&k))
		r.add(h(&tom, 4))
		var none *dog
		var nothing animal
		var empty pet
		r.add(try(func() { none.name() }), try(func() { nothing.name() }), try(func() { _ = nothing.name }), try(func() { empty.name() }), try(func() { _ = empty.name }), try(func() { _ = none.name }), try(func() { kennel{}.name() }))
		return r.text()
	},
	"that pass their parameters on": func() string {
		var moves strings.Builder
		n := hanoi(5, "a", "b", "c", func(from, to string) { moves.WriteString(from + to) })
		a, b := exchangeArrays([3]int{1, 2, 3}, [3]int{4, 5, 6}, 7)
		c, d := collatz2(27, 0)
		v, err := mutual(9, func(n int) (int, error) { return n, fmt.Errorf("end %d", n) })
		return fmt.Sprint(ackermann(2, 3), gcd(1071, 462), gcd(462, 1071), rotate("x", "y", "z", 100), a, b, n, moves.String(), c, d, v, err)
	},
	"from compiled functions": func() string {
		var r result
		dogs := byAge{{5, 4}, {2, 4}, {9, 3}, {1, 4}}
		sort.Sort(dogs)
		r.add(dogs)
		sort.Slice(dogs, func(i, j int) bool {
			return dogs[i].legs > dogs[j].legs || dogs[i].legs == dogs[j].legs && dogs[i].age > dogs[j].age
		})
		r.add(dogs, sort.Search(100, func(i int) bool { return i*i >= 50 }), sort.SearchInts([]int{1, 3, 5}, 4))
		calls := 0
		r.add(strings.Map(func(c rune) rune {
			if calls++; c == 'x' {
				return -1
			}
			return c + rune(calls)
		}, "axbxc"), calls, strings.FieldsFunc("a1b22c", func(c rune) bool { return c < 'a' }), strings.IndexFunc("abc", func(c rune) bool { return c == 'c' }))
		r.add(try(func() { sort.Slice(dogs, func(i, j int) bool { panic(fmt.Sprint("less ", len(dogs))) }) }), try(func() { strings.Map(func(c rune) rune { return []rune{1}[c] }, "z") }))
		r.add(sort.Reverse(dogs).Less(0, 1), dogs.Less(1, 0), sort.IsSorted(sort.Reverse(sort.Reverse(dogs))))
		return r.text()
	},
	"that panic among their arguments": func() string {
		var r result
		fail := func(n int) int {
			if n > 1 {
				panic(fmt.Sprint("fail ", n))
			}
			return n
		}
		three := func(a, b, c int) string { return fmt.Sprint(a, b, c) }
		for i := range 4 {
			r.add(try(func() { r.add(three(fail(i), fail(i-1), fail(i-2))) }))
			r.add(try(func() { r.add(three(i, three2(fail(i), i), fail(i))) }))
		}
		deep := func(n int) (text string) {
			var f func(int) int
			f = func(n int) int {
				defer func() {
					if v := recover(); v != nil {
						text += fmt.Sprint(v, " ")
						if n%2 == 0 {
							panic(fmt.Sprint("from ", n))
						}
					}
				}()
				if n == 0 {
					return fail(9)
				}
				return f(n-1) + n
			}
			return fmt.Sprint(f(n), text)
		}
		r.add(deep(5), deep(7), try(func() { deep(4) }))
		return r.text()
	},
	"of functions that are replaced": func() string {
		f := func(n int) int { return n + 1 }
		g := func(n int) int { return f(n) * 2 }
		before := g(1)
		f = func(n int) int { return g2(n) }
		old := f
		f = func(n int) int { return old(n) + 1000 }
		table := [2]func(int) int{f, g}
		table[0], table[1] = table[1], table[0]
		return fmt.Sprint(before, g(1), table[0](2), table[1](3), (func(int) int)(nil) == nil)
	},
}

func three2(a, b int) int { return a*10 + b }
func g2(n int) int        { return -n }
