package session

import (
	"go/types"
	"reflect"

	"gosphere/runtime/check"
	"gosphere/runtime/debug"
)

// value tells the present value of a variable for an inspection: a short text and the
// sizes. While cells run there is none, and while their goroutines may run only that of
// numbers, because reading what they write can end the process. No method of a cell's type
// is called: it might not return.
func (s *Session) value(symbol *check.Symbol) (text any, ok bool) {
	if !s.compiling.TryLock() {
		return nil, false
	}
	defer s.compiling.Unlock()
	if !s.still() {
		return nil, false
	}
	written, size := s.outline(symbol, s.guard.Quiet())
	if size != "" {
		written += " // " + size
	}
	return written, written != ""
}

// outline returns the beginning of a variable's value and its size; quiet tells that no
// other goroutine runs code of cells. Both are empty if the value cannot be read.
func (s *Session) outline(symbol *check.Symbol, quiet bool) (written, size string) {
	defer func() {
		if recover() != nil { // a value that cannot be read is not shown
			written, size = "", ""
		}
	}()
	if !quiet && !oneWord(symbol) {
		return "", ""
	}
	v, ok := s.link.Variable(symbol)
	if !ok {
		return "", ""
	}
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return debug.Outline(v, debug.ShortOutline), debug.Size(v)
}

// oneWord tells that a variable is a number or a bool, which is read in one go.
func oneWord(symbol *check.Symbol) bool {
	if symbol.Object == nil || symbol.Object.Type() == nil {
		return false
	}
	basic, ok := symbol.Object.Type().Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsInteger|types.IsFloat|types.IsBoolean) != 0
}
