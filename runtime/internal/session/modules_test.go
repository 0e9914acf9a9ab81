package session

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/testing/modulestest"
	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/notebook"
	"gosphere/runtime/internal/source"
)

// moduleSession returns a session whose modules come from a proxy in a folder.
func moduleSession(t *testing.T) (*Session, *modulestest.Proxy) {
	t.Helper()
	p := modulestest.New(t)
	p.Use()
	t.Chdir(t.TempDir())
	s := newTestSession(t)
	t.Cleanup(s.Close)
	return s, p
}

// plays runs cells one after another. The output of a cell, including its failure, must contain the
// text that follows it in the list.
func plays(t *testing.T, s *Session, steps ...[2]string) {
	t.Helper()
	for _, step := range steps {
		got := printed(s, step[0])
		if strings.HasPrefix(step[0], "%modules") { // the widths of columns depend on the modules in the test program
			got, step[1] = strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(step[1]), " ")
		}
		if step[1] == "" && got != "" || !strings.Contains(got, step[1]) {
			t.Errorf("%s\nprints %q, want %q", step[0], got, step[1])
		}
	}
}

func TestPackagesOfModulesStayPackages(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("example.com/shape", "v1.0.0", map[string]string{
		"go.mod": "module example.com/shape\ngo 1.21\nrequire example.com/unit v1.0.0\n",
		"shape.go": `// Package shape has areas.
package shape
import ("fmt"; "example.com/unit"; "example.com/shape/internal/deep")
type hidden interface { area() float64 }
type Square struct { side float64; Unit unit.Length }
// New returns a square.
func New(side float64) *Square { return &Square{side: side, Unit: unit.Meter} }
func (s *Square) area() float64 { return s.side * s.side }
func (s *Square) String() string { return fmt.Sprintf("%g %v²", s.area(), s.Unit) }
func Area(x any) (float64, bool) { h, ok := x.(hidden); if !ok { return 0, false }; return h.area(), true }
var Order = append(deep.Order, "shape")
func init() { Order = append(Order, "shape.init") }
var Sum = total
var total = count() + 1
func count() int { return 41 }
func Fail() { panic("no area") }`,
		"internal/deep/deep.go": `package deep
var Order = []string{"deep"}
func init() { Order = append(Order, "deep.init") }`,
	})
	p.Add("example.com/unit", "v1.0.0", map[string]string{"unit.go": "package unit\ntype Length string\nconst Meter Length = \"m\""})
	plays(t, s,
		[2]string{`import "example.com/shape"`, `no required module provides it`},
		[2]string{"%require example.com/shape\nimport \"example.com/shape\"\nimport \"fmt\"\nsq := shape.New(3)\nfmt.Println(sq, shape.Order, shape.Sum)", "9 m² [deep deep.init shape shape.init] 42"},
		[2]string{`fmt.Printf("%T %+v", sq, *sq)`, "*shape.Square {side:3 Unit:m}"},
		[2]string{"type mine struct{}\nfunc (mine) area() float64 { return 1 }\na, ok := shape.Area(mine{})\nb, yes := shape.Area(sq)\nfmt.Println(a, ok, b, yes)", "0 false 9 true"},
		[2]string{`sq.side`, "side"},
		[2]string{`import "example.com/shape/internal/deep"`, "internal"},
		[2]string{`import "example.com/unit"; var l unit.Length = sq.Unit; fmt.Println(l == unit.Meter)`, "true"},
		[2]string{"%modules", "example.com/shape  v1.0.0"},
		[2]string{`type Box struct{ *shape.Square }; fmt.Println(Box{sq})`, "9 m²"},
		[2]string{`shape.Sum++; fmt.Println(shape.Sum)`, "43"},
	)
	if reply := s.Complete(protocol.CompleteRequest{Code: "shape.A", CursorPos: 7}); !slices.Contains(reply.Matches, "Area") {
		t.Errorf("completions are %v", reply.Matches)
	}
	if reply := s.Inspect(protocol.InspectRequest{Code: "shape.New", CursorPos: 9}); !strings.Contains(fmt.Sprint(reply.Data["text/plain"]), "New returns a square") {
		t.Errorf("inspection shows %v", reply.Data)
	}
	if got := printed(s, "shape.Fail()"); !strings.Contains(got, "no area") {
		t.Errorf("a panic in a module prints %q", got)
	}
}

func TestTypesHaveTheNameOfTheirPackage(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("example.com/go-odd.v3", "v1.0.0", map[string]string{"o.go": "package odd\ntype T struct{}\ntype G[X any] struct{}\ntype I interface{ M() }"})
	plays(t, s, [2]string{"%require example.com/go-odd.v3\nimport (\"fmt\"; odd \"example.com/go-odd.v3\")\nfmt.Printf(\"%T %T %T %T\", odd.T{}, &odd.T{}, odd.G[odd.T]{}, []odd.I{})",
		"odd.T *odd.T odd.G[example.com/go-odd.v3.T] []odd.I"})
}

func TestRequirementsComeWithWhatTheirAuthorsSay(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("example.com/back", "v1.0.0", map[string]string{"b.go": "package back"})
	p.Add("example.com/back", "v1.1.0", map[string]string{"b.go": "package back", "go.mod": "module example.com/back\ngo 1.21\n// loses data\nretract [v1.0.0, v1.0.5]\n"})
	p.Add("example.com/old", "v1.0.0", map[string]string{"o.go": "package old", "go.mod": "// Deprecated: use example.com/young\nmodule example.com/old\ngo 1.21\n"})
	plays(t, s,
		[2]string{"%require example.com/back@v1.0.0", "warning: example.com/back v1.0.0 was retracted by its authors: loses data\nadded"},
		[2]string{"%require example.com/old", "warning: example.com/old v1.0.0 is deprecated: use example.com/young"},
		[2]string{"%require example.com/back@v1.1.0", "changed example.com/back v1.0.0 to v1.1.0"},
	)
}

// compiledAs sets the versions of the modules that count as compiled into the program.
func compiledAs(t *testing.T, versions map[string]string) {
	t.Helper()
	before := compiledVersions
	compiledVersions = versions
	t.Cleanup(func() { compiledVersions = before })
}

// A compiled package is used only where its version is the selected one, or cannot be another.
func TestSelectedVersionsReplaceCompiledPackages(t *testing.T) {
	s, p := moduleSession(t)
	compiledAs(t, map[string]string{"gonum.org/v1/gonum": "v0.17.0", "golang.org/x/term": "v0.28.0", "golang.org/x/sys": "v0.45.0"})
	p.Add("gonum.org/v1/gonum", "v0.1.0", map[string]string{"stat/s.go": "package stat"})
	p.Add("golang.org/x/term", "v0.99.0", map[string]string{"t.go": "package term\nimport _ \"golang.org/x/sys/cpu\"\ntype State struct{ Fresh int }\nfunc New() State { return State{7} }"})
	p.Add("golang.org/x/sys", "v0.99.0", map[string]string{"cpu/c.go": "package cpu\nfunc cpuid() int"})
	p.Add("example.com/old", "v1.0.0", map[string]string{"go.mod": "module example.com/old\ngo 1.21\nrequire golang.org/x/sys v0.1.0", "o.go": "package old\nimport \"golang.org/x/sys/cpu\"\nvar Line = cpu.CacheLinePad{}"})
	p.Add("golang.org/x/sys", "v0.1.0", map[string]string{"cpu/c.go": "package cpu\nfunc cpuid() int"})
	const stat = "import \"gonum.org/v1/gonum/stat\"\nstat.Mean([]float64{1}, nil)"
	plays(t, s,
		[2]string{"%require example.com/old\nimport \"example.com/old\"\nimport \"fmt\"\nfmt.Printf(\"%T\", old.Line)", "cpu.CacheLinePad"},
		[2]string{"%require gonum.org/v1/gonum@v0.1.0\n" + stat, "warning: gonum.org/v1/gonum v0.1.0 is required, and gosphere uses v0.17.0, which is compiled into this program: gorgonia.org/gorgonia, also compiled, shares its types"},
		[2]string{"%require golang.org/x/term@v0.99.0\nimport \"golang.org/x/term\"\nterm.New().Fresh", "added golang.org/x/term v0.99.0"},
		[2]string{"fmt.Println(term.New(), term.State{Fresh: 2})", "{7} {2}"},
		[2]string{"%modules", "golang.org/x/term   v0.99.0"},
	)
	if got := printed(s, stat); strings.Contains(got, "warning") {
		t.Errorf("told again: %s", got)
	}
}

func TestCompiledPackagesInAssemblyAndInUseStay(t *testing.T) {
	s, p := moduleSession(t)
	compiledAs(t, map[string]string{"golang.org/x/term": "v0.28.0"})
	p.Add("golang.org/x/term", "v0.99.0", map[string]string{"t.go": "package term\nfunc New() int { return 7 }"})
	plays(t, s,
		[2]string{"import \"golang.org/x/term\"\nfmt.Print(term.IsTerminal(1000))", "false"},
		[2]string{"%require golang.org/x/term@v0.99.0\nimport \"golang.org/x/term\"\nterm.New()", "cells already use it; restart the kernel"},
	)
	fresh := newTestSession(t)
	defer fresh.Close()
	p.Add("golang.org/x/term", "v0.98.0", map[string]string{"t.go": "package term\nfunc raw() int", "raw.s": ""})
	plays(t, fresh, [2]string{"%require golang.org/x/term@v0.98.0\nimport \"golang.org/x/term\"\nterm.IsTerminal(1000)", "raw has no body in Go in the other version"})
}

func TestCarriedPackagesHaveGenericFunctionsForCells(t *testing.T) {
	p := modulestest.New(t)
	p.Use()
	dir := t.TempDir()
	t.Chdir(dir)
	archive, err := source.Pack([]source.Carried{{Path: "example.com/list", Name: "list", Module: "example.com/list", Version: "v1.1.0", Sum: "h1:x", GoVersion: "go1.21",
		Files: map[string][]byte{"l.go": []byte("// Package list has lists.\npackage list\ntype Of[T any] []T\nfunc (l Of[T]) Len() int { return len(l) }\nfunc Map[T, U any](l Of[T], f func(T) U) (r Of[U]) { for _, x := range l { r = append(r, f(x)) }; return r }\nfunc Version() string { return \"carried\" }")}}})
	if err != nil {
		t.Fatal(err)
	}
	carried, err := source.OpenStore(string(archive))
	if err != nil {
		t.Fatal(err)
	}
	session := func() *Session {
		s := newSessionWith(t, func(o *Options) { o.Carried, o.Licenses = carried, map[string]string{"example.com/list": "MIT"} })
		t.Cleanup(s.Close)
		return s
	}
	// The import is automatic.
	plays(t, session(), [2]string{"type mine struct{ n int }\nl := list.Map(list.Of[mine]{{1}, {2}}, func(m mine) string { return fmt.Sprint(m.n) })\nfmt.Printf(\"%T %v %d %s\", l, l, l.Len(), list.Version())", "list.Of[string] [1 2] 2 carried"},
		[2]string{"%modules", "example.com/list  v1.1.0   MIT      h1:x  from source, in the program"})
	// An export requires the version of the program.
	compiledAs(t, map[string]string{"example.com/list": "v1.1.0"})
	finder, err := NewFinder(newTestSession(t).options.Packages, carried, notebook.Notebook{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := finder.Load(t.Context(), nil, []string{"example.com/list"}); err != nil || len(finder.FromSource()) > 0 {
		t.Errorf("%v, from source in other versions are %q", err, finder.FromSource())
	}
	p.Add("example.com/list", "v1.2.0", map[string]string{"l.go": "package list\nfunc Version() string { return \"required\" }"})
	plays(t, session(), [2]string{"%require example.com/list@v1.2.0\nimport \"example.com/list\"\nfmt.Print(list.Version())", "required"})
	for name, text := range map[string]string{"go.mod": "module example.com/list\ngo 1.21\n", "l.go": "package list\nfunc Version() string { return \"edited\" }"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plays(t, session(), [2]string{"import \"example.com/list\"\nfmt.Print(list.Version())", "edited"})
}

// A module from before go.mod files does not say which modules it needs.
func TestAMissingImportOfAModuleIsNamed(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("github.com/x/old", "v1.0.0", map[string]string{"o.go": "package old\nimport _ \"github.com/y/dep/sub\""})
	plays(t, s, [2]string{"%require github.com/x/old\nimport \"github.com/x/old\"",
		"no required module provides github.com/y/dep/sub; imported by github.com/x/old)"})
}

func TestLoopsAreThoseOfTheLanguageVersion(t *testing.T) {
	s, p := moduleSession(t)
	const code = `
func Loops() (out []int) {
	var fs []func() int
	for i := 0; i < 3; i++ { fs = append(fs, func() int { return i }) }
	for i, v := range []int{5, 6} { fs = append(fs, func() int { return 10*i + v }) }
	for k := range map[int]bool{7: true} { p := &k; fs = append(fs, func() int { return *p }) }
	for _, r := range "ab" { fs = append(fs, func() int { return int(r) }) }
	for _, f := range fs { out = append(out, f()) }
	return out
}`
	p.Add("example.com/old", "v1.0.0", map[string]string{"go.mod": "module example.com/old\ngo 1.21\n", "o.go": "package old" + code, "new.go": "//go:build go1.22\n\npackage old" + strings.Replace(code, "Loops", "Fresh", 1)})
	p.Add("example.com/fresh", "v1.0.0", map[string]string{"go.mod": "module example.com/fresh\ngo 1.22\n", "o.go": "package fresh" + code})
	plays(t, s,
		[2]string{"%require example.com/old example.com/fresh\nimport (\"fmt\"; \"example.com/old\"; \"example.com/fresh\")\nfmt.Println(old.Loops(), old.Fresh(), fresh.Loops())",
			"[3 3 3 16 16 7 98 98] [0 1 2 5 16 7 97 98] [0 1 2 5 16 7 97 98]"})
}

func TestModulesGetTheirEmbeddedFiles(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("example.com/em", "v1.0.0", map[string]string{
		"em.go": `package em
import "embed"
//go:embed a.txt
var Text string
//go:embed a.txt
var Bytes []byte
//go:embed all:tree *.txt
var Tree embed.FS`,
		"a.txt": "hello", "tree/b.txt": "bee", "tree/deep/c.txt": "sea", "tree/.hidden": "h",
	})
	plays(t, s, [2]string{`%require example.com/em
import ("example.com/em"; "fmt"; "io/fs")
fmt.Println(em.Text, len(em.Bytes))
fs.WalkDir(em.Tree, ".", func(p string, d fs.DirEntry, err error) error { fmt.Print(p, " ", d.IsDir(), ";"); return err })
data, err := em.Tree.ReadFile("tree/deep/c.txt")
fmt.Println(string(data), err)`, "hello 5\n. true;a.txt false;tree true;tree/.hidden false;tree/b.txt false;tree/deep true;tree/deep/c.txt false;sea <nil>"})
}

// The files and lists of literals are in variables that only a later cell uses, too.
func TestContentsAreThereBeforeAndAfterTheStart(t *testing.T) {
	s, p := moduleSession(t)
	list := strings.Repeat("1, ", 40)
	p.Add("example.com/em", "v1.0.0", map[string]string{
		"em.go": `package em
import _ "embed"
//go:embed a.txt
var Text string
type pair struct { A, b int8 }
var Pairs = [...]pair{{1, 2}, 50: {b: -3}, ` + strings.Repeat("{A: 4}, ", 40) + `}
var List = []uint16{` + list + `}
var Nested = map[string][]string{"a": {"x"}, "b": []string{` + strings.Repeat(`"y", `, 40) + `}}
var Sum = func() (sum int) { for _, x := range List { sum += int(x) }; List[0] = 7; return }()
func B(i int) int8 { return Pairs[i].b }`,
		"a.txt": "hello",
	})
	plays(t, s, [2]string{"%require example.com/em\nimport (\"example.com/em\"; \"fmt\")\nfmt.Println(em.B(0), em.B(50))", "2 -3\n"},
		[2]string{"fmt.Println(em.Text, len(em.Pairs), em.Pairs[51].A, em.Sum, em.List[:2], len(em.List), len(em.Nested[\"b\"]), em.Nested[\"b\"][39])", "hello 91 4 40 [7 1] 40 40 y\n"},
		[2]string{"em.List[1] = 9; em.Pairs[0].A = 5; other := em.Pairs; other[0].A++\nfmt.Println(em.List[:3], em.Pairs[:2], other[0])", "[7 9 1] [{5 2} {0 0}] {6 2}\n"})
}

func TestWhatModulesCannotDoIsRefused(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("example.com/bad", "v1.0.0", map[string]string{
		"c/c.go":       "package c\nimport \"C\"\nfunc F() {}",
		"asm/asm.go":   "package asm\nfunc Fast(x int) int\nfunc Slow(x int) int { return x }",
		"asm/asm_.s":   "",
		"link/link.go": "package link\nimport _ \"unsafe\"\n//go:linkname nanotime runtime.nanotime\nfunc nanotime() int64\n//go:linkname other runtime.doubledown\nfunc other(int) int\nfunc Other() int { println(\"before\"); return other(1) }\n//go:linkname limit runtime.ncpu\nvar limit int\nfunc Now() int64 { return nanotime() }\nfunc Limit() int { return limit }",
		"err/err.go":   "package err\nvar X int = \"a\"",
		"cmd/main.go":  "package main\nfunc main() {}",
		"cyc/a.go":     "package cyc\nimport _ \"example.com/bad/cyc2\"",
		"cyc2/a.go":    "package cyc2\nimport _ \"example.com/bad/cyc\"",
		"boom/b.go":    "package boom\nvar N = 1\nfunc init() { panic(\"no boom\") }",
	})
	plays(t, s,
		[2]string{"%require example.com/bad\nkept := 7", "added example.com/bad v1.0.0"},
		[2]string{`import "example.com/bad/c"`, "c.go because it needs cgo"},
		[2]string{"import \"example.com/bad/asm\"\nasm.Slow(kept)", ""},
		[2]string{"asm.Fast(kept)", "package example.com/bad/asm, asm.go:2: example.com/bad/asm.Fast has no body in Go"},
		[2]string{"import (\"example.com/bad/link\"; \"fmt\")\nfmt.Println(link.Now() > 0)", "true"},
		[2]string{"link.Other()", "before\npanic: package example.com/bad/link, link.go:6: example.com/bad/link.other has no body in Go"},
		[2]string{"link.Limit()", "package example.com/bad/link, link.go:9: the variable limit is linked from elsewhere by go:linkname"},
		[2]string{`import "example.com/bad/err"`, "err.go:2:13"},
		[2]string{`import "example.com/bad/cmd"`, "is a program"},
		[2]string{`import "example.com/bad/cyc"`, "import cycle"},
		[2]string{`import "example.com/bad/none"`, "module example.com/bad@v1.0.0 is required, but has no package"},
		[2]string{"import \"example.com/bad/boom\"\nboom.N", "no boom"},
		[2]string{"import \"example.com/bad/boom\"\nboom.N", "package example.com/bad/boom: its initialization panicked in an earlier cell (no boom); restart the kernel"},
		[2]string{"%require nonsense", "%require"},
		[2]string{"%require", "needs at least one module"},
		[2]string{`import "fmt"; fmt.Print(kept)`, "7"},
	)
}

func TestInterruptedDownloadsLeaveTheSessionAsItWas(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("example.com/slow", "v1.0.0", map[string]string{"s.go": "package slow\nconst V = 5"})
	asked, stuck := make(chan bool, 10), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".zip") {
			asked <- true
			_, _ = w.Write([]byte("PK"))
			w.(http.Flusher).Flush()
			select {
			case <-stuck:
			case <-r.Context().Done():
				return
			}
		}
		http.FileServer(http.Dir(p.Dir)).ServeHTTP(w, r)
	}))
	defer server.Close()
	t.Setenv("GOPROXY", server.URL)
	slow := newTestSession(t)
	defer slow.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	reply := slow.Execute(ctx, protocol.ExecuteRequest{Code: "%require example.com/slow\nimport \"example.com/slow\"\nx := slow.V"}, func(protocol.Content) {})
	if reply.Ename != "KeyboardInterrupt" {
		t.Errorf("an interrupted download ends with %s: %s", reply.Ename, reply.Evalue)
	}
	close(stuck)
	t.Setenv("GOPROXY", p.URL())
	plays(t, s, [2]string{"%require example.com/slow\nimport (\"example.com/slow\"; \"fmt\")\nfmt.Print(slow.V)", "5"})
	plays(t, slow, [2]string{"y := 3", ""}, [2]string{`import "fmt"; fmt.Print(y)`, "3"})
}

func TestFoldersBesideTheNotebookAreImported(t *testing.T) {
	s, _ := moduleSession(t)
	for name, text := range map[string]string{
		"helpers/h.go":       "package helpers\nimport \"./inner\"\nfunc Twice(x int) int { return inner.Twice(x) }",
		"helpers/h_test.go":  "package helpers\nimport \"testing\"\nfunc TestTwice(t *testing.T) {}",
		"helpers/inner/i.go": "package inner\nfunc Twice(x int) int { return 2*x }",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plays(t, s,
		[2]string{"import \"./helpers\"\nimport \"fmt\"\nfmt.Print(helpers.Twice(21))", "42"},
		[2]string{`import "./nothing"`, "nothing"},
	)
}

func TestGoWorkBesideTheNotebookNamesModules(t *testing.T) {
	p := modulestest.New(t)
	p.Use()
	t.Setenv("GOWORK", "")
	p.Add("example.com/dep", "v1.0.0", map[string]string{"d.go": "package dep\nconst D = \"old\""})
	p.Add("example.com/dep", "v1.2.0", map[string]string{"d.go": "package dep\nconst D = \"new\""})
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.work":       "go 1.22\nuse (\n\t./one\n\t./two\n)\n",
		"one/go.mod":    "module example.com/one\ngo 1.22\nrequire example.com/dep v1.0.0\n",
		"one/o.go":      "package one\nimport (\"example.com/two/in\"; \"example.com/dep\")\nfunc F() string { return in.X + dep.D }",
		"two/go.mod":    "module example.com/two\ngo 1.22\nrequire example.com/dep v1.2.0\n",
		"two/in/i.go":   "package in\nconst X = \"in \"",
		"notes/keep.me": "",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "notes"))
	s := newTestSession(t)
	t.Cleanup(s.Close)
	plays(t, s,
		[2]string{"import (\"fmt\"; \"example.com/one\"; \"example.com/dep\")\nfmt.Print(one.F(), \", \", dep.D)", "in new, new"},
		[2]string{"%require example.com/two@v1.0.0", "example.com/two is the module of"},
	)
}

func TestGoModBesideTheNotebookNamesModules(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("example.com/a", "v1.2.3", map[string]string{"a.go": "package a\nconst V = \"1.2.3\""})
	for name, text := range map[string]string{"go.mod": "module home\ngo 1.24\nrequire example.com/a v1.2.3\n", "internal/own/own.go": "package own\nfunc F() string { return \"own\" }"} {
		_ = os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plays(t, s, [2]string{"import (\"example.com/a\"; \"home/internal/own\"; \"fmt\")\nfmt.Print(a.V, own.F())", "1.2.3own"})
}
