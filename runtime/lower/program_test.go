package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

func TestLiteralsAreKnownToEndWithTheirGoroutines(t *testing.T) {
	for text, want := range map[string][2]bool{ // some, each called where it stands
		"x := 1; _ = x":                              {false, true},
		"func() {}()":                                {true, true},
		"go func() {}()":                             {true, true},
		"defer (func() {})()":                        {true, true},
		"go func() { func() {}() }()":                {true, true},
		"f := func() {}; f()":                        {true, false},
		"go func() { f := func() {}; f() }()":        {true, false},
		"g(func() {})":                               {true, false},
		"_ = func() func() { return func() {} }()":   {true, false},
		"go func(f func()) { f() }(func() {})":       {true, false},
		"for range 3 { go func() { g(nil) }() }":     {true, true},
		"var f func(); f = func() {}; go f(); _ = f": {true, false},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p; func g(f func()) {}; func body() {"+text+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if some, called := literalsIn(file.Decls[1].(*ast.FuncDecl)); [2]bool{some, called} != want {
			t.Errorf("%s: %v, %v; want %v", text, some, called, want)
		}
	}
}
