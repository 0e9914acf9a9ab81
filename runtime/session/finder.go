package session

import (
	"context"

	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"gosphere/internal/userfile"

	"gosphere/runtime/internal/notebook"
	inner "gosphere/runtime/internal/session"
	"gosphere/runtime/internal/source"
)

// A Finder finds packages, including those of modules, for tools that read cells without running
// them.
type Finder struct{ inner *inner.Finder }

// Finder returns a finder for the cells of a notebook in a folder. The go.mod that governs the
// folder applies.
func (c *Compiled) Finder(dir string) (*Finder, error) {
	f, err := inner.NewFinder(c.store, c.carried, notebook.Notebook{}, dir)
	if err != nil {
		return nil, err
	}
	return &Finder{f}, nil
}

// Library returns the packages against which cells are checked.
func (f *Finder) Library() Library { return f.inner.Library() }

// Lock fixes the versions and checksums of modules that cells require to those stored in a
// notebook.
func (f *Finder) Lock(requires, sums []string) { f.inner.Lock(requires, sums) }

// Load fetches modules, given as PATH or PATH@VERSION, and loads packages. A package that cannot be
// loaded causes an error only when a cell that imports it is checked.
func (f *Finder) Load(ctx context.Context, requires, paths []string) error {
	return f.inner.Load(ctx, requires, paths)
}

// Carried returns the modules of the packages whose source the program has.
func (f *Finder) Carried() (list []module.Version) {
	for _, p := range f.inner.Carried() {
		list = append(list, module.Version{Path: p.Module, Version: p.Version})
	}
	return list
}

// FromSource returns the paths of the modules whose packages were loaded from source.
func (f *Finder) FromSource() []string { return f.inner.FromSource() }

// A Needed is a module that packages need. Replacement is the module that go.mod replaces it by;
// its Path is "" if there is none.
type Needed struct {
	module.Version
	Replacement module.Version
}

// Closure returns the modules that packages need, with their versions, and the lines of a go.sum.
// Versions are at least those in versions, by path. Packages below the path own are not included.
func (f *Finder) Closure(ctx context.Context, paths []string, versions map[string]string, own string) (list []Needed, sums []string, err error) {
	needed, sums, err := f.inner.Closure(ctx, paths, versions, own)
	for _, m := range needed {
		list = append(list, Needed{m.Version, m.Replacement})
	}
	return list, sums, err
}

// A LocalPackage is a package in a folder of this machine, or one that consists of the cells of a
// notebook.
type LocalPackage struct {
	// Path is the import path, which is relative for folders outside a module.
	Path string
	// OfCells reports whether the package consists of cells.
	OfCells bool
	// SharesLoops reports whether the language version of a file is older than Go 1.22, so that the
	// iterations of its loops share their variables.
	SharesLoops bool

	inner  *source.Package
	finder *inner.Finder
}

// Local returns the packages in folders of this machine, and of other notebooks, that are among the
// loaded packages with the given paths or that these import. A module that imports one of them is
// an error.
func (f *Finder) Local(paths []string) (list []*LocalPackage, err error) {
	packages, err := f.inner.Local(paths)
	for _, p := range packages {
		list = append(list, &LocalPackage{p.Types.Path(), p.IsOfCells(), p.SharesAnyLoops(), p, f.inner})
	}
	return list, err
}

// Resolved returns the path of the package that an import in p means, which differs from the path
// in the import for folders and notebooks: ./geo in the folder ./maps means ./maps/geo, or the
// import path of that folder if it is in a module.
func (p *LocalPackage) Resolved(path string) string { return p.finder.Resolved(p.inner, path) }

// Texts returns the files of the package without its tests, by slash-separated names: those in its
// folder, for all systems, and those that it embeds. For cells it returns one file for each cell.
func (p *LocalPackage) Texts() (map[string][]byte, error) {
	texts := map[string][]byte{}
	if p.OfCells {
		for i, f := range p.inner.Files {
			var b bytes.Buffer
			written := *f
			written.Comments = slices.DeleteFunc(slices.Clone(f.Comments), func(g *ast.CommentGroup) bool { return strings.HasPrefix(g.List[0].Text, "//line ") })
			if err := format.Node(&b, p.inner.Fset, &written); err != nil {
				return nil, err
			}
			texts[fmt.Sprintf("cell%d.go", i+1)] = b.Bytes()
		}
		return texts, nil
	}
	entries, err := os.ReadDir(p.inner.Dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && path.Ext(e.Name()) == ".go" && !strings.HasSuffix(e.Name(), "_test.go") {
			if texts[e.Name()], err = userfile.ReadFile(filepath.Join(p.inner.Dir, e.Name()), userfile.Source); err != nil {
				return nil, err
			}
		}
	}
	for _, embed := range p.inner.Embeds {
		for _, name := range embed.Names() {
			texts[name] = []byte(embed.Files[name])
		}
	}
	return texts, nil
}

// CompiledModules returns the versions, by path, of the modules that are compiled into this
// program.
func CompiledModules() map[string]string { return inner.CompiledModules() }
