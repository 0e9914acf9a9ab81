package modules

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
)

// A Needed is a module that packages need. Direct modules are written without the comment "//
// indirect".
type Needed struct {
	module.Version
	Direct bool // whether it provides one of the requested packages itself
}

// Closure returns the modules that provide packages and all their imports, sorted by path, and the
// lines of a go.sum for them. Files for other systems count, too, but packages that only such files
// import may be missing. The result does not include the standard library and packages selected by
// skip. It searches breadth first, so the requested packages come before their imports. A package
// that is not found is an error unless only files for other systems import it.
//
// It serves gosphere build and the export of a notebook as a program, whose go.mod must suffice for
// the go command on any system.
func (s *Set) Closure(ctx context.Context, report func(string), paths []string, skip func(path string) bool) ([]Needed, []string, error) {
	found := map[string]Needed{}
	seen := map[string]bool{}
	type item struct {
		path             string
		direct, optional bool
	}
	var queue []item
	for _, path := range paths {
		queue = append(queue, item{path: path, direct: true})
	}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if seen[next.path] || isStandard(next.path) || skip(next.path) {
			continue
		}
		place, err := s.Find(ctx, report, next.path)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil && next.optional:
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", next.path, err)
		case place.Module.Version == "":
			return nil, nil, fmt.Errorf("%s is a package in the folder %s, which only this machine has", next.path, place.Dir)
		}
		seen[next.path] = true
		m := found[place.Module.Path]
		found[place.Module.Path] = Needed{place.Module, m.Direct || next.direct}
		imports, err := importsOf(place.Dir)
		if err != nil {
			return nil, nil, err
		}
		for path, optional := range imports {
			queue = append(queue, item{path: path, optional: optional || next.optional})
		}
	}
	var list []Needed
	var specs []string
	for _, path := range sortedKeys(found) {
		list = append(list, found[path])
		specs = append(specs, path+"@"+found[path].Version.Version)
	}
	if len(specs) == 0 {
		return nil, nil, nil
	}
	// A go.mod that lists all of these modules makes the go command read more of their
	// requirements.
	if _, err := s.Require(ctx, report, specs...); err != nil {
		return nil, nil, err
	}
	if _, err := s.List(ctx); err != nil {
		return nil, nil, err
	}
	return list, s.sums.lines(), nil
}

// isStandard reports whether an import path is in the standard library. The go command reserves
// paths whose first element has no dot for the standard library.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// importsOf returns the imports of the non-test Go files in a folder. The value is true for imports
// that this system does not need. An import that one file needs here is not optional, even if
// another file has it for another system.
func importsOf(dir string) (map[string]bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	imports := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil || ignored(f) {
			continue // the go command reports the error if it matters
		}
		here, err := build.Default.MatchFile(dir, e.Name())
		for _, spec := range f.Imports {
			if path, failure := strconv.Unquote(spec.Path.Value); failure == nil {
				optional, known := imports[path]
				imports[path] = (!here || err != nil) && (optional || !known)
			}
		}
	}
	return imports, nil
}

// ignored reports whether a file has the build constraint ignore, which by convention excludes it
// from the package. The constraint is evaluated with every tag except ignore satisfied.
func ignored(f *ast.File) bool {
	return slices.ContainsFunc(f.Comments, func(group *ast.CommentGroup) bool {
		return group.Pos() < f.Package && slices.ContainsFunc(group.List, func(c *ast.Comment) bool {
			x, err := constraint.Parse(c.Text)
			return err == nil && !x.Eval(func(tag string) bool { return tag != "ignore" })
		})
	})
}
