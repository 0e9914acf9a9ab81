package source

import (
	"context"
	"errors"
	"go/importer"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newLoader returns a loader for packages in folders below dir. Compiled packages of the standard
// library are available as well.
func newLoader(t *testing.T, files map[string]string) *Loader {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	standard := importer.Default()
	return New(func(path string) (*types.Package, error) {
		if strings.Contains(path, ".") {
			return nil, errors.New("not compiled")
		}
		return standard.Import(path)
	}, func(_ context.Context, path string) (Place, error) {
		return Place{Dir: filepath.Join(dir, filepath.FromSlash(path)), GoVersion: "go1.21"}, nil
	})
}

func TestFilesWithoutAssemblyAreChosen(t *testing.T) {
	l := newLoader(t, map[string]string{
		"a.b/c/asm.go":        "//go:build !purego\n\npackage c\nfunc Sum() int",
		"a.b/c/pure.go":       "//go:build purego\n\npackage c\nfunc Sum() int { return 1 }",
		"a.b/c/c_plan9.go":    "package c\nvar Plan9 int",
		"a.b/c/c_test.go":     "package c\nvar Test int",
		"a.b/broken/tag.go":   "//go:build appengine\n\npackage broken\nvar X = undefined",
		"a.b/broken/plain.go": "package broken\nvar Y = 1",
	})
	if err := l.Load(t.Context(), []string{"a.b/c", "a.b/broken"}); err != nil {
		t.Fatal(err)
	}
	p := l.Package("a.b/c")
	if f := p.Function("Sum"); f == nil || f.Body == nil || p.Types.Scope().Lookup("Plan9") != nil || p.Types.Scope().Lookup("Test") != nil {
		t.Errorf("the names are %v", p.Types.Scope().Names())
	}
	if names := l.Package("a.b/broken").Types.Scope().Names(); strings.Join(names, " ") != "Y" {
		t.Errorf("a package that does not compile with the tags has %v", names)
	}
}

func TestErrorsNameTheWayToThePackage(t *testing.T) {
	l := newLoader(t, map[string]string{
		"a.b/top/t.go": "package top\nimport _ \"a.b/mid\"", "a.b/mid/m.go": "package mid\nimport _ \"a.b/low\"", "a.b/low/l.go": "package low\nvar X int = \"\"",
		"a.b/x/internal/y/y.go": "package y", "a.b/z/z.go": "package z\nimport _ \"a.b/x/internal/y\"",
	})
	for path, want := range map[string]string{
		"a.b/top": "package a.b/low does not compile: a.b/low/l.go:2:13: cannot use \"\" (untyped string constant) as int value in variable declaration; imported by a.b/mid, by a.b/top",
		"a.b/z":   "use of internal package a.b/x/internal/y is not allowed; imported by a.b/z",
	} {
		if err := l.Load(t.Context(), []string{path}); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", path, err, want)
		}
		if l.Package(path) != nil || l.Failure(path) == nil {
			t.Errorf("%s is there after an error", path)
		}
	}
	if l.Package("a.b/low") != nil {
		t.Error("a part of what failed is there")
	}
}

func TestEditedPackagesAreReadAgain(t *testing.T) {
	l := newLoader(t, map[string]string{"a.b/u/u.go": "package u\nimport \"a.b/v\"\nvar U = v.V", "a.b/v/v.go": "package v\nvar V = 1", "a.b/w/w.go": "package w"})
	if err := l.Load(t.Context(), []string{"a.b/u", "a.b/w"}); err != nil {
		t.Fatal(err)
	}
	var dropped []string
	for _, p := range l.Drop(func(p *Package) bool { return p.Types.Path() == "a.b/v" }) {
		dropped = append(dropped, p.Types.Path())
	}
	if strings.Join(dropped, " ") != "a.b/u a.b/v" || l.Package("a.b/w") == nil {
		t.Errorf("dropped are %v", dropped)
	}
	if err := l.Load(t.Context(), []string{"a.b/u"}); err != nil || len(l.Package("a.b/u").Imports) != 1 {
		t.Error(err)
	}
}

func TestLanguageVersionsDecideAboutLoops(t *testing.T) {
	for version, want := range map[string]bool{"go1.21": true, "go1.22": false, "go1.9": true, "go1.30.1": false, "go1": true, "": false} {
		if got := olderThan(version, 22); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}
