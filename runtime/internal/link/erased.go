package link

import (
	"fmt"
	"go/types"
	"reflect"

	"gosphere/runtime/internal/realtype"
)

// Package realtype makes a declared type from a layout: a type of the same kind, size, pointer data
// and equality. A layout mentions no type of cells, so that recursive types need no special
// treatment.

// layout returns the layout of an underlying type. Keys of maps keep the structure that hashing and
// comparison need, which is why arrays and structs are laid out in full.
//
// For instance, the layout of struct { Value int; Next *Node; By map[string]*Node } is
//
//	struct { F0 int; F1 unsafe.Pointer; F2 map[int]int }
//
// Package realtype gives the declared type its fields afterward (CompleteStructOf).
func (s *Session) layout(t types.Type) reflect.Type {
	switch t := t.(type) {
	case *types.Pointer:
		return reflect.TypeFor[*byte]()
	case *types.Slice:
		return reflect.SliceOf(s.erased(t.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), s.erased(t.Elem()))
	case *types.Map:
		return reflect.MapOf(s.erased(t.Key()), s.erased(t.Elem()))
	case *types.Chan:
		return reflect.ChanOf(channelDirection[t.Dir()], s.erased(t.Elem()))
	case *types.Signature:
		var in, out []reflect.Type
		for v := range t.Params().Variables() {
			in = append(in, s.erased(v.Type()))
		}
		for v := range t.Results().Variables() {
			out = append(out, s.erased(v.Type()))
		}
		return reflect.FuncOf(in, out, t.Variadic())
	}
	return s.erased(t)
}

// erased returns the layout of a component of a type. It ends at pointers, maps, channels,
// functions and slices, whose size does not depend on their elements. A type can refer to itself
// only through one of these, so the recursion ends.
func (s *Session) erased(t types.Type) reflect.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		t = s.own(t)
		if t.Obj().Pkg() != nil && !s.ours(t) && !isInterface(t) {
			return s.named(t)
		}
		return s.erased(t.Underlying())
	case *types.Basic:
		return s.partialType(t)
	// The collector and comparisons treat all pointers alike.
	case *types.Pointer, *types.Chan:
		return pointerType
	case *types.Map:
		// A map is one pointer; the types of its keys and elements are in the completed type.
		return reflect.TypeFor[map[int]int]()
	case *types.Signature:
		return reflect.TypeFor[func()]()
	case *types.Slice:
		return reflect.TypeFor[[]byte]()
	case *types.Interface:
		if t.NumMethods() == 0 {
			return anyType
		}
		return errorType
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), s.erased(t.Elem()))
	case *types.Struct:
		// Names do not affect the layout, except for blank fields, which comparisons ignore.
		fields := make([]reflect.Type, t.NumFields())
		for i := range fields {
			fields[i] = s.erased(t.Field(i).Type())
		}
		return realtype.StructLayout(fields, func(i int) bool { return t.Field(i).Name() == "_" })
	}
	panic(fmt.Sprintf("no layout for %v, a %T", t, t))
}
