package hostcall

import (
	"reflect"
	"unsafe"
)

// reflectCall calls a func value by package reflect. It allocates, so callers that matter for speed
// have signatures without arguments on the stack. Results are copied after the call has returned;
// if it panics, the memory of the results is unchanged.
//
//go:noinline
func (s *Signature) reflectCall(fn unsafe.Pointer, args, results []unsafe.Pointer) {
	// NewAt makes a value of exactly the type of the signature, even if fn was compiled with
	// another type of the same parameters.
	f := reflect.NewAt(s.typ, unsafe.Pointer(&fn)).Elem()
	in := make([]reflect.Value, len(args))
	for i, p := range args {
		in[i] = valueAt(s.typ.In(i), p)
	}
	var out []reflect.Value
	// Call would take the last argument for the first element of the variadic slice.
	if s.typ.IsVariadic() {
		out = f.CallSlice(in)
	} else {
		out = f.Call(in)
	}
	for i, p := range results {
		if p != nil {
			reflect.NewAt(s.typ.Out(i), p).Elem().Set(out[i])
		}
	}
}

// reflectCallMethod calls the code of a method by package reflect. A receiver is passed like a
// first parameter, and the word that holds the code has the form of a func value.
//
//go:noinline
func (s *Signature) reflectCallMethod(code uintptr, receiver unsafe.Pointer, args, results []unsafe.Pointer) {
	in := []reflect.Type{reflect.TypeFor[unsafe.Pointer]()}
	for t := range s.typ.Ins() {
		in = append(in, t)
	}
	var out []reflect.Type
	for t := range s.typ.Outs() {
		out = append(out, t)
	}
	// The function type is made and looked up at every call. Only methods with arguments or results
	// on the stack come here.
	whole := Of(reflect.FuncOf(in, out, s.typ.IsVariadic()))
	whole.reflectCall(unsafe.Pointer(&code), append([]unsafe.Pointer{unsafe.Pointer(&receiver)}, args...), results)
}

// valueAt returns the value of type t at p.
func valueAt(t reflect.Type, p unsafe.Pointer) reflect.Value {
	if p == nil && t.Size() == 0 {
		return reflect.Zero(t)
	}
	return reflect.NewAt(t, p).Elem()
}
