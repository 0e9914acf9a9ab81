package run

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"gosphere/kernel/nbformat"
	"gosphere/runtime/cell"
)

// Tags by which papermill and this package identify parameters.
const (
	tagParameters = "parameters"
	tagInjected   = "injected-parameters"
)

// A Parameter is a name and a value as text, as given on a command line.
type Parameter struct{ Name, Value string }

// ParseParameter parses name=value.
func ParseParameter(text string) (Parameter, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || !token.IsIdentifier(name) {
		return Parameter{}, fmt.Errorf("notebook: parameter %q is not name=value with a Go name", text)
	}
	return Parameter{name, value}, nil
}

// Inject inserts a cell that sets the parameters after the cell tagged parameters, or at the top if
// there is none. It replaces a cell injected by an earlier run. The values are interpreted as by
// papermill, see [Literal], and written with the types in the parameters cell. Inject returns the
// names that the parameters cell does not define, so that a caller can report misspellings. Without
// parameters the notebook is unchanged.
func Inject(notebook *nbformat.Notebook, parameters []Parameter) (unknown []string, err error) {
	if len(parameters) == 0 {
		return nil, nil
	}
	place, defaults := 0, map[string]ast.Expr{}
	for i, cell := range notebook.Cells {
		if cell.Type == nbformat.Code && cell.HasTag(tagParameters) {
			place, defaults = i+1, definitions(cell.Source)
			break
		}
	}
	lines := []string{"// Parameters"}
	needsMath, given := false, map[string]bool{}
	for _, p := range parameters {
		if given[p.Name] {
			return nil, fmt.Errorf("notebook: parameter %s is given twice", p.Name)
		}
		given[p.Name] = true
		defaulted, known := defaults[p.Name]
		if !known {
			unknown = append(unknown, p.Name)
		}
		literal, err := Literal(p.Value, typeText(defaulted))
		if err != nil {
			return nil, fmt.Errorf("notebook: parameter %s: %w", p.Name, err)
		}
		needsMath = needsMath || strings.HasPrefix(literal, "math.")
		assign := " = "
		if !known {
			assign = " := "
		}
		lines = append(lines, p.Name+assign+literal)
	}
	if needsMath {
		lines = slices.Insert(lines, 1, `import "math"`)
	}
	injected := &nbformat.Cell{Type: nbformat.Code, Source: strings.Join(lines, "\n"), Metadata: map[string]any{"tags": []any{tagInjected}}}
	for i, cell := range notebook.Cells {
		if cell.HasTag(tagInjected) {
			injected.ID = cell.ID
			notebook.Cells[i] = injected
			return unknown, nil
		}
	}
	notebook.Cells = slices.Insert(notebook.Cells, place, injected)
	notebook.GiveIDs()
	return unknown, nil
}

// Defined returns the names that the cell tagged parameters defines, sorted. It returns none
// without such a cell.
func Defined(notebook *nbformat.Notebook) []string {
	for _, cell := range notebook.Cells {
		if cell.Type == nbformat.Code && cell.HasTag(tagParameters) {
			return slices.Sorted(maps.Keys(definitions(cell.Source)))
		}
	}
	return nil
}

// definitions returns the variables that the statements of a cell define, with the expression that
// determines the type of each: that of its declaration, or its value.
func definitions(source string) map[string]ast.Expr {
	defined := map[string]ast.Expr{}
	parsed, err := cell.Parse(0, source)
	if err != nil {
		return defined // the run reports the error with its position
	}
	defer parsed.Forget()
	body := parsed.Statements.Decls[0].(*ast.FuncDecl).Body // Parse wraps the statements in a function
	for _, statement := range body.List {
		switch s := statement.(type) {
		case *ast.AssignStmt:
			for i, left := range s.Lhs {
				if name, ok := left.(*ast.Ident); ok && s.Tok == token.DEFINE && len(s.Lhs) == len(s.Rhs) {
					defined[name.Name] = s.Rhs[i]
				}
			}
		case *ast.DeclStmt:
			declared, ok := s.Decl.(*ast.GenDecl)
			if !ok || declared.Tok != token.VAR {
				continue
			}
			for _, spec := range declared.Specs {
				values := spec.(*ast.ValueSpec)
				for i, name := range values.Names {
					if values.Type != nil {
						defined[name.Name] = values.Type
					} else if len(values.Values) == len(values.Names) {
						defined[name.Name] = values.Values[i]
					}
				}
			}
		}
	}
	return defined
}

// typeText returns the type that an expression of the parameters cell has syntactically: that of a
// literal or a declaration, []T or map[K]T of such types, else "".
func typeText(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		switch e.Kind {
		case token.STRING:
			return "string"
		case token.INT:
			return "int"
		case token.FLOAT:
			return "float64"
		}
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return "bool"
		}
		return e.Name
	case *ast.CompositeLit:
		return typeText(e.Type)
	case *ast.ArrayType:
		if element := typeText(e.Elt); element != "" && e.Len == nil {
			return "[]" + element
		}
	case *ast.MapType:
		if key, element := typeText(e.Key), typeText(e.Value); key != "" && element != "" {
			return "map[" + key + "]" + element
		}
	case *ast.InterfaceType:
		if len(e.Methods.List) == 0 {
			return "any"
		}
	}
	return ""
}
