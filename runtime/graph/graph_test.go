package graph_test

import (
	"slices"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/graph"
)

// notebookOf returns a notebook with the cells that lines "---" divide.
func notebookOf(text string) *nbformat.Notebook {
	n := nbformat.New()
	for source := range strings.SplitSeq(text, "\n---\n") {
		n.Add(nbformat.Code, source)
	}
	return n
}

// connected are short notebooks and the text of their graphs.
var connected = []struct{ name, cells, want string }{
	{"a variable is defined, read and changed", "x := 1\n---\nx + 1\n---\nx = 5\n---\nx++", `
1: defines x
2: uses x reads x
3: uses x changes x
4: uses x reads x changes x`},
	{"a later statement of the cell reads its own value", "x := 1\n---\nx = 2\nprintln(x)\n---\ny := x\nx := y + x\nx", `
1: defines x
2: uses x changes x
3: defines y x uses x reads x`},
	{"functions have the effects of their bodies", "n := 0\nfunc add() { n++ }\n---\nfunc twice() { add(); add() }\n---\ntwice()\n---\nn", `
1: defines n add
2: defines twice uses add
3: uses twice reads add n twice changes n
4: uses n reads n`},
	{"elements, fields and pointers", "type P struct{ X, Y int }\np := P{1, 2}\nxs := []int{1, 2}\nm := map[string]int{}\n---\np.X = 3\nxs[0] = 4\nm[\"a\"]++\n---\nq := &p\n---\nq.Y = 7\n---\ndelete(m, \"a\")\nclear(xs)", `
1: defines P p xs m
2: uses p xs m reads p xs m changes p xs m
3: defines q uses p reads p
4: uses q reads q changes p? q
5: uses m xs reads m xs changes m xs`},
	{"methods by pointer and by value", "type C struct{ n int }\nfunc (c *C) Add() { c.n++ }\nfunc (c C) Get() int { return c.n }\nvar c C\n---\nc.Add()\n---\nc.Get()", `
1: defines C C.Add C.Get c
2: uses c C.Add reads c C C.Add changes c
3: uses c C.Get reads c C C.Get`},
	{"arguments of functions of cells", "func fill(xs []int, v int) { for i := range xs { xs[i] = v } }\nfunc sum(xs []int) (s int) { for _, x := range xs { s += x }; return }\nfunc both(a, b []int) { fill(a, 1); sum(b) }\nxs, ys := make([]int, 3), make([]int, 3)\n---\nfill(xs, 2)\n---\nsum(xs)\n---\nboth(xs, ys)", `
1: defines fill sum both xs ys
2: uses fill xs reads fill xs changes xs
3: uses sum xs reads sum xs
4: uses both xs ys reads both fill sum xs ys changes xs`},
	{"variadic parameters", "func set(v int, all ...*int) { for _, p := range all { *p = v } }\na, b := 1, 2\n---\nset(3, &a, &b)", `
1: defines set a b
2: uses set a b reads set a b changes a b`},
	{"arguments of compiled functions", "import \"sort\"\nxs := []int{3, 1}\n---\nsort.Ints(xs)\n---\nfmt.Println(xs)\n---\nslices.Max(xs)", `
1: defines xs
2: uses xs reads xs changes xs?
3: uses xs reads xs
4: uses xs reads xs`},
	{"slices share memory, copies do not", "xs := []int{1, 2}\nys := xs[:1]\nzs := slices.Clone(xs)\n---\nys[0] = 5\n---\nzs[0] = 6\n---\nys = nil\n---\nys = append(ys, 1)\nys[0] = 3", `
1: defines xs ys zs
2: uses ys reads ys changes xs? ys
3: uses zs reads zs changes zs
4: uses ys changes ys
5: uses ys reads ys changes ys`},
	{"function values", "n := 0\ninc := func() { n++ }\n---\ninc()\n---\nvar g func() = inc\n---\ng()", `
1: defines n inc
2: uses inc reads inc n changes n
3: defines g uses inc reads inc n changes n
4: uses g reads g n? changes g? inc? n? (calls or passes on the function value g)`},
	{"methods by way of interfaces", "type S interface{ Set(int) }\ntype A struct{ v int }\nfunc (a *A) Set(v int) { a.v = v; last = v }\nvar last int\nvar s S = &A{}\n---\ns.Set(3)\n---\nlast", `
1: defines S A A.Set last s
2: uses s reads A A.Set s changes last s?
3: uses last reads last`},
	{"a displayed value has its methods", "type T int\n---\nfunc (t T) String() string { return prefix }\nprefix := \"t\"\n---\nt := T(1)\n---\nt", `
1: defines T
2: defines T.String prefix uses T
3: defines t uses T reads T
4: uses t reads T T.String prefix t`},
	{"constants and types", "const n = 3\ntype V [n]int\n---\nvar v V\n---\nlen(v)", `
1: defines n V
2: defines v uses V reads V n
3: uses v reads v`},
	{"a goroutine and a channel", "c := make(chan int, 1)\n---\ngo func() { c <- 1 }()\n---\n<-c", `
1: defines c
2: uses c reads c changes c (starts a goroutine)
3: uses c reads c changes c`},
	{"errors and magics", "x := y\n---\n%nothing\n---\n%time z := 1\n---\nz", `
1: error 1:6 undefined: y
2: error 1:1 unknown magic %nothing; %help lists all magics
3: defines z
4: uses z reads z`},
	{"reset", "x := 1\n---\n%reset\n---\nx := 2\n---\nx", `
1: defines x
2:
3: defines x
4: uses x reads x`},
}

// TestCellsAreConnected compares the graphs of short notebooks with those that a reader determines.
func TestCellsAreConnected(t *testing.T) {
	for _, c := range connected {
		t.Run(c.name, func(t *testing.T) {
			got := graph.Build(notebookOf(c.cells), sessiontest.Packages(t)).String()
			if want := strings.TrimPrefix(c.want, "\n") + "\n"; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestStaleCells determines the cells that must run again after one has changed.
func TestStaleCells(t *testing.T) {
	g := graph.Build(notebookOf("n := 2\n---\nxs := make([]int, n)\n---\nname := \"a\"\n---\nfunc f() int { return len(xs) }\n---\nf()\n---\nname\n---\nxs = nil\n---\nf()"), sessiontest.Packages(t))
	for _, c := range []struct{ changed, want []int }{
		{[]int{1}, []int{2, 5, 8}},
		{[]int{3}, []int{6}},
		{[]int{4}, []int{5, 8}},
		{[]int{7}, []int{8}},
		{[]int{8}, nil},
		{[]int{2, 3}, []int{5, 6, 8}},
	} {
		if got := g.Stale(c.changed, true); !slices.Equal(got, c.want) {
			t.Errorf("after %v: stale %v, want %v", c.changed, got, c.want)
		}
	}
	for number, want := range map[int][]int{5: {1, 2, 4}, 6: {3}, 8: {1, 2, 4, 7}, 3: nil} {
		if got := g.Order(number); !slices.Equal(got, want) {
			t.Errorf("cell %d needs %v, want %v", number, got, want)
		}
	}
}
