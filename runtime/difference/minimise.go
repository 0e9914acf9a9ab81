package difference

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
)

// variants is how many smaller forms of a program are tried in one piece.
const variants = 60

// Minimise leaves parts of a program out as long as its signature stays.
func Minimise(importer Importer, f Find, play Player) (Find, error) {
	same := func(g Find) bool {
		if f.Verdict == Loud {
			return g.Verdict == Loud && g.Signature() == f.Signature()
		}
		return g.Verdict == f.Verdict
	}
	for round, from := 0, 0; round < 12; round++ {
		edits := reductions(f.Source)
		if from >= len(edits) {
			break
		}
		chosen := edits[from:min(from+variants, len(edits))]
		programs := make([]string, 0, len(chosen))
		for _, e := range chosen {
			source, err := importer.Repair(apply(f.Source, []edit{e}))
			if err != nil || len(source) >= len(f.Source) || !strings.Contains(source, "func run_") {
				continue
			}
			programs = append(programs, remark(source, len(programs)))
		}
		if len(programs) == 0 {
			from += variants
			continue
		}
		finds, err := Compare(programs, play)
		if err != nil {
			return f, err
		}
		best := f
		for _, g := range finds {
			if same(g) && len(g.Source) < len(best.Source) {
				best = g
			}
		}
		if len(best.Source) == len(f.Source) {
			from += variants
			continue
		}
		seed := f.Seed
		f, from = best, 0
		f.Seed = seed
	}
	if text, err := format.Source([]byte(f.Source)); err == nil {
		f.Source = string(text)
	}
	return f, nil
}

// reductions lists changes that make a program smaller, the large ones first.
func reductions(source string) []edit {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "program.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var edits []edit
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	text := func(n ast.Node) string { return source[offset(n.Pos()):offset(n.End())] }
	replace := func(n ast.Node, with string) {
		edits = append(edits, edit{offset(n.Pos()), offset(n.End()), with})
	}
	list := func(list []ast.Stmt) {
		for size := len(list) / 2; size > 1; size /= 2 {
			for at := 0; at+size <= len(list); at += size {
				edits = append(edits, edit{offset(list[at].Pos()), offset(list[at+size-1].End()), ""})
			}
		}
		for _, s := range list {
			replace(s, "")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			for _, d := range n.Decls {
				if f, ok := d.(*ast.FuncDecl); !ok || !strings.HasPrefix(f.Name.Name, "run_") {
					replace(d, "")
				}
			}
		case *ast.BlockStmt:
			list(n.List)
		case *ast.CaseClause:
			list(n.Body)
			replace(n, "")
		case *ast.CommClause:
			list(n.Body)
		case *ast.IfStmt:
			replace(n, text(n.Body))
			if n.Else != nil {
				edits = append(edits, edit{offset(n.Body.End()), offset(n.Else.End()), ""})
			}
		case *ast.ForStmt:
			replace(n, text(n.Body))
		case *ast.RangeStmt:
			replace(n, text(n.Body))
		case *ast.LabeledStmt:
			replace(n, text(n.Stmt))
		}
		reduceExpression(n, text, replace)
		return true
	})
	return edits
}

// reduceExpression puts parts of an expression into its place.
func reduceExpression(n ast.Node, text func(ast.Node) string, replace func(n ast.Node, with string)) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		replace(n, text(n.X))
		replace(n, text(n.Y))
	case *ast.ParenExpr:
		replace(n, text(n.X))
	case *ast.UnaryExpr:
		replace(n, text(n.X))
	case *ast.CallExpr:
		for i, a := range n.Args {
			replace(n, text(a))
			if len(n.Args) > 1 && i > 0 {
				replace(a, "")
			}
		}
	case *ast.IndexExpr:
		replace(n, text(n.X))
	case *ast.TypeAssertExpr:
		replace(n, text(n.X))
	case *ast.SelectorExpr:
		replace(n, text(n.X))
	case *ast.CompositeLit:
		for _, x := range n.Elts {
			replace(x, "")
			if len(text(x)) > 3 {
				if kv, ok := x.(*ast.KeyValueExpr); ok {
					replace(kv.Value, "0")
				} else {
					replace(x, "0")
				}
			}
		}
	case *ast.FieldList:
		for _, f := range n.List {
			replace(f, "")
		}
	}
}
