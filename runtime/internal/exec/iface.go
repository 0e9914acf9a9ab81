package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
	"gosphere/runtime/internal/realtype"
)

// makeInterface converts a value to an interface type. x is not of an interface type, so the
// dynamic type is known, and with it the first word of the result for a type without methods.
//
// A method table is not looked up before the first conversion, because types of this cell may not
// have their methods yet, and the runtime remembers a failed search for the rest of the process.
func (c *compiler) makeInterface(x operation.Value, t *machine.Type) operation.Value {
	tab := x.Type.RType
	if machine.HasTable(t) {
		return c.box(x, t, machine.MakeTable(tab, t.RType))
	}
	return c.box(x, t, func() unsafe.Pointer { return tab })
}

// box compiles the conversion of a value to the interface type t. word returns the first word of
// the interface value: the dynamic type, or a method table.
func (c *compiler) box(x operation.Value, t *machine.Type, word func() unsafe.Pointer) operation.Value {
	out := operation.Value{Type: t}
	tab := x.Type.RType
	table := machine.HasTable(t)
	if s := c.m.standInFor(x.Type); s != nil {
		out.F = s.boxed(x, t, word)
		return out
	}
	// A pointer is the data word itself, and needs no allocation.
	if x.Type.Class == machine.ClassPointer {
		get := x.F.(func(machine.Frame) unsafe.Pointer)
		if !table {
			out.F = func(f machine.Frame) machine.Iface { return machine.Iface{Tab: tab, Data: get(f)} }
		} else {
			out.F = func(f machine.Frame) machine.Iface { p := get(f); return machine.Iface{Tab: word(), Data: p} }
		}
		return out
	}
	data := c.dataWord(x)
	if !table {
		if x.Form == operation.FormConst {
			// The closure of a constant does not use the frame, so nil serves.
			v := machine.Iface{Tab: tab, Data: data(nil)}
			// A constant in an interface value is allocated once, which is safe because its data
			// word is never written through.
			keep := new(machine.Iface)
			*keep = v
			out.F = func(machine.Frame) machine.Iface { return *keep }
			return out
		}
		out.F = func(f machine.Frame) machine.Iface { return machine.Iface{Tab: tab, Data: data(f)} }
		return out
	}
	out.F = func(f machine.Frame) machine.Iface { p := data(f); return machine.Iface{Tab: word(), Data: p} }
	return out
}

// dataWord compiles the data word of an interface value. Strings, ints and floats are converted by
// Go itself, which avoids an allocation for small and zero values.
//
// The runtime has static words for integers below 256 and for empty strings, which the conversions
// of gc use. Calling Go's conversion here has the same effect, and its allocations are not zeroed
// first.
func (c *compiler) dataWord(x operation.Value) func(machine.Frame) unsafe.Pointer {
	t := x.Type
	switch {
	case t.Size == 0:
		// The value has no bits, but evaluating it may have effects.
		drop := func(machine.Frame) {}
		if t.Class == machine.ClassMemory && x.Addr != nil {
			addr := x.Addr
			drop = func(f machine.Frame) { addr(f) }
		}
		// All values of size zero share an address, as in the runtime.
		return func(f machine.Frame) unsafe.Pointer { drop(f); return unsafe.Pointer(&machine.Zeroes) }
	case t.Direct: // a struct or an array of one pointer
		addr := x.Addr
		return func(f machine.Frame) unsafe.Pointer { return *(*unsafe.Pointer)(addr(f)) }
	}
	r, size := t.RType, t.Size
	switch t.Class {
	case machine.ClassInt:
		get := x.F.(func(machine.Frame) int)
		return func(f machine.Frame) unsafe.Pointer {
			v := any(get(f))
			return (*machine.Iface)(unsafe.Pointer(&v)).Data
		}
	case machine.ClassString:
		get := x.F.(func(machine.Frame) string)
		return func(f machine.Frame) unsafe.Pointer {
			v := any(get(f))
			return (*machine.Iface)(unsafe.Pointer(&v)).Data
		}
	case machine.ClassFloat64:
		get := x.F.(func(machine.Frame) float64)
		return func(f machine.Frame) unsafe.Pointer {
			v := any(get(f))
			return (*machine.Iface)(unsafe.Pointer(&v)).Data
		}
	case machine.ClassMemory:
		put := operation.Put(x)
		return func(f machine.Frame) unsafe.Pointer {
			p := machine.Malloc(size, r, true)
			put(f, p)
			return p
		}
	}
	put := operation.Put(x)
	return func(f machine.Frame) unsafe.Pointer {
		p := machine.Malloc(size, r, true)
		put(f, p)
		return p
	}
}

// changeInterface compiles a conversion between interface types. The value implements the new one.
//
// The first cases change only the description, because the layout of the value stays the same:
// types with the same methods share their tables.
func (c *compiler) changeInterface(e *ir.ChangeInterface) operation.Value {
	x, t := c.expr(e.X), c.typeOf(e.Type())
	get, fromTable := x.F.(func(machine.Frame) machine.Iface), machine.HasTable(x.Type)
	switch {
	// Only conversions to another set of methods need a table.
	case x.Type.Type == t.Type:
		x.Type = t
		return x
	case !machine.HasTable(t) && !fromTable:
		x.Type = t
		return x
	case !machine.HasTable(t):
		// Such as any(err): the type is in the method table.
		return operation.Value{Type: t, F: func(f machine.Frame) machine.Iface {
			v := get(f)
			return machine.Iface{Tab: v.TypeWord(true), Data: v.Data}
		}}
	}
	tables := machine.NewTables(t.RType)
	return operation.Value{Type: t, F: func(f machine.Frame) machine.Iface {
		v := get(f)
		// A nil value stays nil. Only an assertion panics.
		if v.Tab == nil {
			return machine.Iface{}
		}
		return machine.Iface{Tab: tables.Find(v.TypeWord(fromTable)), Data: v.Data}
	}}
}

// A typeTest reports whether a dynamic type satisfies an assertion.
type typeTest func(dynamic machine.RType) bool

// test compiles the test whether a dynamic type is identical to a type, or implements it if it is
// an interface type.
//
// Run-time types are unique in a process, so identity of types is identity of pointers. This holds
// for the types of cells as well, which package realtype makes once for each declaration.
// Interfaces need a search, which Tables caches with its negative results.
func (c *compiler) test(to *machine.Type) typeTest {
	if to.Class != machine.ClassIface {
		want := to.RType
		return func(dynamic machine.RType) bool { return dynamic == want }
	}
	if !machine.HasTable(to) {
		return func(dynamic machine.RType) bool { return dynamic != nil }
	}
	tables := machine.NewTables(to.RType)
	return func(dynamic machine.RType) bool { return dynamic != nil && tables.Find(dynamic) != nil }
}

// isType compiles the test of a type switch clause.
func (c *compiler) isType(e *ir.IsType) operation.Value {
	x := c.expr(e.X)
	get, table := x.F.(func(machine.Frame) machine.Iface), machine.HasTable(x.Type)
	out := operation.Value{Type: c.boolType()}
	if e.To == nil {
		out.F = func(f machine.Frame) bool { return get(f).Tab == nil }
		return out
	}
	to := c.typeOf(e.To)
	// The operand of a type switch is a temporary, so reading it once for each clause has no effects.
	get, table = c.operand(x, to)
	test := c.test(to)
	out.F = func(f machine.Frame) bool { return test(get(f).TypeWord(table)) }
	return out
}

// currentType converts values made before their type gained methods to the present version of the
// type, for assertions to that type. Assertions to interface types do not convert: compiled code
// sees the methods that a value had when it was made, so cells must too.
//
// A renewed type has the layout of the old one, so changing the type word alone is sound. The
// conversion is compiled in only if some type of the process has been renewed (see operand), which
// few sessions ever do.
func currentType(get func(machine.Frame) machine.Iface, table bool) func(machine.Frame) machine.Iface {
	return func(f machine.Frame) machine.Iface {
		v := realtype.Current(get(f).AsAny(table))
		return *(*machine.Iface)(unsafe.Pointer(&v))
	}
}

// operand returns the operand of an assertion, and reports whether it holds a method table.
//
// Both conversions yield the dynamic type in place of a table, so table is false afterward,
// whatever the static type of the operand is.
func (c *compiler) operand(x operation.Value, to *machine.Type) (get func(machine.Frame) machine.Iface, table bool) {
	get, table = x.F.(func(machine.Frame) machine.Iface), machine.HasTable(x.Type)
	if realtype.Renewed() && to.Class != machine.ClassIface {
		get, table = currentType(get, table), false
	}
	s := c.m.standInFor(to)
	if s == nil {
		return get, table
	}
	plain, plainTable := get, table
	return func(f machine.Frame) machine.Iface { return s.accept(plain(f), plainTable) }, false
}

// assert compiles an assertion with one result.
//
// The error is a *runtime.TypeAssertionError made by package realtype, with the types as reflect
// knows them. It distinguishes a nil operand, another type and a missing method, as the runtime's
// does.
func (c *compiler) assert(e *ir.Assert) operation.Value {
	x, to, s := c.expr(e.X), c.typeOf(e.To), c.site(e.Pos())
	get, table := c.operand(x, to)
	static := x.Type.Type
	fail := func(f machine.Frame, dynamic machine.RType) {
		machine.Raise(f, s, realtype.AssertionError(static, dynamicType(dynamic), to.Type))
	}
	if to.Class == machine.ClassIface {
		return operation.Value{Type: to, F: c.assertInterface(get, table, to, fail)}
	}
	want := to.RType
	data := func(f machine.Frame) unsafe.Pointer {
		v := get(f)
		if dynamic := v.TypeWord(table); dynamic != want {
			fail(f, dynamic)
		}
		return v.Data
	}
	return c.unbox(to, data)
}

func dynamicType(dynamic machine.RType) reflect.Type {
	if dynamic == nil {
		return nil
	}
	return machine.TypeFromRType(dynamic)
}

// assertInterface compiles an assertion to an interface type. fail panics with the error of the
// runtime.
//
// The test for a nil operand comes first, since its dynamic type is nil, which must not be searched
// for.
func (c *compiler) assertInterface(get func(machine.Frame) machine.Iface, table bool, to *machine.Type, fail func(machine.Frame, machine.RType)) func(machine.Frame) machine.Iface {
	if !machine.HasTable(to) {
		return func(f machine.Frame) machine.Iface {
			v := get(f)
			dynamic := v.TypeWord(table)
			if dynamic == nil {
				fail(f, nil)
			}
			return machine.Iface{Tab: dynamic, Data: v.Data}
		}
	}
	tables := machine.NewTables(to.RType)
	return func(f machine.Frame) machine.Iface {
		v := get(f)
		dynamic := v.TypeWord(table)
		if dynamic == nil {
			fail(f, nil)
		}
		found := tables.Find(dynamic)
		if found == nil {
			fail(f, dynamic)
		}
		return machine.Iface{Tab: found, Data: v.Data}
	}
}

// unbox compiles the conversion of the data word of an interface value to a value of a type.
//
// A value that is not pointer-shaped is read where the interface value has it. That is safe without
// a copy, since this memory is never written; a user that needs the value for longer copies it like
// every value of ClassMemory.
func (c *compiler) unbox(t *machine.Type, data func(machine.Frame) unsafe.Pointer) operation.Value {
	switch {
	case t.Class == machine.ClassPointer:
		return operation.Value{Type: t, F: data}
	case t.Direct:
		// The data word is the value itself, and a value of ClassMemory needs an address.
		offset := c.temporary(t)
		return operation.Value{Type: t, Addr: func(f machine.Frame) unsafe.Pointer {
			p := unsafe.Add(f, offset)
			*(*unsafe.Pointer)(p) = data(f)
			return p
		}}
	}
	return operation.Read(t, data)
}

// assertOk compiles v, ok = x.(T). The returned function stores the value at to, or zero if the
// assertion fails, and returns ok. A nil to discards the value.
//
// The destination is addressed by the caller before the operand is evaluated. It is a local, so its
// address does not depend on the operand.
func (c *compiler) assertOk(e *ir.Assert) func(f machine.Frame, to unsafe.Pointer) bool {
	x, to := c.expr(e.X), c.typeOf(e.To)
	get, table := c.operand(x, to)
	if to.Class == machine.ClassIface {
		var tables *machine.Tables
		if machine.HasTable(to) {
			tables = machine.NewTables(to.RType)
		}
		return func(f machine.Frame, p unsafe.Pointer) bool {
			v := get(f)
			word := v.TypeWord(table)
			if word != nil && tables != nil {
				word = tables.Find(word)
			}
			// word is nil if the operand is, or if its type lacks a method.
			var out machine.Iface
			if word != nil {
				out = machine.Iface{Tab: word, Data: v.Data}
			}
			if p != nil {
				*(*machine.Iface)(p) = out
			}
			return word != nil
		}
	}
	move, r, direct := to.Mover(), to.RType, to.Direct
	return func(f machine.Frame, p unsafe.Pointer) bool {
		v := get(f)
		ok := v.TypeWord(table) == r
		// The value may be in another type's memory, so it is read only if the types agree.
		switch {
		case p == nil:
		case !ok:
			machine.TypedClear(r, p)
		case direct:
			*(*unsafe.Pointer)(p) = v.Data
		default:
			move(p, v.Data)
		}
		return ok
	}
}
