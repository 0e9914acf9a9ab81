package realtype

import (
	"fmt"
	"reflect"
	"unsafe"
)

// probeLarge has more words of pointers than the compiler writes masks for. The runtime makes the
// mask when it allocates such a value.
type probeLarge struct {
	_    [300]*int
	tail int
}

// checkKinds makes a named type of every kind with a method. A value of it is allocated, asserted
// to an interface, called, hashed and compared.
//
// The place of the method table in memory depends on the kind, and so does what an interface value
// holds: the value itself or its address. The kinds whose values are one pointer are here with and
// without a struct around them, and types whose values have no size, whose hash functions differ.
func checkKinds() bool {
	number := 7
	for _, value := range []any{
		true, int8(1), int16(2), int32(3), int64(4), 5, uint8(6), uint16(7), uint32(8), uint64(9), uint(10), uintptr(11),
		float32(1.5), 2.5, complex64(1), complex128(2), "text", unsafe.Pointer(&number),
		[2]string{"a", "b"}, [0]int{}, make(chan int), func() int { return 1 }, map[string]int{"k": 1}, map[[40]int]probeLarge{},
		[]int{1}, probeInner{&number}, struct{}{}, probeLarge{tail: 1},
	} {
		if !checkKind(value) {
			return false
		}
	}
	return true
}

// checkKind is checkKinds for one layout.
func checkKind(value any) bool {
	layout := reflect.TypeOf(value)
	t, err := Declare("main", "kind", layout, 1)
	if err != nil {
		return false
	}
	// Both functions return the kind and whether they have the value, as a String method.
	body := func(of func(reflect.Value) reflect.Value, receiver reflect.Type) reflect.Value {
		return reflect.MakeFunc(reflect.FuncOf([]reflect.Type{receiver}, []reflect.Type{reflect.TypeFor[string]()}, false), func(in []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(probeText(of(in[0])))}
		})
	}
	if layout.Kind() == reflect.Struct && t.role == namedType {
		var fields []Field
		for i := range layout.NumField() {
			f := layout.Field(i)
			fields = append(fields, Field{Name: f.Name, Type: f.Type, Embedded: f.Anonymous})
		}
		t.CompleteStruct(fields)
	}
	err = t.SetMethods([]Method{{
		Name: "String", Type: reflect.TypeFor[func() string](), OnValue: true,
		Pointer: body(reflect.Value.Elem, reflect.PointerTo(layout)), Value: body(func(v reflect.Value) reflect.Value { return v }, layout),
	}})
	if err != nil {
		return false
	}
	// The runtime allocates with the forged type, which decides what the collector sees. The layout
	// writes the value, because Convert would make a value of another type and copy it.
	made := reflect.New(t.Real())
	reflect.NewAt(layout, made.UnsafePointer()).Elem().Set(reflect.ValueOf(value))
	forged := made.Elem().Interface()
	stringer, ok := forged.(fmt.Stringer)
	if !ok || stringer.String() != probeText(reflect.ValueOf(value)) || made.Interface().(fmt.Stringer).String() != stringer.String() {
		return false
	}
	if !layout.Comparable() {
		return !t.Real().Comparable()
	}
	table := map[any]int{forged: 1, value: 2}
	return t.Real().Comparable() && forged == made.Elem().Interface() && forged != value && len(table) == 2 && table[forged] == 1
}

// probeText returns a text that depends on the kind and on the content of a value.
func probeText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprint(v.Kind(), v.Pointer() != 0)
	case reflect.Map, reflect.Slice, reflect.Array, reflect.String:
		return fmt.Sprint(v.Kind(), v.Len())
	}
	return fmt.Sprint(v.Kind(), v.IsZero())
}
