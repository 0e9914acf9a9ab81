package machine

import (
	"unsafe"
)

// Defers holds the deferred calls of one call of a function. The calls are in the order of the
// statements and run in reverse.
type Defers struct {
	Frame Frame
	Calls []func()
	// Panic is the panic in progress while the calls run. It is nil if there is none, or if it has
	// been recovered.
	Panic *panicState
	// last is the panic that was in progress when the current call began, or has begun in it. It
	// stays when the call recovers, because the frames of the panic are still on the stack then.
	last *panicState
}

// RunDeferring runs the body of a function with defer statements and then its deferred calls, even
// if the body panics or its goroutine ends. It stores the list of calls in the frame at the offset.
func RunDeferring(f Frame, offset uintptr, body func(Frame)) {
	d := &Defers{Frame: f}
	*At[unsafe.Pointer](f, offset) = unsafe.Pointer(d)
	// The calls run after the Go function of the body has returned or panicked, and therefore not
	// on the stack of the panic. That is why recover of cells reads the state in Defers and not
	// Go's recover.
	d.protect(f, func() { body(f) })
	for len(d.Calls) > 0 {
		call := d.Calls[len(d.Calls)-1]
		d.Calls = d.Calls[:len(d.Calls)-1]
		d.last = d.Panic
		d.protect(f, call)
	}
	if d.Panic != nil {
		// The panic continues with its state, so that its stack trace still begins where it was
		// raised.
		HeaderOf(f).Thread.pending = d.Panic
		panic(d.Panic.Value)
	}
}

// protect calls a function and records its panic. If the goroutine ends by runtime.Goexit, protect
// runs the remaining deferred calls and does not return.
func (d *Defers) protect(f Frame, call func()) {
	finished := false
	defer func() {
		if finished {
			return
		}
		value := recover()
		if value == nil { // Goexit cannot be stopped, so the remaining calls run here
			HeaderOf(f).Thread.back()
			d.exit(f)
			return
		}
		// A panic in a deferred call replaces the one in progress, as in Go. The frames between the
		// panic and this call are not released. The collector frees them when nothing refers to
		// them.
		before, recovered := d.last, d.Panic == nil
		d.Panic = HeaderOf(f).Thread.caught(value)
		if before != nil {
			d.Panic.replaces(before, recovered)
		}
		d.last = d.Panic
	}()
	call()
	finished = true
}

// exit runs the remaining calls while the goroutine ends.
func (d *Defers) exit(f Frame) {
	// recover returns nil during Goexit.
	d.Panic, d.last = nil, nil
	t := HeaderOf(f).Thread
	for len(d.Calls) > 0 && t.overflows <= mostOverflows && !t.m.Host.Exiting() {
		call := d.Calls[len(d.Calls)-1]
		d.Calls = d.Calls[:len(d.Calls)-1]
		d.protect(f, call)
	}
}

// Resume runs a function in a frame that was prepared earlier, at a go or defer statement.
func (c *Code) Resume(n, from Frame, s *Site, d *Defers) {
	h := HeaderOf(n)
	caller := HeaderOf(from)
	h.Thread, h.caller, h.site, h.Deferred, h.depth = caller.Thread, from, s, d, caller.depth+1
	c.Run(n)
}
