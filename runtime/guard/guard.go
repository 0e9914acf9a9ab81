// Package guard keeps the process and the session alive while cells run: interrupts,
// memory, panics, goroutines, exits and output.
//
// Each cell runs on a goroutine of its own with profiler labels of its own. Goroutines inherit the labels of the one that
// started them, so that every goroutine knows its cell: an interrupt ends those of one
// cell only, and late output goes to the cell that started the goroutine.
//
// Read guard.go and run.go (cells and their ends), turns.go and look.go (several cells at a time),
// goroutines.go and panics.go, output.go, hold.go (maps that goroutines share), memory.go and quota.go.
package guard

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"
)

// A Guard watches over the cells of one session.
type Guard struct {
	run    func(f func())  // runs a function of cells that compiled code calls
	onStop func(stop bool) // called with each change of whether code of cells polls
	shared atomic.Bool     // several goroutines may run code of cells, which locks maps then
	bytes  atomic.Bool     // what cells print need not be text

	// count guards what follows, and shared.
	count        sync.Mutex
	goroutines   int    // that run cell code
	rest         int    // of them that wait for a debugger
	alwaysShared bool   // compiled packages may call cell code from goroutines of their own
	sharedBy     string // the first of them

	memory memory
	pace   int64 // bytes that a cell may print in a second, 0 for no limit
	source source

	debugger Debugger
	captured atomic.Pointer[Descriptors] // nil while the process has its streams for itself
	latest   atomic.Pointer[Cell]        // the one that began last of those that run, or ran last
	turns    turns

	// mu guards running, stopping and swept, and the changes of stop that follow from them.
	mu       sync.Mutex
	running  []*Cell             // oldest first
	swept    bool                // what stopped cells want the stop flag to be
	stopping map[*Cell]time.Time // cells that were told to stop and may still have goroutines
}

// New returns a guard.
func New() *Guard {
	g := &Guard{debugger: nobody{}, stopping: map[*Cell]time.Time{}, onStop: func(bool) {}, run: func(f func()) { f() }}
	g.memory.set()
	return g
}

// OnStop has a function called with each change of whether code of cells polls. It is called
// before the first cell runs.
func (g *Guard) OnStop(changed func(stop bool)) { g.onStop = changed }

// RunBy sets what runs functions of cells on goroutines that compiled code has started. It is called
// before the first cell runs.
func (g *Guard) RunBy(run func(f func())) { g.run = run }

// Within runs a function that compiled code calls and that may be one of cells.
func (g *Guard) Within(f func()) { g.run(f) }

// Shared reports whether several goroutines may run code of cells.
func (g *Guard) Shared() bool { return g.shared.Load() }

// A Cell is one execution and the goroutines that it has started.
type Cell struct {
	Number int

	// Attached is what the session keeps with the cell for as long as its goroutines run. It
	// is set before Run and not changed.
	Attached any

	guard *Guard
	write func(stream, text string)

	labeling sync.Mutex          // guards labels
	labels   weak.Pointer[label] // of the goroutines, gone when none is left

	stopped  atomic.Bool   // its goroutines end at their next poll
	done     chan struct{} // closed when stopped is set
	finished chan struct{} // closed when the goroutine of the statements has ended
	started  bool          // Run has begun with the statements
	exited   atomic.Bool
	code     int // of os.Exit; valid once exited is true
	outcome  Outcome
	main     uintptr       // the goroutine of the statements
	mainID   atomic.Uint64 // its number in stacks, 0 until it runs
	polls    atomic.Uint64 // of that goroutine, while cells take turns

	out, err stream
	replaced atomic.Bool // bytes that are not UTF-8 were printed
	ask      Ask         // nil for the guard's
	quota    quota
	pace     pace
	input    input

	exceeded   atomic.Pointer[string] // why the memory limit has ended the cell
	unanswered atomic.Pointer[string] // why a question has ended it
	place      atomic.Pointer[Place]  // where its statements have met the stop
	activity   atomic.Pointer[Activity]
}

// cells finds the cell of a goroutine by the address of its labels. The entry goes when the
// last goroutine with these labels has ended and the collector has seen it: nothing else
// refers to them, and of a cell without goroutines nothing need be kept.
var cells sync.Map // uintptr to *membership

// latestFound is what Current found last. Whoever stores it runs with its labels, so that no
// other labels can be at that address; who makes new labels, which may get the address of some
// that are gone, empties it.
var latestFound atomic.Pointer[membership]

// A membership is an entry of cells.
type membership struct {
	labels uintptr
	cell   *Cell
}

// A label stands for what the profiler keeps with a goroutine, whose form is its own affair.
type label struct{ _ *byte }

//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

//go:linkname setGoroutineLabels runtime/pprof.runtime_setProfLabel
func setGoroutineLabels(unsafe.Pointer)

// Current returns the cell of the calling goroutine, nil if it belongs to none.
func Current() *Cell {
	labels := uintptr(goroutineLabels())
	if m := latestFound.Load(); m != nil && m.labels == labels {
		return m.cell
	}
	if found, ok := cells.Load(labels); ok {
		m := found.(*membership)
		latestFound.Store(m)
		return m.cell
	}
	return nil
}

// NewCell prepares a cell. Its output goes to write, under the stream names stdout and
// stderr; write must be safe to call from any goroutine.
func (g *Guard) NewCell(number int, write func(stream, text string)) *Cell {
	return &Cell{Number: number, guard: g, write: write, quota: quota{limit: outputLimit()}, done: make(chan struct{}), finished: make(chan struct{})}
}

// enter labels the calling goroutine as one of the cell's.
func (c *Cell) enter() {
	debug.SetPanicOnFault(true) // an address that is not there must not end the process
	c.labeling.Lock()
	defer c.labeling.Unlock()
	if labels := c.labels.Value(); labels != nil {
		setGoroutineLabels(unsafe.Pointer(labels))
		return
	}
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("cell", strconv.Itoa(c.Number))))
	labels := (*label)(goroutineLabels())
	c.labels = weak.Make(labels)
	m := &membership{uintptr(unsafe.Pointer(labels)), c}
	cells.Store(m.labels, m)
	latestFound.Store(nil)
	// Other labels may have got the same address by the time this runs; their entry stays.
	runtime.AddCleanup(labels, func(m *membership) {
		cells.CompareAndDelete(m.labels, m)
		latestFound.CompareAndSwap(m, nil)
	}, m)
}

// Write writes text to one of the cell's streams.
func (c *Cell) Write(stream, text string) {
	if stream == "stdout" {
		c.input.printed(text)
	}
	if c.quota.take(c, text) {
		c.slowDown(len(text))
		c.write(stream, text)
	}
}

// Done returns a channel that is closed when the cell has to stop.
func (c *Cell) Done() <-chan struct{} { return c.done }

// Poll ends the calling goroutine if its cell was told to stop, and lets other cells have their
// turn. Code of cells calls it in loops, at calls and after calls of compiled code while it has to.
func (g *Guard) Poll() {
	c := Current()
	if c == nil {
		return
	}
	if c.stopped.Load() {
		c.StopHere()
	}
	c.LetOthers()
}
