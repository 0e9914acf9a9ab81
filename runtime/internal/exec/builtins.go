package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/builtin"
	"gosphere/runtime/internal/machine/operation"
)

// builtin compiles a call of a predeclared function that has a result.
//
// The operands of most functions are checked by the runtime, which the closures call with the same
// arguments as compiled Go does. The texts of their panics are therefore the runtime's.
func (c *compiler) builtin(e *ir.Builtin) operation.Value {
	switch e.Name {
	case "append":
		return c.appendTo(e)
	case "len", "cap":
		return builtin.Length(c.intType(), c.expr(e.Args[0]), e.Name == "cap")
	case "make":
		return c.makeValue(e)
	case "new":
		return c.newValue(e)
	case "min", "max":
		return c.extreme(e)
	case "copy":
		return operation.Value{Type: c.intType(), F: builtin.Copy(c.expr(e.Args[0]), c.expr(e.Args[1]))}
	case "recover":
		return c.recovered(e)
	case "defers":
		return operation.Value{Type: c.pointerType(), F: operation.Load[unsafe.Pointer](operation.Access{Mode: operation.ModeFrame, Offset: c.defersAt})}
	case "complex":
		return operation.Value{Type: c.typeOf(e.Type()), F: builtin.Complex(c.expr(e.Args[0]), c.expr(e.Args[1]))}
	case "real", "imag":
		return operation.Value{Type: c.typeOf(e.Type()), F: builtin.Part(e.Name == "real", c.expr(e.Args[0]))}
	case "Add", "Slice", "SliceData", "String", "StringData":
		return c.unsafeFunction(e)
	}
	unsupported(e.Pos(), "internal: %s has no value", e.Name)
	return operation.Value{}
}

// builtinStep compiles a call of a predeclared function as a statement.
//
// plainError and runtimeError raise errors that compiled Go raises inside of code that the compiler
// has generated, such as the check of an iterator that continues after a break. Package build
// writes these checks as ordinary statements.
func (c *compiler) builtinStep(e *ir.Builtin) func(machine.Frame) {
	s := c.site(e.Pos())
	switch e.Name {
	case "panic":
		get := c.expr(e.Args[0]).F.(func(machine.Frame) machine.Iface)
		return func(f machine.Frame) {
			v := get(f)
			machine.Raise(f, s, *(*any)(unsafe.Pointer(&v)))
		}
	case "plainError":
		get := c.expr(e.Args[0]).F.(func(machine.Frame) string)
		return func(f machine.Frame) { machine.Raise(f, s, machine.PlainError(get(f))) }
	case "runtimeError":
		get := c.expr(e.Args[0]).F.(func(machine.Frame) string)
		return func(f machine.Frame) { machine.Raise(f, s, machine.RuntimeError(get(f))) }
	case "close":
		get := c.expr(e.Args[0]).F.(func(machine.Frame) unsafe.Pointer)
		return func(f machine.Frame) { ch := get(f); machine.Fail(f, s); machine.ChanClose(ch) }
	case "delete":
		return c.deleteElem(e, s)
	case "clear":
		return c.clearValue(e)
	case "print", "println":
		return c.print(e)
	}
	x := c.builtin(e)
	// The remaining functions have a result, which is discarded.
	if x.Type.Class == machine.ClassMemory {
		addr := x.Addr
		return func(f machine.Frame) { addr(f) }
	}
	return operation.Classes[x.Type.Class].Drop(x)
}

// deleteElem compiles delete. The site is recorded first, because a key that is not hashable
// panics.
//
// Deleting from a nil map is permitted, and the runtime handles it.
func (c *compiler) deleteElem(e *ir.Builtin, s *machine.Site) func(machine.Frame) {
	m := c.expr(e.Args[0])
	get, key, r, vm := m.F.(func(machine.Frame) unsafe.Pointer), c.inMemory(c.expr(e.Args[1])), m.Type.RType, c.m
	return func(f machine.Frame) {
		v := get(f)
		k := key(f)
		machine.Fail(f, s)
		if vm.Host.Shared() {
			defer vm.Host.LockMap(uintptr(v), true)()
		}
		machine.MapDelete(r, v, k)
	}
}

// clearValue compiles clear for a slice or a map.
//
// Clearing a slice needs a write barrier for each pointer, which reflect's Clear has. Neither form
// can panic, so no position is recorded.
func (c *compiler) clearValue(e *ir.Builtin) func(machine.Frame) {
	x := c.expr(e.Args[0])
	if x.Type.Class == machine.ClassSlice {
		get := x.F.(func(machine.Frame) machine.Slice)
		t := x.Type.Type
		return func(f machine.Frame) {
			v := get(f)
			reflect.NewAt(t, unsafe.Pointer(&v)).Elem().Clear()
		}
	}
	get, r, vm := x.F.(func(machine.Frame) unsafe.Pointer), x.Type.RType, c.m
	return func(f machine.Frame) {
		v := get(f)
		if vm.Host.Shared() {
			defer vm.Host.LockMap(uintptr(v), true)()
		}
		machine.MapClear(r, v)
	}
}

// newValue compiles new(T), and new(x), which gives the new variable the value of x.
func (c *compiler) newValue(e *ir.Builtin) operation.Value {
	t := c.typeOf(e.Type())
	elem := c.m.Describe(t.Type.Elem())
	size, r := elem.Size, elem.RType
	if len(e.Args) == 0 {
		return operation.Value{Type: t, F: func(machine.Frame) unsafe.Pointer { return machine.Malloc(size, r, true) }}
	}
	put := operation.Put(c.expr(e.Args[0]))
	return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		p := machine.Malloc(size, r, true)
		put(f, p)
		return p
	}}
}

// extreme compiles min and max. With more than two arguments it chains the comparisons.
//
// Evaluating from left to right and comparing pairwise has the result that the specification
// defines, since min and max are associative, for NaN and signed zeros as well.
func (c *compiler) extreme(e *ir.Builtin) operation.Value {
	t := c.typeOf(e.Type())
	x := c.expr(e.Args[0])
	for _, a := range e.Args[1:] {
		x = operation.Value{Type: t, F: builtin.Extreme(e.Name == "min", x, c.expr(a))}
	}
	return x
}

// print compiles print and println, which write to standard error.
//
// The operands are all evaluated before anything is written: an operand that panics leaves no
// partial line, as in compiled Go.
func (c *compiler) print(e *ir.Builtin) func(machine.Frame) {
	unpack := make([]func(machine.Frame) reflect.Value, len(e.Args))
	for i, a := range e.Args {
		unpack[i] = c.unpack(c.expr(a))
	}
	line := e.Name == "println"
	return func(f machine.Frame) {
		args := make([]reflect.Value, len(unpack))
		for i, get := range unpack {
			args[i] = get(f)
		}
		builtin.Print(args, line)
	}
}

// makeValue compiles make.
func (c *compiler) makeValue(e *ir.Builtin) operation.Value {
	t := c.typeOf(e.Type())
	sizes := make([]func(machine.Frame) int, len(e.Args))
	for i, a := range e.Args {
		// A size of another type that int cannot represent becomes TooLarge, which is negative and
		// which the runtime reports as out of range.
		sizes[i] = c.index(a).F.(func(machine.Frame) int)
	}
	return operation.Value{Type: t, F: builtin.Make(&c.m.Machine, t, sizes, c.site(e.Pos()))}
}

// unsafeFunction compiles the functions of package unsafe.
func (c *compiler) unsafeFunction(e *ir.Builtin) operation.Value {
	t, s := c.typeOf(e.Type()), c.site(e.Pos())
	x := c.expr(e.Args[0])
	if len(e.Args) == 1 {
		return operation.Value{Type: t, F: builtin.Data(x)}
	}
	pointer, number := x.F.(func(machine.Frame) unsafe.Pointer), c.index(e.Args[1]).F.(func(machine.Frame) int)
	switch e.Name {
	case "Add":
		return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer { p := pointer(f); return unsafe.Add(p, number(f)) }}
	case "String":
		return operation.Value{Type: t, F: builtin.UnsafeString(pointer, number, s)}
	}
	return operation.Value{Type: t, F: builtin.UnsafeSlice(pointer, number, t.Type.Elem().Size(), s)}
}
