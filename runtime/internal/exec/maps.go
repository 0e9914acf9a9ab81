package exec

import (
	"go/token"
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
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
//
// The fast functions take the key in a register instead of a pointer. They exist for other sizes as
// well; the sizes here are those of int and string, which nearly all maps of cells have.
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
//
// An address in the frame may be passed to the runtime, whose functions read the key or value
// during the call and keep no pointer to it.
func (c *compiler) inMemory(x operation.Value) func(machine.Frame) unsafe.Pointer {
	if x.Type.Class == machine.ClassMemory {
		return x.Addr
	}
	if x.Form == operation.FormLocal {
		slot := x.Slot
		return func(f machine.Frame) unsafe.Pointer { return unsafe.Add(f, slot) }
	}
	offset := c.temporary(x.Type)
	put := operation.Put(x)
	return func(f machine.Frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		put(f, p)
		return p
	}
}

// mapElem compiles m[k].
func (c *compiler) mapElem(e *ir.MapElem) operation.Value {
	t := c.typeOf(e.Type())
	return operation.Read(t, c.stable(t, c.mapFind(e)))
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

// wordOf compiles an integer of eight bytes in the form that the runtime expects. Functions that
// return one are called alike, whatever its type.
func wordOf(k operation.Value) func(machine.Frame) uint64 {
	switch get := k.F.(type) {
	case func(machine.Frame) int:
		return *(*func(machine.Frame) uint64)(unsafe.Pointer(&get))
	case func(machine.Frame) int64:
		return *(*func(machine.Frame) uint64)(unsafe.Pointer(&get))
	case func(machine.Frame) uint:
		return *(*func(machine.Frame) uint64)(unsafe.Pointer(&get))
	case func(machine.Frame) uintptr:
		return *(*func(machine.Frame) uint64)(unsafe.Pointer(&get))
	}
	return k.F.(func(machine.Frame) uint64)
}

// A mapOperand is a map that an operation accesses.
type mapOperand struct {
	vm   *Machine
	get  func(machine.Frame) unsafe.Pointer
	typ  machine.RType
	move func(to, from unsafe.Pointer) // an element
	site *machine.Site
}

// A keyOperand is a key in the form in which these functions of the runtime take it.
type keyOperand[K any] struct {
	get    func(machine.Frame) K
	access func(typ machine.RType, m unsafe.Pointer, key K) (unsafe.Pointer, bool)
	assign func(typ machine.RType, m unsafe.Pointer, key K) unsafe.Pointer
	panics bool // a key may not be hashable
}

// mapOperand compiles the map of an element.
func (c *compiler) mapOperand(e *ir.MapElem) (m mapOperand, kind mapKind, elem *machine.Type) {
	x := c.expr(e.X)
	kind, _, elem = c.mapOf(x.Type)
	return mapOperand{c.m, x.F.(func(machine.Frame) unsafe.Pointer), x.Type.RType, elem.Mover(), c.site(e.Pos())}, kind, elem
}

func wordKey(k operation.Value) keyOperand[uint64] {
	return keyOperand[uint64]{wordOf(k), machine.MapAccessInt, machine.MapAssignInt, false}
}

func stringKey(k operation.Value) keyOperand[string] {
	return keyOperand[string]{k.F.(func(machine.Frame) string), machine.MapAccessString, machine.MapAssignString, false}
}

func (c *compiler) anyKey(k operation.Value) keyOperand[unsafe.Pointer] {
	return keyOperand[unsafe.Pointer]{c.inMemory(k), machine.MapAccess, machine.MapAssign, true}
}

// mapFind compiles the address of the element for a key, or of a zero value.
//
// The runtime returns a pointer into the map, or to a zero value, so that an element needs no copy
// if no other goroutine can change the map. A nil map is like an empty one.
func (c *compiler) mapFind(e *ir.MapElem) func(machine.Frame) unsafe.Pointer {
	m, kind, elem := c.mapOperand(e)
	keep := c.whole(elem)
	switch k := c.expr(e.Key); kind {
	case mapWord:
		return find(m, wordKey(k), keep)
	case mapString:
		return find(m, stringKey(k), keep)
	default:
		return find(m, c.anyKey(k), keep)
	}
}

func find[K any](m mapOperand, key keyOperand[K], keep func(machine.Frame, unsafe.Pointer) unsafe.Pointer) func(machine.Frame) unsafe.Pointer {
	locked := func(f machine.Frame, v unsafe.Pointer, k K) unsafe.Pointer {
		// The lock is released even if the key is not hashable.
		defer m.vm.Host.LockMap(uintptr(v), false)()
		found, _ := key.access(m.typ, v, k)
		return keep(f, found)
	}
	return func(f machine.Frame) unsafe.Pointer {
		v := m.get(f)
		k := key.get(f)
		if key.panics {
			machine.Fail(f, m.site)
		}
		// The key is evaluated before Shared is called, because it may start the first goroutine.
		if m.vm.Host.Shared() {
			return locked(f, v, k)
		}
		found, _ := key.access(m.typ, v, k)
		return found
	}
}

// whole compiles a copy of an element, made while its map is locked. Without a copy, another
// goroutine could assign to the element after the lock is released, and a string or interface value
// could mix words of two assignments.
//
// Compiled Go has no such lock: a program that writes a map on several goroutines without
// synchronization is wrong and may end the process ("fatal error: concurrent map writes"). In a
// session that would lose all variables, which is why the operations are locked.
func (c *compiler) whole(elem *machine.Type) func(f machine.Frame, found unsafe.Pointer) unsafe.Pointer {
	offset, move := c.temporary(elem), elem.Mover()
	return func(f machine.Frame, found unsafe.Pointer) unsafe.Pointer {
		to := unsafe.Add(f, offset)
		move(to, found)
		return to
	}
}

// mapElemOk compiles v, ok = m[k]. The element is copied while the map is locked.
func (c *compiler) mapElemOk(e *ir.MapElem) func(f machine.Frame, to unsafe.Pointer) bool {
	m, kind, _ := c.mapOperand(e)
	switch k := c.expr(e.Key); kind {
	case mapWord:
		return lookUp(m, wordKey(k))
	case mapString:
		return lookUp(m, stringKey(k))
	default:
		return lookUp(m, c.anyKey(k))
	}
}

func lookUp[K any](m mapOperand, key keyOperand[K]) func(f machine.Frame, to unsafe.Pointer) bool {
	read := func(v unsafe.Pointer, k K, to unsafe.Pointer) bool {
		p, ok := key.access(m.typ, v, k)
		if to != nil {
			m.move(to, p)
		}
		return ok
	}
	locked := func(v unsafe.Pointer, k K, to unsafe.Pointer) bool {
		defer m.vm.Host.LockMap(uintptr(v), false)()
		return read(v, k, to)
	}
	return func(f machine.Frame, to unsafe.Pointer) bool {
		v := m.get(f)
		k := key.get(f)
		if key.panics {
			machine.Fail(f, m.site)
		}
		if m.vm.Host.Shared() {
			return locked(v, k, to)
		}
		return read(v, k, to)
	}
}

// assignMapElem compiles m[k] = x. The element is evaluated before the map, as in gc's code, and
// the map is locked only during the assignment itself.
//
// The runtime's functions panic for a nil map and for a key that is not hashable, before they
// change anything. They return the place of the element, into which the value is moved with a write
// barrier.
func (c *compiler) assignMapElem(dst *ir.MapElem, e ir.Expr) func(machine.Frame) {
	m, kind, _ := c.mapOperand(dst)
	k := c.expr(dst.Key)
	x := c.inMemory(c.expr(e))
	switch kind {
	case mapWord:
		return assign(m, wordKey(k), x)
	case mapString:
		return assign(m, stringKey(k), x)
	default:
		return assign(m, c.anyKey(k), x)
	}
}

func assign[K any](m mapOperand, key keyOperand[K], x func(machine.Frame) unsafe.Pointer) func(machine.Frame) {
	locked := func(v unsafe.Pointer, k K, from unsafe.Pointer) {
		defer m.vm.Host.LockMap(uintptr(v), true)()
		m.move(key.assign(m.typ, v, k), from)
	}
	return func(f machine.Frame) {
		from := x(f)
		v := m.get(f)
		k := key.get(f)
		if v == nil || key.panics {
			machine.Fail(f, m.site)
		}
		if m.vm.Host.Shared() {
			locked(v, k, from)
			return
		}
		m.move(key.assign(m.typ, v, k), from)
	}
}

// assignOpMapElem compiles m[k] op= x, such as count[word]++. The operand is evaluated before the
// map is locked, because it may use the same map.
func (c *compiler) assignOpMapElem(dst *ir.MapElem, s *ir.AssignOp) func(machine.Frame) {
	m, kind, elem := c.mapOperand(dst)
	k := c.expr(dst.Key)
	temporary := operation.Access{Mode: operation.ModeFrame, Offset: c.temporary(elem), Type: elem}
	operand := &ir.Local{Type: s.X.Type()}
	u := elemUpdate{offset: temporary.Offset, reads: s.Op == token.QUO || s.Op == token.REM}
	u.operand = c.storeIn(c.local(operand, c.typeOf(operand.Type)), s.X)
	u.operate = c.operate(&ir.AssignOp{Op: s.Op, X: ir.Use(operand)}, temporary)
	switch kind {
	case mapWord:
		return update(m, wordKey(k), u)
	case mapString:
		return update(m, stringKey(k), u)
	default:
		return update(m, c.anyKey(k), u)
	}
}

// An elemUpdate is an operation on an element, which is in a temporary of the frame meanwhile.
type elemUpdate struct {
	operand, operate func(machine.Frame)
	offset           uintptr // of the temporary
	reads            bool    // a division
}

// update finds the place of an element, as for an assignment, and changes the element there. A
// division reads the element first, so that a panic leaves no new entry. This is what gc does.
//
// The lock is held from the read to the store, so that concurrent increments of one element are not
// lost. The operation itself can panic, and the deferred unlock runs.
func update[K any](m mapOperand, key keyOperand[K], u elemUpdate) func(machine.Frame) {
	change := func(f machine.Frame, v unsafe.Pointer, k K) {
		p := unsafe.Add(f, u.offset)
		// The operation changes only the temporary, whose type has no map operations, so it cannot lock
		// again.
		if u.reads {
			old, _ := key.access(m.typ, v, k)
			m.move(p, old)
			u.operate(f)
			machine.Fail(f, m.site)
			m.move(key.assign(m.typ, v, k), p)
			return
		}
		at := key.assign(m.typ, v, k)
		m.move(p, at)
		u.operate(f)
		m.move(at, p)
	}
	locked := func(f machine.Frame, v unsafe.Pointer, k K) {
		defer m.vm.Host.LockMap(uintptr(v), true)()
		change(f, v, k)
	}
	hash := func(v unsafe.Pointer, k K) {
		if m.vm.Host.Shared() {
			defer m.vm.Host.LockMap(uintptr(v), false)()
		}
		key.access(m.typ, v, k)
	}
	if u.reads && key.panics {
		// A key that cannot be hashed panics before the operand does.
		return func(f machine.Frame) {
			v, k := m.get(f), key.get(f)
			machine.Fail(f, m.site)
			hash(v, k)
			u.operand(f)
			machine.Fail(f, m.site)
			if m.vm.Host.Shared() {
				locked(f, v, k)
				return
			}
			change(f, v, k)
		}
	}
	return func(f machine.Frame) {
		u.operand(f)
		v := m.get(f)
		k := key.get(f)
		if v == nil || key.panics {
			machine.Fail(f, m.site)
		}
		if m.vm.Host.Shared() {
			locked(f, v, k)
			return
		}
		change(f, v, k)
	}
}

// mapLiteral compiles a composite literal of a map.
//
// The number of entries is the size hint. Keys that are equal are rejected by the type checker if
// they are constant; otherwise the last one counts. The new map is not locked, since no other
// goroutine can refer to it.
func (c *compiler) mapLiteral(e *ir.Composite, t *machine.Type) operation.Value {
	type entry struct {
		key, elem func(machine.Frame) unsafe.Pointer
	}
	_, _, elem := c.mapOf(t)
	move, r, n, s := elem.Mover(), t.RType, len(e.Elems), c.site(e.Pos())
	list := make([]entry, n)
	for i, element := range e.Elems {
		list[i] = entry{c.inMemory(c.expr(element.Key)), c.inMemory(c.expr(element.Value))}
	}
	return operation.Value{Type: t, F: func(f machine.Frame) unsafe.Pointer {
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
func (c *compiler) rangeMap(s *ir.RangeMap) operation.Stmt {
	x := c.expr(s.X)
	get, t, vm := x.F.(func(machine.Frame) unsafe.Pointer), x.Type.Type, c.m
	_, key, elem := c.mapOf(x.Type)
	keyAt, elemAt := c.temporary(key), c.temporary(elem)
	before := both(c.each(s.Key, keyAt, key), c.each(s.Elem, elemAt, elem))
	l := c.loop(s.Label, s.Body, before, s.Pos())
	wantsKey, wantsElem := s.Key != nil, s.Elem != nil
	return operation.Stmt{Run: func(f machine.Frame) operation.Control {
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
		return operation.Next
	}}
}
