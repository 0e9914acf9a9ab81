package realtype

import (
	"reflect"
	"unsafe"
)

// Retyped converts a function to another type whose parameters and results are passed in the same
// way. Pointers may differ in what they refer to, and structs in names, if their components
// correspond. Retyped returns false for other types.
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
	// The data word is a pointer to the closure, which does not contain its type. Replacing the
	// type word therefore converts the function without a wrapper.
	v := function.Interface()
	(*emptyInterface)(unsafe.Pointer(&v)).typ = abiOf(to)
	return reflect.ValueOf(v), true
}
