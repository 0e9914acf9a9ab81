package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"gosphere/runtime/internal/assist"
	"gosphere/runtime/internal/modules/requirement"
	"gosphere/runtime/internal/source"
)

// A Finder finds packages, including those of modules, for tools that read cells without running
// them.
type Finder struct{ library *library }

// NewFinder returns a finder for the cells of a notebook in a folder. The go.mod that governs the
// folder applies.
func NewFinder(compiled assist.Packages, carried *source.Store, n Notebook, dir string) (*Finder, error) {
	l := newLibrary(compiled, carried, n)
	if _, err := l.set.Open(dir); err != nil {
		return nil, err
	}
	// A session opens the file when a cell first needs it. A tool reports a broken file at once.
	l.opened, l.folder = dir, dir
	return &Finder{l}, nil
}

// Carried returns the packages from source that need no module.
func (f *Finder) Carried() []source.Carried { return f.library.carried.Packages() }

// Library returns the packages against which cells are checked.
func (f *Finder) Library() assist.Packages { return f.library }

// Lock fixes the versions and checksums of modules that cells require to those stored in a
// notebook.
func (f *Finder) Lock(requires, sums []string) { f.library.set.Lock(requires, sums, false) }

// Load fetches modules, given as PATH or PATH@VERSION, and loads packages. A package that cannot be
// loaded causes an error only when a cell that imports it is checked.
func (f *Finder) Load(ctx context.Context, requires, paths []string) error {
	if len(requires) > 0 {
		if _, err := f.library.set.Require(ctx, f.library.report, requires...); err != nil {
			return err
		}
	}
	var missing []string
	for _, path := range paths {
		if _, err := f.library.compiled(path); err != nil {
			missing = append(missing, path)
		}
	}
	_ = f.library.loader.Load(ctx, missing) // Import reports the errors
	return ctx.Err()
}

// Closure returns the modules that packages need, with their versions, and the lines of a go.sum.
// Versions are at least those in versions, by path. Packages below the path own are not included.
func (f *Finder) Closure(ctx context.Context, paths []string, versions map[string]string, own string) ([]requirement.Needed, []string, error) {
	return f.library.set.Closure(ctx, nil, paths, versions, func(path string) bool { return path == own || strings.HasPrefix(path, own+"/") })
}

// Local returns the packages in folders of this machine, and of other notebooks, that are among
// packages or that these import. A module that imports one of them is an error.
func (f *Finder) Local(paths []string) (list []*source.Package, err error) {
	seen := map[*source.Package]bool{}
	var visit func(p, by *source.Package) error
	visit = func(p, by *source.Package) error {
		// The module would not compile elsewhere, where the folder does not exist.
		if p.Local && by != nil && !by.Local {
			return fmt.Errorf("%s, a module, imports %s, which is in the folder %s of this machine", by.Types.Path(), p.Types.Path(), p.Dir)
		}
		if seen[p] {
			return nil
		}
		if seen[p] = true; p.Local {
			list = append(list, p)
		}
		for _, imported := range p.Imports {
			if err := visit(imported, p); err != nil {
				return err
			}
		}
		return nil
	}
	for _, path := range paths {
		if p := f.library.loader.Package(path); p != nil {
			if err := visit(p, nil); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// Resolved returns the path of the package that an import in a package from source means, which
// differs from the path in the import for folders and notebooks: ./geo in the folder ./maps means
// ./maps/geo, or the import path of that folder if it is in a module.
func (f *Finder) Resolved(in *source.Package, path string) string {
	if p := f.library.loader.Package(in.Resolve(path)); p != nil {
		return p.Types.Path()
	}
	return path
}

// CompiledModules returns the versions, by path, of the modules that are compiled into this
// program.
func CompiledModules() map[string]string {
	list := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			list[m.Path] = m.Version
		}
	}
	return list
}

// moduleOf returns the path of the module that contains a package, or "" if versions has none. The
// longest path wins, because it is tried first: a module may be nested in another one's path, as
// example.com/m/v2 is in that of example.com/m.
func moduleOf(versions map[string]string, path string) string {
	for root := path; ; root = root[:strings.LastIndexByte(root, '/')] {
		if versions[root] != "" {
			return root
		}
		if !strings.Contains(root, "/") {
			return ""
		}
	}
}
