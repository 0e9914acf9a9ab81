package machine

import (
	"slices"
	"time"
	"unsafe"
)

// Wait waits for one operation on a channel, or until the cell is stopped.
func (m *Machine) Wait(f Frame, s *Site, operation SelectCase) bool {
	// The second element is for the case that Choose adds.
	cases := [2]SelectCase{operation}
	_, received := m.Choose(f, s, cases[:1])
	return received
}

// Choose waits for one of several operations, or until the cell is stopped, in which case the poll
// ends the goroutine.
//
// While it waits, the goroutine counts as outside code of cells (see Thread.Out), so the host can
// pass the execution lock to another cell.
func (m *Machine) Choose(f Frame, s *Site, cases []SelectCase) (chosen int, received bool) {
	done := m.Host.Done()
	n := len(cases)
	if done != nil {
		// The additional case wakes the goroutine when its cell must stop.
		cases = append(cases, SelectCase{SelectRecv, doneType, *(*unsafe.Pointer)(unsafe.Pointer(&done)), unsafe.Pointer(&Zeroes)})
	}
	t := HeaderOf(f).Thread
	if timerOffset == 0 && s.Timed || slices.ContainsFunc(cases[:n], isTimed) {
		m.waitsEver.Add(1)
		m.waits.Add(1)
		defer m.waits.Add(-1)
	}
	t.Out(f, s)
	for {
		chosen, received = SelectCases(cases)
		if chosen < n {
			break
		}
		m.Poll(f, s) // ends the goroutine
	}
	t.In()
	if m.Stop.Load() != 0 {
		m.Poll(f, s)
	}
	return chosen, received
}

// Waits returns the number of goroutines that wait for a timer in code of cells, and a number that
// changes when one begins to.
func (m *Machine) Waits() (now, begun int64) { return m.waits.Load(), m.waitsEver.Load() }

// isTimed reports whether a channel is that of a timer of package time.
func isTimed(c SelectCase) bool {
	return c.Ch != nil && c.Dir == SelectRecv && timerOffset > 0 && *(*unsafe.Pointer)(unsafe.Add(c.Ch, timerOffset)) != nil
}

// timerOffset is the offset of the runtime's timer in a channel, or 0 if the layout of channels is
// unknown. A channel that is not of a timer has a nil pointer there.
var timerOffset = func() uintptr {
	type channel struct {
		_, _  uint           // number of elements and capacity
		_     unsafe.Pointer // buffer
		_     uint16         // size of an element
		_     uint32         // closed
		timer unsafe.Pointer
	}
	offset := unsafe.Offsetof(channel{}.timer)
	timer, plain := time.NewTimer(time.Hour), make(chan time.Time, 1)
	defer timer.Stop()
	at := func(c <-chan time.Time) unsafe.Pointer {
		return *(*unsafe.Pointer)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&c)), offset))
	}
	if at(timer.C) == nil || at(plain) != nil {
		return 0
	}
	return offset
}()
