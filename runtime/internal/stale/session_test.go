//go:build !race

package stale_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
)

// play runs cells, each given as "id: source", and returns what each shows: streams, displays and
// values, in their order.
func play(t *testing.T, s *session.Session, cells ...string) (shown []string) {
	t.Helper()
	for _, c := range cells {
		id, source, _ := strings.Cut(c, ": ")
		var text strings.Builder
		reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: source, StoreHistory: true, Cell: id}, func(content protocol.Content) {
			switch content := content.(type) {
			case protocol.Stream:
				text.WriteString(content.Text)
			case protocol.DisplayData:
				fmt.Fprintf(&text, "{%s}", content.Data["text/plain"])
			case protocol.ExecuteResult:
				fmt.Fprint(&text, content.Data["text/plain"])
			}
		})
		shown = append(shown, text.String()+reply.Evalue)
	}
	return shown
}

const hint = " (%stale says why, %rerun stale runs them again)"

// sequences are cells as a user runs them, and what they show.
var sequences = []struct {
	name  string
	cells []string
	want  []string
}{
	{"a value that changes makes its readers stale, and theirs",
		[]string{"a: n := 3", "b: m := n * 2", "c: m + 1", "d: \"x\"", "a: n := 10", "e: %stale", "f: %rerun stale", "g: %stale"},
		[]string{"", "", "7", "x", "{stale: [2] and [3]" + hint + "}",
			"[2] stale: m := n * 2\n    [5] changed n\n[3] stale: m + 1\n    m is of [2], which is stale\n%rerun stale runs the stale cells again.\n",
			"[2] m := n * 2\n[3] m + 1\n{21}", "no cell is stale\n"}},
	{"a cell that runs again with the same result makes nothing stale",
		[]string{"a: n := 3; xs := []int{2, 1}", "b: n", "c: slices.Max(xs)", "a: xs := []int{2, 1}; n := 1 + 2"},
		[]string{"", "3", "2", ""}},
	{"a function counts by its text",
		[]string{"a: func f() int { return 1 }", "b: f()", "a: func f() int {\n\treturn 1 // one\n}", "a: func f() int { return 2 }"},
		[]string{"", "1", "", "{stale: [2]" + hint + "}"}},
	{"a function that leaves its argument alone writes nothing, and one that sorts it writes",
		[]string{"a: xs := []int{3, 1}", "b: xs[0]", "c: sort.Ints(xs)", "d: xs[0]", "c: sort.Sort(sort.Reverse(sort.IntSlice(xs)))"},
		[]string{"", "3", "", "1", "{stale: this cell, since it used the xs that it had changed before, which is not the one of [1] above it (%stale lists all, %rerun stale runs them again)}"}},
	{"a cell that no longer defines a name",
		[]string{"a: n := 1", "b: n", "a: k := 1", "c: %stale"},
		[]string{"", "1", "{stale: [2]" + hint + "}", "[2] stale: n\n    no cell above defines n\n%rerun stale runs the stale cells again.\n"}},
	{"a cell below that changes a value is no reason",
		[]string{"a: n := 3", "b: n * 2", "c: n = 10", "d: %stale"},
		[]string{"", "6", "", "[2] overtaken: n * 2\n    [3] changed n\n"}},
	{"a cell that counts is run from its beginning",
		[]string{"a: n := 1", "b: n++", "c: n", "b: n += 10", "d: %rerun stale", "e: n"},
		[]string{"", "", "2", "{stale: this cell, since it used the n that it had changed before, which is not the one of [1] above it (%stale lists all, %rerun stale runs them again)}",
			"[1] n := 1\n[4] n += 10\n[3] n\n{11}", "11"}},
	{"parts that are assigned once more",
		[]string{"a: p := struct{ A, B int }{1, 2}", "b: p.A = 3", "b: p.A = 3", "c: %stale"},
		[]string{"", "", "", "no cell is stale\n"}},
	{"an assignment to a variable changes what a pointer to it refers to",
		[]string{"a: p := struct{ A, B int }{1, 2}", "b: q := &p", "c: p.A = 3", "d: q.A", "c: p.A = 4"},
		[]string{"", "", "", "3", "{stale: [4]" + hint + "}"}},
	{"a function that keeps its argument",
		[]string{"a: p := struct{ A, B int }{1, 2}; type T = struct{ A, B int }; var kept *T; func keep(t *T) { kept = t }", "b: keep(&p)", "c: p.A = 3", "d: kept.A", "c: p.A = 4"},
		[]string{"", "", "", "3", "{stale: [4]" + hint + "}"}},
	{"an assignment that may not run",
		[]string{"a: n := 1", "b: if true { n = 5 }", "c: n", "b: if false { n = 5 }"},
		[]string{"", "", "5", "{stale: this cell, since it used the n that it had changed before, which is not the one of [1] above it (%stale lists all, %rerun stale runs them again)}"}},
	{"an assignment that a panic has prevented",
		[]string{"a: n := 1", "b: n = 5", "c: n", "b: []int{}[n-n]++; n = 5"},
		[]string{"", "", "5", "{stale: this cell, since it used the n that it had changed before, which is not the one of [1] above it (%stale lists all, %rerun stale runs them again)}index out of range [0] with length 0"}},
	{"fields of a variable",
		[]string{"a: p := struct{ N, M int; S []int }{1, 2, nil}; q := &p", "b: p.N", "c: q.N", "d: p", "a: p := struct{ N, M int; S []int }{1, 3, nil}; q := &p"},
		[]string{"", "1", "1", "{1 2 []}", "{stale: [4]" + hint + "}"}},
	{"a method and its receiver",
		[]string{"a: type C struct{ n int }; func (c *C) Add() { c.n++ }", "b: c := C{}", "c: c.n", "d: c.Add()", "e: c.n", "b: c := C{5}"},
		[]string{"", "", "0", "", "1", "{stale: [3], [4] and [5]" + hint + "}"}},
	{"function values",
		[]string{"a: k := 1", "b: add := func(n int) int { return n + k }", "c: add(2)", "a: k := 5", "b: add := func(n int) int { return n - k }"},
		[]string{"", "", "3", "{stale: [3]" + hint + "}", ""}},
	{"the line can be switched off",
		[]string{"a: n := 3", "b: n", "c: %stale off", "a: n := 4", "d: %stale maybe", "e: %rerun"},
		[]string{"", "3", "", "", "%stale: unknown argument \"maybe\", want on, off or none", "%rerun: write %rerun stale as the only line of a cell"}},
	{"an error and its repair",
		[]string{"a: k := 1", "b: n + 1", "a: n := 1; k := 1", "c: %stale", "d: %reset", "e: %stale"},
		[]string{"", "undefined: n", "{stale: possibly [2]" + hint + "}", "[2] possibly stale: n + 1\n    [3] defines n\n%rerun stale runs the stale cells again.\n", "", "no cell is stale\n"}},
}

func TestStaleCellsAreNamed(t *testing.T) {
	for _, q := range sequences {
		t.Run(q.name, func(t *testing.T) {
			s := sessiontest.New(t)
			got := play(t, s, q.cells...)
			for i := range q.cells {
				if line, _, _ := strings.Cut(got[i], "\n"); got[i] != q.want[i] && line != q.want[i] {
					t.Errorf("cell %q shows\n%s\nwant\n%s", q.cells[i], got[i], q.want[i])
				}
			}
		})
	}
}

// TestCellsWithoutIDsAreNeverStale runs a session whose client sends no IDs, as a terminal.
func TestCellsWithoutIDsAreNeverStale(t *testing.T) {
	s := sessiontest.New(t)
	got := play(t, s, ": n := 1", ": n", ": n := 2", ": %stale", ": %flow")
	if want := "[2] overtaken: n\n    [3] changed n\n"; got[3] != want || got[2] != "" {
		t.Errorf("shown %q, want %q", got, want)
	}
	if want := "{[1] n := 1\n[2] n; n of [1]\n[3] n := 2\n}"; got[4] != want {
		t.Errorf("the graph is %q, want %q", got[4], want)
	}
}

// TestThePictureIsWellFormed draws a long graph, whose cells contain characters that XML reserves.
func TestThePictureIsWellFormed(t *testing.T) {
	s := sessiontest.New(t)
	cells := []string{"c0: a0 := 1; s := \"<&>\""}
	for i := range 40 {
		cells = append(cells, fmt.Sprintf("c%d: a%d := a%d + a%d // <b>&", i+1, i+1, i, i/3))
	}
	play(t, s, cells...)
	play(t, s, "c5: a5 := a4 * 7")
	var page string
	s.Execute(context.Background(), protocol.ExecuteRequest{Code: "%flow"}, func(content protocol.Content) {
		if d, ok := content.(protocol.DisplayData); ok {
			page = d.Data["text/html"].(string)
		}
	})
	if n := strings.Count(page, "<svg"); n != 2 {
		t.Errorf("%d drawings, want the graph and its overview", n)
	}
	if err := wellFormed(page); err != nil {
		t.Errorf("%v in\n%s", err, page)
	}
}

// TestARefusedCellChangesNothing declares names in a cell that is checked and cannot be linked.
func TestARefusedCellChangesNothing(t *testing.T) {
	s := sessiontest.New(t)
	got := play(t, s, "a: n := 1; func f() int { return n }", "b: f()", "c: func f() int { return 5 }\nfunc g()", "a: n := 2; func f() int { return n }")
	if got[1] != "1" || got[2] == "" || got[3] != "{stale: [2]"+hint+"}" {
		t.Errorf("shown %q", got)
	}
}

// TestRepliesDoNotWaitForMarks runs cells whose results are not settled: a cell that follows
// settles them, with the values that they have left.
func TestRepliesDoNotWaitForMarks(t *testing.T) {
	s, err := session.New(sessiontest.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var text strings.Builder
	publish := func(content protocol.Content) {
		if d, ok := content.(protocol.DisplayData); ok {
			fmt.Fprint(&text, d.Data["text/plain"])
		}
	}
	reply := func(id, source string) {
		s.Reply(context.Background(), protocol.ExecuteRequest{Code: source, StoreHistory: true, Cell: id}, publish)
	}
	reply("a", "n := 3")
	reply("b", "m := n")
	reply("a", "n := 4")
	if text.Len() > 0 {
		t.Errorf("before it is settled: %s", &text)
	}
	reply("c", "n = 3") // the n of a is 4 all the same
	if got, want := text.String(), "stale: [2]"+hint; got != want {
		t.Errorf("the next cell says %q, want %q", got, want)
	}
	s.Settle()
	s.Settle()
	if got, want := play(t, s, "d: %stale")[0], "[2] stale: m := n"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
