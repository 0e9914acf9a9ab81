package guard

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// The limits of what is told about the causes of an error: deeper chains are rare, and an
// error may wrap itself.
const (
	maxCauseDepth = 12
	maxCauses     = 40
)

// A PanicReport is what a user reads about the value of a panic.
type PanicReport struct {
	Text    string   // as a Go program prints it
	Type    string   // of the value; empty where the text tells it
	Causes  []string // the errors that the value wraps, outer ones first, indented below what wraps them
	Runtime bool     // the value is an error of the runtime
	Name    string   // what the cell's error is called if it is none of Go's panics
}

// A Failure is panicked with by commands of ours that a cell calls. It is shown as an
// error with a name of its own, without the words of a panic.
type Failure interface {
	error
	FailureName() string
}

// ReportPanic describes the value of a panic. It calls Error, String and Unwrap methods,
// which may belong to the cell; so it runs on a goroutine of the cell, where they can be
// interrupted.
func ReportPanic(value any) PanicReport {
	r := PanicReport{Text: PanicText(value), Runtime: IsRuntimeError(value)}
	if f, ok := value.(Failure); ok {
		return PanicReport{Text: f.Error(), Name: f.FailureName()}
	}
	if r.Runtime || value == nil {
		return r
	}
	switch value.(type) {
	case Misuse, memoryError: // stand for errors of the runtime
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

// Lines are the lines below the text: the type of the value and its causes.
func (r PanicReport) Lines() []string {
	var list []string
	if r.Type != "" {
		list = append(list, "    of type "+r.Type)
	}
	for _, cause := range r.Causes {
		list = append(list, "    "+cause)
	}
	return list
}

// causes appends what an error wraps to a list.
func causes(err error, depth int, list []string) []string {
	for _, cause := range unwrap(err) {
		indent := strings.Repeat("  ", depth)
		if depth >= maxCauseDepth || len(list) >= maxCauses {
			return append(list, indent+"caused by more")
		}
		text := strings.ReplaceAll(errorText(cause), "\n", "\n    "+indent+"  ")
		list = append(list, fmt.Sprintf("%scaused by %T: %s", indent, cause, text))
		list = causes(cause, depth+1, list)
	}
	return list
}

// unwrap returns the errors that an error wraps, none where its method panics.
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
