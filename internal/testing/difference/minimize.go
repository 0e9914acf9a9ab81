package difference

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
)

// variants is the maximum number of smaller forms of a program tried together.
const variants = 60

// rounds bounds the time spent on one find.
const rounds = 40

// Minimize removes parts of a program as long as its verdict, and the failure of a loud one, stay
// the same.
func Minimize(importer Importer, f Find, play Player) (Find, error) {
	m := &minimizer{importer: importer, play: play, find: f}
	for round, from := 0, 0; round < rounds; round++ {
		edits := reductions(m.find.Source)
		if from >= len(edits) {
			break
		}
		worked, err := m.smaller(edits[from:min(from+variants, len(edits))])
		if err != nil {
			return f, err
		}
		if worked {
			from = 0
		} else {
			from += variants
		}
	}
	if text, err := format.Source([]byte(m.find.Source)); err == nil {
		m.find.Source = string(text)
	}
	m.find.Seed = f.Seed
	return m.find, nil
}

// A minimizer holds the smallest form found so far.
type minimizer struct {
	importer Importer
	play     Player
	find     Find
}

// smaller tries edits one by one and then all successful ones together.
func (m *minimizer) smaller(edits []edit) (bool, error) {
	before := len(m.find.Source)
	var sets [][]edit
	for _, e := range edits {
		sets = append(sets, []edit{e})
	}
	original := m.find.Source
	good, err := m.try(original, sets)
	if err != nil || len(good) == 0 {
		return false, err
	}
	if len(good) > 1 {
		sets = nil
		for size := len(good); size > 1; size /= 2 {
			var set []edit
			for _, e := range good[:size] {
				set = append(set, e...)
			}
			sets = append(sets, set)
		}
		if _, err := m.try(original, sets); err != nil {
			return false, err
		}
	}
	return len(m.find.Source) < before, nil
}

// try runs forms of a program, keeps the smallest that is still a find like the first, and returns
// the sets of edits that led to one.
func (m *minimizer) try(original string, sets [][]edit) ([][]edit, error) {
	var programs []string
	var tried [][]edit
	for _, set := range sets {
		source, err := m.importer.Repair(apply(original, append([]edit(nil), set...)))
		if err != nil || len(source) >= len(original) || !strings.Contains(source, "func run_") {
			continue
		}
		programs = append(programs, remark(source, len(programs)))
		tried = append(tried, set)
	}
	finds, err := m.results(programs)
	if err != nil {
		return nil, err
	}
	var good [][]edit
	signature := m.find.Signature()
	for _, g := range finds {
		if g.Verdict != m.find.Verdict || g.Verdict == Loud && g.Signature() != signature {
			continue
		}
		good = append(good, tried[g.Seed])
		if len(g.Source) < len(m.find.Source) {
			m.find = g
		}
	}
	return good, nil
}

// results runs programs as cells, and compiled if that is needed for the verdict.
func (m *minimizer) results(programs []string) ([]Find, error) {
	if len(programs) == 0 || m.find.Verdict != Loud {
		return Compare(programs, m.play)
	}
	var finds []Find
	var all [][]string
	for i, source := range programs {
		cells, err := Cells(source)
		if err != nil {
			return nil, err
		}
		all = append(all, cells)
		finds = append(finds, Find{Seed: uint64(i), Source: source, Cells: cells})
	}
	outcomes, err := m.play(all)
	for i, o := range outcomes {
		finds[i].Outcome, finds[i].Verdict = o, judge(o.Output, o)
	}
	return finds, err
}

// reductions lists edits that make a program smaller, large ones first.
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

// reduceExpression replaces an expression by its parts.
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
