package guard

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"gosphere/runtime/internal/guard/panics"
)

// Go starts a goroutine that belongs to the calling cell. A panic in it is reported and ends only
// the goroutine.
func (g *Guard) Go(f func()) {
	g.Sharing.Begin(false) // counted here, so that maps are locked before the goroutine runs
	go func() {
		g.Sharing.Start()
		defer g.Sharing.End()
		defer g.debugger.Forget()
		debug.SetPanicOnFault(true)
		g.debugger.Forget() // discards the state of an earlier goroutine with the same descriptor
		g.Guarded(f)
	}()
}

// Guarded runs f on a goroutine that no other waits for. It reports a panic and ends the goroutine.
// runtime.Goexit after the report ends the goroutine also if compiled code has called f.
func (g *Guard) Guarded(f func()) {
	defer func() {
		if value := recover(); value != nil {
			g.unrecovered("panic in a goroutine", value)
			runtime.Goexit()
		}
	}()
	g.run(f)
}

// unrecovered reports a panic that ends a goroutine, and with it a program.
func (g *Guard) unrecovered(title string, value any) {
	if g.program != nil {
		g.program.cell.Load().crash(g.panicked(value))
		return
	}
	g.report(title, value)
}

// report describes a panic that does not end a cell, on stderr of the current or latest cell.
func (g *Guard) report(title string, value any) {
	to := g.Streams.Latest()
	if c := Current(); c != nil {
		to = c.Streams
	}
	if to == nil {
		return
	}
	value, calls := panics.Split(value)
	var b strings.Builder
	r := panics.Describe(value)
	fmt.Fprintf(&b, "%s: %s\n", title, r.Text)
	for _, text := range r.Lines() {
		fmt.Fprintln(&b, text)
	}
	for _, text := range calls {
		fmt.Fprintf(&b, "    %s\n", text)
	}
	to.Write("stderr", b.String())
}

// Overflow ends the calling goroutine, whose calls use more stack than the limit, a size such as
// "200 MB". calls lists them, innermost first.
func (g *Guard) Overflow(limit string, calls []string) {
	if c := Current(); c != nil {
		switch {
		case c.OnStatements():
			c.outcome.Kind, c.outcome.Text, c.outcome.Calls = Overflowed, limit, calls
		case g.program != nil:
			c.crash(Outcome{Kind: Overflowed, Text: limit, Calls: calls})
		default:
			text := "goroutine ended: stack overflow: more than " + limit + " of nested calls\n"
			for _, line := range calls {
				text += "    " + line + "\n"
			}
			c.Write("stderr", text)
			// The stack is free when the goroutine has ended. That of statements is returned to the
			// system by the session, before the next cell.
			time.AfterFunc(time.Millisecond, debug.FreeOSMemory)
		}
	}
	runtime.Goexit()
}

// Contain runs a function of cells, such as a finalizer, on a goroutine that must survive. A panic
// is reported on the stderr of the latest cell.
func (g *Guard) Contain(f func()) {
	defer func() {
		if value := recover(); value != nil {
			g.unrecovered("panic in a finalizer", value)
		}
	}()
	g.run(f)
}
