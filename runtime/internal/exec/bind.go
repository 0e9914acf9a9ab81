package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// bind compiles a method value. The receiver is evaluated now.
//
// "As with selectors, a reference to a non-interface method with a value receiver using a pointer
// will automatically dereference that pointer", says the specification, and "the expression x is
// evaluated and copied during the evaluation of the method value". All forms below therefore
// evaluate, copy and check the receiver in the closure of the expression, and the call only adds
// the arguments.
func (c *compiler) bind(e *ir.Bind, t *machine.Type) operation.Value {
	if e.Ref != nil {
		return c.bindDeclared(e, t)
	}
	recv := c.typeOf(e.Method.Recv.Type())
	s := c.site(e.Pos())
	if recv.Class == machine.ClassIface {
		return c.bindInterface(e, t, recv, s)
	}
	if v, ok := c.m.Host.Override(e.Method.Func); ok {
		return c.bindOverride(e, t, v)
	}
	// Package reflect makes the method value of a compiled type. Its code is an assembly stub of
	// reflect, which DelayedTarget recognizes (see methodValueCode).
	method, _ := recv.Type.MethodByName(e.Method.Func.Name())
	x := c.expr(e.Method.Recv)
	from, rt := c.inMemory(x), recv.Type
	return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		// The receiver is copied, so that later assignments to the operand do not change it.
		receiver := reflect.New(rt).Elem()
		receiver.Set(reflect.NewAt(rt, from(f)).Elem())
		if rt.Kind() == reflect.Pointer && receiver.IsNil() && isValueMethod(rt, method.Name) {
			machine.PanicNil(f, s)
		}
		return *(*unsafe.Pointer)(machine.NewFuncCell(receiver.Method(method.Index)))
	}}
}

// isValueMethod reports whether a pointer type has a method because its element type has it. Such a
// method value dereferences the pointer, so a nil pointer panics when the method value is made.
//
// In compiled Go the wrapper that is generated for the pointer type makes the dereference, with the
// same panic.
func isValueMethod(pointer reflect.Type, name string) bool {
	_, ok := pointer.Elem().MethodByName(name)
	return ok
}

// bindDeclared compiles the method value of a method with a body in source. The receiver is copied
// to the heap, because the method value may outlive the frame.
//
// The closure refers to the Function and not to its present Code: a method value that a variable of
// an earlier cell holds calls the method as redeclared, like the method table of the type does.
func (c *compiler) bindDeclared(e *ir.Bind, t *machine.Type) operation.Value {
	fn, sig, m := machine.FuncOf(e.Ref), c.m.signatureOf(e.Ref.Sig), c.m
	put, recv, shape := operation.Put(c.expr(e.Recv)), sig.Params[0].Type, machine.ShapeOf(t.Type)
	arguments := &machine.Signature{Params: sig.Params[1:], Results: sig.Results, Size: sig.Size, Words: sig.Words}
	return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		// A receiver of size zero needs an address, too.
		cell := machine.Malloc(max(recv.Size, 1), recv.RType, true)
		put(f, cell)
		return shape.GoFunc(&machine.Closure{M: &m.Machine, Fn: fn, Sig: arguments, Bound: &machine.BoundReceiver{Type: recv, At: cell}})
	}}
}

// bindInterface compiles the method value of a method of an interface value.
//
// The nil check belongs to the evaluation: "If x is of interface type and has the value nil,
// calling or evaluating the method x.f causes a run-time panic".
func (c *compiler) bindInterface(e *ir.Bind, t, recv *machine.Type, s *machine.Site) operation.Value {
	get := c.expr(e.Method.Recv).F.(func(machine.Frame) machine.Iface)
	// reflect numbers methods as the method tables do, by sorted names.
	index, _ := c.methodIndex(recv.Type, e.Method.Func)
	rt := recv.Type
	return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		v := get(f)
		if v.Tab == nil {
			machine.PanicNil(f, s)
		}
		method := reflect.NewAt(rt, unsafe.Pointer(&v)).Elem().Method(index)
		return *(*unsafe.Pointer)(machine.NewFuncCell(method))
	}}
}

// bindOverride compiles the method value of a method that is overridden by another function. The
// function has the receiver as its first parameter.
//
// An override is a plain function, so there is no method that reflect could bind. MakeFunc is slow,
// but only a few methods are overridden, and method values of them are rare.
func (c *compiler) bindOverride(e *ir.Bind, t *machine.Type, method reflect.Value) operation.Value {
	from, rt, ft := c.inMemory(c.expr(e.Method.Recv)), c.typeOf(e.Method.Recv.Type()).Type, t.Type
	return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		receiver := reflect.New(rt).Elem()
		receiver.Set(reflect.NewAt(rt, from(f)).Elem())
		bound := reflect.MakeFunc(ft, func(args []reflect.Value) []reflect.Value {
			args = append([]reflect.Value{receiver}, args...)
			if ft.IsVariadic() {
				return method.CallSlice(args)
			}
			return method.Call(args)
		})
		return *(*unsafe.Pointer)(machine.NewFuncCell(bound))
	}}
}
