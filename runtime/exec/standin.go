package exec

import (
	"reflect"
	"unsafe"
)

// A standIn replaces pointers to one type by pointers to another where they become interface
// values, and back where assertions take them out.
type standIn struct {
	from, to   *typ
	box, unbox func(p unsafe.Pointer) unsafe.Pointer // box returns nil for pointers that it leaves
}

// StandIn has pointers of type from become interface values of type to where box returns one, and
// assertions to from accept values of type to.
func (m *Machine) StandIn(from, to reflect.Type, functions func() (box, unbox func(p unsafe.Pointer) unsafe.Pointer)) {
	box, unbox := functions()
	m.standIns = append(m.standIns, &standIn{m.describe(from), m.describe(to), box, unbox})
}

// standInFor returns the stand-in for a type; nil for almost all types.
func (m *Machine) standInFor(t *typ) *standIn {
	for _, s := range m.standIns {
		if s.from.Type == t.Type {
			return s
		}
	}
	return nil
}

// boxed makes the interface value of a pointer with a stand-in.
func (s *standIn) boxed(x value, t *typ, word func() unsafe.Pointer) func(frame) iface {
	get, own, other := x.f.(func(frame) unsafe.Pointer), x.typ.rtype, s.to.rtype
	table := hasTable(t)
	otherWord := func() unsafe.Pointer { return other }
	if table {
		otherWord = makeTable(other, t.rtype)
	}
	return func(f frame) iface {
		p := get(f)
		if q := s.box(p); q != nil {
			return iface{otherWord(), q}
		}
		if table {
			return iface{word(), p}
		}
		return iface{own, p}
	}
}

// accept turns the value of an assertion to the type with a stand-in into one of that type.
func (s *standIn) accept(v iface, table bool) iface {
	if v.typeWord(table) == s.to.rtype {
		return iface{s.from.rtype, s.unbox(v.data)}
	}
	return iface{v.typeWord(table), v.data}
}
