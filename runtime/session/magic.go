package session

import (
	"errors"
	"go/types"
	"strings"
	"sync"
	"sync/atomic"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/guard"
	"gosphere/runtime/magic"
)

// An execution is what the magics of one running cell work on: magic.Host and magic.Timed.
type execution struct {
	session   *Session
	stopwatch magic.Stopwatch
	testing   atomic.Bool // %test is in progress

	captured atomic.Pointer[func(protocol.Content)] // of %%capture

	mu      sync.Mutex // guards payload
	payload []map[string]any
}

// CaptureBy sets what takes the outputs of the cell from now on.
func (e *execution) CaptureBy(keep func(protocol.Content)) { e.captured.Store(&keep) }

// capturing returns a function that publishes the outputs of the cell, or gives them to what captures them.
func (e *execution) capturing(publish func(protocol.Content)) func(protocol.Content) {
	return func(content protocol.Content) {
		if keep := e.captured.Load(); keep != nil {
			(*keep)(content)
			return
		}
		publish(content)
	}
}

// Stopwatch is where %time keeps what it measures.
func (e *execution) Stopwatch() *magic.Stopwatch { return &e.stopwatch }

// Variables lists the session's variables for %vars, and tells why some of their values are not read, if so.
func (e *execution) Variables() (list []magic.Variable, unread string) {
	s := e.session
	s.compiling.Lock()
	defer s.compiling.Unlock()
	if c := guard.Current(); c != nil {
		c.LetOthers() // the variables keep still while it has its turn
	}
	quiet := s.guard.Alone()
	for _, symbol := range s.checker.Symbols() {
		if symbol.Kind != check.Variable {
			continue
		}
		v := magic.Variable{Name: symbol.Name, Type: types.TypeString(symbol.Object.Type(), qualifier)}
		v.Value, v.Size = s.outline(symbol, quiet)
		v.Unread = !quiet && !oneWord(symbol)
		list = append(list, v)
	}
	if by := s.guard.SharedBy(); by != "" {
		unread = by + ", which this session has used, may still run goroutines that change them"
	} else if !quiet {
		unread = "goroutines of cells are running"
	}
	return list, unread
}

// qualifier writes types as cells do: those of cells without a package.
func qualifier(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}

// Version is the text of %version.
func (e *execution) Version() string {
	if e.session.options.Version == nil {
		return "gosphere"
	}
	return e.session.options.Version()
}

// Source finds the text of an earlier cell for %save.
func (e *execution) Source(number int) (text string, ok bool) { return e.session.sources.find(number) }

// SetNextInput asks the front end to change the cell, or to add one behind it.
func (e *execution) SetNextInput(text string, replace bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.payload = append(e.payload, map[string]any{"source": "set_next_input", "text": text, "replace": replace})
}

// MemoryLimit tells how much memory cells may use, in bytes.
func (e *execution) MemoryLimit() int64 { return e.session.guard.MemoryLimit() }

// LimitMemory sets how much memory cells may use, in bytes.
func (e *execution) LimitMemory(bytes int64) { e.session.guard.LimitMemory(bytes) }

// taken returns what the reply to the client must carry.
func (e *execution) taken() []map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.payload
}

// reset forgets everything that cells have declared, for %reset. Goroutines of earlier cells
// are ended, because their variables are gone.
func (s *Session) reset() {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	s.guard.StopAll()
	s.checker.Reset()
	s.link.Reset()
}

// expand makes Go of a cell with magics.
func expand(number int, source string) (magic.Expansion, error) {
	expansion, err := magic.Expand(source)
	var place *magic.PlaceError
	if errors.As(err, &place) {
		return expansion, cell.Errors{{Cell: number, Line: place.Line, Column: place.Column, Message: place.Message}}
	}
	return expansion, err
}

// shifted gives errors in a cell with magics the columns of the cell as the user wrote it.
func shifted(err error, shift map[int]int) error {
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

// mostSources bounds how many cells %save can reach back.
const mostSources = 10_000

// sources keeps the texts of the latest cells.
type sources struct {
	mu    sync.Mutex // guards what follows
	first int        // the execution count of texts[0]
	texts []string
}

func (l *sources) add(number int, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.texts) == 0 {
		l.first = number
	}
	l.texts = append(l.texts, text)
	if len(l.texts) > mostSources {
		l.texts = append([]string(nil), l.texts[mostSources/10:]...)
		l.first += mostSources / 10
	}
}

func (l *sources) find(number int) (text string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := number - l.first; i >= 0 && i < len(l.texts) {
		return l.texts[i], true
	}
	return "", false
}

// completeMagic answers a completion request whose cursor stands in a magic.
func completeMagic(request protocol.CompleteRequest) (reply protocol.CompleteReply, found bool) {
	c, found := magic.Complete(request.Code, request.CursorPos)
	if !found {
		return reply, false
	}
	list := make([]protocol.TypedMatch, len(c.Matches))
	for i, text := range c.Matches {
		list[i] = protocol.TypedMatch{Text: text, Type: "path", Start: c.Start, End: c.End}
		if name := strings.TrimLeft(text, "%"); name != text {
			list[i].Type = "magic"
			list[i].Signature, list[i].Documentation = magic.Describe(name)
		}
	}
	matches := append([]string{}, c.Matches...)
	return protocol.CompleteReply{Status: "ok", Matches: matches, CursorStart: c.Start, CursorEnd: c.End,
		Metadata: map[string]any{protocol.TypedMatches: list}}, true
}
