// Package guard keeps the process and the session alive while cells run. It runs each cell on a
// goroutine of its own and ends it when it is interrupted, panics, exits or exceeds a limit.
//
// Goroutines inherit the cell of the goroutine that starts them. An interrupt therefore ends only
// the goroutines of one cell, and late output goes to the cell that started the goroutine.
//
// # Packages
//
//   - goroutine: what identifies a goroutine, and the groups that inherit a cell
//   - schedule: the execution lock, and the processors
//   - sharing: the goroutines that share variables, and the locks of their maps
//   - streams: the standard streams of cells, and the file descriptors of the process
//   - limits: memory, amount and rate of output
//   - panics: the text of panics
//
// Package override has the host functions: those that replace compiled ones in cells, such as
// os.Exit.
//
// # Invariants
//
// Only one cell holds the execution lock: the one that is being compiled or whose
// statements run. Goroutines started with go do not need the lock. A cell is stopped by setting a
// flag that code of cells polls; a goroutine is never killed, so one in compiled code is abandoned
// until it returns. The stop flag of the machine is shared by all cells, so every cell polls while
// any cell is stopped or the lock is contended.
//
// Lock order: that of the execution lock before Guard.mu. The lock of sharing.Goroutines is a leaf.
//
// # Reading order
//
// guard.go (a cell), run.go (from the start of its statements to the outcome), stop.go
// (interrupts), longwait.go, goroutines.go (other goroutines of cells), debug.go.
package guard

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/internal/goroutine"
	"gosphere/runtime/internal/guard/eventloop"
	"gosphere/runtime/internal/guard/limits"
	"gosphere/runtime/internal/guard/schedule"
	"gosphere/runtime/internal/guard/sharing"
	"gosphere/runtime/internal/guard/streams"
)

// A Guard supervises the cells of one session.
type Guard struct {
	Memory  *limits.Memory
	Sharing sharing.Goroutines
	Streams streams.Process

	name       string        // of its session in profiler labels
	waitNotice time.Duration // how long a cell waits before it is reported

	program  *program        // not nil if the cell is a program, which ends as a compiled one does
	run      func(f func())  // runs a function of cells that compiled code calls
	onStop   func(stop bool) // called when code of cells starts or stops polling
	debugger Debugger
	lock     schedule.Lock

	// mu guards stopping and swept, and the resulting changes of the stop flag.
	mu       sync.Mutex
	swept    bool                // value of the stop flag that stopped cells require
	stopping map[*Cell]time.Time // stopped cells that may still have goroutines
}

var guards atomic.Int64 // number of guards made

// New returns a guard without a debugger or input.
func New() *Guard {
	g := &Guard{name: strconv.FormatInt(guards.Add(1), 10), Memory: limits.NewMemory(), debugger: nobody{}, waitNotice: waitNotice, stopping: map[*Cell]time.Time{}, onStop: func(bool) {}, run: func(f func()) { f() }}
	g.lock.Changed = g.contended
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

// A Cell is one execution, together with the goroutines that it has started.
type Cell struct {
	*streams.Streams
	*schedule.User

	Number int

	// Attached is data that the session keeps with the cell as long as its goroutines run. It must
	// not change after Run.
	Attached any
	// Offered has what the cell offers to the packages that it imports. It must not change after Run.
	Offered []any

	guard  *Guard
	group  *goroutine.Group // of its goroutines
	bubble *goroutine.Group // of those in a bubble of package testing/synctest

	stopped  atomic.Bool   // its goroutines end at their next poll
	done     chan struct{} // closed when stopped is set
	finished chan struct{} // closed when the goroutine of the statements has ended
	started  bool          // Run has begun to run the statements
	exited   atomic.Bool
	code     int // of os.Exit; valid once exited is true
	outcome  Outcome
	crashed  atomic.Pointer[Outcome] // of a program, on a goroutine other than that of the statements

	exceeded   atomic.Pointer[string]            // reason if the memory limit has ended the cell
	unanswered atomic.Pointer[string]            // reason if an unanswerable question has ended it
	place      atomic.Pointer[schedule.Position] // where the statements were stopped
}

// Current returns the cell of the calling goroutine, or nil if it belongs to none.
func Current() *Cell {
	c, _ := goroutine.Current().(*Cell)
	return c
}

// NewCell returns a cell that is ready to run. Its output goes to write, with the stream names
// stdout and stderr. write must be safe for concurrent use.
func (g *Guard) NewCell(number int, write func(stream, text string)) *Cell {
	c := &Cell{Number: number, guard: g, done: make(chan struct{}), finished: make(chan struct{})}
	c.group = goroutine.NewGroup(c, "cell", strconv.Itoa(number), "session", g.name)
	c.bubble = goroutine.NewBubble(c, "cell", strconv.Itoa(number), "session", g.name)
	c.Streams = g.Streams.NewStreams(c, write)
	c.User = g.lock.NewUser(c.done, c.StopHere)
	return c
}

// Join makes the calling goroutine one of the cell.
func (c *Cell) Join() {
	debug.SetPanicOnFault(true) // a fault at a bad address must not end the process
	c.group.Enter()
}

// Offers returns what the cell offers to packages; package host asks for it.
func (c *Cell) Offers() []any { return c.Offered }

// Session returns the name of the cell's session.
func (c *Cell) Session() string { return c.guard.name }

// JoinBubble is like Join for a goroutine in a bubble of package testing/synctest.
func (c *Cell) JoinBubble() {
	debug.SetPanicOnFault(true)
	c.bubble.Enter()
}

// Done returns a channel that is closed when the cell must stop. It returns nil in a bubble of
// package testing/synctest, whose clock stands still while a goroutine waits for a channel from
// outside. Waits in a bubble end by themselves, because the package panics if all of them last.
func (c *Cell) Done() <-chan struct{} {
	if goroutine.InBubble() {
		return nil
	}
	return c.done
}

// Poll ends the calling goroutine if its cell has been stopped, and yields the execution lock if
// another cell waits for it. While the stop flag is set, code of cells calls it in loops, at calls
// and after calls of compiled code.
//
// It runs on the goroutine that polls. The stop flag is shared by all cells, so most polls find
// nothing to do.
func (g *Guard) Poll() {
	if c := Current(); c != nil {
		eventloop.Turn()
		c.EndIfStopped()
		c.Yield()
	}
}

// BoostForRequest must be called when a request is about to be answered while cells may run, and
// done when it has been answered. It does nothing if no code of cells is running.
func (g *Guard) BoostForRequest() (done func()) {
	if g.Sharing.Quiet() {
		return func() {}
	}
	return schedule.Boost()
}

// LockMaps locks the maps reachable from a value for reading, on behalf of the calling goroutine's
// cell, until release is called.
func LockMaps(value any) (release func()) {
	if c := Current(); c != nil {
		return c.guard.Sharing.LockMaps(false, value)
	}
	return func() {}
}

// WithoutLock runs body, which is compiled code that runs another cell on the calling goroutine. A
// cell whose statements call it releases the execution lock meanwhile: the lock could not be taken
// from it, because its own goroutine is the one that waits. If the cell is stopped meanwhile,
// WithoutLock ends the goroutine.
func WithoutLock(body func()) {
	c := Current()
	if c == nil || !c.OnStatements() {
		body()
		return
	}
	c.ReleaseLock()
	body()
	if !c.AcquireLock() {
		runtime.Goexit()
	}
}
