package machine

import (
	"reflect"
	"unsafe"
)

// A Mark is a place at which running code asks the host whether to stop.
type Mark struct {
	Site      int
	Variables []Variable
	Call      func(Frame) unsafe.Pointer // where the host's record of the call is
	Around    func(Frame) unsafe.Pointer // and that of the call around; nil for none
}

// A Variable is one that can be looked at from outside.
type Variable struct {
	Type    reflect.Type
	Address func(Frame) unsafe.Pointer
}

// SetAsking sets whether code with marks asks the host at each of them.
func (m *Machine) SetAsking(ask bool) {
	value := uint32(0)
	if ask {
		value = 1
	}
	m.Asking.Store(value)
}

// A Moment is a call of a function that has come to one of its marks.
type Moment struct {
	Frame Frame
	Mark  *Mark
}

// Depth returns the number of calls below this one on its goroutine.
func (m Moment) Depth() int { return HeaderOf(m.Frame).depth }

// Call returns what the host keeps with the call, nil if it is new.
func (m Moment) Call() any { return *(*any)(m.Mark.Call(m.Frame)) }

// SetCall sets what the host keeps with the call.
func (m Moment) SetCall(record any) { *(*any)(m.Mark.Call(m.Frame)) = record }

// Around returns what the host keeps with the call around, for the body of a loop over a function;
// nil for other functions.
func (m Moment) Around() any {
	if m.Mark.Around == nil {
		return nil
	}
	return *(*any)(m.Mark.Around(m.Frame))
}

// Variables returns the variables of the mark, addressable. They are those of the call as long as
// it is in progress.
func (m Moment) Variables() []reflect.Value {
	list := make([]reflect.Value, len(m.Mark.Variables))
	for i, v := range m.Mark.Variables {
		if p := v.Address(m.Frame); p != nil {
			list[i] = reflect.NewAt(v.Type, p).Elem()
		}
	}
	return list
}

// Stack returns what the host keeps with the calls in progress, innermost first.
func (m Moment) Stack() []any { return records(m.Frame) }

// records lists what the host keeps with the calls from a frame outward.
func records(f Frame) (list []any) {
	for ; f != nil; f = HeaderOf(f).caller {
		code := HeaderOf(f).Code
		if code == nil || code.Record == nil {
			continue
		}
		if record := *(*any)(code.Record(f)); record != nil {
			list = append(list, record)
		}
	}
	return list
}
