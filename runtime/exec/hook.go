package exec

import (
	"reflect"
	"unsafe"

	"go/types"

	"gosphere/runtime/ir"
)

// hook compiles a call of a function of the session.
func (c *compiler) hook(s *ir.Hook) func(frame) {
	site := c.site(s.Pos())
	var values []value
	prepare := func(frame) {}
	if call, ok := s.X.(*ir.Call); ok {
		if t, ok := call.Type().(*types.Tuple); ok {
			locals := temporaries(t)
			prepare = c.callAll(call, locals)
			for _, l := range locals {
				values = append(values, c.read(c.local(l, c.typeOf(l.Type))))
			}
		}
	}
	if values == nil {
		values = []value{c.expr(s.X)}
	}
	unpack := make([]func(frame) reflect.Value, len(values))
	for i, v := range values {
		unpack[i] = c.unpackDynamic(v)
	}
	run := s.Run
	return func(f frame) {
		prepare(f)
		list := make([]reflect.Value, len(unpack))
		for i, get := range unpack {
			list[i] = get(f)
		}
		t := headerOf(f).thread
		t.out(f, site)
		run(list)
		t.in()
	}
}

// unpackDynamic is unpack with the dynamic values of interface values.
func (c *compiler) unpackDynamic(x value) func(frame) reflect.Value {
	if x.typ.class != classIface {
		return c.unpack(x)
	}
	get, table := x.f.(func(frame) iface), hasTable(x.typ)
	return func(f frame) reflect.Value { return reflect.ValueOf(get(f).asAny(table)) }
}

// CallRef calls a function without parameters and results.
func (m *Machine) CallRef(ref *ir.FuncRef) { m.Run(funcOf(ref).code.Load()) }

// FuncValue returns a declared function as a value of the type t. The value calls the newest
// declaration.
func (m *Machine) FuncValue(ref *ir.FuncRef, t reflect.Type) reflect.Value {
	p := (&closure{m: m, fn: funcOf(ref), sig: m.signatureOf(ref.Sig)}).goFunc(t)
	return reflect.NewAt(t, unsafe.Pointer(&p)).Elem()
}
