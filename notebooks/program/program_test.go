package program

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/notebooks/compare"
	"gosphere/notebooks/format"
	"gosphere/notebooks/run"
	"gosphere/runtime/generic"
	"gosphere/runtime/packages"
	"gosphere/runtime/session"
	"gosphere/runtime/symbols"
)

func store(t *testing.T) *packages.Store {
	t.Helper()
	s, err := packages.Open(symbols.Archive())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// played runs a notebook as cells and returns what it prints and shows.
func played(t *testing.T, notebook *format.Notebook) string {
	t.Helper()
	s, err := session.New(session.Options{Tables: symbols.Tables(), Packages: store(t), Generic: generic.Source, Instance: generic.Compiled})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Run(context.Background(), s, notebook, run.Options{}); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, cell := range notebook.Cells {
		for _, output := range cell.Outputs {
			if output.Name != "stderr" {
				text.WriteString(output.Text)
			}
			if plain, ok := output.Data["text/plain"].(string); ok {
				text.WriteString(plain + "\n")
			}
		}
	}
	return text.String()
}

// compiled exports a notebook, builds it with the go command and returns what the program prints.
func compiled(t *testing.T, notebook *format.Notebook) string {
	t.Helper()
	exported, err := Make(notebook, store(t))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	mod, sum, err := exported.Module("exported", "../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.go": string(exported.Source), "go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "program", ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, said, exported.Source)
	}
	program := exec.Command(filepath.Join(folder, "program"))
	program.Stderr = os.Stderr
	printed, err := program.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, exported.Source)
	}
	return string(printed)
}

// notebookOf makes a notebook of cells that lines of dashes separate.
func notebookOf(text string) *format.Notebook {
	notebook := format.New()
	for cell := range strings.SplitSeq(text, "\n---\n") {
		notebook.Add(format.Code, strings.TrimSpace(cell))
	}
	return notebook
}

// cases are notebooks whose cells lines of dashes separate.
var cases = map[string]string{
	"names that are declared again": `
x := 1
fmt.Println(x)
---
x := x + 1
func twice() int { return 2 * x }
---
x := 5
fmt.Println(twice())
---
x := "text"
---
fmt.Println(x, len(x))
---
len := 3
fmt.Println(len, x)
---
x := 2.5
x
---
func f() string { return "first" }
func g() string { return "g of " + f() }
fmt.Println(g())
---
func f() string { return "second" }
---
fmt.Println(g(), f())
---
const n = 3
---
var a [n]int
a
---
const n = 4
---
len + n`,
	"types, methods and generics": `
type Point struct{ X, Y float64 }
func (p Point) Length() float64 { return math.Hypot(p.X, p.Y) }
p := Point{3, 4}
p.Length()
---
type Named struct { Point; Name string }
n := Named{p, "n"}
fmt.Println(n.Length(), n.X)
---
func Map[T, U any](xs []T, f func(T) U) []U { var out []U; for _, x := range xs { out = append(out, f(x)) }; return out }
words := Map([]int{1, 2}, func(i int) string { return strings.Repeat("a", i) })
words
---
type Point struct{ X, Y, Z int }
q := Point{1, 2, 3}
fmt.Println(q.Z, n.Point.X)
---
type Wrap struct{ Point }
w := Wrap{Point{1, 2, 3}}
w.Point.Z`,
	"statements of every kind": `
var a, b = 1, 2.5
var c, d int
var (
	e = []string{"x"}
	_ fmt.Stringer = (*big.Int)(nil)
)
m, err := strconv.Atoi("12")
for i := range 3 { c += i }
if v, ok := any(a).(int); ok { d = v }
outer:
for { for { break outer } }
fmt.Println(a, b, c, d, e, m, err)
---
defer fmt.Println("deferred")
_, err := strconv.Atoi("x")
fmt.Println(err)
---
import crand "crypto/rand"
import "math/rand/v2"
r := rand.New(rand.NewPCG(1, 2))
buffer := make([]byte, 2)
crand.Read(buffer)
r.IntN(1000)
---
func init() { fmt.Println("init") }
fmt.Println("body")
func main() { fmt.Println("main") }
---
%version
map[string]int{"b": 2, "a": 1}
---
%time c++
var c int
c`,
}

// TestProgramsSayWhatCellsSay puts all cases into one program after another, since each needs a build.
func TestProgramsSayWhatCellsSay(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			want := played(t, notebookOf(text))
			lines := strings.Split(want, "\n")
			kept := lines[:0]
			for _, line := range lines { // what magics tell
				if !strings.HasPrefix(line, "gosphere") && !strings.Contains(line, "wall") && line != "" {
					kept = append(kept, line)
				}
			}
			if got := strings.TrimSuffix(compiled(t, notebookOf(text)), "\n"); got != strings.Join(kept, "\n") {
				t.Errorf("the program prints\n%s\nthe cells show\n%s", got, want)
			}
		})
	}
}

// TestNotebooksAgreeWithTheirPrograms exports committed notebooks.
func TestNotebooksAgreeWithTheirPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for _, name := range []string{"teaching/02-vmf", "teaching/08-evidence", "teaching/10-go"} {
		notebook, err := format.ReadFile("../" + name + ".ipynb")
		if err != nil {
			t.Fatal(err)
		}
		got := compiled(t, notebook)
		want := played(t, notebook)
		lines := compare.Text(want, got, compare.Tolerances{})
		// A program prints every state of a display that a notebook shows the last one of.
		if slices.ContainsFunc(lines, func(line string) bool { return line[0] == '-' }) || len(lines) > 0 && !strings.Contains(want, "200,000 terms") {
			t.Errorf("%s: cells and program differ\n%s", name, strings.Join(lines, "\n"))
		}
	}
}

func TestWhatCannotBeExportedIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"x := 1\n---\n!ls":    "cell 2 (id ",
		"!ls":                 "!ls runs a command of the system; write it with os/exec",
		"%%writefile a\ntext": "%%writefile is no Go; write what it does with package os",
		"%cd /":               "%cd is no Go",
		"os.Exit(1)":          "os.Exit ends a cell in a notebook and the whole program elsewhere",
		"x := ":               "cannot be exported: Cell [1]",
		"type T int\nfunc (T) M() int { return 1 }\n---\nfunc (T) M() int { return 2 }": "method M of T changes here, and a Go program has one",
		"order := binary.LittleEndian": "variable order: its type binary.littleEndian is unexported",
	} {
		if _, err := Make(notebookOf(text), store(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
