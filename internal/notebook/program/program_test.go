package program

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"gosphere/internal/notebook/run"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

// played runs a notebook as cells and returns its output.
func played(t *testing.T, notebook *nbformat.Notebook) string {
	t.Helper()
	if err := run.Run(context.Background(), sessiontest.New(t), notebook, run.Options{}); err != nil {
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

// built builds a program, with further files next to it, as a user does, and returns the folder
// with the binary named program.
func built(t *testing.T, exported *Exported, others map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	mod, sum := "module exported\n\ngo 1.27\n", ""
	if len(exported.Brought()) > 0 { // as this module has them
		mod, sum = ownModule(t)
	}
	files := map[string]string{"main.go": string(exported.Source), "go.mod": mod, "go.sum": sum}
	maps.Copy(files, others)
	for name, text := range files {
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
	return folder
}

// ownModule returns a go.mod and go.sum that require gosphere in its folder and all its
// requirements.
func ownModule(t *testing.T) (mod, sum string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(theirs), "module gosphere\n", "module exported\n", 1) + "\nrequire gosphere v0.0.0\n\nreplace gosphere => " + root + "\n", string(sums)
}

// compiled exports a notebook, builds it and returns the program's output.
func compiled(t *testing.T, notebook *nbformat.Notebook) string {
	t.Helper()
	exported, err := Make(notebook, sessiontest.Packages(t), os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(filepath.Join(built(t, exported, nil), "program"))
	program.Stderr = os.Stderr
	printed, err := program.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, exported.Source)
	}
	return string(printed)
}

// notebookOf returns a notebook of cells separated by lines of dashes.
func notebookOf(text string) *nbformat.Notebook {
	notebook := nbformat.New()
	for cell := range strings.SplitSeq(text, "\n---\n") {
		notebook.Add(nbformat.Code, strings.TrimSpace(cell))
	}
	return notebook
}

// cases are notebooks whose cells are separated by lines of dashes.
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
c
---
%env EXPORTED=a b
%cd .
%time d := 1
!echo $EXPORTED
d
---
%%bash
echo one
echo two
---
[]byte("text")
---
struct{ A int }{1}
---
[]error{io.EOF}`,
	"zero values, aliases, constants and embedded types": `
type Set[K comparable] map[K]bool
func (s Set[K]) Has(k K) bool { return s[k] }
type Pair[A, B any] struct { First A; Second B }
type Number = float64
type Tree struct { Left, Right *Tree; Pair[string, int] }
---
var s Set[string]
var p Pair[int, Number]
var list [3]Pair[string, []int]
var f func(int) string
var err error
var c chan struct{}
var ok bool
var word string
var tree *Tree
var anything any
var z complex128
fmt.Println(s.Has("x"), p, list, f == nil, err, c == nil, ok, word == "", tree == nil, anything, z)
---
tree = &Tree{Pair: Pair[string, int]{"a", 1}}
p.First, ok, word, err = 7, true, "w", errors.New("e")
fmt.Println(tree.First, p)
---
const ( a = iota + 1; b; _; d )
const ( KB = 1 << (10 * (iota + 1)); MB )
type Weekday int
const ( Sunday Weekday = iota; Monday )
func (d Weekday) String() string { return [...]string{"Sunday", "Monday"}[d] }
fmt.Println(a, b, d, KB, MB, Monday)
---
var p Pair[string, string]
var ok bool
fmt.Println(p, ok, word, err)`,
	"calls with several results": `
strconv.Atoi("12")
---
strconv.Atoi("12a")
---
strings.Cut("a b", " ")
---
func both() (int, map[string]int) { return 1, map[string]int{"a": 1} }
(both())
---
os.ReadFile("/no/such/file")
---
func nothing() (a, b error) { return }
nothing()
---
r, w := io.Pipe()
r.Close()
fmt.Fprint(w, "x")
---
fmt.Fprintln(os.Stdout, "written")
---
len := 3
strings.Cut("1c2", "c")`,
	"results that are shown in forms of their own": `
type Point struct{ X, Y float64 }
func points() (Point, []Point, error) { return Point{1, 2}, []Point{{3, 4}}, nil }
points()
---
func point() (Point, error) { return Point{1, 2}, nil }
point()
---
func figure() (*plot.Plot, error) { return plot.New(), nil }
figure()
---
func figures() (*plot.Plot, int) { return plot.New(), 2 }
figures()
---
func failed() (Point, error) { return Point{}, errors.New("no point") }
failed()`,
	"packages whose names are taken": `
import "math/rand"
rand.New(rand.NewSource(1)).Intn(100)
---
fmt := "a format"
strings := []string{"a", fmt}
println2 := func(x ...any) { os.Stdout.WriteString("written\n") }
println2(strings)
len(strings)
---
import . "math"
Floor(Pi)
---
import text "strings"
import _ "image/png"
text.ToUpper(fmt)
---
main := 3
init := 4
show := 5
cell1 := main + init + show
attempt := cell1
attempt
---
cell2 := "x"
cell2`,
	"closures, methods as values, labels and select": `
type Counter struct{ n int }
func (c *Counter) Add(k int) int { c.n += k; return c.n }
counter := &Counter{}
add := counter.Add
add(2)
plus := (*Counter).Add
plus(counter, 3)
---
var steps []func() int
for i := range 3 { steps = append(steps, func() int { return i * counter.n }) }
total := 0
for _, step := range steps { total += step() }
total
---
i := 0
again:
	i++
	if i < 3 { goto again }
i
---
ready := make(chan int, 1)
go func() { ready <- 42 }()
select { case v := <-ready: fmt.Println(v) }
switch x := any(i).(type) { case int: fmt.Println("int", x); default: fmt.Println("?") }
---
type point struct { X int "json:\"x,omitempty\"" }
written, _ := json.Marshal([]point{{1}, {}})
string(written)
---
func even(n int) bool { return n == 0 || odd(n-1) }
func odd(n int) bool { return n != 0 && even(n-1) }
even(10)
---
defer func() { fmt.Println("recovered:", recover()) }()
panic("trouble")
---
func twice(n int) int { return 2 * n }
func apply(f func(int) int, n int) int { return f(n) }
apply(twice, 4)
---
twice := twice(apply(twice, 1))
twice`,
	"methods with type parameters, promoted keys and inferred functions": `
type List[T any] struct { items []T }
func (l List[T]) Map[U any](f func(T) U) List[U] {
	var out List[U]
	for _, x := range l.items { out.items = append(out.items, f(x)) }
	return out
}
l := List[int]{[]int{1, 2}}
l.Map(strconv.Itoa).items
---
type Base struct { ID int }
func (b *Base) Tag[S ~string](s S) S { b.ID++; return s + S(fmt.Sprint(b.ID)) }
type User struct { Base; Name string }
u := User{Name: "n", ID: 4}
tag := u.Tag[string]
tag("t")
---
func same[T any](t T) T { return t }
fs := []func(int) int{same}
fmt.Println(fs[0](3), List[int].Map[string](l, strconv.Itoa), u)
---
type Base struct { Key string }
func (b Base) Tag[A any](a A) string { return fmt.Sprint(b.Key, a) }
type User struct { Base; Name string }
u := User{Key: "k", Name: "m"}
u.Tag(5)
---
import (v2 "encoding/json/v2"; "uuid")
text, err := v2.Marshal(u)
fmt.Println(string(text), err, uuid.Nil())`,
}

// TestProgramsSayWhatCellsSay combines all cases in one program, because each build takes seconds.
func TestProgramsSayWhatCellsSay(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			want := played(t, notebookOf(text))
			lines := strings.Split(want, "\n")
			kept := lines[:0]
			for _, line := range lines { // output of magics
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

func TestWhatCannotBeExportedIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"x := 1\n---\n%cd":         "cell 2 (id ",
		"%cd -":                    "%cd - means a folder that a program does not know",
		"%%sql :memory:\nselect 1": "%%sql is no Go, and programs have no equivalent",
		"%require example.com/x":   "there are no modules here",
		"os.Exit(1)":               "os.Exit ends a cell in a notebook and the whole program elsewhere",
		"x := ":                    "cannot be exported: Cell [1]",
		"type T int\nfunc (T) M() int { return 1 }\n---\nfunc (T) M() int { return 2 }": "method M of T changes here, and a Go program has one",
		"order := binary.LittleEndian":                      "variable order: its type binary.littleEndian is unexported",
		"//go:embed none\nvar s string":                     "Cell [1]:1:1: pattern none: no matching files found",
		"var s string\n---\n//go:embed a.txt\nvar s string": "variable s: an earlier cell declares it, and a program embeds files once; give it another name",
		"//go:embed *.go\nvar tree embed.FS":                "go:embed *.go matches main.go, a file of the program; name the files that are meant",
		"//go:embed a.txt all:g*\nvar tree embed.FS":        "go:embed g* matches go.mod, a file of the program",
	} {
		files := fstest.MapFS{"a.txt": {Data: []byte("hello")}, "g/x": {}, "x.go": {}}
		if _, err := Make(notebookOf(text), sessiontest.Packages(t), files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
