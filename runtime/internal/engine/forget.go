package engine

import (
	"go/token"
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// The interpreter retains the syntax tree of every piece in three places: a list for its debugger,
// the scopes inside the scope of each package, and the symbols of functions. That is too much for a
// session of many thousand cells, and the interpreter has no function to release them. This file
// therefore clears the three from outside, by reflection. Running code refers to its own tree and
// is not affected.

// A memory gives access to these places. A zero Value means that this version of the interpreter
// does not have the place.
type memory struct {
	roots  reflect.Value // []*node, for the debugger
	scopes reflect.Value // map[string]*scope, by package
}

// mainPackage is the package of the pieces.
const mainPackage = "main"

// find locates the fields in an interpreter.
func (m *memory) find(i *interp.Interpreter) {
	whole := reflect.ValueOf(i).Elem()
	m.roots = writable(whole.FieldByName("roots"), reflect.Slice)
	m.scopes = writable(whole.FieldByName("scopes"), reflect.Map)
}

// writable returns a field that can be set although it is not exported. It returns the zero Value
// if the field has another kind.
func writable(field reflect.Value, kind reflect.Kind) reflect.Value {
	if !field.IsValid() || field.Kind() != kind || !field.CanAddr() {
		return reflect.Value{}
	}
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// mainScope returns a field of the scope of package main.
func (m *memory) mainScope(name string, kind reflect.Kind) reflect.Value {
	if !m.scopes.IsValid() || m.scopes.Type().Key().Kind() != reflect.String {
		return reflect.Value{}
	}
	scope := m.scopes.MapIndex(reflect.ValueOf(mainPackage))
	if !scope.IsValid() || scope.Kind() != reflect.Pointer || scope.IsNil() || scope.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return writable(scope.Elem().FieldByName(name), kind)
}

// forgetTrees clears two lists that only grow. The first is read only by the interpreter's
// debugger, and the second not at all.
func (m *memory) forgetTrees() {
	if m.roots.IsValid() {
		m.roots.SetZero()
	}
	if children := m.mainScope("child", reflect.Slice); children.IsValid() {
		children.SetZero()
	}
}

// Mark returns the position at which the next piece will begin.
func (e *Engine) Mark() int { return e.interpreter.FileSet().Base() }

// Forget removes a function's name, so that later pieces cannot refer to it, together with its tree
// and the positions of the pieces between two marks. Running calls of the function, and function
// values made by it, are not affected.
func (e *Engine) Forget(name string, from, to int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if symbols := e.memory.mainScope("sym", reflect.Map); symbols.IsValid() && symbols.Type().Key().Kind() == reflect.String {
		symbols.SetMapIndex(reflect.ValueOf(name), reflect.Value{})
	}
	e.forgetFiles(from, to)
}

// forgetFiles removes the positions between two marks. The interpreter makes several files for a
// piece: one for its first token, and one for each form that it tries.
func (e *Engine) forgetFiles(from, to int) {
	files := e.interpreter.FileSet()
	for from < to {
		f := files.File(token.Pos(from))
		if f == nil {
			from++
			continue
		}
		from = f.Base() + f.Size() + 1
		files.RemoveFile(f)
	}
}
