package exec

import (
	"reflect"
	"unsafe"

	"go/types"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// hook compiles an ir.Hook, which is a call of a Go function of the session. The call counts as
// compiled code, during which the cell can lose the execution lock.
//
// The session could display a value by a generated call of a function instead. A hook needs no such
// function among the names of the program, and it passes the value with its static type.
func (c *compiler) hook(s *ir.Hook) func(machine.Frame) {
	site := c.site(s.Pos())
	var values []operation.Value
	prepare := func(machine.Frame) {}
	if call, ok := s.X.(*ir.Call); ok {
		if t, ok := call.Type().(*types.Tuple); ok {
			locals := temporaries(t)
			prepare = c.callAll(call, locals)
			for _, l := range locals {
				values = append(values, c.read(c.local(l, c.typeOf(l.Type))))
			}
		}
	}
	// The builder makes no hook for a call without results, so there is exactly one value here.
	if values == nil {
		values = []operation.Value{c.expr(s.X)}
	}
	unpack := make([]func(machine.Frame) reflect.Value, len(values))
	for i, v := range values {
		unpack[i] = c.unpackDynamic(v)
	}
	run := s.Run
	return func(f machine.Frame) {
		prepare(f)
		list := make([]reflect.Value, len(unpack))
		for i, get := range unpack {
			list[i] = get(f)
		}
		// Displaying a value may call String methods of cells, and may take long.
		t := machine.HeaderOf(f).Thread
		t.Out(f, site)
		run(list)
		t.In()
	}
}

// unpackDynamic is like unpack but returns the dynamic values of interface values.
func (c *compiler) unpackDynamic(x operation.Value) func(machine.Frame) reflect.Value {
	if x.Type.Class != machine.ClassIface {
		return c.unpack(x)
	}
	get, table := x.F.(func(machine.Frame) machine.Iface), machine.HasTable(x.Type)
	return func(f machine.Frame) reflect.Value { return reflect.ValueOf(get(f).AsAny(table)) }
}

// CallRef calls a function without parameters and results.
func (m *Machine) CallRef(ref *ir.FuncRef) { m.Run(machine.FuncOf(ref).Code.Load()) }

// FuncValue returns a declared function as a value of type t. The value calls the latest
// declaration of the function.
//
// Package link puts such values into the method tables of types that cells declare. A redeclared
// function then takes effect without a new value.
func (m *Machine) FuncValue(ref *ir.FuncRef, t reflect.Type) reflect.Value {
	p := (&machine.Closure{M: &m.Machine, Fn: machine.FuncOf(ref), Sig: m.signatureOf(ref.Sig)}).GoFunc(t)
	return reflect.NewAt(t, unsafe.Pointer(&p)).Elem()
}
