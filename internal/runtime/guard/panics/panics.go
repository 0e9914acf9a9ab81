// Package panics describes the values of panics in the form in which a Go program prints them, with
// the calls that a panic has unwound.
package panics

import (
	"fmt"
	"reflect"
	"runtime"
)

// A Traced is a panic in code of cells, with the calls that it unwound.
type Traced struct {
	Value any
	Calls []string // innermost first
}

// Split returns the value of a panic and the calls that it unwound, or nil if they are unknown.
func Split(value any) (of any, calls []string) {
	if t, ok := value.(*Traced); ok {
		return t.Value, t.Calls
	}
	return value, nil
}

// A RuntimeError is an error that the runtime would report in compiled Go.
type RuntimeError string

// Error returns the text, in the form of the runtime.
func (e RuntimeError) Error() string { return "runtime error: " + string(e) }

// RuntimeError implements runtime.Error.
func (e RuntimeError) RuntimeError() {}

// Text returns the text that a Go program prints for the value of a panic, without the prefix
// "panic: ".
func Text(value any) string {
	switch v := value.(type) {
	case error:
		return errorText(v)
	case fmt.Stringer:
		return textOf(v, "String", v.String)
	case string:
		return v
	case nil:
		return "nil"
	}
	t := reflect.TypeOf(value)
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		if t.PkgPath() != "" {
			return fmt.Sprintf("%s(%v)", t, value)
		}
		return fmt.Sprintf("%v", value)
	case reflect.String:
		return fmt.Sprintf("%s(%q)", t, value)
	}
	return fmt.Sprintf("%s %+v", t, value)
}

// errorText returns the text of an error.
func errorText(err error) string { return textOf(err, "Error", err.Error) }

// textOf returns the result of a method that produces text. The method may panic.
func textOf(value any, method string, call func() string) (text string) {
	ended := false
	defer func() {
		if r := recover(); r != nil && !ended {
			text = fmt.Sprintf("%T (its %s method panics: %v)", value, method, r)
		}
	}()
	text, ended = call(), true
	return text
}

// IsRuntimeError reports whether the value of a panic is a runtime error.
func IsRuntimeError(value any) bool {
	_, ok := value.(runtime.Error)
	return ok
}

// A Misuse is the panic value for an error that is fatal in a compiled program.
type Misuse string

// Error returns the text.
func (e Misuse) Error() string { return string(e) }
