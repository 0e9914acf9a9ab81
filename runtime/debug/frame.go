package debug

import (
	"gosphere/runtime/guard"
)

// A Thread is a goroutine in lowered code that asks. Its frames and its step are its own; others
// look at them only while it has stopped.
type Thread struct {
	Goroutine
	id int

	frames []*Frame // outermost first
	step   *step    // in progress, nil for none
	// unwinding is the depth that a panic in progress has reached on its way out, 0 for none.
	unwinding uintptr

	stop *stop // guarded by the debugger's lock; nil while it runs
}

// A Frame is one call of a function. Those of one goroutine are told apart by the depth of the
// stack: a call that is still in progress is never as deep as one that it has led to.
type Frame struct {
	thread *Thread
	owner  *Frame // the call whose statements it runs: its own, or that around the body of a loop over a function
	index  int
	used   uintptr // bytes of the stack

	site     *Site // where it is
	pointers []any // to the variables there, if the site calls something or has been stopped at
	known    *Site // the site of the pointers
}

// Site tells where a frame is.
func (f *Frame) Site() *Site { return f.site }

// Goroutine is the one whose call it is.
func (f *Frame) Goroutine() Goroutine { return f.thread.Goroutine }

// Pointers are those to the variables at the frame's site; nil if they are not known.
func (f *Frame) Pointers() []any {
	if f.known != f.site {
		return nil
	}
	return f.pointers
}

// Enter notes the call of a function when it comes to its first site.
func (d *Debugger) Enter(n int) *Frame { return d.enter(d.site(n), nil) }

// EnterBody is Enter for the body of a loop over a function, within the call of the function
// whose statement it is.
func (d *Debugger) EnterBody(n int, around *Frame) *Frame { return d.enter(d.site(n), around) }

func (d *Debugger) enter(s *Site, around *Frame) *Frame {
	t := d.thread()
	f := &Frame{thread: t, used: guard.StackUsed(), site: s}
	f.owner = f
	if around != nil {
		f.owner = around.owner
	}
	t.cut(f.used)
	for n := len(t.frames); n > 0 && !t.frames[n-1].mayCall(); n-- { // nor those that cannot have led here
		t.frames = t.frames[:n-1]
	}
	f.index = len(t.frames)
	t.frames = append(t.frames, f)
	return f
}

// mayCall tells whether what a frame runs may have called something.
func (f *Frame) mayCall() bool { return f.site.Calls || f.site.Defers }

// cut forgets calls that reached as deep before: they have ended.
func (t *Thread) cut(used uintptr) {
	for len(t.frames) > 0 && t.frames[len(t.frames)-1].used >= used {
		t.frames = t.frames[:len(t.frames)-1]
	}
}

// top makes f the innermost call.
func (t *Thread) top(f *Frame) {
	if f.index < len(t.frames) && t.frames[f.index] == f {
		t.frames = t.frames[:f.index+1]
		return
	}
	t.cut(f.used)
	f.index = len(t.frames)
	t.frames = append(t.frames, f)
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
