package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"gosphere/kernel/nbformat"
	"gosphere/runtime/graph"
	warnings "gosphere/runtime/vet"
)

// suspicious reports the warnings that a session prints for the cell.
func (v *vetter) suspicious(c *graph.Cell) {
	for _, w := range warnings.Warnings(c.Checked) {
		v.add("suspicious", spot{c, w.Line, w.Column}, w.Message, "")
	}
}

// onlyDefines reports whether a cell has no effect besides its definitions: its statements are
// definitions without calls, and it shows no value.
func onlyDefines(c *graph.Cell) bool {
	if c.Checked.Value != nil || c.Checked.Results != nil || len(c.Imports) > 0 {
		return false
	}
	if c.Checked.Body == nil {
		return true
	}
	quiet := true
	for _, s := range c.Checked.Body.Body.List {
		switch s := s.(type) {
		case *ast.DeclStmt, *ast.EmptyStmt:
		case *ast.AssignStmt:
			quiet = quiet && s.Tok == token.DEFINE
		default:
			return false
		}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				quiet = quiet && c.Checked.Info.Types[n.Fun].IsType()
			case *ast.UnaryExpr:
				quiet = quiet && n.Op != token.ARROW
			}
			return true
		})
	}
	return quiet
}

// ignoredErrors reports calls whose error is not used, and error variables that are set and not
// read before they are set again.
func (v *vetter) ignoredErrors(c *graph.Cell) {
	info := c.Checked.Info
	for _, list := range statementLists(c) {
		for i, s := range list.statements {
			statement, ok := s.(*ast.ExprStmt)
			if !ok || list.shows && i == len(list.statements)-1 {
				continue
			}
			call, ok := ast.Unparen(statement.X).(*ast.CallExpr)
			if !ok || !endsInError(info.TypeOf(call)) || rarelyFails(info, call) {
				continue
			}
			line, column := c.Place(call.Pos())
			v.add("ignored-error", spot{c, line, column}, "the error of "+types.ExprString(call.Fun)+" is ignored", "assign it to err and look at it, or to _")
		}
	}
	if c.Checked.Body == nil {
		return
	}
	body := c.Checked.Body.Body.List
	for i, s := range body {
		assign, ok := s.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, left := range assign.Lhs {
			id, ok := left.(*ast.Ident)
			if !ok || id.Name == "_" || !isError(info.TypeOf(id)) {
				continue
			}
			symbol := c.Checked.SymbolOf(info.ObjectOf(id))
			if symbol == nil || v.readAfter(c, id.Name, body[i+1:]) {
				continue
			}
			line, column := c.Place(id.Pos())
			v.add("ignored-error", spot{c, line, column}, fmt.Sprintf("nothing reads the error that %s is set to here", id.Name), "look at it, or assign it to _")
		}
	}
}

// readAfter reports whether the statements, or a later cell, read an error variable before it is
// set again. A mention anywhere in a function counts.
func (v *vetter) readAfter(c *graph.Cell, name string, rest []ast.Stmt) bool {
	for _, s := range rest {
		set, read := false, false
		written := map[*ast.Ident]bool{}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if id, ok := left.(*ast.Ident); ok && id.Name == name {
						written[id] = true
						set = set || n == s
					}
				}
			case *ast.Ident:
				read = read || n.Name == name && !written[n]
			}
			return true
		})
		if read {
			return true
		}
		if set {
			return false
		}
	}
	for _, d := range c.Checked.Cell.Declarations.Decls {
		found := false
		ast.Inspect(d, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == name && c.Checked.SymbolOf(c.Checked.Info.Uses[id]) != nil
			return true
		})
		if found {
			return true
		}
	}
	for _, later := range v.graph.Cells {
		if later.Number <= c.Number {
			continue
		}
		if slices.ContainsFunc(later.Reads, func(e graph.Effect) bool { return e.Name.Text == name && e.Name.Cell <= c.Number }) {
			return true
		}
		if slices.ContainsFunc(later.Defines, func(n *graph.Name) bool { return n.Text == name }) ||
			slices.ContainsFunc(later.Changes, func(e graph.Effect) bool { return e.Name.Text == name }) {
			return false
		}
	}
	return false
}

// A statementList is the statements of a block. shows is set if the value of the last one is shown.
type statementList struct {
	statements []ast.Stmt
	shows      bool
}

// statementLists returns all lists of statements in a cell.
func statementLists(c *graph.Cell) (lists []statementList) {
	find := func(root ast.Node, body *ast.BlockStmt) {
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				lists = append(lists, statementList{n.List, n == body})
			case *ast.CaseClause:
				lists = append(lists, statementList{n.Body, false})
			case *ast.CommClause:
				lists = append(lists, statementList{n.Body, false})
			}
			return true
		})
	}
	if c.Checked.Body != nil {
		find(c.Checked.Body.Body, c.Checked.Body.Body)
	}
	for _, d := range c.Checked.Cell.Declarations.Decls {
		find(d, nil)
	}
	return lists
}

// endsInError reports whether a type is error, or the types of results of which the last is.
func endsInError(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		return tuple.Len() > 0 && isError(tuple.At(tuple.Len()-1).Type())
	}
	return isError(t)
}

// isError reports whether a type is error.
func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// rarelyFails reports whether the error of a call is ignored by custom: it prints, writes to
// memory, or closes what was read.
func rarelyFails(info *types.Info, call *ast.CallExpr) bool {
	f, ok := typeutil.Callee(info, call).(*types.Func)
	if !ok || f.Pkg() == nil {
		return !ok
	}
	if f.Name() == "Close" || f.Pkg().Path() == "gosphere/runtime/magic" {
		return true
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Pkg().Path() == "fmt" && (strings.HasPrefix(f.Name(), "Print") || strings.HasPrefix(f.Name(), "Fprint"))
	}
	switch types.TypeString(recv.Type(), nil) {
	case "*strings.Builder", "*bytes.Buffer", "hash.Hash", "*text/tabwriter.Writer", "*bufio.Writer":
		return f.Name() != "Flush"
	}
	return false
}

// imports reports imports that nothing uses, and modules of which no version is stored.
func (v *vetter) imports(c *graph.Cell) {
	for _, i := range c.Imports {
		if !i.Used {
			f := v.add("unused-import", spot{c, i.Line, i.Column}, fmt.Sprintf("nothing uses the import %q", i.Path), "remove it")
			if line, ok := importLine(v.source(c).Source, i); ok {
				number := c.Number
				f.fix = func(n *nbformat.Notebook) { removeLine(n.Cells[number-1], line) }
			}
		}
		if v.options.Locked != nil && !v.options.Locked(i.Path) {
			v.add("not-locked", spot{c, i.Line, i.Column}, fmt.Sprintf("the notebook stores no version of the module of %q", i.Path), "run the notebook with gosphere run -o, which stores the versions")
		}
	}
}
