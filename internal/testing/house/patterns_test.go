package house

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// literal returns the value of a string literal, or of a sum of them, and whether an expression is
// one.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := literal(e.X)
		right, too := literal(e.Y)
		return left + right, ok && too && e.Op == token.ADD
	}
	return "", false
}

// Patterns are compiled when they are first used, so an invalid one would panic late.
func TestPatternsAreValid(t *testing.T) {
	found := 0
	for _, file := range readTree(t) {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			position := 0
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				if x, named := f.X.(*ast.Ident); !named || x.Name != "lazyregexp" {
					return true
				}
			case *ast.Ident: // the rules of hints
				switch f.Name {
				case "hintOn", "fixedHint", "computedHint":
				case "hintFor":
					position = 1
				default:
					return true
				}
			default:
				return true
			}
			if text, ok := literal(call.Args[position]); ok {
				found++
				if _, err := regexp.Compile(text); err != nil {
					t.Errorf("%s: %v", file.fset.Position(call.Pos()), err)
				}
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("%d patterns found, want all of packages that use lazyregexp", found)
	}
}

// Expressions in variables of packages would be compiled at every start.
func TestPatternsOfPackagesAreCompiledWhenTheyAreUsed(t *testing.T) {
	for _, file := range readTree(t) {
		// install/kernelspec imports little, so that it always works. The others are not in the program.
		if file.test || strings.HasPrefix(file.room, "install/kernelspec") || strings.HasPrefix(file.room, "install") ||
			strings.HasPrefix(file.room, "internal/testing/") || strings.HasPrefix(file.room, "asymvlm/internal/cuda") || strings.Contains(file.room, "/generate") {
			continue
		}
		for _, d := range file.syntax.Decls {
			variables, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(variables, func(n ast.Node) bool {
				if _, later := n.(*ast.FuncLit); later {
					return false
				}
				f, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, named := f.X.(*ast.Ident); named && x.Name == "regexp" && f.Sel.Name == "MustCompile" && !file.generated {
					t.Errorf("%s: write lazyregexp.New", file.fset.Position(f.Pos()))
				}
				return true
			})
		}
	}
}
