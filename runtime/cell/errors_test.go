package cell

import (
	"errors"
	"go/token"
	"testing"
)

func TestErrorsNameTheCellAndThePlace(t *testing.T) {
	var err error = Errors{{3, 1, 5, "undefined: x", ""}, {3, 2, 1, "missing return", ""}}
	if want := "Cell [3]:1:5: undefined: x\nCell [3]:2:1: missing return"; err.Error() != want {
		t.Errorf("got %q, want %q", err.Error(), want)
	}
	var list Errors
	if !errors.As(err, &list) || len(list) != 2 || list[1].Line != 2 {
		t.Errorf("as Errors: %v", list)
	}
}

func TestColumnsCountCodePoints(t *testing.T) {
	c := &Cell{Number: 2, Source: "é := \"\U0001F600\"; x\nab"}
	cases := []struct{ line, column, wantLine, wantColumn int }{
		{1, 1, 1, 1},
		{1, 3, 1, 2},   // after é, which has two bytes
		{1, 13, 1, 9},  // after the emoji, which has four bytes
		{1, 15, 1, 11}, // x
		{2, 1, 2, 1},
		{2, 3, 2, 3},
		{2, 99, 2, 3}, // after the end of the line
		{9, 9, 2, 3},  // after the end of the cell
		{0, 0, 1, 1},  // an invalid position
	}
	for _, k := range cases {
		e := c.ErrorAt(token.Position{Line: k.line, Column: k.column}, "m")
		if e.Line != k.wantLine || e.Column != k.wantColumn || e.Cell != 2 || e.Message != "m" {
			t.Errorf("%d:%d is %d:%d, want %d:%d", k.line, k.column, e.Line, e.Column, k.wantLine, k.wantColumn)
		}
	}
}

func TestUnexpectedEndsNameTheMissingBracket(t *testing.T) {
	cases := map[string]string{
		"f(":               "1:3: unexpected end of the cell, expecting )",
		"x := []int{1, 2":  "1:16: unexpected end of the cell, expecting }",
		"a[1":              "1:4: unexpected end of the cell, expecting ]",
		"for {\n\tf()\n":   "3:1: unexpected end of the cell, expecting }",
		"func f() {":       "1:11: unexpected end of the cell, expecting }",
		"f(g(1), []int{2}": "1:17: unexpected end of the cell, expecting )",
		"x :=":             "1:5: unexpected end of the cell",
		"x.":               "1:3: unexpected end of the cell",
		"type T struct {":  "1:16: unexpected end of the cell, expecting }",
		"if x":             "1:5: unexpected end of the cell",
	}
	for source, want := range cases {
		_, err := Parse(1, source)
		var list Errors
		if !errors.As(err, &list) || list[0].Error() != "Cell [1]:"+want {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}
