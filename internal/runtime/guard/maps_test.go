package guard

import (
	"reflect"
	"sync/atomic"
	"testing"
	"time"
)

func TestTheLockOfAMapIsTakenOnceByAGoroutineThatHoldsIt(t *testing.T) {
	g := New()
	g.Share("a test")
	m := map[string]int{"a": 1}
	address := reflect.ValueOf(m).Pointer()
	release := g.LockMaps(true, m)
	LockMap(address, false)() // would hang
	var entered atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer LockMap(address, true)()
		entered.Store(true)
	}()
	time.Sleep(5 * time.Millisecond)
	if entered.Load() {
		t.Error("another goroutine has the lock as well")
	}
	release()
	<-done
}

func TestMapsAreLockedWhileGoroutinesOfCellsRun(t *testing.T) {
	g := New()
	run := func(body func()) { g.NewCell(1, func(string, string) {}).Run(body) }
	hold, held := make(chan bool), make(chan bool)
	run(func() {
		if g.Shared() {
			t.Error("locked without a goroutine")
		}
		g.Go(func() { close(held); <-hold })
		if !g.Shared() {
			t.Error("not locked beside a goroutine")
		}
	})
	<-held
	run(func() {
		if !g.Shared() {
			t.Error("not locked beside a goroutine of an earlier cell")
		}
	})
	close(hold)
}
