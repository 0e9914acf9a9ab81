package exec

import (
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// direct compiles a call with one result as a typed Go call. It returns nil if there is no typed
// form. For instance, math.Sqrt(x) is compiled to a closure that calls a func(float64) float64,
// without arguments or results in memory.
//
// A typed call uses Go's own calling convention with the arguments in registers. It is correct for
// named types as well, because registers are assigned by layout and not by name. Only frequent
// classes have a typed form: each class of results multiplies the number of instances in the binary
// by the number of classes of parameters.
func (c *compiler) direct(t machine.Target, operands []any, result *machine.Type, e *ir.Call) any {
	call := &machine.Caller{Target: t, M: &c.m.Machine, Site: c.callSite(e, e.Pos())}
	switch result.Class {
	case machine.ClassInt:
		return machine.DirectOf[int](call, operands)
	case machine.ClassInt32:
		return machine.NarrowOf[int32](call, operands)
	case machine.ClassUint8:
		return machine.NarrowOf[uint8](call, operands)
	case machine.ClassFloat64:
		return machine.DirectOf[float64](call, operands)
	case machine.ClassString:
		return machine.DirectOf[string](call, operands)
	case machine.ClassBool:
		return machine.DirectOf[bool](call, operands)
	case machine.ClassIface:
		return machine.DirectOf[machine.Iface](call, operands)
	case machine.ClassPointer:
		return machine.DirectOf[unsafe.Pointer](call, operands)
	case machine.ClassSlice:
		return machine.DirectOf[machine.Slice](call, operands)
	}
	return nil
}

// directStep compiles a call as a statement by a typed Go call. It returns nil if there is no typed
// form. There is one for calls without results and with at most one parameter, for calls whose
// single result is discarded, and for calls with an int and an interface value as results.
//
// The last form serves Write, Fprintln and other functions of input and output, which are the most
// frequent calls with two results.
func (c *compiler) directStep(t machine.Target, operands []any, e *ir.Call, dst []*ir.Local) func(machine.Frame) {
	call := &machine.Caller{Target: t, M: &c.m.Machine, Site: c.callSite(e, e.Pos())}
	var results []*machine.Type
	for i := range t.Type.NumOut() {
		results = append(results, c.m.Describe(t.Type.Out(i)))
	}
	switch {
	case len(results) == 0:
		return plainStep(call, operands)
	case len(results) == 1 && dst == nil && results[0].Class != machine.ClassMemory:
		if f := c.direct(t, operands, results[0], e); f != nil {
			return operation.Classes[results[0].Class].Drop(operation.Value{Type: results[0], F: f})
		}
	case len(results) == 2 && results[0].Class == machine.ClassInt && results[1].Class == machine.ClassIface:
		if f := call.Pair(operands); f != nil {
			return c.storePair(f, dst)
		}
	}
	return nil
}

// storePair compiles the storing of two results in variables. A result is discarded if dst or its
// element is nil.
//
// Both results are in Go variables before either is stored, so the destinations may be read by the
// call.
func (c *compiler) storePair(call func(machine.Frame) (int, machine.Iface), dst []*ir.Local) func(machine.Frame) {
	to := make([]func(machine.Frame) unsafe.Pointer, 2)
	for i, l := range dst {
		if l != nil {
			to[i] = c.local(l, c.typeOf(l.Type)).Address()
		}
	}
	first, second := to[0], to[1]
	return func(f machine.Frame) {
		n, v := call(f)
		if first != nil {
			*(*int)(first(f)) = n
		}
		if second != nil {
			*(*machine.Iface)(second(f)) = v
		}
	}
}

// plainStep compiles a call without results and with at most one parameter, or returns nil.
func plainStep(call *machine.Caller, operands []any) func(machine.Frame) {
	switch len(operands) {
	case 0:
		return machine.Step0(call)
	case 1:
		switch get := operands[0].(type) {
		case func(machine.Frame) int:
			return machine.Step1(call, get)
		case func(machine.Frame) float64:
			return machine.Step1(call, get)
		case func(machine.Frame) string:
			return machine.Step1(call, get)
		case func(machine.Frame) machine.Iface:
			return machine.Step1(call, get)
		case func(machine.Frame) unsafe.Pointer:
			return machine.Step1(call, get)
		case func(machine.Frame) machine.Slice:
			return machine.Step1(call, get)
		}
	}
	return nil
}
