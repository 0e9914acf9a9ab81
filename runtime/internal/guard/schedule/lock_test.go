package schedule

import (
	"sync/atomic"
	"testing"
	"time"

	"gosphere/internal/goroutine"
)

// deadline is how long tests wait for an expected event.
const deadline = 2 * time.Minute

// bounded fails the test if f does not return.
func bounded(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(deadline):
		t.Fatalf("%s does not end", what)
	}
}

// A fake is an Activity that reports the position set by the test.
type fake struct {
	moves   atomic.Uint64
	outside atomic.Bool
}

func (f *fake) Timed() bool { return false }

func (f *fake) Outside() (uint64, bool) { return f.moves.Load(), f.outside.Load() }

func (f *fake) Observed() (call string, calls []string, ok bool) {
	return "time.Sleep", []string{"Cell [1], line 3"}, f.outside.Load()
}

func (f *fake) Calls() (call string, calls []string) { return "", []string{"Cell [1], line 2"} }

// newLock returns a lock without users.
func newLock() *Lock { return &Lock{Changed: func() {}} }

// user returns a cell that uses the lock, and a function that stops it.
func (l *Lock) user() (u *User, stop func()) {
	done := make(chan struct{})
	return l.NewUser(done, func() {}), func() { close(done) }
}

func newUser() *User {
	u, _ := newLock().user()
	return u
}

func TestCellThatLeavesGivesItsTurnOn(t *testing.T) {
	l := newLock()
	a, _ := l.user()
	b, _ := l.user()
	for range 2 { // acquiring the lock again has no effect
		if !a.AcquireLock() {
			t.Fatal("the only cell does not get its turn")
		}
	}
	got := make(chan bool, 1)
	go func() { got <- b.AcquireLock() }()
	for l.waiters() == 0 {
		time.Sleep(time.Millisecond)
	}
	if !l.Contended() {
		t.Error("the one that has the turn is not told that another waits")
	}
	a.ReleaseLock()
	bounded(t, "the next cell", func() {
		if !<-got {
			t.Error("the next cell does not get its turn")
		}
	})
	b.ReleaseLock()
	if l.holder != nil || l.Contended() {
		t.Error("somebody has the turn when all have left")
	}
}

// waiters returns the number of cells that wait for the execution lock.
func (l *Lock) waiters() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

func TestStoppedCellWaitsNoLonger(t *testing.T) {
	l := newLock()
	a, _ := l.user()
	b, stop := l.user()
	a.AcquireLock()
	got := make(chan bool, 1)
	go func() { got <- b.AcquireLock() }()
	for l.waiters() == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	bounded(t, "a stopped cell", func() {
		if <-got {
			t.Error("a stopped cell got its turn")
		}
	})
	b.ReleaseLock()
	if l.waiters() != 0 {
		t.Error("it still waits")
	}
	a.ReleaseLock()
}

// TestLooksTellWhoStaysInCompiledCode makes the goroutine of a cell wait and changes the reports of
// its activity between two samples.
func TestLooksTellWhoStaysInCompiledCode(t *testing.T) {
	for name, test := range map[string]struct {
		between func(u *User, f *fake)
		want    bool
	}{
		"waits":              {func(*User, *fake) {}, true},
		"has polled":         {func(u *User, _ *fake) { u.polls.Add(1) }, false},
		"is in another call": {func(_ *User, f *fake) { f.moves.Add(2) }, false},
		"is in none":         {func(_ *User, f *fake) { f.outside.Store(false) }, false},
	} {
		u, f := newUser(), new(fake)
		f.outside.Store(true)
		u.Follow(f)
		ids, release := make(chan uint64), make(chan struct{})
		go func() {
			ids <- goroutine.Number()
			<-release
		}()
		u.number.Store(<-ids)
		for !u.Waits() {
			time.Sleep(time.Millisecond)
		}
		before := u.sample()
		test.between(u, f)
		now := u.sample()
		if got := now.staysInCall(before); got != test.want {
			t.Errorf("a cell that %s: %v, want %v", name, got, test.want)
		}
		if first := u.sample(); first.staysInCall(stackSample{}) {
			t.Errorf("a cell that %s stays at the first look", name)
		}
		close(release)
	}
}

func TestAComputingGoroutineStaysWhereItGetsOnAlone(t *testing.T) {
	u, f := newUser(), new(fake)
	f.outside.Store(true)
	u.Follow(f)
	ids := make(chan uint64)
	var over atomic.Bool
	go func() {
		ids <- goroutine.Number()
		for n := 0; !over.Load(); n++ {
			if n%2 == 0 {
				computed.Store(int64(compute(n)))
			} else {
				computed.Store(int64(computeMore(n)))
			}
		}
	}()
	u.number.Store(<-ids)
	defer over.Store(true)
	var before stackSample
	for range 10_000 {
		now := u.sample()
		if now.staysInCall(before) {
			return
		}
		before = now
	}
	t.Error("a goroutine that gets on does not count as staying")
}

// computed keeps the result of a computation alive.
var computed atomic.Int64

//go:noinline
func compute(n int) (sum int) {
	for i := range 100_000 {
		sum += i * n
	}
	return sum
}

//go:noinline
func computeMore(n int) int { return compute(n) + compute(n+1) }
