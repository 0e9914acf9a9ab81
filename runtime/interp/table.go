package interp

import (
	"fmt"
	"reflect"
	"sync"
)

// A Table is the exported names of one package as static data, which the program extract generates.
// Each list has names and values in turn. Functions are themselves, Variables are pointers to
// variables, and Types nil pointers to types. Constants, generic functions and generic types are in
// the export data.
type Table struct {
	Path                        string
	Functions, Variables, Types []any
}

// Tables returns a library of generated tables and their export data. It panics for a list that has
// something else than names and values in turn.
func Tables(archive string, tables ...*Table) *Library {
	byPath := sync.OnceValue(func() map[string]map[string]reflect.Value {
		all := map[string]map[string]reflect.Value{}
		for _, t := range tables {
			exports := map[string]reflect.Value{}
			each(t.Functions, func(name string, v reflect.Value) { exports[name] = v })
			each(t.Types, func(name string, v reflect.Value) { exports[name] = v })
			each(t.Variables, func(name string, v reflect.Value) { exports[name] = v.Elem() })
			all[t.Path] = exports
		}
		return all
	})
	return NewLibrary(func(path, name string) (reflect.Value, bool) {
		v, ok := byPath()[path][name]
		return v, ok
	}, archive)
}

// each calls a function with the names and values of a list.
func each(list []any, add func(name string, v reflect.Value)) {
	if len(list)%2 != 0 {
		panic(fmt.Sprintf("interp: a table has %d names and values", len(list)))
	}
	for i := 0; i < len(list); i += 2 {
		add(list[i].(string), reflect.ValueOf(list[i+1]))
	}
}
