package cell

import (
	"errors"
	"strings"
	"testing"
)

func TestSyntaxErrorsTellWhatToWrite(t *testing.T) {
	cases := []struct{ source, hint string }{
		{`print "x"`, `call it as a function: fmt.Println("x")`},
		{"while n > 0 {\n}", "a loop with a condition is: for n > 0 {"},
		{"for x in xs {\n\tf(x)\n}", "a loop over elements is: for _, x := range xs {"},
		{"for (const x of xs) {\n}", "a loop over elements is: for _, x := range xs {"},
		{"s := 'hello'", `text has double quotes, "hello"; single quotes are for one character`},
		{"f(1,\n\tg(2", "the ( of line 2 is not closed"},
		{"xs := []int{\n\t1\n}", "the last line of a list needs a comma as well"},
		{"for i in xs {}", "a loop over elements is: for _, i := range xs {"},
		{"for i in range(3): print(i)", "a loop over numbers is: for i := range 3 {"},
		{"for i in range(len(xs)):\n\tprint(i)", "a loop over numbers is: for i := range len(xs) {"},
		{"for i in range(0, n) {\n}", "a loop over numbers is: for i := range n {"},
		{"for i in range(a, b):", "a loop over numbers is: for i := a; i < b; i++ {"},
		{"for i in range(0, n, 2):", "a loop over numbers is: for i := 0; i < n; i += 2 {"},
		{"xs[::2]", "slices have no step: for i := 0; i < len(xs); i += 2 { ... xs[i] ... }"},
		{"while true { f() }", "a loop with a condition is: for true {"},
		{"len xs", "call it as a function: len(xs)"},
		{"n, f(x)\nc", "only the last line of a cell may be a list of values; elsewhere write display.Show(n, f(x))"},
		{"x := f(); len(x), cap(x)\ny()", "only the last line of a cell may be a list of values; elsewhere write display.Show(len(x), cap(x))"},
		{"let total = a + b", "declare variables with := : total := a + b"},
		{"fmt.Println(\"do not go\" 3)", ""}, // words in quotes are no mistake
		{"x := 3 4", ""},
	}
	for _, c := range cases {
		_, err := Parse(1, c.source)
		var list Errors
		if !errors.As(err, &list) {
			t.Errorf("%q has no syntax error: %v", c.source, err)
			continue
		}
		if list[0].Hint != c.hint {
			t.Errorf("%q: hint %q, want %q", c.source, list[0].Hint, c.hint)
		}
	}
}

func TestHintsHideWhatFollows(t *testing.T) {
	_, err := Parse(1, "for x in xs {\n\tfmt.Println(x)\n}\ny := := 3")
	var list Errors
	if !errors.As(err, &list) || len(list) != 1 || list[0].Line != 1 {
		t.Errorf("got %v, want the error of line 1 alone", err)
	}
	if strings.Contains(list.Error(), "hint") {
		t.Errorf("the hint is among the compiler's words: %v", list)
	}
}
