// Package engine evaluates pieces of Go code, which are the skeletons of cells (package session).
// It is the only package that uses the interpreter yaegi.
//
// The interface is small: Export compiled symbols, Eval a piece, Forget it. Eval never panics,
// regardless of the interpreter. One piece is evaluated at a time. Functions that the interpreter
// has compiled may run at any time and on any goroutine, even while another piece is evaluated.
//
// Read engine.go, then forget.go (memory that the interpreter would retain).
package engine

import (
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"sync"

	"github.com/traefik/yaegi/interp"
)

// An Engine is one interpreter.
type Engine struct {
	mu          sync.Mutex // guards interpreter while it compiles
	interpreter *interp.Interpreter
	memory      memory // the parts of the interpreter that grow
}

// New returns an engine without symbols.
func New() *Engine {
	e := &Engine{interpreter: interp.New(interp.Options{Unrestricted: true, Stdout: io.Discard, Stderr: io.Discard})}
	e.memory.find(e.interpreter)
	return e
}

// Export makes compiled symbols importable under a path. Repeated exports to a path are combined.
func (e *Engine) Export(path, name string, symbols map[string]reflect.Value) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.interpreter.Use(interp.Exports{path + "/" + name: symbols}); err != nil {
		panic(fmt.Sprintf("engine: exporting %s: %v", path, err))
	}
}

// An EvalError is an error of the interpreter about a piece. Sessions evaluate only skeletons,
// which are valid, so the error indicates a defect of this program or of the interpreter.
type EvalError struct {
	Message string
	Source  string
	Stack   string // of a panic inside the interpreter
}

// Error returns the interpreter's message.
func (e *EvalError) Error() string { return "interpreter: " + e.Message }

// Eval evaluates one piece and returns the value of its last expression.
func (e *Engine) Eval(source string) (value reflect.Value, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.eval(source)
}

// eval implements Eval. The caller holds the lock.
func (e *Engine) eval(source string) (value reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &EvalError{Message: fmt.Sprint(r), Source: source, Stack: string(debug.Stack())}
		}
	}()
	defer e.memory.forgetTrees()
	value, err = e.interpreter.Eval(source)
	if err != nil {
		return value, &EvalError{Message: err.Error(), Source: source}
	}
	return value, nil
}

// Function returns the compiled function with a name. It must have no parameters and no results.
func (e *Engine) Function(name string) (func(), error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.Mark()
	value, err := e.eval(name)
	if err != nil {
		return nil, err
	}
	e.forgetFiles(before, e.Mark())
	f, ok := value.Interface().(func())
	if !ok {
		return nil, &EvalError{Message: name + " is no function", Source: name}
	}
	return f, nil
}
