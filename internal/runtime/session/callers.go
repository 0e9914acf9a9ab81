package session

import (
	"reflect"
	"runtime"

	"gosphere/internal/runtime/cell"
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
	"runtime.Stack":            reflect.ValueOf(symtab.StackOf),
	"runtime/debug.Stack":      reflect.ValueOf(symtab.Stack),
	"runtime/debug.PrintStack": reflect.ValueOf(func() { _, _ = streams.Stderr.Write(symtab.Stack()) }),
}

// codePointers override the methods that report the code of a function.
var codePointers = map[string]reflect.Value{
	"(reflect.Value).Pointer":       reflect.ValueOf(symtab.Pointer),
	"(reflect.Value).UnsafePointer": reflect.ValueOf(symtab.UnsafePointer),
}

// locate tells package symtab the file and the //line directives of a cell.
func (e *call) locate(m *machine.Machine, c *cell.Cell) {
	var source *symtab.Source
	if e.file != "" || len(c.Directives) > 0 {
		source = &symtab.Source{File: e.file, Line: e.line, Directives: c.Directives}
	}
	symtab.SetSource(m, cell.FileName(c.Number), source)
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
