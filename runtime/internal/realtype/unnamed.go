package realtype

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// UnnamedStruct returns the type of an unnamed struct with the memory layout of another type.
// pkgPath is the package of the unexported fields. Identical structs have the same Type. SetMethods
// works for the type if a field is embedded.
func UnnamedStruct(pkgPath string, layout reflect.Type, fields []Field) (*Type, error) {
	if layout.Kind() != reflect.Struct {
		return nil, fmt.Errorf("realtype: unnamed struct with layout %v", layout)
	}
	if n := layout.NumField(); n != len(fields) && (len(fields) != 0 || layout.Size() != 0) {
		return nil, fmt.Errorf("realtype: unnamed struct has %d fields, its layout %v has %d", len(fields), layout, n)
	}
	world.Lock()
	defer world.Unlock()
	return unnamedStruct(pkgPath, layout, fields), nil
}

// unnamedStruct implements UnnamedStruct. The caller holds world. An identical struct must have the
// identical run-time type, or assertions between packages would fail. So the registry is searched
// first, and package reflect, which finds compiled types, is preferred to forging.
func unnamedStruct(pkgPath string, layout reflect.Type, fields []Field) *Type {
	key := structKey(pkgPath, fields)
	if t, ok := world.unnamed[key]; ok {
		return t
	}
	t := &Type{role: forgedStruct, pkgPath: pkgPath, layout: layout, fields: slices.Clone(fields), room: someMethods}
	if real := standardStruct(pkgPath, layout, fields); real != nil {
		t.role = plainStruct
		t.real.Store(abiOf(real))
	} else {
		t.makeReal()
		t.completeStruct(t.real.Load())
	}
	if world.unnamed == nil {
		world.unnamed = make(map[string]*Type)
	}
	world.unnamed[key] = t
	return t
}

// standardStruct makes the struct by package reflect, so that it is the same type as in compiled
// code. It returns nil if reflect cannot make the type, in particular if fields are embedded.
func standardStruct(pkgPath string, layout reflect.Type, fields []Field) reflect.Type {
	list := make([]reflect.StructField, len(fields))
	for i, field := range fields {
		if field.Embedded || field.Name == "_" {
			return nil
		}
		list[i] = reflect.StructField{Name: field.Name, Tag: reflect.StructTag(field.Tag), Type: field.Type}
		if exportedFlag(field.Name) == 0 {
			list[i].PkgPath = pkgPath
		}
	}
	real := reflect.StructOf(list)
	if real.Size() != layout.Size() || real.Align() != layout.Align() {
		return nil
	}
	return real
}

// structKey identifies a struct up to type identity. It contains addresses of types, because
// distinct types can have the same text. Tags and embedding are part of the identity, as in the
// section "Type identity" of the Go specification. Unexported names of different packages differ.
func structKey(pkgPath string, fields []Field) string {
	var key strings.Builder
	for _, f := range fields {
		if exportedFlag(f.Name) == 0 {
			key.WriteString(pkgPath)
		}
		fmt.Fprintf(&key, ";%s %t %p %q", f.Name, f.Embedded, unsafe.Pointer(abiOf(f.Type)), f.Tag)
	}
	return key.String()
}

// structText returns the text of an unnamed struct type as gc writes it.
func structText(fields []Field) string {
	if len(fields) == 0 {
		return "struct {}"
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Type.String()
		if !f.Embedded {
			parts[i] = f.Name + " " + parts[i]
		}
		if f.Tag != "" {
			parts[i] += " " + strconv.Quote(f.Tag)
		}
	}
	return "struct { " + strings.Join(parts, "; ") + " }"
}
