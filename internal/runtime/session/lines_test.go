package session

import (
	"context"
	"strings"
	"testing"

	"gosphere/internal/kernel/protocol"
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
