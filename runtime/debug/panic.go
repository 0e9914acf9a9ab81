package debug

import (
	"fmt"
	"slices"

	"gosphere/kernel/protocol"
	"gosphere/runtime/guard"
)

// Panicked is called on a goroutine where a function of a cell has caught a panic on its way
// out, innermost first, with the depth at which it called its body and what describes the panic.
// The goroutine stops at the innermost one.
func (d *Debugger) Panicked(depth uintptr, exception func() (name, text string)) {
	if !d.panics.Load() {
		return
	}
	found, ok := d.threads.Load(guard.Goroutine())
	if !ok {
		return
	}
	t := found.(*Thread)
	if t.Quiet {
		return
	}
	again := t.unwinding != 0 && depth < t.unwinding // a panic of a deferred call is deeper
	if t.unwinding = depth; again {
		return
	}
	// The innermost call is the first one deeper than this; others have ended before.
	at := slices.IndexFunc(t.frames, func(f *Frame) bool { return f.used > depth })
	if at < 0 {
		return
	}
	t.frames = t.frames[:at+1]
	name, text := exception()
	e := &protocol.DebugException{Name: name, Text: text}
	for _, f := range slices.Backward(t.frames) {
		e.Stack = append(e.Stack, fmt.Sprintf("%s, line %d, in %s", f.site.Cell, f.site.Line, f.site.Function))
	}
	d.wait(t, stop{exception: e, notice: protocol.DebugNotice{
		Kind: protocol.DebugStopped, Thread: t.id, Reason: "exception", Description: "Paused on " + name, Text: text}})
}

// Recovered is called where a panic has ended.
func (d *Debugger) Recovered() {
	if !d.panics.Load() {
		return
	}
	if t, ok := d.threads.Load(guard.Goroutine()); ok {
		t.(*Thread).unwinding = 0
	}
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
