package main

import (
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gosphere/runtime/internal/packages"
)

// TestStandardLibraryHasNoNewNames compares the tables with the standard library of another release
// of Go. Its errors list what make symbols will add and remove.
func TestStandardLibraryHasNoNewNames(t *testing.T) {
	if os.Getenv("GOSPHERE_GENERATE") != "names" {
		t.Skip("set GOSPHERE_GENERATE=names to compare the tables with the standard library of the go command")
	}
	p := platforms[0]
	paths, err := selection{}.paths(p, committed)
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return !isStandard(path) })
	u, err := p.load(committed, paths)
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]bool{}
	o := &output{packages: map[string]*variants{}}
	segment := packages.Segment{GoVersion: "test"}
	for _, path := range u.divide(paths, nil, nil).compiled {
		if err := o.collect(u, path); err != nil {
			t.Fatal(err)
		}
		v := o.packages[path]
		segment.Packages = append(segment.Packages, packages.Package{Path: path, Name: v.name, Types: v.types[p], Docs: v.docs[p]})
	}
	archive, err := segment.Encode()
	if err != nil {
		t.Fatal(err)
	}
	addNames(t, now, open(t, archive))
	known := map[string]bool{}
	addNames(t, known, openCommitted(t, p))
	for _, difference := range namesThatDiffer(known, now) {
		t.Error(difference)
	}
}

func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && first != "gosphere"
}

// addNames adds the packages of the standard library in a store, and what they export: names,
// fields and methods.
func addNames(t *testing.T, names map[string]bool, store *packages.Store) {
	t.Helper()
	for _, path := range store.Paths() {
		if !isStandard(path) {
			continue
		}
		p, err := store.Import(path)
		if err != nil { // the format of type information may have changed
			t.Error(err)
			continue
		}
		names[path] = true
		for _, name := range p.Scope().Names() {
			if !token.IsExported(name) {
				continue
			}
			names[path+"."+name] = true
			if object, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
				for _, member := range exportedMembers(object.Type()) {
					names[path+"."+name+"."+member] = true
				}
			}
		}
	}
}

// exportedMembers returns the exported fields and methods of a type, those of embedded fields
// excluded.
func exportedMembers(t types.Type) (list []string) {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		for method := range named.Methods() {
			list = append(list, method.Name())
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for field := range t.Fields() {
			list = append(list, field.Name())
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			list = append(list, method.Name())
		}
	}
	return slices.DeleteFunc(list, func(name string) bool { return !token.IsExported(name) })
}

// namesThatDiffer lists new and missing names. The names of a new or missing package or type are
// left out.
func namesThatDiffer(known, now map[string]bool) (list []string) {
	within := func(name string, names map[string]bool) bool {
		for i := strings.LastIndexByte(name, '.'); i > 0; i = strings.LastIndexByte(name[:i], '.') {
			if !names[name[:i]] {
				return true
			}
		}
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !known[name] && !within(name, known) {
			list = append(list, "new: "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if !now[name] && !within(name, now) {
			list = append(list, "gone: "+name)
		}
	}
	return list
}

func TestNewAndMissingNamesAreListedOnce(t *testing.T) {
	set := func(names ...string) map[string]bool {
		m := map[string]bool{}
		for _, name := range names {
			m[name] = true
		}
		return m
	}
	known := set("a/b", "a/b.F", "a/b.T", "a/b.T.M", "old", "old.F")
	now := set("a/b", "a/b.F", "a/b.T", "a/b.T.N", "a/b.U", "a/b.U.M", "uuid", "uuid.New", "uuid.UUID", "uuid.UUID.String")
	want := []string{"new: a/b.T.N", "new: a/b.U", "new: uuid", "gone: a/b.T.M", "gone: old"}
	if got := namesThatDiffer(known, now); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
