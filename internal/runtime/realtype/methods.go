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

	// OnValue reports whether the method belongs to the type itself and not only to the pointer to it.
	OnValue bool

	// Pointer is a function with the receiver *T before the parameters. Value is the same for the
	// receiver T and is needed if OnValue is set.
	Pointer, Value reflect.Value
}

// A slotKey names one function of a method. A method whose signature changes gets
// another slot: code that tested for the old one goes on calling the old one.
type slotKey struct {
	name    string
	typ     *abiType
	pointer bool
}

// SetMethods gives the type exactly these methods. It works for types from Declare and for unnamed
// structs with an embedded field.
//
// It may be called again. A method that was there with the same signature keeps its place in the
// tables for ever and only its body is replaced, at once and for every value, whenever it was made.
//
// When the methods differ in anything but their bodies and the type is in use (see MarkUsed),
// compiled code may have found out, and remembers, that the type lacks a method. The type is then
// renewed: it, and every type that mentions it, gets a new run-time type of the same name and
// layout, which Real returns. Values made before keep the old type and its method set; Current gives
// an old value the new type.
//
// An error leaves the methods as they were.
func (t *Type) SetMethods(methods []Method) error {
	world.Lock()
	defer world.Unlock()
	sorted := slices.Clone(methods)
	slices.SortFunc(sorted, func(a, b Method) int { return compareNames(a.Name, b.Name) })
	if err := t.checkMethods(sorted); err != nil {
		return err
	}
	for i, m := range sorted {
		sorted[i].Type = substitute(m.Type, (*Type).Real)
	}
	if err := t.reserveSlots(sorted); err != nil {
		return err
	}
	same := slices.EqualFunc(t.methods, sorted, func(a, b Method) bool {
		return a.Name == b.Name && a.Type == b.Type && a.OnValue == b.OnValue
	})
	t.methods = sorted
	t.setBodies()
	if same {
		return nil
	}
	dependents := dependentsOf(t)
	grows := !t.large && len(sorted) > fewMethods
	t.large = t.large || grows
	if !grows && !inUse(dependents) {
		t.fillTables(t.real.Load(), t.tables)
		return nil
	}
	renew(dependents)
	return nil
}

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
		return fail("type %v has more methods than a cell type can have (%d)", t, maxMethods)
	}
	return nil
}

// fits reports whether a function takes the receiver and then what the method takes, as
// far as memory is concerned. A body that does not fit would read its arguments from
// the wrong registers.
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

// isPointer reports whether values of a type are one pointer.
func isPointer(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
		return true
	}
	return false
}

// sameMemory compares what decides how a value is passed.
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

// reserveSlots gives every new function of the methods a slot, or none if there are
// not enough.
func (t *Type) reserveSlots(methods []Method) error {
	var missing []slotKey
	for _, m := range methods {
		for _, pointer := range []bool{true, false} {
			key := slotKey{m.Name, abiOf(m.Type), pointer}
			if _, ok := t.slots[key]; !ok && (pointer || m.OnValue) {
				missing = append(missing, key)
			}
		}
	}
	if slotsUsed+len(missing) > stubCount {
		return fmt.Errorf("realtype: more than %d methods declared since the kernel started; restart it", stubCount)
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

func (t *Type) setBodies() {
	for _, m := range t.methods {
		typ := abiOf(m.Type)
		setSlot(t.slots[slotKey{m.Name, typ, true}], m.Pointer)
		if m.OnValue {
			setSlot(t.slots[slotKey{m.Name, typ, false}], m.Value)
		}
	}
}

// fillTables writes the methods into the tables of a run-time type and its pointer type.
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
		onPointer = append(onPointer, abiMethod{name, typeOffset, throughPointer, throughPointer})
		if listed {
			exportedOnPointer++
		}
		if !m.OnValue {
			continue
		}
		asValue := addReflectOff(stubCode(t.slots[slotKey{m.Name, typ, false}]))
		throughInterface := throughPointer
		if direct {
			throughInterface = asValue
		}
		onValue = append(onValue, abiMethod{name, typeOffset, throughInterface, asValue})
		if listed {
			exportedOnValue++
		}
	}
	tables[0].fill(onValue, exportedOnValue)
	tables[1].fill(onPointer, exportedOnPointer)
}

func (table *methodTable) fill(methods []abiMethod, exported uint16) {
	copy(table.entries, methods)
	table.uncommon.count = uint16(len(methods))
	table.uncommon.exported = exported
}
