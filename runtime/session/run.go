package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/display"
	"gosphere/runtime/guard"
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
	given    bool // there is a value, which may be nil
	value    any
	data     protocol.MimeBundle
	metadata map[string]any
}

// A record is what the session keeps with a cell: where its outputs go and the value it has
// shown. A goroutine that outlives its cell publishes through the same function.
type record struct {
	*execution
	publish    func(protocol.Content)
	operations *operations // of the cell
	shown      atomic.Pointer[shown]

	// Of an evaluation for the debugger.
	quiet bool
	bare  bool // only the value is wanted, not its forms

	list bool // the cell ends in a list of expressions
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

// keepResult is called by the code of a cell with the value of the cell's last expression. The
// forms are made here, on the cell's own goroutine, because that may call methods which
// the cell declares.
func keepResult(v any) {
	if r := currentRecord(); r != nil {
		guard.Current().LetOthers() // what has made the value may have taken long
		if values, ok := v.([]any); ok && r.list {
			r.keepAll(values)
			return
		}
		if r.bare {
			r.shown.Store(&shown{given: true, value: v})
			return
		}
		data, metadata := display.Bundle(v)
		r.shown.Store(&shown{true, v, data, metadata})
	}
}

// keepResults is called by the code of a cell with all results of the cell's last expression. Fails tells that the last one is
// an error, which is left out while it is nil, also where there is nothing else; of a call that tells a size, such as fmt.Println, nothing else is shown. Several
// values are shown as text, one in a line.
func keepResults(fails, tellsSize bool, values ...any) {
	if last := len(values) - 1; fails && values[last] == nil {
		values = values[:last]
		if tellsSize {
			return
		}
	}
	if len(values) == 1 {
		keepResult(values[0])
		return
	}
	r := currentRecord()
	if r == nil {
		return
	}
	if len(values) == 0 { // a call that might have failed and has not
		if r.quiet { // a debugger asks for a value
			keepResult(nil)
		}
		return
	}
	guard.Current().LetOthers()
	r.keepAll(values)
}

// keepAll keeps several values, which are shown as text, one in a line.
func (r *record) keepAll(values []any) {
	whole := &shown{given: true, value: values}
	if !r.bare {
		var texts []string
		for _, value := range values {
			data, _ := display.Bundle(value)
			texts = append(texts, fmt.Sprint(data["text/plain"]))
		}
		whole.data, whole.metadata = protocol.MimeBundle{"text/plain": strings.Join(texts, "\n")}, map[string]any{}
	}
	r.shown.Store(whole)
}

// run is the way of a cell. A cell that fails before it is evaluated changes nothing.
func (s *Session) run(e *call, source string) (end ending) {
	defer func() {
		if r := recover(); r != nil { // a defect of the front end must not cost the session
			end = ending{failure: s.internalFailure(fmt.Sprint(r), source, string(debug.Stack()))}
		}
	}()
	if magic.IsReset(source) {
		s.reset()
		return ending{}
	}
	switch s.consoleWord(source) {
	case "exit", "quit":
		return ending{payload: []map[string]any{{"source": "ask_exit", "keepkernel": false}}}
	case "help":
		source = "%help"
	}
	c, r := s.newCell(e)
	defer c.Discard()
	defer s.setCell(e, nil)
	if !s.setCell(e, c) {
		return ending{failure: interruptFailure()}
	}
	step, failure := s.compile(e, c, source)
	if failure == nil && step != nil {
		failure = s.evaluate(c, r, step)
	}
	end = ending{failure: failure, payload: r.execution.taken()}
	if shown := r.shown.Swap(nil); failure == nil {
		end.shown = shown
		if keep := r.execution.captured.Load(); keep != nil && shown != nil {
			(*keep)(protocol.DisplayData{Data: shown.data, Metadata: shown.metadata})
			end.shown = nil
		}
	}
	return end
}

// newCell makes the cell that the statements of a call run in.
func (s *Session) newCell(e *call) (*guard.Cell, *record) {
	r := &record{execution: &execution{session: s}}
	r.publish = r.execution.capturing(e.publish)
	c := s.guard.NewCell(e.number, func(stream, text string) { r.publish(protocol.Stream{Name: stream, Text: text}) })
	c.Attached = r
	if s.questions != nil {
		c.AskBy(func(prompt string, password bool) (string, error) { return s.questions(e.ctx, prompt, password) })
	}
	return c, r
}

// evaluate runs a compiled cell.
func (s *Session) evaluate(c *guard.Cell, r *record, step func()) *failure {
	outcome := c.Run(step)
	if outcome.Kind != guard.Interrupted {
		if text := r.execution.stopwatch.Finish(); text != "" {
			c.Write("stdout", text)
		}
	}
	c.Flush()
	return s.failureOfOutcome(outcome)
}

// compile makes a function of a cell's text, nil if there is nothing to run. It takes the cell's
// turn, because functions and types change, and keeps it.
func (s *Session) compile(e *call, c *guard.Cell, source string) (step func(), f *failure) {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	if s.debuggee.changes() {
		if !c.TakeTurn() {
			return nil, interruptFailure()
		}
		if err := s.debuggee.prepare(); err != nil {
			e.publish(protocol.Stream{Name: "stderr", Text: "the debugger does not reach functions of earlier cells: " + err.Error() + "\n"})
		}
	}
	expansion, err := expand(e.number, source)
	if err != nil {
		return nil, s.failureOf(err, e.number, source)
	}
	parsed, err := cell.Parse(e.number, expansion.Source)
	if err != nil {
		return nil, s.failureOf(shifted(err, expansion.Shift), e.number, source)
	}
	if r, ok := c.Attached.(*record); ok {
		r.list = parsed.List
	}
	if err := s.prepare(e, c, expansion, parsed); err != nil {
		parsed.Forget()
		if errors.Is(err, context.Canceled) {
			return nil, interruptFailure()
		}
		return nil, s.failureOf(moduleErrors(err, e.number), e.number, source)
	}
	checked, err := s.checker.Check(parsed)
	if err != nil {
		parsed.Forget()
		return nil, s.failureOf(shifted(err, expansion.Shift), e.number, source)
	}
	if !c.TakeTurn() {
		parsed.Forget()
		return nil, interruptFailure()
	}
	s.debuggee.note(checked.Cell, e.text)
	defer func() { s.forget(checked, parsed, f != nil) }()
	program, err := s.link.Cell(checked)
	if err != nil {
		return nil, s.failureOf(err, e.number, source)
	}
	s.warnings.show(s.checker, checked, source, e.publish)
	s.kept.look(checked, e.publish)
	s.renewed(program.Renewed, e.publish)
	s.checker.Commit(checked)
	if step, err = s.step(program); err != nil {
		return nil, s.failureOf(err, e.number, source)
	}
	s.setRunning(e)
	return step, nil
}

// forget lets go of the positions of a compiled cell that no later cell needs.
func (s *Session) forget(checked *check.Checked, parsed *cell.Cell, failed bool) {
	if failed || !checked.Declares() {
		s.debuggee.forget(checked.Cell)
		checked.Cell.Forget()
	}
	if checked.Cell != parsed {
		parsed.Forget()
	}
}

// setCell notes the cell of a call, so that an interrupt finds it. It reports whether the
// cell may run: an interrupt that came before is not lost.
func (s *Session) setCell(e *call, c *guard.Cell) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.cell, e.running = c, false
	return !e.interrupted
}

// setRunning notes that the statements of a call run, until setCell.
func (s *Session) setRunning(e *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.running = true
}

// still tells that no statements run.
func (s *Session) still() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := range s.calls {
		if e.running {
			return false
		}
	}
	return true
}
