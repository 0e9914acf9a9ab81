package cell_test

import (
	"fmt"

	"gosphere/runtime/cell"
)

func ExampleParse() {
	c, err := cell.Parse(3, "import \"fmt\"\nx := 1\nfunc f() int { return x }\nfmt.Println(f())\nf()")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(c.Declarations.Decls), "declarations")
	fmt.Println(len(c.Body.Body.List), "statements")
	fmt.Println("value at", c.Fset.Position(c.Value.Pos()))
	// Output:
	// 2 declarations
	// 3 statements
	// value at Cell [3]:5:1
}

func ExampleParse_errors() {
	_, err := cell.Parse(4, "λ := 1\nλ = λ +")
	for _, e := range err.(cell.Errors) {
		fmt.Println(e.Cell, e.Line, e.Column, e.Message)
	}
	// Output:
	// 4 2 8 unexpected end of the cell
}

func ExamplePieces() {
	source := "x := 1 // one\nfunc f() {}; f()"
	for _, p := range cell.Pieces(source) {
		fmt.Printf("%d %q\n", p.Kind, source[p.Start:p.End])
	}
	// Output:
	// 6 "x := 1 // one"
	// 4 "\nfunc f() {};"
	// 6 " f()"
}

func ExampleIsComplete() {
	for _, source := range []string{"x := 1", "if x {\n\tfor {", "x := }"} {
		status, indent := cell.IsComplete(source)
		fmt.Printf("%s %q\n", status, indent)
	}
	// Output:
	// complete ""
	// incomplete "\t\t"
	// invalid ""
}
