package panics

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"gosphere/internal/abridge"
)

// Limits on the reported causes of an error. Deeper chains are rare, and an error may wrap itself.
const (
	maxCauseDepth = 12
	maxCauses     = 40
)

// A Report describes the value of a panic for users.
type Report struct {
	Text    string   // as printed by a Go program, and cut if it is long
	Type    string   // type of the value; empty if Text contains it
	Causes  []string // wrapped errors, outer ones first, each indented below the error that wraps it
	Runtime bool     // whether the value is a runtime error
	Name    string   // name of the cell's error if it is not a panic of Go
	Placed  bool     // whether the calls in progress are shown although the error is not a panic
	Value   any      // the value itself
}

// A Failure is the panic value of commands of this program that a cell calls. It is reported as an
// error with its own name rather than as a panic.
type Failure interface {
	error
	FailureName() string
}

// Describe describes the value of a panic. It calls the Error, String and Unwrap methods of the
// value, which may be cell code, so it must run on a goroutine of the cell, where they can be
// interrupted.
func Describe(value any) Report {
	r := Report{Text: abridge.Text(Text(value)), Runtime: IsRuntimeError(value), Value: value}
	if f, ok := value.(Failure); ok {
		_, placed := value.(interface{ Unwrap() error }) // an error of a value, and not of a command
		return Report{Text: abridge.Text(f.Error()), Name: f.FailureName(), Placed: placed}
	}
	if r.Runtime || value == nil {
		return r
	}
	switch value.(type) {
	case Misuse: // reported like runtime errors
		return r
	}
	t := reflect.TypeOf(value)
	if t.PkgPath() != "" || t.Kind() == reflect.Pointer {
		r.Type = t.String()
	}
	if err, ok := value.(error); ok {
		r.Causes = causes(err, 0, nil)
	}
	return r
}

// Lines returns the lines that follow the text: the type of the value and its causes.
func (r Report) Lines() []string {
	var list []string
	if r.Type != "" {
		list = append(list, "    of type "+r.Type)
	}
	for _, cause := range r.Causes {
		list = append(list, "    "+cause)
	}
	return list
}

// causes appends descriptions of the errors that err wraps to list.
func causes(err error, depth int, list []string) []string {
	for _, cause := range unwrap(err) {
		indent := strings.Repeat("  ", depth)
		if depth >= maxCauseDepth || len(list) >= maxCauses {
			return append(list, indent+"caused by more")
		}
		text := strings.ReplaceAll(abridge.Text(errorText(cause)), "\n", "\n    "+indent+"  ")
		list = append(list, fmt.Sprintf("%scaused by %T: %s", indent, cause, text))
		list = causes(cause, depth+1, list)
	}
	return list
}

// unwrap returns the errors that err wraps, or none if its Unwrap method panics.
func unwrap(err error) (list []error) {
	defer func() {
		if recover() != nil {
			list = nil
		}
	}()
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		list = e.Unwrap()
	case interface{ Unwrap() error }:
		list = []error{errors.Unwrap(err)}
	}
	kept := list[:0:0]
	for _, cause := range list {
		if cause != nil {
			kept = append(kept, cause)
		}
	}
	return kept
}
