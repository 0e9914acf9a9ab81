package realtype

import (
	"reflect"
	"strings"
	"sync"
)

// leads tells whether values of a type may lead to interface values.
func (r *refresher) leads(t reflect.Type) bool {
	if known, ok := r.holds[t]; ok {
		return known
	}
	asked := map[reflect.Type]bool{}
	found := r.search(t, asked)
	if r.holds[t] = found; !found {
		for part := range asked { // nothing that it is made of does
			r.holds[part] = false
		}
	}
	return found
}

// search is leads for a type of which the types asked about are parts.
func (r *refresher) search(t reflect.Type, asked map[reflect.Type]bool) bool {
	if known, ok := r.holds[t]; ok || asked[t] {
		return known
	}
	asked[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return r.search(t.Elem(), asked)
	case reflect.Map:
		return r.search(t.Key(), asked) || r.search(t.Elem(), asked)
	case reflect.Struct:
		if elem := pointedTo(t); elem != nil {
			return r.search(elem, asked)
		}
		if special(t) {
			return true
		}
		for i := 0; i < t.NumField() && !closed(t); i++ {
			if r.search(t.Field(i).Type, asked) {
				return true
			}
		}
	}
	return false
}

// special tells whether what a struct holds cannot be told from its fields, though walkStruct
// knows it.
func special(t reflect.Type) bool {
	return t == reflect.TypeFor[sync.Map]() || t == reflect.TypeFor[sync.Pool]() || t == reflect.TypeFor[reflect.Value]()
}

// pointedTo is what an atomic.Pointer points to, nil for other types.
func pointedTo(t reflect.Type) reflect.Type {
	if t.PkgPath() != "sync/atomic" || !strings.HasPrefix(t.Name(), "Pointer[") {
		return nil
	}
	for i := range t.NumField() {
		if array := t.Field(i).Type; array.Kind() == reflect.Array && array.Elem().Kind() == reflect.Pointer {
			return array.Elem().Elem()
		}
	}
	return nil
}

// compiled tells whether a struct is not one of the cells' own.
func compiled(t reflect.Type) bool {
	_, forged := owners.Load(abiOf(t))
	return !forged && t.Name() != ""
}

// closedPackages are the packages, with those in their folders, whose structs are not entered:
// they describe memory of the runtime or outside of it, they hold the interpreter and the kernel
// themselves, or goroutines of their own use them without locks.
var closedPackages = []string{
	"runtime", "reflect", "unique", "weak", "iter", "testing", "net/http", "os/signal",
	"internal/abi", "internal/reflectlite", "internal/runtime", "internal/sync",
	"gosphere/kernel", "gosphere/runtime", "gosphere/command", "github.com/traefik/yaegi", "modernc.org",
}

func closed(t reflect.Type) bool {
	if !compiled(t) {
		return false
	}
	for _, p := range closedPackages {
		if rest, ok := strings.CutPrefix(t.PkgPath(), p); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// carriers are the packages whose structs hold values for others, so that these belong to the
// cells like those in variables.
var carriers = map[string]bool{
	"container/list": true, "container/ring": true, "context": true, "errors": true, "fmt": true, "sync": true, "sync/atomic": true,
}
