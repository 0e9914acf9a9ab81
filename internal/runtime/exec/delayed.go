package exec

import (
	"go/token"
	"reflect"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// delayedBuiltin compiles a go or defer statement with a predeclared function.
func (c *compiler) delayedBuiltin(e *ir.Builtin, pos token.Pos) func(f machine.Frame) func(machine.Frame, *machine.Defers) {
	s := c.site(pos)
	unpack := make([]func(machine.Frame) reflect.Value, len(e.Args))
	for i, a := range e.Args {
		unpack[i] = c.unpack(c.expr(a))
	}
	name := e.Name
	// recover is in the table with nil, since it needs the list of deferred calls.
	run, ok := delayedBuiltins[name]
	if !ok {
		unsupported(e.Pos(), "%s cannot be deferred; put it into a function literal", e.Name)
	}
	vm := c.m
	return func(f machine.Frame) func(machine.Frame, *machine.Defers) {
		args := make([]reflect.Value, len(unpack))
		for i, get := range unpack {
			args[i] = get(f)
		}
		return func(from machine.Frame, own *machine.Defers) {
			machine.Fail(from, s)
			if name == "recover" {
				// recover acts for the function that has deferred it, unless that function panics
				// itself.
				if d := machine.HeaderOf(from).Deferred; d != nil && (own == nil || own.Panic == nil) {
					d.Panic = nil
				}
				return
			}
			if (name == "delete" || name == "clear") && args[0].Kind() == reflect.Map && vm.Host.Shared() {
				defer vm.Host.LockMap(args[0].Pointer(), true)()
			}
			run(args)
		}
	}
}

// unpack compiles a copy of a value to a reflect.Value.
func (c *compiler) unpack(x machine.Value) func(machine.Frame) reflect.Value {
	if x.Type.Class != machine.ClassMemory {
		return machine.Classes[x.Type.Class].Unpack(x)
	}
	addr, t := x.Addr, x.Type
	return func(f machine.Frame) reflect.Value {
		v := reflect.New(t.Type).Elem()
		machine.TypedMove(t.RType, v.Addr().UnsafePointer(), addr(f))
		return v
	}
}

// delayedBuiltins maps the predeclared functions that may be statements to their implementation.
// Calls of them in go and defer statements are rare, so they use package reflect.
var delayedBuiltins = map[string]func(args []reflect.Value){
	"close":   func(args []reflect.Value) { machine.ChanClose(args[0].UnsafePointer()) },
	"clear":   func(args []reflect.Value) { args[0].Clear() },
	"copy":    func(args []reflect.Value) { reflect.Copy(args[0], args[1]) },
	"delete":  func(args []reflect.Value) { args[0].SetMapIndex(args[1], reflect.Value{}) },
	"panic":   func(args []reflect.Value) { panic(args[0].Interface()) },
	"print":   func(args []reflect.Value) { printValues(args, "") },
	"println": func(args []reflect.Value) { printValues(args, " "); printText("\n") },
	"recover": nil,
}
