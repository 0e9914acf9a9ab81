package house

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// A program outside this module cannot write the name of a type of an internal package, so it could
// not use an exported name that has one.
func TestExportedNamesHaveNoInternalTypes(t *testing.T) {
	packages := map[string]bool{}
	for _, f := range readTree(t) {
		if f.test || f.room == "" || strings.Contains("/"+f.room+"/", "/internal/") || f.syntax.Name.Name == "main" {
			continue
		}
		packages[f.room] = true
		internal := map[string]string{} // paths of internal packages by their names in this file
		for _, spec := range f.syntax.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains("/"+p+"/", "/internal/") {
				continue
			}
			name := path.Base(p)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			internal[name] = p
		}
		for _, d := range f.syntax.Decls {
			for _, typ := range exportedTypes(d) {
				ast.Inspect(typ, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.Field:
						// Neither fields nor methods that only the package can name are seen outside.
						if len(n.Names) > 0 && !n.Names[0].IsExported() && !isParameter(typ, n) {
							return false
						}
					case *ast.SelectorExpr:
						if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] != "" {
							t.Errorf("%s: an exported name has the type %s.%s of an internal package", f.fset.Position(n.Pos()), x.Name, n.Sel.Name)
						}
					}
					return true
				})
			}
		}
	}
	if len(packages) < 30 {
		t.Errorf("only %d public packages were looked at", len(packages))
	}
}

// exportedTypes returns the types of the exported names of a declaration.
func exportedTypes(d ast.Decl) (types []ast.Expr) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return nil
		}
		if d.Recv != nil {
			receiver := d.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			if name, ok := receiver.(*ast.Ident); ok && !name.IsExported() {
				return nil
			}
		}
		return []ast.Expr{d.Type}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					types = append(types, spec.Type)
				}
			case *ast.ValueSpec:
				if spec.Names[0].IsExported() && spec.Type != nil && d.Tok != token.CONST {
					types = append(types, spec.Type)
				}
			}
		}
	}
	return types
}

// isParameter reports whether a field of a function type is one of its parameters or results.
func isParameter(in ast.Expr, field *ast.Field) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncType); ok {
			for _, list := range []*ast.FieldList{f.Params, f.Results} {
				if list == nil {
					continue
				}
				for _, p := range list.List {
					found = found || p == field
				}
			}
		}
		return !found
	})
	return found
}
