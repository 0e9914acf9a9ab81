// Package panics describes the values of panics in the form in which a Go program prints them, with
// the calls that a panic has unwound.
package panics

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"gosphere/runtime/internal/guard/cycles"
)

// A Traced is a panic in code of cells, with the calls that it unwound.
type Traced struct {
	Value any
	Calls []string // innermost first
	// Before are the panics that this one has replaced, the first one first.
	Before []Earlier
}

// An Earlier is a panic during whose deferred calls another one was raised.
type Earlier struct {
	Value     any
	Recovered bool // before the other one was raised
}

// Chain returns the text that a Go program prints for a panic and for those that it has replaced,
// without the prefix "panic: " of the first.
func Chain(value any) string {
	of, _ := Split(value)
	text := indented(Text(of))
	t, ok := value.(*Traced)
	if !ok {
		return text
	}
	for i, e := range slices.Backward(t.Before) {
		before := indented(Text(e.Value))
		again := of
		if i+1 < len(t.Before) {
			again = t.Before[i+1].Value
		}
		switch {
		case e.Recovered && same(e.Value, again):
			_, rest, more := strings.Cut(text, "\n\tpanic: ")
			text = before + " [recovered, repanicked]"
			if more {
				text += "\n\tpanic: " + rest
			}
		case e.Recovered:
			text = before + " [recovered]\n\tpanic: " + text
		default:
			text = before + "\n\tpanic: " + text
		}
	}
	return text
}

// same reports whether two values are equal. Values that cannot be compared are not.
func same(a, b any) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && (a == nil || reflect.TypeOf(a).Comparable()) && reflect.ValueOf(&a).Elem().Equal(reflect.ValueOf(&b).Elem())
}

// indented returns a text as the runtime prints it, with a tab in front of each line but the first.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n\t") }

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
	// fmt would use up the stack, which ends the process.
	if err := cycles.Format.Find("the value", value); err != nil {
		return fmt.Sprintf("%s: %v", t, err)
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
