package sharing

import (
	"reflect"
	"sync/atomic"
	"testing"
	"time"
)

func TestTheLockOfAMapIsTakenOnceByAGoroutineThatHoldsIt(t *testing.T) {
	g := new(Goroutines)
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
