// Package irtest helps to test that nothing in the typed representation is forgotten.
package irtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Nodes lists the types of the nodes that the files of a folder declare: the structs that embed
// what all expressions or all statements have.
func Nodes(t testing.TB, folder string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var decls []ast.Decl
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		decls = append(decls, f.Decls...)
	}
	ast.Inspect(&ast.File{Name: ast.NewIdent("ir"), Decls: decls}, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				if id, ok := field.Type.(*ast.Ident); ok && field.Names == nil && (id.Name == "Typed" || id.Name == "At") {
					names = append(names, spec.Name.Name)
				}
			}
		}
		return false
	})
	return names
}
