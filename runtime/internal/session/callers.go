package session

import (
	"reflect"

	"gosphere/runtime/cell"
	"gosphere/runtime/internal/guard/streams"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/symtab"
)

// callers override the functions of package runtime that report the current calls. The compiled
// versions see the calls of the machine rather than those of cells.
var callers = map[string]reflect.Value{
	"runtime.Caller":           reflect.ValueOf(symtab.Caller),
	"runtime.Callers":          reflect.ValueOf(symtab.Callers),
	"runtime.CallersFrames":    reflect.ValueOf(symtab.CallersFrames),
	"runtime.FuncForPC":        reflect.ValueOf(symtab.FuncForPC),
	"runtime/debug.Stack":      reflect.ValueOf(symtab.Stack),
	"runtime/debug.PrintStack": reflect.ValueOf(func() { _, _ = streams.Stderr.Write(symtab.PrintedStack()) }),
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
