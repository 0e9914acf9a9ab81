package run

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"

	notebooks "gosphere/kernel/nbformat"
)

// Values returns the Go expressions that a notebook assigns to its parameters: those of the cell
// tagged parameters, overridden by those of the cell that an earlier run injected.
func Values(notebook *notebooks.Notebook) map[string]string {
	return valuesOf(notebook, tagParameters, tagInjected)
}

// Defaults returns the expressions of the cell tagged parameters.
func Defaults(notebook *notebooks.Notebook) map[string]string {
	return valuesOf(notebook, tagParameters)
}

// valuesOf returns the expressions of cells with these tags. Those of later tags take precedence.
func valuesOf(notebook *notebooks.Notebook, tags ...string) map[string]string {
	values := map[string]string{}
	for _, tag := range tags {
		for _, cell := range notebook.Cells {
			if cell.Type == notebooks.Code && cell.HasTag(tag) {
				assignments(cell.Source, values)
				break
			}
		}
	}
	return values
}

// assignments records the expressions that a cell of plain definitions and assignments assigns to
// its names.
func assignments(source string, values map[string]string) {
	var body []string
	for line := range strings.Lines(source) {
		if !strings.HasPrefix(line, "import ") { // written by Inject for values that need package math
			body = append(body, line)
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", "package p\nfunc _() {\n"+strings.Join(body, "")+"\n}", 0)
	if err != nil || len(file.Decls) != 1 {
		return // the run reports the error with its position
	}
	set := func(name ast.Expr, value ast.Expr) {
		var text strings.Builder
		if identifier, ok := name.(*ast.Ident); ok && format.Node(&text, fset, value) == nil {
			values[identifier.Name] = text.String()
		}
	}
	for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
		switch s := statement.(type) {
		case *ast.AssignStmt:
			for i, left := range s.Lhs {
				if len(s.Lhs) == len(s.Rhs) {
					set(left, s.Rhs[i])
				}
			}
		case *ast.DeclStmt:
			if declared, ok := s.Decl.(*ast.GenDecl); ok && declared.Tok == token.VAR {
				for _, spec := range declared.Specs {
					values := spec.(*ast.ValueSpec)
					for i := range values.Values {
						if len(values.Values) == len(values.Names) {
							set(values.Names[i], values.Values[i])
						}
					}
				}
			}
		}
	}
}
