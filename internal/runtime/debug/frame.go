package debug

import (
	"reflect"

	"gosphere/internal/runtime/guard"
)

// A Thread is a goroutine that has come to a mark. Its step is its own; others look at its frames
// only while it has stopped.
type Thread struct {
	Goroutine
	id   int
	step *step // in progress, nil for none

	// Guarded by the debugger's lock.
	stop   *stop    // nil while it runs
	frames []*Frame // of the stop, outermost first
}

// A Frame is one call of a function.
type Frame struct {
	thread *Thread
	owner  *Frame // the call whose statements it runs: its own, or that around the body of a loop over a function
	depth  int    // calls below it

	site   *Site // where it is
	moment Moment
}

// A Moment is a call that has come to a site.
type Moment interface {
	// Variables returns those that the site lists, addressable; invalid values for those that are
	// not known.
	Variables() []reflect.Value
	// Stack lists the calls in progress on the goroutine, innermost first.
	Stack() []*Frame
}

// Site is where the frame is.
func (f *Frame) Site() *Site { return f.site }

// Goroutine is the one whose call it is.
func (f *Frame) Goroutine() Goroutine { return f.thread.Goroutine }

// Variables are those of the frame's site.
func (f *Frame) Variables() []reflect.Value {
	if f.moment == nil {
		return nil
	}
	return f.moment.Variables()
}

// Enter makes a frame of a call on the calling goroutine with a number of calls below it. The call
// around the body of a loop over a function is that of the function whose statement it is; it is nil
// for other functions.
func (d *Debugger) Enter(depth int, around *Frame) *Frame {
	f := &Frame{thread: d.thread(), depth: depth}
	f.owner = f
	if around != nil {
		f.owner = around.owner
	}
	return f
}

// thread returns that of the calling goroutine.
func (d *Debugger) thread() *Thread {
	key := guard.Goroutine()
	if t, ok := d.threads.Load(key); ok {
		return t.(*Thread)
	}
	t := &Thread{Goroutine: d.host.Goroutine()}
	d.threads.Store(key, t)
	if !t.Quiet {
		d.mu.Lock()
		defer d.mu.Unlock()
		t.id = 1
		if !t.Main {
			t.id = 2 // clients take the first for the cell
		}
		for d.ids[t.id] != nil {
			t.id++
		}
		d.ids[t.id] = t
	}
	return t
}

// Forget is called on a goroutine when it begins or ends to run code of cells.
func (d *Debugger) Forget() {
	t, ok := d.threads.LoadAndDelete(guard.Goroutine())
	if !ok || t.(*Thread).Quiet {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.ids, t.(*Thread).id)
	d.raise()
}
