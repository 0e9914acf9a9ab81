// Package guard keeps the process and the session alive while cells run. It handles interrupts,
// memory limits, panics, goroutines, exits and output.
//
// Each cell runs on its own goroutine with its own profiler labels. Goroutines inherit the labels
// of their creator, so every goroutine knows its cell. An interrupt therefore ends only the
// goroutines of one cell, and late output goes to the cell that started the goroutine.
//
// # Invariants
//
// Only one cell holds the execution lock: the one that is being compiled or whose
// statements run. Goroutines started with go do not need the lock. A cell is stopped by setting a
// flag that code of cells polls; a goroutine is never killed, so one in compiled code is abandoned
// until it returns. The stop flag of the machine is shared by all cells, so every cell polls while
// any cell is stopped or the lock is contended.
//
// Lock order: execLock.mu before Guard.mu. Guard.count is a leaf.
//
// # Reading order
//
// guard.go and run.go (cells and their outcomes), execlock.go and stacksample.go (the execution lock and
// stack samples), abandoned.go and boost.go (abandoned calls and extra processors), goroutines.go,
// panics.go and causes.go, output.go, quota.go, ratelimit.go and descriptors.go (streams), input.go,
// maps.go and maplocks.go (maps that goroutines share), memory.go, longwait.go.
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

// A Guard supervises the cells of one session.
type Guard struct {
	name   string          // of its session in profiler labels
	run    func(f func())  // runs a function of cells that compiled code calls
	onStop func(stop bool) // called when code of cells starts or stops polling
	shared atomic.Bool     // several goroutines may run code of cells, which then locks maps
	bytes  atomic.Bool     // cells may print bytes that are not text

	// count guards the following fields and the changes of shared.
	count        sync.Mutex
	goroutines   int    // number that run cell code
	rest         int    // number of these that wait for a debugger
	alwaysShared bool   // whether compiled packages may call cell code from their own goroutines
	sharedBy     string // the first such package

	memory     memory
	waitNotice time.Duration // how long a cell waits before it is reported
	limiter    int64         // bytes per second that a cell may print; 0 means no limit
	source     source

	debugger Debugger
	captured atomic.Pointer[Descriptors] // nil unless descriptors are captured
	latest   atomic.Pointer[Cell]        // the most recently started of the running cells, or the one that ran last
	execLock execLock

	// mu guards running, stopping and swept, and the resulting changes of the stop flag.
	mu       sync.Mutex
	running  []*Cell             // oldest first
	swept    bool                // value of the stop flag that stopped cells require
	stopping map[*Cell]time.Time // stopped cells that may still have goroutines
}

var guards atomic.Int64 // number of guards made

// New returns a guard without a debugger or input.
func New() *Guard {
	g := &Guard{name: strconv.FormatInt(guards.Add(1), 10), debugger: nobody{}, waitNotice: waitNotice, stopping: map[*Cell]time.Time{}, onStop: func(bool) {}, run: func(f func()) { f() }}
	g.memory.set()
	return g
}

// OnStop sets a function that is called whenever code of cells must start or stop polling. It must
// be called before the first cell runs.
func (g *Guard) OnStop(changed func(stop bool)) { g.onStop = changed }

// RunBy sets the function that runs functions of cells on goroutines started by compiled code. It
// must be called before the first cell runs.
func (g *Guard) RunBy(run func(f func())) { g.run = run }

// Within runs a function, possibly of a cell, that compiled code calls.
func (g *Guard) Within(f func()) { g.run(f) }

// Shared reports whether several goroutines may run code of cells.
func (g *Guard) Shared() bool { return g.shared.Load() }

// A Cell is one execution, together with the goroutines that it has started.
type Cell struct {
	Number int

	// Attached is data that the session keeps with the cell as long as its goroutines run. It must
	// not change after Run.
	Attached any

	guard *Guard
	write func(stream, text string)

	labeling sync.Mutex          // guards labels
	labels   weak.Pointer[label] // of the goroutines; collected with the last of them

	stopped  atomic.Bool   // its goroutines end at their next poll
	done     chan struct{} // closed when stopped is set
	finished chan struct{} // closed when the goroutine of the statements has ended
	started  bool          // Run has begun to run the statements
	exited   atomic.Bool
	code     int // of os.Exit; valid once exited is true
	outcome  Outcome
	main     uintptr       // descriptor of the goroutine that runs the statements
	mainID   atomic.Uint64 // number of that goroutine in stacks; 0 until it runs
	polls    atomic.Uint64 // of that goroutine, while the execution lock is contended

	out, err stream
	replaced atomic.Bool // whether invalid UTF-8 was replaced
	ask      Ask         // overrides the guard's; may be nil
	quota    outputQuota
	limiter  rateLimiter
	input    input

	exceeded   atomic.Pointer[string]   // reason if the memory limit has ended the cell
	unanswered atomic.Pointer[string]   // reason if an unanswerable question has ended it
	place      atomic.Pointer[Position] // where the statements were stopped
	activity   atomic.Pointer[Activity]
}

// cells maps the address of a goroutine's labels to its cell. An entry is removed after the last
// goroutine with these labels has ended and the collector has noticed: nothing else refers to the
// labels, and a cell without goroutines needs no entry.
var cells sync.Map // uintptr to *membership

// latestFound caches the last result of Current. The goroutine that stores an entry is running with
// its labels, so no other labels can be at that address. enter clears the cache whenever it makes
// labels, because they may reuse the address of collected ones.
var latestFound atomic.Pointer[membership]

// A membership is an entry of cells.
type membership struct {
	labels uintptr
	cell   *Cell
}

// A label represents the runtime's representation of labels, whose layout is not used.
type label struct{ _ *byte }

//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

//go:linkname setGoroutineLabels runtime/pprof.runtime_setProfLabel
func setGoroutineLabels(unsafe.Pointer)

// Current returns the cell of the calling goroutine, or nil if it belongs to none.
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

// NewCell returns a cell that is ready to run. Its output goes to write, with the stream names
// stdout and stderr. write must be safe for concurrent use.
func (g *Guard) NewCell(number int, write func(stream, text string)) *Cell {
	return &Cell{Number: number, guard: g, write: write, quota: outputQuota{limit: outputLimit()}, done: make(chan struct{}), finished: make(chan struct{})}
}

// enter labels the calling goroutine as one of the cell.
func (c *Cell) enter() {
	debug.SetPanicOnFault(true) // a fault at a bad address must not end the process
	c.labeling.Lock()
	defer c.labeling.Unlock()
	if labels := c.labels.Value(); labels != nil {
		setGoroutineLabels(unsafe.Pointer(labels))
		return
	}
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("cell", strconv.Itoa(c.Number), "session", c.guard.name)))
	labels := (*label)(goroutineLabels())
	c.labels = weak.Make(labels)
	m := &membership{uintptr(unsafe.Pointer(labels)), c}
	cells.Store(m.labels, m)
	latestFound.Store(nil)
	// By the time the cleanup runs, other labels may be at the same address. Their entry stays.
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

// Done returns a channel that is closed when the cell must stop.
func (c *Cell) Done() <-chan struct{} { return c.done }

// Poll ends the calling goroutine if its cell has been stopped, and yields the execution lock if
// another cell waits for it. While the stop flag is set, code of cells calls it in loops, at calls
// and after calls of compiled code.
func (g *Guard) Poll() {
	c := Current()
	if c == nil {
		return
	}
	if c.stopped.Load() {
		c.StopHere()
	}
	c.Yield()
}
