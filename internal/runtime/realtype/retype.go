package realtype

import (
	"reflect"
	"unsafe"
)

// Retyped returns a function as one of another type, whose parameters and results are passed in the same way:
// pointers for pointers, structs for structs with the same parts. It reports false for other types.
func Retyped(function reflect.Value, to reflect.Type) (reflect.Value, bool) {
	from := function.Type()
	if from.NumIn() != to.NumIn() || from.NumOut() != to.NumOut() || from.IsVariadic() != to.IsVariadic() {
		return function, false
	}
	for i := range from.NumIn() {
		if !sameMemory(from.In(i), to.In(i)) {
			return function, false
		}
	}
	for i := range from.NumOut() {
		if !sameMemory(from.Out(i), to.Out(i)) {
			return function, false
		}
	}
	v := function.Interface()
	(*emptyInterface)(unsafe.Pointer(&v)).typ = abiOf(to)
	return reflect.ValueOf(v), true
}
