package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"gosphere/runtime/realtype"
)

// When a type gains methods, the values that interfaces hold are looked up and get them, see
// realtype.Refresh. Nobody can look into a function, though. So where a function is made that
// captures variables with interface values, or with a way to such values, emitted code notes
// where these variables are, for as long as they are there. Literals that are called, deferred
// or started on the spot need no such note: none of them is left when a type gains methods,
// or its goroutine is still running.

// A holding is the statement being emitted, with the variables that its literals capture. They
// are noted before the statement, which is cheaper than within.
type holding struct {
	from  token.Pos
	names []string
}

// add notes the variable of a name.
func (h *holding) add(name string) {
	for _, known := range h.names {
		if known == name { // several literals, or one that is emitted again
			return
		}
	}
	h.names = append(h.names, name)
}

// text emits the notes.
func (h *holding) text(e *emitter) string {
	if len(h.names) == 0 {
		return ""
	}
	return e.hold(h.names) + "\n"
}

// hold emits notes of the variables to which pointers lead. Variables that nobody reads keep
// them: closures keep all variables of the functions around them.
func (e *emitter) hold(pointers []string) string {
	var notes []string
	for _, p := range pointers {
		name := e.temporary("h")
		notes = append(notes, fmt.Sprintf("%s := %s; _ = %s", name, e.u.s.noting().on(p), name))
	}
	return strings.Join(notes, "; ")
}

// noting is the operation that makes a note.
func (s *Session) noting() operation {
	if s.note == "" {
		s.note = s.operation("O", reflect.TypeFor[*realtype.Note](), s.holds.Holding())
	}
	return s.note
}

// holdCaptured tells what of the variables that a literal captures must be noted where the
// literal is made: pointers that its factory has anyway, and those that it needs in addition.
// The others are noted before the statement.
func (e *emitter) holdCaptured(x *ast.FuncLit) (known []string, more []*types.Var) {
	for _, v := range e.capturedBy(x, nil) {
		name := e.names[v]
		switch {
		case name == "" || !leads(e.typ(v.Type()), map[types.Type]bool{}):
		case e.shared[v]:
			known = append(known, name)
		case e.holding != nil && v.Pos() < e.holding.from:
			e.holding.add("&" + name)
		default:
			more = append(more, v)
		}
	}
	return known, more
}

// factory emits a function that makes a closure, and its call: the closure has its own pointers
// to heap variables.
func (e *emitter) factory(captured []*types.Var, x *ast.FuncLit, known []string, more []*types.Var, text string) string {
	var parameters, arguments []string
	for _, v := range captured {
		name := e.names[v]
		parameters = append(parameters, name+" *"+e.spell(e.typ(v.Type())))
		arguments = append(arguments, name)
	}
	for _, v := range more {
		name := e.temporary("h")
		parameters = append(parameters, name+" *"+e.spell(e.typ(v.Type())))
		arguments = append(arguments, "&"+e.names[v])
		known = append(known, name)
	}
	if len(parameters) == 0 {
		return e.apart(text, e.spell(e.typeOf(x)))
	}
	first := ""
	if len(known) > 0 {
		first = e.hold(known) + "; "
	}
	return fmt.Sprintf("func(%s) %s { %sreturn %s }(%s)", strings.Join(parameters, ", "), e.spell(e.typeOf(x)), first, text, strings.Join(arguments, ", "))
}

// apart emits a literal of a loop, which captures nothing, in a frame of its own. A frame has one place for the closures of a
// literal, and the interpreter puts the one before back there whenever one of them returns: on another goroutine
// that may be between the making of a closure and its use.
func (e *emitter) apart(literal, typ string) string {
	if e.fn.loops == 0 && !e.jumps {
		return literal
	}
	return fmt.Sprintf("func() %s { return %s }()", typ, literal)
}

// leads tells whether a value of a type may hold interface values, or lead to some. What
// functions capture is noted when they are made.
func leads(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Pointer:
		return leads(t.Elem(), seen)
	case *types.Slice:
		return leads(t.Elem(), seen)
	case *types.Array:
		return leads(t.Elem(), seen)
	case *types.Chan:
		return leads(t.Elem(), seen)
	case *types.Map:
		return leads(t.Key(), seen) || leads(t.Elem(), seen)
	case *types.Struct:
		for i := range t.NumFields() {
			if leads(t.Field(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}
