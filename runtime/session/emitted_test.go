package session

import (
	"regexp"
	"strings"
	"testing"

	"gosphere/runtime/lower"
)

// emittedBy is what the interpreter gets for a cell, without the numbers of names.
func emittedBy(t *testing.T, code string) string {
	t.Helper()
	s := newTestSession(t)
	defer s.Close()
	var text strings.Builder
	lower.Trace = func(piece string) { text.WriteString(piece + "\n") }
	defer func() { lower.Trace = nil }()
	if got := printed(s, code); got != "" {
		t.Fatal(got)
	}
	return regexp.MustCompile(`[ʹˑ]\d*`).ReplaceAllString(text.String(), "")
}

func TestOnlyOneCopyOfARecursiveFunctionAsksForTheStack(t *testing.T) {
	text := emittedBy(t, "func fib(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn fib(n-1) + fib(n-2)\n}")
	if copies, asks := strings.Count(text, "func fibr("), strings.Count(text, "cells.E("); copies < 4 || asks != 1 {
		t.Errorf("%d copies, %d of them ask:\n%s", copies, asks, text)
	}
	if calls := strings.Count(text, "fibr("); strings.Count(text, "func fib(") != 1 || calls < 3*strings.Count(text, "func fibr(") {
		t.Errorf("the calls do not stand in each other:\n%s", text)
	}
	text = emittedBy(t, "func even(n int) bool { return n == 0 || odd(n-1) }\nfunc odd(n int) bool { return n != 0 && even(n-1) }")
	if asks := strings.Count(text, "cells.E("); asks != 2 {
		t.Errorf("%d of two functions that call each other ask:\n%s", asks, text)
	}
	if text = emittedBy(t, "func plain(n int) int { return n*n + n }"); strings.Contains(text, "cells.E(") {
		t.Errorf("a function that calls nothing asks:\n%s", text)
	}
}

func TestWhatIsNeededOftenIsNoCallThroughReflection(t *testing.T) {
	for code, operations := range map[string]int{
		"import \"math\"\nfunc f(x float64) float64 { return math.Sqrt(x) }":                                                        1,
		"import \"math\"\nfunc f() float64 { return math.Sqrt(2) }":                                                                 0,
		"import \"math\"\nfunc f() func(float64) float64 { return math.Sqrt }":                                                      0,
		"type P struct{ x int }\nfunc f(p P) any { return p }":                                                                      1,
		"type P struct{ x int }\nfunc f(v any) int { return v.(P).x }":                                                              1,
		"type P struct{ x int }\nfunc f(v any) (x int) { if p, ok := v.(P); ok { x = p.x }; return }":                               1,
		"func f(v any) int { switch v.(type) { case int: return 1 }; return 0 }":                                                    1,
		"type L int\nconst one L = 1\nfunc f() any { return one }":                                                                  0,
		"type F func()\nfunc f(g F) any { return g }":                                                                               0,
		"type P struct{ x int }\nfunc (p P) Error() string { return \"\" }\nfunc f(p P) (e error, ok bool) { e = p; return e, ok }": 1,
	} {
		if text := emittedBy(t, code); strings.Count(text, "cells.O(gs.Any(") != operations {
			t.Errorf("%s: want %d operations in\n%s", code, operations, text)
		}
	}
}

func TestLinesAreNotedOnceForLoopsWithOneLineThatFails(t *testing.T) {
	const head = "func f(xs, ys []int) {\n\tfor i := range 3 {\n\t\txs[i]++\n"
	for _, c := range []struct {
		name, rest string
		marks      int
	}{
		{"one line", "\t}\n}", 1},
		{"a line that cannot fail", "\t\tys = append(ys, i/2)\n\t}\n}", 1},
		{"two lines", "\t\tys[i]++\n\t}\n}", 2},
		{"a call of another function", "\t\tg(xs)\n\t}\n}\nfunc g(xs []int) {}", 1},
	} {
		text := emittedBy(t, head+c.rest)
		mark, loop := strings.Index(text, "line = 3"), strings.Index(text, "for i")
		inside := c.name == "two lines" || c.name == "a call of another function"
		if strings.Count(text, "line = ") != c.marks || mark > loop != inside {
			t.Errorf("%s:\n%s", c.name, text)
		}
	}
}

func TestCallsOfOneOperationAreReplacedWhereNothingElseChanges(t *testing.T) {
	const add = "func add(a, b int) int { return a + b }\n"
	for code, replaced := range map[string]bool{
		"func f(x int) int { return add(x, 1) }":                                    true,
		"func f(x int) int { return add(x+1, -x) }":                                 true,
		"func f(x int) int { return add(g(x), 1) }\nfunc g(x int) int { return x }": false,
		"func f(xs []int) int { return add(xs[0], 1) }":                             false,
		"func f(x int) int { return add(1, 2) }":                                    false,
		"func f(x int) int { defer add(x, 1); return x }":                           false,
		"func f(p *int) int { return add(*p, 1) }":                                  false,
	} {
		text := emittedBy(t, add+code)
		if got := !strings.Contains(strings.Replace(text, "func add(", "", 1), "add("); got != replaced {
			t.Errorf("%s: replaced is %t:\n%s", code, got, text)
		}
	}
}

func TestStatementsDecideInsteadOfCallingWhatOnlyCompares(t *testing.T) {
	const pick = "type p struct{ x, y int }\nfunc (v p) max() int { if v.x > v.y { return v.x }; return v.y }\nfunc (v *p) ptr() int { if v.x > 1 { return 1 }; return 0 }\n" +
		"func pick(a, b int) int { if a > b { return a } else if a < -9 { return -a }; return b }\nfunc index(xs []int, i int) int { if i > 0 { return xs[i] }; return 0 }\n"
	for code, replaced := range map[string]bool{
		"func f(x int) int { y := pick(x, 1); y += pick(x, y); return pick(y, x+1) }":        true,
		"func f(v p) int { y := v.max(); return y }":                                         true,
		"func f(v *p) int { y := v.max(); return y }":                                        false,
		"func f(v p) int { y := v.ptr(); return y }":                                         false,
		"func f(xs []int) int { y := index(xs, 1); return y }":                               false,
		"func f(x int) int { return pick(x, 1) + 1 }":                                        false,
		"func f(x int8) int { y := pick(int(x), g()); return y }\nfunc g() int { return 1 }": false,
	} {
		text := emittedBy(t, pick+code)
		_, body, _ := strings.Cut(text, "func f(")
		if got := !regexp.MustCompile(`(pick|max|ptr|\bindex)\(`).MatchString(body); got != replaced {
			t.Errorf("%s: replaced is %t:\n%s", code, got, text)
		}
	}
}

func TestLiteralsThatOneVariableHoldsBecomeFunctions(t *testing.T) {
	for code, becomes := range map[string]string{
		"s := 0; f := func(i int) { s += i }; f(n); return s":                                                          "func literal(s *int, i int)",
		"f := func(i int) int { return i + n }; return f(1)":                                                           "func literal(n int, i int)",
		"var f func(int) int; f = func(i int) int { if i > n { return i }; return f(i + 1) }; return f(0)":             "func literal(n int, i int)",
		"x := 0.5; f := func() float64 { return x }; return int(f())":                                                  "func literal(x *float64)",
		"f := func() int { return n }; g := f; return g()":                                                             "",
		"f := func() int { return n }; defer f(); return 1":                                                            "",
		"f := func() int { return n }; f = func() int { return 1 }; return f()":                                        "",
		"s := 0; f := func() { for i := range n { s += i } }; f(); return s":                                           "",
		"f := func() int { return n }; return func() int { return f() }()":                                             "",
		"f := func() (r int) { defer func() { recover() }(); return n }; return f()":                                   "",
		"a, b, c, d, e, g, h := 1, 2, 3, 4, 5, 6, 7; f := func() int { return a + b + c + d + e + g + h }; return f()": "",
	} {
		text := emittedBy(t, "func run(n int) int { "+code+" }")
		if becomes == "" && strings.Contains(text, "func literal(") || !strings.Contains(text, becomes) {
			t.Errorf("%s: want %q:\n%s", code, becomes, text)
		}
	}
}
