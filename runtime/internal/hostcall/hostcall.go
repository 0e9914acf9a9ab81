// Package hostcall calls compiled Go functions whose types are known only at run time, and makes
// func values of such types for compiled code to call, without the cost of reflect.Value.Call and
// reflect.MakeFunc.
//
// A [Signature] is computed once for each function type. It lists the moves between the memory of
// arguments and results and the registers that Go's calling convention assigns to them
// (ABIInternal; see cmd/compile/abi-internal.md in Go's source). A call performs these moves.
// Between them, a trampoline in assembly loads the registers, calls the code and stores the
// registers. Signatures with arguments or results on the stack use package reflect, and so do
// architectures other than amd64 and arm64, such as WebAssembly.
//
// Frequent function types such as func(float64) float64 need neither: a func value can be converted
// to its Go type and called. Package machine does that.
//
// A [Layout] is the opposite: it lists the moves between registers and the memory of arguments and
// results for calls by compiled code. The code of a func value, the entry, is in assembly. It
// passes the registers to Go code as an argument in memory.
//
// # Invariants
//
// While a call is in progress, every pointer in a register is also in memory that the collector
// scans. A registers value is always on the stack, because the trampoline writes pointers to it
// without write barriers.
//
// # Reading order
//
// hostcall.go, plan.go (register assignment), trampoline.go and its assembly files, reflect.go;
// entry.go, entry_amd64.s, entry_amd64.go.
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

// signatures caches the signature of each function type. It grows only with the number of types,
// which are never freed either.
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

// Call calls a func value whose type is that of s. fn is the word of the func value, which points
// to the closure. args[i] points to argument i; the last argument of a variadic function is its
// slice. results[i] points to the memory for result i, or is nil if the result is not needed.
// Pointers to arguments and results of size zero may be nil. If the function panics, so does Call.
// A nil fn panics in the same way as a call of a nil function.
func (s *Signature) Call(fn unsafe.Pointer, args, results []unsafe.Pointer) {
	s.check(args, results)
	// A nil fn faults here, in Go code, where the runtime turns the fault into a panic with the
	// usual message.
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

// CallMethod calls the code of a method from an interface method table. receiver is the data word
// of the interface value. The type of s is the method's type without receiver. args and results are
// as for [Signature.Call].
func (s *Signature) CallMethod(code uintptr, receiver unsafe.Pointer, args, results []unsafe.Pointer) {
	s.check(args, results)
	if !s.method.registers {
		s.reflectCallMethod(code, receiver, args, results)
		return
	}
	var r registers
	r.ints[0], r.pointers[0] = uintptr(receiver), receiver
	// The plan of the method has reserved integer register 0 for the receiver, which is one word
	// even for a value receiver: a method table holds the code whose receiver is the data word of
	// the interface value.
	s.method.load(&r, args)
	// The code of a method is no closure and reads no closure register. Stubs of package realtype
	// set it themselves.
	trampoline(code, nil, &r)
	s.method.store(&r, results)
	runtime.KeepAlive(args)
}

// check panics for a wrong number of arguments or results, which would make load or store read
// other memory.
func (s *Signature) check(args, results []unsafe.Pointer) {
	if len(args) != s.function.args || len(results) != s.function.results {
		s.mismatch(len(args), len(results))
	}
}

// mismatch panics with the message of check. It is a function of its own, so that check stays small
// enough to be inlined.
//
//go:noinline
func (s *Signature) mismatch(args, results int) {
	panic(fmt.Sprintf("hostcall: %d arguments and %d results for %v, which has %d and %d",
		args, results, s.typ, s.function.args, s.function.results))
}
