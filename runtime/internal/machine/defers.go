package machine

import (
	"math/bits"
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
	d.finish()
}

// finish runs the deferred calls after the body, and continues the panic that none of them has
// recovered.
func (d *Defers) finish() {
	f := d.Frame
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

// A Kept is the body of a function whose defer statements run at most once in a call. Their
// operands are kept in variables of the frame. Unless the function panics, the calls need no
// memory.
type Kept struct {
	Body func(Frame)
	// Set is the offset in the frame of a uint32 with a bit for each defer statement that has run.
	Set uintptr
	// Calls make the deferred calls, in the order of the statements.
	Calls []func(Frame)
	// Late prepare the same calls for a function that panics. They get the deferred calls of the
	// function, so that they can recover.
	Late []func(Frame) func(from Frame, d *Defers)
}

// Run runs the body and then the deferred calls, even if the body panics or its goroutine ends.
func (k *Kept) Run(f Frame) {
	*At[uint32](f, k.Set) = 0
	if d := k.run(f); d != nil {
		d.finish()
	}
}

// run returns nil, or the remaining deferred calls of a body that has panicked. A call that panics
// is treated as the body.
func (k *Kept) run(f Frame) (d *Defers) {
	finished := false
	defer func() {
		if finished {
			return
		}
		value := recover()
		left := k.left(f)
		if value == nil { // Goexit; see protect
			HeaderOf(f).Thread.back()
			left.exit(f)
			return
		}
		left.Panic = HeaderOf(f).Thread.caught(value)
		left.last = left.Panic
		d = left
	}()
	k.Body(f)
	for set := At[uint32](f, k.Set); *set != 0; {
		i := bits.Len32(*set) - 1
		*set &^= 1 << i
		k.Calls[i](f)
	}
	finished = true
	return nil
}

// left returns the deferred calls that have not been made.
func (k *Kept) left(f Frame) *Defers {
	d := &Defers{Frame: f}
	for i, late := range k.Late {
		if *At[uint32](f, k.Set)&(1<<i) != 0 {
			d.Calls = append(d.Calls, func() { late(f)(f, d) })
		}
	}
	return d
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
