package link

import (
	"fmt"

	"gosphere/runtime/ir"
)

// A cell that fails to compile has not happened: its functions and types are forgotten, and what it
// declared again is as it was. Types that realtype has made stay there, but nothing finds them.

// A snapshot holds what of a universe is no map, for the time before a cell.
type snapshot struct{ fresh, methods []*record }

// undo notes how to take back a change that the cell in progress makes.
func (s *Session) undo(step func()) {
	if s.unit != nil {
		s.unit.undo = append(s.unit.undo, step)
	}
}

// set sets an entry of a map until the cell in progress fails.
func set[K comparable, V any](s *Session, m map[K]V, key K, value V) {
	old, had := m[key]
	m[key] = value
	s.undo(func() {
		if had {
			m[key] = old
		} else {
			delete(m, key)
		}
	})
}

// assign sets a variable until the cell in progress fails.
func assign[V any](s *Session, to *V, value V) {
	old := *to
	*to = value
	s.undo(func() { *to = old })
}

// begin notes how things are before a cell.
func (s *Session) begin() {
	s.machine.Begin()
	u := s.universe
	s.unit.before = snapshot{u.fresh, u.methods}
}

// rollback takes back what a cell has changed. Types that stay get back the methods that they had.
func (s *Session) rollback() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = asError(r)
		}
		if err != nil {
			s.universe.pending, s.universe.methods, s.universe.depth = nil, nil, 0
			err = &Defect{Text: fmt.Sprintf("cannot take back the declarations of a cell: %v", err)}
		}
	}()
	s.machine.Rollback()
	for i := len(s.unit.undo) - 1; i >= 0; i-- {
		s.unit.undo[i]()
	}
	u := s.universe
	u.pending, u.depth = nil, 0
	u.fresh, u.methods = s.unit.before.fresh, s.unit.before.methods
	for _, r := range u.records {
		if s.unit.filled[r] {
			u.again(r)
		}
	}
	s.unit = &unit{checked: s.unit.checked.Before(), program: &ir.Program{}, filled: s.unit.filled}
	if err := u.fillMethods(); err != nil {
		return err
	}
	if _, err = s.settle(); err == nil {
		if len(s.unit.filled) > 0 {
			u.unused()
		}
		u.markUsed()
	}
	return err
}
