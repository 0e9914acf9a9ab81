package debug

import (
	"slices"
	"sync"
	"sync/atomic"

	"gosphere/internal/kernel/protocol"
)

// A Host does for a debugger what takes the checker and running code.
type Host interface {
	// Wait lets the calling goroutine wait, without its cell's turn. It does not return if
	// the cell is stopped meanwhile.
	Wait(until <-chan struct{})
	// Aside runs a function while the calling goroutine's cell gives its turn away.
	Aside(f func())
	// EvaluateIn evaluates an expression with the variables of a frame.
	EvaluateIn(f *Frame, expression string) (Value, error)
	// Print writes to the calling goroutine's cell.
	Print(text string)
	// Goroutine describes the calling goroutine.
	Goroutine() Goroutine
	// Places lists where a cell with this text can stop, by line and column; nil for a text
	// that is no Go.
	Places(text string) []Place
}

// A Goroutine is one that runs code of cells.
type Goroutine struct {
	Name   string
	Main   bool // it runs the statements of a cell
	Quiet  bool // it evaluates for the debugger, and never stops
	Detail any  // what the Host keeps with it
}

// A Place is where a statement of a cell begins, from 1.
type Place struct{ Line, Column int }

// A Site is a place at which cells ask whether to stop.
type Site struct {
	Place
	Path     string // of the cell
	Cell     string // Cell [3]
	Function string // what people call it
	Detail   any    // what the Host keeps with it

	breakpoint atomic.Pointer[breakpoint]
}

// A Debugger watches over the goroutines of one session.
type Debugger struct {
	host   Host
	notify func(protocol.DebugNotice)
	ask    func(ask bool) // sets whether cells ask
	asking bool           // what was set last; guarded by mu
	sites  atomic.Pointer[[]*Site]

	threads sync.Map // *Thread by the identity of its goroutine
	pausing atomic.Bool
	panics  atomic.Bool

	mu          sync.Mutex // guards what follows, and the stops of threads
	attached    bool
	breakpoints map[string][]*breakpoint // by path
	lastID      int                      // of breakpoints
	ids         map[int]*Thread          // of threads
	stops       []*Thread                // oldest first; only the first is announced
	frames      map[int]*Frame           // of announced stops
	lastFrame   int
}

// New returns a debugger without a client.
func New(host Host) *Debugger {
	return &Debugger{host: host, ask: func(bool) {}, notify: func(protocol.DebugNotice) {}, breakpoints: map[string][]*breakpoint{},
		ids: map[int]*Thread{}, frames: map[int]*Frame{}}
}

// AskBy sets what sets whether cells ask.
func (d *Debugger) AskBy(ask func(ask bool)) { d.ask = ask }

// NotifyBy sets whom to tell about stops.
func (d *Debugger) NotifyBy(notify func(protocol.DebugNotice)) { d.notify = notify }

// Add notes a site and returns its number.
func (d *Debugger) Add(s *Site) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.place(s)
	var list []*Site
	if known := d.sites.Load(); known != nil {
		list = *known
	}
	list = append(list, s) // readers have the old length
	d.sites.Store(&list)
	return len(list) - 1
}

// site returns the site with a number.
func (d *Debugger) site(n int) *Site { return (*d.sites.Load())[n] }

// Attach begins debugging.
func (d *Debugger) Attach() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attached = true
}

// Detach ends it: breakpoints go, and what has stopped goes on.
func (d *Debugger) Detach() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attached = false
	for path := range d.breakpoints {
		d.replace(path, nil)
	}
	d.panics.Store(false)
	d.pausing.Store(false)
	for _, t := range slices.Clone(d.stops) {
		d.release(t, nil)
	}
	d.raise()
}

// Wanted reports whether cells must be compiled so that they can stop.
func (d *Debugger) Wanted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.attached && (len(d.breakpoints) > 0 || d.panics.Load())
}

// raise has cells ask or not. They do not cease before none of them runs, so that
// the calls in progress are known as long as any may stop. The caller holds the lock.
func (d *Debugger) raise() {
	switch wanted := d.attached && (len(d.breakpoints) > 0 || d.panics.Load() || d.pausing.Load()); {
	case wanted && !d.asking, !wanted && d.asking && len(d.ids) == 0:
		d.asking = wanted
		d.ask(wanted)
	}
}

// StopOnPanic sets whether goroutines stop where they panic.
func (d *Debugger) StopOnPanic(stop bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.panics.Store(stop && d.attached)
	d.raise()
}
