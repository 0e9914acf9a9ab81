package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
)

// A predeclared name keeps its meaning in declarations that were checked when it had no other. For
// instance, with
//
//	func least(a, b T) T { return min(a, b) }  // cell 1
//	min := 0.5                                 // cell 2
//
// a cell that declares T anew has least checked again, and min must still denote the predeclared
// function there.
//
// The declaration is checked in a file of its own, whose scope is inside that of the package and
// contains the predeclared object. Only imports can add to such a scope, so the file has an import
// that no package serves: when go/types asks for it, the scope exists.

// predeclaredPath begins the paths of these imports.
const predeclaredPath = "cell/predeclared"

// hiddenPredeclared returns the predeclared names that a record uses and that now have another
// meaning, sorted.
func (p *pass) hiddenPredeclared(r *record) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.predeclared)) {
		w := p.work
		if w.session.current[name] != nil || w.survey.declared[name] || w.survey.variables[name] || w.around[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// predeclared returns the predeclared object of a name, or nil.
func (w *work) predeclared(name string) types.Object {
	if name == must && !w.session.plain {
		return w.session.must[1]
	}
	return types.Universe.Lookup(name)
}

// predeclare gives the scope of a file the predeclared objects of some names.
func (p *pass) predeclare(file *ast.File, names []string) {
	if len(names) == 0 {
		return
	}
	path := fmt.Sprint(predeclaredPath, len(p.predeclared))
	spec := &ast.ImportSpec{Name: ast.NewIdent("_"), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
	file.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}}}, file.Decls...)
	p.predeclared[path] = func() {
		for _, name := range names {
			p.info.Scopes[file].Insert(p.work.predeclared(name))
		}
	}
}

// Import implements types.Importer.
func (p *pass) Import(path string) (*types.Package, error) {
	if insert := p.predeclared[path]; insert != nil {
		insert()
		empty := types.NewPackage(path, "predeclared")
		empty.MarkComplete()
		return empty, nil
	}
	return importer{p.work.session.packages}.Import(path)
}
