package debug

import (
	"slices"
	"sync"
	"sync/atomic"

	"gosphere/kernel/protocol"
)

// A Host implements the operations of a debugger that need the checker or running code. Package
// session implements it. All methods are called without the debugger's lock, except those that say
// otherwise.
type Host interface {
	// Wait blocks the calling goroutine without its cell's execution lock. It does not return if
	// the cell is interrupted meanwhile. Deferred functions of the caller run in that case, as for
	// any interrupt.
	Wait(until <-chan struct{})
	// Aside runs a function while the calling goroutine's cell releases the execution lock.
	Aside(f func())
	// EvaluateIn evaluates an expression with the variables of a frame. The evaluation is a cell of
	// its own and takes the execution lock, so the caller must not hold it.
	EvaluateIn(f *Frame, expression string) (Value, error)
	// Print writes to the calling goroutine's cell.
	Print(text string)
	// Goroutine describes the calling goroutine.
	Goroutine() Goroutine
	// Places lists the positions at which a cell with this text can stop, or nil for a text that is
	// not Go.
	Places(text string) []Position
}

// A Goroutine is a goroutine that runs code of cells. The Host describes a goroutine once, when it
// first enters a marked function.
type Goroutine struct {
	Name   string
	Main   bool // runs the statements of a cell
	Quiet  bool // evaluates for the debugger, and never stops
	Detail any  // data of the Host
}

// A Position is the position of a statement of a cell, from 1. The column is in bytes, as in
// go/token.
type Position struct{ Line, Column int }

// A Site is a position at which cells check whether to stop. Sites are never removed: calls in
// progress refer to them by number even after their functions have been compiled again. All fields
// but the last are set before Add.
type Site struct {
	Position
	Path     string // path of the cell
	Cell     string // such as "Cell [3]"
	Function string // displayed name of the function
	Detail   any    // data of the Host

	// The breakpoint here, or nil. At reads it without a lock, at every marked statement.
	breakpoint atomic.Pointer[breakpoint]
}

// A Debugger controls the goroutines of one session. At must be cheap for a goroutine that does not
// stop: it reads sites, breakpoint and pausing, which are atomic, and its own thread. The lock is
// taken only to stop, to resume and by requests.
type Debugger struct {
	host Host
	// notify is called with the lock held, so that clients learn of stops and resumptions in the
	// order in which they happen. It must not call the debugger. notify and ask are set before
	// cells run.
	notify func(protocol.DebugNotice)
	ask    func(ask bool) // sets whether cells check for stops
	asking bool           // last value passed to ask; guarded by mu
	sites  atomic.Pointer[[]*Site]

	threads sync.Map // *Thread by the identity of its goroutine
	pausing atomic.Bool
	panics  atomic.Bool

	mu          sync.Mutex // guards the fields below, and the stops of threads
	attached    bool
	breakpoints map[string][]*breakpoint // by path
	lastID      int                      // last id of a breakpoint
	ids         map[int]*Thread          // threads by id
	stops       []*Thread                // oldest first; only the first is announced
	frames      map[int]*Frame           // frames of announced stops
	lastFrame   int
}

// New returns a debugger without a client.
func New(host Host) *Debugger {
	return &Debugger{host: host, ask: func(bool) {}, notify: func(protocol.DebugNotice) {}, breakpoints: map[string][]*breakpoint{},
		ids: map[int]*Thread{}, frames: map[int]*Frame{}}
}

// AskBy sets the function that enables and disables the checks in cells. The checks are one load
// and one comparison at each mark while they are disabled.
func (d *Debugger) AskBy(ask func(ask bool)) { d.ask = ask }

// NotifyBy sets the function that receives notices of stops.
func (d *Debugger) NotifyBy(notify func(protocol.DebugNotice)) { d.notify = notify }

// Add records a site and returns its number. The list only grows. It is published by an atomic
// store because At reads it without the lock; an appended element is invisible to readers of the
// old header, so the array need not be copied. A breakpoint that was set before the cell was
// compiled is attached here.
func (d *Debugger) Add(s *Site) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.place(s)
	var list []*Site
	if known := d.sites.Load(); known != nil {
		list = *known
	}
	list = append(list, s) // readers use the old length
	d.sites.Store(&list)
	return len(list) - 1
}

// site returns the site with a number.
func (d *Debugger) site(n int) *Site { return (*d.sites.Load())[n] }

// Attach starts debugging. Attaching alone costs cells nothing: they are compiled with marks only
// once there is a reason to stop.
func (d *Debugger) Attach() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attached = true
}

// Detach ends debugging. It removes breakpoints and resumes stopped goroutines. The sites stay,
// because running code still calls At; without breakpoints it continues at once.
func (d *Debugger) Detach() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attached = false
	for path := range d.breakpoints {
		d.replace(path, nil)
	}
	d.panics.Store(false)
	d.pausing.Store(false)
	// release removes the thread from the list.
	for _, t := range slices.Clone(d.stops) {
		d.release(t, nil)
	}
	d.raise()
}

// Wanted reports whether cells must be compiled with marks. Pausing is no reason, since it concerns
// a cell that is already running, whose code no longer changes.
func (d *Debugger) Wanted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.attached && (len(d.breakpoints) > 0 || d.panics.Load())
}

// raise enables or disables the checks in cells. They stay enabled until no cell is running, so
// that the calls in progress are known as long as any of them may stop. The caller holds the lock.
// It is called after each change of what it reads. The list of ids contains the goroutines that run
// marked code.
func (d *Debugger) raise() {
	switch wanted := d.attached && (len(d.breakpoints) > 0 || d.panics.Load() || d.pausing.Load()); {
	case wanted && !d.asking, !wanted && d.asking && len(d.ids) == 0:
		d.asking = wanted
		d.ask(wanted)
	}
}

// StopOnPanic sets whether goroutines stop when they panic.
func (d *Debugger) StopOnPanic(stop bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.panics.Store(stop && d.attached)
	d.raise()
}
