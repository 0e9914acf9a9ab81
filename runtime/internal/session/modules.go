package session

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/internal/assist"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/modules/requirement"
	"gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/source"
)

// A library finds packages for cells: compiled packages, and those of modules from source.
type library struct {
	assist.Packages // the compiled packages
	carried         *source.Store
	loader          *source.Loader
	notebook        Notebook
	set             requirement.Set

	folder    string    // folder of the cells; "" for the working directory
	opened    string    // the folder for which go.mod or go.work was read; guarded by Session.compiling
	embedded  *Embedded // nil unless a program evaluates Go
	report    func(text string)
	selection *selection                 // of versions of compiled modules
	notes     map[string]string          // messages about notebooks that were read, by file; nil if unwanted
	warned    map[*source.Package]string // the edited file that cells were warned about; guarded by Session.compiling
}

func newLibrary(compiled assist.Packages, carried *source.Store, n Notebook) *library {
	l := &library{Packages: compiled, carried: carried, notebook: n, set: n.Modules(), warned: map[*source.Package]string{}, selection: newSelection()}
	l.loader = source.New(l.compiledFor, l.find)
	return l
}

// RefusesUnsafe returns an error if a program does not give package unsafe to its sources.
func (l *library) RefusesUnsafe() error {
	if l.embedded == nil {
		return nil
	}
	_, err := l.Packages.Import("unsafe")
	return err
}

// Driver returns the name of the driver of database/sql in the program that replaces a package, or
// "".
func (l *library) Driver(path string) string {
	if drivers, ok := l.Packages.(interface{ Driver(path string) string }); ok {
		return drivers.Driver(path)
	}
	return ""
}

// importAny is like Import, for the project's own source of generic functions, which may use
// packages that a program does not give to its sources.
func (l *library) importAny(path string) (*types.Package, error) {
	if all, ok := l.Packages.(interface {
		ImportAny(path string) (*types.Package, error)
	}); ok {
		return all.ImportAny(path)
	}
	return l.Import(path)
}

// Import returns the package with an import path. It does not load packages; prepare does that
// before a cell is checked.
//
// The order decides which package a path means. Source that is loaded comes first, because cells
// that run already use its types. A compiled package of another version must never be returned:
// types of both versions would meet in one session.
func (l *library) Import(path string) (*types.Package, error) {
	if p := l.loader.Package(path); p != nil && p.Hidden() {
		return nil, fmt.Errorf("use of internal package %s is not allowed", path)
	} else if p != nil {
		return p.Types, nil
	}
	// The compiled package has another version than the one that cells require, so it must not take
	// the place of a source that could not be loaded.
	if l.isChosen(path) {
		return nil, l.loader.Failure(path)
	}
	p, err := l.Packages.Import(path)
	if carried, _, ok := l.carried.Find(path); err != nil && ok && !carried.IsInternal() && l.loader.Failure(path) == nil {
		// An automatic import: prepare has seen none, and this needs no network.
		if l.loader.Load(context.Background(), []string{path}) == nil {
			return l.loader.Package(path).Types, nil
		}
	}
	if failure := l.loader.Failure(path); err != nil && failure != nil {
		// A path without a dot in its first element is most likely a misspelled standard package,
		// for which the error of Packages has better hints.
		var unknown *requirement.UnknownError
		if strings.Contains(strings.Split(path, "/")[0], ".") || !errors.As(failure, &unknown) {
			return nil, failure
		}
	}
	return p, err
}

// PathsNamed returns the paths of the packages with a name. Packages from source come after the
// standard library, because a package that cells have not imported may import them: maps means the
// standard package although a module imports golang.org/x/exp/maps. They come before other compiled
// packages.
//
// The order matters only for automatic imports, where the first package that fits is chosen.
func (l *library) PathsNamed(name string) []string {
	var list []string
	for _, path := range l.loader.Paths() {
		if l.loader.Package(path).Types.Name() == name {
			list = append(list, path)
		}
	}
	for _, p := range l.carried.Packages() {
		if p.Name == name && !p.IsInternal() && !slices.Contains(list, p.Path) {
			list = append(list, p.Path)
		}
	}
	compiled := l.Packages.PathsNamed(name)
	standard := slices.IndexFunc(compiled, func(path string) bool { return !packages.IsStandard(path) })
	if standard < 0 {
		standard = len(compiled)
	}
	return slices.Insert(compiled, standard, list...)
}

// Paths returns the import paths of all packages.
func (l *library) Paths() []string {
	list := append(l.Packages.Paths(), l.loader.Paths()...)
	for _, p := range l.carried.Packages() {
		if !slices.Contains(list, p.Path) && !p.IsInternal() {
			list = append(list, p.Path)
		}
	}
	return list
}

// Doc returns the documentation of a package, or of a name in it.
func (l *library) Doc(path, name string) string {
	if p := l.loader.Package(path); p != nil {
		return p.Doc(name)
	}
	return l.Packages.Doc(path, name)
}

// file returns the file on disk with a name in positions of packages from source, or "". For
// instance, the position example.com/x/y/file.go is in y's folder of the module cache, and that of
// a cell is in no file.
func (l *library) file(name string) string {
	dir, base := path.Split(name)
	if p := l.loader.Package(strings.TrimSuffix(dir, "/")); p != nil && dir != "" && filepath.Ext(base) == ".go" {
		if p.Dir == "" {
			return ""
		}
		return filepath.Join(p.Dir, base)
	}
	return ""
}

// find implements source.Find for the loader. It finds these kinds of paths:
//
//	./geo            a folder, relative to that of the cells
//	./tools.ipynb    the declarations of another notebook
//	example.com/x/y  a package of a module
//
// A relative path is resolved before anything else, since it can only mean a folder or a notebook.
// A package that the program carries needs no network, but it yields to a version that the session
// has selected.
func (l *library) find(ctx context.Context, path string) (source.Place, error) {
	if strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") {
		dir, err := filepath.Abs(filepath.Join(l.folder, filepath.FromSlash(path)))
		if err != nil {
			return source.Place{}, err
		}
		if source.IsCells(path) {
			place, note, err := l.notebook.Cells(dir, l.Packages)
			if note != "" && l.notes != nil {
				l.notes[dir] = note
			}
			return place, err
		}
		// A folder of the main module has an import path as well. Both must lead to one package.
		if place, own := l.set.FindFolder(dir); place != nil {
			return source.Place{Path: own, Dir: dir, GoVersion: place.GoVersion, Local: true}, nil
		}
		return source.Place{Dir: dir, Local: true}, nil
	}
	if place, ok := l.carriedPlace(path); ok {
		return place, nil
	}
	place, err := l.set.Find(ctx, l.report, path)
	if err != nil {
		return source.Place{}, err
	}
	return source.Place{Dir: place.Dir, GoVersion: place.GoVersion, Local: place.Module.Version == ""}, nil
}

// carriedPlace returns the place of a package that the program carries, unless another version is
// selected or a main module has the package.
func (l *library) carriedPlace(path string) (source.Place, bool) {
	p, place, ok := l.carried.Find(path)
	if !ok || l.set.HasLocal(path) {
		return source.Place{}, false
	}
	selected := l.set.Selected(p.Module)
	return place, selected == "" || selected == p.Version
}

// program finds the package of a program by its import path, which may have a version suffix. An
// unversioned path that is not a known package means the latest version. For instance, for
// golang.org/x/tools/cmd/stringer it tries modules of this path, of golang.org/x/tools/cmd and of
// golang.org/x/tools, of which the last exists.
//
// Each attempt to require a module changes nothing if it fails, so the attempts need no cleanup.
func (l *library) program(ctx context.Context, path string) (source.Place, error) {
	path, version, given := strings.Cut(path, "@")
	if err := l.open(); err != nil {
		return source.Place{}, err
	}
	if !given {
		if place, err := l.find(ctx, path); err == nil {
			return place, nil
		}
		version = "latest"
	}
	// The path does not show where the path of its module ends, so the longest one is tried first.
	// The error of the full path is the one that names what the user has written.
	var first error
	for root := path; strings.Contains(root, "/"); root = root[:strings.LastIndexByte(root, '/')] { // the path of the module, or of a folder in it
		_, err := l.set.Require(ctx, l.report, root+"@"+version)
		if err == nil {
			return l.find(ctx, path)
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			return source.Place{}, ctx.Err()
		}
	}
	return source.Place{}, first
}

// isFolder reports whether name is an existing folder.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// open reads the go.mod or go.work that governs the folder of the cells. It does so once per
// folder. After a change of directory it keeps the old one if packages of it are in use, because
// the versions of these packages would no longer be the selected ones.
//
// It is called before each use of the module set and not at the start of the session, because the
// working directory may change until then.
func (l *library) open() error {
	dir, err := l.folder, error(nil)
	if dir == "" {
		dir, err = os.Getwd()
	}
	if err != nil || dir == l.opened {
		return err
	}
	if l.opened != "" && len(l.loader.Paths()) > 0 {
		return nil // packages are in use
	}
	_, err = l.set.Open(dir)
	if err == nil {
		l.opened = dir
	}
	return err
}

// prepare fetches the modules that a cell requires and loads the packages that it imports. An
// interrupt of the cell cancels it.
//
// The cell has no type information yet: which packages it needs follows from its import
// declarations alone. Packages that are imported automatically are compiled or carried, so that
// they need no preparation.
func (s *Session) prepare(e *call, c *guard.Cell, expansion magics.Expansion, parsed *cell.Cell) error {
	l := s.library
	if l.embedded != nil {
		return nil // the checker names the packages that there are not
	}
	if slices.ContainsFunc(imported(parsed), func(path string) bool { return moduleOf(compiledVersions, path) != "" }) {
		_ = l.open() // only for versions that differ; a cell that needs the file reports the error
	}
	paths, edited := l.missing(parsed), l.edited()
	if len(expansion.Requires) == 0 && len(expansion.Reloads) == 0 && len(paths) == 0 && len(edited) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	go func() {
		select {
		// An interrupt of the cell stops downloads.
		case <-c.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	say := func(text string) { e.publish(protocol.Stream{Name: "stderr", Text: text + "\n"}) }
	begun := time.Now()
	l.report = func(text string) { // fast fetches are not reported, so that notebooks do not store messages that vary
		if time.Since(begun) > unreported {
			say(text)
		}
	}
	// A notebook may be read several times while packages are loaded, and is reported once.
	l.notes = map[string]string{}
	defer func() {
		for _, file := range slices.Sorted(maps.Keys(l.notes)) {
			say(l.notes[file])
		}
		l.report, l.notes = nil, nil
	}()
	if err := l.open(); err != nil {
		return err
	}
	if err := s.reload(ctx, expansion.Reloads, parsed, edited, say); err != nil {
		return err
	}
	for _, r := range expansion.Requires {
		changes, err := l.set.Require(ctx, l.report, r.Modules...)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &magics.PlaceError{Line: r.Line, Column: r.Column, Message: "%require: " + err.Error()}
		}
		for _, line := range changeLines(changes) {
			say(line)
		}
	}
	// The requirements may have changed which packages come from source.
	paths = l.missing(parsed)
	// The error of a package belongs to the line of its import, which only the checker knows.
	_ = l.loader.Load(ctx, paths) // Import reports the errors
	return ctx.Err()
}

// moduleErrors converts an error of prepare to an error of the cell, positioned at the line that
// requires the module if there is one. An error that no line causes, such as a go.mod that cannot
// be read, is at the start of the cell.
//
// Front ends mark the position of an error, so an error without one would not be shown at the cell.
func moduleErrors(err error, number int) error {
	mistake := cell.Error{Cell: number, Line: 1, Column: 1, Message: err.Error()}
	var place *magics.PlaceError
	if errors.As(err, &place) {
		mistake.Line, mistake.Column = place.Line, place.Column
	}
	return cell.Errors{mistake}
}

// unreported is the time after which the progress of module downloads is reported.
const unreported = time.Second

// changeLines describes the effects of a requirement. Modules added only as dependencies are
// counted rather than listed.
//
//	added github.com/x/y v1.2.0
//	changed golang.org/x/text v0.3.0 to v0.14.0
//	added 2 modules that they require
func changeLines(changes []requirement.Change) (lines []string) {
	indirect := 0
	for _, c := range changes {
		if c.Note != "" {
			lines = append(lines, "warning: "+c.Note)
		}
		switch {
		case c.Old != "":
			lines = append(lines, fmt.Sprintf("changed %s %s to %s", c.Path, c.Old, c.New))
		case c.Direct:
			lines = append(lines, fmt.Sprintf("added %s %s", c.Path, c.New))
		default:
			indirect++
		}
	}
	switch {
	case indirect == 1:
		lines = append(lines, "added 1 module that it requires")
	case indirect > 1:
		lines = append(lines, fmt.Sprintf("added %d modules that they require", indirect))
	}
	return lines
}

// missing returns the import paths of a cell that have no package yet.
//
// A path that cannot be found is listed in each cell again: the package may exist by now.
func (l *library) missing(parsed *cell.Cell) (list []string) {
	for _, path := range imported(parsed) {
		// Package unsafe has neither source nor compiled symbols; the checker defines it.
		if path == "unsafe" || l.loader.Package(path) != nil {
			continue
		}
		if _, err := l.compiled(path); err != nil {
			list = append(list, path)
		}
	}
	return list
}

// imported returns the paths that a cell imports.
func imported(parsed *cell.Cell) (list []string) {
	if parsed == nil {
		return nil
	}
	for _, f := range []*ast.File{parsed.Declarations, parsed.Statements} {
		if f == nil {
			continue
		}
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	return list
}
