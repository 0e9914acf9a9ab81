package debug

import (
	"fmt"
	"slices"

	"gosphere/kernel/protocol"
)

// A stop is the state of a stopped thread. The notice is kept because it may be sent much later,
// when earlier stops have been resumed. A stop without exception is not one at a panic.
type stop struct {
	notice    protocol.DebugNotice
	exception *protocol.DebugException
	resume    chan struct{} // closed to resume the thread
	announced bool
	frames    []int // ids of its frames
}

// At is called when a call reaches a site. It stops there if there is a reason. It runs on the
// goroutine of the call. The order of the cases decides the reason that a client displays: a
// breakpoint on the target of a step counts as a breakpoint. The hit is counted, and a message is
// printed, even if the goroutine would stop for another reason.
//
// A quiet goroutine evaluates an expression for the debugger. It does not stop, because the client
// waits for its result and could not resume it.
func (d *Debugger) At(f *Frame, n int, m Moment) {
	// They are recorded even if the goroutine does not stop here: when an inner call stops, the
	// client sees this position of the outer one.
	f.site, f.moment = d.site(n), m
	t := f.thread
	if t.Quiet {
		return
	}
	notice := protocol.DebugNotice{Kind: protocol.DebugStopped, Thread: t.id}
	b := f.site.breakpoint.Load()
	switch {
	case b != nil && d.hit(b, f, &notice):
		notice.Reason, notice.Hit = "breakpoint", []int{b.ID}
	case t.step != nil && t.step.ends(f):
		notice.Reason = "step"
	case d.pausing.Swap(false):
		notice.Reason = "pause"
	default:
		return
	}
	frames := m.Stack()
	// Stack begins with the innermost call, the fields of a stop with the outermost.
	slices.Reverse(frames)
	d.wait(t, frames, stop{notice: notice})
}

// wait stops the calling goroutine, with its calls outermost first, until a client resumes it. If
// several goroutines stop, they are announced one after another, because clients show only one. The
// step is over, whatever the reason of the stop. If the client has detached since the decision, the
// goroutine continues, because no request would ever resume it. An interrupt leaves Host.Wait by
// runtime.Goexit; the deferred function then removes the stop.
func (d *Debugger) wait(t *Thread, frames []*Frame, s stop) {
	s.resume = make(chan struct{})
	d.mu.Lock()
	if !d.attached {
		d.mu.Unlock()
		return
	}
	t.step = nil
	t.stop, t.frames = &s, frames
	d.stops = append(d.stops, t)
	d.announce()
	d.mu.Unlock()
	defer func() { // runs also if the cell is interrupted
		d.mu.Lock()
		defer d.mu.Unlock()
		if t.stop != nil {
			d.release(t, nil)
		}
	}()
	d.host.Wait(s.resume)
}

// announce reports the oldest stop. The caller holds the lock. The stop of a thread that is not
// announced is invisible to the client: requests about it fail as for a running thread.
func (d *Debugger) announce() {
	if len(d.stops) > 0 && !d.stops[0].stop.announced {
		d.stops[0].stop.announced = true
		d.notify(d.stops[0].stop.notice)
	}
}

// release resumes a stopped thread with a step, or nil for none. The caller holds the lock. The ids
// of its frames become invalid. The notice of the next stop follows that of the resumption.
func (d *Debugger) release(t *Thread, next *step) {
	s := t.stop
	// The frames must not keep variables alive after the stop.
	t.stop, t.step, t.frames = nil, next, nil
	for _, id := range s.frames {
		delete(d.frames, id)
	}
	d.stops = slices.DeleteFunc(d.stops, func(other *Thread) bool { return other == t })
	if s.announced {
		d.notify(protocol.DebugNotice{Kind: protocol.DebugContinued, Thread: t.id})
	}
	close(s.resume)
	d.announce()
}

// stopped returns the thread of an announced stop. The caller holds the lock.
func (d *Debugger) stopped(thread int) (*Thread, error) {
	t := d.ids[thread]
	if t == nil || t.stop == nil || !t.stop.announced {
		return nil, fmt.Errorf("thread %d has not stopped", thread)
	}
	return t, nil
}

// Resume resumes a stopped thread. How is one of the constants of package protocol, such as
// DebugNext.
func (d *Debugger) Resume(thread int, how string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.stopped(thread)
	if err != nil {
		return err
	}
	d.release(t, newStep(t, how))
	d.raise()
	return nil
}

// Pause stops the next goroutine that reaches a statement. It fails if every known goroutine has
// stopped, or none runs marked code. The flag is consumed by the first goroutine that reaches a
// mark.
func (d *Debugger) Pause() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	// The ids are those of goroutines that run code with marks; the others cannot be paused.
	if len(d.stops) == len(d.ids) {
		return fmt.Errorf("nothing runs that could be paused: a cell can be if a breakpoint or the stop at panics was set before it began")
	}
	d.pausing.Store(true)
	d.raise()
	return nil
}

// Threads lists the goroutines that have reached a site, and one that represents the cells. Thread
// 1 is always listed, because JupyterLab names it in its requests whatever the list is.
func (d *Debugger) Threads() []protocol.DebugThread {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []protocol.DebugThread{{ID: 1, Name: "cells"}}
	for id, t := range d.ids {
		if id == 1 {
			list[0].Name = t.Name
			continue
		}
		list = append(list, protocol.DebugThread{ID: id, Name: t.Name})
	}
	slices.SortFunc(list, func(a, b protocol.DebugThread) int { return a.ID - b.ID })
	return list
}

// Stopped lists the threads whose stops were announced.
func (d *Debugger) Stopped() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []int
	for _, t := range d.stops {
		if t.stop.announced {
			list = append(list, t.id)
		}
	}
	return list
}

// Stack lists the calls of a stopped thread, innermost first. Frames get their ids at the first
// request, so a stop that no client examines costs none. Later requests return the same ids.
func (d *Debugger) Stack(thread int) ([]protocol.DebugFrame, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.stopped(thread)
	if err != nil {
		return nil, err
	}
	// Ids are never reused, so a client cannot address a frame of a later stop by mistake.
	if t.stop.frames == nil {
		for _, f := range t.frames {
			d.lastFrame++
			d.frames[d.lastFrame] = f
			t.stop.frames = append(t.stop.frames, d.lastFrame)
		}
	}
	list := make([]protocol.DebugFrame, 0, len(t.frames))
	for i, f := range slices.Backward(t.frames) {
		s := f.site
		list = append(list, protocol.DebugFrame{ID: t.stop.frames[i], Name: s.Function, Path: s.Path, Cell: s.Cell, Line: s.Line})
	}
	return list, nil
}

// Frame returns a frame of a stop. A client may use a frame after its goroutine was resumed, for
// instance to refresh an expression.
func (d *Debugger) Frame(id int) (*Frame, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.frames[id]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("there is no frame %d: its goroutine has gone on", id)
}
