package interp

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	archive "gosphere/runtime/internal/packages"
)

// A Source provides packages to a session: Exports, a Library, or the result of Values.
type Source interface{ addTo(*packages) error }

// Exports are packages as maps of values, by "PATH/NAME" of a package and the exported name. It is
// the type of yaegi's interp.Exports, to which tables made by `yaegi extract` belong:
//
//	err := s.Use(interp.Exports(stdlib.Symbols))
//
// A function is a func value, a variable an addressable value, a type a nil pointer to it, and an
// untyped constant a value of type constant.Value. Other values of basic types are typed constants.
// Names that begin with an underscore, which yaegi uses for wrappers of interfaces, are ignored.
type Exports map[string]map[string]reflect.Value

// addTo adds all packages, and reports all errors.
func (e Exports) addTo(p *packages) error {
	var all []error
	for _, key := range slices.Sorted(maps.Keys(e)) {
		at, name := path.Dir(key), path.Base(key)
		if at == "." {
			all = append(all, fmt.Errorf("exports %q: want PATH/NAME, such as %s/%s", key, key, key))
			continue
		}
		if at == "." || len(e[key]) == 0 || strings.HasPrefix(at, "github.com/traefik/yaegi") {
			continue // yaegi's tables describe the interpreter and themselves
		}
		all = append(all, p.add(at, name, e[key]))
	}
	return errors.Join(all...)
}

// Values makes a package of values, in the form of Exports. Parameters have no names, and generic
// functions cannot be given this way. The name of the package is the last element of its path.
func Values(path string, exports map[string]reflect.Value) Source { return values{path, exports} }

type values struct {
	path    string
	exports map[string]reflect.Value
}

func (v values) addTo(p *packages) error { return p.add(v.path, "", v.exports) }

// A Library has packages with their export data, as the program extract makes them. A session has
// those of its packages that it selects.
type Library struct {
	find     func(path, name string) (reflect.Value, bool)
	data     *exportData
	store    *archive.Store  // of data alone; nil until a session uses the library
	selected map[string]bool // nil for all
}

// exportData are the archives of a library and of those that Only and Without make of it.
type exportData struct {
	archives []string
	open     func() (*archive.Store, error)
	joined   sync.Map // by the addresses of others: a *joinedData with these
}

func newExportData(archives []string) *exportData {
	return &exportData{archives: archives, open: sync.OnceValues(func() (*archive.Store, error) { return archive.Open(archives...) })}
}

// storeWith returns a store of all data. A type of a package that several mention is one type. All
// sessions with the same libraries share the store, which decodes each package once.
func storeWith(list []*exportData) (*archive.Store, error) {
	if len(list) == 1 {
		return list[0].open()
	}
	archives, others := slices.Clone(list[0].archives), ""
	for _, d := range list[1:] {
		archives = append(archives, d.archives...)
		others += fmt.Sprintf("%p ", d)
	}
	joined, _ := list[0].joined.LoadOrStore(others, &joinedData{list, newExportData(archives)})
	return joined.(*joinedData).open()
}

// joinedData are the export data of several libraries, which keep their addresses while it is
// there.
type joinedData struct {
	list []*exportData
	*exportData
}

// NewLibrary returns a library of generated tables. find returns the value of a name, and archives
// are the export data. Generated code calls it.
func NewLibrary(find func(path, name string) (reflect.Value, bool), archives ...string) *Library {
	return &Library{find: find, data: newExportData(archives)}
}

// Only returns the library with some of its packages. Types of the others remain, where these
// mention them.
func (l *Library) Only(paths ...string) *Library {
	only := *l
	only.selected = map[string]bool{}
	for _, path := range paths {
		only.selected[path] = l.selected == nil || l.selected[path]
	}
	return &only
}

// Without returns the library without some of its packages. A path that ends with /... stands for
// all packages below it.
func (l *Library) Without(paths ...string) (*Library, error) {
	store, err := l.data.open()
	if err != nil {
		return nil, err
	}
	var rest []string
	for _, known := range store.Paths() {
		if l.selected != nil && !l.selected[known] {
			continue
		}
		if !slices.ContainsFunc(paths, func(p string) bool {
			below, all := strings.CutSuffix(p, "/...")
			return known == p || all && (known == below || strings.HasPrefix(known, below+"/"))
		}) {
			rest = append(rest, known)
		}
	}
	return l.Only(rest...), nil
}

// Paths returns the import paths of the library's packages, sorted.
func (l *Library) Paths() ([]string, error) {
	store, err := l.data.open()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(store.Paths()), func(path string) bool { return l.selected != nil && !l.selected[path] }), nil
}

func (l *Library) addTo(p *packages) error {
	store, err := l.data.open()
	if err != nil {
		return fmt.Errorf("reading export data: %w", err)
	}
	for path := range l.selected {
		if !slices.Contains(store.Paths(), path) {
			return fmt.Errorf("the library has no package %s", path)
		}
	}
	own := *l
	own.store = store
	p.mu.Lock()
	defer p.mu.Unlock()
	p.libraries = append(p.libraries, &own)
	return nil
}

// has reports whether the library has the export data of a package.
func (l *Library) has(path string) bool { return slices.Contains(l.store.Paths(), path) }

// permits reports whether a session may import a package.
func (l *Library) permits(path string) bool {
	if l.selected != nil {
		return l.selected[path]
	}
	return l.has(path)
}
