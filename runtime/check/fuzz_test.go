package check_test

import (
	"fmt"
	"strings"
	"testing"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

// FuzzCells checks arbitrary text after a cell of declarations. The checker must not panic. A cell
// that fails must not change the session, and one that passes must leave it consistent.
func FuzzCells(f *testing.F) {
	for _, seed := range []string{
		"x", "x := x + 1", "func (t T) New() int { return t.n }\nt.New()", "type T struct{ n, m int }", "t := B[T]{}", "import x \"strings\"\nx.ToUpper(\"\")",
		"const k = k", "var x, y = y, x", "func f() { x = 1 }\nx := 2.5", "type T = B[T]", "package main\nvar a = b\nvar b = x", "func (b *B[E]) Put(e E) {}\nb.Put(1)",
		"import . \"math\"\nSqrt(2)", "func x() {}\nfunc t() { x() }", "goto l\nl:", "type (\n\tT int\n\tB []T\n)", "f(f)(f)", "func init() {}\nfunc main() {}",
	} {
		f.Add(seed, "t.n + x")
	}
	packages := store(f)
	f.Fuzz(func(t *testing.T, first, second string) {
		s := check.NewSession(packages)
		if _, err := checkCell(s, 1, "type T struct{ n int }\nfunc (t T) Get() int { return t.n + x }\ntype B[E any] struct{ e E }\nx := 1\nt := T{}\nb := B[T]{}\nconst k = 3\nfunc f(v T) T { return v }"); err != nil {
			t.Fatal(err)
		}
		for i, source := range []string{first, second} {
			before := state(s)
			checked, err := checkCell(s, i+2, source)
			if err == nil {
				verify(t, s, checked)
				continue
			}
			if _, ok := err.(cell.Errors); !ok {
				t.Errorf("%q: an error of type %T", source, err)
			}
			if after := state(s); after != before {
				t.Errorf("%q fails and changes\n%s into\n%s", source, before, after)
			}
		}
	})
}

// state formats the contents of a session.
func state(s *check.Session) string {
	var b strings.Builder
	for _, symbol := range s.Symbols() {
		fmt.Fprintf(&b, "%s#%d %p %v\n", symbol.Name, symbol.Version, symbol.Object, symbol.Broken)
	}
	fmt.Fprintln(&b, s.Imports())
	return b.String()
}
