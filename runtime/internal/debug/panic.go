package debug

import (
	"fmt"
	"slices"

	"gosphere/kernel/protocol"
)

// Panicked is called on a goroutine that panics, with the calls in progress, innermost first, and a
// function that describes the panic. The goroutine stops if the client has requested it. It is
// called before deferred functions run, so that the calls and variables are those of the panic. The
// client cannot know whether the panic will be recovered. exception is called only if the goroutine
// stops, since it may format a large value.
func (d *Debugger) Panicked(stack []*Frame, exception func() (name, text string)) {
	if !d.panics.Load() || len(stack) == 0 || stack[0].thread.Quiet {
		return
	}
	t := stack[0].thread
	name, text := exception()
	e := &protocol.DebugException{Name: name, Text: text}
	for _, f := range stack {
		e.Stack = append(e.Stack, fmt.Sprintf("%s, line %d, in %s", f.site.Cell, f.site.Line, f.site.Function))
	}
	frames := slices.Clone(stack)
	slices.Reverse(frames)
	d.wait(t, frames, stop{exception: e, notice: protocol.DebugNotice{
		Kind: protocol.DebugStopped, Thread: t.id, Reason: "exception", Description: "Paused on " + name, Text: text}})
}

// Exception returns the panic at which a thread has stopped.
func (d *Debugger) Exception(thread int) (protocol.DebugException, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.stopped(thread)
	if err != nil {
		return protocol.DebugException{}, err
	}
	if t.stop.exception == nil {
		return protocol.DebugException{}, fmt.Errorf("thread %d has not stopped at a panic", thread)
	}
	return *t.stop.exception, nil
}
