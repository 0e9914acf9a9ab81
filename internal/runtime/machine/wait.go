package machine

import (
	"unsafe"
)

// Wait waits for one operation on a channel, or until the cell is stopped.
func (m *Machine) Wait(f Frame, s *Site, operation SelectCase) bool {
	_, received := m.Choose(f, s, []SelectCase{operation})
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
