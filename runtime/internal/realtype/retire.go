package realtype

import (
	"reflect"
	"slices"
	"sync"
)

// Retire makes compiled code that calls a method of one of the types, or of an unnamed struct that
// mentions one, call another function instead, which has no parameters and must not return. The
// code of the methods can then be collected. The types must come from Declare or DeclareInterface,
// and no further function of this package may be called with them.
//
// The run-time types remain, and their stubs are not used again: a value of a type may still exist,
// and the runtime may hold the types and the addresses of stubs in interface tables.
func Retire(types []*Type, instead func()) {
	world.Lock()
	defer world.Unlock()
	retired := make(map[*Type]bool, len(types))
	for _, t := range types {
		retired[t] = t.role == namedType || t.role == interfaceType
	}
	for key, t := range world.unnamed {
		if mentions(t.Real(), retired) || partsMention(t.Real(), retired) {
			retired[t] = true
			delete(world.unnamed, key)
		}
	}
	function := reflect.ValueOf(instead)
	for t := range retired {
		if !retired[t] {
			continue
		}
		for _, slot := range t.slots {
			setSlot(slot, function)
		}
		t.methods, t.slots = nil, nil
	}
	world.forged = slices.DeleteFunc(world.forged, func(t *Type) bool { return retired[t] })
	owners.Range(func(real, t any) bool {
		if retired[t.(*Type)] {
			owners.Delete(real)
		}
		return true
	})
	newest.Store(new(sync.Map)) // its entries may mention retired types
}
