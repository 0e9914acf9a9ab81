package exec

import (
	"unsafe"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// direct compiles a call with one result as a typed Go call. It returns nil if there is no typed
// form. For instance, math.Sqrt(x) is compiled to a closure that calls a func(float64) float64,
// without arguments or results in memory.
func (c *compiler) direct(t machine.Target, values []machine.Value, result *machine.Type, e *ir.Call) any {
	call := &machine.Caller{Target: t, M: &c.m.Machine, Site: c.callSite(e, e.Pos())}
	switch result.Class {
	case machine.ClassInt:
		return machine.DirectOf[int](call, values)
	case machine.ClassInt32:
		return machine.DirectOf[int32](call, values)
	case machine.ClassUint8:
		return machine.DirectOf[uint8](call, values)
	case machine.ClassFloat64:
		return machine.DirectOf[float64](call, values)
	case machine.ClassString:
		return machine.DirectOf[string](call, values)
	case machine.ClassBool:
		return machine.DirectOf[bool](call, values)
	case machine.ClassIface:
		return machine.DirectOf[machine.Iface](call, values)
	case machine.ClassPointer:
		return machine.DirectOf[unsafe.Pointer](call, values)
	case machine.ClassSlice:
		return machine.DirectOf[machine.Slice](call, values)
	}
	return nil
}

// directStep compiles a call as a statement by a typed Go call. It returns nil if there is no typed
// form. There is one for calls without results and with at most one parameter, for calls whose
// single result is discarded, and for calls with an int and an interface value as results.
func (c *compiler) directStep(t machine.Target, values []machine.Value, e *ir.Call, dst []*ir.Local) func(machine.Frame) {
	call := &machine.Caller{Target: t, M: &c.m.Machine, Site: c.callSite(e, e.Pos())}
	var results []*machine.Type
	for i := range t.Type.NumOut() {
		results = append(results, c.m.Describe(t.Type.Out(i)))
	}
	switch {
	case len(results) == 0:
		return plainStep(call, values)
	case len(results) == 1 && dst == nil && results[0].Class != machine.ClassMemory:
		if f := c.direct(t, values, results[0], e); f != nil {
			return machine.Classes[results[0].Class].Drop(machine.Value{Type: results[0], F: f})
		}
	case len(results) == 2 && results[0].Class == machine.ClassInt && results[1].Class == machine.ClassIface:
		if f := call.Pair(values); f != nil {
			return c.storePair(f, dst)
		}
	}
	return nil
}

// storePair compiles the storing of two results in variables. A result is discarded if dst or its
// element is nil.
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
func plainStep(call *machine.Caller, values []machine.Value) func(machine.Frame) {
	switch len(values) {
	case 0:
		return machine.Step0(call)
	case 1:
		switch get := values[0].F.(type) {
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
