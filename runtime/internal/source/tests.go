package source

import (
	"context"
	"errors"
	"go/ast"
	"maps"
	"strings"
)

// A Test is a package together with its test files. The two packages are for one run only and are
// never imported by cells.
type Test struct {
	Package  *Package // including test files in the same package
	External *Package // the package with the suffix _test; may be nil
}

var errNoTests = errors.New("no test files")

// LoadTest loads a package with its test files, and reloads the packages that import it for the
// external tests. The packages of the loader do not change. It uses a loader of its own that begins
// with the loaded packages except the tested one, those that import it, and edited ones. So the
// external tests, and all packages between them and the tested package, see the form with the test
// files.
func (l *Loader) LoadTest(ctx context.Context, path string) (*Test, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	place, err := l.find(ctx, path)
	if err != nil {
		return nil, err
	}
	if place.Path != "" {
		path = place.Path
	}
	apart := &Loader{compiled: l.compiled, find: l.find, fset: l.fset, failed: map[string]error{}, every: l.every}
	l.known.RLock()
	apart.loaded, apart.others = maps.Clone(l.loaded), maps.Clone(l.others)
	l.known.RUnlock()
	apart.drop(func(p *Package) bool { return p.Types.Path() == path || p.Changed() != "" })
	// The stack begins with the tested package, so that one of its imports that imports it is a
	// cycle.
	in := &loading{Loader: apart, ctx: ctx, tested: path, stack: []string{path}}
	p, err := in.read(path, place)
	if err != nil {
		return nil, err
	}
	t := &Test{Package: p}
	// For external tests that is no cycle.
	in.fresh, in.stack = append(in.fresh, p), nil
	switch outside, err := in.read(path+externalSuffix, place); {
	case err == nil:
		t.External = outside
		in.fresh = append(in.fresh, outside)
	case !errors.Is(err, errNoTests):
		return nil, err
	}
	for _, p := range in.fresh {
		l.every.Store(p.Types, p)
	}
	return t, nil
}

// externalSuffix ends the name of a package of external tests, such as p_test, and here its import
// path as well.
const externalSuffix = "_test"

// testsOf returns the test files to include in a package while the tests of another package are
// loaded.
func testsOf(tested, path string) testFiles {
	switch path {
	case tested:
		return inside
	case tested + externalSuffix:
		return external
	}
	return noTests
}

// isTest reports whether the name of a file is that of a test file.
func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// has reports whether a file belongs to the selection.
func (t testFiles) has(file, pkg string) bool {
	outside := isTest(file) && strings.HasSuffix(pkg, externalSuffix)
	return t == noTests || outside == (t == external)
}

// TestFiles returns the test files of the package.
func (p *Package) TestFiles() (list []*ast.File) {
	for _, f := range p.Files {
		if isTest(p.Fset.Position(f.FileStart).Filename) {
			list = append(list, f)
		}
	}
	return list
}
