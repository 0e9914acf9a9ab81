package machine

// A State is the state of a thread to restore when an entry into the machine ends.
type State struct {
	frame   Frame
	site    *Site
	fresh   bool // whether Attach has acquired the thread
	outside bool
	adopted bool // whether the call is a deferred call
}

// Attach returns the thread of the calling goroutine, and its state for Detach. It acquires a
// thread if the goroutine has none. A goroutine has at most one thread, however often code of cells
// and compiled code call each other on it, because [Current] finds one thread.
func (m *Machine) Attach() (t *Thread, before State) {
	t = Current()
	if t == nil {
		t = m.Acquire()
		before.fresh = true
	}
	// The caller's position is restored when the call returns, since the caller continues there.
	before.frame, before.site, before.outside = t.frame, t.site, t.back()
	return t, before
}

// Detach restores the state of the thread after a call into the machine, or releases the thread if
// Attach has acquired it.
func (t *Thread) Detach(before State) {
	t.frame, t.site = before.frame, before.site
	t.end(before)
}

// unwound is like Detach after a panic. The thread keeps the position of the panic for stack
// traces, but compiled code that recovers the panic continues where it has called the function.
func (t *Thread) unwound(before State) {
	t.escape(before.fresh)
	t.end(before)
}

func (t *Thread) end(before State) {
	if before.outside {
		t.moves.out()
	}
	if before.fresh {
		t.Release()
	}
}

// Base returns the caller of functions that no frame has called.
func (t *Thread) Base() Frame {
	t.Root.Thread = t
	return Frame(&t.Root)
}

// caller returns the caller of a function that compiled code calls: the frame that has called the
// compiled code, so that stack traces contain it, or Base.
func (t *Thread) caller() Frame {
	if t.frame != nil {
		return t.frame
	}
	return t.Base()
}

// Idle forgets the position of the thread. What is called next has no frame of cells as its caller.
func (t *Thread) Idle() { t.frame, t.site = nil, nil }
