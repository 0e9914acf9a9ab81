package source

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gosphere/internal/userfile"
)

// A Place is the location of a package. A package may have two paths if a folder of the main module
// is imported relatively, as in "./helpers". Both must lead to one package, or its types would
// exist twice.
type Place struct {
	// Path is another import path of the package that is to be used instead of the requested one,
	// or "".
	Path string
	Dir  string
	// Tree holds the files of a package that is in no folder. Dir is then "".
	Tree      fs.FS
	GoVersion string // language version of the module, such as "go1.21"
	// Local reports whether the package belongs to the module of the folder in which cells run.
	Local bool
	// Files are the files of a package that is made from File, such as a notebook. They replace the
	// files of the folder.
	Files []File
	File  string
}

// tree returns the files of the package.
func (p Place) tree() fs.FS {
	if p.Tree != nil {
		return p.Tree
	}
	return userfile.DirFS(p.Dir)
}

// A File is the text of a file that is not on disk.
type File struct{ Name, Text string }

// A Find returns the location of the package with an import path. It may download the module. A nil
// error means that the folder exists.
type Find func(ctx context.Context, path string) (Place, error)

// A Loader holds the packages that a session has loaded. Its methods may be called from any
// goroutine. mu is held during a whole load, which may wait for the network. known is held only for
// look-ups, so completion and Failure do not wait for a load.
type Loader struct {
	compiled func(path string) (*types.Package, error)
	find     Find

	mu     sync.Mutex // held while packages are loaded
	fset   *token.FileSet
	known  sync.RWMutex // guards loaded and failed
	loaded map[string]*Package
	failed map[string]error  // error of the last attempt to load each path
	others map[string]string // maps import paths to the other path of the same package

	every *sync.Map // *types.Package to *Package, including dropped packages, whose code may still run
}

// New returns a loader. compiled returns packages that need no source; they take precedence. A
// package with a compiled form is never read from source: its types would differ from those that
// other compiled packages use.
func New(compiled func(path string) (*types.Package, error), find Find) *Loader {
	return &Loader{compiled: compiled, find: find, fset: token.NewFileSet(), loaded: map[string]*Package{}, failed: map[string]error{}, others: map[string]string{}, every: new(sync.Map)}
}

// Package returns a loaded package, or nil.
func (l *Loader) Package(path string) *Package {
	l.known.RLock()
	defer l.known.RUnlock()
	if p := l.loaded[path]; p != nil {
		return p
	}
	return l.loaded[l.others[path]]
}

// Paths returns the import paths of the loaded packages.
func (l *Loader) Paths() []string {
	l.known.RLock()
	defer l.known.RUnlock()
	return slices.Sorted(maps.Keys(l.loaded))
}

// Failure returns the reason why a path could not be loaded, or nil.
func (l *Loader) Failure(path string) error {
	l.known.RLock()
	defer l.known.RUnlock()
	return l.failed[path]
}

// Forget drops all packages. The field every keeps them, like dropped packages.
func (l *Loader) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known.Lock()
	defer l.known.Unlock()
	clear(l.loaded)
	clear(l.failed)
}

// Drop drops the selected packages and all packages that import them, so that they are read again.
// It returns them sorted by path. Code that already uses them continues to do so.
func (l *Loader) Drop(selected func(p *Package) bool) []*Package {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known.Lock()
	defer l.known.Unlock()
	return l.drop(selected)
}

// drop implements Drop. The caller holds the locks. Packages that import a dropped one refer to its
// types, so they must be checked again as well. The loop ends when no package was added.
func (l *Loader) drop(selected func(p *Package) bool) []*Package {
	var dropped []*Package
	gone := map[*Package]bool{}
	for grown := true; grown; {
		grown = false
		// The map has no order, so a package may be seen before one that it imports: hence several
		// rounds.
		for path, p := range l.loaded {
			if selected(p) || slices.ContainsFunc(p.Imports, func(i *Package) bool { return gone[i] }) {
				gone[p], grown = true, true
				dropped = append(dropped, p)
				delete(l.loaded, path)
			}
		}
	}
	slices.SortFunc(dropped, func(a, b *Package) int { return strings.Compare(a.Types.Path(), b.Types.Path()) })
	return dropped
}

// Restore makes dropped packages available again. A cell that fails to compile with the new files
// is undone with it.
func (l *Loader) Restore(list []*Package) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known.Lock()
	defer l.known.Unlock()
	l.keep(list)
}

// Load loads packages and all their imports. It returns the first error; Failure returns the error
// for each path. A failure of one path does not prevent the others from loading.
func (l *Loader) Load(ctx context.Context, paths []string) (first error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, path := range paths {
		if err := l.load(ctx, path); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// load loads one path and records the error for Failure. A failure is kept, because go/types asks
// for the package later and has only the path.
func (l *Loader) load(ctx context.Context, path string) error {
	if _, err := l.compiledOrLoaded(path); err == nil {
		return nil
	}
	in := &loading{Loader: l, ctx: ctx}
	_, err := in.load(path, "")
	l.known.Lock()
	defer l.known.Unlock()
	if err != nil {
		l.failed[path] = err
		return err
	}
	delete(l.failed, path)
	l.keep(in.fresh)
	return nil
}

// keep makes packages available. The caller holds l.known.
func (l *Loader) keep(list []*Package) {
	for _, p := range list {
		l.loaded[p.Types.Path()] = p
		l.every.Store(p.Types, p)
	}
}

// Of returns the package for its type-checked form, or nil for compiled packages. It also finds
// dropped packages.
func (l *Loader) Of(pkg *types.Package) *Package {
	p, _ := l.every.Load(pkg)
	found, _ := p.(*Package)
	return found
}

// compiledOrLoaded returns a package that needs no loading, or an error.
func (l *Loader) compiledOrLoaded(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := l.Package(path); p != nil {
		return p.Types, nil
	}
	return l.compiled(path)
}

// A loading is one call of Load for one path. Its packages become available only when all of them
// are complete. Packages that were loaded completely, before a later import fails, are discarded
// with it; they are cheap to check again and would otherwise be initialized without being used.
type loading struct {
	*Loader
	ctx   context.Context
	fresh []*Package
	stack []string // import paths in progress

	program string   // path of a package main
	files   []string // files of the program; nil for all
	tested  string   // path of the package that is read with its test files
}

// load loads one package on behalf of an importing package, or of cells if importer is "". The
// stack detects cycles before they recurse. go/types could not: it sees one package at a time.
func (l *loading) load(path, importer string) (*types.Package, error) {
	// Packages of this load are not in loaded yet.
	for _, p := range l.fresh {
		if p.Types.Path() == path {
			return p.Types, nil
		}
	}
	if p, err := l.compiledOrLoaded(path); err == nil {
		return p, nil
	}
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	if slices.Contains(l.stack, path) {
		return nil, fmt.Errorf("import cycle: %s", strings.Join(append(l.stack, path), " imports "))
	}
	place, err := l.find(l.ctx, path)
	if err != nil {
		return nil, err
	}
	// An external test may import internal packages like the package that it tests.
	if l.tested != "" {
		importer = strings.TrimSuffix(importer, externalSuffix)
	}
	if place.Path != "" && place.Path != path {
		p, err := l.load(place.Path, importer)
		if err == nil {
			l.known.Lock()
			defer l.known.Unlock()
			l.others[path] = place.Path
		}
		return p, err
	}
	if !mayImport(path, importer, place.Local) {
		return nil, fmt.Errorf("use of internal package %s is not allowed", path)
	}
	l.stack = append(l.stack, path)
	defer func() { l.stack = l.stack[:len(l.stack)-1] }()
	p, err := l.read(path, place)
	if err != nil {
		return nil, err
	}
	l.fresh = append(l.fresh, p)
	return p.Types, nil
}

// mayImport reports whether a package may import another, by Go's rule for paths with the element
// internal: the importer must be below the parent of that element. For instance a/b/internal/c may
// be imported by a/b and a/b/d, but not by a/e. The last element internal decides, because it is
// the strictest. Cells, whose importer is "", may import the internal packages of their own module.
func mayImport(path, importer string, local bool) bool {
	elements := strings.Split(path, "/")
	i := -1
	for at, element := range elements {
		if element == "internal" {
			i = at
		}
	}
	if i < 0 || importer == "" && local {
		return true
	}
	parent := strings.Join(elements[:i], "/")
	return importer == parent || strings.HasPrefix(importer, parent+"/")
}

// read parses and checks the package in a folder. It first uses tags that exclude assembly, and
// then no tags if the package does not compile with them. The tags are conventions of modules:
// purego and noasm select files in Go where others contain assembly, which cannot be run from
// source.
func (l *loading) read(path string, place Place) (*Package, error) {
	p, err := l.readWith(path, place, tags)
	var broken *compileError
	if errors.As(err, &broken) && broken.path == path {
		// The error of the first attempt is reported, since its files are those that should be
		// used.
		if plain, plainErr := l.readWith(path, place, nil); plainErr == nil {
			return plain, nil
		}
	}
	return p, err
}

// A compileError reports that a package does not compile. Its type lets read distinguish an error
// of the package itself from one of an imported package, which other tags would not avoid.
type compileError struct {
	path string
	list []error // in the order in which they were found; at least one
}

// Error returns the package and its first error.
func (e *compileError) Error() string {
	return fmt.Sprintf("package %s does not compile: %v", e.path, e.list[0])
}

// An importError is an error in a package that other packages import.
type importError struct {
	reason    error
	importers []string // the direct importer first
}

// Error returns the reason and the chain of imports. For instance "package a/c does not compile:
// ...; imported by a/b, by a".
func (e *importError) Error() string {
	var unknown interface{ Missing() string }
	if errors.As(e.reason, &unknown) && unknown.Missing() != "" {
		return fmt.Sprintf("no required module provides %s; imported by %s", unknown.Missing(), strings.Join(e.importers, ", by "))
	}
	return fmt.Sprintf("%v; imported by %s", e.reason, strings.Join(e.importers, ", by "))
}

// Unwrap returns the reason.
func (e *importError) Unwrap() error { return e.reason }

// importedBy adds an importing package to an error. It adds one importer at each level, so the
// message lists the whole chain.
func importedBy(importer string, err error) error {
	var nested *importError
	if errors.As(err, &nested) {
		return &importError{nested.reason, append(slices.Clone(nested.importers), importer)}
	}
	return &importError{err, []string{importer}}
}

// readWith parses and checks the package in a folder with build tags. It takes the stamps of the
// files before it reads them, so that an edit in between counts as a change. It loads the imports
// before it checks the package, since go/types wants them complete. The first error is reported:
// later ones often follow from it.
func (l *loading) readWith(path string, place Place, tags []string) (*Package, error) {
	p := &Package{Fset: l.fset, Dir: place.Dir, Local: place.Local, functions: map[string]*ast.FuncDecl{}, linked: map[string]string{}, goVersions: map[*ast.File]string{}}
	var only []string
	if path == l.program {
		only = l.files
	}
	p.program, p.file = path == l.program, place.File
	before := p.stampsNow()
	chosen := selection{tags: tags, only: only, program: path == l.program}
	if l.tested != "" {
		chosen.tests = testsOf(l.tested, path)
	}
	if err := p.parseAll(path, place, chosen); err != nil {
		return nil, err
	}
	imports, err := l.imports(p, path)
	if err != nil {
		return nil, err
	}
	var lists []*List
	if !p.IsOfCells() { // whose files are written again by an export
		lists = takeLists(p.Files)
	}
	var mistakes []error
	config := types.Config{
		Importer: imports, Sizes: types.SizesFor("gc", runtime.GOARCH), GoVersion: place.GoVersion,
		Error: func(err error) {
			if mistake := (types.Error{}); place.File == "" || !errors.As(err, &mistake) || !mistake.Soft {
				mistakes = append(mistakes, err) // cells may have unused imports
			}
		},
	}
	check := func() *types.Info {
		p.Info, mistakes = newInfo(), nil
		p.Types, _ = config.Check(path, l.fset, p.Files, p.Info) // the errors have gone to config.Error
		return p.Info
	}
	if place.File == "" {
		check()
	} else {
		checkCells(p.Files, check)
	}
	if len(mistakes) > 0 {
		if place.File != "" && strings.Contains(mistakes[0].Error(), "undefined: ") {
			mistakes[0] = fmt.Errorf("%w; statements of cells are not run, and declare nothing for packages", mistakes[0])
		}
		return nil, &compileError{path, mistakes}
	}
	if p.program || l.program != "" && place.Local && place.File == "" {
		if mistakes := p.compilerErrors(place.tree(), only); mistakes != nil {
			return nil, &compileError{path, mistakes}
		}
	}
	for f, v := range p.Info.FileVersions {
		p.goVersions[f] = v
	}
	p.lists = map[*types.Var]*List{}
	for _, f := range p.Files {
		dropInner(f)
	}
	for _, list := range lists {
		p.lists[p.Info.Defs[list.name].(*types.Var)] = list
	}
	// Embedded variables need the objects that the check has made.
	if err := p.collect(place.tree()); err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	p.stamps = before
	if len(p.Embeds) > 0 {
		p.stamps = p.stampsNow()
	}
	return p, nil
}

// newInfo returns maps for the results of a check.
func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}, Implicits: map[ast.Node]types.Object{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
}

// A table provides the imports of one package to go/types. go/types may only see the imports of
// this package, not every package that is loaded.
type table map[string]*types.Package

func (t table) Import(path string) (*types.Package, error) {
	if p := t[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not loaded")
}

// imports loads the imports of a package's files. The table has the paths as they are written,
// including relative ones, because go/types asks for these.
func (l *loading) imports(p *Package, importer string) (table, error) {
	found := table{}
	var paths []string
	var missing []Mistake // of a program
	for _, f := range p.Files {
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			if _, ok := found[path]; ok {
				continue
			}
			if importer == l.program {
				if text := refusedPath(path); text != "" {
					missing = append(missing, Mistake{p.Fset.Position(spec.Pos()), text})
					continue
				}
			}
			imported, err := l.load(relativeTo(importer, path), importer)
			if err != nil && importer == l.program && l.ctx.Err() == nil {
				missing = append(missing, p.missingImport(spec, path, err))
				continue
			}
			if err != nil {
				return nil, importedBy(importer, err)
			}
			found[path] = imported
			paths = append(paths, relativeTo(importer, path))
		}
	}
	if missing != nil {
		return nil, &ProgramError{Mistakes: missing, Imports: true}
	}
	// Packages are initialized in the order of Imports. Since Go 1.21 that is the order of import
	// paths.
	slices.Sort(paths)
	for _, path := range paths {
		if from := l.ofSource(path); from != nil {
			p.Imports = append(p.Imports, from)
		}
	}
	return found, nil
}

// relativeTo returns the import path of a folder relative to the importing folder. Other paths are
// returned unchanged. For instance "./b" in a/x is a/x/b, and in the notebook a/x.ipynb it is a/b.
// The result keeps the leading "./" that path.Join removes, which marks a path in the folder of the
// cells.
func relativeTo(importer, imported string) string {
	if !strings.HasPrefix(imported, "./") && !strings.HasPrefix(imported, "../") {
		return imported
	}
	if IsCells(importer) {
		importer = path.Dir(importer)
	}
	joined := path.Join(importer, imported)
	if strings.HasPrefix(joined, "../") || !strings.HasPrefix(importer, ".") {
		return joined
	}
	return "./" + joined
}

// ofSource returns a package from source, or nil for compiled packages.
func (l *loading) ofSource(path string) *Package {
	for _, p := range l.fresh {
		if p.Types.Path() == path {
			return p
		}
	}
	return l.Package(path)
}
