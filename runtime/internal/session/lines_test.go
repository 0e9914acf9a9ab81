package session

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// failingPlaces lists cells that fail, with the position that the traceback names first.
var failingPlaces = []struct{ name, code, want string }{
	{"a loop with one line that can fail", "xs := []int{1, 2}\nfor i := range 3 {\n\txs[i]++\n}", "Cell [1], line 3"},
	{"the second of two lines of a loop", "xs, ys := []int{1, 2, 3}, []int{1}\nfor i := range xs {\n\txs[i]++\n\tys[i]++\n}", "Cell [1], line 4"},
	{"the first of two lines in a later turn", "xs, ys := []int{1}, []int{1, 2, 3}\nfor i := range ys {\n\txs[i]++\n\tys[i]++\n}", "Cell [1], line 3"},
	{"behind a loop", "xs := []int{1, 2}\nfor i := range xs {\n\txs[i]++\n}\nn := len(xs)\nxs[n]++", "Cell [1], line 6"},
	{"an inner loop", "xs := []int{1, 2}\nfor i := range 2 {\n\tfor j := range 2 {\n\t\txs[i+j]++\n\t}\n}", "Cell [1], line 4"},
	{"the header of a loop", "var p *[]int\nfor i := 0; i < 3; i++ {\n\tfor range *p {\n\t}\n}", "Cell [1], line 3"},
	{"a loop that calls a function with lines of its own",
		"func first(xs []int) int {\n\treturn xs[0]\n}\nys := []int{1}\nfor i := range 3 {\n\tys[i] = first(ys)\n}", "Cell [1], line 6"},
	{"a loop that prints with a method of a cell",
		"import \"fmt\"\ntype T []int\nfunc (t T) String() string {\n\treturn fmt.Sprint(t[0])\n}\nxs := T{1}\nfor i := range 3 {\n\tfmt.Sprintln(xs, xs[i])\n}", "Cell [1], line 8"},
	{"a division by a variable", "a := 0\nb := 7 / 2 % 3\nb = b / a", "Cell [1], line 3"},
	{"a copy of a recursive function", "func down(xs []int, n int) int {\n\tif n == 0 {\n\t\treturn xs[n+5]\n\t}\n\treturn down(xs, n-1) + 1\n}\ndown(nil, 6)", "Cell [1], line 3, in down"},
	{"a literal in a loop", "var fs []func(int) int\nfor i := range 2 {\n\tfs = append(fs, func(n int) int {\n\t\treturn n / i\n\t})\n}\nfs[0](3)", "Cell [1], line 4, in a function literal"},
	{"a function behind one that is replaced by its operation",
		"func add(a, b int) int { return a + b }\nxs := []int{1}\nn := 0\nn = add(n, 1)\nxs[n] = add(n, 2)", "Cell [1], line 5"},
}

func TestTracebackNamesTheLineThatFailed(t *testing.T) {
	for _, c := range failingPlaces {
		s := newTestSession(t)
		var traceback []string
		s.Execute(context.Background(), protocol.ExecuteRequest{Code: c.code, StoreHistory: true}, func(content protocol.Content) {
			if e, ok := content.(protocol.Error); ok {
				traceback = e.Traceback
			}
		})
		s.Close()
		if len(traceback) < 2 || !strings.HasPrefix(traceback[1], c.want) || c.want != traceback[1] && !strings.HasPrefix(traceback[1], c.want+",") {
			t.Errorf("%s: %q, want %s", c.name, traceback, c.want)
		}
	}
}

// Each call in a cell is shown with the line of its source, whichever cell and however it was
// called: functions of earlier cells, methods, instances, literals, deferred calls, callbacks of
// compiled code, iterators, and functions that a later cell has declared again.
func TestEachCallInATracebackShowsItsLine(t *testing.T) {
	cells := []string{
		"import (\"sort\"; \"slices\"; \"errors\"; \"fmt\")\nvar _, _ = errors.New, fmt.Sprint\n\nfunc low(n int) int {\n\treturn 10 / n // low\n}",
		"type T struct{ n int }\nfunc (t T) Value() int { return low(t.n) }\nfunc (t *T) Pointer() int {\n\treturn t.Value() + 1\n}\nfunc Generic[P any](p P, f func(P) int) int {\n\n\treturn f(p)\n}",
		"func each(yield func(int) bool) {\n\tyield(0)\n}",
	}
	for code, want := range map[string][]string{
		"low(0)":                    {"return 10 / n // low", "low(0)"},
		"t := &T{}\n\n t.Pointer()": {"return 10 / n // low", "func (t T) Value() int { return low(t.n) }", "return t.Value() + 1", "t.Pointer()"},
		"Generic(0, low)":           {"return 10 / n // low", "return f(p)", "Generic(0, low)"},
		"Generic(T{},\n T.Value)":   {"return 10 / n // low", "func (t T) Value() int { return low(t.n) }", "return f(p)", "Generic(T{},"},
		"f := func(n int) int {\n\treturn low(n)\n}\nf(0)":                            {"return 10 / n // low", "return low(n)", "f(0)"},
		"sort.Slice([]int{2, 1}, func(i, j int) bool {\n\treturn low(0) > 0\n})":      {"return 10 / n // low", "return low(0) > 0", "sort.Slice([]int{2, 1}, func(i, j int) bool {"},
		"slices.IndexFunc([]int{0}, func(n int) bool { return low(n) > 0 })":          {"return 10 / n // low", "slices.IndexFunc([]int{0}, func(n int) bool { return low(n) > 0 })", "slices.IndexFunc([]int{0}, func(n int) bool { return low(n) > 0 })"},
		"for n := range each {\n\tlow(n)\n}":                                          {"return 10 / n // low", "low(n)", "yield(0)", "for n := range each {"},
		"func() {\n\tdefer low(0)\n}()":                                               {"return 10 / n // low", "}()", "}()"},
		"var i interface{ Value() int } = T{}\ni.Value()":                             {"return 10 / n // low", "func (t T) Value() int { return low(t.n) }", "i.Value()"},
		"g := T{}.Value\ng()":                                                         {"return 10 / n // low", "func (t T) Value() int { return low(t.n) }", "g()"},
		"func low(n int) int { return 20 / n }\n(&T{}).Pointer()":                     {"func low(n int) int { return 20 / n }", "func (t T) Value() int { return low(t.n) }", "return t.Value() + 1", "(&T{}).Pointer()"},
		"var m map[string]int\nset := func() { m[`a`]++ }; if true {\n\t\tset()\n\t}": {"set := func() { m[`a`]++ }; if true {", "set()"},
	} {
		s := newTestSession(t)
		for _, cell := range cells {
			if text := printed(s, cell); text != "" {
				t.Fatalf("%s\nprints %s", cell, text)
			}
		}
		var got []string
		s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
			if e, ok := content.(protocol.Error); ok {
				for i, line := range e.Traceback {
					if inCell.MatchString(line) {
						shown := ""
						if i+1 < len(e.Traceback) {
							shown, _ = strings.CutPrefix(e.Traceback[i+1], "    ")
						}
						got = append(got, shown)
					}
				}
			}
		})
		s.Close()
		if !slices.Equal(got, want) {
			t.Errorf("%s\nshows %q\nwant  %q", code, got, want)
		}
	}
}
