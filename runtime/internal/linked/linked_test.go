package linked

import (
	"reflect"
	"testing"
	"unsafe"
)

// typeOf returns the run-time type that a reflect.Type represents.
func typeOf(t reflect.Type) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] }

func TestFunctionsDoWhatPackageReflectDoes(t *testing.T) {
	p := unsafeNew(typeOf(reflect.TypeFor[string]()))
	*(*string)(p) = "x"
	var copied string
	typedmemmove(typeOf(reflect.TypeFor[string]()), unsafe.Pointer(&copied), p)
	if copied != "x" {
		t.Errorf("copied %q", copied)
	}
	typedmemclr(typeOf(reflect.TypeFor[string]()), unsafe.Pointer(&copied))
	if copied != "" {
		t.Errorf("cleared %q", copied)
	}
	m := map[string]int{"a": 1}
	mapType, data := typeOf(reflect.TypeOf(m)), *(*unsafe.Pointer)(unsafe.Pointer(&m))
	*(*int)(mapassignFaststr(mapType, data, "b")) = 2
	key := "a"
	if v, ok := mapaccess2(mapType, data, unsafe.Pointer(&key)); !ok || *(*int)(v) != 1 || m["b"] != 2 {
		t.Errorf("the map is %v", m)
	}
	var iterator [16]uintptr // in the form that modules use
	sum := 0
	for mapiterinit(mapType, data, unsafe.Pointer(&iterator)); iterator[0] != 0; mapiternext(unsafe.Pointer(&iterator)) {
		sum += *(*int)(*(*unsafe.Pointer)(unsafe.Pointer(&iterator[1])))
	}
	if sum != 3 {
		t.Errorf("the sum over the map is %d", sum)
	}
}

func TestOnlyKnownNamesAreHere(t *testing.T) {
	if len(Functions("runtime.gopark")) != 0 || len(Functions("runtime.nanotime")) != 1 || len(Functions("runtime.mapiternext")) != 2 || IsZero("runtime.ncpu") {
		t.Error("names that are not listed are found, or others are not")
	}
}
