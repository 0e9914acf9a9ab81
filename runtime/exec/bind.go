package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/ir"
)

// bind compiles a method value: the receiver is evaluated now.
func (c *compiler) bind(e *ir.Bind, t *typ) value {
	if e.Ref != nil {
		return c.bindDeclared(e, t)
	}
	recv := c.typeOf(e.Method.Recv.Type())
	s := c.site(e.Pos())
	if recv.class == classIface {
		return c.bindInterface(e, t, recv, s)
	}
	if v, ok := c.m.host.Override(e.Method.Func); ok {
		return c.bindOverride(e, t, v)
	}
	method, _ := recv.Type.MethodByName(e.Method.Func.Name())
	x := c.expr(e.Method.Recv)
	from, rt := c.inMemory(x), recv.Type
	return value{typ: t, f: func(f frame) unsafe.Pointer {
		receiver := reflect.New(rt).Elem()
		receiver.Set(reflect.NewAt(rt, from(f)).Elem())
		if rt.Kind() == reflect.Pointer && receiver.IsNil() && isValueMethod(rt, method.Name) {
			panicNil(f, s)
		}
		return *(*unsafe.Pointer)(newFuncCell(receiver.Method(method.Index)))
	}}
}

// isValueMethod reports whether a pointer type has a method from the type that it points to.
func isValueMethod(pointer reflect.Type, name string) bool {
	_, ok := pointer.Elem().MethodByName(name)
	return ok
}

// bindDeclared compiles the method value of a method with a body in source.
func (c *compiler) bindDeclared(e *ir.Bind, t *typ) value {
	fn, sig, m := funcOf(e.Ref), c.m.signatureOf(e.Ref.Sig), c.m
	put, recv, shape := put(c.expr(e.Recv)), sig.params[0].typ, shapeOf(t.Type)
	return value{typ: t, f: func(f frame) unsafe.Pointer {
		cell := mallocgc(max(recv.size, 1), recv.rtype, true)
		put(f, cell)
		return shape.goFunc(&closure{m: m, fn: fn, sig: sig, bound: &boundReceiver{recv, cell}})
	}}
}

// bindInterface compiles the method value of an interface value.
func (c *compiler) bindInterface(e *ir.Bind, t, recv *typ, s *site) value {
	get := c.expr(e.Method.Recv).f.(func(frame) iface)
	index, _ := c.methodIndex(recv.Type, e.Method.Func)
	rt := recv.Type
	return value{typ: t, f: func(f frame) unsafe.Pointer {
		v := get(f)
		if v.tab == nil {
			panicNil(f, s)
		}
		method := reflect.NewAt(rt, unsafe.Pointer(&v)).Elem().Method(index)
		return *(*unsafe.Pointer)(newFuncCell(method))
	}}
}

// bindOverride compiles the method value of a method that another function stands for.
func (c *compiler) bindOverride(e *ir.Bind, t *typ, method reflect.Value) value {
	from, rt, ft := c.inMemory(c.expr(e.Method.Recv)), c.typeOf(e.Method.Recv.Type()).Type, t.Type
	return value{typ: t, f: func(f frame) unsafe.Pointer {
		receiver := reflect.New(rt).Elem()
		receiver.Set(reflect.NewAt(rt, from(f)).Elem())
		bound := reflect.MakeFunc(ft, func(args []reflect.Value) []reflect.Value {
			args = append([]reflect.Value{receiver}, args...)
			if ft.IsVariadic() {
				return method.CallSlice(args)
			}
			return method.Call(args)
		})
		return *(*unsafe.Pointer)(newFuncCell(bound))
	}}
}
