package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"

	"gosphere/kernel/protocol"
)

// A speed is a program that is timed in four ways: as a cell, by the interpreter alone, as
// compiled Go and, where python is not empty, by CPython. Declarations hold everything that
// the function Run needs.
type speed struct {
	name         string
	declarations string
	run          string // body of func Run(n int) int
	python       string // body of def run(n), with four blanks in front
	size         int
}

const shapes = `type point struct { x, y int }
func (p point) sum() int { return p.x + p.y }
type summer interface { sum() int }
`

var speeds = []speed{
	{"loop turn", "", "s := 0; for i := 0; i < n; i++ { s += i & 3 }; return s", "    s = 0\n    for i in range(n):\n        s += i & 3\n", 2_000_000},
	{"call", "func add(a, b int) int { return a + b }", "s := 0; for i := 0; i < n; i++ { s = add(s, i) }; return s", "    s = 0\n    for i in range(n):\n        s = add(s, i)\n", 500_000},
	{"method call", shapes, "p := point{1, 2}; s := 0; for i := 0; i < n; i++ { s += p.sum() }; return s", "    p = point(1, 2)\n    s = 0\n    for i in range(n):\n        s += p.sum()\n", 500_000},
	{"interface method call", shapes, "var p summer = point{1, 2}; s := 0; for i := 0; i < n; i++ { s += p.sum() }; return s", "    p = point(1, 2)\n    s = 0\n    for i in range(n):\n        s += p.sum()\n", 300_000},
	{"conversion to any", shapes, "p := point{1, 2}; var a any; for i := 0; i < n; i++ { a = p }; _ = a; return n", "", 500_000},
	{"conversion of an int", "", "var a any; for i := 0; i < n; i++ { a = i }; _ = a; return n", "", 500_000},
	{"assertion", shapes, "var a any = point{1, 2}; s := 0; for i := 0; i < n; i++ { s += a.(point).x }; return s", "", 500_000},
	{"closure call", "", "s := 0; f := func(i int) { s += i }; for i := 0; i < n; i++ { f(i) }; return s", "    s = 0\n    def f(i):\n        nonlocal s\n        s += i\n    for i in range(n):\n        f(i)\n", 500_000},
	{"map write", "", "m := map[int]int{}; for i := 0; i < n; i++ { m[i&1023] = i }; return len(m)", "    m = {}\n    for i in range(n):\n        m[i & 1023] = i\n", 500_000},
	{"map read", "", "m := map[int]int{1: 1}; s := 0; for i := 0; i < n; i++ { s += m[i&1] }; return s", "    m = {0: 0, 1: 1}\n    s = 0\n    for i in range(n):\n        s += m[i & 1]\n", 500_000},
	{"deferred call", "func d(p *int) { defer func() { *p++ }() }", "s := 0; for i := 0; i < n; i++ { d(&s) }; return s", "", 50_000},
	{"slices.Sort, by element", "", "xs := make([]int, n); for i := range xs { xs[i] = (i * 7919) % n }; slices.Sort(xs); return xs[0]", "    xs = [i * 7919 % n for i in range(n)]\n    xs.sort()\n", 100_000},
}

var programs = []speed{
	{"fib(24)", "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }", "return fib(n)", "    return fib(n)\n", 24},
	{"matmul 80", "", "a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n); for i := 0; i < n; i++ { for j := 0; j < n; j++ { s := 0.0; for k := 0; k < n; k++ { s += a[i*n+k] * b[k*n+j] }; c[i*n+j] = s } }; return len(c)",
		"    a, b, c = [0.0]*(n*n), [0.0]*(n*n), [0.0]*(n*n)\n    for i in range(n):\n        for j in range(n):\n            s = 0.0\n            for k in range(n):\n                s += a[i*n+k] * b[k*n+j]\n            c[i*n+j] = s\n", 80},
	{"sieve 5e5", "", "f := make([]bool, n+1); c := 0; for i := 2; i <= n; i++ { if !f[i] { c++; for j := i * i; j <= n; j += i { f[j] = true } } }; return c",
		"    f = [False]*(n+1)\n    c = 0\n    for i in range(2, n+1):\n        if not f[i]:\n            c += 1\n            for j in range(i*i, n+1, i):\n                f[j] = True\n", 500_000},
	{"loop 1e6", "", speeds[0].run, speeds[0].python, 1_000_000},
	{"string building", "", `s := ""; for i := 0; i < n; i++ { s += "x" }; return len(s)`, "    s = ''\n    for i in range(n):\n        s += 'x'\n", 20_000},
	{"map[int] 1e5", "", "m := map[int]int{}; for i := 0; i < n; i++ { m[i] = i }; s := 0; for i := 0; i < n; i++ { s += m[i] }; return s", "    m = {}\n    for i in range(n):\n        m[i] = i\n    s = 0\n    for i in range(n):\n        s += m[i]\n", 100_000},
	{"map[string] 1e5", "", `m := map[string]int{}; k := []string{"a", "b", "c", "d"}; for i := 0; i < n; i++ { m[k[i&3]] += i }; return len(m)`, "    m = {'a':0,'b':0,'c':0,'d':0}\n    k = ['a','b','c','d']\n    for i in range(n):\n        m[k[i & 3]] += i\n", 100_000},
	{"method calls 2e5", shapes, speeds[2].run, speeds[2].python, 200_000},
	{"struct field 5e5", shapes, "p := point{}; for i := 0; i < n; i++ { p.x += i }; return p.x", "    p = point(0, 0)\n    for i in range(n):\n        p.x += i\n", 500_000},
	{"closure calls 2e5", "", speeds[7].run, speeds[7].python, 200_000},
	{"math.Sqrt 2e5", "", "s := 0.0; for i := 0; i < n; i++ { s += math.Sqrt(float64(i)) }; return int(s)", "    s = 0.0\n    for i in range(n):\n        s += math.sqrt(i)\n", 200_000},
	{"sort.Slice 2e4", "", "xs := make([]int, n); for i := range xs { xs[i] = (i * 7919) % n }; sort.Slice(xs, func(a, b int) bool { return xs[a] < xs[b] }); return xs[0]", "    xs = [i * 7919 % n for i in range(n)]\n    xs.sort(key=lambda x: x)\n", 20_000},
	{"append 2e5", "", "var xs []int; for i := 0; i < n; i++ { xs = append(xs, i) }; return len(xs)", "    xs = []\n    for i in range(n):\n        xs.append(i)\n", 200_000},
}

// rounds is how often each program runs; the best time counts.
const rounds = 3

var speedImports = map[string]string{"math.": `import "math"`, "sort.": `import "sort"`, "slices.": `import "slices"`}

// source is the program with its function named.
func (p speed) source(name string) string {
	imports := ""
	for use, text := range speedImports {
		if strings.Contains(p.run, use) {
			imports += text + "\n"
		}
	}
	return fmt.Sprintf("%s%s\nfunc %s(n int) int { %s }\n", imports, p.declarations, name, p.run)
}

// cell times the program as a cell.
func (p speed) cell(b *testing.B) time.Duration {
	s := newTestSession(b)
	defer s.Close()
	best := time.Duration(1 << 62)
	measured := 0
	for range rounds {
		code := fmt.Sprintf("import (\"fmt\"; \"time\")\nbegin := time.Now(); Run(%d); fmt.Print(time.Since(begin).Nanoseconds())", p.size)
		if measured == 0 {
			s.Execute(b.Context(), protocol.ExecuteRequest{Code: p.source("Run")}, func(protocol.Content) {})
		}
		s.Execute(b.Context(), protocol.ExecuteRequest{Code: code}, func(content protocol.Content) {
			switch c := content.(type) {
			case protocol.Stream:
				var n int64
				fmt.Sscan(c.Text, &n)
				best, measured = min(best, time.Duration(n)), measured+1
			case protocol.Error:
				b.Fatalf("%s: %s", p.name, c.Evalue)
			}
		})
	}
	return best
}

// raw times the program in the interpreter without the front end; 0 if it cannot run it.
func (p speed) raw() time.Duration {
	i := interp.New(interp.Options{Unrestricted: true})
	if err := i.Use(interp.Exports(loadTables())); err != nil {
		return 0
	}
	if _, err := i.Eval(p.source("Run")); err != nil {
		return 0
	}
	v, err := i.Eval("Run")
	if err != nil {
		return 0
	}
	run, ok := v.Interface().(func(int) int)
	if !ok {
		return 0
	}
	best := time.Duration(1 << 62)
	for range rounds {
		begin := time.Now()
		run(p.size)
		best = min(best, time.Since(begin))
	}
	return best
}

// compiledSpeeds times the programs as compiled Go, each a package of its own.
func compiledSpeeds(b *testing.B, list []speed) []time.Duration {
	folder := b.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	write("go.mod", "module speeds\n\ngo 1.26\n")
	imports, calls := "", ""
	for i, p := range list {
		write(fmt.Sprintf("p%d/p.go", i), fmt.Sprintf("package p%d\n\n%s", i, p.source("Run")))
		imports += fmt.Sprintf("import \"speeds/p%d\"\n", i)
		calls += fmt.Sprintf("\ttimed(p%d.Run, %d)\n", i, p.size)
	}
	write("main.go", "package main\n\nimport (\"fmt\"; \"time\")\n"+imports+`
var sink int
func timed(run func(int) int, n int) {
	best := int64(1 << 62)
	for i := 0; i < 5; i++ { begin := time.Now(); sink += run(n); best = min(best, time.Since(begin).Nanoseconds()) }
	fmt.Println(best)
}
func main() {
`+calls+"}\n")
	command := exec.Command("go", "run", ".")
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return durations(string(out))
}

func durations(text string) []time.Duration {
	var list []time.Duration
	for word := range strings.FieldsSeq(text) {
		var n int64
		fmt.Sscan(word, &n)
		list = append(list, time.Duration(n))
	}
	return list
}

// pythonSpeeds times the programs in CPython; nil if there is none.
func pythonSpeeds(list []speed) []time.Duration {
	var script strings.Builder
	script.WriteString(`import math, time
def add(a, b): return a + b
def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)
class point:
    __slots__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
    def sum(self): return self.x + self.y
def timed(run, n):
    best = 1 << 62
    for _ in range(3):
        begin = time.perf_counter_ns()
        run(n)
        best = min(best, time.perf_counter_ns() - begin)
    print(best)
`)
	for _, p := range list {
		if p.python == "" {
			script.WriteString("print(0)\n")
			continue
		}
		fmt.Fprintf(&script, "def run(n):\n%s\ntimed(run, %d)\n", p.python, p.size)
	}
	command := exec.Command("python3", "-")
	command.Stdin = strings.NewReader(script.String())
	out, err := command.Output()
	if err != nil {
		return make([]time.Duration, len(list))
	}
	return durations(string(out))
}

// BenchmarkSideBySide prints what operations and whole programs cost as cells, in the
// interpreter alone, compiled, and in CPython, all from this one run. A dash means that it
// cannot run the program or has no such operation. Run it with
//
//	go test ./runtime/session -run none -bench SideBySide -benchtime 1x
func BenchmarkSideBySide(b *testing.B) {
	for range b.N {
		operations := sideBySide(b, "ns per operation", speeds, func(p speed) float64 { return float64(p.size) })
		whole := sideBySide(b, "ms per program", programs, func(speed) float64 { return 1e6 })
		b.ReportMetric(operations, "operations/yaegi")
		b.ReportMetric(whole, "programs/yaegi")
	}
}

// sideBySide prints a table and returns the sum of the cells' times over the sum of the
// interpreter's own, of the programs that it can run.
func sideBySide(b *testing.B, unit string, list []speed, per func(speed) float64) float64 {
	compiled, python := compiledSpeeds(b, list), pythonSpeeds(list)
	fmt.Printf("\n| %s | cell | yaegi | Go | CPython | cell/yaegi | cell/CPython |\n| --- | --- | --- | --- | --- | --- | --- |\n", unit)
	var cells, raws time.Duration
	for i, p := range list {
		cell, raw := p.cell(b), p.raw()
		if raw > 0 {
			cells, raws = cells+cell, raws+raw
		}
		number := func(d time.Duration) string {
			if d == 0 {
				return "–"
			}
			return fmt.Sprintf("%.3g", float64(d)/per(p))
		}
		ratio := func(d time.Duration) string {
			if d == 0 {
				return "–"
			}
			return fmt.Sprintf("%.2f", float64(cell)/float64(d))
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %s | %s |\n", p.name, number(cell), number(raw), number(compiled[i]), number(python[i]), ratio(raw), ratio(python[i]))
	}
	ratio := float64(cells) / float64(raws)
	fmt.Printf("| sum | | | | | %.2f | |\n", ratio)
	return ratio
}

func TestSpeedProgramsRunEverywhere(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	for _, p := range append(append([]speed(nil), speeds...), programs...) {
		if got := printed(s, p.source("Run"), "import \"fmt\"\nfmt.Print(Run(5) == Run(5))"); got != "true" {
			t.Errorf("%s: %s", p.name, got)
		}
	}
}
