package exec

import (
	"unsafe"

	"gosphere/runtime/ir"
)

// An access is the way to a variable, or to a value that lies in memory.
type access struct {
	mode   accessMode
	offset uintptr // of the variable, from the frame or the pointer
	slot   uintptr // modeBox, modePointer: where in the frame the pointer is
	fixed  unsafe.Pointer
	base   func(frame) unsafe.Pointer
	site   *site
	typ    *typ
}

type accessMode uint8

const (
	modeFrame   accessMode = iota // in the frame
	modeBox                       // behind a pointer in the frame that is never nil
	modePointer                   // behind a pointer in the frame that may be nil
	modeFixed                     // at an address that is known
	modeBase                      // at an address that is computed
)

// address returns a function that computes the address.
func (a access) address() func(frame) unsafe.Pointer {
	offset, slot, base := a.offset, a.slot, a.base
	switch a.mode {
	case modeFrame:
		return func(f frame) unsafe.Pointer { return unsafe.Add(f, offset) }
	case modeBox:
		return func(f frame) unsafe.Pointer { return unsafe.Add(*at[unsafe.Pointer](f, slot), offset) }
	case modePointer:
		s := a.site
		return func(f frame) unsafe.Pointer {
			p := *at[unsafe.Pointer](f, slot)
			if p == nil {
				panicNil(f, s)
			}
			return unsafe.Add(p, offset)
		}
	case modeFixed:
		p := unsafe.Add(a.fixed, offset)
		return func(frame) unsafe.Pointer { return p }
	}
	if offset == 0 {
		return base
	}
	return func(f frame) unsafe.Pointer { return unsafe.Add(base(f), offset) }
}

// load returns a function that reads the variable.
func load[T any](a access) func(frame) T {
	offset, slot, base := a.offset, a.slot, a.base
	switch a.mode {
	case modeFrame:
		return func(f frame) T { return *at[T](f, offset) }
	case modeBox:
		if offset == 0 {
			return func(f frame) T { return *(*T)(*at[unsafe.Pointer](f, slot)) }
		}
		return func(f frame) T { return *at[T](*at[unsafe.Pointer](f, slot), offset) }
	case modePointer:
		s := a.site
		return func(f frame) T {
			p := *at[unsafe.Pointer](f, slot)
			if p == nil {
				panicNil(f, s)
			}
			return *at[T](p, offset)
		}
	case modeFixed:
		p := (*T)(unsafe.Add(a.fixed, offset))
		return func(frame) T { return *p }
	}
	return func(f frame) T { return *at[T](base(f), offset) }
}

// store returns a step that writes the value of x.
func store[T any](a access, x value) func(frame) {
	offset, slot, base := a.offset, a.slot, a.base
	if a.mode == modeFrame {
		switch x.form {
		case formConst:
			k := x.konst.(T)
			return func(f frame) { *at[T](f, offset) = k }
		case formLocal:
			from := x.slot
			return func(f frame) { *at[T](f, offset) = *at[T](f, from) }
		}
	}
	get := x.f.(func(frame) T)
	switch a.mode {
	case modeFrame:
		return func(f frame) { *at[T](f, offset) = get(f) }
	case modeBox:
		return func(f frame) {
			v := get(f)
			*at[T](*at[unsafe.Pointer](f, slot), offset) = v
		}
	case modePointer:
		s := a.site
		return func(f frame) {
			v := get(f)
			p := *at[unsafe.Pointer](f, slot)
			if p == nil {
				panicNil(f, s)
			}
			*at[T](p, offset) = v
		}
	case modeFixed:
		p := (*T)(unsafe.Add(a.fixed, offset))
		return func(f frame) { *p = get(f) }
	}
	return func(f frame) {
		v := get(f)
		*at[T](base(f), offset) = v
	}
}

// place compiles the way to a place, or to a value that lies in memory: one of class memory.
func (c *compiler) place(e ir.Expr) access {
	t := c.typeOf(e.Type())
	switch e := e.(type) {
	case *ir.LocalExpr:
		return c.local(e.Local, t)
	case *ir.GlobalExpr:
		return access{mode: modeFixed, fixed: c.global(e), typ: t}
	case *ir.Deref:
		return c.deref(e.X, c.site(e.Pos()), t)
	case *ir.Field:
		a := c.place(e.X)
		a.offset += a.typ.Type.Field(e.Index).Offset
		a.typ = t
		return a
	case *ir.Elem:
		return c.elem(e, t)
	}
	x := c.expr(e)
	return access{mode: modeBase, base: x.address(), typ: t}
}

// local is the way to a variable of the function.
func (c *compiler) local(l *ir.Local, t *typ) access {
	v, ok := c.variables[l]
	if !ok {
		v = c.declare(l)
	}
	v.typ = t
	return v
}

// deref is the way to the variable that a pointer points to.
func (c *compiler) deref(pointer ir.Expr, s *site, t *typ) access {
	p := c.expr(pointer)
	if p.form == formLocal {
		return access{mode: modePointer, slot: p.slot, site: s, typ: t}
	}
	get := p.f.(func(frame) unsafe.Pointer)
	if !mayBeNil(pointer) {
		return access{mode: modeBase, typ: t, base: func(f frame) unsafe.Pointer { return get(f) }}
	}
	return access{mode: modeBase, typ: t, base: func(f frame) unsafe.Pointer {
		v := get(f)
		if v == nil {
			panicNil(f, s)
		}
		return v
	}}
}

// mayBeNil reports whether a pointer may be nil as far as its expression says.
func mayBeNil(e ir.Expr) bool {
	_, fresh := e.(*ir.AddrOf)
	return !fresh
}

// elem is the way to an element of an array or slice, or of the array that a pointer points to.
func (c *compiler) elem(e *ir.Elem, t *typ) access {
	x := c.typeOf(e.X.Type())
	s := c.site(e.Pos())
	size := t.size
	index := c.index(e.I)
	if x.class == classSlice {
		return access{mode: modeBase, typ: t, base: c.sliceElem(c.expr(e.X), index, size, s)}
	}
	var array access
	if x.class == classPointer {
		array = c.deref(e.X, s, c.m.describe(x.Type.Elem()))
	} else {
		array = c.place(e.X)
	}
	n := array.typ.Type.Len()
	if index.form == formConst {
		if i := index.konst.(int); i >= 0 && i < n {
			array.offset += uintptr(i) * size
			array.typ = t
			return array
		}
	}
	base, get := array.address(), index.f.(func(frame) int)
	return access{mode: modeBase, typ: t, base: func(f frame) unsafe.Pointer {
		p := base(f)
		i := get(f)
		if uint(i) >= uint(n) {
			panicIndex(f, s, i, n)
		}
		return unsafe.Add(p, uintptr(i)*size)
	}}
}

// sliceElem computes the address of an element of a slice.
func (c *compiler) sliceElem(x, index value, size uintptr, s *site) func(frame) unsafe.Pointer {
	if x.form == formLocal && index.form == formLocal {
		xs, is := x.slot, index.slot
		return func(f frame) unsafe.Pointer {
			v, i := at[slice](f, xs), *at[int](f, is)
			if uint(i) >= uint(v.len) {
				panicIndex(f, s, i, v.len)
			}
			return unsafe.Add(v.ptr, uintptr(i)*size)
		}
	}
	get := index.f.(func(frame) int)
	if x.form == formLocal {
		xs := x.slot
		return func(f frame) unsafe.Pointer {
			i := get(f)
			v := at[slice](f, xs)
			if uint(i) >= uint(v.len) {
				panicIndex(f, s, i, v.len)
			}
			return unsafe.Add(v.ptr, uintptr(i)*size)
		}
	}
	from := x.f.(func(frame) slice)
	return func(f frame) unsafe.Pointer {
		v := from(f)
		i := get(f)
		if uint(i) >= uint(v.len) {
			panicIndex(f, s, i, v.len)
		}
		return unsafe.Add(v.ptr, uintptr(i)*size)
	}
}

// loadElem reads a scalar element of a slice.
func loadElem[T any](x, index value, s *site) func(frame) T {
	if x.form == formLocal && index.form == formLocal {
		xs, is := x.slot, index.slot
		return func(f frame) T {
			v, i := at[slice](f, xs), *at[int](f, is)
			if uint(i) >= uint(v.len) {
				panicIndex(f, s, i, v.len)
			}
			return *at[T](v.ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
		}
	}
	get := index.f.(func(frame) int)
	if x.form == formLocal {
		xs := x.slot
		return func(f frame) T {
			i := get(f)
			v := at[slice](f, xs)
			if uint(i) >= uint(v.len) {
				panicIndex(f, s, i, v.len)
			}
			return *at[T](v.ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
		}
	}
	from := x.f.(func(frame) slice)
	return func(f frame) T {
		v := from(f)
		i := get(f)
		if uint(i) >= uint(v.len) {
			panicIndex(f, s, i, v.len)
		}
		return *at[T](v.ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
	}
}

// storeElem writes a scalar element of a slice. The value comes first, then the element.
func storeElem[T any](x, index, v value, s *site) func(frame) {
	get := v.f.(func(frame) T)
	if x.form == formLocal && index.form == formLocal {
		xs, is := x.slot, index.slot
		return func(f frame) {
			v := get(f)
			x, i := at[slice](f, xs), *at[int](f, is)
			if uint(i) >= uint(x.len) {
				panicIndex(f, s, i, x.len)
			}
			*at[T](x.ptr, uintptr(i)*unsafe.Sizeof(v)) = v
		}
	}
	from, at1 := x.f.(func(frame) slice), index.f.(func(frame) int)
	return func(f frame) {
		v := get(f)
		x, i := from(f), at1(f)
		if uint(i) >= uint(x.len) {
			panicIndex(f, s, i, x.len)
		}
		*at[T](x.ptr, uintptr(i)*unsafe.Sizeof(v)) = v
	}
}

// index compiles an index as an int. An index of another type that int cannot hold is out of
// range of everything.
func (c *compiler) index(e ir.Expr) value {
	x := c.expr(e)
	if x.typ.class == classInt {
		return x
	}
	if x.form == formConst {
		return constantOf(c.intType(), toInt(x.konst))
	}
	return value{typ: c.intType(), f: numberOps(x.typ.class).toIndex(x)}
}

// global returns the address of a variable of the session or of a compiled package.
func (c *compiler) global(e *ir.GlobalExpr) unsafe.Pointer {
	g := e.Global
	if g.Address == nil {
		if g.Path == "" {
			t := c.typeOf(g.Type)
			g.Address = mallocgc(t.size, t.rtype, true)
		} else {
			v, err := c.m.host.Var(g.Path, g.Name)
			if err != nil {
				panic(&Unsupported{e.Pos(), err.Error()})
			}
			g.Address = v.Addr().UnsafePointer()
		}
	}
	return g.Address.(unsafe.Pointer)
}
