package session

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Ran describes the kinds of code that the statements of a cell run: cell code, and the packages
// that it names. %time and %timeit use it to say what was measured, because a reader who compares
// times must know that code of cells and of packages from source is slower than compiled code.
//
// A magic has only the text of its statements, so the text is parsed again. Names before a dot are
// enough, because the description need not be exact.
//
// For instance, it returns "cell code that calls compiled sort" for a statement that calls
// sort.Ints.
//
// The description matters most for benchmarks, whose results are compared with those of compiled
// programs.
func (e *execution) Ran(text string) string {
	s := e.session
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p; func f() {\n"+text+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return "cell code"
	}
	paths := map[string]string{}
	for _, i := range s.checker.Imports() {
		paths[i.Name] = i.Path
	}
	var compiled, read []string // paths, in the order of the text, each once
	note := func(list *[]string, path string) {
		if !slices.Contains(*list, path) {
			*list = append(*list, path)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		// A declaration of a cell with this name hides the package.
		if x, ok := selector.X.(*ast.Ident); ok && paths[x.Name] != "" && s.checker.Lookup(x.Name) == nil {
			if path := paths[x.Name]; s.library.loader.Package(path) != nil {
				note(&read, path)
			} else {
				note(&compiled, path)
			}
		}
		return true
	})
	var parts []string
	if len(compiled) > 0 {
		parts = append(parts, "compiled "+strings.Join(compiled, ", "))
	}
	if len(read) > 0 {
		parts = append(parts, strings.Join(read, ", ")+" from source")
	}
	if parts == nil {
		return "cell code"
	}
	return "cell code that calls " + strings.Join(parts, " and ")
}
