package machine

import (
	"sync/atomic"
	"unsafe"
)

// TypeWord returns the dynamic type of an interface value, nil for a nil one. The value is of an
// interface type with methods if table is set.
func (v Iface) TypeWord(table bool) RType {
	if v.Tab == nil || !table {
		return v.Tab
	}
	return *At[RType](v.Tab, tableType)
}

// tableType and tableCode are where a method table holds the dynamic type and the code.
const (
	tableType = unsafe.Sizeof(uintptr(0))
	TableCode = 3 * unsafe.Sizeof(uintptr(0))
)

// AsAny returns an interface value as one of type any.
func (v Iface) AsAny(table bool) any {
	v.Tab = v.TypeWord(table)
	return *(*any)(unsafe.Pointer(&v))
}

// HasTable reports whether values of an interface type begin with a method table.
func HasTable(t *Type) bool { return t.Type.NumMethod() > 0 }

// MakeTable returns a function that finds the method table of a type for an interface type. It is
// asked for at the first conversion, when the methods of cell types are known.
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

// Tables finds the method tables of dynamic types for an interface type and remembers the last
// answers.
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

// Find returns nil if the type does not implement the interface.
func (t *Tables) Find(dynamic RType) unsafe.Pointer {
	kept := &t.found[cacheIndex(uintptr(dynamic))]
	if e := kept.Load(); e != nil && e.typ == dynamic {
		return e.table
	}
	table := getitab(t.inter, dynamic, true)
	kept.Store(&tableEntry{dynamic, table})
	return table
}
