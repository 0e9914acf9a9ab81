package debug

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"gosphere/kernel/protocol"
)

// A breakpoint is a breakpoint set by a client. All fields except hits change only under the
// debugger's lock. At sees a breakpoint through its site only, after it has been verified.
type breakpoint struct {
	protocol.DebugBreakpoint
	place Position
	count func(hits int64) bool // reports whether to stop, given the number of hits; nil for always
	hits  atomic.Int64
}

// SetBreakpoints replaces the breakpoints of a cell. Breakpoints of a cell whose text is not known
// yet are verified when it is. Each breakpoint gets a new id and its hits count from zero, even if
// the client sends it again unchanged: DAP has no way to say which of them are new. Places is
// called without the lock, because it parses the cell.
func (d *Debugger) SetBreakpoints(path, text string, wanted []protocol.DebugBreakpoint) []protocol.DebugBreakpoint {
	places := d.host.Places(text)
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []*breakpoint
	answers := make([]protocol.DebugBreakpoint, len(wanted))
	for i, w := range wanted {
		b := &breakpoint{DebugBreakpoint: w}
		d.lastID++
		b.ID = d.lastID
		b.settle(places, text != "")
		list = append(list, b)
		answers[i] = b.DebugBreakpoint
	}
	d.replace(path, list)
	d.raise()
	return answers
}

// settle sets the position of a breakpoint: the first statement on its line or after it. places are
// sorted by line. A breakpoint moves only forward, and never to another cell.
func (b *breakpoint) settle(places []Position, known bool) {
	var err error
	// A wrong hit condition leaves the breakpoint unverified, with the reason, on its line.
	b.count, err = hitCount(b.HitCondition)
	at := slices.IndexFunc(places, func(p Position) bool { return p.Line >= b.Line })
	switch {
	case err != nil:
		b.Message = err.Error()
	case !known:
		b.Message = "the text of the cell is not known yet"
	case at < 0:
		b.Message = "there is no statement on this line or after it"
	default:
		b.place, b.Line, b.Verified = places[at], places[at].Line, true
	}
}

// replace sets the breakpoints of a path. The caller holds the lock. Sites of the path that exist
// already are updated at once, so a breakpoint set during a run works in functions that were
// compiled with marks.
func (d *Debugger) replace(path string, list []*breakpoint) {
	if d.breakpoints[path] = list; len(list) == 0 {
		delete(d.breakpoints, path)
	}
	if sites := d.sites.Load(); sites != nil {
		for _, s := range *sites {
			if s.Path == path {
				d.place(s)
			}
		}
	}
}

// place attaches the breakpoint at a site to it, if there is one. The caller holds the lock.
func (d *Debugger) place(s *Site) {
	s.breakpoint.Store(nil)
	for _, b := range d.breakpoints[s.Path] {
		if b.Verified && b.place == s.Position {
			s.breakpoint.Store(b)
			return
		}
	}
}

// Known reports the text of a cell that is about to run, so that breakpoints set before can be
// verified. The lock is released while Places parses the text. Breakpoints that were replaced in
// the meantime are verified too, since the list is read again.
func (d *Debugger) Known(path, text string) {
	d.mu.Lock()
	waiting := slices.ContainsFunc(d.breakpoints[path], func(b *breakpoint) bool { return !b.Verified })
	d.mu.Unlock()
	if !waiting {
		return
	}
	places := d.host.Places(text)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.breakpoints[path] {
		if b.Verified {
			continue
		}
		if b.settle(places, true); b.Verified {
			b.Message = ""
			d.notify(protocol.DebugNotice{Kind: protocol.DebugChanged, Text: path, Breakpoint: b.DebugBreakpoint})
		}
	}
	d.replace(path, d.breakpoints[path]) // attaches them to existing sites
}

// hit reports whether a breakpoint stops the frame that has reached it. A breakpoint with a message
// prints it instead. It runs on the goroutine of the cell, without the debugger's lock. A condition
// that fails or is not a bool stops the goroutine with a description of the error: continuing would
// hide the mistake. The hit condition counts only hits whose condition holds.
func (d *Debugger) hit(b *breakpoint, f *Frame, notice *protocol.DebugNotice) (stops bool) {
	if b.Condition != "" {
		value, err := d.evaluate(f, b.Condition)
		switch {
		case err != nil:
			notice.Description = fmt.Sprintf("the condition %s: %v", b.Condition, err)
			notice.Text = notice.Description
			return true
		case value.Of.Kind() != reflect.Bool:
			notice.Description = fmt.Sprintf("the condition %s is no bool but %s", b.Condition, value.Type())
			notice.Text = notice.Description
			return true
		case !value.Of.Bool():
			return false
		}
	}
	if hits := b.hits.Add(1); b.count != nil && !b.count(hits) {
		return false
	}
	if b.LogMessage != "" {
		d.host.Print(d.message(f, b.LogMessage) + "\n")
		return false
	}
	return true
}

// evaluate evaluates an expression for the calling goroutine, which is not stopped. The evaluation
// is a cell that needs the execution lock, which the caller's cell holds and yields meanwhile.
func (d *Debugger) evaluate(f *Frame, expression string) (value Value, err error) {
	d.host.Aside(func() { value, err = d.host.EvaluateIn(f, expression) })
	return value, err
}

// message expands the expressions in a log message. For instance "n is {n}" prints "n is 3". An
// expression that fails is replaced by its error. A brace without its counterpart is printed as it
// is.
func (d *Debugger) message(f *Frame, text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		expression, after, closed := strings.Cut(rest, "}")
		b.WriteString(before)
		if !found || !closed {
			if found {
				b.WriteString("{" + rest)
			}
			return b.String()
		}
		if value, err := d.evaluate(f, expression); err != nil {
			b.WriteString("{" + expression + ": " + err.Error() + "}")
		} else {
			b.WriteString(value.Text(ShortOutline))
		}
		text = after
	}
}

// operators are the operators of hit conditions, longer ones first.
var operators = []struct {
	text  string
	holds func(hits, n int64) bool
}{
	{">=", func(hits, n int64) bool { return hits >= n }},
	{"<=", func(hits, n int64) bool { return hits <= n }},
	{"==", func(hits, n int64) bool { return hits == n }},
	{"!=", func(hits, n int64) bool { return hits != n }},
	{">", func(hits, n int64) bool { return hits > n }},
	{"<", func(hits, n int64) bool { return hits < n }},
	{"%", func(hits, n int64) bool { return hits%n == 0 }},
	{"", func(hits, n int64) bool { return hits == n }},
}

// hitCount parses a condition such as "5" (only the fifth time), ">= 5" or "% 5" (every fifth
// time). A number alone means "==", which is the last operator, an empty one. Numbers begin at 1.
func hitCount(text string) (func(hits int64) bool, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	for _, o := range operators {
		// The last operator is empty and is a prefix of every text.
		number, found := strings.CutPrefix(text, o.text)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 {
			break
		}
		return func(hits int64) bool { return o.holds(hits, n) }, nil
	}
	return nil, fmt.Errorf("the hit count %q is none of the kind 5, > 5, >= 5, == 5, != 5, < 5, <= 5, %% 5", text)
}
