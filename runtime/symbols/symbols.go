// Package symbols holds the generated tables of the preloaded packages: the values
// that cells work with, and the archive of type information and
// documentation that package packages reads.
//
// The packages are listed in generate/list.go, and nowhere else. What a table lacks
// although the package exports it is listed with reasons in exceptions.txt. Nothing
// but the program itself imports this package; it links everything a cell may call.
//
//	f, ok := symbols.Find("strings", "ToUpper")
//	store, err := packages.Open(symbols.Archives()...)
package symbols

//go:generate go run ./generate

import (
	_ "embed"
	"maps"
	"reflect"
	"slices"
	"sync"
)

//go:embed archive/shared.bin
var sharedArchive string

//go:embed archive/source.zip
var sourceArchive string

// Source returns the archive of the packages that run from source, in the form of package source:
// preloaded packages with generic functions, and those of modules that were added to the program.
func Source() string { return sourceArchive }

// Archives returns the archives of package packages for the platform of this build. They are
// strings, so that only the parts that a session reads are loaded into memory.
func Archives() []string { return []string{sharedArchive, platformArchive} }

// A table is one package as static data. Its map is filled at the first use: filling all at start
// would cost every run of the program milliseconds.
type table struct {
	path, name string
	values     []symbol // functions, and constants of types that are not exported
	variables  []symbol // pointers to them
	types      []symbol // nil pointers to them

	once    sync.Once
	exports map[string]reflect.Value // by name, once the package is used
}

type symbol struct {
	name  string
	value any
}

// byPath finds the tables.
var byPath = sync.OnceValue(func() map[string]*table {
	all := make(map[string]*table, len(tables)+len(platformTables))
	for _, list := range [][]*table{tables, platformTables} {
		for _, t := range list {
			all[t.path] = t
		}
	}
	return all
})

// Find returns what the package with an import path exports under a name: a function as it is, an
// addressable variable, a nil pointer to a type; false if it is not in the tables, as constants are
// not. Functions are the real ones throughout, os.Exit too; replacing some is left to package
// guard.
func Find(path, name string) (reflect.Value, bool) {
	t := byPath()[path]
	if t == nil {
		return reflect.Value{}, false
	}
	t.once.Do(func() { t.exports = t.fill() })
	v, ok := t.exports[name]
	return v, ok
}

// Paths returns the import paths of the packages that have tables.
func Paths() []string { return slices.Sorted(maps.Keys(byPath())) }

// Each calls a function with everything in the tables. Only tests need all of it.
func Each(yield func(path, name string, v reflect.Value)) {
	for path, t := range byPath() {
		for name, v := range t.fill() {
			yield(path, name, v)
		}
	}
}

// fill makes the map of a table.
func (t *table) fill() map[string]reflect.Value {
	exports := make(map[string]reflect.Value, len(t.values)+len(t.variables)+len(t.types))
	for _, list := range [][]symbol{t.values, t.types} {
		for _, s := range list {
			exports[s.name] = reflect.ValueOf(s.value)
		}
	}
	for _, s := range t.variables {
		exports[s.name] = reflect.ValueOf(s.value).Elem()
	}
	return exports
}
