package link

import (
	"fmt"

	"gosphere/internal/runtime/ir"
)

// A cell that fails to compile leaves no trace: its functions and types are forgotten, and
// redeclared ones are restored. Types that package realtype has made cannot be freed, but are no
// longer reachable.

// A snapshot holds the fields of a universe that are not maps, as they were before a cell.
type snapshot struct{ fresh, methods []*record }

// undo records a step that reverts a change made by the current unit.
func (s *Session) undo(step func()) {
	if s.unit != nil {
		s.unit.undo = append(s.unit.undo, step)
	}
}

// set sets an entry of a map, and reverts that if the current unit fails.
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

// assign sets a variable, and reverts that if the current unit fails.
func assign[V any](s *Session, to *V, value V) {
	old := *to
	*to = value
	s.undo(func() { *to = old })
}

// begin records the state before a cell.
func (s *Session) begin() {
	s.machine.Begin()
	u := s.universe
	s.unit.before = snapshot{u.fresh, u.methods}
}

// rollback reverts the changes of a unit. Types that existed before get their previous methods
// back.
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
