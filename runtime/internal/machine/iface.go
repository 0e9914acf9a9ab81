package machine

import (
	"sync/atomic"
	"unsafe"
)

// TypeWord returns the dynamic type of an interface value, or nil for a nil interface value. table
// reports whether the interface type has methods.
func (v Iface) TypeWord(table bool) RType {
	if v.Tab == nil || !table {
		return v.Tab
	}
	return *At[RType](v.Tab, tableType)
}

// tableType and TableCode are the offsets of the dynamic type and of the code pointers in a method
// table.
const (
	// An itab of Go 1.26 has the interface type, the dynamic type, a hash with padding, and then
	// the code pointers.
	tableType = unsafe.Sizeof(uintptr(0))
	TableCode = 3 * unsafe.Sizeof(uintptr(0))
)

// AsAny returns an interface value converted to type any.
func (v Iface) AsAny(table bool) any {
	v.Tab = v.TypeWord(table)
	return *(*any)(unsafe.Pointer(&v))
}

// HasTable reports whether values of an interface type hold a method table.
func HasTable(t *Type) bool { return t.Type.NumMethod() > 0 }

// MakeTable returns a function that finds the method table of a concrete type for an interface
// type. It looks up the table at the first conversion, because the methods of cell types are not
// known earlier. The atomic pointer makes the first conversion safe on several goroutines; both
// find the same table.
//
//go:noinline
func MakeTable(concrete, inter RType) func() unsafe.Pointer {
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

// Tables finds the method tables of dynamic types for an interface type and keeps the first four.
// An entry is valid forever, because the methods of a type in use do not change.
type Tables struct {
	inter RType
	found [4]atomic.Pointer[tableEntry]
}

type tableEntry struct {
	typ   RType
	table unsafe.Pointer // nil if the type does not implement the interface
}

// NewTables returns the method tables for an interface type.
func NewTables(inter RType) *Tables { return &Tables{inter: inter} }

// Find returns the method table of a dynamic type, or nil if the type does not implement the
// interface.
func (t *Tables) Find(dynamic RType) unsafe.Pointer {
	for i := range t.found {
		e := t.found[i].Load()
		if e == nil {
			e = &tableEntry{dynamic, getitab(t.inter, dynamic, true)}
			t.found[i].CompareAndSwap(nil, e)
			return e.table
		}
		if e.typ == dynamic {
			return e.table
		}
	}
	return getitab(t.inter, dynamic, true)
}
