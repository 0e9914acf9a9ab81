package machine

import (
	"reflect"
	"unsafe"
)

// A Mark is a position at which running code asks the host whether to stop.
//
// A mark is compiled once and shared by all calls of the function; Address functions take the
// frame.
type Mark struct {
	Site      int
	Variables []Variable
	Call      func(Frame) unsafe.Pointer // address of the host's record of the call
	Around    func(Frame) unsafe.Pointer // address of the record of the enclosing call; nil if there is none
}

// A Variable is a variable that the host can read and set.
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

// A Moment is a call that has reached one of its marks.
type Moment struct {
	Frame Frame
	Mark  *Mark
}

// Depth returns the number of calls below this one on its goroutine.
func (m Moment) Depth() int { return int(HeaderOf(m.Frame).depth) }

// Call returns the host's record of the call, or nil if there is none yet.
func (m Moment) Call() any { return *(*any)(m.Mark.Call(m.Frame)) }

// SetCall sets the host's record of the call.
func (m Moment) SetCall(record any) { *(*any)(m.Mark.Call(m.Frame)) = record }

// Around returns the host's record of the enclosing call if the function is the body of a
// range-over-func loop, and nil for other functions.
func (m Moment) Around() any {
	if m.Mark.Around == nil {
		return nil
	}
	return *(*any)(m.Mark.Around(m.Frame))
}

// Variables returns the variables of the mark as addressable values. They are valid while the call
// is in progress.
func (m Moment) Variables() []reflect.Value {
	list := make([]reflect.Value, len(m.Mark.Variables))
	for i, v := range m.Mark.Variables {
		// The pointer to a heap cell is nil before the declaration of the variable has run.
		if p := v.Address(m.Frame); p != nil {
			list[i] = reflect.NewAt(v.Type, p).Elem()
		}
	}
	return list
}

// Stack returns the host's records of the calls in progress, innermost first.
func (m Moment) Stack() []any { return records(m.Frame) }

// records returns the host's records of the calls from a frame outward.
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
