package difference

import (
	"fmt"
	"strings"
)

// Labeled statements of all forms. J is a jump or nothing, and X a statement that prints its
// number.
var labeledForms = []string{
	"X", "{ X; J; X }", ";", "if n < 9 { X; J; X } else { X }", "for i := 0; i < 3; i++ { X; J; X }", "for n < 5 { n++; X; J }", "for range 2 { X; J; X }", "for i := range []int{1, 2} { X; J; _ = i; X }",
	"for k := range map[int]int{1: 2} { X; J; _ = k }", "for v := range func(yield func(int) bool) { _ = yield(1) && yield(2) } { X; J; _ = v; X }", "for c := range \"ab\" { X; J; _ = c }",
	"switch { case n > 100: X; default: X; J; X }", "switch n { case 0: X; fallthrough; case 99: X; J; X; default: X }", "switch v := any(n).(type) { case int: X; J; _ = v; X; case string: X }",
	"select { default: X; J; X }", "select { case c <- 1: X; J; X; case <-(chan int)(nil): X }", "n++", "n = n + 1", "n += 2", "c <- 1", "defer func() { X }()", "func() { X }()", "var v = n; _ = v; X", "go func() {}()", "K: X", "K: for range 2 { X; J; X; continue K }",
	"_: X", "_: if n < 9 { _: X; J }", "K: switch { default: X; break K }", "K: for { X; break K }",
}

// Jumps out of and back to the labeled statement. The function once is true twice.
var jumps = []string{"", "break", "continue", "break L", "continue L", "if once$m() { goto L }", "goto M", "return", "if once$m() { continue L }", "if once$m() { break L }"}

// Surroundings of the labeled statement, which is S, with a label M after it.
var surroundings = []string{
	"L: S; X; M: X", "for i := range 2 { L: S; X; _ = i; M: X }", "switch { case true: X; L: S; fallthrough; case false: X; M: X }", "switch { case true: L: S; M: fallthrough; case false: X }", "switch { case true: L: S; goto M; M: _: fallthrough; default: X; case false: X }",
	"switch any(1).(type) { case int: L: S; M: X; default: X }", "select { default: L: S; X; M: X }", "if n == 0 { L: S; X; M: X } else { X }", "for v := range func(yield func(int) bool) { _ = yield(1) && yield(2) } { L: S; _ = v; X; M: X }",
	"func() { L: S; X; M: X }(); X", "goto L; L: S; X; M: X", "for { L: S; X; break; M: X; break }", "{ L: S; X }; M: X", "O: for range 2 { for range 2 { L: S; X; continue O; M: X } }",
}

// Jumps returns programs of labeled statements with jumps, each with as many functions as compile.
// The function compiles reports that for a function declaration.
func Jumps(compiles func(function string) bool) []string {
	var programs []string
	var list []string
	finish := func() {
		if len(list) == 0 {
			return
		}
		var calls strings.Builder
		for i := range list {
			fmt.Fprintf(&calls, "\tcount$m = 0\n\tfmt.Print(\"\\n%d:\")\n\ttry$m(jump%d$m)\n", i, i)
		}
		text := "package main\n\nimport \"fmt\"\n\nvar count$m, steps$m int\nfunc once$m() bool { count$m++; return count$m < 3 }\n" +
			"func step$m(n int) { if steps$m++; steps$m > 40 { panic(\"endless\") }; fmt.Print(\" \", n) }\n" +
			"func try$m(jump func(int, chan int)) { steps$m = 0; defer func() { if r := recover(); r != nil { fmt.Print(r) } }(); jump(0, make(chan int, 99)) }\n" + strings.Join(list, "\n") + "\nfunc run$m() {\n" + calls.String() + "}\n"
		programs = append(programs, "// cells: 1\n"+strings.ReplaceAll(text, "$m", mark(len(programs))))
		list = nil
	}
	for _, around := range surroundings {
		for _, form := range labeledForms {
			for _, jump := range jumps {
				if jump != "" && !strings.Contains(form, "J") {
					continue
				}
				body := strings.NewReplacer("S", strings.ReplaceAll(form, "J", jump)).Replace(around)
				for i := 0; strings.Contains(body, "X"); i++ {
					body = strings.Replace(body, "X", fmt.Sprintf("step$m(%d)", i), 1)
				}
				// A loop that jumps back for ever ends with the count.
				body = strings.ReplaceAll(body, "continue L", "if count$m++; count$m > 4 { return }; continue L")
				if !strings.Contains(body, "goto M") {
					body = strings.ReplaceAll(strings.ReplaceAll(body, "M: fallthrough", "fallthrough"), "M: ", "")
				}
				if !strings.Contains(body, " L }") && !strings.Contains(body, " L;") && !strings.Contains(body, "break L") && !strings.Contains(body, "continue L") {
					body = strings.Replace(body, "L: ", "_: ", 1)
				}
				function := fmt.Sprintf("func jump%d$m(n int, c chan int) {\n\t%s\n}", len(list), body)
				if compiles(strings.ReplaceAll(function, "$m", "")) {
					if list = append(list, function); len(list) == 250 {
						finish()
					}
				}
			}
		}
	}
	finish()
	return programs
}
