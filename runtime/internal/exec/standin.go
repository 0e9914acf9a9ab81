package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// A standIn replaces pointers to one type by pointers to another when they are converted to
// interface values, and restores them in assertions. It lets compiled code see a writer of the cell
// where cells have an *os.File.
//
// The replacement is limited to conversions and assertions because these are the only operations
// that reveal the dynamic type of a value. The pointer itself keeps its type everywhere else, so
// that methods and fields of *os.File work in cells without further measures.
type standIn struct {
	from, to   *machine.Type
	box, unbox func(p unsafe.Pointer) unsafe.Pointer // box returns nil for pointers to keep
}

// StandIn makes pointers of type from become interface values of type to if box returns one.
// Assertions to from accept values of type to and convert them back with unbox.
func (m *Machine) StandIn(from, to reflect.Type, functions func() (box, unbox func(p unsafe.Pointer) unsafe.Pointer)) {
	box, unbox := functions()
	m.standIns = append(m.standIns, &standIn{m.Describe(from), m.Describe(to), box, unbox})
}

// standInFor returns the standIn for a type. It is nil for almost all types.
func (m *Machine) standInFor(t *machine.Type) *standIn {
	for _, s := range m.standIns {
		if s.from.Type == t.Type {
			return s
		}
	}
	return nil
}

// boxed compiles the conversion of a pointer with a standIn to an interface value.
//
// box decides at each conversion, because only some files have a stand-in: the standard streams of
// the process, but no file that a program has opened.
func (s *standIn) boxed(x operation.Value, t *machine.Type, word func() unsafe.Pointer) func(machine.Frame) machine.Iface {
	get, own, other := x.F.(func(machine.Frame) unsafe.Pointer), x.Type.RType, s.to.RType
	table := machine.HasTable(t)
	otherWord := func() unsafe.Pointer { return other }
	if table {
		otherWord = machine.MakeTable(other, t.RType)
	}
	return func(f machine.Frame) machine.Iface {
		p := get(f)
		if q := s.box(p); q != nil {
			return machine.Iface{Tab: otherWord(), Data: q}
		}
		if table {
			return machine.Iface{Tab: word(), Data: p}
		}
		return machine.Iface{Tab: own, Data: p}
	}
}

// accept converts the operand of an assertion: a value of type to becomes one of type from. Cells
// thus get back the *os.File that they have stored in an io.Writer.
func (s *standIn) accept(v machine.Iface, table bool) machine.Iface {
	if v.TypeWord(table) == s.to.RType {
		return machine.Iface{Tab: s.from.RType, Data: s.unbox(v.Data)}
	}
	return machine.Iface{Tab: v.TypeWord(table), Data: v.Data}
}
