package session

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/internal/source"
)

// edited returns the packages of folders whose files have changed since they were read. It runs
// before every cell, so it only compares the sizes and times of files.
//
// Packages of the module cache are not examined, because the files there do not change.
func (l *library) edited() (list []*source.Package) {
	for _, path := range l.loader.Paths() {
		if p := l.loader.Package(path); p != nil && p.Changed() != "" {
			list = append(list, p)
		}
	}
	return list
}

// reload reloads packages: those named by %reload, and edited packages that the cell imports. If
// the cell merely uses an edited package, reload reports that once per package and edited file. It
// does not reload the package then: values of the old version, in variables of other cells, would
// no longer fit without any action of the user.
//
// For instance, after an edit of the folder geo, a cell with import "./geo" gets the new version,
// and a cell that only calls geo.Area keeps the old one and gets a note on its stderr.
//
// Declarations of earlier cells are not compiled again with the new version. They keep the old
// package until they are run, as a compiled program keeps a package that is edited while it runs.
func (s *Session) reload(ctx context.Context, reloads []magics.Requirement, parsed *cell.Cell, edited []*source.Package, say func(string)) error {
	l := s.library
	chosen := map[*source.Package]bool{}
	for _, r := range reloads {
		for _, path := range r.Modules {
			p := l.loader.Package(path)
			if p == nil {
				return &magics.PlaceError{Line: r.Line, Column: r.Column, Message: fmt.Sprintf("%%reload %s: no cell has imported a package of this path from its source", path)}
			}
			chosen[p] = true
		}
		if len(r.Modules) > 0 {
			continue
		}
		// A %reload without paths means all edited packages.
		if len(edited) == 0 {
			say("%reload: no file of an imported folder has changed")
		}
		for _, p := range edited {
			chosen[p] = true
		}
	}
	// To run the cell with the import again is the usual way to ask for the new version.
	paths := imported(parsed)
	for _, p := range edited {
		if slices.ContainsFunc(paths, func(path string) bool { return l.reaches(path, p) }) {
			chosen[p] = true
		}
	}
	for _, p := range edited {
		if name := p.Changed(); !chosen[p] && l.warned[p] != name && s.uses(parsed, p) {
			l.warned[p] = name
			say(fmt.Sprintf("%s has changed (%s) since it was imported; %%reload, or importing it again, takes the new version", p.Types.Path(), name))
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	return l.again(ctx, chosen, say)
}

// again reloads packages and the packages that import them. If one of them does not compile, all
// keep their old versions.
func (l *library) again(ctx context.Context, chosen map[*source.Package]bool, say func(string)) error {
	// Importers must be checked again, since they refer to objects of the old package.
	dropped := l.loader.Drop(func(p *source.Package) bool { return chosen[p] })
	var names, paths []string
	for _, p := range dropped {
		paths = append(paths, p.Types.Path())
		if chosen[p] {
			names = append(names, p.Types.Path())
		}
	}
	// Restore makes the old packages current again, with their variables.
	if err := l.loader.Load(ctx, paths); err != nil {
		l.loader.Restore(dropped)
		return errors.Join(ctx.Err(), err)
	}
	for _, p := range dropped {
		delete(l.warned, p)
	}
	say(fmt.Sprintf("reloaded %s; what earlier cells have made of the old version stays as it is until they run again", strings.Join(names, ", ")))
	return nil
}

// reaches reports whether the package with an import path is p or imports it.
func (l *library) reaches(path string, p *source.Package) bool {
	from := l.loader.Package(path)
	return from != nil && from.Reaches([]*source.Package{p})
}

// uses reports whether a cell refers to an import that leads to a package, directly or through
// other packages. It looks at names before a dot, because the cell has not been checked yet.
func (s *Session) uses(parsed *cell.Cell, p *source.Package) bool {
	if parsed == nil {
		return false
	}
	// Two imports may have one name in different cells. If either leads to the package, the warning
	// is given.
	names := map[string]bool{}
	for _, i := range s.checker.Imports() {
		names[i.Name] = names[i.Name] || s.library.reaches(i.Path, p)
	}
	found := false
	for _, f := range []*ast.File{parsed.Declarations, parsed.Statements} {
		if f == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if ok {
				x, isName := selector.X.(*ast.Ident)
				found = found || isName && names[x.Name]
			}
			return !found
		})
	}
	return found
}
