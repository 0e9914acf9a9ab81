package check

import (
	"go/ast"
)

// findKept finds the types and constants that the cell declares with the same text as before, as
// happens when a cell is run again. They keep their symbols, so that existing values still have
// these types. All names in the text must also have the same meaning as before. Without this rule,
// running a cell with a type twice would make values of the first run useless: p of type Point
// could not be passed to a function with a parameter of the new type Point.
//
// The loop removes those that depend on a declaration that is not kept, until nothing changes.
// Constants of one declaration are kept or replaced together.
//
// Texts are compared and not syntax trees: a changed comment in the text makes a new type. That is
// harmless, since it is what happens to every changed declaration.
func (w *work) findKept() {
	w.kept = map[string]*record{}
	same := map[[2]*ast.GenDecl]bool{} // whether declarations of constants have the same text
	for _, declaration := range w.cell.Declarations.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if r := w.known(spec.Name, Type); r != nil && textOf(r.cell, r.syntax) == textOf(w.cell, spec) {
					w.kept[spec.Name.Name] = r
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					r := w.known(name, Constant)
					if r == nil {
						continue
					}
					pair := [2]*ast.GenDecl{r.group, group}
					if _, known := same[pair]; !known {
						same[pair] = textOf(r.cell, r.group) == textOf(w.cell, group)
					}
					if same[pair] {
						w.kept[name.Name] = r
					}
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		groups := map[*ast.GenDecl]bool{} // whether the meaning of a group has changed
		for name, r := range w.kept {
			other, known := groups[r.group]
			if r.group == nil || !known {
				other = w.meansOther(name, r)
				groups[r.group] = other
			}
			if other {
				delete(w.kept, name)
				changed = true
			}
		}
	}
}

// known returns the record of a name in the session if it is of the given kind, or nil. A symbol
// without a cell has no text to compare.
func (w *work) known(name *ast.Ident, kind Kind) *record {
	r := w.session.current[name.Name]
	if r == nil || r.symbol.Kind != kind || r.symbol.Broken != nil || r.cell == nil {
		return nil
	}
	return r
}

// meansOther reports whether a name in the declaration of r has another meaning in this cell. Names
// are compared for what the cell itself declares, symbols for what other cells have redeclared
// since, and imports for packages. A dot import counts as changed, because it is not known which
// names come from it. For instance type Q struct{ P P } has another meaning if the cell declares a
// new P.
//
// The loops cover all that a declaration can refer to: names of this cell, predeclared names that
// an earlier cell has declared in the meantime, symbols of the session, and packages. A field that
// is named like such a declaration makes a new type without need, which is harmless.
func (w *work) meansOther(own string, r *record) bool {
	for name := range r.names.names {
		if name != own && w.survey.declared[name] && w.kept[name] == nil {
			return true
		}
	}
	if w.hidesPredeclared(r) {
		return true
	}
	for symbol := range r.uses {
		if symbol.Kind != Method && (w.session.current[symbol.Name] == nil || w.session.current[symbol.Name].symbol != symbol) {
			return true
		}
	}
	for _, i := range r.imports {
		if found, ok := w.importOf(i.Name); i.Name == "." || !ok || found.Path != i.Path {
			return true
		}
	}
	return false
}

// isKept reports whether the cell repeats the declaration of a record unchanged.
func (w *work) isKept(r *record) bool { return w.kept[r.symbol.Name] == r }

// hidesPredeclared reports whether a predeclared name, such as int, has been declared since the
// declaration of r was last checked, so that it now means something else there. A predeclared name
// is no symbol, and uses does not contain it. The name of a field may be mistaken for one; then a
// type is made anew without need.
func (w *work) hidesPredeclared(r *record) bool {
	for name := range r.names.names {
		now := w.session.current[name]
		declared := w.survey.declared[name] && w.kept[name] == nil && name != r.symbol.Name
		if (declared || now != nil && now.symbol != r.symbol) && (now == nil || !r.uses[now.symbol]) && w.predeclared(name) != nil {
			return true
		}
	}
	return false
}
