package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeFiles writes files in the working directory.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// holds checks, for each text, whether the output of a cell contains it.
func holds(t *testing.T, s *Session, code string, texts ...string) {
	t.Helper()
	got := printed(s, code)
	for _, text := range texts {
		if want, not := strings.CutPrefix(text, "!"); strings.Contains(got, want) == not {
			t.Errorf("%s\nprints %s\nwant %q", code, got, text)
		}
	}
}

func TestTestsOfCellsRun(t *testing.T) {
	s, _ := moduleSession(t)
	holds(t, s, "%test", "no cell declares a function such as TestX")
	holds(t, s, `import ("testing"; "fmt"; "os")
func Sum(list ...int) (sum int) { for _, v := range list { sum += v }; return sum }
func check(t *testing.T, got, want int) { t.Helper(); if got != want { t.Errorf("got %d, want %d", got, want) } }
func TestSum(t *testing.T) {
	check(t, Sum(1, 2), 3)
	t.Run("none", func(t *testing.T) { t.Parallel(); check(t, Sum(), 0) })
}
func ExampleSum() {
	fmt.Println(Sum(1, 2, 3))
	// Output: 6
}
func BenchmarkSum(b *testing.B) { for b.Loop() { Sum(1, 2, 3) } }
func Testing() {}`)
	holds(t, s, "%test", "ok  \tcells\t", "[1 test, 1 example; cell code]", "!PASS", "!RUN")
	holds(t, s, "%test -v -run 'Sum|none'", "=== RUN   TestSum\n", "--- PASS: TestSum (", "s)\n    --- PASS: TestSum/none (", "--- PASS: ExampleSum")
	holds(t, s, "%test -run XXX -bench . -benchtime 2x", "BenchmarkSum", "ns/op", "[1 benchmark; cell code]")
	holds(t, s, "%test -nosuch", "there is no flag -nosuch here; the flags are -bench,")
	holds(t, s, `func TestFails(t *testing.T) {
	t.Log("first\nsecond")
	t.Run("sub", func(t *testing.T) { check(t, Sum(1), 2) })
	t.Run("panics", func(t *testing.T) { var m map[string]int; m["x"] = 1 })
	t.Run("exits", func(t *testing.T) { os.Exit(3) })
	t.Run("skips", func(t *testing.T) { t.Skip("not today") })
	t.Cleanup(func() { panic("while cleaning up") })
}
func ExampleWrong() {
	fmt.Println("a")
	panic("no example")
	// Output: b
}`)
	holds(t, s, "%test", "Cell [7]:3: got 1, want 2", "panic: assignment to entry in nil map\n            Cell [7], line 4", "by os.Exit", "while cleaning up", "--- FAIL: ExampleWrong", "want:\nb", "panic: no example",
		"FAIL\tcells\t", "%test: cells: TestFails, ExampleWrong failed")
	holds(t, s, `fmt.Println("still here", Sum(4))`, "still here 4")
	holds(t, s, "func TestOdd(x int) {}", "")
	holds(t, s, "%test", "wrong signature for TestOdd, must be: func TestOdd(t *testing.T)")
}

func TestTestsOfPackagesRun(t *testing.T) {
	s, _ := moduleSession(t)
	writeFiles(t, map[string]string{
		"helpers/h.go":           "package helpers\nvar State = 1\nfunc double(x int) int { return 2 * x }\nfunc Quad(x int) int { return double(double(x)) }",
		"helpers/h_test.go":      "package helpers\nimport (\"testing\"; \"os\"; \"flag\")\nvar update = flag.Bool(\"update\", false, \"\")\nfunc TestMain(m *testing.M) { State = 7; os.Exit(m.Run()) }\nfunc TestDouble(t *testing.T) { if double(4) != 8 || State != 7 || *update { t.Fail() }; if _, err := os.Stat(\"testdata/x.txt\"); err != nil { t.Error(err) } }\nvar Exported = 5",
		"helpers/x_test.go":      "package helpers_test\nimport (\"testing\"; \"fmt\"; \"./../user\"; helpers \"../helpers\")\nfunc TestQuad(t *testing.T) { if helpers.Quad(3) != 12 || helpers.Exported != 5 || user.Twelve() != 7 { t.Error(helpers.Quad(3), user.Twelve()) } }\nfunc ExampleQuad() { fmt.Println(helpers.Quad(1)) /* no */\n// Output: 4\n}\nfunc FuzzQuad(f *testing.F) { f.Add(2); f.Fuzz(func(t *testing.T, x int) { if x == 9 { t.Error(\"nine\") } }) }",
		"helpers/testdata/x.txt": "x",
		"user/u.go":              "package user\nimport helpers \"../helpers\"\nfunc Twelve() int { return helpers.State }",
		"plain/p.go":             "package plain",
		"sub/deep/s_test.go":     "package deep\nimport \"testing\"\nfunc TestDeep(t *testing.T) {}",
	})
	holds(t, s, `import "./helpers"; import "fmt"; helpers.State++; fmt.Println(helpers.State)`, "2")
	holds(t, s, "%test ./helpers -v", "--- PASS: TestDouble", "--- PASS: TestQuad", "--- PASS: ExampleQuad", "--- PASS: FuzzQuad", "[3 tests, 1 example; run from source]")
	holds(t, s, "%test ./helpers", "ok  \t./helpers")
	holds(t, s, `fmt.Println(helpers.State)`, "2")
	writeFiles(t, map[string]string{"helpers/testdata/fuzz/FuzzQuad/seed": "go test fuzz v1\nint(9)\n"})
	holds(t, s, "%test ./helpers", "x_test.go:7: nine", "--- FAIL: FuzzQuad")
	holds(t, s, "%test ./plain", "no test files")
	holds(t, s, "%test -run Deep ./...", "ok  \t./helpers", "ok  \t./sub/deep")
	holds(t, s, "%test ./nowhere", "nowhere")
}

func TestEditedFoldersAreReadAgain(t *testing.T) {
	s, _ := moduleSession(t)
	writeFiles(t, map[string]string{
		"low/low.go": "package low\nvar N = 1\ntype T struct{ A int }",
		"top/top.go": "package top\nimport low \"../low\"\nfunc N() int { return low.N }",
		"own/own.go": "package own\nconst C = 1",
	})
	holds(t, s, "import (\"fmt\"; \"./low\"; \"./top\"; \"./own\")\nold := low.T{1}\nfunc f() int { return top.N() }\nlow.N = 5\nfmt.Println(top.N(), own.C)", "5 1")
	holds(t, s, "fmt.Println(low.N)", "5", "!changed")
	writeFiles(t, map[string]string{"low/low.go": "package low\nvar N = 100\ntype T struct{ A, B int }"})
	holds(t, s, "fmt.Println(own.C)", "1", "!changed")
	holds(t, s, "fmt.Println(top.N())", "./low has changed (low.go) since it was imported; %reload, or importing it again", "\n5")
	holds(t, s, "fmt.Println(top.N())", "5", "!changed")
	holds(t, s, "import \"./top\"\nfmt.Println(top.N(), f(), old)", "reloaded ./low", "100 5 {1}")
	holds(t, s, "func f() int { return top.N() }; fmt.Println(f(), low.T{1, 2})", "100 {1 2}")
	holds(t, s, "old = low.T{1, 2}", "cannot use")
	writeFiles(t, map[string]string{"low/low.go": "package low\nvar N = missing\ntype T struct{ A, B int }"})
	holds(t, s, "%reload", "low.go:2:9: undefined: missing")
	holds(t, s, "low.N++; fmt.Println(top.N())", "101")
	writeFiles(t, map[string]string{"low/low.go": "package low\nvar N = 7\ntype T struct{}", "low/more.go": "package low\nvar M = 8"})
	holds(t, s, "%reload\nfmt.Println(low.N, low.M, top.N())", "7 8 7")
	holds(t, s, "%reload", "no file of an imported folder has changed")
	holds(t, s, "%reload ./low\nlow.M++\nfmt.Println(low.M)", "reloaded ./low", "9")
	holds(t, s, "%reload ./none", "%reload ./none: no cell has imported")
}

func TestDeclarationsOfAnotherNotebookArePackages(t *testing.T) {
	s, _ := moduleSession(t)
	cells := `// Package text
import "fmt"
n := 5
fmt.Println("runs", n)
// %%
%require example.com/none
type Shape struct{ Side float64 }
func (s Shape) Area() float64 { return s.Side * s.Side }
func Old() string { return "first" }
const Unit = "m"
var Made = strings.ToUpper("made")
// %%
import rd "math/rand"
func Old() string { return fmt.Sprintf("second %d", rd.New(rd.NewSource(1)).Intn(1)) }
func (s Shape) Area() float64 { return 2 * s.Side }
func init() { Made += "!" }
func Unused() {}
// %% [markdown]
// # No code
`
	writeFiles(t, map[string]string{"lib/my-tools.cells.go": cells, "lib/bad.cells.go": "n := 1\nfunc N() int { return n }", "lib/none.cells.go": "1 + 1"})
	holds(t, s, `import tools "./lib/my-tools.cells.go"; import "fmt"
fmt.Printf("%T %v %s %s %s", tools.Shape{3}, tools.Shape{3}.Area(), tools.Old(), tools.Unit, tools.Made)`,
		"my-tools.cells.go: imported are the declarations of its cells; statements, which 1 of them has, are not run", "my_tools.Shape 6 second 0 m MADE!", "!runs")
	holds(t, s, `import "./lib/bad.cells.go"`, "bad.cells.go, cell 1:2:23: undefined: n", "statements of cells are not run")
	holds(t, s, `import "./lib/none.cells.go"`, "no cell declares")
	writeFiles(t, map[string]string{"lib/dice.cells.go": "import \"math/rand/v2\"\nfunc Stated() bool { return rand.IntN(1) == 0 }",
		"lib/coin.cells.go": "func Unstated() bool { return rand.IntN(1) == 0 }", "lib/old.cells.go": "func Older() bool { return rand.Intn(1) == 0 }"})
	holds(t, s, `import ("./lib/dice.cells.go"; "./lib/coin.cells.go"; "./lib/old.cells.go"); fmt.Println(dice.Stated(), coin.Unstated(), old.Older())`, "true true true")
	holds(t, s, `import "./lib/missing.ipynb"`, "missing.ipynb")
	writeFiles(t, map[string]string{"lib/my-tools.cells.go": "func Old() string { return \"third edition\" }"})
	holds(t, s, `tools.Old()`, "./lib/my-tools.cells.go has changed")
	holds(t, s, "%reload\nfmt.Println(tools.Old())", "third edition")
	writeFiles(t, map[string]string{"lib/nb.ipynb": `{"cells":[{"cell_type":"code","execution_count":null,"id":"a","metadata":{},"outputs":[],"source":["func Twice(x int) int {\n","\treturn 2 * x\n","}\n","Twice(2)"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`,
		"use/u.go": "package use\nimport nb \"../lib/nb.ipynb\"\nvar Six = nb.Twice(3)"})
	holds(t, s, `import "./use"; import "./lib/nb.ipynb"; fmt.Println(use.Six, nb.Twice(4))`, "6 8")
}

// The clock of a bubble advances while all of its goroutines wait for each other or for it, and
// nothing outside counts: each test would last for an hour, or forever.
func TestTheClockOfABubbleAdvances(t *testing.T) {
	s, _ := moduleSession(t)
	var b strings.Builder
	b.WriteString("import (\"context\"; \"sync\"; \"testing\"; \"testing/synctest\"; \"time\")\n")
	for name, body := range map[string]string{
		"Receive":   "<-time.After(time.Hour)",
		"Sleep":     "begun := time.Now(); time.Sleep(time.Hour); if time.Since(begun) != time.Hour { t.Error(time.Since(begun)) }",
		"Send":      "c := make(chan int); go func() { time.Sleep(time.Hour); <-c }(); c <- 1",
		"Select":    "c := make(chan int); select { case <-c: t.Error(); case c <- 1: t.Error(); case <-time.After(time.Hour): }",
		"Range":     "c := make(chan int); go func() { defer close(c); for i := range 3 { time.Sleep(time.Hour); c <- i } }(); for range c { }",
		"Ticker":    "tick := time.NewTicker(time.Hour); defer tick.Stop(); <-tick.C; <-tick.C",
		"WaitGroup": "var w sync.WaitGroup; w.Add(1); go func() { defer w.Done(); time.Sleep(time.Hour) }(); w.Go(func() { time.Sleep(time.Hour) }); w.Wait()",
		"Mutex":     "var m sync.Mutex; n := 0; for range 3 { go func() { m.Lock(); defer m.Unlock(); n++ }() }; synctest.Wait(); if n != 3 { t.Error(n) }",
		"Cond":      "var m sync.Mutex; k := sync.NewCond(&m); done := false; go func() { time.Sleep(time.Hour); m.Lock(); defer m.Unlock(); done = true; k.Signal() }(); m.Lock(); for !done { k.Wait() }; m.Unlock()",
		"Context":   "ctx, cancel := context.WithTimeout(t.Context(), time.Hour); defer cancel(); <-ctx.Done(); synctest.Wait()",
		"AfterFunc": "c := make(chan int); time.AfterFunc(time.Hour, func() { time.Sleep(time.Hour); go func() { c <- 1 }() }); <-c",
	} {
		b.WriteString("func Test" + name + "(t *testing.T) { synctest.Test(t, func(t *testing.T) { " + body + " }) }\n")
	}
	holds(t, s, b.String())
	holds(t, s, "%test", "ok  \tcells\t", "[11 tests; cell code]")
}

func TestTracesOfTestsEndInTheirRunner(t *testing.T) {
	s, _ := moduleSession(t)
	holds(t, s, `import ("runtime"; "testing")
func names() (list []string) {
	var pcs [50]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for more := true; more; { var f runtime.Frame; f, more = frames.Next(); list = append(list, f.Function) }
	return list
}
func TestA(t *testing.T) { t.Log(names()); t.Run("sub", func(t *testing.T) { t.Log("in", names()) }) }`)
	holds(t, s, "%test -v", "[main.TestA testing.tRunner runtime.goexit]", "in [main.TestA.func1 testing.tRunner runtime.goexit]")
}
