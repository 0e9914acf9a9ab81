// Package symbols holds the generated tables of the preloaded packages: the values
// that the interpreter works with, and the archive of type information and
// documentation that package packages reads.
//
// The packages are listed in generate/list.go, and nowhere else. What a table lacks
// although the package exports it is listed with reasons in exceptions.txt. Nothing
// but the program itself imports this package; it links everything a cell may call.
//
//	interpreter.Use(symbols.Tables())
//	store, err := packages.Open(symbols.Archive())
package symbols

//go:generate go run ./generate

import (
	_ "embed"
	"go/constant"
	"go/token"
	"reflect"

	"github.com/traefik/yaegi/stdlib/unsafe"
)

//go:embed archive/shared.bin
var sharedArchive string

// Archive returns the archive of package packages for the platform of this build.
func Archive() []byte {
	whole := make([]byte, 0, len(sharedArchive)+len(platformArchive)) // at once: every start of the program pays for it
	return append(append(whole, sharedArchive...), platformArchive...)
}

// A table is one package as static data. Filling maps at start would cost every run
// of the program milliseconds, also those that never start an interpreter.
type table struct {
	path, name string
	values     []symbol // functions and typed constants
	variables  []symbol // pointers to them
	types      []symbol // nil pointers to them
	constants  []symbol // untyped: int64, integer, float or string
}

type symbol struct {
	name  string
	value any
}

// integer and float are untyped constants as Go literals, exact beyond the reach of any type.
type (
	integer string
	float   string
)

// Tables returns the values of all packages in the form of yaegi's interp.Exports:
// by "path/name" and then by exported name. The maps are new at each call. Functions
// are the real ones throughout, os.Exit too; replacing some is left to package guard.
func Tables() map[string]map[string]reflect.Value {
	all := make(map[string]map[string]reflect.Value, len(tables)+len(platformTables)+1)
	for _, list := range [][]*table{tables, platformTables} {
		for _, t := range list {
			all[t.path+"/"+t.name] = t.exports()
		}
	}
	addUnsafe(all)
	return all
}

// addUnsafe takes from yaegi what it needs to handle package unsafe: three functions
// in place of the built-in ones, and under a path of its own the conversions.
func addUnsafe(all map[string]map[string]reflect.Value) {
	const hooks = "github.com/traefik/yaegi/yaegi"
	all[hooks] = map[string]reflect.Value{"convert": unsafe.Symbols[hooks]["convert"]}
	for _, name := range []string{"Add", "Sizeof", "Alignof", "Offsetof"} {
		all["unsafe/unsafe"][name] = unsafe.Symbols["unsafe/unsafe"][name]
	}
}

func (t *table) exports() map[string]reflect.Value {
	exports := make(map[string]reflect.Value, len(t.values)+len(t.variables)+len(t.types)+len(t.constants))
	for _, list := range [][]symbol{t.values, t.types} {
		for _, s := range list {
			exports[s.name] = reflect.ValueOf(s.value)
		}
	}
	for _, s := range t.variables {
		exports[s.name] = reflect.ValueOf(s.value).Elem()
	}
	for _, s := range t.constants {
		exports[s.name] = reflect.ValueOf(constantOf(s.value))
	}
	return exports
}

// constantOf returns what go/constant makes of an untyped constant.
func constantOf(value any) constant.Value {
	switch value := value.(type) {
	case integer:
		return constant.MakeFromLiteral(string(value), token.INT, 0)
	case float:
		return constant.MakeFromLiteral(string(value), token.FLOAT, 0)
	}
	return constant.Make(value)
}
