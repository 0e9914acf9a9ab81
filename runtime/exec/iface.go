package exec

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/ir"
	"gosphere/runtime/realtype"
)

// typeWord returns the dynamic type of an interface value, nil for a nil one. The value is of an
// interface type with methods if table is set.
func (v iface) typeWord(table bool) rtype {
	if v.tab == nil || !table {
		return v.tab
	}
	return *at[rtype](v.tab, tableType)
}

// tableType and tableCode are where a method table holds the dynamic type and the code.
const (
	tableType = unsafe.Sizeof(uintptr(0))
	tableCode = 3 * unsafe.Sizeof(uintptr(0))
)

// asAny returns an interface value as one of type any.
func (v iface) asAny(table bool) any {
	v.tab = v.typeWord(table)
	return *(*any)(unsafe.Pointer(&v))
}

// hasTable reports whether values of an interface type begin with a method table.
func hasTable(t *typ) bool { return t.Type.NumMethod() > 0 }

// makeInterface converts a value to an interface type.
func (c *compiler) makeInterface(x value, t *typ) value {
	tab := x.typ.rtype
	if hasTable(t) {
		return c.box(x, t, makeTable(tab, t.rtype))
	}
	return c.box(x, t, func() unsafe.Pointer { return tab })
}

// makeTable returns a function that finds the method table of a type for an interface type. It is
// asked for at the first conversion, when the methods of cell types are known.
func makeTable(concrete, inter rtype) func() unsafe.Pointer {
	var found atomic.Pointer[byte]
	return func() unsafe.Pointer {
		if tab := found.Load(); tab != nil {
			return unsafe.Pointer(tab)
		}
		tab := getitab(inter, concrete, false)
		found.Store((*byte)(tab))
		return tab
	}
}

// box makes an interface value of a value and the first word.
func (c *compiler) box(x value, t *typ, word func() unsafe.Pointer) value {
	out := value{typ: t}
	tab := x.typ.rtype
	table := hasTable(t)
	if s := c.m.standInFor(x.typ); s != nil {
		out.f = s.boxed(x, t, word)
		return out
	}
	if x.typ.class == classPointer {
		get := x.f.(func(frame) unsafe.Pointer)
		if !table {
			out.f = func(f frame) iface { return iface{tab, get(f)} }
		} else {
			out.f = func(f frame) iface { p := get(f); return iface{word(), p} }
		}
		return out
	}
	data := c.dataWord(x)
	if !table {
		if x.form == formConst {
			v := iface{tab, data(nil)}
			keep := new(iface)
			*keep = v
			out.f = func(frame) iface { return *keep }
			return out
		}
		out.f = func(f frame) iface { return iface{tab, data(f)} }
		return out
	}
	out.f = func(f frame) iface { p := data(f); return iface{word(), p} }
	return out
}

// dataWord compiles the data word of an interface value.
func (c *compiler) dataWord(x value) func(frame) unsafe.Pointer {
	t := x.typ
	switch {
	case t.size == 0:
		drop := func(frame) {}
		if t.class == classMemory && x.addr != nil {
			addr := x.addr
			drop = func(f frame) { addr(f) }
		}
		return func(f frame) unsafe.Pointer { drop(f); return unsafe.Pointer(&zeroes) }
	case t.direct: // a struct or array of one pointer
		addr := x.addr
		return func(f frame) unsafe.Pointer { return *(*unsafe.Pointer)(addr(f)) }
	}
	r, size := t.rtype, t.size
	switch t.class {
	case classInt:
		get := x.f.(func(frame) int)
		return func(f frame) unsafe.Pointer {
			v := any(get(f))
			return (*iface)(unsafe.Pointer(&v)).data
		}
	case classString:
		get := x.f.(func(frame) string)
		return func(f frame) unsafe.Pointer {
			v := any(get(f))
			return (*iface)(unsafe.Pointer(&v)).data
		}
	case classFloat64:
		get := x.f.(func(frame) float64)
		return func(f frame) unsafe.Pointer {
			v := any(get(f))
			return (*iface)(unsafe.Pointer(&v)).data
		}
	case classMemory:
		put := put(x)
		return func(f frame) unsafe.Pointer {
			p := mallocgc(size, r, true)
			put(f, p)
			return p
		}
	}
	put := put(x)
	return func(f frame) unsafe.Pointer {
		p := mallocgc(size, r, true)
		put(f, p)
		return p
	}
}

// changeInterface converts between interface types; the value implements the new one.
func (c *compiler) changeInterface(e *ir.ChangeInterface) value {
	x, t := c.expr(e.X), c.typeOf(e.Type())
	get, fromTable := x.f.(func(frame) iface), hasTable(x.typ)
	switch {
	case x.typ.Type == t.Type:
		x.typ = t
		return x
	case !hasTable(t) && !fromTable:
		x.typ = t
		return x
	case !hasTable(t):
		return value{typ: t, f: func(f frame) iface {
			v := get(f)
			return iface{v.typeWord(true), v.data}
		}}
	}
	tables := newTables(t.rtype)
	return value{typ: t, f: func(f frame) iface {
		v := get(f)
		if v.tab == nil {
			return iface{}
		}
		return iface{tables.find(v.typeWord(fromTable)), v.data}
	}}
}

// tables finds the method tables of dynamic types for an interface type and remembers the last
// answer.
type tables struct {
	inter rtype
	last  atomic.Pointer[tableEntry]
}

type tableEntry struct {
	typ   rtype
	table unsafe.Pointer // nil if the type does not implement the interface
}

func newTables(inter rtype) *tables { return &tables{inter: inter} }

// find returns nil if the type does not implement the interface.
func (t *tables) find(dynamic rtype) unsafe.Pointer {
	if e := t.last.Load(); e != nil && e.typ == dynamic {
		return e.table
	}
	table := getitab(t.inter, dynamic, true)
	t.last.Store(&tableEntry{dynamic, table})
	return table
}

// A typeTest decides about dynamic types.
type typeTest func(dynamic rtype) bool

// test compiles the question whether a dynamic type is, or implements, a type.
func (c *compiler) test(to *typ) typeTest {
	if to.class != classIface {
		want := to.rtype
		return func(dynamic rtype) bool { return dynamic == want }
	}
	if !hasTable(to) {
		return func(dynamic rtype) bool { return dynamic != nil }
	}
	tables := newTables(to.rtype)
	return func(dynamic rtype) bool { return dynamic != nil && tables.find(dynamic) != nil }
}

// isType compiles the test of a clause of a type switch.
func (c *compiler) isType(e *ir.IsType) value {
	x := c.expr(e.X)
	get, table := x.f.(func(frame) iface), hasTable(x.typ)
	out := value{typ: c.boolType()}
	if e.To == nil {
		out.f = func(f frame) bool { return get(f).tab == nil }
		return out
	}
	to := c.typeOf(e.To)
	get, table = c.operand(x, to)
	test := c.test(to)
	out.f = func(f frame) bool { return test(get(f).typeWord(table)) }
	return out
}

// currentType gives values that were made before their type got other methods the present type, for
// assertions to that type. For assertions to interface types they keep the methods that they had, which
// is what compiled code finds.
func currentType(get func(frame) iface, table bool) func(frame) iface {
	return func(f frame) iface {
		v := realtype.Current(get(f).asAny(table))
		return *(*iface)(unsafe.Pointer(&v))
	}
}

// operand returns the operand of an assertion and whether it begins with a method table.
func (c *compiler) operand(x value, to *typ) (get func(frame) iface, table bool) {
	get, table = x.f.(func(frame) iface), hasTable(x.typ)
	if realtype.Renewed() && to.class != classIface {
		get, table = currentType(get, table), false
	}
	s := c.m.standInFor(to)
	if s == nil {
		return get, table
	}
	plain, plainTable := get, table
	return func(f frame) iface { return s.accept(plain(f), plainTable) }, false
}

// assert compiles an assertion with one result.
func (c *compiler) assert(e *ir.Assert) value {
	x, to, s := c.expr(e.X), c.typeOf(e.To), c.site(e.Pos())
	get, table := c.operand(x, to)
	static := x.typ.Type
	fail := func(f frame, dynamic rtype) {
		raise(f, s, realtype.AssertionError(static, dynamicType(dynamic), to.Type))
	}
	if to.class == classIface {
		return value{typ: to, f: c.assertInterface(get, table, to, fail)}
	}
	want := to.rtype
	data := func(f frame) unsafe.Pointer {
		v := get(f)
		if dynamic := v.typeWord(table); dynamic != want {
			fail(f, dynamic)
		}
		return v.data
	}
	return c.unbox(to, data)
}

func dynamicType(dynamic rtype) reflect.Type {
	if dynamic == nil {
		return nil
	}
	return typeFromRtype(dynamic)
}

func (c *compiler) assertInterface(get func(frame) iface, table bool, to *typ, fail func(frame, rtype)) func(frame) iface {
	if !hasTable(to) {
		return func(f frame) iface {
			v := get(f)
			dynamic := v.typeWord(table)
			if dynamic == nil {
				fail(f, nil)
			}
			return iface{dynamic, v.data}
		}
	}
	tables := newTables(to.rtype)
	return func(f frame) iface {
		v := get(f)
		dynamic := v.typeWord(table)
		if dynamic == nil {
			fail(f, nil)
		}
		found := tables.find(dynamic)
		if found == nil {
			fail(f, dynamic)
		}
		return iface{found, v.data}
	}
}

// unbox makes a value of a type of the data word of an interface value.
func (c *compiler) unbox(t *typ, data func(frame) unsafe.Pointer) value {
	switch {
	case t.class == classPointer:
		return value{typ: t, f: data}
	case t.direct:
		offset := c.temporary(t)
		return value{typ: t, addr: func(f frame) unsafe.Pointer {
			p := unsafe.Add(f, offset)
			*(*unsafe.Pointer)(p) = data(f)
			return p
		}}
	}
	return read(t, data)
}

// assertOk compiles v, ok = x.(T): it stores the value, zero if the assertion fails, and returns
// whether it holds.
func (c *compiler) assertOk(e *ir.Assert) func(f frame, to unsafe.Pointer) bool {
	x, to := c.expr(e.X), c.typeOf(e.To)
	get, table := c.operand(x, to)
	test := c.test(to)
	if to.class == classIface {
		tables := newTables(to.rtype)
		withTable := hasTable(to)
		return func(f frame, p unsafe.Pointer) bool {
			v := get(f)
			dynamic := v.typeWord(table)
			var out iface
			ok := test(dynamic)
			if ok {
				out = iface{dynamic, v.data}
				if withTable {
					out.tab = tables.find(dynamic)
				}
			}
			if p != nil {
				*(*iface)(p) = out
			}
			return ok
		}
	}
	move, r, direct := to.mover(), to.rtype, to.direct
	return func(f frame, p unsafe.Pointer) bool {
		v := get(f)
		ok := v.typeWord(table) == r
		switch {
		case p == nil:
		case !ok:
			typedmemclr(r, p)
		case direct:
			*(*unsafe.Pointer)(p) = v.data
		default:
			move(p, v.data)
		}
		return ok
	}
}
