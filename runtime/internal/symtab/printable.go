package symtab

import (
	"reflect"
	"slices"
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// Printable returns operands for package fmt in which functions of cells have the address that
// [Pointer] returns for them. fmt prints the address of their machine code, which they share.
//
// The list is copied before it is changed. A function is replaced by a func value of the same type
// whose code is at that address. fmt prints the type and the address but calls a func value only
// through its methods, so functions whose type has methods remain. Functions inside other values
// remain as well.
func Printable(values []any) []any {
	changed := values
	for i, v := range values {
		t := reflect.TypeOf(v)
		if t == nil || t.Kind() != reflect.Func || t.NumMethod() > 0 {
			continue
		}
		pc := code(reflect.ValueOf(v))
		if pc == 0 {
			continue
		}
		if &changed[0] == &values[0] {
			changed = slices.Clone(values)
		}
		// A func value points to a variable that begins with the address of the code.
		address := machine.Iface{Tab: machine.RTypeOf(t), Data: unsafe.Pointer(&pc)}
		changed[i] = *(*any)(unsafe.Pointer(&address))
	}
	return changed
}
