package session

import (
	"fmt"
	"runtime/debug"
	"sync"

	"gosphere/runtime/cell"
	"gosphere/runtime/guard"
	"gosphere/runtime/lower"
)

// An ending is what a cell leaves behind.
type ending struct {
	value    any
	hasValue bool
	failure  *failure
}

// results holds, by cell, the values that cells have shown.
var results sync.Map // *guard.Cell to any

// keepResult is called by emitted code with the value of the cell's last expression.
func keepResult(v any) {
	if c := guard.Current(); c != nil {
		results.Store(c, v)
	}
}

// run is the way of a cell. A cell that fails before it is evaluated changes nothing.
func (s *Session) run(number int, source string, write func(stream, text string)) (end ending) {
	defer func() {
		if r := recover(); r != nil { // a defect of the front end must not cost the session
			end = ending{failure: internalFailure(fmt.Sprint(r), string(debug.Stack()))}
		}
	}()
	parsed, err := cell.Parse(number, source)
	if err != nil {
		return ending{failure: s.failureOf(err, number, source)}
	}
	checked, err := s.checker.Check(parsed)
	if err != nil {
		parsed.Forget()
		return ending{failure: s.failureOf(err, number, source)}
	}
	program, err := s.lowerer.Cell(checked)
	if err != nil {
		return ending{failure: s.failureOf(err, number, source)}
	}
	s.checker.Commit(checked)
	return s.evaluate(number, program, write)
}

// evaluate runs the functions of a compiled cell.
func (s *Session) evaluate(number int, program *lower.Program, write func(stream, text string)) ending {
	var steps []func()
	for _, name := range append(append([]string(nil), program.Init...), program.Run, program.Main) {
		if name == "" {
			continue
		}
		f, err := s.engine.Function(name)
		if err != nil {
			return ending{failure: s.failureOf(err, number, "")}
		}
		steps = append(steps, f)
	}
	c := s.guard.NewCell(number, write)
	s.mu.Lock()
	s.cell = c
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.cell = nil
		s.mu.Unlock()
		results.Delete(c)
	}()
	outcome := c.Run(func() {
		for _, step := range steps {
			step()
		}
	})
	c.Flush()
	end := ending{failure: s.failureOfOutcome(outcome)}
	end.value, end.hasValue = results.Load(c)
	return end
}

// Interrupt stops the running cell, if there is one.
func (s *Session) Interrupt() {
	s.mu.Lock()
	c := s.cell
	s.mu.Unlock()
	if c != nil {
		c.Stop()
	}
}
