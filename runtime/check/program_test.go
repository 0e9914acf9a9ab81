package check_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/printer"
	"slices"
	"strings"
	"testing"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

func TestProgramsInitializeInOrder(t *testing.T) {
	s := check.NewSession(store(t))
	checked, err := checkCell(s, 1, `package main
import "fmt"
var a, x = b + 1, f()
var b = f()
var c int
var p, q = two()
func f() int { return 2 * d }
func two() (int, int) { return a, b }
var d = 4
func init() { c = 1 }
func init() { c = 2 }
func main() { fmt.Println(a, b, c, p, q) }`)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, statement := range checked.Body.Body.List {
		if statement == checked.Initialized {
			lines = append(lines, "init()")
			continue
		}
		var b bytes.Buffer
		if err := printer.Fprint(&b, checked.Fset, statement); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, b.String())
	}
	want := "var c int; var d = 4; var x = f(); var b = f(); var a = b + 1; var p, q = two(); init()"
	if got := strings.Join(lines, "; "); got != want {
		t.Errorf("the body is %s\nwant %s", got, want)
	}
	want = "f#1; two#1; init#1; init#2; main#1; var a#1 int; var x#1 int; var b#1 int; var c#1 int; var p#1 int; var q#1 int; var d#1 int"
	if got := outline(checked); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.Lookup("init") != nil {
		t.Error("init can be named")
	}
	again, err := checkCell(s, 2, "package main\nvar a = \"s\"\nvar b = 7\nfunc main() { println(a) }")
	if err != nil {
		t.Fatal(err)
	}
	want = "two#1 again; main#2; var a#2 string; var b#1 int kept; dropped two"
	if got := outline(again); got != strings.Replace(want, "two#1 again; ", "", 1) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCellsOfDeclarationsMayUseWhatComesLater(t *testing.T) {
	runSteps(t, []step{
		{"var a = b + f()\nvar b = 2\nfunc f() int { return b }", "f#1; var a#1 int; var b#1 int"},
		{"var a = a + 1", "var a#1 int kept"},
		{"var c = d\nvar d = e", "error: Cell [3]:1:9: undefined: d | Cell [3]:2:9: undefined: e"},
		{"var c = d\nvar d = 1\nc", "var c#1 int; var d#1 int; value int"},
		{"println()\nvar g = h\nvar h = 1", "error: Cell [5]:2:9: undefined: h"},
		{"var g = h\nprintln()\nvar h = 1", "error: Cell [6]:1:9: undefined: h"},
	})
}

func TestInitRunsBehindTheVariablesThatItUses(t *testing.T) {
	for _, c := range []struct {
		cell string
		want int // statements before it
	}{
		{"func init() {}", 0},
		{"println()\nfunc init() {}", 0},
		{"var a = 1\nvar b = 2\nprintln()\nfunc init() {}", 2},
		{"println()\nvar a = 1\nprintln()\nfunc init() { a++ }", 2},
		{"println()\na := 1\nfunc init() { f() }\nfunc f() { g() }\nfunc g() { a++ }", 2},
		{"println()\na := 1\nfunc init() { T(0).m() }\ntype T int\nfunc (T) m() { a++ }", 2},
		{"println()\na := 1\nfunc init() { b := 2; _ = b }\nb := a", 0}, // a b of its own
		{"package main\nvar a = b\nvar b = 1\nfunc init() { a++ }\nfunc main() {}", 2},
	} {
		checked := mustCheck(t, check.NewSession(store(t)), 1, c.cell)
		if got := slices.Index(checked.Body.Body.List, ast.Stmt(checked.Initialized)); got != c.want {
			t.Errorf("%s\nit runs behind %d statements, want %d", c.cell, got, c.want)
		}
	}
	if checked := mustCheck(t, check.NewSession(store(t)), 1, "var a = 1"); checked.Initialized != nil {
		t.Error("a cell without init runs one")
	}
}

func TestCellsThatDeclareOnlyConstantsAreKept(t *testing.T) {
	s := check.NewSession(store(t))
	for i, c := range []struct {
		cell string
		want bool
	}{{"type E int", true}, {"const A E = 1", true}, {"const _ = 1", false}, {"println(A)", false}, {"x := A", true}, {"x = 2", false}} {
		if got := mustCheck(t, s, i+1, c.cell).Declares(); got != c.want {
			t.Errorf("%s: %t, want %t", c.cell, got, c.want)
		}
	}
}

func TestSymbolsAreOneForBodyAndFunctions(t *testing.T) {
	s := check.NewSession(store(t))
	checked, err := checkCell(s, 1, "type T struct{ n int }\nfunc (t *T) Inc() { t.n++ }\ncount := &T{}\nfunc bump() { count.Inc() }\ncount.Inc()\nbump()")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]map[*check.Symbol]bool{}
	for ident, object := range checked.Info.Uses {
		if symbol := checked.SymbolOf(object); symbol != nil {
			if seen[ident.Name] == nil {
				seen[ident.Name] = map[*check.Symbol]bool{}
			}
			seen[ident.Name][symbol] = true
		}
	}
	for _, name := range []string{"T", "Inc", "count", "bump"} {
		if len(seen[name]) != 1 {
			t.Errorf("%s has %d symbols", name, len(seen[name]))
		}
	}
	if len(seen) != 4 {
		t.Errorf("symbols for %v, want T, Inc, count and bump", seen)
	}
}

func TestEveryUseInTheBodyHasASymbolAcrossCells(t *testing.T) {
	s := check.NewSession(store(t))
	mustCheck(t, s, 1, "type B struct{ v int }\nfunc (b B) Get() int { return b.v }\ntype D struct{ B }\nx := D{}\nconst k = 2\nfunc f[T any](v T) T { return v }")
	checked := mustCheck(t, s, 2, "before := x\nx := f(x.Get() + k)\nfunc g() int { return x }\nf[int](x) + g() + before.Get()")
	for ident, object := range checked.Info.Uses {
		if object.Pkg() == nil || object.Pkg().Path() != "main" {
			continue
		}
		if checked.SymbolOf(object) == nil {
			t.Errorf("%s at %v has no symbol", ident.Name, checked.Fset.Position(ident.Pos()))
		}
	}
	old, now := 0, 0
	for ident, object := range checked.Info.Uses {
		if ident.Name == "x" && checked.SymbolOf(object).Version == 1 {
			old++
		} else if ident.Name == "x" {
			now++
		}
	}
	if old != 2 || now != 2 {
		t.Errorf("the old x is used %d times and the new %d times, want 2 and 2", old, now)
	}
}

func mustCheck(t *testing.T, s *check.Session, number int, source string) *check.Checked {
	t.Helper()
	checked, err := checkCell(s, number, source)
	if err != nil {
		t.Fatalf("cell %d: %v", number, err)
	}
	return checked
}

func TestFailedChecksChangeNothing(t *testing.T) {
	s := check.NewSession(store(t))
	mustCheck(t, s, 1, "type T struct{ n int }\nfunc (t T) M() int { return t.n }\nt := T{1}\nfunc f() int { return t.M() }")
	for i, source := range []string{
		"func (t T) N() int { return nope }",
		"func (t T) M() string { return nope }",
		"type T struct{ x string }\nvar y int = \"s\"",
		"t := 5\nnope()",
		"f := 1\nfunc g() int { return f + nope }",
		"import \"strings\"\nt = strings.Nope",
	} {
		if _, err := checkCell(s, i+2, source); err == nil {
			t.Errorf("%q passes", source)
		}
	}
	var names []string
	for _, symbol := range s.Symbols() {
		names = append(names, fmt.Sprintf("%s#%d", symbol.Name, symbol.Version))
	}
	if got := strings.Join(names, " "); got != "T#1 f#1 t#1" {
		t.Errorf("the session has %s", got)
	}
	if len(s.Imports()) != 0 {
		t.Errorf("the session imports %v", s.Imports())
	}
	mustCheck(t, s, 9, "var i int = t.M() + f() + T{n: 2}.n")
}

func TestErrorsAreTypedAndAllReported(t *testing.T) {
	s := check.NewSession(store(t))
	_, err := checkCell(s, 3, "a := 1\nλ := \"é\" + a\nvar b string = a\nfunc f() int { }\nundefinedHere()")
	var list cell.Errors
	if !errors.As(err, &list) {
		t.Fatalf("%T: %v", err, err)
	}
	want := []string{
		"Cell [3]:2:6: invalid operation: \"é\" + a (mismatched types untyped string and int)",
		"Cell [3]:3:16: cannot use a (variable of type int) as string value in variable declaration",
		"Cell [3]:4:16: missing return",
		"Cell [3]:5:1: undefined: undefinedHere",
	}
	for i, line := range want {
		if i >= len(list) || list[i].Error() != line {
			t.Errorf("error %d of\n%v\nis not %s", i+1, err, line)
		}
	}
}

func BenchmarkCheckSmallCellAfterManyCells(b *testing.B) {
	s := check.NewSession(store(b))
	for i := range 500 {
		source := fmt.Sprintf("type T%d struct{ n int }\nfunc (t T%d) M() int { return t.n }\nx%d := T%d{%d}\nfunc f%d() int { return x%d.M() }", i, i, i, i, i, i, i)
		if _, err := checkCell(s, i+1, source); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for i := range b.N {
		if _, err := checkCell(s, 1000+i, "y := x7.M() + f9()\nfmt.Println(y, strings.ToUpper(\"a\"))\ny + 1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckOnePlusOne(b *testing.B) {
	s := check.NewSession(store(b))
	for i := range b.N {
		if _, err := checkCell(s, i, "1+1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRedefineFunctionUsedByHundred(b *testing.B) {
	s := check.NewSession(store(b))
	source := "func g() int { return 1 }\n"
	for i := range 100 {
		source += fmt.Sprintf("func f%d() int { return g() }\n", i)
	}
	if _, err := checkCell(s, 1, source); err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		if _, err := checkCell(s, i+2, "func g() int { return 2 }"); err != nil {
			b.Fatal(err)
		}
	}
}
