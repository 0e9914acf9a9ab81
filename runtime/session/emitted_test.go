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
	if copies, asks := strings.Count(text, "func fib("), strings.Count(text, "cells.E("); copies < 4 || asks != 1 {
		t.Errorf("%d copies, %d of them ask:\n%s", copies, asks, text)
	}
	text = emittedBy(t, "func even(n int) bool { return n == 0 || odd(n-1) }\nfunc odd(n int) bool { return n != 0 && even(n-1) }")
	if asks := strings.Count(text, "cells.E("); asks != 2 {
		t.Errorf("%d of two functions that call each other ask:\n%s", asks, text)
	}
	if text = emittedBy(t, "func plain(n int) int { return n*n + n }"); strings.Contains(text, "cells.E(") {
		t.Errorf("a function that calls nothing asks:\n%s", text)
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
