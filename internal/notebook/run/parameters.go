package run

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/notebook/format"
	"gosphere/internal/runtime/cell"
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

// Defined returns the names that the cell tagged parameters defines, sorted. It returns none
// without such a cell.
func Defined(notebook *format.Notebook) []string {
	for _, cell := range notebook.Cells {
		if cell.Type == format.Code && cell.HasTag(tagParameters) {
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
// literal or a declaration, []T of one, else "".
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
	}
	return ""
}

// Literal returns the Go expression for a value written on a command line.
//
// As in papermill, True and False are booleans, None is nil, whole and decimal numbers are numbers,
// and everything else is a string. Go's true, false and nil are also accepted. A JSON list becomes
// a slice, of a single type if its elements agree. The wanted type, if not "", resolves
// ambiguities: a number is a string if a string is wanted, and a list gets the wanted type. A text
// that is not a value of a wanted bool or number is an error.
func Literal(value, wanted string) (string, error) {
	if wanted == "string" {
		return strconv.Quote(value), nil
	}
	if err := fits(value, wanted); err != nil {
		return "", err
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
		return strconv.FormatInt(n, 10), nil // without leading zeros, which would mean octal
	}
	if x, err := strconv.ParseFloat(value, 64); err == nil && !strings.ContainsAny(value, "xXpP_") {
		return floatLiteral(x), nil
	}
	if strings.HasPrefix(value, "[") {
		decoder := json.NewDecoder(strings.NewReader(value))
		decoder.UseNumber()
		var list []any
		if err := decoder.Decode(&list); err != nil {
			return "", fmt.Errorf("%s is no list as JSON has them, such as [1, 2] or [\"a\", \"b\"]: %w", value, err)
		}
		return listLiteral(list, wanted)
	}
	return strconv.Quote(value), nil
}

// fits returns an error if a text is not a value of a predeclared type.
func fits(value, wanted string) error {
	x, err := strconv.ParseFloat(value, 64)
	number := err == nil && !strings.ContainsAny(value, "xXpP_")
	switch strings.TrimRight(wanted, "0123456789") {
	case "bool":
		if !slices.Contains([]string{"True", "true", "False", "false"}, value) {
			return fmt.Errorf("%q is no bool: write true or false", value)
		}
	case "int", "uint":
		if !number || x != math.Trunc(x) {
			return fmt.Errorf("%q is not an integer, which the notebook's own value is", value)
		}
	case "float":
		if !number {
			return fmt.Errorf("%q is no number", value)
		}
	}
	return nil
}

// floatLiteral formats a number so that Go treats it as a float64.
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

// listLiteral returns a list of JSON values as a slice literal.
func listLiteral(list []any, wanted string) (string, error) {
	element := strings.TrimPrefix(wanted, "[]")
	if element == wanted { // the slice type is unknown
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

// elementType returns the Go type common to all elements of a list, or any.
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
