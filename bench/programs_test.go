package main

import (
	"fmt"
	"path"
	"strings"
)

// A program is timed in four ways: as a cell, by yaegi alone, as compiled Go and, if python is not
// empty, by CPython. Declarations hold everything that the function Run needs.
type program struct {
	name         string
	declarations string
	run          string // body of func Run(n int) int; empty if the declarations have Run and imports
	python       string // body of def run(n), indented by four spaces
	size         int    // the n of one measurement, which is the number of operations for operations
}

const shapes = `type point struct { x, y int }
func (p point) sum() int { return p.x + p.y }
type summer interface { sum() int }
`

const branching = "func next(a, b int) int { if b&1 == 0 { return a + b }; return a - b }"

// operations are measured in nanoseconds each, including the loop around them.
var operations = []program{
	{"loop turn", "", "s := 0; for i := 0; i < n; i++ { s += i & 3 }; return s",
		"    s = 0\n    for i in range(n):\n        s += i & 3\n", 500_000},
	{"call", branching, "s := 0; for i := 0; i < n; i++ { s = next(s, i) }; return s",
		"    s = 0\n    for i in range(n):\n        s = after(s, i)\n", 100_000},
	{"call of one expression", "func add(a, b int) int { return a + b }", "s := 0; for i := 0; i < n; i++ { s = add(s, i) }; return s",
		"    s = 0\n    for i in range(n):\n        s = add(s, i)\n", 100_000},
	{"recursive call", "func down(n int) int { if n == 0 { return 0 }; return 1 + down(n-1) }", "s := 0; for i := 0; i < n/100; i++ { s += down(99) }; return s",
		"    s = 0\n    for i in range(n // 100):\n        s += down(99)\n", 100_000},
	{"closure call", "", "s := 0; f := func(i int) { s += i }; for i := 0; i < n; i++ { f(i) }; return s",
		"    s = 0\n    def f(i):\n        nonlocal s\n        s += i\n    for i in range(n):\n        f(i)\n", 100_000},
	{"method call", shapes, "p := point{1, 2}; s := 0; for i := 0; i < n; i++ { s += p.sum() }; return s",
		"    p = point(1, 2)\n    s = 0\n    for i in range(n):\n        s += p.sum()\n", 100_000},
	{"interface method call", shapes, "var p summer = point{1, 2}; s := 0; for i := 0; i < n; i++ { s += p.sum() }; return s",
		"    p = point(1, 2)\n    s = 0\n    for i in range(n):\n        s += p.sum()\n", 50_000},
	{"conversion of a struct", shapes, "p := point{1, 2}; var a any; for i := 0; i < n; i++ { a = p }; _ = a; return n", "", 100_000},
	{"conversion of an int", "", "var a any; for i := 0; i < n; i++ { a = i }; _ = a; return n", "", 100_000},
	{"assertion", shapes, "var a any = point{1, 2}; s := 0; for i := 0; i < n; i++ { s += a.(point).x }; return s", "", 100_000},
	{"index", "", "xs := make([]int, 64); s := 0; for i := 0; i < n; i++ { s += xs[i&63] }; return s",
		"    xs = [0] * 64\n    s = 0\n    for i in range(n):\n        s += xs[i & 63]\n", 200_000},
	{"map write", "", "m := map[int]int{}; for i := 0; i < n; i++ { m[i&1023] = i }; return len(m)",
		"    m = {}\n    for i in range(n):\n        m[i & 1023] = i\n", 200_000},
	{"map read", "", "m := map[int]int{1: 1}; s := 0; for i := 0; i < n; i++ { s += m[i&1] }; return s",
		"    m = {0: 0, 1: 1}\n    s = 0\n    for i in range(n):\n        s += m[i & 1]\n", 200_000},
	{"deferred call", "func d(p *int) { defer func() { *p++ }() }", "s := 0; for i := 0; i < n; i++ { d(&s) }; return s", "", 10_000},
	{"slices.Sort, by element", "", "xs := make([]int, n); for i := range xs { xs[i] = (i * 7919) % n }; slices.Sort(xs); return xs[0]",
		"    xs = [i * 7919 % n for i in range(n)]\n    xs.sort()\n", 50_000},
}

// programs are small programs that combine several operations, measured in milliseconds.
var programs = []program{
	{"fib(20)", "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }", "return fib(n)", "    return fib(n)\n", 20},
	{"matmul 50", "", "a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n); for i := 0; i < n; i++ { for j := 0; j < n; j++ { s := 0.0; for k := 0; k < n; k++ { s += a[i*n+k] * b[k*n+j] }; c[i*n+j] = s } }; return len(c)",
		"    a, b, c = [0.0]*(n*n), [0.0]*(n*n), [0.0]*(n*n)\n    for i in range(n):\n        for j in range(n):\n            s = 0.0\n            for k in range(n):\n                s += a[i*n+k] * b[k*n+j]\n            c[i*n+j] = s\n", 50},
	{"sieve 1e5", "", "f := make([]bool, n+1); c := 0; for i := 2; i <= n; i++ { if !f[i] { c++; for j := i * i; j <= n; j += i { f[j] = true } } }; return c",
		"    f = [False]*(n+1)\n    c = 0\n    for i in range(2, n+1):\n        if not f[i]:\n            c += 1\n            for j in range(i*i, n+1, i):\n                f[j] = True\n", 100_000},
	{"loop 2e5", "", operations[0].run, operations[0].python, 200_000},
	{"string building", "", `s := ""; for i := 0; i < n; i++ { s += "x" }; return len(s)`, "    s = ''\n    for i in range(n):\n        s += 'x'\n", 10_000},
	{"map[int] 2e4", "", "m := map[int]int{}; for i := 0; i < n; i++ { m[i] = i }; s := 0; for i := 0; i < n; i++ { s += m[i] }; return s",
		"    m = {}\n    for i in range(n):\n        m[i] = i\n    s = 0\n    for i in range(n):\n        s += m[i]\n", 20_000},
	{"map[string] 2e4", "", `m := map[string]int{}; k := []string{"a", "b", "c", "d"}; for i := 0; i < n; i++ { m[k[i&3]] += i }; return len(m)`,
		"    m = {'a':0,'b':0,'c':0,'d':0}\n    k = ['a','b','c','d']\n    for i in range(n):\n        m[k[i & 3]] += i\n", 20_000},
	{"method calls 2e4", shapes, "p := point{1, 2}; s := 0; for i := 0; i < n; i++ { s += p.sum() }; return s",
		"    p = point(1, 2)\n    s = 0\n    for i in range(n):\n        s += p.sum()\n", 20_000},
	{"struct field 1e5", shapes, "p := point{}; for i := 0; i < n; i++ { p.x += i }; return p.x", "    p = point(0, 0)\n    for i in range(n):\n        p.x += i\n", 100_000},
	{"closure calls 2e4", "", "s := 0; f := func(i int) { s += i }; for i := 0; i < n; i++ { f(i) }; return s",
		"    s = 0\n    def f(i):\n        nonlocal s\n        s += i\n    for i in range(n):\n        f(i)\n", 20_000},
	{"math.Sqrt 5e4", "", "s := 0.0; for i := 0; i < n; i++ { s += math.Sqrt(float64(i)) }; return int(s)", "    s = 0.0\n    for i in range(n):\n        s += math.sqrt(i)\n", 50_000},
	{"sort.Slice 3e3", "", "xs := make([]int, n); for i := range xs { xs[i] = (i * 7919) % n }; sort.Slice(xs, func(a, b int) bool { return xs[a] < xs[b] }); return xs[0]",
		"    xs = [i * 7919 % n for i in range(n)]\n    xs.sort(key=lambda x: x)\n", 3_000},
	{"append 5e4", "", "var xs []int; for i := 0; i < n; i++ { xs = append(xs, i) }; return len(xs)", "    xs = []\n    for i in range(n):\n        xs.append(i)\n", 50_000},
}

// weights are the times of the programs in yaegi alone, in milliseconds, at the sizes of its
// survey: fib(32), products of 200×200, a sieve of 5e6 and so on. The sum over all programs weighs
// each by them.
var weights = []float64{2115, 471, 576, 265, 157, 89, 104, 1012, 163, 512, 204, 959, 70}

// source returns the Go source of the program with its function named Run.
func (p program) source() string {
	if p.run == "" {
		return p.declarations
	}
	imports := ""
	for _, name := range []string{"math", "sort", "slices", "strings", "strconv", "errors", "iter", "sync", "container/heap", "encoding/json", "gosphere/asymvlm/custom", "gosphere/asymvlm/embedding"} {
		if strings.Contains(p.declarations+p.run, path.Base(name)+".") {
			imports += fmt.Sprintf("import %q\n", name)
		}
	}
	return fmt.Sprintf("%s%s\nfunc Run(n int) int { %s }\n", imports, p.declarations, p.run)
}
