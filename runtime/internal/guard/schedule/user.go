package schedule

import (
	"runtime"
	"sync/atomic"

	"gosphere/internal/goroutine"
)

// A User is a cell as a user of the execution lock, and the goroutine that runs its statements.
type User struct {
	lock *Lock
	done <-chan struct{} // closed when the cell must stop
	end  func()          // ends the calling goroutine, whose cell has been stopped

	descriptor uintptr       // of the goroutine that runs the statements; 0 until it runs
	number     atomic.Uint64 // of that goroutine in stacks; 0 until it runs
	polls      atomic.Uint64 // of that goroutine, while the lock is contended
	activity   atomic.Pointer[Activity]
}

// NewUser returns a user of the lock. done is closed when the cell must stop. end ends the calling
// goroutine, which runs the statements of the stopped cell.
func (l *Lock) NewUser(done <-chan struct{}, end func()) *User {
	return &User{lock: l, done: done, end: end}
}

// EnterStatements records that the calling goroutine runs the statements of the cell.
func (u *User) EnterStatements() {
	u.descriptor = goroutine.Descriptor()
	u.number.Store(goroutine.Number())
}

// OnStatements reports whether the calling goroutine runs the statements of the cell. descriptor is
// written once, before the statements run. Another goroutine that reads it compares it only with
// its own descriptor.
func (u *User) OnStatements() bool { return u.descriptor == goroutine.Descriptor() }

// Follow sets the activity of the goroutine that runs the cell's statements. A nil activity means
// that it has ended.
func (u *User) Follow(a Activity) {
	if a == nil {
		u.activity.Store(nil)
		return
	}
	u.activity.Store(&a)
}

// Activity returns the activity set by Follow, or nil.
func (u *User) Activity() Activity {
	if a := u.activity.Load(); a != nil {
		return *a
	}
	return nil
}

// mostGoroutines is the number of goroutines up to which a stack of another goroutine is taken.
// Taking it stops all of them.
const mostGoroutines = 2000

// Waits reports whether the goroutine of the statements is waiting, for example for a channel, a
// lock, a timer or a file.
func (u *User) Waits() bool {
	id := u.number.Load()
	return id != 0 && runtime.NumGoroutine() <= mostGoroutines && goroutine.Waits(goroutine.Stack(id))
}
