package session

import (
	"go/types"
	"reflect"
	"sync"

	"gosphere/runtime/check"
	"gosphere/runtime/internal/debug"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/link"
)

// values read the variables of a session while no cell runs.
type values struct {
	link      *link.Session
	guard     *guard.Guard
	calls     *calls
	compiling *sync.Mutex
}

// value returns a short text with the current value and size of a variable, for inspection. It
// returns no value while cells run. While goroutines of cells may run, it returns only numbers,
// because reading memory that they write can crash the process. It calls no methods of cell types,
// which might not return. For instance, inspecting a slice shows its first elements, followed by a
// comment with its size.
func (r *values) value(symbol *check.Symbol) (text any, ok bool) {
	// Inspection must not wait for a cell that is being compiled.
	if !r.compiling.TryLock() {
		return nil, false
	}
	defer r.compiling.Unlock()
	if !r.calls.still() {
		return nil, false
	}
	defer r.guard.Sharing.Hold()()
	written, size := r.outline(symbol, r.guard.Sharing.Quiet())
	if size != "" {
		written += " // " + size
	}
	return written, written != ""
}

// outline returns an abbreviated text of a variable's value, and its size. quiet reports whether no
// other goroutine runs code of cells. Both results are empty if the value cannot be read.
func (r *values) outline(symbol *check.Symbol, quiet bool) (written, size string) {
	defer func() {
		if recover() != nil { // values that cannot be read are omitted
			written, size = "", ""
		}
	}()
	if !quiet && !oneWord(symbol) {
		return "", ""
	}
	// A variable has no memory before code that uses it is compiled.
	v, ok := r.link.Variable(symbol)
	if !ok {
		return "", ""
	}
	// The dynamic value is more useful than the interface around it.
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return debug.Outline(v, debug.ShortOutline), debug.Size(v)
}

// oneWord reports whether a variable is a number or a bool, which is read atomically.
func oneWord(symbol *check.Symbol) bool {
	if symbol.Object == nil || symbol.Object.Type() == nil {
		return false
	}
	basic, ok := symbol.Object.Type().Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsInteger|types.IsFloat|types.IsBoolean) != 0
}
