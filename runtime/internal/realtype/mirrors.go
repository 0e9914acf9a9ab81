package realtype

import (
	"reflect"
	"runtime"
	"slices"
)

// A mirror is a struct of this package with the runtime's own.
type mirror struct{ own, original reflect.Type }

// mirrors returns the structs that this package mirrors. Reflection reaches those of internal/abi
// from the representation of a reflect.Type: its first field is an abi.Type, whose methods return
// the others.
//
// The package cannot be imported, and values of compiled types do not show everything: a field that
// is longer than assumed, at the end of a map type, moved the methods of named map types in Go 1.27
// and changed nothing else that could be seen without calling one.
//
// A struct that is not found counts as a difference. The linker keeps the descriptions of types
// that a description in use mentions, also in a program without symbols.
func mirrors() []mirror {
	abi := reflect.TypeOf(reflect.TypeFor[int]()).Elem().Field(0).Type
	result := func(name string) reflect.Type {
		method, ok := reflect.PointerTo(abi).MethodByName(name)
		if !ok {
			return nil
		}
		return method.Type.Out(0).Elem()
	}
	list := []mirror{
		{reflect.TypeFor[abiType](), abi},
		{reflect.TypeFor[abiAssertionError](), reflect.TypeFor[runtime.TypeAssertionError]()},
		{reflect.TypeFor[abiMethod](), result("ExportedMethods")},
		{reflect.TypeFor[abiUncommon](), result("Uncommon")},
		{reflect.TypeFor[abiElem](), result("PointerType")},
		{reflect.TypeFor[abiElem](), result("SliceType")},
		{reflect.TypeFor[abiArray](), result("ArrayType")},
		{reflect.TypeFor[abiChan](), result("ChanType")},
		{reflect.TypeFor[abiFunc](), result("FuncType")},
		{reflect.TypeFor[abiMap](), result("MapType")},
		{reflect.TypeFor[abiStruct](), result("StructType")},
		{reflect.TypeFor[abiInterface](), result("InterfaceType")},
	}
	for _, of := range []struct {
		own          reflect.Type
		method, list string
	}{{reflect.TypeFor[abiField](), "StructType", "Fields"}, {reflect.TypeFor[abiInterfaceMethod](), "InterfaceType", "Methods"}} {
		m := mirror{own: of.own}
		if outer := result(of.method); outer != nil {
			if field, ok := outer.FieldByName(of.list); ok {
				m.original = field.Type.Elem()
			}
		}
		list = append(list, m)
	}
	return list
}

// A place is a field of basic type in a struct, at any depth.
type place struct {
	offset, size uintptr
	kind         reflect.Kind
}

// places lists the fields of a type in memory. Structs in it are taken apart, because the runtime
// has some where this package has their only field: a name is a struct with a pointer there. Names
// of fields are not compared, since those of this package say what it uses them for.
func places(t reflect.Type) (list []place) {
	if t.Kind() != reflect.Struct {
		return []place{{0, t.Size(), t.Kind()}}
	}
	for i := range t.NumField() {
		for _, p := range places(t.Field(i).Type) {
			p.offset += t.Field(i).Offset
			list = append(list, p)
		}
	}
	return list
}

// checkMirrors compares size, alignment and all fields of the mirrored structs. The other checks
// use types, which could end the process if this one failed, so it is the first.
func checkMirrors() bool {
	for _, m := range mirrors() {
		if m.original == nil || m.own.Size() != m.original.Size() || m.own.Align() != m.original.Align() || !slices.Equal(places(m.own), places(m.original)) {
			return false
		}
	}
	return true
}
