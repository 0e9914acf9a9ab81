// Generic functions and types.

package programs

import "fmt"

type ordered interface{ ~int | ~string | ~float64 }

func largest[T ordered](list ...T) (most T) {
	for i, x := range list {
		if i == 0 || x > most {
			most = x
		}
	}
	return
}

func mapped[T, U any](list []T, f func(T) U) []U {
	out := make([]U, 0, len(list))
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

type stack[T any] struct{ list []T }

func (s *stack[T]) push(x T) { s.list = append(s.list, x) }
func (s *stack[T]) pop() (x T, ok bool) {
	if len(s.list) == 0 {
		return
	}
	x = s.list[len(s.list)-1]
	s.list = s.list[:len(s.list)-1]
	return x, true
}

type tree[K ordered, V any] struct {
	left, right *tree[K, V]
	key         K
	value       V
}

func (t *tree[K, V]) put(k K, v V) *tree[K, V] {
	switch {
	case t == nil:
		return &tree[K, V]{key: k, value: v}
	case k < t.key:
		t.left = t.left.put(k, v)
	case k > t.key:
		t.right = t.right.put(k, v)
	default:
		t.value = v
	}
	return t
}

func (t *tree[K, V]) all(yield func(K, V) bool) bool {
	return t == nil || t.left.all(yield) && yield(t.key, t.value) && t.right.all(yield)
}

type counterOf[T comparable] map[T]int

func (c counterOf[T]) add(x T) { c[x]++ }

func kind[T any](x T) string {
	switch v := any(x).(type) {
	case int:
		return fmt.Sprint("int ", v+1)
	case fmt.Stringer:
		return v.String()
	}
	var zero T
	return fmt.Sprintf("%T %v", x, zero)
}

func sum[S ~[]E, E ordered](s S) (total E) {
	for _, x := range s {
		total += x
	}
	return
}

// Generics are the programs of this file.
var Generics = map[string]func() string{
	"functions": func() string {
		type celsius float64
		return fmt.Sprint(largest(3, 9, 2), largest("b", "abc"), largest(celsius(1.5), -2), largest[int](),
			mapped([]int{1, 2}, func(n int) string { return fmt.Sprint(n * 2) }), mapped([]string{"a"}, func(s string) point { return point{len(s), 1} }),
			kind(1), kind("s"), kind(point{}), kind([]int{}), sum([]float64{1, 2.5}), sum([]string{"a", "b"}))
	},
	"types": func() string {
		var a stack[int]
		b := stack[*point]{}
		for i := range 3 {
			a.push(i)
			b.push(&point{i, i})
		}
		x, _ := a.pop()
		y, _ := b.pop()
		_, ok := new(stack[string]).pop()
		c := counterOf[point]{}
		c.add(point{1, 2})
		c.add(point{1, 2})
		return fmt.Sprint(x, *y, ok, a, len(b.list), c) + fmt.Sprintf(" %T", a)
	},
	"trees": func() string {
		var t *tree[string, int]
		for i, k := range []string{"m", "c", "x", "a", "d", "m"} {
			t = t.put(k, i)
		}
		s := ""
		for k, v := range func(yield func(string, int) bool) { t.all(yield) } {
			if k == "x" {
				break
			}
			s += fmt.Sprint(k, v, " ")
		}
		return s
	},
	"function values": func() string {
		f, g := largest[string], (*stack[int]).push
		var s stack[int]
		g(&s, 4)
		h := s.push
		h(5)
		return fmt.Sprint(f("x", "y"), s)
	},
}
