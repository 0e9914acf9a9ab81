package session

import (
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/unread"
)

// An UnreadError is an error that a cell has stored in a variable and that nothing has read.
type UnreadError struct {
	Cell     int // execution count
	Line     int // in the cell, from 1
	Variable string
	Text     string // of the error, its first line

	symbol *check.Symbol
	lost   bool // whether a later cell has set the variable
}

// String returns the line that the user sees.
func (u UnreadError) String() string {
	return fmt.Sprintf("%s, line %d: %s holds an error that nothing has read: %s", cell.FileName(u.Cell), u.Line, u.Variable, u.Text)
}

// unreadErrors finds the errors that cells set and that nothing reads. GOSPHERE_WARNINGS=off turns
// it off.
type unreadErrors struct {
	off    bool
	finder unread.Finder // used only while Session.compiling is held

	mu   sync.Mutex
	open []UnreadError // that no later cell has read so far
}

// foundErrors are the errors that one cell has found. A goroutine of a cell that was interrupted
// may still add to them.
type foundErrors struct {
	mu   sync.Mutex
	list []UnreadError
}

// watch has the values of error variables looked at while a checked cell runs, if nothing in the
// cell reads them. accept must be called when the cell has been compiled.
func (u *unreadErrors) watch(e *call, c *check.Checked) (accept func()) {
	if u.off || e.silent {
		return func() {}
	}
	u.mu.Lock()
	var open []*check.Symbol
	for _, o := range u.open {
		if !o.lost && !slices.Contains(open, o.symbol) {
			open = append(open, o.symbol)
		}
	}
	u.mu.Unlock()
	use := u.finder.Find(c, open)
	for _, w := range use.Writes {
		if c.After == nil {
			c.After = map[ast.Stmt][]check.Look{}
		}
		found := UnreadError{Cell: c.Cell.Number, Line: w.Line, Variable: w.Symbol.Name, symbol: w.Symbol, lost: w.Replaced}
		c.After[w.Statement] = append(c.After[w.Statement], check.Look{Variable: w.Variable, See: func(v reflect.Value) { e.unread.see(found, v) }})
	}
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.open = slices.DeleteFunc(u.open, func(o UnreadError) bool { return !o.lost && slices.Contains(use.Read, o.symbol) })
		for i, o := range u.open {
			u.open[i].lost = o.lost || slices.Contains(use.Lost, o.symbol)
		}
	}
}

// see notes the value that a variable has after its statement. The value is that of an earlier
// statement if the assignment has not run.
func (f *foundErrors) see(found UnreadError, v reflect.Value) {
	if !v.IsValid() {
		return
	}
	found.Text, _, _ = strings.Cut(fmt.Sprint(v.Interface()), "\n") // it survives a panic of the method Error
	const most = 300
	if letters := []rune(found.Text); len(letters) > most {
		found.Text = string(letters[:most]) + "…"
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.list, func(o UnreadError) bool { return o.symbol == found.symbol && o.Text == found.Text }) {
		f.list = append(f.list, found)
	}
}

// report writes a line about each error that a cell has stored and that nothing reads.
func (u *unreadErrors) report(e *call, f *failure) {
	e.unread.mu.Lock()
	defer e.unread.mu.Unlock()
	if f != nil && f.name == interruptFailure().name {
		return
	}
	for _, found := range e.unread.list {
		// The hint of a nil pointer dereference shows the error as well.
		if f != nil && slices.ContainsFunc(f.traceback, func(line string) bool { return strings.HasPrefix(line, unreadHint(found.Variable)) }) {
			continue
		}
		e.publish(protocol.Stream{Name: "stderr", Text: found.String() + "\n"})
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	// A session that runs one cell again and again keeps only so many.
	const most = 1000
	u.open = append(u.open, e.unread.list[:min(len(e.unread.list), max(0, most-len(u.open)))]...)
	e.unread.list = nil // expressions of the client follow in the same call
}

// UnreadErrors returns the errors that cells have stored in variables and that no cell has read.
func (s *Session) UnreadErrors() []UnreadError {
	s.unread.mu.Lock()
	defer s.unread.mu.Unlock()
	return slices.Clone(s.unread.open)
}
