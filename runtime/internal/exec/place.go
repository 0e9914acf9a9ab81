package exec

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// place compiles the access to a place, or to a value of ClassMemory, which also has an address.
// Fields and constant indices add to the offset of the access and cost nothing at run time.
func (c *compiler) place(e ir.Expr) operation.Access {
	t := c.typeOf(e.Type())
	switch e := e.(type) {
	case *ir.LocalExpr:
		return c.local(e.Local, t)
	case *ir.GlobalExpr:
		return operation.Access{Mode: operation.ModeFixed, Fixed: c.global(e), Type: t}
	case *ir.Deref:
		return c.deref(e.X, c.site(e.Pos()), t)
	case *ir.Field:
		a := c.place(e.X)
		a.Offset += a.Type.Type.Field(e.Index).Offset
		a.Type = t
		return a
	case *ir.Elem:
		return c.elem(e, t)
	}
	x := c.expr(e)
	return operation.Access{Mode: operation.ModeBase, Base: x.Address(), Type: t}
}

// local returns the access to a variable of the function. It declares temporaries at their first
// use.
func (c *compiler) local(l *ir.Local, t *machine.Type) operation.Access {
	v, ok := c.variables[l]
	if !ok {
		v = c.declare(l)
	}
	v.Type = t
	return v
}

// readLocal compiles a local variable as a value.
func (c *compiler) readLocal(l *ir.Local, t *machine.Type) operation.Value {
	// A parameter of an inlined call is replaced by its constant argument.
	if k, ok := c.constants[l]; ok {
		return k
	}
	return c.read(c.local(l, t))
}

// deref compiles the access to the variable that a pointer refers to.
//
// Every dereference of a pointer that may be nil is checked explicitly. A fault would be detected
// by the hardware as well, but the error would have no position in the cell, and an offset beyond
// the first page would reach other memory.
func (c *compiler) deref(pointer ir.Expr, s *machine.Site, t *machine.Type) operation.Access {
	p := c.expr(pointer)
	// The access itself tests a pointer in a local variable, without a call to read it.
	if p.Form == operation.FormLocal {
		return operation.Access{Mode: operation.ModePointer, Slot: p.Slot, Site: s, Type: t}
	}
	get := p.F.(func(machine.Frame) unsafe.Pointer)
	if !mayBeNil(pointer) {
		return operation.Access{Mode: operation.ModeBase, Type: t, Base: func(f machine.Frame) unsafe.Pointer { return get(f) }}
	}
	return operation.Access{Mode: operation.ModeBase, Type: t, Base: func(f machine.Frame) unsafe.Pointer {
		v := get(f)
		if v == nil {
			machine.PanicNil(f, s)
		}
		return v
	}}
}

// mayBeNil reports whether a pointer expression may be nil. Only pointers to new variables are
// known not to be.
func mayBeNil(e ir.Expr) bool {
	_, fresh := e.(*ir.AddrOf)
	return !fresh
}

// elem compiles the access to an element of an array or slice, or of the array that a pointer
// refers to. A constant index of an array adds to the offset of the array.
//
// The array comes before the index in the order of evaluation, and a nil pointer to it panics
// before an index out of range, as in compiled Go.
func (c *compiler) elem(e *ir.Elem, t *machine.Type) operation.Access {
	x := c.typeOf(e.X.Type())
	s := c.site(e.Pos())
	size := t.Size
	index := c.index(e.I)
	if x.Class == machine.ClassSlice {
		slice := c.expr(e.X)
		if a, ok := operation.ElemOf(slice, index, t, s); ok {
			return a
		}
		return operation.Access{Mode: operation.ModeBase, Type: t, Base: c.sliceElem(slice, index, size, s)}
	}
	var array operation.Access
	if x.Class == machine.ClassPointer {
		array = c.deref(e.X, s, c.m.Describe(x.Type.Elem()))
	} else {
		array = c.place(e.X)
	}
	n := array.Type.Type.Len()
	// An index out of range panics below.
	if index.Form == operation.FormConst {
		if i := index.Const.(int); i >= 0 && i < n {
			array.Offset += uintptr(i) * size
			array.Type = t
			return array
		}
	}
	base, get := array.Address(), index.F.(func(machine.Frame) int)
	return operation.Access{Mode: operation.ModeBase, Type: t, Base: func(f machine.Frame) unsafe.Pointer {
		p := base(f)
		i := get(f)
		if uint(i) >= uint(n) {
			machine.PanicIndex(f, s, i, n)
		}
		return unsafe.Add(p, uintptr(i)*size)
	}}
}

// sliceElem compiles the address of an element of a slice. The first form avoids a call for a slice
// in a local variable.
//
// In this form the slice is read after the index has been computed. The index cannot change a
// variable that is in the frame: only assignments of this function could, and the index contains
// none.
func (c *compiler) sliceElem(x, index operation.Value, size uintptr, s *machine.Site) func(machine.Frame) unsafe.Pointer {
	get := index.F.(func(machine.Frame) int)
	if x.Form == operation.FormLocal {
		xs := x.Slot
		return func(f machine.Frame) unsafe.Pointer {
			i := get(f)
			v := machine.At[machine.Slice](f, xs)
			if uint(i) >= uint(v.Len) {
				machine.PanicIndex(f, s, i, v.Len)
			}
			return unsafe.Add(v.Ptr, uintptr(i)*size)
		}
	}
	from := x.F.(func(machine.Frame) machine.Slice)
	return func(f machine.Frame) unsafe.Pointer {
		v := from(f)
		i := get(f)
		if uint(i) >= uint(v.Len) {
			machine.PanicIndex(f, s, i, v.Len)
		}
		return unsafe.Add(v.Ptr, uintptr(i)*size)
	}
}

// index compiles an index to an int. An index of another type that int cannot represent becomes
// TooLarge, which is out of every range.
//
// A constant index of another type becomes a constant of type int, so that it can still be added to
// an offset. A negative one can only be the argument of an inlined function, and is checked when
// the code runs.
func (c *compiler) index(e ir.Expr) operation.Value {
	x := c.expr(e)
	if x.Type.Class == machine.ClassInt {
		return x
	}
	if x.Form == operation.FormConst {
		if i := operation.ToInt(x.Const); i >= 0 {
			return operation.ConstantOf(c.intType(), i)
		}
	}
	return operation.Value{Type: c.intType(), F: operation.NumberOps(x.Type.Class).ToIndex(x)}
}

// reserve refuses the program if there is no memory for an object that every call, or the
// compilation itself, would allocate.
//
// Room panics with an error of the cell that runs, but there is none while a program is compiled.
func (c *compiler) reserve(pos token.Pos, size uintptr) {
	defer func() {
		if r := recover(); r != nil {
			unsupported(pos, "%v; use a slice", r)
		}
	}()
	c.m.Room(1, size, "out of memory")
}

// global returns the address of a variable of the session or of a compiled package. The first use
// of a session variable allocates it.
//
// The address never changes, so a global is as cheap as a local: its address is a constant of the
// closure that uses it.
func (c *compiler) global(e *ir.GlobalExpr) unsafe.Pointer {
	g := e.Global
	if g.Address == nil {
		if g.Path == "" {
			t := c.typeOf(g.Type)
			c.reserve(e.Pos(), t.Size)
			g.Address = machine.Malloc(t.Size, t.RType, true)
		} else {
			v, err := c.m.Host.Var(g.Path, g.Name)
			if err != nil {
				panic(&Unsupported{e.Pos(), err.Error()})
			}
			g.Address = v.Addr().UnsafePointer()
		}
	}
	return g.Address.(unsafe.Pointer)
}
