//go:build unix

package session

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// growing lists pieces of code whose time is proportional to n in compiled Go.
var growing = map[string]string{
	"for":                            `k := 0; for i := 0; i < n; i++ { k += i }; _ = k`,
	"for without post":               `for i := 0; i < n; { i++ }`,
	"for without condition":          `for i := 0; ; i++ { if i > n { break } }`,
	"for with a captured variable":   `k := 0; for i := 0; i < n; i++ { func() { k += i }() }; _ = k`,
	"goto":                           "i := 0\nagain:\ni++\nif i < n { goto again }",
	"range over a number":            `k := 0; for i := range n { k += i }; _ = k`,
	"range over a string":            `k := 0; for i, r := range strings.Repeat("aé", n) { k += i + int(r) }; _ = k`,
	"range over a string's runes":    `k := 0; for _, r := range strings.Repeat("ab", n) { k += int(r) }; _ = k`,
	"range over a string's offsets":  `k := 0; for i := range strings.Repeat("é", n) { k += i }; _ = k`,
	"range over a string, left":      `s := strings.Repeat("a", n); for i := range n { for _, r := range s[i:] { _ = r; break } }`,
	"range over a slice":             `k := 0; for i, x := range make([]int, n) { k += i + x }; _ = k`,
	"range over a slice, left":       `s := make([]int, n); for i := range s { for _, x := range s[i:] { _ = x; break } }`,
	"range over a pointer to array":  `a := new([64000]int); k := 0; for i := range a { if i > n { break }; k += a[i] }; _ = k`,
	"range over an array's pointer":  `a := new([64000]int); k := 0; for i, x := range a { if i > n { break }; k += x }; _ = k`,
	"range over a map":               `m := map[int]int{}; for i := range n { m[i] = i }; k := 0; for i, x := range m { k += i + x }; _ = k`,
	"range over a map, left":         `m := map[int]int{}; for i := range n { m[i] = i; for range m { break } }`,
	"range over a map and delete":    `m := map[int]bool{}; for i := range n { m[i] = true }; for i := range m { delete(m, i) }`,
	"range over a channel":           `c := make(chan int, 100); go func() { for i := range n { c <- i }; close(c) }(); k := 0; for x := range c { k += x }; _ = k`,
	"range over a function":          `k := 0; seq := func(yield func(int) bool) { for i := 0; i < n && yield(i); i++ { } }; for x := range seq { k += x }; _ = k`,
	"range over slices.Values":       `k := 0; for x := range slices.Values(make([]int, n)) { k += x }; _ = k`,
	"indices of a string":            `s := strings.Repeat("ab", n); k := 0; for i := 0; i < len(s); i++ { k += int(s[i]) }; _ = k`,
	"slices of a string":             `s := strings.Repeat("ab", n); k := 0; for len(s) > 1 { if s[:2] == "ab" { k++ }; s = s[2:] }; _ = k`,
	"append":                         `var xs []int; for i := range n { xs = append(xs, i) }`,
	"append of structs":              `type p struct { a, b int; c string }; var xs []p; for i := range n { xs = append(xs, p{i, i, ""}); xs[i].a++ }`,
	"append to a field":              `var s struct{ xs []byte }; for range n { s.xs = append(s.xs, 'a') }`,
	"a stack of slices":              `var xs []any; for i := range n { xs = append(xs, i) }; for len(xs) > 0 { _ = xs[len(xs)-1]; xs = xs[:len(xs)-1] }`,
	"a queue of slices":              `xs := []int{0}; for i := range n { xs = append(xs, i, i); xs = xs[1:] }`,
	"maps of strings":                `m := map[string]int{}; for i := range n { m[fmt.Sprint(i%100)]++ }`,
	"maps of structs":                `type p struct { x, y int }; m := map[p][]int{}; for i := range n { k := p{i % 9, i}; m[k] = append(m[k], i) }`,
	"a list of pointers":             `type node struct { next *node; v int }; var l *node; for i := range n { l = &node{l, i} }; k := 0; for ; l != nil; l = l.next { k += l.v }; _ = k`,
	"a switch":                       `k := 0; for i := range n { switch { case i%3 == 0: k++; case i%3 == 1: k += 2; default: k-- } }; _ = k`,
	"a type switch":                  `k := 0; for i := range n { var x any = i; if i%2 == 0 { x = "s" }; switch v := x.(type) { case int: k += v; case string: k += len(v) } }; _ = k`,
	"select":                         `c := make(chan int, 1); for i := range n / 4 { select { case c <- i: case <-c: default: } }`,
	"defer":                          `for range n / 4 { func() { defer func() {}() }() }`,
	"many deferred calls":            `for range n / 4 { defer func() {}() }`,
	"panic and recover":              `for i := range n / 8 { func() { defer func() { recover() }(); panic(i) }() }`,
	"goroutines":                     `var w sync.WaitGroup; for range n / 8 { w.Add(1); go func() { w.Done() }() }; w.Wait()`,
	"closures":                       `var fs []func() int; for i := range n { fs = append(fs, func() int { return i }) }; k := 0; for _, f := range fs { k += f() }; _ = k`,
	"interfaces":                     `var xs []error; for i := range n { xs = append(xs, fail(i)) }; k := 0; for _, x := range xs { k += len(x.Error()) }; _ = k`,
	"boxed slices":                   `var held any = make([]int, n); k := 0; for range n { k += len(held.([]int)) }; _ = k`,
	"arguments that are slices":      `xs := make([]fail, n); k := 0; for range n { k += lengthOf(xs) }; _ = k`,
	"arguments that are any":         `xs := make([]fail, n); k := 0; for range n { k += lengthOfAny(xs) }; _ = k`,
	"copied structs with arrays":     `type p struct { a [4]int }; var x p; for i := range n { y := x; y.a[i%4]++; x = y }`,
	"recursion":                      `var f func(int) int; f = func(k int) int { if k == 0 { return 0 }; return 1 + f(k-1) }; for range n / 100 { f(100) }`,
	"deep recursion":                 `deep(n / 8)`,
	"a generic function":             `k := 0; for i := range n { k += larger(i, k) - k }; _ = k`,
	"conversions of bytes":           `b := []byte{}; for i := range n { b = append(b, string(rune('a' + i%26))...) }; _ = string(b)`,
	"a builder":                      `var b strings.Builder; for i := range n { b.WriteByte(byte(i)); b.WriteRune('é') }; _ = b.String()`,
	"printing":                       `for i := range n / 4 { fmt.Println(i) }`,
	"a sort with a function":         `xs := make([]int, n); for i := range xs { xs[i] = -i }; sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })`,
	"elements of an array variable":  `var a [64000]int; for i := range n { a[i]++; a[i] += a[n-1-i] }`,
	"elements of an array in struct": `var s struct { a [64000]int }; p := &s; for i := range n { s.a[i]++; p.a[i] += p.a[0] }`,
}

const growingTypes = `type fail int
func (f fail) Error() string { return "f" }
func lengthOf(xs []fail) int { return len(xs) }
func lengthOfAny(x any) int { return len(x.([]fail)) }
func deep(k int) int { if k == 0 { return 0 }; return 1 + deep(k-1) }
func larger[T int | string](a, b T) T { if a > b { return a }; return b }`

// processorTime returns the CPU time that the process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// growsTooFast compares the CPU time of work(n) with that of work(8*n). Linear work takes 8 times
// as long, and quadratic work 64 times. Disturbances only increase measurements, so it uses the
// shortest of several.
func growsTooFast(t *testing.T, n int, work func(n int)) (small, large time.Duration, tooFast bool) {
	t.Helper()
	if os.Getenv("GOSPHERE_LARGE") == "" {
		t.Skip("measures time: make large runs it")
	}
	const allowed, noise = 24, 40 * time.Millisecond
	measure := func(n int, best *time.Duration) {
		before := processorTime(t)
		work(n)
		if used := processorTime(t) - before; *best == 0 || used < *best {
			*best = used
		}
	}
	for range 4 {
		measure(8*n, &large)
		measure(n, &small)
		if large <= allowed*small+noise {
			return small, large, false
		}
	}
	return small, large, true
}

func TestStatementsTakeTimeInProportion(t *testing.T) {
	s := newTestSession(t)
	silent := func(protocol.Content) {}
	if end := s.play(1, growingTypes, silent); end.failure != nil {
		t.Fatal(end.failure)
	}
	number := 1
	for name, code := range growing {
		t.Run(name, func(t *testing.T) {
			number++
			if end := s.play(number, "func work(n int) {\n"+code+"\n}", silent); end.failure != nil {
				t.Fatal(end.failure)
			}
			small, large, tooFast := growsTooFast(t, 2000, func(n int) {
				number++
				if end := s.play(number, fmt.Sprintf("work(%d)", n), silent); end.failure != nil {
					t.Fatal(end.failure)
				}
			})
			if tooFast {
				t.Errorf("%v for n and %v for 8 n", small, large)
			}
		})
	}
}

// texts lists cells of n parts, whose compilation must take time proportional to n.
var texts = map[string]func(n int) string{
	"statements":  func(n int) string { return repeated(n, "x%d := 1\n_ = x%[1]d\n") },
	"assignments": func(n int) string { return "var x int\n" + repeated(n, "x = x + %d\n") },
	"prints":      func(n int) string { return repeated(n, "_ = fmt.Sprint(%d, \"a\")\n") },
	"functions":   func(n int) string { return repeated(n, "func f%d(x int) int { return x + 1 }\n") },
	"calls":       func(n int) string { return "func f(x int) int { return x }\n" + repeated(n, "f(%d)\n") },
	"functions that call": func(n int) string {
		return "func f0() int { return 0 }\n" + repeated(n, "func f1%d() int { return f0() }\n")
	},
	"types": func(n int) string { return repeated(n, "type T%d struct { a, b int }\n") },
	"methods": func(n int) string {
		return "type T int\n" + repeated(min(n, 500), "func (t T) M%d() int { return int(t) }\n")
	},
	"types with methods": func(n int) string {
		return repeated(n/4, "type T%d int\nfunc (t T%[1]d) M() int { return int(t) }\nvar v%[1]d any = T%[1]d(1)\n")
	},
	"constants":         func(n int) string { return "type E int\nconst (\n" + repeated(n, "C%d E = iota\n") + ")" },
	"fields":            func(n int) string { return "type T struct {\n" + repeated(n, "f%d int\n") + "}\nvar t T" },
	"elements":          func(n int) string { return "var xs = []int{\n" + repeated(n, "%d,\n") + "}" },
	"elements of a map": func(n int) string { return "var m = map[string]int{\n" + repeated(n, "\"k%d\": 1,\n") + "}" },
	"structs in a slice": func(n int) string {
		return "type P struct { a int; b string }\nvar ps = []P{\n" + repeated(n, "{%d, \"b\"},\n") + "}"
	},
	"cases": func(n int) string {
		return "func f(x int) int { switch x {\n" + repeated(n, "case %d: return 1\n") + "}; return 0 }"
	},
	"cases of types": func(n int) string {
		return "func f(x any) int { switch x.(type) {\n" + repeated(n/4, "case [%d]int: return 1\n") + "}; return 0 }"
	},
	"branches": func(n int) string {
		return "func f(x int) int {\n" + repeated(n, "if x == %d { return 1 }\n") + "return 0 }"
	},
	"literals":       func(n int) string { return repeated(n/2, "g%d := func() int { return 1 }\n") },
	"a long sum":     func(n int) string { return "x := 1\ny := 0" + repeated(n/4, " + x*%d") + "\n_ = y" },
	"a long string":  func(n int) string { return "x := \"a\"\ny := x" + repeated(n/4, " + \"b%d\"") + "\n_ = y" },
	"labels":         func(n int) string { return "func f() {\n" + repeated(n/4, "l%d:\nfor { break l%[1]d }\n") + "}" },
	"deferred calls": func(n int) string { return "func f() {\n" + repeated(n/2, "defer println(%d)\n") + "}" },
	"comments":       func(n int) string { return repeated(n, "// comment %d\n") + "x := 1" },
}

// repeated returns a text n times, with the number substituted for each %d.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestCellsCompileInProportionToTheirLength(t *testing.T) {
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			small, large, tooFast := growsTooFast(t, 100, func(n int) {
				s := newTestSession(t)
				for number := range 2 { // the second time, all names are already declared
					if end := s.play(number+1, text(n), func(protocol.Content) {}); end.failure != nil {
						t.Fatal(end.failure)
					}
				}
			})
			if tooFast {
				t.Errorf("%v for n and %v for 8 n", small, large)
			}
		})
	}
}

func TestCellsTakeNoLongerInALongSession(t *testing.T) {
	const n = 60
	small, large, tooFast := growsTooFast(t, n, func(n int) {
		s := newTestSession(t)
		for i := range n {
			text := fmt.Sprintf("type T%d struct { n int }\nfunc (t T%[1]d) Get() int { return t.n }\nvar x%[1]d any = T%[1]d{1}\nfunc f%[1]d() int { return %[1]d }\nf%[1]d()", i)
			if end := s.play(i+1, text, func(protocol.Content) {}); end.failure != nil {
				t.Fatal(end.failure)
			}
		}
	})
	if tooFast {
		t.Errorf("%v for %d cells and %v for 8 times as many", small, n, large)
	}
}

// rerunCells are cells that replace what they declare each time they run.
var rerunCells = map[string]string{
	"type":          "type T struct{ a int }\n" + methodsOf("func (t T) M%d(x int) int { return t.a + x + %[1]d }\n", 20),
	"embedded type": "type A struct{ a int }\nfunc (a *A) Inc() int { a.a++; return a.a }\ntype B struct{ A; b string }\nfunc (b B) String() string { return b.b }\nfunc NewB() *B { return &B{} }\nvar b = NewB(); b.Inc(); fmt.Sprint(b)",
	"generic type":  "type L[T any] struct{ a []T }\n" + methodsOf("func (l *L[T]) M%d(x T) int { l.a = append(l.a, x); return len(l.a) + %[1]d }\n", 8) + "l := &L[int]{}; l.M3(2); new(L[string]).M1(`a`)",
	"function":      "func f(x int) int { s := 0; for i := range x { s += i }; return s }\nf(3)",
	"generic":       "func g[T any](x T) []T { return []T{x} }\ng(3); g(`a`)",
	"callers":       "func f(x int) int { return x }\nfunc h(x int) int { return f(x) + 1 }\nfunc g[T any](x T) []T { h(1); return []T{x} }\nfunc k[T any](x T) int { return len(g(x)) }\nk(3); k(`a`); c := func() int { return f(2) }; c()",
	"variables":     "x := []int{1, 2, 3}; y := map[string]int{`a`: 1}; _, _ = x, y",
	"statement":     "fmt.Sprint(1, 2)",
}

// methodsOf repeats the text of a method with numbers.
func methodsOf(text string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, text, i)
	}
	return b.String()
}

// rerun plays a cell again and again, and returns the memory in use afterward and the time that it
// took.
func rerun(t *testing.T, s *Session, code string, n int) (memory int64, took time.Duration) {
	t.Helper()
	began := time.Now()
	for i := range n {
		if end, _, ok := playCell(s, i+1, code); !ok || end.failure != nil {
			t.Fatal(end.failure)
		}
	}
	took = time.Since(began)
	for range 3 {
		runtime.GC()
	}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc), took
}

// What a cell replaces is freed: declarations with the types of their checks, and code. What
// remains is the positions of cells, of which old code that still runs may need some.
func TestRerunCellsKeepLittleMemory(t *testing.T) {
	const warm, more, each = 100, 200, 10 << 10
	for name, code := range rerunCells {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			before, _ := rerun(t, s, code, warm)
			after, _ := rerun(t, s, code, more)
			if grown := after - before; grown > more*each {
				t.Errorf("%d reruns keep %d bytes each", more, grown/more)
			}
		})
	}
}

// TestTenThousandRerunsStayFlat measures time, so only make large runs it.
func TestTenThousandRerunsStayFlat(t *testing.T) {
	if os.Getenv("GOSPHERE_LARGE") == "" {
		t.Skip("make large measures it")
	}
	s := newTestSession(t)
	code := rerunCells["type"]
	rerun(t, s, code, 100)
	before, first := rerun(t, s, code, 900)
	rerun(t, s, code, 8000)
	after, last := rerun(t, s, code, 1000)
	t.Logf("%.1f MB and %v a cell after 1,000, %.1f MB and %v after 10,000", float64(before)/1e6, first/900, float64(after)/1e6, last/1000)
	const positions = 1 << 10 // of the 22 lines of a cell
	if after > before+9000*positions || last/1000 > 2*first/900 {
		t.Error("reruns do not stay flat")
	}
}
