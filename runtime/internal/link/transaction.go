package link

import (
	"fmt"

	"gosphere/runtime/internal/ir"
)

// A cell that fails to compile leaves no trace: its functions and types are forgotten, and
// redeclared ones are restored. Package realtype cannot free the types that it has made for the
// cell, but no record refers to them any longer.

// A journal records how to undo the changes of the unit that is being compiled. The steps are in
// the order of the changes, and are called in reverse: a variable that was changed twice ends with
// its first value.
//
// For instance, after a refused cell that declares type T and func g, the name T is undefined
// again, and functions of earlier cells call the g that they called before.
type journal struct {
	open  bool // between the units, changes are final
	steps []func()
}

// undo records a step that reverts a change made by the current unit.
//
// A journal of single changes costs as much as the cell has changed. A copy of the maps would cost
// as much as the session has grown.
func (j *journal) undo(step func()) {
	if j.open {
		j.steps = append(j.steps, step)
	}
}

// rollback reverts the recorded changes, the latest first.
func (j *journal) rollback() {
	for len(j.steps) > 0 {
		last := len(j.steps) - 1
		step := j.steps[last]
		j.steps = j.steps[:last]
		step()
	}
}

// set sets an entry of a map, and reverts that if the current unit fails.
func set[K comparable, V any](j *journal, m map[K]V, key K, value V) {
	old, had := m[key]
	m[key] = value
	j.undo(func() {
		if had {
			m[key] = old
		} else {
			delete(m, key)
		}
	})
}

// assign sets a variable, and reverts that if the current unit fails.
func assign[V any](j *journal, to *V, value V) {
	old := *to
	*to = value
	j.undo(func() { *to = old })
}

// rollback reverts the changes of a unit. Types that existed before get their previous methods
// back.
//
// Method tables cannot be restored by the journal, because they contain code addresses that are in
// use. They are filled once more from the declarations that are valid again.
func (s *Session) rollback() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = asError(r)
		}
		if err != nil {
			s.pending, s.depth = nil, 0
			s.outdated = nil
			err = &Defect{Text: fmt.Sprintf("cannot take back the declarations: %v", err)}
		}
	}()
	// The machine first restores the code of functions, then the maps are restored, and then method
	// tables are filled from both.
	s.machine.Rollback()
	s.journal.rollback()
	u, before := s, s.unit.before
	u.pending, u.depth = nil, 0
	u.fresh, s.outdated = before.fresh, before.outdated
	filled := s.unit.filled
	for _, r := range u.records {
		if filled[r] {
			s.again(r)
		}
	}
	// The repair is a unit of its own, which sees the declarations before the cell.
	*s.unit = unit{checked: s.unit.checked.Before(), program: &ir.Program{}, filled: filled}
	if err := s.fill(); err != nil {
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
