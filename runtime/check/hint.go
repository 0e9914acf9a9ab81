package check

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/packages"
)

// A mistake is an error of go/types with its context.
type mistake struct {
	pass  *pass
	error types.Error
	path  []ast.Node // from the file to the innermost node at the error
	parts []string   // submatches of the rule's pattern in the message
}

// A hintRule recognizes a mistake by the message of go/types and suggests a correction. The text is
// expanded as by regexp.Expand, unless the function make produces the text. A rule is bound to the
// wording of go/types, so a new version of Go may require other patterns.
//
// go/types does not export the codes of its errors, and one code covers several mistakes. A pattern
// that no longer matches costs only the hint, and the tests of the hints fail.
type hintRule struct {
	message *lazyregexp.Regexp
	text    string
	make    func(m *mistake) string
}

// fixedHint returns a rule with a fixed text, in which $1 is the first submatch.
func fixedHint(message, text string) hintRule {
	return hintRule{message: lazyregexp.New(message), text: text}
}

// computedHint returns a rule whose text is computed from the code at the error. The function
// returns "" where it has nothing to suggest, and further rules are tried.
func computedHint(message string, make func(m *mistake) string) hintRule {
	return hintRule{message: lazyregexp.New(message), make: make}
}

// hint returns a suggestion for an error, or "" if there is none. The path of nodes is searched at
// most once for each error.
//
// Rules are tried only for the errors that are shown. The first text wins, so that an error never
// has two suggestions that contradict each other.
func (p *pass) hint(e types.Error) string {
	m := &mistake{pass: p, error: e}
	for _, rule := range hintRules {
		found := rule.message.FindStringSubmatchIndex(e.Msg)
		if found == nil {
			continue
		}
		m.parts = rule.message.FindStringSubmatch(e.Msg)
		text := string(rule.message.ExpandString(nil, rule.text, e.Msg, found))
		if rule.make != nil {
			if m.path == nil {
				m.path = p.pathTo(e.Pos)
			}
			text = rule.make(m)
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// pathTo returns the nodes of the cell that enclose a position, outer ones first.
//
// The nodes are those of the cell. Errors in declarations of earlier cells have no path, since
// these declarations are dropped and not shown.
func (p *pass) pathTo(pos token.Pos) []ast.Node {
	var path []ast.Node
	for _, file := range []*ast.File{p.work.cell.Declarations, p.work.cell.Statements} {
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || pos < n.Pos() || n.End() <= pos {
				return false
			}
			path = append(path, n)
			return true
		})
	}
	return path
}

// around returns the innermost node of a kind that encloses the error, or the zero value.
func around[N ast.Node](m *mistake) (node N) {
	for i := len(m.path) - 1; i >= 0; i-- {
		if n, ok := m.path[i].(N); ok {
			return n
		}
	}
	return node
}

// habits maps names in other languages to hints about Go's counterparts. A name is looked up here
// only if it is undefined, so a cell may declare any of them. The suggestions are for people who
// know Python or JavaScript better than Go.
var habits = map[string]string{
	"None": "Go writes nil", "null": "Go writes nil", "NULL": "Go writes nil", "nullptr": "Go writes nil", "undefined": "Go writes nil",
	"True": "Go writes true", "False": "Go writes false", "TRUE": "Go writes true", "FALSE": "Go writes false",
	"str":  "text of any value: fmt.Sprint(x); of an int also strconv.Itoa(n)",
	"this": "the receiver has the name that the method gives it", "self": "the receiver has the name that the method gives it",
	"double": "the type is float64", "float": "the type is float64", "char": "the type is byte or rune", "long": "the type is int64",
	"boolean": "the type is bool", "object": "the type is any", "list": "a list is a slice: []int{1, 2, 3}", "dict": "a table is a map: map[string]int{\"a\": 1}",
	"set": "a set is a map: map[string]bool{}", "tuple": "use a struct, or several results", "array": "a list is a slice: []int{1, 2, 3}",
	"raise": "return an error, or call panic(...)", "input": "ask with display.Prompt(\"name: \"), or read os.Stdin",
	"help": "%help lists the magics; Shift+Tab on a name shows its documentation", "printf": "write fmt.Printf", "puts": "write fmt.Println", "echo": "write fmt.Println", "open": "write os.Open(name), or os.ReadFile(name)",
	"sum": "write floats.Sum(xs) for []float64, or a loop", "sqrt": "write math.Sqrt", "abs": "write math.Abs", "round": "write math.Round",
	"sorted": "write slices.Sorted, or slices.Sort(xs)", "enumerate": "write for i, x := range xs", "zip": "write for i := range xs { xs[i], ys[i] }",
	"console": "print with fmt.Println(x)", "System": "print with fmt.Println(x)", "requests": "a page is read by http.Get(url)", "dir": "%vars lists the variables, and Tab after a dot the fields and methods",
	"np":  "numbers are in gonum: stat.Mean(xs, nil), floats.Sum(xs), mat.NewDense(rows, columns, data)",
	"plt": "figures are in package figure: figure.Lines(\"x\", \"y\", figure.Series{Name: \"a\", Values: ys})", "pd": "tables are in package table: t, err := table.Read(\"data.csv\")",
}

// homes lists the packages whose members are most often written without the package name. A name is
// suggested from the first package that exports it.
var homes = []string{"fmt", "math", "strings", "os", "errors", "strconv", "sort", "slices", "time", "gosphere/runtime/display"}

// members maps functions of packages in other languages to Go's, by package and name.
var members = map[string]string{
	"json.dumps": "json.Marshal(x)", "json.loads": "json.Unmarshal([]byte(text), &x)", "json.stringify": "json.Marshal(x)", "json.parse": "json.Unmarshal([]byte(text), &x)",
	"rand.random": "rand.Float64()", "rand.randint": "rand.IntN(10)", "rand.choice": "xs[rand.IntN(len(xs))]", "math.random": "rand.Float64()",
	"os.listdir": "os.ReadDir(path)", "os.path": "package path/filepath: filepath.Join(a, b)", "os.environ": "os.Getenv(name)", "time.time": "time.Now()",
	"strings.Format": "fmt.Sprintf(format, x)", "stat.Median": "slices.Sort(x); stat.Quantile(0.5, stat.LinInterp, x, nil)",
}

// undefinedName returns a hint for a name without a declaration. The order is from the most
// specific to the most general: an assignment that should be a declaration, habits from other
// languages, a missing package name, a variable that is declared below, and then the most similar
// name.
//
// Similar names come last, because a similar name is found for nearly every short one.
func undefinedName(m *mistake) string {
	name := m.parts[1]
	if assignment := around[*ast.AssignStmt](m); assignment != nil && assignment.Tok == token.ASSIGN {
		for _, left := range assignment.Lhs {
			if left.Pos() == m.error.Pos {
				return assignNearest(m, name)
			}
		}
	}
	if text, ok := habits[name]; ok {
		return text
	}
	if text := untypedParameter(m, name); text != "" {
		return text
	}
	for _, path := range homes {
		if p, err := m.pass.work.session.packages.Import(path); err == nil && token.IsExported(name) && p.Scope().Lookup(name) != nil {
			return fmt.Sprintf("did you mean %s.%s?", p.Name(), name)
		}
	}
	if later, ok := m.pass.work.survey.first[name]; ok && later > m.error.Pos && m.pass.work.survey.variables[name] {
		return fmt.Sprintf("%s is declared below, in line %d: statements run from top to bottom", name, m.pass.work.fset.Position(later).Line)
	}
	candidates := m.pass.namesAt(m.error.Pos)
	before := "did you mean "
	if selector := around[*ast.SelectorExpr](m); selector != nil && selector.X.Pos() == m.error.Pos {
		for _, path := range homes {
			candidates = append(candidates, path[strings.LastIndex(path, "/")+1:])
		}
		if paths := m.pass.work.session.packages.PathsNamed(name); len(paths) > 0 {
			return fmt.Sprintf("no cell that has run declares %s, and the package %s has other names", name, paths[0])
		}
		if close := nearest(name, candidates); close == "" {
			return "no package of this name is preloaded, and no cell that has run declares " + name
		}
	}
	if paths := m.pass.work.session.packages.PathsNamed(name); len(paths) > 0 && around[*ast.SelectorExpr](m) == nil {
		return fmt.Sprintf("no cell that has run declares %[1]s, and the package %[2]s is no value by itself: write %[1]s.Name", name, paths[0])
	}
	if close := nearest(name, candidates); close != "" {
		return before + close + "?"
	}
	return "no cell that has run declares " + name
}

// untypedParameter returns a hint for a parameter without a type, whose name is taken for one, and
// for one whose type precedes its name.
func untypedParameter(m *mistake, name string) string {
	function, field := around[*ast.FuncType](m), around[*ast.Field](m)
	if function == nil || field == nil || field.Type.Pos() != m.error.Pos || m.error.Pos > function.Params.End() {
		return ""
	}
	if len(field.Names) == 1 && types.Universe.Lookup(field.Names[0].Name) != nil {
		return fmt.Sprintf("the type follows the name: %s %s", name, field.Names[0].Name)
	}
	if len(field.Names) == 0 && len(name) <= longestParameter && !token.IsExported(name) {
		return fmt.Sprintf("a parameter has a type after its name: %s int", name)
	}
	return ""
}

// longestParameter is the length of the longest name that is taken for that of a parameter.
const longestParameter = 4

// assignNearest returns a hint for an assignment to an undeclared name.
func assignNearest(m *mistake, name string) string {
	var known []string
	for _, candidate := range m.pass.namesAt(m.error.Pos) {
		if types.Universe.Lookup(candidate) == nil {
			known = append(known, candidate)
		}
	}
	if close := nearest(name, known); close != "" {
		return fmt.Sprintf("did you mean %s? A new variable is declared with := , as in %s := ...", close, name)
	}
	return fmt.Sprintf("a new variable is declared with := , as in %s := ...", name)
}

// undefinedMember returns a hint for a name that a package does not export. Several packages may
// have the name of the qualifier, such as math/rand and math/rand/v2.
//
// An import that was added automatically may be the wrong one of several packages with the name, so
// the others are searched for the member.
func undefinedMember(m *mistake) string {
	selector := around[*ast.SelectorExpr](m)
	if selector == nil {
		return ""
	}
	name, ok := selector.X.(*ast.Ident)
	if !ok {
		return ""
	}
	imported, ok := m.pass.info.Uses[name].(*types.PkgName)
	if !ok {
		return ""
	}
	if text, ok := members[m.parts[1]+"."+m.parts[2]]; ok {
		return "write " + text
	}
	if imported.Imported().Path() == "slices" && m.parts[2] == "Sum" {
		return habits["sum"]
	}
	if close := nearest(m.parts[2], exportedNames(imported.Imported())); close != "" {
		return fmt.Sprintf("did you mean %s.%s?", m.parts[1], close)
	}
	for _, path := range m.pass.work.session.packages.PathsNamed(imported.Imported().Name()) {
		other, err := m.pass.work.session.packages.Import(path)
		if err == nil && ast.IsExported(m.parts[2]) && other.Scope().Lookup(m.parts[2]) != nil {
			return fmt.Sprintf("%s has it: import %q", path, path)
		}
	}
	return fmt.Sprintf("write %s. and press Tab to see what package %s has", m.parts[1], imported.Imported().Path())
}

// stringFunctions maps the names of string methods in other languages to functions of package
// strings.
var stringFunctions = map[string]string{
	"upper": "ToUpper", "lower": "ToLower", "strip": "TrimSpace", "trim": "TrimSpace", "startswith": "HasPrefix", "startsWith": "HasPrefix",
	"endswith": "HasSuffix", "endsWith": "HasSuffix", "find": "Index", "indexOf": "Index", "replace": "ReplaceAll", "includes": "Contains",
	"substring": "Cut", "splitlines": "Lines",
}

// missingSelection returns a hint for a field or method that a type does not have.
//
// The type is that of the pass, which has determined it although the selection failed.
func missingSelection(m *mistake) string {
	selector := around[*ast.SelectorExpr](m)
	if selector == nil {
		return ""
	}
	x, name := types.ExprString(selector.X), selector.Sel.Name
	t := m.pass.info.TypeOf(selector.X)
	if t == nil {
		return ""
	}
	switch under := t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array, *types.Basic:
		if text := functionFor(x, name, under); text != "" {
			return text
		}
	case *types.Interface:
		if under.Empty() {
			return fmt.Sprintf("an interface shows its value by an assertion: %s.(T).%s, with the type T of the value", x, name)
		}
	}
	if close := nearest(name, membersOf(t)); close != "" {
		return fmt.Sprintf("did you mean %s.%s?", x, close)
	}
	return membersHint(t)
}

// membersHint lists the fields and methods of a type from another package or of a cell, as far as
// there are not too many.
func membersHint(t types.Type) string {
	var parts []string
	if fields := fieldsOf(t); fields != "" {
		parts = append(parts, "its fields are "+fields)
	}
	if _, pointer := types.Unalias(t).(*types.Pointer); !pointer && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	var methods []string
	for method := range types.NewMethodSet(t).Methods() {
		if name := method.Obj().Name(); ast.IsExported(name) || method.Obj().Pkg() != nil && method.Obj().Pkg().Path() == "main" {
			methods = append(methods, name)
		}
	}
	switch {
	case len(methods) == 1:
		parts = append(parts, "its method is "+methods[0])
	case len(methods) > 1 && len(methods) <= methodsListed:
		parts = append(parts, "its methods are "+strings.Join(methods, ", "))
	}
	return strings.Join(parts, "; ")
}

// methodsListed is the number of methods up to which a hint lists them.
const methodsListed = 16

// functionFor names the Go function for a method that slices, maps and strings have in other
// languages.
//
// The names are compared in lower case, and the hint repeats the operand, so that it can be copied
// into the cell.
func functionFor(x, name string, t types.Type) string {
	switch strings.ToLower(name) {
	case "len", "length", "size", "count":
		return fmt.Sprintf("the length is len(%s)", x)
	case "append", "push", "add", "push_back":
		if _, ok := t.(*types.Slice); ok {
			return fmt.Sprintf("append gives a new slice: %s = append(%s, ...)", x, x)
		}
	case "keys", "values", "items":
		return fmt.Sprintf("a loop gives keys and values: for key, value := range %s; also slices.Sorted(maps.Keys(%s))", x, x)
	case "contains", "includes", "has", "has_key":
		if _, ok := t.(*types.Map); ok {
			return fmt.Sprintf("_, found := %s[key]", x)
		}
		if _, ok := t.(*types.Slice); ok {
			return fmt.Sprintf("slices.Contains(%s, ...)", x)
		}
	case "groupby", "group_by":
		if _, ok := t.(*types.Slice); ok {
			return fmt.Sprintf("groups are a map of slices: for _, v := range %s { groups[v.Key] = append(groups[v.Key], v) }", x)
		}
	case "sort":
		return fmt.Sprintf("slices.Sort(%s)", x)
	case "shape":
		return fmt.Sprintf("the length is len(%s)", x)
	case "mean":
		return fmt.Sprintf("stat.Mean(%s, nil)", x)
	case "std":
		return fmt.Sprintf("stat.StdDev(%s, nil)", x)
	case "sum", "min", "max":
		return fmt.Sprintf("floats.%s(%s)", strings.ToUpper(name[:1])+strings.ToLower(name[1:]), x)
	case "filter", "reduce":
		return fmt.Sprintf("slices have no methods: for _, v := range %s { ... }", x)
	}
	if m, ok := t.(*types.Map); ok && isString(m.Key()) {
		return fmt.Sprintf("an entry is %s[%q]", x, name)
	}
	basic, ok := t.(*types.Basic)
	if !ok || basic.Info()&types.IsString == 0 {
		return ""
	}
	switch function := stringFunctions[name]; function {
	case "ToUpper", "ToLower", "TrimSpace", "Lines":
		return fmt.Sprintf("package strings has it: strings.%s(%s)", function, x)
	}
	if function, ok := stringFunctions[name]; ok {
		return fmt.Sprintf("package strings has it: strings.%s(%s, ...)", function, x)
	}
	return fmt.Sprintf("what one does with texts is in package strings: strings.%s(%s, ...)", strings.ToUpper(name[:1])+name[1:], x)
}

// isString reports whether a type is a string type.
func isString(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// requirable returns the path of a missing package that a required module may provide: the package
// itself, or one that it imports. It returns "" for other errors, such as a wrong checksum.
//
// The error is inspected by an interface with one method, because package check must not depend on
// package modules.
func requirable(path string, reason error) string {
	var unknown interface{ Missing() string }
	if errors.As(reason, &unknown) {
		return unknown.Missing()
	}
	if errors.As(reason, new(*packages.UnknownPackage)) {
		return path
	}
	return ""
}

// missingPackage returns a hint for a quoted import path without a package.
//
// The cases are ordered from a probable typing error to a module that has to be added.
func (w *work) missingPackage(quoted string, reason error) string {
	path, err := strconv.Unquote(quoted)
	if err != nil {
		return ""
	}
	for _, known := range w.session.packages.PathsNamed(path[strings.LastIndex(path, "/")+1:]) {
		if !strings.Contains(strings.Split(path, "/")[0], ".") {
			return fmt.Sprintf("did you mean %q?", known)
		}
	}
	if all, ok := w.session.packages.(interface{ Paths() []string }); ok {
		if close := nearest(path, all.Paths()); close != "" {
			return fmt.Sprintf("did you mean %q?", close)
		}
	}
	if all, ok := w.session.packages.(interface{ Driver(path string) string }); ok {
		if driver := all.Driver(path); driver != "" {
			return fmt.Sprintf("leave the import out: sql.Open(%q, \"file.db\") finds the driver", driver)
		}
	}
	root, _, _ := strings.Cut(path, "/")
	switch {
	case strings.HasPrefix(root, "."):
		return "a folder is imported by its path from the notebook's folder, as in import \"./helpers\""
	case !strings.Contains(root, "."):
		return "the standard library has no package of this path that cells can import"
	}
	if path = requirable(path, reason); path == "" {
		return ""
	}
	return "write %require " + packages.ModuleOf(path) + "@latest in a line above the import"
}
