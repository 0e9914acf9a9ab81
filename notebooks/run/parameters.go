package run

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosphere/notebooks/format"
)

// The tags by which papermill and this package find parameters.
const (
	tagParameters = "parameters"
	tagInjected   = "injected-parameters"
)

// A Parameter is a name and a value as text, as written on a command line.
type Parameter struct{ Name, Value string }

// ParseParameter splits name=value.
func ParseParameter(text string) (Parameter, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || !token.IsIdentifier(name) {
		return Parameter{}, fmt.Errorf("notebook: parameter %q is not name=value with a Go name", text)
	}
	return Parameter{name, value}, nil
}

// Inject puts a cell that sets the parameters behind the one tagged parameters, or at
// the top if there is none; a cell injected by an earlier run is replaced. The values
// are read as papermill reads them, see [Literal], and written with the type that the
// parameters cell gives the name. Inject returns the names that the parameters cell
// does not define, so that a caller can warn of a misspelt one. Without parameters the
// notebook stays as it is.
func Inject(notebook *format.Notebook, parameters []Parameter) (unknown []string, err error) {
	if len(parameters) == 0 {
		return nil, nil
	}
	place, defaults := 0, map[string]ast.Expr{}
	for i, cell := range notebook.Cells {
		if cell.Type == format.Code && cell.HasTag(tagParameters) {
			place, defaults = i+1, definitions(cell.Source)
			break
		}
	}
	lines := []string{"// Parameters"}
	needsMath := false
	for _, p := range parameters {
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
	injected := &format.Cell{Type: format.Code, Source: strings.Join(lines, "\n"), Metadata: map[string]any{"tags": []any{tagInjected}}}
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

// definitions returns the variables that a cell of plain definitions defines, with the
// expression that gives each its type: that of its declaration, or its value.
func definitions(source string) map[string]ast.Expr {
	defined := map[string]ast.Expr{}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+source+"\n}", 0)
	if err != nil || len(file.Decls) != 1 {
		return defined // the run reports the error at its place
	}
	for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
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

// typeText returns the type that an expression of the parameters cell shows without
// type checking: string, []T of a literal or a declaration, else "".
func typeText(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return "string"
		}
	case *ast.Ident:
		return e.Name
	case *ast.CompositeLit:
		return typeText(e.Type)
	case *ast.ArrayType:
		if element := typeText(e.Elt); element != "" && e.Len == nil {
			return "[]" + element
		}
	}
	return ""
}

// Literal returns the Go expression for a value written on a command line.
//
// As in papermill, True and False are booleans, None is nil, whole and decimal numbers
// are numbers, and everything else is a string; Go's true, false and nil are read too.
// A JSON list becomes a slice, of one type if its elements agree. The wanted type, if
// not "", decides what the text leaves open: a number is a string where a string is
// wanted, a list has the wanted type.
func Literal(value, wanted string) (string, error) {
	if wanted == "string" {
		return strconv.Quote(value), nil
	}
	switch value {
	case "True", "true":
		return "true", nil
	case "False", "false":
		return "false", nil
	case "None", "nil":
		return "nil", nil
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return strconv.FormatInt(n, 10), nil // without leading zeros, which would be octal
	}
	if x, err := strconv.ParseFloat(value, 64); err == nil && !strings.ContainsAny(value, "xXpP_") {
		return floatLiteral(x), nil
	}
	if strings.HasPrefix(value, "[") {
		decoder := json.NewDecoder(strings.NewReader(value))
		decoder.UseNumber()
		var list []any
		if err := decoder.Decode(&list); err != nil {
			return "", fmt.Errorf("list %s: %w", value, err)
		}
		return listLiteral(list, wanted)
	}
	return strconv.Quote(value), nil
}

// floatLiteral writes a number so that Go takes it for a float64.
func floatLiteral(x float64) string {
	switch {
	case math.IsNaN(x):
		return "math.NaN()"
	case math.IsInf(x, 1):
		return "math.Inf(1)"
	case math.IsInf(x, -1):
		return "math.Inf(-1)"
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// listLiteral writes a list of JSON values as a slice.
func listLiteral(list []any, wanted string) (string, error) {
	element := strings.TrimPrefix(wanted, "[]")
	if element == wanted { // no slice type is known
		element = elementType(list)
	}
	parts := make([]string, len(list))
	for i, value := range list {
		switch value := value.(type) {
		case nil:
			parts[i] = "nil"
		case bool:
			parts[i] = strconv.FormatBool(value)
		case json.Number:
			parts[i] = value.String()
		case string:
			parts[i] = strconv.Quote(value)
		case []any:
			inner, err := listLiteral(value, element)
			if err != nil {
				return "", err
			}
			parts[i] = inner
		default:
			return "", fmt.Errorf("element %d is an object, which no parameter can be", i+1)
		}
	}
	return "[]" + element + "{" + strings.Join(parts, ", ") + "}", nil
}

// elementType returns the Go type that all elements of a list have, or any.
func elementType(list []any) string {
	common := ""
	for _, value := range list {
		kind := "any"
		switch value := value.(type) {
		case bool:
			kind = "bool"
		case string:
			kind = "string"
		case json.Number:
			kind = "float64"
			if _, err := value.Int64(); err == nil {
				kind = "int"
			}
		case []any:
			kind = "[]" + elementType(value)
		}
		switch {
		case common == "" || common == kind:
			common = kind
		case common == "int" && kind == "float64" || common == "float64" && kind == "int":
			common = "float64"
		default:
			return "any"
		}
	}
	if common == "" {
		return "any"
	}
	return common
}
