// Package hostcall calls compiled Go functions with arguments and results in memory.
package hostcall

import (
	"reflect"
	"unsafe"
)

// A Signature is how functions of one type are called.
type Signature struct{ t reflect.Type }

// Of returns the signature of a function type.
func Of(t reflect.Type) *Signature { return &Signature{t} }

// Call calls a func value. Arguments are read from, and results stored in, the memory that the
// pointers lead to; a nil pointer drops a result. A variadic argument is its slice.
func (s *Signature) Call(fn unsafe.Pointer, args, results []unsafe.Pointer) {
	f := reflect.NewAt(s.t, unsafe.Pointer(&fn)).Elem()
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.NewAt(s.t.In(i), a).Elem()
	}
	var out []reflect.Value
	if s.t.IsVariadic() {
		out = f.CallSlice(in)
	} else {
		out = f.Call(in)
	}
	for i, r := range results {
		if r != nil {
			reflect.NewAt(s.t.Out(i), r).Elem().Set(out[i])
		}
	}
}
