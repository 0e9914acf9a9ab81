package vet

import (
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/packages"
)

func openSession(t testing.TB) *check.Session {
	t.Helper()
	var archive []byte
	for _, name := range []string{"shared.bin", runtime.GOOS + "_" + runtime.GOARCH + ".bin"} {
		data, err := os.ReadFile(filepath.Join("..", "symbols", "archive", name))
		if err != nil {
			t.Fatal(err)
		}
		archive = append(archive, data...)
	}
	store, err := packages.Open(string(archive))
	if err != nil {
		t.Fatal(err)
	}
	return check.NewSession(store)
}

func checked(t testing.TB, s *check.Session, source string) *check.Checked {
	t.Helper()
	parsed, err := cell.Parse(1, source)
	if err != nil {
		t.Fatalf("%q: %v", source, err)
	}
	c, err := s.Check(parsed)
	if err != nil {
		t.Fatalf("%q: %v", source, err)
	}
	return c
}

func TestSuspiciousCellsAreWarnedAbout(t *testing.T) {
	cases := []struct{ source, want string }{
		{"fmt.Printf(\"%d\\n\", \"x\")", "1:13: fmt.Printf format %d has arg \"x\" of wrong type string"},
		{"fmt.Printf(\"%d %d\\n\", 1)", "1:16: fmt.Printf format %d reads arg #2, but call has 1 arg"},
		{"fmt.Println(\"n = %d\", 3)", "1:1: fmt.Println call has possible Printf formatting directive %d"},
		{"func logf(format string, a ...any) { fmt.Printf(format, a...) }\nlogf(\"%d\", \"x\")", "2:7: logf format %d has arg \"x\" of wrong type string"},
		{"var mu sync.Mutex\nother := mu", "2:10: assignment copies lock value to other: sync.Mutex"},
		{"func f(mu sync.Mutex) {}", "1:11: f passes lock by value: sync.Mutex"},
		{"func f() int {\n\treturn 1\n\tpanic(2)\n}", "3:2: unreachable code"},
		{"x := 1\nx = x", "2:1: self-assignment of x"},
		{"ctx, cancel := context.WithCancel(context.Background())\n_ = ctx\n_ = cancel", ""},
		{"func f() context.Context {\n\tctx, _ := context.WithCancel(context.Background())\n\treturn ctx\n}", "2:7: the cancel function returned by context.WithCancel should be called, not discarded, to avoid a context leak"},
		{"n := 65\ns := string(n)", "2:6: conversion from int to string yields a string of one rune, not a string of digits"},
		{"type T struct { A int `json:a` }", "1:17: struct field tag `json:a` not compatible with reflect.StructTag.Get: bad syntax for struct tag value"},
		{"var v struct{ A int }\njson.Unmarshal(nil, v)", "2:15: call of Unmarshal passes non-pointer as second argument"},
		{"x := 1\nif x == 1 || x == 1 {\n}", "2:4: redundant or: x == 1 || x == 1"},
		{"x := int8(1)\n_ = x << 9", "2:5: x (8 bits) too small for shift of 9"},
		{"func f() {}\nif f == nil {\n}", "2:4: comparison of function f == nil is always false"},
		{"var wg sync.WaitGroup\ngo func() { wg.Add(1); wg.Done() }()", "2:19: WaitGroup.Add called from inside new goroutine"},
		{"time.Now().Format(\"2006-02-01\")", "1:20: 2006-02-01 should be 2006-01-02"},
		{"xs := []int{1}\nxs = append(xs)", "2:6: append with no values"},
		{"strings.ToUpper(\"x\")\nfmt.Println()", "1:1: result of strings.ToUpper is not used: it changes nothing by itself"},
		{"strings.ToUpper(\"x\")", ""},
		{"t := time.Now()\nt.Add(time.Hour)\nt.Year()", "2:1: result of t.Add is not used: it changes nothing by itself"},
		{"func f() { fmt.Sprintf(\"x\") }", "1:12: result of fmt.Sprintf is not used: it changes nothing by itself"},
		{"for _, name := range []string{\"a\"} {\n\tf, err := os.Open(name)\n\t_ = err\n\tdefer f.Close()\n}", "4:2: deferred in a loop: it runs when the function or the cell ends, not at the end of the round"},
		{"half := 1 / 2", "1:9: 1 / 2 is 0: both are integers; 1.0 / 2 has a fraction"},
		{"var half float64 = 3 / 2", "1:20: 3 / 2 is 1: both are integers; 3.0 / 2 has a fraction"},
		{"var whole float64 = 4 / 2", ""},
		{"cube := 2 ^ 3", "1:9: 2 ^ 3 is 1: ^ is exclusive or; the power is math.Pow(2, 3)"},
		{"thousand := 1.5 * (10 ^ 3)", "1:20: 10 ^ 3 is 9: ^ is exclusive or; the power is math.Pow(10, 3)"},
		{"a := 0x2 ^ 0x3\nb := 6 ^ 3\nc := 2 ^ a ^ b", ""},
		{"whole := 4 / 2\nhalf := 1.0 / 2", ""},
		{"x := 1.0\nx == math.NaN()", "2:1: nothing equals NaN, not even itself: use math.IsNaN"},
		{"import \"gosphere/runtime/magic\"\nmagic.Timeit(func() { strings.ToUpper(\"x\") }, \"\")\nfmt.Println()", ""},
		{"func twice(f func()) { f(); f() }\ntwice(func() { strings.ToUpper(\"x\") })\nfmt.Println()", "2:16: result of strings.ToUpper is not used: it changes nothing by itself"},
		{"strings.Map(func(r rune) rune { fmt.Print(r); return r }, \"x\")\nfmt.Println()", ""},
		{"for range 3 {\n\tfunc() { defer fmt.Println() }()\n}", ""},
		{"for range 2 {\n\tfor range 2 {\n\t\tdefer fmt.Println()\n\t}\n}", "3:3: deferred in a loop: it runs when the function or the cell ends, not at the end of the round"},
		{"x, y := 1, 2\n_ = x / y\n_ = 7 / 0.5", ""},
		{"package main\nfunc main() { x := 1; x = x }", ""},
		{"type L struct{}\nfunc (L) Logf[T any](format string, args ...any) { fmt.Printf(format, args...) }\nL{}.Logf[int](\"%d\", \"x\")", "3:16: (L).Logf format %d has arg \"x\" of wrong type string"},
		{"type B struct{ mu sync.Mutex }\ntype C struct{ B; n int }\nfunc (c C) Get[T any]() (t T) { return }", "3:9: Get passes lock by value: C contains B contains sync.Mutex"},
		{"type T struct{}\nfunc (T) Set[X any](x X) X { x = x; return x }", "2:30: self-assignment of x"},
		{"type T struct{}\nfunc (T) Get[X any]() (x X) {\n\treturn x\n\tpanic(1)\n}", "4:2: unreachable code"},
		{"type P struct { X, Y int }\ntype Q struct { P; n int }\n_ = Q{X: 1, Y: 2}", ""},
		{"type P struct { mu sync.Mutex }\ntype Q struct { P; n int }\nq := Q{n: 1}\n_ = struct{ Q }{Q: q}", "4:20: literal copies lock value from q: Q contains P contains sync.Mutex"},
		{"func same[T any](t T) T { return t }\nfs := []func(int) int{same}\nfs[0](1)", ""},
		{"type T struct{}\nfunc (T) MarshalJSON[X any](x X) string { return \"\" }", ""},
		{"strings.CutLast(\"a\", \"b\")\nfmt.Println()", "1:1: result of strings.CutLast is not used: it changes nothing by itself"},
		{"import \"uuid\"\nid := uuid.New()\nfmt.Printf(\"%s %d\\n\", id, id)", ""},
	}
	s := openSession(t)
	for _, c := range cases {
		var got []string
		for _, w := range Warnings(checked(t, s, c.source)) {
			got = append(got, fmt.Sprintf("%d:%d: %s", w.Line, w.Column, w.Message))
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%q\ngot  %s\nwant %s", c.source, strings.Join(got, "\n"), c.want)
		}
	}
}

// A panic of one analysis must affect neither the cell nor the other analyses.
func TestAnalysesThatFailAreLeftOut(t *testing.T) {
	c := checked(t, openSession(t), "x := 1")
	d := &driver{checked: c, results: map[*analysis.Analyzer]any{}, facts: map[types.Object][]analysis.Fact{}}
	runs := 0
	panics := &analysis.Analyzer{Name: "panics", Run: func(*analysis.Pass) (any, error) { runs++; panic("defect") }}
	fails := &analysis.Analyzer{Name: "fails", Run: func(*analysis.Pass) (any, error) { runs++; return 1, errors.New("failed") }}
	needs := &analysis.Analyzer{Name: "needs", Requires: []*analysis.Analyzer{panics, fails}, Run: func(p *analysis.Pass) (any, error) {
		p.Reportf(c.Cell.Statements.FileStart, "of no place in the cell")
		return len(p.ResultOf), nil
	}}
	for range 2 {
		if got := d.run(needs); got != 2 {
			t.Errorf("the analysis that needs them gives %v", got)
		}
		if d.run(panics) != nil || d.run(fails) != nil || runs != 2 {
			t.Errorf("they give %v and %v after %d runs", d.run(panics), d.run(fails), runs)
		}
	}
}

func BenchmarkWarnings(b *testing.B) {
	c := checked(b, openSession(b), `func mean(xs []float64) (m float64) {
	for _, x := range xs { m += x }
	return m / float64(len(xs))
}
xs := []float64{1, 2, 3}
for i, x := range xs {
	fmt.Printf("%d %.2f\n", i, x)
}
fmt.Println(strings.ToUpper("mean"), mean(xs))`)
	for b.Loop() {
		Warnings(c)
	}
}
