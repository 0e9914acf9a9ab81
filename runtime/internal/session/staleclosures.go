package session

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
)

// staleClosures records which functions are called by function literals that outlive the statements
// of their cell: literals held by session variables, run by goroutines, or passed to compiled
// packages. Such literals keep calling the old function when a cell redeclares it, and the session
// warns about that. Methods are replaced for all callers unless their signatures change. So are
// functions that are only checked again because a declaration that they use has changed.
//
// For instance, after func f() int { return 1 } in cell 1 and g := func() int { return f() } in
// cell 2, a cell that declares f again gets the warning
//
//	warning: function values of cell 2 still call the f that they were made with; …
type staleClosures struct {
	callers map[*check.Symbol]*keptCallers // by the function that the literals call
	// promoted has the cells of literals that select a promoted member, which a method of the type
	// would take precedence over.
	promoted map[member][]int
	texts    map[string]string // latest declarations of functions and methods
}

// keptCallers are the function literals that call one function.
type keptCallers struct {
	cells []int // cell numbers
}

// A member is a field or method of a type.
type member struct {
	of   *check.Symbol
	name string
}

// A replacement is a function or method that a cell redefines.
//
// follows is false for a function that the cell declares anew: its new version has another
// ir.FuncRef.
type replacement struct {
	*check.Symbol
	follows bool // callers of the old function call the new one
}

// look warns about function values of earlier cells that keep calling functions which the cell
// redeclares, except those that callers of the old one follow. It also records the literals of the
// cell. The cell has been compiled and has not run.
func (k *staleClosures) look(c *check.Checked, follow map[*check.Symbol]bool, publish func(protocol.Content)) {
	names, cells := []string{}, []int{}
	for _, r := range k.replaced(c, follow) {
		// The loop changes the map. An entry that it adds must not be visited in the same loop.
		for old, callers := range maps.Clone(k.callers) {
			if old.Kind != r.Kind || fullName(old) != fullName(r.Symbol) {
				continue
			}
			delete(k.callers, old)
			if r.follows {
				k.callers[r.Symbol] = callers
				continue
			}
			names, cells = append(names, fullName(r.Symbol)), append(cells, callers.cells...)
		}
		if over := (member{r.Receiver, r.Name}); len(k.promoted[over]) > 0 {
			names, cells = append(names, fullName(r.Symbol)), append(cells, k.promoted[over]...)
			delete(k.promoted, over)
		}
	}
	if len(cells) > 0 {
		slices.Sort(names)
		slices.Sort(cells)
		publish(protocol.Stream{Name: "stderr", Text: fmt.Sprintf("warning: function values of %s still call the %s that they were made with; run them again to change that\n",
			cellNumbers(slices.Compact(cells)), strings.Join(slices.Compact(names), ", "))})
	}
	if c.Body != nil && c.Cell != nil {
		k.note(c)
	}
}

// cellNumbers formats cell numbers for a message, such as "cells 1, 3".
func cellNumbers(numbers []int) string {
	word := "cell "
	if len(numbers) > 1 {
		word = "cells "
	}
	return word + strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// fullName returns the name of a function, or "Type.Method".
func fullName(s *check.Symbol) string {
	if s.Receiver != nil {
		return s.Receiver.Name + "." + s.Name
	}
	return s.Name
}

// replaced returns the functions and methods that a cell redefines: those whose declarations differ
// from before, and those that use a changed declaration.
func (k *staleClosures) replaced(c *check.Checked, follow map[*check.Symbol]bool) []replacement {
	if k.texts == nil {
		k.texts, k.callers, k.promoted = map[string]string{}, map[*check.Symbol]*keptCallers{}, map[member][]int{}
	}
	var declared, others []replacement
	same := 0
	for _, d := range c.Declarations {
		f, ok := d.Syntax.(*ast.FuncDecl)
		if !ok {
			continue
		}
		r := replacement{Symbol: d.Symbol, follows: follow[d.Symbol]}
		if d.Again {
			others = append(others, r)
			continue
		}
		text := words(c, f)
		if k.texts[fullName(d.Symbol)] == text {
			same++
			continue
		}
		k.texts[fullName(d.Symbol)] = text
		declared = append(declared, r)
	}
	// Rerunning a cell makes new functions of the same text, and a warning would only distract.
	if same > 0 && len(declared) == 0 {
		return nil // the cell was rerun unchanged
	}
	return append(declared, others...)
}

// words returns the tokens of a function without its doc comment, so that a function with other
// comments and white space counts as unchanged.
func words(c *check.Checked, f *ast.FuncDecl) string {
	from, to := offsetIn(c.Cell.Source, c.Fset.Position(f.Pos())), offsetIn(c.Cell.Source, c.Fset.Position(f.End()))
	if from < 0 || to < from {
		return ""
	}
	text := []byte(c.Cell.Source[from:to])
	var tokens scanner.Scanner
	tokens.Init(token.NewFileSet().AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	var all strings.Builder
	for semicolon := false; ; {
		_, kind, literal := tokens.Scan()
		if kind == token.EOF {
			return all.String()
		}
		if semicolon && kind != token.RBRACE {
			all.WriteString("; ")
		}
		if semicolon = kind == token.SEMICOLON; !semicolon {
			all.WriteString(cmp.Or(literal, kind.String()) + " ")
		}
	}
}

// offsetIn returns the offset of a position in a text, or -1.
func offsetIn(text string, p token.Position) int {
	offset := 0
	for range p.Line - 1 {
		n := strings.IndexByte(text[offset:], '\n')
		if n < 0 {
			return -1
		}
		offset += n + 1
	}
	if offset += p.Column - 1; offset > len(text) || p.Column < 1 {
		return -1
	}
	return offset
}

// note records the function literals of a cell that persist, and the functions they call. A literal
// persists if a top-level statement stores it, if a goroutine runs it, or if compiled code may keep
// it. Statements inside function literals are not examined: they have not run yet. For instance, of
// the literals in these statements all but the last persist:
//
//	g := func() int { return f() }
//	go func() { f() }()
//	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { f() })
//	func() { f() }()
func (k *staleClosures) note(c *check.Checked) {
	for _, s := range c.Body.Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Rhs {
				k.held(c, x)
			}
		case *ast.SendStmt:
			k.held(c, s.Value)
		case *ast.DeclStmt:
			ast.Inspect(s, func(n ast.Node) bool {
				if spec, ok := n.(*ast.ValueSpec); ok {
					for _, x := range spec.Values {
						k.held(c, x)
					}
				}
				return true
			})
		}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.GoStmt:
				ast.Inspect(n.Call, func(n ast.Node) bool { return k.calls(c, n) })
			case *ast.CallExpr:
				if k.keepsArguments(c, n) {
					for _, a := range n.Args {
						k.held(c, a)
					}
				}
			}
			return true
		})
	}
}

// held records the function literals and declared functions in a stored value, directly or inside
// composite literals. It finds those in []func(){f, func() { f() }} and append(list, f), and not
// that in wrap(f).
func (k *staleClosures) held(c *check.Checked, x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(n ast.Node) bool { return k.calls(c, n) })
			return false
		case *ast.Ident, *ast.SelectorExpr: // the value of a declared function or method
			return k.calls(c, n)
		case *ast.CallExpr:
			// A conversion or a built-in function such as append passes the literal on. Any other
			// call is assumed not to return it.
			tv := c.Info.Types[n.Fun]
			return tv.IsType() || tv.IsBuiltin()
		}
		return true
	})
}

// passing lists compiled packages that call their function arguments only before they return. The
// list avoids false warnings for the most common calls. An omission only causes a superfluous
// warning.
var passing = map[string]bool{
	"sort": true, "slices": true, "maps": true, "strings": true, "bytes": true, "errors": true, "fmt": true, "cmp": true,
	"path/filepath": true, "io/fs": true, "go/ast": true, "regexp": true, "testing": true, "container/heap": true, "unicode": true,
}

// keepsArguments reports whether the callee may keep function arguments beyond the call. Functions
// of cells are not followed: a literal passed to one is assumed not to be kept.
func (k *staleClosures) keepsArguments(c *check.Checked, x *ast.CallExpr) bool {
	var name *ast.Ident
	switch fun := ast.Unparen(x.Fun).(type) {
	case *ast.SelectorExpr:
		name = fun.Sel
	case *ast.Ident:
		name = fun
	default:
		return false
	}
	f, ok := c.Info.Uses[name].(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg() != c.Package && !passing[f.Pkg().Path()]
}

// calls records a function or method that a literal refers to. It returns true, so that ast.Inspect
// continues.
func (k *staleClosures) calls(c *check.Checked, n ast.Node) bool {
	if e, ok := n.(*ast.SelectorExpr); ok && c.Info.Selections[e] != nil {
		k.selects(c, c.Info.Selections[e])
	}
	id, ok := n.(*ast.Ident)
	if !ok {
		return true
	}
	f, ok := c.Info.Uses[id].(*types.Func)
	if !ok {
		return true
	}
	symbol := c.SymbolOf(f)
	if symbol == nil {
		return true
	}
	callers := k.callers[symbol]
	if callers == nil {
		callers = &keptCallers{}
		k.callers[symbol] = callers
	}
	if !slices.Contains(callers.cells, c.Cell.Number) {
		callers.cells = append(callers.cells, c.Cell.Number)
	}
	return true
}

// selects records the types through which a literal selects a promoted member.
func (k *staleClosures) selects(c *check.Checked, s *types.Selection) {
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok {
			if symbol := c.SymbolOf(named.Obj()); symbol != nil {
				over := member{symbol, s.Obj().Name()}
				k.promoted[over] = append(k.promoted[over], c.Cell.Number)
			}
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		t = st.Field(i).Type()
	}
}
