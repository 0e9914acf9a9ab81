package cell

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

// mustParse parses a cell that has no errors.
func mustParse(t *testing.T, source string) *Cell {
	t.Helper()
	c, err := Parse(3, source)
	if err != nil {
		t.Fatalf("%q: %v", source, err)
	}
	return c
}

func TestPositionsAreThoseOfTheCell(t *testing.T) {
	source := "x := 1; y := x\nfunc f(a int) int {\n\treturn a + x\n}\nλ := 2; f(λ)\nconst c = 3; z := c"
	c := mustParse(t, source)
	lines := strings.Split(source, "\n")
	seen := 0
	for _, file := range []*ast.File{c.Declarations, c.Statements} {
		ast.Inspect(file, func(n ast.Node) bool {
			ident, ok := n.(*ast.Ident)
			if !ok || ident.Name == "main" || ident.Name == BodyName {
				return true
			}
			position := c.Fset.Position(ident.Pos())
			if position.Filename != "Cell [3]" {
				t.Errorf("%s is in %q", ident.Name, position.Filename)
			}
			if text := lines[position.Line-1][position.Column-1:]; !strings.HasPrefix(text, ident.Name) {
				t.Errorf("%s is said to be at %v, where there is %q", ident.Name, position, text)
			}
			seen++
			return true
		})
	}
	if seen != 15 {
		t.Errorf("saw %d identifiers, want 15", seen)
	}
}

func TestParseSeparatesDeclarationsFromStatements(t *testing.T) {
	c := mustParse(t, "import \"fmt\"\nn := 2\ntype R struct{ V int }\nfunc (r R) Twice() int { return 2 * r.V }\nvar r = R{n}\nfmt.Println(r.Twice())\nimport \"os\"\nr")
	if len(c.Declarations.Decls) != 4 || len(c.Body.Body.List) != 4 {
		t.Errorf("%d declarations and %d statements, want 4 and 4", len(c.Declarations.Decls), len(c.Body.Body.List))
	}
	if c.Value == nil || c.Value != c.Body.Body.List[3] {
		t.Error("the last expression is not the value")
	}
}

func TestValueIsTheLastPieceOnly(t *testing.T) {
	cases := map[string]bool{
		"x": true, "x;": true, "x // why\n": true, "f()": true, "x\nfunc f() {}": false, "x := 1": false,
		"x\ny := 2": false, "if x {\n}": false, "<-c": true, "": false, "// x": false, "go f()": false,
	}
	for source, want := range cases {
		if got := mustParse(t, source).Value != nil; got != want {
			t.Errorf("%q has a value: %v, want %v", source, got, want)
		}
	}
}

func TestDocCommentsStayWithTheirDeclarations(t *testing.T) {
	c := mustParse(t, "x := 1 // not about f\n// f gives one.\nfunc f() int { return 1 }\n// T is a type.\ntype T int")
	f := c.Declarations.Decls[0].(*ast.FuncDecl)
	if got := f.Doc.Text(); got != "f gives one.\n" {
		t.Errorf("the comment of f is %q", got)
	}
	if got := mustParse(t, "// F is first.\nfunc F() {}").Declarations.Decls[0].(*ast.FuncDecl).Doc.Text(); got != "F is first.\n" {
		t.Errorf("the comment of F is %q", got)
	}
	if got := c.Declarations.Decls[1].(*ast.GenDecl).Doc.Text(); got != "T is a type.\n" {
		t.Errorf("the comment of T is %q", got)
	}
}

func TestProgramsKeepTheirVariablesAtPackageLevel(t *testing.T) {
	source := "package main\nvar a = b\nvar b = 2\nfunc main() { println(a) }"
	c := mustParse(t, source)
	if !c.Program || !c.HasMain || len(c.Declarations.Decls) != 3 || len(c.Body.Body.List) != 0 {
		t.Errorf("program %v, main %v, %d declarations, %d statements", c.Program, c.HasMain, len(c.Declarations.Decls), len(c.Body.Body.List))
	}
	c, err := ParseProgram(1, "var a = b\nvar b = 2")
	if err != nil || len(c.Declarations.Decls) != 2 {
		t.Errorf("ParseProgram: %v", err)
	}
	if mustParse(t, "func (t T) main() {}").HasMain {
		t.Error("a method main counts as func main")
	}
}

func TestErrorsHaveThePlaceInTheCell(t *testing.T) {
	cases := []struct{ source, want string }{
		{"x := := 2", "1:6: expected operand, found ':='"},
		{"a b c d", "1:3: expected ';', found b"},
		{"if true {", "1:10: unexpected end of the cell, expecting }"},
		{"f()\n}", "2:1: unexpected }"},
		{"s := \"é\" b", "1:10: expected ';', found b"},
		{"s := \"abc", "1:6: string literal not terminated"},
		{"func f( {}\nx := 1", "1:9: expected ')', found '{'"},
		{"x := [1, 2", "1:8: unexpected comma; expecting ]"},
		{"x := 1 +", "1:9: unexpected end of the cell"},
		{"import ( \"fmt\"; . `C` )", `1:1: cells cannot use cgo (import "C")`},
		{"import \"C\"", `1:1: cells cannot use cgo (import "C")`},
		{"package other\nx := 1", "1:1: cells belong to package main; leave out the clause package other"},
		{"func f() int", "1:6: cells cannot declare functions without a body: func f"},
		{"x := 1\n//go:linkname f g\nfunc f() {}", "2:1: cells cannot use //go:linkname"},
		{"//line other.go:77\nx := := 1", "2:6: expected operand, found ':='"},
	}
	for _, c := range cases {
		_, err := Parse(7, c.source)
		if err == nil {
			t.Errorf("%q has no error, want %s", c.source, c.want)
			continue
		}
		if got := err.(Errors)[0]; got.Error() != "Cell [7]:"+c.want {
			t.Errorf("%q: %v, want %s", c.source, got, c.want)
		}
	}
}

func TestAllLinesWithErrorsAreReported(t *testing.T) {
	_, err := Parse(1, "x := := 1\ny := 2\nfunc f() { z := := 3 }\nw := := 4")
	var lines []string
	for _, e := range err.(Errors) {
		lines = append(lines, fmt.Sprint(e.Line))
	}
	if got := strings.Join(lines, " "); got != "1 3 4" {
		t.Errorf("errors on the lines %s, want 1 3 4:\n%v", got, err)
	}
}

func TestForgetRemovesPositions(t *testing.T) {
	c := mustParse(t, "x := 1")
	at := c.Body.Pos()
	c.Forget()
	if c.Fset.File(at) != nil {
		t.Error("the file is still there")
	}
}

func TestSortKeepsOneErrorForAPlace(t *testing.T) {
	list := Errors{{1, 2, 3, "b", ""}, {1, 1, 5, "x", ""}, {1, 2, 3, "c", ""}, {1, 2, 9, "b", ""}, {1, 3, 9, "b", ""}}
	want := "Cell [1]:1:5: x\nCell [1]:2:3: b\nCell [1]:3:9: b"
	if got := list.Sort().Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
