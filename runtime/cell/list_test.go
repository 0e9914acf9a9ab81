package cell

import (
	"go/ast"
	"testing"
)

func TestALastListOfExpressionsIsOneValue(t *testing.T) {
	for source, want := range map[string]int{
		"a, b":                           2,
		"x := f(); len(x), cap(x)":       2,
		"f(1, 2), []int{3, 4}, \"a, b\"": 3,
		"a, // the first\n\tb":           2,
		"a":                              0,
		"f(a, b)":                        0,
		"a, b := 1, 2":                   0,
		"a, b = b, a":                    0,
		"v, ok := <-c":                   0,
		"for i, x := range y {\n}":       0,
		"case1, func() int { return 1 }": 2,
	} {
		c, err := Parse(1, source)
		if err != nil {
			t.Errorf("%q: %v", source, err)
			continue
		}
		n := 0
		if c.List {
			list := c.Value.X.(*ast.CompositeLit)
			n = len(list.Elts)
			if from := c.Fset.Position(list.Elts[0].Pos()); source[:1] == "a" && from.Column != 1 || c.Value.End() != list.Elts[n-1].End() {
				t.Errorf("%q: from %v to %v", source, from, c.Fset.Position(c.Value.End()))
			}
		}
		if n != want {
			t.Errorf("%q: a list of %d, want %d", source, n, want)
		}
		c.Forget()
	}
	for _, source := range []string{"a,", "a, b...", "a, b\nc,"} {
		if _, err := Parse(1, source); err == nil {
			t.Errorf("%q is parsed", source)
		}
	}
}
