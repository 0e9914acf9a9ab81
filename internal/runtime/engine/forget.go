package engine

import (
	"go/token"
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// The interpreter keeps the syntax tree of every piece for ever, under three names: a list
// for its debugger, the scopes inside each package's scope, and the symbols of functions. For
// a session of many thousand cells that is too much, and it has no function that forgets. So
// the three are emptied from outside. What still runs refers to its own tree.

// memory gives access to them; a zero Value stands for what this version does not have.
type memory struct {
	roots  reflect.Value // []*node, for the debugger
	scopes reflect.Value // map[string]*scope, by package
}

// mainPackage is where the pieces live.
const mainPackage = "main"

// find looks up the fields.
func (m *memory) find(i *interp.Interpreter) {
	whole := reflect.ValueOf(i).Elem()
	m.roots = writable(whole.FieldByName("roots"), reflect.Slice)
	m.scopes = writable(whole.FieldByName("scopes"), reflect.Map)
}

// writable returns a field that may be set although it is not exported.
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

// forgetTrees empties the lists that are only ever added to. Nothing but the interpreter's
// debugger reads the first, and nothing the second.
func (m *memory) forgetTrees() {
	if m.roots.IsValid() {
		m.roots.SetZero()
	}
	if children := m.mainScope("child", reflect.Slice); children.IsValid() {
		children.SetZero()
	}
}

// Mark tells where the positions of the next piece will begin.
func (e *Engine) Mark() int { return e.interpreter.FileSet().Base() }

// Forget takes the name of a function away from the pieces to come, and its tree with it, and
// the positions of the pieces evaluated between two marks. Calls of the function that run, and
// function values made in it, are not concerned.
func (e *Engine) Forget(name string, from, to int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if symbols := e.memory.mainScope("sym", reflect.Map); symbols.IsValid() && symbols.Type().Key().Kind() == reflect.String {
		symbols.SetMapIndex(reflect.ValueOf(name), reflect.Value{})
	}
	e.forgetFiles(from, to)
}

// forgetFiles removes the positions between two marks. The interpreter makes several files of
// a piece: one for its first token, and one for each form that it tries.
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
