package engine

import "reflect"

// An Operation is compiled code that evaluated code runs as a conversion: from is the value
// converted, to the place for the result. The interpreter calls functions through package
// reflect, and these ten times as fast.
type Operation = func(from, to reflect.Value)

// Operation lets conversions to a type run compiled code. The type must be one that nothing else
// is converted to, and code that converts to it must be evaluated afterwards.
func (e *Engine) Operation(to reflect.Type, run Operation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.operations[to] = run
}

// conversion is what the interpreter asks while it compiles a conversion.
func (e *Engine) conversion(_, to reflect.Type) func(from, to reflect.Value) { return e.operations[to] }
