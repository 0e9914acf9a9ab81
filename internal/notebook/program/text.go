package program

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"gosphere/runtime/check"
)

// An edit replaces a part of a cell's text.
type edit struct {
	start, end int // byte offsets
	text       string
}

// A text is the source of one cell with edits.
type text struct {
	source string
	starts []int // offset of each line
	fset   *token.FileSet
	edits  []edit
}

func newText(source string, fset *token.FileSet) *text {
	t := &text{source: source, starts: []int{0}, fset: fset}
	for i := range source {
		if source[i] == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// offset returns the offset of a position in the text.
func (t *text) offset(pos token.Pos) int {
	place := t.fset.Position(pos)
	if place.Line > len(t.starts) {
		return len(t.source)
	}
	return min(t.starts[place.Line-1]+place.Column-1, len(t.source))
}

// replace records an edit of a range of the syntax.
func (t *text) replace(from, to token.Pos, by string) {
	t.edits = append(t.edits, edit{t.offset(from), t.offset(to), by})
}

// between returns a part of the text with its edits applied.
func (t *text) between(start, end int) string {
	edits := slices.Clone(t.edits)
	slices.Reverse(edits) // for edits of the same range the later one wins, because it is based on the earlier one
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end // the larger one first: it contains the others
	})
	var written strings.Builder
	at := start
	for _, e := range edits {
		if e.start < at || e.end > end {
			continue
		}
		written.WriteString(t.source[at:e.start] + e.text)
		at = e.end
	}
	return written.String() + t.source[at:end]
}

// of returns the text of a node with its edits applied.
func (t *text) of(node ast.Node) string { return t.between(t.offset(node.Pos()), t.offset(node.End())) }

// rename records the program's names for all identifiers in a node.
func (w *writer) rename(t *text, checked *check.Checked, node ast.Node) {
	selected := map[*ast.Ident]bool{} // selected from a package or a value
	ast.Inspect(node, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			selected[selector.Sel] = true
		}
		identifier, ok := n.(*ast.Ident)
		if !ok || identifier.Name == "_" {
			return true
		}
		object := checked.Info.Uses[identifier]
		if object == nil {
			object = checked.Info.Defs[identifier]
		}
		if p := foreign(checked, object); p != nil && !selected[identifier] { // imported with a dot
			t.replace(identifier.Pos(), identifier.End(), w.names.importApart(p.Path(), p.Name())+"."+identifier.Name)
			return true
		}
		if name := w.nameOf(checked, object); name != "" && name != identifier.Name {
			t.replace(identifier.Pos(), identifier.End(), name)
		}
		return true
	})
}

// foreign returns the package of an object declared at the top level of another package, else nil.
func foreign(checked *check.Checked, object types.Object) *types.Package {
	if object == nil || object.Pkg() == nil || object.Pkg().Path() == checked.Package.Path() || object.Parent() != object.Pkg().Scope() {
		return nil
	}
	return object.Pkg()
}

// nameOf returns the program's name of an object, or "" if it keeps its own.
func (w *writer) nameOf(checked *check.Checked, object types.Object) string {
	switch object := object.(type) {
	case nil:
		return ""
	case *types.PkgName:
		return w.names.importName(object.Imported().Path(), object.Name())
	case *types.Var:
		if object.Embedded() { // its name is that of its type
			if named, ok := types.Unalias(pointed(object.Type())).(*types.Named); ok {
				return w.nameOf(checked, named.Obj())
			}
		}
	}
	if f, ok := object.(*types.Func); ok && check.IsMust(f) {
		return w.names.must(f)
	}
	symbol := checked.SymbolOf(object)
	if symbol == nil || symbol.Kind == check.Method {
		return ""
	}
	return w.names.symbols[symbol]
}

// pointed returns the element type of a pointer type, and any other type itself.
func pointed(t types.Type) types.Type {
	if pointer, ok := t.(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}
