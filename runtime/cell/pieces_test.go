package cell

import (
	"strings"
	"testing"
)

// outline formats the pieces of a cell as kind letters with their code.
func outline(source string) string {
	letters := map[Kind]string{PackageClause: "P", Import: "I", TypeDeclaration: "T", ConstantDeclaration: "C",
		FunctionDeclaration: "F", VariableDeclaration: "V", Statement: "S"}
	var parts []string
	for _, p := range Pieces(source) {
		parts = append(parts, letters[p.Kind]+" "+strings.Join(strings.Fields(source[p.Code:p.CodeEnd]), " "))
	}
	return strings.Join(parts, " | ")
}

func TestPiecesEndWhereStatementsEnd(t *testing.T) {
	cases := map[string]string{
		"":                                                       "",
		"x":                                                      "S x",
		"x := 1; y := 2":                                         "S x := 1 | S y := 2",
		"import \"fmt\"\nfmt.Println(1)":                         "I import \"fmt\" | S fmt.Println(1)",
		"x := 1\nimport \"fmt\"":                                 "S x := 1 | I import \"fmt\"",
		"package main\nimport (\n\"a\"\n)":                       "P package main | I import ( \"a\" )",
		"func f() {}\nfunc (t T) M() {}":                         "F func f() {} | F func (t T) M() {}",
		"func() { x() }()":                                       "S func() { x() }()",
		"func(a int) int { return a }(3)":                        "S func(a int) int { return a }(3)",
		"func(a int) T { return a }(3)":                          "S func(a int) T { return a }(3)",
		"func(a int) (T, error) { return }(3)":                   "S func(a int) (T, error) { return }(3)",
		"func(s []int) p.T { return 1 }(3)":                      "S func(s []int) p.T { return 1 }(3)",
		"func G[T any](x T) {}":                                  "F func G[T any](x T) {}",
		"func (b *Box[T]) Get() T { return 1 }":                  "F func (b *Box[T]) Get() T { return 1 }",
		"type T struct {\n\tA int\n}\nT{1}":                      "T type T struct { A int } | S T{1}",
		"const (\n\tA = iota\n\tB\n)\nvar x int":                 "C const ( A = iota B ) | V var x int",
		"for i := 0; i < 3; i++ {\n\tf(i)\n}\ng()":               "S for i := 0; i < 3; i++ { f(i) } | S g()",
		"for i := 0; i < 3; i++ { }; g()":                        "S for i := 0; i < 3; i++ { } | S g()",
		"for _, x := range []int{1} { i := x; _ = i }\ng()":      "S for _, x := range []int{1} { i := x; _ = i } | S g()",
		"for x := []int{1}; len(x) > 0; {\n}\ng()":               "S for x := []int{1}; len(x) > 0; { } | S g()",
		"if f := func() {}; f != nil {\n}\ng()":                  "S if f := func() {}; f != nil { } | S g()",
		"if x := a(); x {\n} else if y {\n} else {\n}\ng()":      "S if x := a(); x { } else if y { } else { } | S g()",
		"switch x := v.(type) {\ncase int:\n\tf()\n}\ng()":       "S switch x := v.(type) { case int: f() } | S g()",
		"select {\ncase <-c:\n}; g()":                            "S select { case <-c: } | S g()",
		"loop:\nfor {\n\tbreak loop\n}\ng()":                     "S loop: for { break loop } | S g()",
		"s := `a\nb {\n`\ng()":                                   "S s := `a b { ` | S g()",
		"a := 1 // one; two\nb := 2 /* x */; c := 3":             "S a := 1 | S b := 2 | S c := 3",
		"f(\n\t1,\n\t2,\n)\ng()":                                 "S f( 1, 2, ) | S g()",
		"go func() {\n\tx()\n}()\ndefer g()":                     "S go func() { x() }() | S defer g()",
		"for i := range 3 { f := func() int { return i }; f() }": "S for i := range 3 { f := func() int { return i }; f() }",
		"for i := 0; i < 3; i++ { x := := 2 }\nfunc f() {}":      "S for i := 0; i < 3; i++ { x := := 2 } | F func f() {}",
		"{\n\tx := 2\n}\nx":                                      "S { x := 2 } | S x",
		";;x;;":                                                  "S x",
	}
	for source, want := range cases {
		if got := outline(source); got != want {
			t.Errorf("%q is cut into\n  %s, want\n  %s", source, got, want)
		}
	}
}

func TestCommentsGoWithWhatTheyStandBeside(t *testing.T) {
	source := "// about x\nx := 1 // one\n// about f\n// more\nfunc f() {} // end\n// tail\n"
	var got []string
	for _, p := range Pieces(source) {
		got = append(got, source[p.Start:p.End])
	}
	want := []string{"// about x\nx := 1 // one", "\n// about f\n// more\nfunc f() {} // end\n// tail\n"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("pieces %q, want %q", got, want)
	}
}

// joined concatenates the pieces of a cell.
func joined(source string) string {
	pieces := Pieces(source)
	if len(pieces) == 0 {
		return source
	}
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(source[p.Start:p.End])
	}
	return b.String()
}

// FuzzPieces checks that no text makes the cutter or the parser panic, that the concatenated pieces
// are the cell, and that errors are inside it.
func FuzzPieces(f *testing.F) {
	for _, seed := range []string{
		"", "x", "import \"fmt\"\nfmt.Println(1)", "func f() int { return 1 }\nf()", "for i := 0; i < 3; i++ {\n}; g()",
		"package main\nvar a = b\nvar b = 2\nfunc main() {}", "if x {", "}", "s := `a\r\nb`", "//line x:9\ny := := 1",
		"/*line :1:1*/ x y", "func", "type T[P any] struct{}", "\xff\xfe", "λ := 1; λ +", "\ufeffx", "x := 'a", "for ;; {", "switch {", "a\x00b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if got := joined(source); got != source {
			t.Errorf("pieces of %q joined are %q", source, got)
		}
		IsComplete(source)
		c, err := Parse(1, source)
		if err == nil {
			c.Forget()
			return
		}
		lines := strings.Count(source, "\n") + 1
		for _, e := range err.(Errors) {
			if e.Line < 1 || e.Line > lines || e.Column < 1 || e.Column > len(source)+1 {
				t.Errorf("error of %q at %d:%d: %s", source, e.Line, e.Column, e.Message)
			}
		}
	})
}
