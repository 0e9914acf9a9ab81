package exec

import (
	"reflect"
	"unsafe"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// A mapKind says which functions of the runtime implement a map type.
type mapKind uint8

const (
	mapGeneral mapKind = iota
	mapString          // keys are strings
	mapWord            // keys are integers of eight bytes
)

// mapOf returns the kind of a map type and its key and element types. The runtime's fast functions
// must be used exactly for the types for which the compiler uses them.
func (c *compiler) mapOf(t *machine.Type) (kind mapKind, key, elem *machine.Type) {
	key, elem = c.m.Describe(t.Type.Key()), c.m.Describe(t.Type.Elem())
	const largestFast = 128 // the runtime stores larger elements indirectly
	switch {
	case elem.Size > largestFast:
	case key.Class == machine.ClassString:
		kind = mapString
	case key.Size == 8 && key.Class >= machine.ClassInt && key.Class <= machine.ClassUintptr:
		kind = mapWord
	}
	return kind, key, elem
}

// inMemory compiles an expression to the address of its value. A value that is not in memory is
// stored in a temporary. The runtime's functions take addresses. The address of a local is used
// directly, so nothing may change the local between the evaluation and the use.
func (c *compiler) inMemory(x machine.Value) func(machine.Frame) unsafe.Pointer {
	if x.Type.Class == machine.ClassMemory {
		return x.Addr
	}
	if x.Form == machine.FormLocal {
		slot := x.Slot
		return func(f machine.Frame) unsafe.Pointer { return unsafe.Add(f, slot) }
	}
	offset := c.temporary(x.Type)
	put := machine.Put(x)
	return func(f machine.Frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		put(f, p)
		return p
	}
}

// mapElem compiles m[k].
func (c *compiler) mapElem(e *ir.MapElem) machine.Value {
	m, t := c.expr(e.X), c.typeOf(e.Type())
	return machine.Read(t, c.stable(t, c.mapFind(m, e.Key, c.site(e.Pos()))))
}

// stable compiles a copy of an element that is a struct or an array, because the map may move or
// change the original.
func (c *compiler) stable(t *machine.Type, p func(machine.Frame) unsafe.Pointer) func(machine.Frame) unsafe.Pointer {
	if t.Class != machine.ClassMemory {
		return p
	}
	offset, move := c.temporary(t), t.Mover()
	return func(f machine.Frame) unsafe.Pointer {
		to := unsafe.Add(f, offset)
		move(to, p(f))
		return to
	}
}

// mapFind compiles the address of the element for a key, or of a zero value.
func (c *compiler) mapFind(m machine.Value, key ir.Expr, s *machine.Site) func(machine.Frame) unsafe.Pointer {
	kind, _, elem := c.mapOf(m.Type)
	get, r, vm := m.F.(func(machine.Frame) unsafe.Pointer), m.Type.RType, c.m
	k := c.expr(key)
	keep := c.whole(elem)
	locked := func(f machine.Frame, v unsafe.Pointer, access func() (unsafe.Pointer, bool)) unsafe.Pointer {
		defer vm.Host.LockMap(uintptr(v), false)()
		found, _ := access()
		return keep(f, found)
	}
	// The key is evaluated before Shared is called, because it may start the first goroutine.
	switch kind {
	case mapString:
		text := k.F.(func(machine.Frame) string)
		return func(f machine.Frame) unsafe.Pointer {
			v := get(f)
			p := text(f)
			if vm.Host.Shared() {
				return locked(f, v, func() (unsafe.Pointer, bool) { return machine.MapAccessString(r, v, p) })
			}
			found, _ := machine.MapAccessString(r, v, p)
			return found
		}
	case mapWord:
		word := wordOf(k)
		return func(f machine.Frame) unsafe.Pointer {
			v := get(f)
			p := word(f)
			if vm.Host.Shared() {
				return locked(f, v, func() (unsafe.Pointer, bool) { return machine.MapAccessInt(r, v, p) })
			}
			found, _ := machine.MapAccessInt(r, v, p)
			return found
		}
	}
	keyAt := c.inMemory(k)
	return func(f machine.Frame) unsafe.Pointer {
		v := get(f)
		p := keyAt(f)
		machine.Fail(f, s) // the key may not be hashable
		if vm.Host.Shared() {
			return locked(f, v, func() (unsafe.Pointer, bool) { return machine.MapAccess(r, v, p) })
		}
		found, _ := machine.MapAccess(r, v, p)
		return found
	}
}

// whole compiles a copy of an element, made while its map is locked. Without a copy, another
// goroutine could assign to the element after the lock is released, and a string or interface value
// could mix words of two assignments.
func (c *compiler) whole(elem *machine.Type) func(f machine.Frame, found unsafe.Pointer) unsafe.Pointer {
	offset, move := c.temporary(elem), elem.Mover()
	return func(f machine.Frame, found unsafe.Pointer) unsafe.Pointer {
		to := unsafe.Add(f, offset)
		move(to, found)
		return to
	}
}

// wordOf compiles an integer of eight bytes in the form that the runtime expects.
func wordOf(k machine.Value) func(machine.Frame) uint64 {
	switch get := k.F.(type) {
	case func(machine.Frame) int:
		return func(f machine.Frame) uint64 { return uint64(get(f)) }
	case func(machine.Frame) int64:
		return func(f machine.Frame) uint64 { return uint64(get(f)) }
	case func(machine.Frame) uint:
		return func(f machine.Frame) uint64 { return uint64(get(f)) }
	case func(machine.Frame) uint64:
		return get
	}
	get := k.F.(func(machine.Frame) uintptr)
	return func(f machine.Frame) uint64 { return uint64(get(f)) }
}

// mapElemOk compiles v, ok = m[k].
func (c *compiler) mapElemOk(e *ir.MapElem) func(f machine.Frame, to unsafe.Pointer) bool {
	m, s := c.expr(e.X), c.site(e.Pos())
	_, _, elem := c.mapOf(m.Type)
	get, r, vm := m.F.(func(machine.Frame) unsafe.Pointer), m.Type.RType, c.m
	keyAt, move := c.inMemory(c.expr(e.Key)), elem.Mover()
	return func(f machine.Frame, to unsafe.Pointer) bool {
		v := get(f)
		k := keyAt(f)
		machine.Fail(f, s)
		if vm.Host.Shared() {
			defer vm.Host.LockMap(uintptr(v), false)()
		}
		p, ok := machine.MapAccess(r, v, k)
		if to != nil {
			move(to, p)
		}
		return ok
	}
}

// assignMapElem compiles m[k] = x. The element is evaluated before the map, as in gc's code, and
// the map is locked only during the assignment itself.
func (c *compiler) assignMapElem(dst *ir.MapElem, e ir.Expr) func(machine.Frame) {
	m := c.expr(dst.X)
	get, r, vm, s := m.F.(func(machine.Frame) unsafe.Pointer), m.Type.RType, c.m, c.site(dst.Pos())
	_, _, elem := c.mapOf(m.Type)
	keyAt, from, move := c.inMemory(c.expr(dst.Key)), c.inMemory(c.expr(e)), elem.Mover()
	return func(f machine.Frame) {
		x := from(f)
		v := get(f)
		k := keyAt(f)
		machine.Fail(f, s) // the map may be nil, or the key not hashable
		if vm.Host.Shared() {
			defer vm.Host.LockMap(uintptr(v), true)()
		}
		move(machine.MapAssign(r, v, k), x)
	}
}

// assignOpMapElem compiles m[k] op= x, such as count[word]++. The element is read, changed in a
// temporary and stored. The operand is evaluated before the map is locked, because it may use the
// same map.
func (c *compiler) assignOpMapElem(dst *ir.MapElem, s *ir.AssignOp) func(machine.Frame) {
	m, site := c.expr(dst.X), c.site(dst.Pos())
	_, _, elem := c.mapOf(m.Type)
	get, r, vm := m.F.(func(machine.Frame) unsafe.Pointer), m.Type.RType, c.m
	keyAt, move := c.inMemory(c.expr(dst.Key)), elem.Mover()
	temporary := machine.Access{Mode: machine.ModeFrame, Offset: c.temporary(elem), Type: elem}
	operand := &ir.Local{Type: s.X.Type()}
	evaluate := c.storeIn(c.local(operand, c.typeOf(operand.Type)), s.X)
	operate := c.operate(&ir.AssignOp{Op: s.Op, X: ir.Use(operand)}, temporary)
	offset := temporary.Offset
	return func(f machine.Frame) {
		evaluate(f)
		v := get(f)
		k := keyAt(f)
		machine.Fail(f, site)
		if vm.Host.Shared() {
			defer vm.Host.LockMap(uintptr(v), true)()
		}
		p := unsafe.Add(f, offset)
		old, _ := machine.MapAccess(r, v, k)
		move(p, old)
		operate(f)
		machine.Fail(f, site)
		move(machine.MapAssign(r, v, k), p)
	}
}

// mapLiteral compiles a composite literal of a map.
func (c *compiler) mapLiteral(e *ir.Composite, t *machine.Type) machine.Value {
	type entry struct {
		key, elem func(machine.Frame) unsafe.Pointer
	}
	_, _, elem := c.mapOf(t)
	move, r, n, s := elem.Mover(), t.RType, len(e.Elems), c.site(e.Pos())
	list := make([]entry, n)
	for i, element := range e.Elems {
		list[i] = entry{c.inMemory(c.expr(element.Key)), c.inMemory(c.expr(element.Value))}
	}
	return machine.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
		m := machine.MakeMap(r, n, nil)
		for _, entry := range list {
			k := entry.key(f)
			x := entry.elem(f)
			machine.Fail(f, s)
			move(machine.MapAssign(r, m, k), x)
		}
		return m
	}}
}

// rangeMap compiles a loop over the entries of a map. Each step of the iterator locks the map if
// goroutines share it, but the body runs unlocked, because it may assign to the map.
func (c *compiler) rangeMap(s *ir.RangeMap) machine.Stmt {
	x := c.expr(s.X)
	get, t, vm := x.F.(func(machine.Frame) unsafe.Pointer), x.Type.Type, c.m
	_, key, elem := c.mapOf(x.Type)
	keyAt, elemAt := c.temporary(key), c.temporary(elem)
	before := both(c.each(s.Key, keyAt, key), c.each(s.Elem, elemAt, elem))
	l := c.loop(s.Label, s.Body, before, s.Pos())
	wantsKey, wantsElem := s.Key != nil, s.Elem != nil
	return machine.Stmt{Run: func(f machine.Frame) machine.Control {
		m := get(f)
		// reflect's iterator has the semantics of range, including entries that are inserted or
		// removed meanwhile.
		entries := reflect.NewAt(t, unsafe.Pointer(&m)).Elem().MapRange()
		k, e := reflect.NewAt(key.Type, unsafe.Add(f, keyAt)).Elem(), reflect.NewAt(elem.Type, unsafe.Add(f, elemAt)).Elem()
		advance := func() bool {
			if vm.Host.Shared() {
				defer vm.Host.LockMap(uintptr(m), false)()
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
			if r, done := l.Turn(f); done {
				return r
			}
		}
		return machine.Next
	}}
}
