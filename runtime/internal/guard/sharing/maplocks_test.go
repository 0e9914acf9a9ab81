package sharing

import (
	"encoding/json"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestNothingIsHeldWhileNobodyShares(t *testing.T) {
	m := map[string]int{"a": 1}
	new(Goroutines).LockMaps(true, m)()
	defer new(Goroutines).LockMaps(false, m, nil, 3)()
	if holders.some.Load() != 0 {
		t.Error("a lock is held")
	}
}

func TestTypesThatReachMaps(t *testing.T) {
	type list struct {
		Next *list
		N    int
	}
	type tree struct {
		Children []*tree
		Names    map[string]bool
	}
	for _, c := range []struct {
		value any
		want  bool
	}{{3, false}, {"s", false}, {[]int{}, false}, {list{}, false}, {tree{}, true}, {[]any{}, true}, {json.Encoder{}, true}} {
		if got := reachesMaps(reflect.TypeOf(c.value)); got != c.want {
			t.Errorf("%T reaches maps: %t, want %t", c.value, got, c.want)
		}
	}
}

// sharedGoroutines returns counters that report that goroutines share maps.
func sharedGoroutines() *Goroutines {
	g := new(Goroutines)
	g.Share("a test")
	return g
}

// A goroutine of cells may be stopped by the operating system while it holds the lock of a map.
func TestACallWaitsForALockThatIsHeldForLong(t *testing.T) {
	m := map[string]int{"a": 1}
	lock := lockOf(reflect.ValueOf(m))
	for _, writing := range []bool{false, true} {
		lock.Lock()
		time.AfterFunc(400*time.Millisecond, lock.Unlock)
		release := sharedGoroutines().LockMaps(writing, m)
		if !holdsLock(lock) {
			t.Errorf("writing %t: the call goes on without the lock", writing)
		}
		release()
		if holdsLock(lock) {
			t.Errorf("writing %t: the lock is held after its release", writing)
		}
	}
}

// A goroutine that holds the lock may wait for the call.
func TestACallGoesOnWithoutALockThatIsNotReleased(t *testing.T) {
	m := map[string]int{"a": 1}
	lock := lockOf(reflect.ValueOf(m))
	lock.Lock()
	release := sharedGoroutines().LockMaps(false, m)
	if holdsLock(lock) {
		t.Error("a lock of another goroutine is held")
	}
	release()
	lock.Unlock()
	// The abandoned wait gives the lock back.
	for begun := time.Now(); !lock.TryLock(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("the lock is held for ever")
		}
	}
	lock.Unlock()
}

// Calls that lock the same maps in different orders, beside goroutines that change them, each get
// all locks.
func TestCallsOnMapsThatChangeHoldEveryLock(t *testing.T) {
	a, b := map[int]any{}, map[int]any{}
	a[0], b[0] = b, a
	locks := []*sync.RWMutex{lockOf(reflect.ValueOf(a)), lockOf(reflect.ValueOf(b))}
	var over atomic.Bool
	var writers, calls sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for !over.Load() {
				release := writeLock(locks[i%2])
				[]map[int]any{a, b}[i%2][1] = 1
				release()
			}
		})
	}
	for i := range 2 {
		calls.Go(func() {
			g := sharedGoroutines()
			for range 100 {
				release := g.LockMaps(i == 1, []any{a, b}[i], []any{b, a}[i])
				if !holdsLock(locks[0]) || !holdsLock(locks[1]) {
					t.Error("a call goes on without a lock")
				}
				release()
			}
		})
	}
	calls.Wait()
	over.Store(true)
	writers.Wait()
}
