package source_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"gosphere/runtime/internal/source"
)

func TestReceiversOfAllForms(t *testing.T) {
	for code, want := range map[string]struct{ receiver, name string }{
		"func (t T) M() {}":        {"T", "T.M"},
		"func (*T) M() {}":         {"T", "T.M"},
		"func (t (T)) M() {}":      {"T", "T.M"},
		"func (t *(T)) M() {}":     {"T", "T.M"},
		"func (b B[E]) M() {}":     {"B", "B.M"},
		"func (p *P[K, V]) M() {}": {"P", "P.M"},
		"func f() {}":              {"", "f"},
		"func (t p.T) M() {}":      {"", "M"},
		"func (t []int) M() {}":    {"", "M"},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		f := file.Decls[0].(*ast.FuncDecl)
		receiver := ""
		if id := source.Receiver(f); id != nil {
			receiver = id.Name
		}
		if name := source.FunctionName(f); receiver != want.receiver || name != want.name {
			t.Errorf("%q has the receiver %q and the name %q, want %q and %q", code, receiver, name, want.receiver, want.name)
		}
	}
}
