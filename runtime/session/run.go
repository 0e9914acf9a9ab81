package session

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/display"
	"gosphere/runtime/guard"
	"gosphere/runtime/lower"
	"gosphere/runtime/magic"
)

// An ending is what a cell leaves behind.
type ending struct {
	shown   *shown // nil if the cell has no value
	failure *failure
	payload []map[string]any // what the reply asks of the front end
}

// shown is the value of a cell in the forms that clients can show.
type shown struct {
	value    any
	data     protocol.MimeBundle
	metadata map[string]any
}

// A record is what the session keeps with a cell: where its outputs go and the value it has
// shown. A goroutine that outlives its cell publishes through the same function.
type record struct {
	*execution
	publish func(protocol.Content)
	shown   atomic.Pointer[shown]
}

// currentRecord returns that of the calling goroutine's cell, nil for none.
func currentRecord() *record {
	c := guard.Current()
	if c == nil {
		return nil
	}
	r, _ := c.Attached.(*record)
	return r
}

// keepResult is called by emitted code with the value of the cell's last expression. The
// forms are made here, on the cell's own goroutine, because that may call methods which
// the cell declares.
func keepResult(v any) {
	if r := currentRecord(); r != nil {
		data, metadata := display.Bundle(v)
		r.shown.Store(&shown{v, data, metadata})
	}
}

// run is the way of a cell. A cell that fails before it is evaluated changes nothing.
func (s *Session) run(number int, source string, publish func(protocol.Content)) (end ending) {
	defer func() {
		if r := recover(); r != nil { // a defect of the front end must not cost the session
			end = ending{failure: internalFailure(fmt.Sprint(r), string(debug.Stack()))}
		}
	}()
	if magic.IsReset(source) {
		s.reset()
		return ending{}
	}
	expansion, err := expand(number, source)
	if err != nil {
		return ending{failure: s.failureOf(err, number, source)}
	}
	parsed, err := cell.Parse(number, expansion.Source)
	if err != nil {
		return ending{failure: s.failureOf(shifted(err, expansion.Shift), number, source)}
	}
	checked, err := s.checker.Check(parsed)
	if err != nil {
		parsed.Forget()
		return ending{failure: s.failureOf(shifted(err, expansion.Shift), number, source)}
	}
	if s.wasInterrupted() {
		parsed.Forget()
		return ending{failure: interruptFailure()}
	}
	program, err := s.lowerer.Cell(checked)
	if err != nil {
		return ending{failure: s.failureOf(err, number, source)}
	}
	s.warnings.show(s.checker, checked, publish)
	s.checker.Commit(checked)
	end = s.evaluate(number, program, publish)
	if declaresNothing(checked) {
		parsed.Forget()
	}
	return end
}

// declaresNothing tells that later cells cannot refer to anything of this one.
func declaresNothing(c *check.Checked) bool {
	return len(c.Declarations) == 0 && len(c.Variables) == 0
}

// evaluate runs the functions of a compiled cell.
func (s *Session) evaluate(number int, program *lower.Program, publish func(protocol.Content)) ending {
	var steps []func()
	for _, name := range program.Functions() {
		if name == "" {
			continue
		}
		f, err := s.engine.Function(name)
		if err != nil {
			return ending{failure: s.failureOf(err, number, "")}
		}
		steps = append(steps, f)
	}
	if len(steps) == 0 {
		return ending{}
	}
	c := s.guard.NewCell(number, func(stream, text string) { publish(protocol.Stream{Name: stream, Text: text}) })
	owner := &execution{session: s}
	r := &record{execution: owner, publish: publish}
	c.Attached = r
	if !s.setCell(c) {
		return ending{failure: interruptFailure()}
	}
	defer s.setCell(nil)
	outcome := c.Run(func() {
		for _, step := range steps {
			step()
		}
	})
	if outcome.Kind != guard.Interrupted {
		if text := owner.stopwatch.Finish(); text != "" {
			c.Write("stdout", text)
		}
	}
	c.Flush()
	end := ending{failure: s.failureOfOutcome(outcome), payload: owner.taken()} // names the functions of the program
	if c.HasEnded() {
		s.lowerer.Release(program)
	}
	if shown := r.shown.Swap(nil); end.failure == nil {
		end.shown = shown
	}
	return end
}

// setCell notes the cell that runs, so that Interrupt finds it. It tells whether the cell
// may run: an interrupt that came before is not lost.
func (s *Session) setCell(c *guard.Cell) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c != nil && s.executing && s.interrupted {
		return false
	}
	s.cell = c
	return true
}

func (s *Session) wasInterrupted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.executing && s.interrupted
}
