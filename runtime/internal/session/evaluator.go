package session

import (
	"context"
	"reflect"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/guard"
)

// An Evaluator is a session that a program evaluates Go with.
type Evaluator struct{ *Session }

// A Result is what the evaluation of a source has produced.
type Result struct {
	Given bool // whether the last statement has a value
	Value any
}

// A Failure is the error of an evaluation, as a cell shows it.
type Failure struct {
	Name, Value string
	Traceback   []string
	Outcome     *guard.Outcome // of the statements; nil if they did not run
	Cause       error          // why they were not compiled; nil for an interrupt
}

// Error returns the name and the value.
func (f *Failure) Error() string { return f.Name + ": " + f.Value }

// Eval runs a source for a program that evaluates Go, without display forms of its value. Outputs
// go to write, with the stream names stdout and stderr. An error is a *Failure. When ctx is done,
// the statements are interrupted.
func (s *Evaluator) Eval(ctx context.Context, source string, write func(stream, text string), show func(protocol.Content)) (Result, error) {
	e := s.calls.begin(ctx, protocol.ExecuteRequest{Code: source, StoreHistory: true}, func(content protocol.Content) {
		if text, ok := content.(protocol.Stream); ok {
			write(text.Name, text.Text)
		} else if show != nil {
			show(content)
		}
	})
	e.bare = true
	defer s.calls.end(e)
	stop := context.AfterFunc(ctx, func() { s.calls.interrupt(e) })
	defer stop()
	end := s.run(e, source)
	if f := end.failure; f != nil {
		return Result{}, &Failure{f.name, f.value, f.traceback, f.outcome, f.err}
	}
	if end.shown == nil {
		return Result{}, nil
	}
	return Result{end.shown.given, end.shown.value}, nil
}

// Variable returns a session variable, addressable. It is allocated if no code has used it yet.
func (s *Evaluator) Variable(name string) (v reflect.Value, ok bool) {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	symbol := s.checker.Lookup(name)
	if symbol == nil || symbol.Kind != check.Variable {
		return reflect.Value{}, false
	}
	return s.link.Variable(symbol)
}

// BindVariable makes a session variable, which no code has used, the variable that p points to.
func (s *Evaluator) BindVariable(name string, p reflect.Value) bool {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	symbol := s.checker.Lookup(name)
	return symbol != nil && symbol.Kind == check.Variable && s.link.BindVariable(symbol, p)
}

// Kind returns what a name of the session is, and whether it is declared.
func (s *Evaluator) Kind(name string) (kind check.Kind, ok bool) {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	symbol := s.checker.Lookup(name)
	if symbol == nil {
		return kind, false
	}
	return symbol.Kind, true
}

// LimitMemory limits the memory by which the process may grow while a source is evaluated, and
// LimitOutput the bytes that it may print. 0 stands for the limits of the environment.
func (s *Evaluator) LimitMemory(bytes int64) { s.guard.Memory.SetGrowth(bytes) }

// LimitOutput sets the limit on the output of each evaluation, in bytes.
func (s *Evaluator) LimitOutput(bytes int64) { s.guard.Streams.LimitOutput(bytes) }
