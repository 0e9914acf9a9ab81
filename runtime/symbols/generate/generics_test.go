package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// universeOf checks packages of one file each, which are listed after their imports.
func universeOf(t *testing.T, list ...[2]string) *universe {
	t.Helper()
	u := &universe{fset: token.NewFileSet(), packages: map[string]*loaded{}, sources: map[string]*source{}}
	for _, p := range list {
		path, text := p[0], p[1]
		file, err := parser.ParseFile(u.fset, path+".go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := &source{ImportPath: path, Name: file.Name.Name, Standard: !strings.Contains(path, ".")}
		for _, i := range file.Imports {
			s.Imports = append(s.Imports, strings.Trim(i.Path.Value, `"`))
		}
		u.sources[path] = s
		config := types.Config{Importer: importer{u, s}, IgnoreFuncBodies: true}
		pkg, err := config.Check(path, u.fset, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		u.packages[path] = &loaded{types: pkg, variables: hasVariables(pkg, []*ast.File{file})}
	}
	return u
}

func TestGenericPackagesAndWhatSharesTheirStateRunFromSource(t *testing.T) {
	list := [][2]string{
		{"std", "package std"},
		{"p.x/kept", "package kept\nfunc Map[T any](t T) {}"},
		{"p.x/preloaded", "package preloaded\nimport _ \"p.x/kept\""},
		{"a.b/plain", "package plain\nfunc F() {}"},
		{"a.b/internal/low", "package low\nimport _ \"std\"\nvar State int"},
		{"a.b/list", "package list\nimport (_ \"a.b/internal/low\"; _ \"a.b/plain\"; _ \"std\")\ntype Of[T any] struct{ Items []T }"},
		{"a.b/hidden", "package hidden\ntype of[T any] struct{ Item T }\nfunc F() int { return of[int]{}.Item }"},
		{"a.b/shares", "package shares\nimport \"a.b/list\"\nfunc Numbers() list.Of[int] { return list.Of[int]{} }"},
		{"a.b/uses", "package uses\nimport \"a.b/list\"\nfunc Sum() int { return len(list.Of[int]{}.Items) }"},
		{"a.b/lowly", "package lowly\nimport \"a.b/internal/low\"\nfunc State() int { return low.State }"},
		{"a.b/above", "package above\nimport \"a.b/shares\"\nfunc N() int { return len(shares.Numbers().Items) }"},
	}
	added := []string{"p.x/kept", "a.b/list", "a.b/hidden", "a.b/shares", "a.b/uses", "a.b/lowly", "a.b/above"}
	d := universeOf(t, list...).divide([]string{"std", "p.x/preloaded"}, added, nil)
	if got, want := slices.Sorted(maps.Keys(d.fromSource)), []string{"a.b/internal/low", "a.b/list", "a.b/lowly", "a.b/shares"}; !slices.Equal(got, want) {
		t.Errorf("from source are %q, want %q", got, want)
	}
	if want := []string{"a.b/above", "a.b/hidden", "a.b/plain", "a.b/uses", "p.x/kept", "p.x/preloaded", "std"}; !slices.Equal(d.compiled, want) {
		t.Errorf("compiled are %q, want %q", d.compiled, want)
	}
}

func TestPackagesInAssemblyAndWhatTheyShareStayCompiled(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte("package p\nfunc F()\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f.s"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	u := universeOf(t,
		[2]string{"a.b/internal/asm", "package asm\nfunc F()"},
		[2]string{"a.b/over", "package over\nimport _ \"a.b/internal/asm\"\nfunc Map[T any](t T) {}"},
		[2]string{"a.b/given", "package given\ntype Of[T any] struct{ Item T }"},
		[2]string{"a.b/fast", "package fast\nimport \"a.b/given\"\nfunc F() given.Of[int]"},
		[2]string{"a.b/free", "package free\nimport _ \"a.b/fast\"\ntype Of[T any] struct{ Item T }"},
	)
	u.sources["a.b/internal/asm"].Dir, u.sources["a.b/fast"].Dir = dir, dir
	d := u.divide(nil, []string{"a.b/over", "a.b/given", "a.b/fast", "a.b/free"}, nil)
	if got, want := slices.Sorted(maps.Keys(d.fromSource)), []string{"a.b/free"}; !slices.Equal(got, want) {
		t.Errorf("from source are %q, want %q", got, want)
	}
	if want := []string{"a.b/fast", "a.b/given", "a.b/over"}; !slices.Equal(d.compiled, want) {
		t.Errorf("compiled are %q, want %q", d.compiled, want)
	}
}

// What always runs from source does so although a preloaded package imports it, and although it has
// no type parameters.
func TestSomePackagesAlwaysRunFromSource(t *testing.T) {
	d := universeOf(t,
		[2]string{"std", "package std"},
		[2]string{"p.x/limits", "package limits\ntype Signed interface { ~int }"},
		[2]string{"p.x/maps", "package maps\nimport \"p.x/limits\"\nfunc Keys[K limits.Signed, V any](m map[K]V) []K { return nil }"},
		[2]string{"p.x/preloaded", "package preloaded\nimport (_ \"std\"; \"p.x/limits\"; _ \"p.x/maps\")\nfunc F[T limits.Signed](t T) {}"},
	).divide([]string{"std", "p.x/preloaded"}, nil, []string{"p.x/limits", "p.x/maps"})
	if got, want := slices.Sorted(maps.Keys(d.fromSource)), []string{"p.x/limits", "p.x/maps"}; !slices.Equal(got, want) {
		t.Errorf("from source are %q, want %q", got, want)
	}
	if want := []string{"p.x/preloaded", "std"}; !slices.Equal(d.compiled, want) {
		t.Errorf("compiled are %q, want %q", d.compiled, want)
	}
}
