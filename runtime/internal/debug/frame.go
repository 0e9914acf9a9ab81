package debug

import (
	"reflect"

	"gosphere/internal/goroutine"
)

// A Thread is a goroutine that has reached a mark. Only that goroutine uses its step; other
// goroutines read its frames only while it is stopped. A Thread exists from the first mark that its
// goroutine reaches until Forget.
type Thread struct {
	Goroutine
	id   int
	step *step // step in progress, nil for none

	// Guarded by the debugger's lock.
	stop   *stop    // nil while it runs
	frames []*Frame // frames of the stop, outermost first
}

// A Frame is one call of a function. A body of a range-over-func loop is a function of its own for
// the compiler but part of the enclosing function for a reader. Its frame has the enclosing call as
// its owner, and steps compare owners.
type Frame struct {
	thread *Thread
	owner  *Frame // the call whose statements it runs: itself, or the call around the body of a range-over-func loop
	depth  int    // number of calls below it

	site   *Site // current site
	moment Moment
}

// A Moment is a call that has reached a site. Package session implements it with that of package
// machine, which knows the layout of frames. Both methods are called by the goroutine itself, or
// while it is stopped.
type Moment interface {
	// Variables returns the variables listed by the site, addressable. Values that are not
	// available are invalid.
	Variables() []reflect.Value
	// Stack lists the calls in progress on the goroutine, innermost first.
	Stack() []*Frame
}

// Site returns the current site of the frame.
func (f *Frame) Site() *Site { return f.site }

// Goroutine returns the goroutine of the call.
func (f *Frame) Goroutine() Goroutine { return f.thread.Goroutine }

// Variables returns the variables of the frame's site. A call that has not reached a site yet has
// no variables.
func (f *Frame) Variables() []reflect.Value {
	if f.moment == nil {
		return nil
	}
	return f.moment.Variables()
}

// Enter returns a new frame for a call on the calling goroutine, with depth calls below it. For the
// body of a range-over-func loop, around is the call of the enclosing function; otherwise it is
// nil. The depth lets steps compare calls without a list of the calls in progress.
func (d *Debugger) Enter(depth int, around *Frame) *Frame {
	f := &Frame{thread: d.thread(), depth: depth}
	f.owner = f
	if around != nil {
		f.owner = around.owner
	}
	return f
}

// thread returns the Thread of the calling goroutine. The identity of the goroutine is looked up
// once per call, not at each mark, because the frame keeps the thread. Id 1 belongs to the
// goroutine that runs the statements of a cell; a second shell's takes the next free id.
func (d *Debugger) thread() *Thread {
	key := goroutine.Descriptor()
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
			t.id = 2 // clients use the first id for the cell
		}
		for d.ids[t.id] != nil {
			t.id++
		}
		d.ids[t.id] = t
	}
	return t
}

// Forget is called on a goroutine that starts or stops running code of cells. Identities are reused
// for later goroutines, which must not inherit the thread. When the last goroutine has gone, raise
// can switch the checks off.
func (d *Debugger) Forget() {
	t, ok := d.threads.LoadAndDelete(goroutine.Descriptor())
	if !ok || t.(*Thread).Quiet {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.ids, t.(*Thread).id)
	d.raise()
}
