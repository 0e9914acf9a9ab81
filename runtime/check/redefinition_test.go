package check_test

import (
	"fmt"
	"go/ast"
	"testing"

	"gosphere/runtime/check"
)

func TestRedefinitionsOfEveryKindIntoEveryOther(t *testing.T) {
	forms := map[string]string{
		"variable": "x := 1",
		"constant": "const x = 2",
		"function": "func x() int { return 3 }",
		"type":     "type x struct{ n int }\nfunc (x) M() {}",
		"generic":  "func x[T any](v T) T { return v }",
		"import":   "import x \"strings\"",
	}
	uses := map[string]string{
		"variable": "x++",
		"constant": "[x]int{}",
		"function": "x() + 1",
		"type":     "x{}.M()",
		"generic":  "x(\"s\")",
		"import":   "x.ToUpper(\"a\")",
	}
	for before, first := range forms {
		for after, second := range forms {
			s := check.NewSession(store(t))
			mustCheck(t, s, 1, first)
			mustCheck(t, s, 2, uses[before])
			verify(t, s, mustCheck(t, s, 3, second))
			if checked, err := checkCell(s, 4, uses[after]); err != nil {
				t.Errorf("%s after %s: %v", after, before, err)
			} else {
				verify(t, s, checked)
			}
			if _, err := checkCell(s, 5, uses[before]); (err == nil) != (before == after) {
				t.Errorf("%s used after %s: %v", before, after, err)
			}
		}
	}
}

func TestBrokenFunctionsHeal(t *testing.T) {
	runSteps(t, []step{
		{"x := 3\nfunc dbl() int { return x * 2 }\nfunc quad() int { return 2 * dbl() }", "dbl#1; quad#1; var x#1 int"},
		{"x := \"s\"", "var x#2 string; dropped dbl; dropped quad"},
		{"quad()", "error: Cell [3]:1:1: quad no longer compiles: Cell [1]:3:30: dbl no longer compiles: Cell [1]:2:25: invalid operation: x * 2 (mismatched types string and untyped int)"},
		{"x := 5", "dbl#1 again; quad#1 again; var x#3 int"},
		{"quad()", "value int"},
		{"x := 1.5", "var x#4 float64; dropped dbl; dropped quad"},
		{"func dbl() float64 { return x * 2 }", "dbl#2"},
		{"func quad() float64 { return 2 * dbl() }\nquad()", "quad#2; value float64"},
	})
}

func TestDependentsOfVariablesAndConstants(t *testing.T) {
	runSteps(t, []step{
		{"n := 2\nconst k = 3\ntype Grid [k][k]int\nfunc size(g Grid) int { return len(g) * n }\ng := Grid{}", "Grid#1; size#1; var n#1 int; var g#1 Grid"},
		{"n := 7", "var n#1 int kept"},
		{"const k = 4", "Grid#2 again; size#1 again"},
		{"size(g)", "error: Cell [4]:1:6: cannot use g (variable of array type Grid (of cell 1)) as Grid value in argument to size"},
		{"g := Grid{}\nsize(g)", "var g#2 Grid; value int"},
		{"n := int8(1)", "var n#2 int8; dropped size"},
	})
}

func TestTypesKeepTheirMethodsWhenDeclaredAgain(t *testing.T) {
	runSteps(t, []step{
		{"type T struct{ a int }\nfunc (t T) A() int { return t.a }\nfunc (t T) B() int { return t.A() }", "T#1; T.A#1; T.B#1"},
		{"type T struct{ a, b int }\nT{}.B()", "T.A#2 again; T.B#2 again; T#2; value int"},
		{"type T struct{ b int }", "T#3; dropped A; dropped B"},
		{"T{}.B()", "error: Cell [4]:1:5: T{}.B undefined (type T has no field or method B, but does have field b)"},
		{"func (t T) A() int { return t.b }", "T#3 again; T.A#3"},
		{"type T struct{ A int }", "T#4; dropped A"},
		{"type T = int", "T#5"},
		{"var i int = T(3)", "var i#1 int"},
	})
}

func TestInterfacesSeeMethodsOfLaterCells(t *testing.T) {
	runSteps(t, []step{
		{"type Shape interface{ Area() float64 }\ntype Sq struct{ s float64 }\nshapes := []Shape{}", "Shape#1; Sq#1; var shapes#1 []Shape"},
		{"shapes = append(shapes, Sq{2})", "error: Cell [2]:1:25: cannot use Sq{…} (value of struct type Sq) as Shape value in argument to append: Sq does not implement Shape (missing method Area)"},
		{"func (q Sq) Area() float64 { return q.s * q.s }\nshapes = append(shapes, Sq{2})", "Sq#1 again; Sq.Area#1"},
		{"shapes[0].(Sq).Area() + shapes[0].Area()", "value float64"},
		{"func (q Sq) String() string { return \"sq\" }\nvar st fmt.Stringer = shapes[0].(Sq)", "Sq#1 again; Sq.Area#1 again; Sq.String#1; var st#1 fmt.Stringer"},
		{"type Shape interface{ Area() float64; String() string }", "Shape#2"},
		{"var s2 Shape = Sq{1}", "var s2#1 Shape"},
		{"s2 = shapes[0]", "error: Cell [8]:1:6: cannot use shapes[0] (variable of interface type Shape (of cell 1)) as Shape value in assignment: Shape (of cell 1) does not implement Shape (missing method String)"},
	})
}

func TestEmbeddingFollowsTheEmbeddedType(t *testing.T) {
	runSteps(t, []step{
		{"type Inner struct{ v int }\ntype Outer struct{ Inner; *strings.Builder }\no := Outer{}", "Inner#1; Outer#1; var o#1 Outer"},
		{"func (i *Inner) Inc() { i.v++ }\no.Inc()\no.v", "Inner#1 again; Outer#1 again; Inner.Inc#1; value int"},
		{"func bump() { o.Inc() }", "bump#1"},
		{"func (i *Inner) Inc() { i.v += 10 }", "bump#1 again; Inner.Inc#2"},
		{"bump()\no.v", "value int"},
	})
}

func TestMethodsMayNameTheirTypeByAnAlias(t *testing.T) {
	runSteps(t, []step{
		{"type T struct{ n int }\ntype A = T\ntype P = *T\nt := T{}", "T#1; A#1; P#1; var t#1 T"},
		{"func (a A) M() int { return a.n }\nt.M()", "T#1 again; A#1 again; P#1 again; T.M#1; value int"},
		{"func (p P) N() int { return p.n }\nt.M() + t.N()", "T#1 again; A#1 again; P#1 again; T.M#1 again; T.N#1; value int"},
		{"type C struct{}\ntype D = C\nfunc (d *D) M() {}\n(&C{}).M()", "C#1; D#1; C.M#1"},
	})
}

func TestCellsRunAgainKeepTheirTypes(t *testing.T) {
	const first = "const k = 2\ntype T struct{ n [k]int }\ntype L []T\nfunc (t T) M() int { return t.n[0] }\nt := T{}"
	runSteps(t, []step{
		{first, "T#1; L#1; T.M#1; var t#1 T"},
		{"u := L{t}\nfunc show(t T) int { return t.M() }\nfunc (l L) Len() int { return len(l) }", "L#1 again; show#1; L.Len#1; var u#1 L"},
		{first, "show#1 again; L.Len#1 again; T#1 again; L#1 again; T.M#2; var t#1 T kept"},
		{"t = u[0]\nshow(u[0]) + show(t) + u.Len()", "value int"},
		{"type T struct{ n [k]int }", "show#1 again; L.Len#1 again; L#1 again; T.M#2 again; T#1 again"},
		{"const k = 3\ntype T struct{ n [k]int }", "show#1 again; L.Len#2 again; L#2 again; T.M#3 again; T#2"},
		{"t = u[0]\nt = T{}", "error: Cell [7]:2:5: cannot use T{} (value of struct type T) as T (of cell 1) value in assignment"},
		{"type Color int\nconst (\n\tRed Color = iota\n\tGreen\n)\nc := Green", "Color#1; var c#1 Color"},
		{"type Color int\nconst (\n\tRed Color = iota\n\tGreen\n)\nc := Green", "Color#1 again; var c#1 Color kept"},
		{"c = Red\nfunc (c Color) String() string { return \"\" }\nc = Green", "Color#1 again; Color.String#1"},
		{"type rand struct{ x int }\ntype W struct{ r rand }", "rand#1; W#1"},
		{"type rand struct{ x, y int }\ntype W struct{ r rand }", "rand#2; W#2"},
		{"type V struct{ n uint8 }\nv := V{1}", "V#1; var v#1 V"},
		{"type uint8 string", "uint8#1"},
		{"type V struct{ n uint8 }\nw := V{\"a\"}", "V#2; var w#1 V"},
		{"type V struct{ n uint8 }\nw = V{\"b\"}", "V#2 again"},
		{"type S struct{ n uint16 }\ns := S{1}", "S#1; var s#1 S"},
		{"type uint16 string", "uint16#1"},
		{"func (S) M() {}\nx := S{1}\nx == s", "S#1 again; S.M#1; var x#1 S; value bool"},
		{"type O struct{ n uint32 }\no := O{1}", "O#1; var o#1 O"},
		{"type uint32 string\nfunc (O) M() {}\ny := O{1}\ny == o", "O#1 again; uint32#1; O.M#1; var y#1 O; value bool"},
	})
}

func TestAgainListsSyntaxWithItsTypes(t *testing.T) {
	s := check.NewSession(store(t))
	mustCheck(t, s, 1, "import \"strings\"\nfunc g() string { return \"a\" }\nfunc f() string { return strings.ToUpper(g()) }")
	checked := mustCheck(t, s, 2, "func g() string { return \"b\" }")
	found := false
	for _, d := range checked.Declarations {
		f := d.Syntax.(*ast.FuncDecl)
		if !d.Again {
			continue
		}
		found = true
		position := checked.Fset.Position(f.Pos())
		if position.Filename != "Cell [1]" || position.Line != 3 {
			t.Errorf("%s is at %v", d.Symbol.Name, position)
		}
		verifyTyped(t, checked, f.Body)
	}
	if !found || importsOf(checked) != "strings=strings" {
		t.Errorf("again: %v, imports %s", found, importsOf(checked))
	}
}

func TestSymbolsOutliveTheirNames(t *testing.T) {
	s := check.NewSession(store(t))
	mustCheck(t, s, 1, "type T struct{ n int }\nfunc (t T) M() int { return t.n }\nold := T{1}")
	before := s.Lookup("T")
	mustCheck(t, s, 2, "type T int")
	checked := mustCheck(t, s, 3, "old.M()")
	seen := false
	for ident, object := range checked.Info.Uses {
		if ident.Name == "M" {
			seen = true
			if symbol := checked.SymbolOf(object); symbol == nil || symbol.Receiver != before {
				t.Errorf("M belongs to %v, want the first T", symbol)
			}
		}
	}
	if !seen || s.Lookup("T") == before {
		t.Error("the old type was not used, or T was not declared again")
	}
}

func TestEarlierCellsAreListedWhileOthersAreChecked(t *testing.T) {
	s := check.NewSession(store(t))
	done := make(chan bool)
	go func() {
		defer close(done)
		for number := range 20 {
			if _, err := checkCell(s, number+1, fmt.Sprintf("type T struct{ f%d int }", number)); err != nil {
				t.Error(err)
			}
		}
	}()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		default:
			s.Earlier("T")
		}
	}
	if got := s.Earlier("T"); len(got) != 19 || got[18] != 19 {
		t.Errorf("T was declared earlier by cells %v", got)
	}
}

// TestPredeclaredNamesKeepTheirMeaning declares predeclared names and has earlier declarations that
// use them checked again.
func TestPredeclaredNamesKeepTheirMeaning(t *testing.T) {
	runSteps(t, []step{
		{"type T struct{ n int }\nfunc least(a, b T) int { return min(a.n, b.n) + len(\"ab\") }\nfunc (t T) text() string { return string(rune(t.n)) }", "T#1; least#1; T.text#1"},
		{"min := 0.5", "var min#1 float64"},
		{"type T struct{ n, m int }", "least#1 again; T.text#2 again; T#2"},
		{"func least2(a, b int) int { return min(a, b) }", "error: Cell [4]:1:36: invalid operation: cannot call min (variable of type float64): float64 is not a function"},
		{"func len(s string) string { return s }\ntype T struct{ n, m, k int }\nlen(\"ab\")", "least#1 again; T.text#3 again; len#1; T#3; value string"},
		{"func twice() string { return len(\"a\") + len(\"b\") }", "twice#1"},
		{"func (t T) more() int { return least(t, t) }", "least#1 again; T.text#3 again; T#3 again; T.more#1"},
		{"func len(s string) int { return 1 }", "len#2; dropped twice"},
		{"func len(s string) string { return s + s }", "twice#1 again; len#3"},
		{"type int string\ntype T struct{ n int }", "int#1; T#4; dropped least; dropped more; dropped text"},
	})
	runSteps(t, []step{
		{"const k = 2\ntype list [k]int\nvar xs list\nfunc sum(l list) (n int) { for _, x := range l { n += x }; return n }", "list#1; sum#1; var xs#1 list"},
		{"type int float64\nfunc (l list) first() int { return int(l[0]) }", "list#1 again; sum#1 again; int#1; list.first#1"},
		{"sum(xs)", "value int"},
	})
}
