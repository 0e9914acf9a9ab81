package session

import (
	"errors"
	"go/types"
	"strings"
	"sync"
	"sync/atomic"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/link"
)

// An execution holds the state of one running cell that its magics use. It implements magic.Host
// and magic.Timed.
type execution struct {
	session   *Session
	stopwatch interface{ Finish() string } // of %time; nil for none
	testing   atomic.Bool                  // whether %test is in progress

	captured atomic.Pointer[func(protocol.Content)] // set by %%capture

	mu      sync.Mutex // guards payload
	payload []map[string]any
}

// CaptureBy sets the function that receives the outputs of the cell from now on. They are not
// published then.
func (e *execution) CaptureBy(keep func(protocol.Content)) { e.captured.Store(&keep) }

// capturing returns a function that publishes the outputs of the cell, or passes them to the
// capturing function if there is one. The test is made for each output, since %%capture begins
// while the cell runs.
func (e *execution) capturing(publish func(protocol.Content)) func(protocol.Content) {
	return func(content protocol.Content) {
		if keep := e.captured.Load(); keep != nil {
			(*keep)(content)
			return
		}
		publish(content)
	}
}

// Stopwatch returns the measurements of %time, which begin makes.
func (e *execution) Stopwatch(begin func() interface{ Finish() string }) interface{ Finish() string } {
	if e.stopwatch == nil {
		e.stopwatch = begin()
	}
	return e.stopwatch
}

// Variables returns the session's variables for %vars. If some values are not read, unread gives
// the reason.
func (e *execution) Variables() (list []magics.Variable, unread string) {
	s := e.session
	s.compiling.Lock()
	defer s.compiling.Unlock()
	if c := guard.Current(); c != nil {
		c.Yield() // no other cell changes the variables while this one holds the execution lock
	}
	defer s.guard.Sharing.Hold()()
	quiet := s.guard.Sharing.Alone()
	for _, symbol := range s.checker.Symbols() {
		if symbol.Kind != check.Variable {
			continue
		}
		v := magics.Variable{Name: symbol.Name, Type: types.TypeString(symbol.Object.Type(), qualifier)}
		v.Value, v.Size = s.values.outline(symbol, quiet)
		v.Unread = !quiet && !oneWord(symbol)
		list = append(list, v)
	}
	if !quiet {
		unread = "goroutines of cells are running"
	}
	return list, unread
}

// qualifier writes types as cells do: types of cells have no package name.
func qualifier(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}

// Version returns the text of %version.
func (e *execution) Version() string {
	if e.session.options.Version == nil {
		return "gosphere"
	}
	return e.session.options.Version()
}

// Source returns the text of an earlier cell for %save.
func (e *execution) Source(number int) (text string, ok bool) {
	return e.session.calls.sources.find(number)
}

// SetNextInput asks the front end to replace the cell's text, or to insert a cell after it. The
// request is part of the reply, as the protocol requires.
func (e *execution) SetNextInput(text string, replace bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.payload = append(e.payload, map[string]any{"source": "set_next_input", "text": text, "replace": replace})
}

// MemoryLimit returns the memory limit of cells in bytes.
func (e *execution) MemoryLimit() int64 { return e.session.guard.Memory.Limit() }

// LimitMemory sets the memory limit of cells in bytes.
func (e *execution) LimitMemory(bytes int64) { e.session.guard.Memory.Set(bytes) }

// taken returns the payload for the reply to the client.
func (e *execution) taken() []map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.payload
}

// reset removes everything that cells have declared, for %reset. It also stops goroutines of
// earlier cells, because their variables are gone. The values of variables are cleared, so that
// their memory is freed although compiled code refers to them.
func (s *Session) reset() {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	// The goroutines are stopped first, so that they do not see variables disappear.
	s.guard.StopAll()
	settle(s)
	s.checker.Reset()
	s.link.Reset()
	if s.options.Follower != nil {
		s.options.Follower.Reset()
	}
	// A warning about what was removed would speak of names that no longer exist.
	s.staleClosures, s.warnings.seen = staleClosures{}, nil
}

// expand converts a cell with magics to Go. An error in a magic becomes a compile error at the
// place of the magic.
func expand(checker *check.Session, number int, source string) (magics.Expansion, error) {
	expansion, err := magics.ExpandAmong(source, checker.VariableType)
	var place *magics.PlaceError
	if errors.As(err, &place) {
		return expansion, cell.Errors{{Cell: number, Line: place.Line, Column: place.Column, Message: place.Message}}
	}
	return expansion, err
}

// shifted maps the columns of errors in a cell with magics back to the text that the user wrote.
// Lines need no mapping, because an expansion keeps the number of lines. For instance, %time f(x)
// becomes cell__magic.Begin("%time"); f(x), in which f has another column.
func shifted(err error, shift map[int]int) error {
	if refusal := (*link.Refusal)(nil); errors.As(err, &refusal) {
		place := &refusal.Position
		place.Column = max(place.Column-shift[place.Line], 1)
		return err
	}
	var list cell.Errors
	if len(shift) == 0 || !errors.As(err, &list) {
		return err
	}
	moved := make(cell.Errors, len(list))
	for i, e := range list {
		e.Column = max(e.Column-shift[e.Line], 1)
		moved[i] = e
	}
	return moved
}

// completeMagic answers a completion request if the cursor is in a magic.
func completeMagic(request protocol.CompleteRequest) (reply protocol.CompleteReply, found bool) {
	c, found := magics.Complete(request.Code, request.CursorPos)
	if !found {
		return reply, false
	}
	list := make([]protocol.TypedMatch, len(c.Matches))
	for i, text := range c.Matches {
		list[i] = protocol.TypedMatch{Text: text, Type: "path", Start: c.Start, End: c.End}
		if name := strings.TrimLeft(text, "%"); name != text {
			list[i].Type = "magic"
			list[i].Signature, list[i].Documentation = magics.Describe(name)
		}
	}
	matches := append([]string{}, c.Matches...)
	// Clients that do not know the typed matches in the metadata use the plain list.
	return protocol.CompleteReply{Status: "ok", Matches: matches, CursorStart: c.Start, CursorEnd: c.End,
		Metadata: map[string]any{protocol.TypedMatches: list}}, true
}
