package hostcall

import (
	"reflect"
	"unsafe"
)

type Signature struct{ t reflect.Type }

func Of(t reflect.Type) *Signature { return &Signature{t} }

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
