package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/ir"
)

// A mapKind says which of the runtime's functions serve a map.
type mapKind uint8

const (
	mapGeneral mapKind = iota
	mapString          // keys are strings
	mapWord            // keys are integers of eight bytes
)

// mapOf describes a map type.
func (c *compiler) mapOf(t *typ) (kind mapKind, key, elem *typ) {
	key, elem = c.m.describe(t.Type.Key()), c.m.describe(t.Type.Elem())
	const largestFast = 128 // the runtime uses other tables for larger elements
	switch {
	case elem.size > largestFast:
	case key.class == classString:
		kind = mapString
	case key.size == 8 && key.class >= classInt && key.class <= classUintptr:
		kind = mapWord
	}
	return kind, key, elem
}

// inMemory compiles an expression whose value is needed at an address.
func (c *compiler) inMemory(x value) func(frame) unsafe.Pointer {
	if x.typ.class == classMemory {
		return x.addr
	}
	if x.form == formLocal {
		slot := x.slot
		return func(f frame) unsafe.Pointer { return unsafe.Add(f, slot) }
	}
	offset := c.temporary(x.typ)
	put := put(x)
	return func(f frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		put(f, p)
		return p
	}
}

// mapElem compiles m[k].
func (c *compiler) mapElem(e *ir.MapElem) value {
	m, t := c.expr(e.X), c.typeOf(e.Type())
	return read(t, c.stable(t, c.mapFind(m, e.Key, c.site(e.Pos()))))
}

// stable copies an element that is a struct or array, because the map may move it.
func (c *compiler) stable(t *typ, p func(frame) unsafe.Pointer) func(frame) unsafe.Pointer {
	if t.class != classMemory {
		return p
	}
	offset, move := c.temporary(t), t.mover()
	return func(f frame) unsafe.Pointer {
		to := unsafe.Add(f, offset)
		move(to, p(f))
		return to
	}
}

// mapFind compiles the address of the element for a key, or of a zero value.
func (c *compiler) mapFind(m value, key ir.Expr, s *site) func(frame) unsafe.Pointer {
	kind, _, elem := c.mapOf(m.typ)
	get, r, machine := m.f.(func(frame) unsafe.Pointer), m.typ.rtype, c.m
	k := c.expr(key)
	var find func(frame) unsafe.Pointer
	switch kind {
	case mapString:
		text := k.f.(func(frame) string)
		find = func(f frame) unsafe.Pointer { v := get(f); p, _ := mapaccess2Str(r, v, text(f)); return p }
	case mapWord:
		word := wordOf(k)
		find = func(f frame) unsafe.Pointer { v := get(f); p, _ := mapaccess2Int(r, v, word(f)); return p }
	}
	keyAt, keep := c.inMemory(k), c.whole(elem)
	general := func(f frame) unsafe.Pointer {
		v := get(f)
		p := keyAt(f)
		fail(f, s) // a key may not be hashable
		if machine.host.Shared() {
			defer machine.host.LockMap(uintptr(v), false)()
			found, _ := mapaccess2(r, v, p)
			return keep(f, found)
		}
		found, _ := mapaccess2(r, v, p)
		return found
	}
	if find == nil {
		return general
	}
	return func(f frame) unsafe.Pointer {
		if machine.host.Shared() {
			return general(f)
		}
		return find(f)
	}
}

// whole copies an element while its map is locked. Another goroutine may assign to it as soon as it is
// not, and a string or an interface value would have words of two assignments.
func (c *compiler) whole(elem *typ) func(f frame, found unsafe.Pointer) unsafe.Pointer {
	offset, move := c.temporary(elem), elem.mover()
	return func(f frame, found unsafe.Pointer) unsafe.Pointer {
		to := unsafe.Add(f, offset)
		move(to, found)
		return to
	}
}

// wordOf returns an integer of eight bytes as the runtime takes it.
func wordOf(k value) func(frame) uint64 {
	switch get := k.f.(type) {
	case func(frame) int:
		return func(f frame) uint64 { return uint64(get(f)) }
	case func(frame) int64:
		return func(f frame) uint64 { return uint64(get(f)) }
	case func(frame) uint:
		return func(f frame) uint64 { return uint64(get(f)) }
	case func(frame) uint64:
		return get
	}
	get := k.f.(func(frame) uintptr)
	return func(f frame) uint64 { return uint64(get(f)) }
}

// mapElemOk compiles v, ok = m[k].
func (c *compiler) mapElemOk(e *ir.MapElem) func(f frame, to unsafe.Pointer) bool {
	m, s := c.expr(e.X), c.site(e.Pos())
	_, _, elem := c.mapOf(m.typ)
	get, r, machine := m.f.(func(frame) unsafe.Pointer), m.typ.rtype, c.m
	keyAt, move := c.inMemory(c.expr(e.Key)), elem.mover()
	return func(f frame, to unsafe.Pointer) bool {
		v := get(f)
		k := keyAt(f)
		fail(f, s)
		if machine.host.Shared() {
			defer machine.host.LockMap(uintptr(v), false)()
		}
		p, ok := mapaccess2(r, v, k)
		if to != nil {
			move(to, p)
		}
		return ok
	}
}

// assignMapElem compiles m[k] = x.
func (c *compiler) assignMapElem(dst *ir.MapElem, e ir.Expr) func(frame) {
	m := c.expr(dst.X)
	get, r, machine, s := m.f.(func(frame) unsafe.Pointer), m.typ.rtype, c.m, c.site(dst.Pos())
	_, _, elem := c.mapOf(m.typ)
	keyAt, from, move := c.inMemory(c.expr(dst.Key)), c.inMemory(c.expr(e)), elem.mover()
	return func(f frame) {
		x := from(f)
		v := get(f)
		k := keyAt(f)
		fail(f, s) // a nil map, a key that is not hashable
		if machine.host.Shared() {
			defer machine.host.LockMap(uintptr(v), true)()
		}
		move(mapassign(r, v, k), x)
	}
}

// assignOpMapElem compiles m[k] op= x: the element is read, changed in a temporary and stored.
func (c *compiler) assignOpMapElem(dst *ir.MapElem, s *ir.AssignOp) func(frame) {
	m, site := c.expr(dst.X), c.site(dst.Pos())
	_, _, elem := c.mapOf(m.typ)
	get, r, machine := m.f.(func(frame) unsafe.Pointer), m.typ.rtype, c.m
	keyAt, move := c.inMemory(c.expr(dst.Key)), elem.mover()
	temporary := access{mode: modeFrame, offset: c.temporary(elem), typ: elem}
	operand := &ir.Local{Type: s.X.Type()}
	evaluate := c.storeIn(c.local(operand, c.typeOf(operand.Type)), s.X)
	operate := c.operate(&ir.AssignOp{Op: s.Op, X: ir.Use(operand)}, temporary)
	offset := temporary.offset
	return func(f frame) {
		evaluate(f)
		v := get(f)
		k := keyAt(f)
		fail(f, site)
		if machine.host.Shared() {
			defer machine.host.LockMap(uintptr(v), true)()
		}
		p := unsafe.Add(f, offset)
		old, _ := mapaccess2(r, v, k)
		move(p, old)
		operate(f)
		fail(f, site)
		move(mapassign(r, v, k), p)
	}
}

// mapLiteral compiles a composite literal of a map.
func (c *compiler) mapLiteral(e *ir.Composite, t *typ) value {
	type entry struct{ key, elem func(frame) unsafe.Pointer }
	_, _, elem := c.mapOf(t)
	move, r, n, s := elem.mover(), t.rtype, len(e.Elems), c.site(e.Pos())
	list := make([]entry, n)
	for i, element := range e.Elems {
		list[i] = entry{c.inMemory(c.expr(element.Key)), c.inMemory(c.expr(element.Value))}
	}
	return value{typ: t, f: func(f frame) unsafe.Pointer {
		m := makemap(r, n, nil)
		for _, entry := range list {
			k := entry.key(f)
			x := entry.elem(f)
			fail(f, s)
			move(mapassign(r, m, k), x)
		}
		return m
	}}
}

// rangeMap compiles a loop over the entries of a map.
func (c *compiler) rangeMap(s *ir.RangeMap) code {
	x := c.expr(s.X)
	get, t, machine := x.f.(func(frame) unsafe.Pointer), x.typ.Type, c.m
	_, key, elem := c.mapOf(x.typ)
	keyAt, elemAt := c.temporary(key), c.temporary(elem)
	before := both(c.each(s.Key, keyAt, key), c.each(s.Elem, elemAt, elem))
	l := c.loop(s.Label, s.Body, before, s.Pos())
	wantsKey, wantsElem := s.Key != nil, s.Elem != nil
	return code{run: func(f frame) control {
		m := get(f)
		entries := reflect.NewAt(t, unsafe.Pointer(&m)).Elem().MapRange()
		k, e := reflect.NewAt(key.Type, unsafe.Add(f, keyAt)).Elem(), reflect.NewAt(elem.Type, unsafe.Add(f, elemAt)).Elem()
		advance := func() bool {
			if machine.host.Shared() {
				defer machine.host.LockMap(uintptr(m), false)()
			}
			if !entries.Next() {
				return false
			}
			if wantsKey {
				k.SetIterKey(entries)
			}
			if wantsElem {
				e.SetIterValue(entries)
			}
			return true
		}
		for advance() {
			if r, done := l.turn(f); done {
				return r
			}
		}
		return next
	}}
}
