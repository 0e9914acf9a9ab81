package difference

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// An Importer provides the type information of the standard library.
type Importer func(path string) (*types.Package, error)

// Import implements types.Importer.
func (i Importer) Import(path string) (*types.Package, error) { return i(path) }

// An edit replaces part of a source text.
type edit struct {
	from, to int
	text     string
}

func apply(source string, edits []edit) string {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.from < at {
			continue // inside a removed part
		}
		b.WriteString(source[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	return b.String() + source[at:]
}

// mistakes type-checks a program and returns its errors.
func (i Importer) mistakes(fset *token.FileSet, file *ast.File) []types.Error {
	var list []types.Error
	config := types.Config{Importer: i, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			list = append(list, e)
		}
	}}
	config.Check("main", fset, []*ast.File{file}, nil) // the errors are reported one by one
	return list
}

// Repair removes code that does not compile from a program and adds a use for every unused
// variable. It returns an error if nothing sensible is left.
func (i Importer) Repair(source string) (string, error) {
	for range 30 {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "program.go", source, parser.SkipObjectResolution)
		if err != nil {
			return "", fmt.Errorf("difference: %w", err)
		}
		list := i.mistakes(fset, file)
		if len(list) == 0 {
			return source, nil
		}
		var edits []edit
		for _, e := range list {
			if strings.HasPrefix(e.Msg, "\t") {
				continue // belongs to the preceding error
			}
			if change, ok := repairOne(fset, file, e); ok {
				edits = append(edits, change)
			}
		}
		if len(edits) == 0 {
			return "", fmt.Errorf("difference: no repair for: %v", list[0])
		}
		source = apply(source, edits)
	}
	return "", errors.New("difference: too many repairs")
}

// repairOne returns the edit that removes one error.
func repairOne(fset *token.FileSet, file *ast.File, e types.Error) (edit, bool) {
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	name, unused := strings.CutPrefix(e.Msg, "declared and not used: ")
	statement, parent := innermost(file, e.Pos)
	if unused && statement != nil {
		end := offset(statement.End())
		switch clause := statement.(type) {
		case *ast.IfStmt:
			at := offset(clause.Body.Lbrace) + 1
			return edit{at, at, "\n_ = " + name + "\n"}, true
		case *ast.ForStmt:
			at := offset(clause.Body.Lbrace) + 1
			return edit{at, at, "\n_ = " + name + "\n"}, true
		case *ast.RangeStmt:
			at := offset(clause.Body.Lbrace) + 1
			return edit{at, at, "\n_ = " + name + "\n"}, true
		case *ast.TypeSwitchStmt:
			// The variable of the switch must be used in a clause.
			at := offset(clause.Body.Lbrace) + 1
			return edit{at, at, "\ncase struct{ unused int }:\n_ = " + name + "\n"}, true
		}
		if _, ok := parent.(*ast.BlockStmt); ok || isClause(parent) {
			return edit{end, end, "\n_ = " + name}, true
		}
	}
	if statement != nil {
		return edit{offset(statement.Pos()), offset(statement.End()), ""}, true
	}
	for _, d := range file.Decls {
		if d.Pos() <= e.Pos && e.Pos < d.End() {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				for _, s := range g.Specs {
					if s.Pos() <= e.Pos && e.Pos <= s.End() {
						return edit{offset(s.Pos()), offset(s.End()), ""}, true
					}
				}
			}
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Pos() == e.Pos && f.Recv == nil {
				break
			}
			if strings.HasPrefix(e.Msg, "missing return") {
				break
			}
			return edit{offset(d.Pos()), offset(d.End()), ""}, true
		}
	}
	return edit{}, false
}

func isClause(n ast.Node) bool {
	switch n.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// innermost returns the smallest statement of a statement list that contains a position. It keeps a
// return at the end of a function, whose removal would be another error.
func innermost(file *ast.File, pos token.Pos) (statement ast.Stmt, parent ast.Node) {
	visit := func(n ast.Node, list []ast.Stmt) {
		for _, s := range list {
			if _, last := s.(*ast.ReturnStmt); !last && s.Pos() <= pos && pos < s.End() {
				statement, parent = s, n
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			visit(n, n.List)
		case *ast.CaseClause:
			visit(n, n.Body)
		case *ast.CommClause:
			visit(n, n.Body)
		}
		return true
	})
	return statement, parent
}
