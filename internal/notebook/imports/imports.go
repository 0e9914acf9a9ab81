// Package imports finds the packages that the cells of a notebook may import, for tools that check
// cells without running them.
//
//	p, err := imports.Of(compiled, notebook, "study")
//	findings := vet.Notebook(notebook, p, vet.Options{Locked: p.Locked})
package imports

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"gosphere/internal/modulepath"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/session"
)

// Packages are the packages that the cells of one notebook may import: the compiled ones, those of
// modules, and those of the folder. They fetch modules when cells require them.
type Packages struct {
	session.Library
	Finder *session.Finder

	compiled session.Library
	requires []string
	dir      string
}

// Of returns the packages for the cells of a notebook in a folder, with the module versions that
// the notebook stores.
func Of(compiled *session.Compiled, notebook *nbformat.Notebook, dir string) (*Packages, error) {
	finder, err := compiled.Finder(dir)
	if err != nil {
		return nil, err
	}
	requires, sums := Stored(notebook)
	finder.Lock(requires, sums)
	return &Packages{finder.Library(), finder, compiled.Library(), requires, dir}, nil
}

// Load fetches modules, given as PATH or PATH@VERSION, and loads packages.
func (p *Packages) Load(requires, paths []string) error {
	return p.Finder.Load(context.Background(), requires, paths)
}

// Locked reports whether the version of a package is determined without the cells: it is compiled
// into the program, its source is, or the notebook or the module of the folder states its version.
func (p *Packages) Locked(path string) bool {
	if _, err := p.compiled.Import(path); err == nil {
		return true
	}
	carried := func(m module.Version) bool { return within(path, m.Path) }
	return slices.ContainsFunc(p.Finder.Carried(), carried) || isLocked(path, p.requires, p.dir)
}

// isLocked reports whether the version of a package is stored in the notebook or determined by the
// go.mod file of its folder. Packages of the standard library, of folders and of other notebooks
// have no version.
func isLocked(path string, requires []string, dir string) bool {
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") || strings.HasPrefix(first, ".") || modulepath.Contains(path) || strings.HasSuffix(path, ".ipynb") {
		return true
	}
	if slices.ContainsFunc(requires, func(r string) bool {
		module, _, _ := strings.Cut(strings.ReplaceAll(r, "@", " "), " ")
		return within(path, module)
	}) {
		return true
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// within reports whether a package is in a module.
func within(path, module string) bool {
	return path == module || strings.HasPrefix(path, module+"/")
}

// Stored returns the modules, as PATH@VERSION, and their checksums in the metadata of a notebook.
func Stored(notebook *nbformat.Notebook) (requires, sums []string) {
	own, _ := notebook.Metadata["gosphere"].(map[string]any)
	stored, _ := own["modules"].(map[string]any)
	return texts(stored["require"]), texts(stored["sums"])
}

// texts returns the strings of a list in metadata.
func texts(v any) (out []string) {
	all, _ := v.([]any)
	for _, one := range all {
		if text, ok := one.(string); ok {
			out = append(out, text)
		}
	}
	return out
}
