package realtype

import (
	"reflect"
	"strconv"
	"unsafe"
)

// blankPackage is the package of the blank fields of layouts. No compiled type has fields of it.
const blankPackage = "gosphere/layout"

// StructLayout returns a struct type with fields of the given types, for use as a layout. Fields
// for which blank reports true are ignored when values are compared or hashed, as the section
// "Comparison operators" of the Go specification requires for fields named _.
func StructLayout(types []reflect.Type, blank func(i int) bool) reflect.Type {
	fields := make([]reflect.StructField, len(types))
	ignored := false
	for i, t := range types {
		fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: t}
		if blank(i) {
			fields[i].Name, fields[i].PkgPath, ignored = "_", blankPackage, true
		}
	}
	if !ignored {
		return reflect.StructOf(fields)
	}
	world.Lock()
	defer world.Unlock()
	// The runtime skips blank fields by their name when it hashes a value. The function that
	// compares values does not, if package reflect has made the type.
	t := reflect.StructOf(fields)
	if real := abiOf(t); real.equal != nil && !world.layouts[real] {
		real.equal = equalFields(t)
		if world.layouts == nil {
			world.layouts = map[*abiType]bool{}
		}
		world.layouts[real] = true
	}
	return t
}

// equalFields returns a function that compares the fields of two structs that are not blank.
//
// The fields are compared in their order, so that a panic because of one that is not comparable
// comes where the specification puts it.
func equalFields(t reflect.Type) func(p, q unsafe.Pointer) bool {
	type field struct {
		offset uintptr
		equal  func(p, q unsafe.Pointer) bool
	}
	var fields []field
	for f := range t.Fields() {
		if f.Name != "_" {
			fields = append(fields, field{f.Offset, abiOf(f.Type).equal})
		}
	}
	return func(p, q unsafe.Pointer) bool {
		for _, f := range fields {
			if !f.equal(unsafe.Add(p, f.offset), unsafe.Add(q, f.offset)) {
				return false
			}
		}
		return true
	}
}
