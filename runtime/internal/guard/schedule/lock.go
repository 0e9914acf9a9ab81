// Package schedule decides which cell runs. Cells take turns with the execution lock, which is
// taken from a cell that stays in compiled code. GOMAXPROCS is raised while calls of compiled code
// that nothing can stop would delay others.
//
// Read lock.go, user.go (what the lock knows of a cell), sample.go, position.go, nonblocking.go,
// processors.go and boost.go.
package schedule

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// The execution lock serializes cells.
//
// Cells of several shells, and callbacks of comms, run concurrently and share the session's
// variables. Only the holder of the execution lock is compiled or runs statements. A cell of a
// subshell therefore never observes a partly assigned slice or a map in the middle of a write, and
// can use intermediate results of another cell.
//
// A cell that waits for the lock makes code of cells poll. The holder yields at its next poll once
// its time slice has ended. A holder in compiled code does not poll while it sleeps, waits for a
// channel or a server, or multiplies matrices. If its Activity and stack samples show that, the
// lock is taken from it, and it waits for the lock at the poll that follows every such call.
//
// Goroutines started with go do not use the lock. They share variables as in any Go program.

const (
	// turn is the time slice of the holder while another cell waits.
	turn = 5 * time.Millisecond
	// patience is how long a cell may go without a poll before its stack is sampled. It doubles
	// after each sample, up to mostPatience, because sampling stops the process for a moment.
	patience, mostPatience = time.Millisecond, 50 * time.Millisecond
)

// A Lock is the execution lock of a session.
type Lock struct {
	// Changed is called, with the lock's state locked, when Contended changes. It must be set
	// before the first use.
	Changed func()

	contended atomic.Bool // whether more than one cell uses the lock

	mu      sync.Mutex // guards the following fields
	users   []*User    // all cells that use the lock
	holder  *User      // nil if the lock is free
	since   time.Time  // when the holder acquired the lock
	waiting []*waiter  // oldest first
}

// Contended reports whether more than one cell uses the lock. Code of cells must poll meanwhile.
func (l *Lock) Contended() bool { return l.contended.Load() }

// Waiting returns the number of cells whose statements have begun and that wait for the lock.
func (l *Lock) Waiting() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.waiting {
		if w.user.number.Load() != 0 {
			n++
		}
	}
	return n
}

// A waiter is a cell that waits for the lock.
type waiter struct {
	user  *User
	ready chan struct{} // closed when the cell holds the lock
}

// AcquireLock acquires the execution lock. It reports failure if the cell is stopped first. From
// the first call until ReleaseLock the cell counts as a user of the lock.
func (u *User) AcquireLock() bool {
	select {
	case <-u.done:
		return false
	default:
	}
	l := u.lock
	l.mu.Lock()
	if !slices.Contains(l.users, u) {
		l.users = append(l.users, u)
		l.contend()
	}
	return l.wait(u)
}

// ReleaseLock releases the execution lock and removes the cell from its users. A call that the cell
// has abandoned ends at its next poll, because the cell was stopped.
func (u *User) ReleaseLock() {
	l := u.lock
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users = slices.DeleteFunc(l.users, func(other *User) bool { return other == u })
	if l.holder == u {
		l.pass()
	}
	l.contend()
}

// contend records whether more than one cell uses the lock. The caller holds mu.
func (l *Lock) contend() {
	contended := len(l.users) > 1
	if l.contended.Swap(contended) != contended {
		l.Changed()
	}
}

// pass hands the lock to the cell that has waited longest. The caller holds mu. The lock is handed
// over directly, so that a cell which arrives at this moment cannot overtake one that waits.
func (l *Lock) pass() {
	l.holder = nil
	if len(l.waiting) > 0 {
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.begins(next.user)
		close(next.ready)
	}
}

// begins makes u the holder. The caller holds mu.
func (l *Lock) begins(u *User) {
	l.holder, l.since = u, time.Now()
}

// wait completes the acquisition of the lock. The caller holds mu, which wait releases.
func (l *Lock) wait(u *User) bool {
	// No cell waits while the lock is free, because pass hands it over.
	if l.holder == nil {
		l.begins(u)
	}
	if l.holder == u {
		l.mu.Unlock()
		return true
	}
	w := &waiter{u, make(chan struct{})}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	pause := patience
	next := time.NewTimer(pause)
	defer next.Stop()
	var before stackSample
	for {
		select {
		case <-w.ready:
			return true
		case <-u.done:
			l.giveUp(w)
			return false
		case <-next.C:
			// The waiting goroutine does the sampling: without a waiter there is no need for it.
			before = l.takeFromCompiled(before)
			pause = min(2*pause, mostPatience)
			next.Reset(pause)
		}
	}
}

// giveUp removes a waiter. If it was granted the lock concurrently, giveUp passes it on.
func (l *Lock) giveUp(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(other *waiter) bool { return other == w })
	select {
	case <-w.ready:
		if l.holder == w.user {
			l.pass()
		}
	default:
	}
}

// takeFromCompiled takes the lock from its holder if this sample and the previous one show that the
// holder stays in compiled code. It returns the sample for the next call.
func (l *Lock) takeFromCompiled(before stackSample) stackSample {
	l.mu.Lock()
	holder, since := l.holder, l.since
	l.mu.Unlock()
	if holder == nil {
		return stackSample{}
	}
	now := holder.sample()
	if !now.staysInCall(before) {
		return now
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// The holder may have changed, or polled, while the stack was sampled.
	if l.holder == holder && l.since.Equal(since) && holder.polls.Load() == now.polls && len(l.waiting) > 0 {
		l.pass()
	}
	return stackSample{}
}

// Yield yields the execution lock if another cell waits for it. Only the goroutine of the
// statements holds the lock; on others Yield does nothing. Compiled code that runs on behalf of
// a cell, such as a print, calls it too, so that straight-line code yields after a long call.
func (u *User) Yield() {
	if u.lock.contended.Load() && u.OnStatements() {
		u.polls.Add(1)
		u.lock.yield(u)
	}
}

// yield hands over the lock if the time slice has ended, and waits to acquire it again. The
// goroutine of a cell's statements calls it. If the cell is stopped while it waits, the goroutine
// ends.
func (l *Lock) yield(u *User) {
	l.mu.Lock()
	if l.holder == u {
		if len(l.waiting) == 0 || time.Since(l.since) < turn {
			l.mu.Unlock()
			return
		}
		l.pass()
	}
	if !l.wait(u) {
		u.end()
	}
}
