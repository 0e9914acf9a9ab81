// Package engine evaluates pieces of Go; it is the only package that knows the interpreter.
//
// Its interface is small: Export compiled symbols, Eval a piece, forget it. Eval never panics,
// whatever the interpreter does. One piece is evaluated at a time; functions that it has compiled may
// run at any time and on any goroutine, also while another piece is evaluated.
package engine

import (
	"fmt"
	"io"
	"path"
	"reflect"
	"runtime/debug"
	"sync"

	"github.com/traefik/yaegi/interp"
)

// An Engine is one interpreter.
type Engine struct {
	mu          sync.Mutex // guards interpreter while it compiles
	interpreter *interp.Interpreter
	symbols     map[string]map[string]reflect.Value // by path, never changed
	memory      memory                              // what the interpreter need not keep
}

// New makes an engine. The tables are yaegi's: by "path/name" of the package and name
// of the symbol. They are shared, not copied; a package is handed to the interpreter when
// it is first imported.
func New(tables map[string]map[string]reflect.Value) *Engine {
	e := &Engine{symbols: map[string]map[string]reflect.Value{}}
	e.interpreter = interp.New(interp.Options{Unrestricted: true, Stdout: io.Discard, Stderr: io.Discard})
	e.memory.find(e.interpreter)
	for key, table := range tables {
		if importPath := path.Dir(key); importPath == hooksPath {
			e.use(key, table)
		} else {
			e.symbols[importPath] = table
		}
	}
	return e
}

// hooksPath is where yaegi looks for conversions that are not its own.
const hooksPath = "github.com/traefik/yaegi"

// Symbol finds a compiled symbol by package path and name.
func (e *Engine) Symbol(path, name string) (reflect.Value, bool) {
	v, ok := e.symbols[path][name]
	return v, ok
}

// Export makes compiled symbols importable under a path. Exporting to a path again adds to it.
func (e *Engine) Export(path, name string, symbols map[string]reflect.Value) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.use(path+"/"+name, symbols)
}

func (e *Engine) use(key string, symbols map[string]reflect.Value) {
	if err := e.interpreter.Use(interp.Exports{key: symbols}); err != nil {
		panic(fmt.Sprintf("engine: exporting %s: %v", key, err))
	}
}

// Import makes a package of the tables importable; false if there is none with this path.
func (e *Engine) Import(importPath string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	table, ok := e.symbols[importPath]
	if ok {
		// Under its own name the interpreter would replace functions of package fmt and
		// others, and compile its generic sources. Emitted code imports by path only.
		e.use(importPath+"/"+path.Base(importPath)+"ʹ", table)
	}
	return ok
}

// An EvalError is an error of the interpreter about a piece. The front end never lets it
// see invalid code, so that this is a defect of the front end or of the interpreter.
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

// eval is Eval for a caller who holds the lock.
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

// Function returns a compiled function without parameters and results by its name.
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
