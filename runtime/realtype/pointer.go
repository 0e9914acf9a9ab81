package realtype

import (
	"reflect"
	"unsafe"
)

// The functions of package unsafe that are no constants, for emitted code: the interpreter
// has no builtins of that package. Slices and pointers come and go as interface values of
// their layout types.

// AddToPointer is unsafe.Add.
func AddToPointer(p unsafe.Pointer, n int) unsafe.Pointer { return unsafe.Add(p, n) }

// StringAt is unsafe.String.
func StringAt(p *byte, n int) string { return unsafe.String(p, n) }

// StringData is unsafe.StringData.
func StringData(s string) *byte { return unsafe.StringData(s) }

// SliceAt is unsafe.Slice, with its panics.
func SliceAt(pointer any, n int) any {
	p := reflect.ValueOf(pointer)
	if p.IsNil() && n == 0 {
		return reflect.Zero(reflect.SliceOf(p.Type().Elem())).Interface()
	}
	return reflect.SliceAt(p.Type().Elem(), p.UnsafePointer(), n).Interface()
}

// SliceData is unsafe.SliceData.
func SliceData(slice any) any {
	v := reflect.ValueOf(slice)
	return reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface()
}
