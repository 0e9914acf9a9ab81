// Package hostcall calls compiled Go functions whose types are known only at run time, without
// the cost of reflect.Value.Call.
//
// A [Signature] is made once for each function type. It holds the list of moves between the
// memory of arguments and results and the registers that Go's calling convention assigns to
// them (ABIInternal: cmd/compile/abi-internal.md in Go's source). A call performs the moves
// before and after a trampoline in assembly loads the registers, calls the code and stores the
// registers. Signatures with arguments or results on the stack, and architectures other than
// amd64 and arm64, use package reflect.
//
// Typed calls of frequent function types, such as func(float64) float64, need neither: a func
// value can be converted to its Go type and called. Such forms belong into this package when
// several packages need them.
package hostcall

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// A Signature is a function type prepared for calls. It is safe for concurrent use.
type Signature struct {
	typ      reflect.Type
	function plan
	method   plan // the receiver's word precedes the arguments
}

var signatures sync.Map // reflect.Type to *Signature

// Of returns the signature of a function type. It panics if t is not a function type.
func Of(t reflect.Type) *Signature {
	if s, ok := signatures.Load(t); ok {
		return s.(*Signature)
	}
	if t.Kind() != reflect.Func {
		panic(fmt.Sprintf("hostcall: %v is not a function type", t))
	}
	s, _ := signatures.LoadOrStore(t, &Signature{typ: t, function: planOf(t, false), method: planOf(t, true)})
	return s.(*Signature)
}

// Type returns the function type that s was made for.
func (s *Signature) Type() reflect.Type { return s.typ }

// Call calls a func value of the type of s; fn is the value's word, the pointer to the closure.
// args[i] points to argument i; the last argument of a variadic function is its slice.
// results[i] points to where result i is stored, or is nil where the result is not wanted.
// Pointers to arguments and results of size zero may be nil. A panic of the function passes
// through Call. A nil fn panics as the call of a nil function does.
func (s *Signature) Call(fn unsafe.Pointer, args, results []unsafe.Pointer) {
	s.check(args, results)
	code := *(*uintptr)(fn)
	if !s.function.registers {
		s.reflectCall(fn, args, results)
		return
	}
	var r registers
	s.function.load(&r, args)
	trampoline(code, fn, &r)
	s.function.store(&r, results)
	runtime.KeepAlive(args)
}

// CallMethod calls the code of a method as it stands in an interface table, with the data word of
// the interface value as the receiver. The type of s is the method's type without receiver; args
// and results are as for [Signature.Call].
func (s *Signature) CallMethod(code uintptr, receiver unsafe.Pointer, args, results []unsafe.Pointer) {
	s.check(args, results)
	if !s.method.registers {
		s.reflectCallMethod(code, receiver, args, results)
		return
	}
	var r registers
	r.ints[0], r.pointers[0] = uintptr(receiver), receiver
	s.method.load(&r, args)
	trampoline(code, nil, &r)
	s.method.store(&r, results)
	runtime.KeepAlive(args)
}

func (s *Signature) check(args, results []unsafe.Pointer) {
	if len(args) != s.function.args || len(results) != s.function.results {
		s.mismatch(len(args), len(results))
	}
}

//go:noinline
func (s *Signature) mismatch(args, results int) {
	panic(fmt.Sprintf("hostcall: %d arguments and %d results for %v, which has %d and %d",
		args, results, s.typ, s.function.args, s.function.results))
}
