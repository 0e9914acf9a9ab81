package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/ir"
)

// A mark is a place at which running code asks the host whether to stop.
type mark struct {
	site      int
	variables []variable
	call      func(frame) unsafe.Pointer // where the host's record of the call is
	around    func(frame) unsafe.Pointer // and that of the call around; nil for none
}

// A variable is one that can be looked at from outside.
type variable struct {
	typ     reflect.Type
	address func(frame) unsafe.Pointer
}

// mark compiles a mark.
func (c *compiler) mark(s *ir.Mark) func(frame) {
	k := &mark{site: c.m.host.Site(s, c.fn)}
	any := c.typeOf(s.Call.Type)
	k.call = c.local(s.Call, any).address()
	if s.Around != nil {
		k.around = c.local(s.Around, any).address()
	}
	for _, l := range s.Vars {
		a := c.local(l, c.typeOf(l.Type))
		k.variables = append(k.variables, variable{a.typ.Type, a.address()})
	}
	c.record = k.call
	site, m := c.site(s.Pos()), c.m
	return func(f frame) {
		if m.asking.Load() == 0 {
			return
		}
		fail(f, site)
		m.host.Ask(k.site, Moment{f, k})
	}
}

// SetAsking sets whether code with marks asks the host at each of them.
func (m *Machine) SetAsking(ask bool) {
	value := uint32(0)
	if ask {
		value = 1
	}
	m.asking.Store(value)
}

// A Moment is a call of a function that has come to one of its marks.
type Moment struct {
	frame frame
	mark  *mark
}

// Depth returns the number of calls below this one on its goroutine.
func (m Moment) Depth() int { return headerOf(m.frame).depth }

// Call returns what the host keeps with the call, nil if it is new.
func (m Moment) Call() any { return *(*any)(m.mark.call(m.frame)) }

// SetCall sets what the host keeps with the call.
func (m Moment) SetCall(record any) { *(*any)(m.mark.call(m.frame)) = record }

// Around returns what the host keeps with the call around, for the body of a loop over a function;
// nil for other functions.
func (m Moment) Around() any {
	if m.mark.around == nil {
		return nil
	}
	return *(*any)(m.mark.around(m.frame))
}

// Variables returns the variables of the mark, addressable. They are those of the call as long as
// it is in progress.
func (m Moment) Variables() []reflect.Value {
	list := make([]reflect.Value, len(m.mark.variables))
	for i, v := range m.mark.variables {
		if p := v.address(m.frame); p != nil {
			list[i] = reflect.NewAt(v.typ, p).Elem()
		}
	}
	return list
}

// Stack returns what the host keeps with the calls in progress, innermost first.
func (m Moment) Stack() []any { return records(m.frame) }

// records lists what the host keeps with the calls from a frame outward.
func records(f frame) (list []any) {
	for ; f != nil; f = headerOf(f).caller {
		code := headerOf(f).code
		if code == nil || code.record == nil {
			continue
		}
		if record := *(*any)(code.record(f)); record != nil {
			list = append(list, record)
		}
	}
	return list
}
