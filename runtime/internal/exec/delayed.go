package exec

import (
	"go/token"
	"reflect"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/builtin"
	"gosphere/runtime/internal/machine/operation"
)

// delayedBuiltin compiles a go or defer statement with a predeclared function.
//
// The operands become reflect.Values, which are copies: the specification requires the operands of
// a go or defer statement to be evaluated and saved when the statement executes. A frame may be
// reused before the call is made, so nothing may refer to it.
func (c *compiler) delayedBuiltin(e *ir.Builtin, pos token.Pos) func(f machine.Frame) func(machine.Frame, *machine.Defers) {
	s := c.site(pos)
	unpack := make([]func(machine.Frame) reflect.Value, len(e.Args))
	for i, a := range e.Args {
		unpack[i] = c.unpack(c.expr(a))
	}
	name := e.Name
	run, ok := builtin.Delayed[name]
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
			// The statement defer recover() makes the call from the function whose frame is from, after its
			// body. By the specification recover stops a panic only if a deferred function has called it
			// directly; here that is the function of from, if it is itself one of the deferred calls of a
			// panicking function.
			if name == "recover" {
				// recover acts for the function that has deferred it, unless that function panics
				// itself.
				if d := machine.HeaderOf(from).Deferred; d != nil && (own == nil || own.Panic == nil) {
					d.Panic = nil
				}
				return
			}
			if (name == "delete" || name == "clear") && args[0].Kind() == reflect.Map && vm.Host.Shared() {
				// The lock is taken when the call is made, since the map may be shared only by then.
				defer vm.Host.LockMap(args[0].Pointer(), true)()
			}
			run(args)
		}
	}
}

// unpack compiles a copy of a value to a reflect.Value.
func (c *compiler) unpack(x operation.Value) func(machine.Frame) reflect.Value {
	if x.Type.Class != machine.ClassMemory {
		return operation.Classes[x.Type.Class].Unpack(x)
	}
	addr, t := x.Addr, x.Type
	return func(f machine.Frame) reflect.Value {
		v := reflect.New(t.Type).Elem()
		machine.TypedMove(t.RType, v.Addr().UnsafePointer(), addr(f))
		return v
	}
}
