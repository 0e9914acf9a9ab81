package realtype

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// A Method is one method of a type, declared or promoted.
type Method struct {
	Name string
	Type reflect.Type // without receiver

	// OnValue reports whether the method belongs to the type itself, not only to the pointer type.
	OnValue bool

	// Pointer is a function whose first parameter is the receiver of type *T. Value is a function
	// with a receiver of type T; it is needed only if OnValue is set.
	Pointer, Value reflect.Value
}

// A slotKey identifies one function of a method. A method whose signature changes gets a new slot,
// because code that has asserted the old signature keeps calling the old function.
type slotKey struct {
	name    string
	typ     *abiType
	pointer bool
}

// SetMethods sets the methods of a type to exactly the given ones. The type must come from Declare,
// or be an unnamed struct with an embedded field.
//
// SetMethods may be called repeatedly. A method that exists with the same signature keeps its entry
// in the method tables. Only its body is replaced, immediately and for all values, regardless of
// when they were made.
//
// If the methods differ in more than their bodies and the type is in use (see MarkUsed), compiled
// code may have cached that the type lacks a method. In that case the type is renewed: the type,
// and every type that mentions it, gets a new run-time type with the same name and layout, which
// Real returns. Values made earlier keep the old type and its methods; Current converts them.
//
// After an error the methods are unchanged.
func (t *Type) SetMethods(methods []Method) error {
	world.Lock()
	defer world.Unlock()
	// Everything that can fail precedes the first change.
	sorted := slices.Clone(methods)
	slices.SortFunc(sorted, func(a, b Method) int { return compareNames(a.Name, b.Name) })
	if err := t.checkMethods(sorted); err != nil {
		return err
	}
	for i, m := range sorted {
		// The caller may have made the type before a renewal.
		sorted[i].Type = substitute(m.Type, (*Type).Real)
	}
	if err := t.reserveSlots(sorted); err != nil {
		return err
	}
	same := slices.EqualFunc(t.methods, sorted, func(a, b Method) bool {
		return a.Name == b.Name && a.Type == b.Type && a.OnValue == b.OnValue
	})
	t.methods = sorted
	// Bodies take effect at once, even if no table changes. Slots of new methods are set before a
	// table mentions them.
	t.setBodies()
	if same {
		return nil
	}
	// A table that must grow lies within the memory of its type, so the type is renewed even if it
	// is not in use.
	grows := len(sorted) > t.room
	t.room = max(t.room, roomFor(len(sorted)))
	// The search for dependents visits every forged type, and the first test avoids it for the types
	// of a module, none of which is in use while it is loaded.
	if !grows && !t.used.Load() && !inUse(world.forged) {
		t.fillTables(t.real.Load(), t.tables)
		return nil
	}
	dependents := dependentsOf(t)
	if !grows && !inUse(dependents) {
		t.fillTables(t.real.Load(), t.tables)
		return nil
	}
	renew(dependents)
	return nil
}

// checkMethods returns an error if the methods do not fit the type. A wrong function would not be
// detected later, because stubs pass registers without checks.
func (t *Type) checkMethods(methods []Method) error {
	fail := func(format string, arguments ...any) error {
		return fmt.Errorf("realtype: "+format, arguments...)
	}
	if t.role != namedType && t.role != forgedStruct {
		if len(methods) == 0 {
			return nil
		}
		return fail("type %v cannot have methods", t)
	}
	for i, m := range methods {
		if i > 0 && methods[i-1].Name == m.Name {
			return fail("type %v has two methods %s", t, m.Name)
		}
		if m.Type == nil || m.Type.Kind() != reflect.Func {
			return fail("method %v.%s has no function type", t, m.Name)
		}
		if !fits(m.Pointer, reflect.PointerTo(t.layout), m.Type) {
			return fail("method (*%v).%s: body does not fit the receiver *%v and %v", t, m.Name, t, m.Type)
		}
		if m.OnValue && !fits(m.Value, t.layout, m.Type) {
			return fail("method %v.%s: body does not fit the receiver %v and %v", t, m.Name, t, m.Type)
		}
	}
	if len(methods) > maxMethods {
		return fail("type %v has more methods than the limit (%d)", t, maxMethods)
	}
	return nil
}

// fits reports whether a function accepts the receiver and the parameters of a method, as far as
// the representation in memory is concerned. A function that does not fit would read its arguments
// from wrong registers.
func fits(body reflect.Value, receiver, method reflect.Type) bool {
	if body.Kind() != reflect.Func || body.IsNil() {
		return false
	}
	f := body.Type()
	if f.NumIn() != method.NumIn()+1 || f.NumOut() != method.NumOut() || !sameMemory(f.In(0), receiver) {
		return false
	}
	for i := range method.NumIn() {
		if !sameMemory(f.In(i+1), method.In(i)) {
			return false
		}
	}
	for i := range method.NumOut() {
		if !sameMemory(f.Out(i), method.Out(i)) {
			return false
		}
	}
	return true
}

// isPointer reports whether values of a type consist of one pointer. The calling convention treats
// all of these kinds alike, and the collector as well.
func isPointer(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
		return true
	}
	return false
}

// sameMemory reports whether values of two types are passed in the same way. Identity of types is
// not required, because the compiled code of cells is generic: bodies made by the machine have
// pointers and structs of the same shape rather than the declared types. Two interface types must
// agree in having methods, because only then their first words are of the same kind.
func sameMemory(a, b reflect.Type) bool {
	if isPointer(a) && isPointer(b) {
		return true
	}
	if a.Kind() != b.Kind() || a.Size() != b.Size() {
		return false
	}
	switch a.Kind() {
	case reflect.Interface:
		return (a.NumMethod() == 0) == (b.NumMethod() == 0)
	case reflect.Struct:
		if a.Size() == 0 {
			return true
		}
		if a.NumField() != b.NumField() {
			return false
		}
		for i := range a.NumField() {
			if !sameMemory(a.Field(i).Type, b.Field(i).Type) {
				return false
			}
		}
	case reflect.Array:
		return a.Len() == b.Len() && sameMemory(a.Elem(), b.Elem())
	}
	return true
}

// reserveSlots assigns a slot to every new function of the methods. If there are not enough slots,
// it assigns none.
func (t *Type) reserveSlots(methods []Method) error {
	var missing []slotKey
	for _, m := range methods {
		// A pointer method takes one slot, a value method two.
		for _, pointer := range []bool{true, false} {
			key := slotKey{m.Name, abiOf(m.Type), pointer}
			if _, ok := t.slots[key]; !ok && (pointer || m.OnValue) {
				missing = append(missing, key)
			}
		}
	}
	if slotsUsed+len(missing) > stubCount {
		return fmt.Errorf("realtype: more than %d methods have been declared in this process; restart it", stubCount)
	}
	if t.slots == nil {
		t.slots = make(map[slotKey]int)
	}
	for _, key := range missing {
		t.slots[key] = slotsUsed
		slotsUsed++
	}
	return nil
}

// setBodies makes the stubs of all methods jump to their functions. Slots of methods that the type
// no longer has keep their last function, because interface tables may still lead to them.
func (t *Type) setBodies() {
	for _, m := range t.methods {
		typ := abiOf(m.Type)
		setSlot(t.slots[slotKey{m.Name, typ, true}], m.Pointer)
		if m.OnValue {
			setSlot(t.slots[slotKey{m.Name, typ, false}], m.Value)
		}
	}
}

// fillTables stores the methods in the tables of a run-time type and its pointer type.
func (t *Type) fillTables(real *abiType, tables [2]*methodTable) {
	var onValue, onPointer []abiMethod
	var exportedOnValue, exportedOnPointer uint16
	direct := real.flags&flagDirect != 0
	for _, m := range t.methods {
		typ := abiOf(m.Type)
		name := nameOffset(m.Name, exportedFlag(m.Name))
		typeOffset := addReflectOff(unsafe.Pointer(typ))
		listed := nameRank(m.Name) == 0
		throughPointer := addReflectOff(stubCode(t.slots[slotKey{m.Name, typ, true}]))
		onPointer = append(onPointer, abiMethod{name: name, typ: typeOffset, ifn: throughPointer, tfn: throughPointer})
		if listed {
			exportedOnPointer++
		}
		if !m.OnValue {
			continue
		}
		asValue := addReflectOff(stubCode(t.slots[slotKey{m.Name, typ, false}]))
		// The receiver of a call through an interface is the data word. For most types it points to
		// the value, so the pointer function fits. For a type that consists of one pointer it is
		// the value itself.
		throughInterface := throughPointer
		if direct {
			throughInterface = asValue
		}
		onValue = append(onValue, abiMethod{name: name, typ: typeOffset, ifn: throughInterface, tfn: asValue})
		if listed {
			exportedOnValue++
		}
	}
	tables[0].fill(onValue, exportedOnValue)
	tables[1].fill(onPointer, exportedOnPointer)
}

// fill stores methods in a table. Methods of a type that is not in use may become fewer: entries
// beyond count are not read.
func (table *methodTable) fill(methods []abiMethod, exported uint16) {
	copy(table.entries, methods)
	table.uncommon.count = uint16(len(methods))
	table.uncommon.exported = exported
}
