package interp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gosphere/runtime/cell"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/session"
)

// ErrClosed is the value of the panic when the program calls, through an interface, a method of a
// type whose session is closed.
var ErrClosed = session.ErrClosed

// A CompileError says why a source was not compiled.
type CompileError struct {
	Problems []Problem
	text     string
}

// A Problem is one error in a source.
type Problem struct {
	File         string // of EvalFS; "" for a source of Eval
	Line, Column int    // from 1; 0 if the problem is not in the source that was evaluated
	Message      string
}

// Error returns the problems, each with its source line.
func (e *CompileError) Error() string { return e.text }

// A PanicError is a panic that a source has not recovered.
type PanicError struct {
	Value any    // the value of the panic
	Text  string // as Go prints it
	Trace string // calls of the sources, innermost first
}

// Error returns the text that Go prints.
func (e *PanicError) Error() string { return "panic: " + e.Text }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// An ExitError is a call of os.Exit or a fatal log message with a status other than 0, which ends
// the evaluation and not the program.
type ExitError struct{ Code int }

// Error returns the status.
func (e *ExitError) Error() string { return fmt.Sprintf("exit status %d", e.Code) }

// A LimitError is the end of an evaluation by one of the limits of Options.
type LimitError struct {
	What string // "memory" or "stack"
	Text string
}

// Error names the limit.
func (e *LimitError) Error() string { return e.What + " limit: " + e.Text }

// errorOf converts an error of the session.
func (s *Session) errorOf(ctx context.Context, err error) error {
	var f *session.Failure
	if !errors.As(err, &f) {
		return err
	}
	if f.Outcome == nil {
		if f.Cause == nil {
			return context.Cause(ctx) // interrupted before it ran
		}
		return compileError(f)
	}
	o := f.Outcome
	switch o.Kind {
	case guard.Interrupted:
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return errClosed
	case guard.Exited:
		return &ExitError{o.Code}
	case guard.Overflowed:
		return &LimitError{"stack", "calls nest deeper than " + o.Text}
	case guard.MemoryExceeded:
		return &LimitError{"memory", o.Text}
	case guard.Panicked:
		return &PanicError{o.Panic.Value, o.Panic.Text, strings.Join(o.Calls, "\n")}
	}
	return errors.New(f.Name + ": " + f.Value)
}

// compileError returns the problems of a source. Columns are those of the text.
func compileError(f *session.Failure) error {
	e := &CompileError{text: strings.Join(f.Traceback, "\n")}
	var list cell.Errors
	var one cell.Error
	switch {
	case errors.As(f.Cause, &list):
	case errors.As(f.Cause, &one):
		list = cell.Errors{one}
	default:
		e.Problems = []Problem{{Message: f.Value}}
		return e
	}
	for _, p := range list {
		e.Problems = append(e.Problems, Problem{Line: p.Line, Column: p.Column, Message: p.Message})
	}
	return e
}
