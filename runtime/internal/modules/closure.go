package modules

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Closure returns the modules that provide packages and all their imports, sorted by path, and the
// lines of a go.sum for a go.mod that requires exactly these modules. Versions are at least those
// in prefer, by module path; a package of no required module comes from a module in prefer. Files
// for other systems count, too, but packages that only such files import may be missing. The result
// does not include the standard library, packages selected by skip, and packages in local folders,
// but includes what these import. The requirements of the session do not change.
//
// It serves the export of a notebook as a program, whose go.mod must suffice for the go command on
// any system.
//
// The selection and the walk depend on each other: a package that is found in a module adds a
// requirement, which may raise versions, in which packages have other imports. The loop repeats
// both until a walk changes nothing. It ends, because requirements are only added or raised, and
// the versions come from go.mod files and from prefer.
func (s *Set) Closure(ctx context.Context, report func(string), paths []string, prefer map[string]string, skip func(path string) bool) ([]Needed, []string, error) {
	defer s.enter(ctx, report)()
	c := &closing{ctx: ctx, set: s, main: s.main.clone(), prefer: prefer, skip: skip}
	for changed := true; changed; {
		var err error
		if c.selected, err = s.build(ctx, c.main); err != nil {
			return nil, nil, err
		}
		if changed, err = c.walk(paths); err != nil {
			return nil, nil, err
		}
	}
	if len(c.found) == 0 {
		return nil, nil, nil
	}
	// The go.sum must suffice for a go.mod that requires exactly the modules found, whose graph is
	// smaller than that of the session.
	only := c.main.clone()
	only.requires = nil
	var list []Needed
	for _, path := range sortedKeys(c.found) {
		n := c.found[path]
		if actual := only.replacement(n.Version); actual != n.Version {
			n.Replacement = actual
		}
		list = append(list, n)
		only.requires = append(only.requires, n.Version)
	}
	sums, err := c.sumLines(only)
	return list, sums, err
}

// A closing is the computation of a closure.
//
// It works on a copy of the main module, so that an export cannot change what later cells import.
type closing struct {
	ctx      context.Context
	set      *Set
	main     *mainModule       // grows by the modules found and preferred
	selected map[string]string // for main
	prefer   map[string]string
	skip     func(path string) bool
	found    map[string]Needed       // of the last walk, by module path
	added    map[module.Version]bool // preferred modules that the last walk has required
}

// An importItem is an import path of a walk.
type importItem struct {
	path             string
	direct, optional bool
}

// walk finds the modules of packages and of their imports in the present selection. It adds
// requirements, and reports whether it did, because the selection may then be another.
//
// Imports that this system does not need are examined last and may be missing. The go command
// reports a missing package only when it builds for the system that needs it.
func (c *closing) walk(paths []string) (changed bool, err error) {
	c.found, c.added = map[string]Needed{}, map[module.Version]bool{}
	seen := map[string]bool{}
	var queue, optional []importItem
	for _, path := range paths {
		queue = append(queue, importItem{path: path, direct: true})
	}
	for len(queue) > 0 || len(optional) > 0 {
		if len(queue) == 0 { // a package may be both, and then an error matters
			queue, optional = optional, nil
		}
		next := queue[0]
		queue = queue[1:]
		if seen[next.path] || isStandard(next.path) || c.skip(next.path) {
			continue
		}
		place, wanted, err := c.place(next.path)
		var unknown *UnknownError
		switch {
		case c.ctx.Err() != nil:
			return false, c.ctx.Err()
		case wanted.Path != "":
			seen[next.path], changed = true, true
			// The module is required now, and its packages are found in the next walk.
			c.added[wanted] = true
			c.main.require(wanted)
			continue
		case next.optional && errors.As(err, &unknown):
			continue
		case err != nil:
			return false, fmt.Errorf("%s: %w", next.path, err)
		}
		seen[next.path] = true
		changed = c.note(place.Module, next.direct) || changed
		// The source has to be here anyway for the checksum in go.sum, so its imports are read from the
		// files and not asked from a service.
		imports, err := importsOf(place.Dir)
		if err != nil {
			return false, err
		}
		for _, path := range sortedKeys(imports) {
			if item := (importItem{path: path, optional: imports[path] || next.optional}); item.optional {
				optional = append(optional, item)
			} else {
				queue = append(queue, item)
			}
		}
	}
	return changed, nil
}

// place finds a package. If no selected module provides it, wanted is a preferred module that may
// and was not required in that version before this walk, or zero.
//
// The longest matching module path is preferred, as in locate, since a nested module hides the
// packages of the outer one. A module is tried only once in a version, or a package that exists
// nowhere would make the walk endless.
func (c *closing) place(path string) (place *Place, wanted module.Version, err error) {
	if place := c.set.main.findLocal(path); place != nil {
		return place, wanted, nil
	}
	place, err = c.set.locate(c.ctx, c.main, c.selected, path)
	var unknown *UnknownError
	if !errors.As(err, &unknown) {
		return place, wanted, err
	}
	for _, m := range sortedKeys(c.prefer) {
		v := module.Version{Path: m, Version: c.prefer[m]}
		if _, ok := below(path, m); ok && len(m) > len(wanted.Path) && semver.Compare(v.Version, c.selected[m]) > 0 && (c.added[v] || !slices.Contains(c.main.requires, v)) {
			wanted = v
		}
	}
	return nil, wanted, err
}

// note records a module that is found, and reports whether the requirements had to change for it.
//
// A preferred version that is higher than the selected one is required here and selected in the
// next round. Preferring a lower one would have no effect, because selection takes the maximum.
func (c *closing) note(m module.Version, direct bool) (changed bool) {
	if m.Version == "" {
		return false
	}
	c.found[m.Path] = Needed{Version: m, Direct: direct || c.found[m.Path].Direct}
	if at := c.prefer[m.Path]; semver.Compare(at, m.Version) > 0 {
		m.Version = at
	}
	if slices.Contains(c.main.requires, m) {
		return false
	}
	c.main.require(m)
	return true
}

// sumLines returns the lines of the go.sum for a go.mod.
//
// Each module whose go.mod has been read needs a line for the go.mod, even if another version of it
// is selected: the go command reads the same files and verifies them.
func (c *closing) sumLines(main *mainModule) (list []string, err error) {
	g, err := readGraph(c.ctx, c.set, main)
	if err != nil {
		return nil, err
	}
	needed := map[module.Version]bool{}
	for _, m := range main.requires {
		needed[main.replacement(m)] = true
	}
	for node := range g.read {
		m := main.replacement(node.Version)
		needed[module.Version{Path: m.Path, Version: m.Version + "/go.mod"}] = true
	}
	sums := c.set.sums
	sums.mu.Lock()
	defer sums.mu.Unlock()
	for _, m := range slices.SortedFunc(maps.Keys(needed), compareVersions) {
		// A module in a local folder has none.
		if sum := sums.found[m]; sum != "" {
			list = append(list, m.Path+" "+m.Version+" "+sum)
		}
	}
	return list, nil
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
//
// Files with other build constraints belong to the package on another system, for which a go.mod
// has to suffice as well. Only the imports are parsed, which is fast and succeeds for files with
// later errors.
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
// from the package.
//
// Such files are usually programs that generate code. Their imports are not needed by the package,
// and go mod tidy skips them, too.
func ignored(f *ast.File) bool {
	return slices.ContainsFunc(f.Comments, func(group *ast.CommentGroup) bool {
		return group.Pos() < f.Package && slices.ContainsFunc(group.List, func(c *ast.Comment) bool {
			x, err := constraint.Parse(c.Text)
			return err == nil && wantsIgnore(x)
		})
	})
}

// wantsIgnore reports whether a constraint is satisfied only with the tag ignore.
//
// A constraint such as ignore || linux is satisfied without the tag, which is why both sides of an
// || have to need it.
func wantsIgnore(x constraint.Expr) bool {
	switch x := x.(type) {
	case *constraint.TagExpr:
		return x.Tag == "ignore"
	case *constraint.AndExpr:
		return wantsIgnore(x.X) || wantsIgnore(x.Y)
	case *constraint.OrExpr:
		return wantsIgnore(x.X) && wantsIgnore(x.Y)
	}
	return false
}
