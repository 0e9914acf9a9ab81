package session

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"maps"
	"slices"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
)

// kept notes which functions the function literals call that outlive the statements of their cell:
// those that variables of the session hold, that goroutines run and that compiled packages were given.
// They go on calling these functions when a cell declares others of the same name, and the session
// warns of that. Methods, and functions that are checked again because something that they use has
// changed, are replaced for all callers, unless their signatures change.
type kept struct {
	callers map[*check.Symbol]*keptCallers // by the function that the literals call
	texts   map[string]string              // functions and methods as they were declared last
}

// keptCallers are the literals that call one function.
type keptCallers struct {
	cells     []int // numbers
	signature *types.Signature
}

// A replacement is a function or method that a cell gives another meaning.
type replacement struct {
	*check.Symbol
	follows   bool // callers of the one before call this one, if the signature is the same
	signature *types.Signature
}

// look warns about literals of earlier cells that go on calling what a cell declares again, and notes
// the literals of that cell.
func (k *kept) look(c *check.Checked, publish func(protocol.Content)) {
	names, cells := []string{}, []int{}
	for _, r := range k.replaced(c) {
		for old, callers := range maps.Clone(k.callers) {
			if old.Kind != r.Kind || fullName(old) != fullName(r.Symbol) {
				continue
			}
			delete(k.callers, old)
			if r.follows && sameSignature(callers.signature, r.signature) {
				k.callers[r.Symbol] = callers
				continue
			}
			names, cells = append(names, fullName(r.Symbol)), append(cells, callers.cells...)
		}
	}
	if len(cells) > 0 {
		slices.Sort(names)
		slices.Sort(cells)
		publish(protocol.Stream{Name: "stderr", Text: fmt.Sprintf("warning: function literals of %s still call the %s that they were made with; run them again to change that\n",
			cellNumbers(slices.Compact(cells)), strings.Join(slices.Compact(names), ", "))})
	}
	if c.Body != nil && c.Cell != nil {
		k.note(c)
	}
}

// sameSignature reports whether two functions have the same parameters, results and receiver types.
func sameSignature(a, b *types.Signature) bool {
	if !types.Identical(a, b) || (a.Recv() == nil) != (b.Recv() == nil) {
		return false
	}
	return a.Recv() == nil || types.Identical(a.Recv().Type(), b.Recv().Type())
}

func cellNumbers(numbers []int) string {
	word := "cell "
	if len(numbers) > 1 {
		word = "cells "
	}
	return word + strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

func fullName(s *check.Symbol) string {
	if s.Receiver != nil {
		return s.Receiver.Name + "." + s.Name
	}
	return s.Name
}

// replaced lists the functions and methods that a cell gives another meaning: those that it
// declares in other words than before, and those that use what has changed.
func (k *kept) replaced(c *check.Checked) []replacement {
	if k.texts == nil {
		k.texts, k.callers = map[string]string{}, map[*check.Symbol]*keptCallers{}
	}
	var declared, others []replacement
	same := 0
	for _, d := range c.Declarations {
		f, ok := d.Syntax.(*ast.FuncDecl)
		if !ok {
			continue
		}
		r := replacement{Symbol: d.Symbol, follows: d.Again || d.Symbol.Receiver != nil}
		r.signature = c.Info.Defs[f.Name].(*types.Func).Signature()
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
	if same > 0 && len(declared) == 0 {
		return nil // the cell was run again as it is
	}
	return append(declared, others...)
}

// words is the text of a function without its comment and its place.
func words(c *check.Checked, f *ast.FuncDecl) string {
	bare := *f
	bare.Doc = nil
	var text strings.Builder
	if err := format.Node(&text, c.Fset, &bare); err != nil {
		return ""
	}
	_, after, _ := strings.Cut(text.String(), "func ") // a comment before it may name the line
	return after
}

// note finds the literals of a cell that stay, and what they call.
func (k *kept) note(c *check.Checked) {
	for _, s := range c.Body.Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Rhs {
				k.held(c, x)
			}
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

// held notes the literals in what is stored: by themselves and in composite literals.
func (k *kept) held(c *check.Checked, x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(n ast.Node) bool { return k.calls(c, n) })
			return false
		case *ast.CallExpr:
			tv := c.Info.Types[n.Fun]
			return tv.IsType() || tv.IsBuiltin()
		}
		return true
	})
}

// passing are the compiled packages that call functions only while they are called themselves.
var passing = map[string]bool{
	"sort": true, "slices": true, "maps": true, "strings": true, "bytes": true, "errors": true, "fmt": true, "cmp": true,
	"path/filepath": true, "io/fs": true, "go/ast": true, "regexp": true, "testing": true, "container/heap": true, "unicode": true,
}

// keepsArguments reports whether a call may keep the functions that it is given.
func (k *kept) keepsArguments(c *check.Checked, x *ast.CallExpr) bool {
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

// calls notes one function or method that a literal names.
func (k *kept) calls(c *check.Checked, n ast.Node) bool {
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
		callers = &keptCallers{signature: f.Origin().Signature()}
		k.callers[symbol] = callers
	}
	if !slices.Contains(callers.cells, c.Cell.Number) {
		callers.cells = append(callers.cells, c.Cell.Number)
	}
	return true
}
