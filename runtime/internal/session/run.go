package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
	"gosphere/runtime/comm"
	"gosphere/runtime/internal/guard"
)

// An ending is the result of running a cell.
type ending struct {
	shown   *shown // nil if the cell has no value
	failure *failure
	payload []map[string]any // requests to the front end in the reply
}

// shown is the value of a cell in the forms that clients can display.
type shown struct {
	given    bool // whether there is a value, which may be nil
	value    any
	data     protocol.MimeBundle
	metadata map[string]any
}

// A record is what the session attaches to a cell: the destination of its outputs and the value
// that it has shown. A goroutine that outlives its cell publishes through the same function. It is
// stored in guard.Cell.Attached, where functions that cell code calls find it by the calling
// goroutine.
type record struct {
	*execution
	publish    func(protocol.Content)
	operations *operations // of the compiled cell
	// It is atomic, because a goroutine of the cell may show a value while run takes it.
	shown atomic.Pointer[shown]

	// The next two are set for evaluations of the debugger.
	quiet bool
	bare  bool // only the value is needed, not its display forms

	list bool // whether the cell ends in a list of expressions
}

// currentRecord returns the record of the calling goroutine's cell, or nil.
func currentRecord() *record {
	c := guard.Current()
	if c == nil {
		return nil
	}
	r, _ := c.Attached.(*record)
	return r
}

// keepResult is called by cell code with the value of the cell's last expression. It computes the
// display forms immediately, on the cell's own goroutine, because that may call methods declared in
// cells.
func keepResult(v any) {
	if r := currentRecord(); r != nil {
		guard.Current().Yield() // computing the value may have taken long
		if values, ok := v.([]any); ok && r.list {
			r.keepAll(values)
			return
		}
		if r.bare {
			r.shown.Store(&shown{given: true, value: v})
			return
		}
		data, metadata := r.forms(v)
		r.shown.Store(&shown{true, v, data, metadata})
	}
}

// forms returns the display forms of a value of the cell. If the value cannot be displayed, the
// cell fails with the reason. In the debugger the reason is part of the text.
func (r *record) forms(v any) (data protocol.MimeBundle, metadata map[string]any) {
	data, metadata, err := r.session.options.Notebook.Bundle(v)
	if err != nil && r.quiet {
		data["text/plain"] = fmt.Sprint(data["text/plain"], "\n", err)
	} else if err != nil {
		panic(err)
	}
	return data, metadata
}

// keepResults is called by cell code with all results of the cell's last expression. fails reports
// that the last result is an error; it is omitted if it is nil. tellsSize reports that the call
// returns a size, as fmt.Println does; nothing is shown unless it fails. Several values are shown
// as text, one per line. For instance:
//
//	os.ReadFile(name)  the contents, followed by the error if there is one
//	fmt.Println(x)     nothing
//	strings.Cut(s, a)  two strings and a bool
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
	if len(values) == 0 { // a call with an error as its only result has succeeded
		if r.quiet { // the debugger expects a value
			keepResult(nil)
		}
		return
	}
	guard.Current().Yield()
	r.keepAll(values)
}

// keepAll stores several values, which are shown as text, one per line.
func (r *record) keepAll(values []any) {
	whole := &shown{given: true, value: values}
	if !r.bare {
		var texts []string
		for _, value := range values {
			data, _ := r.forms(value)
			texts = append(texts, fmt.Sprint(data["text/plain"]))
		}
		whole.data, whole.metadata = protocol.MimeBundle{"text/plain": strings.Join(texts, "\n")}, map[string]any{}
	}
	r.shown.Store(whole)
}

// run runs a cell from its text to its ending. A cell that fails before it is evaluated changes
// nothing.
func (s *Session) run(e *call, source string) (end ending) {
	defer func() {
		if r := recover(); r != nil { // a defect of the front end must not end the session
			end = ending{failure: s.failures.internal(fmt.Sprint(r), source, string(debug.Stack()))}
		}
	}()
	// Editors on Windows begin files with a byte order mark.
	source = strings.TrimPrefix(source, "\ufeff")
	if s.options.Embedded == nil {
		// %reset does not run as a cell, because it removes the declarations of all cells.
		if magics.IsReset(source) {
			s.reset()
			return ending{}
		}
		switch s.consoleWord(source) {
		case "exit", "quit":
			return ending{payload: []map[string]any{{"source": "ask_exit", "keepkernel": false}}}
		case "help":
			source = "%help"
		}
	}
	c, r := s.newCell(e)
	compiles := false
	defer func() {
		// An abandoned goroutine keeps the cell; Discard only releases the execution lock.
		if !compiles {
			c.Discard()
		}
	}()
	// Without a cell, a later interrupt of the call has nothing to stop.
	defer s.calls.setCell(e, nil)
	if !s.calls.setCell(e, c) {
		return ending{failure: interruptFailure()}
	}
	step, failure, ended := compileUntilStopped(s, e, c, source)
	if compiles = ended != nil; compiles {
		go func() {
			<-ended
			c.Discard()
		}()
	}
	if failure == nil && step != nil {
		failure = s.evaluate(c, r, step)
	}
	if isFollowed(s, e) {
		s.follows.over(e, source, step != nil, failure != nil)
	}
	s.unread.report(e, failure)
	end = ending{failure: failure, payload: r.execution.taken()}
	// Swap releases the value: a goroutine that outlives the cell keeps the record alive.
	if shown := r.shown.Swap(nil); failure == nil {
		end.shown = shown
		// %%capture keeps the value as well as the outputs.
		if keep := r.execution.captured.Load(); keep != nil && shown != nil {
			(*keep)(protocol.DisplayData{Data: shown.data, Metadata: shown.metadata})
			end.shown = nil
		}
	}
	return end
}

// newCell returns the cell that the statements of a call run in. Its outputs and questions go to
// the client of the call.
func (s *Session) newCell(e *call) (*guard.Cell, *record) {
	r := &record{execution: &execution{session: s}, bare: e.bare}
	r.publish = r.execution.capturing(e.publish)
	c := s.guard.NewCell(e.number, func(stream, text string) { r.publish(protocol.Stream{Name: stream, Text: text}) })
	c.Attached = r
	c.Offered = append([]any{offers{s, c, r}}, s.options.Offers...)
	if s.questions != nil {
		c.AskBy(func(prompt string, password bool) (string, error) { return s.questions(e.ctx, prompt, password) })
	}
	return c, r
}

// offers is what a cell offers to the packages of the program that it imports, such as display and
// comm, which find it by package host.
type offers struct {
	session *Session
	cell    *guard.Cell
	record  *record
}

// Publisher returns the function that publishes outputs of the cell. It also yields to other cells,
// because displays in a loop are a natural point to do so.
func (o offers) Publisher() func(protocol.Content) {
	o.cell.Yield()
	return o.record.publish
}

// Ask asks the user.
func (o offers) Ask(prompt string, password bool) (string, error) {
	return o.cell.Ask(prompt, password)
}

// Hold locks the maps reachable from a value until release is called.
func (o offers) Hold(value any) (release func()) { return guard.LockMaps(value) }

// Comms returns the host of the cell's comms.
func (o offers) Comms() *comm.Host { return &o.session.comms }

// Stopped returns why long work of the calling goroutine must end, or nil.
func (o offers) Stopped() error {
	if guard.Stopped() {
		return guard.ErrStopped
	}
	return nil
}

// evaluate runs a compiled cell. An interrupted cell has no elapsed time, since its goroutine may
// still be running.
func (s *Session) evaluate(c *guard.Cell, r *record, step func()) *failure {
	outcome := c.Run(step)
	if outcome.Kind != guard.Interrupted {
		if w := r.execution.stopwatch; w != nil {
			if text := w.Finish(); text != "" {
				c.Write("stdout", text)
			}
		}
	}
	if outcome.Kind == guard.Overflowed {
		// The stack and the frames are free now, and a class may share the machine.
		debug.FreeOSMemory()
	}
	// The output is published before the reply.
	c.Flush()
	f := s.failures.ofOutcome(outcome)
	if f != nil {
		f.outcome = &outcome
	}
	return f
}

// compileGrace is how long an interrupted cell may take to end its compilation.
const compileGrace = 5 * time.Millisecond

// compileUntilStopped is like compile, but does not wait for the end of the compilation if the cell
// is stopped. The compilation then ends by itself, at the latest when the cell is compiled, and
// keeps the execution lock until ended is closed. Cells that are sent meanwhile wait for it. ended
// is nil if the compilation has ended.
func compileUntilStopped(s *Session, e *call, c *guard.Cell, source string) (step func(), f *failure, ended <-chan struct{}) {
	done := make(chan struct{})
	// This goroutine ends with the compilation.
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil { // a defect of the front end must not end the session
				f = s.failures.internal(fmt.Sprint(r), source, string(debug.Stack()))
			}
		}()
		step, f = s.compile(e, c, source)
	}()
	select {
	case <-done:
		return step, f, nil
	case <-c.Done():
	}
	select {
	case <-done:
		return step, f, nil
	case <-time.After(compileGrace):
		return nil, interruptFailure(), done
	}
}

// hasStopped returns a function that reports whether the cell has been stopped.
func hasStopped(c *guard.Cell) func() bool {
	return func() bool {
		select {
		case <-c.Done():
			return true
		default:
			return false
		}
	}
}

// compile compiles a cell's text to a function, or nil if there is nothing to run. It acquires the
// execution lock for the cell before it changes functions and types, and keeps it for the
// evaluation. These are the steps, each of which may fail:
//
//	expand         magics become Go
//	cell.Parse     the text becomes declarations and statements
//	prepare        the packages that the cell imports are loaded
//	checker.Check  names and types are determined
//	linked         statements of %%sql are checked; functions and statements are compiled
//	step           the skeleton is made, which calls the compiled operations
func (s *Session) compile(e *call, c *guard.Cell, source string) (step func(), f *failure) {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	// Marks are added to functions of earlier cells before this cell is compiled, so that a
	// breakpoint in them takes effect for its calls.
	if s.debuggee.changes() {
		if !c.AcquireLock() {
			return nil, interruptFailure()
		}
		if err := s.debuggee.prepare(); err != nil {
			e.publish(protocol.Stream{Name: "stderr", Text: "the debugger does not reach functions of earlier cells: " + err.Error() + "\n"})
		}
	}
	var expansion magics.Expansion
	var err error
	if s.options.Embedded != nil {
		expansion.Source = source
	} else if expansion, err = expand(s.checker, e.number, source); err != nil {
		return nil, s.failures.of(err, e.number, source)
	}
	parsed, err := cell.Parse(e.number, expansion.Source)
	if err != nil {
		return nil, s.failures.of(shifted(err, expansion.Shift), e.number, source)
	}
	if r, ok := c.Attached.(*record); ok {
		r.list = parsed.List
	}
	parsed.Stopped = hasStopped(c)
	e.locate(&s.link.Machine().Machine, parsed)
	if err := s.prepare(e, c, expansion, parsed); err != nil {
		parsed.Forget()
		if errors.Is(err, context.Canceled) {
			return nil, interruptFailure()
		}
		return nil, s.failures.of(moduleErrors(err, e.number), e.number, source)
	}
	checked, err := s.checker.Check(parsed)
	if parsed.Stopped() {
		parsed.Forget()
		return nil, interruptFailure()
	}
	// A declaration keeps its cell. It must not keep what the cell has run with.
	parsed.Stopped = nil
	if checked != nil {
		checked.Cell.Stopped = nil
	}
	s.library.use(parsed, checked, func(text string) { e.publish(protocol.Stream{Name: "stderr", Text: text + "\n"}) })
	if err != nil {
		parsed.Forget()
		return nil, s.failures.of(shifted(err, expansion.Shift), e.number, source)
	}
	if !c.AcquireLock() {
		parsed.Forget()
		return nil, interruptFailure()
	}
	settle(s)
	// The debugger must know the text before the cell is compiled, because compiling its marks asks
	// for the path of the text.
	s.debuggee.note(checked.Cell, e.text)
	// The result f decides at the end whether the text is still needed.
	defer func() { forget(s, checked, parsed, f != nil) }()
	accept := s.unread.watch(e, checked)
	program, err := linked(s, e.number, source, checked)
	if err != nil {
		return nil, s.failures.of(shifted(err, expansion.Shift), e.number, source)
	}
	accept()
	warn(s, e, checked, source, program)
	// Nothing in the cell itself can cause a failure from here on, so its declarations become part of
	// the session.
	s.checker.Commit(checked)
	followed(s, e, c, checked)
	// An error here is a defect of this program, because the skeleton has only calls of Run.
	if step, err = stepOf(program, s.options.Skeletons); err != nil {
		return nil, s.failures.of(err, e.number, source)
	}
	s.calls.setRunning(e)
	return step, nil
}

// forget drops the positions of a compiled cell that no later cell needs. Without it the file set
// of the session would grow with every cell.
func forget(s *Session, checked *check.Checked, parsed *cell.Cell, failed bool) {
	if failed || !checked.Declares() {
		s.debuggee.forget(checked.Cell)
		checked.Cell.Forget()
	} else {
		s.positions = append(s.positions, checked.Cell.Positions()...)
	}
	if checked.Cell != parsed {
		parsed.Forget()
	}
}
