package check_test

import (
	"fmt"
	"testing"

	"gosphere/runtime/check"
)

// Types that mention T, a struct, B, a generic type, or N, a named map of T.
var mentioning = []string{
	"T", "*T", "**T", "[]T", "[3]T", "[0][]*T", "map[string]T", "map[T]int", "map[[2]T]*T",
	"chan T", "<-chan T", "chan<- *T", "chan (<-chan T)",
	"func()T", "func(T)", "func(a T, b ...*T) (c T, err error)", "func(func(T) bool)", "func(int, ...T)",
	"struct{ A T }", "struct{ a, b *T; c string }", "struct{ T }", "struct{ *T; n int `json:\"n\"` }", "struct{ A T `x:\"y\"` }",
	"interface{ M(T) *T }", "interface{ String() string; M(T) }", "interface{ fmt.Stringer; M() T }",
	"B[T]", "B[int]", "*B[B[T]]", "map[string]B[*T]", "B[struct{ t T }]", "P[T, string]", "P[int, []B[T]]",
	"N", "[]N", "map[int]N", "A", "*A", "[]A", "H", "func(H) N",
	"atomic.Pointer[T]", "iter.Seq[T]", "iter.Seq2[string, *T]", "[]any", "error", "map[string]fmt.Stringer",
}

// TestVariablesFollowTheirTypes declares a variable of every kind of type and then adds a method to
// T. The variable must keep its symbol, and its type must be the one that its text now denotes.
func TestVariablesFollowTheirTypes(t *testing.T) {
	for _, text := range mentioning {
		s := check.NewSession(store(t))
		mustCheck(t, s, 1, "type T struct{ n int }\ntype B[E any] struct{ e E }\ntype P[K comparable, V any] struct{ k K; v V }\ntype N map[string]T\ntype A = T\ntype H struct{ t T; b B[T] }")
		mustCheck(t, s, 2, fmt.Sprintf("var x %s", text))
		before := s.Lookup("x")
		mustCheck(t, s, 3, "func (t T) Plus(o T) T { return o }")
		if s.Lookup("x") != before || before.Version != 1 {
			t.Errorf("%s: the variable has another symbol", text)
		}
		checked, err := checkCell(s, 4, fmt.Sprintf("var y %s = x\nx = y\ny", text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		verify(t, s, checked)
		mustCheck(t, s, 5, "func (b *B[E]) Put(e E) { b.e = e }\nfunc (b B[E]) Take() E { return b.e }")
		if checked, err = checkCell(s, 6, "y = x\nfunc use() { y = x }"); err != nil {
			t.Errorf("%s after methods of B: %v", text, err)
			continue
		}
		verify(t, s, checked)
	}
}

// TestVariablesOfTheCellReachItsFunctions declares a function that uses a variable of the same
// cell, whose type is also declared in that cell.
func TestVariablesOfTheCellReachItsFunctions(t *testing.T) {
	for _, text := range mentioning {
		s := check.NewSession(store(t))
		checked, err := checkCell(s, 1, fmt.Sprintf(
			"type T struct{ n int }\ntype B[E any] struct{ e E }\ntype P[K comparable, V any] struct{ k K; v V }\ntype N map[string]T\ntype A = T\ntype H struct{ t T; b B[T] }\nvar x %s\nfunc get() %s { return x }\nfunc set(v %s) { x = v }\nset(get())\nx", text, text, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		verify(t, s, checked)
		if checked, err = checkCell(s, 2, "set(x)\nx = get()"); err != nil {
			t.Errorf("%s in the next cell: %v", text, err)
			continue
		}
		verify(t, s, checked)
	}
}
