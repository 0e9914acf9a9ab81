package session

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"gosphere/internal/runtime/guard/streams"
	"gosphere/internal/runtime/machine"
	"gosphere/internal/runtime/symtab"
)

// callers override the functions of package runtime that report the current calls. The compiled
// versions see the calls of the machine rather than those of cells.
var callers = map[string]reflect.Value{
	"runtime.Caller":           reflect.ValueOf(symtab.Caller),
	"runtime.Callers":          reflect.ValueOf(symtab.Callers),
	"runtime.CallersFrames":    reflect.ValueOf(symtab.CallersFrames),
	"runtime.FuncForPC":        reflect.ValueOf(symtab.FuncForPC),
	"runtime.Stack":            reflect.ValueOf(func(buf []byte, _ bool) int { return copy(buf, stack()) }),
	"runtime/debug.Stack":      reflect.ValueOf(stack),
	"runtime/debug.PrintStack": reflect.ValueOf(func() { _, _ = streams.Stderr.Write(stack()) }),
}

// codePointers override the methods that report the code of a function.
var codePointers = map[string]reflect.Value{
	"(reflect.Value).Pointer":       reflect.ValueOf(symtab.Pointer),
	"(reflect.Value).UnsafePointer": reflect.ValueOf(symtab.UnsafePointer),
}

// stack implements debug.Stack for functions of cells. The first line, with the number of the
// goroutine, is that of the runtime.
func stack() []byte {
	var b bytes.Buffer
	var head [64]byte
	first, _, _ := strings.Cut(string(head[:runtime.Stack(head[:], false)]), "\n")
	fmt.Fprintln(&b, first)
	for _, text := range describe(machine.Callers()) {
		fmt.Fprintln(&b, text)
	}
	return b.Bytes()
}

// setFinalizer implements runtime.SetFinalizer for functions of cells. It contains their panics:
// one on the finalizer goroutine would end the process.
func (s *Session) setFinalizer(object, finalizer any) {
	if finalizer == nil {
		runtime.SetFinalizer(object, nil)
		return
	}
	f := reflect.ValueOf(finalizer)
	if f.Kind() != reflect.Func { // the runtime reports the error
		runtime.SetFinalizer(object, finalizer)
		return
	}
	wrapped := reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		results := make([]reflect.Value, f.Type().NumOut())
		for i := range results {
			results[i] = reflect.Zero(f.Type().Out(i))
		}
		// After a panic, the zero results remain.
		s.guard.Contain(func() { results = f.Call(args) })
		return results
	})
	runtime.SetFinalizer(object, wrapped.Interface())
}
