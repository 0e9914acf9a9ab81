package goroutine

import (
	"strings"
	"testing"
	"time"
)

func TestStackOfAGoroutineIsFound(t *testing.T) {
	ids, release := make(chan uint64), make(chan struct{})
	go func() {
		ids <- Number()
		<-release
	}()
	id := <-ids
	for !Waits(Stack(id)) {
		time.Sleep(time.Millisecond)
	}
	stack := Stack(id)
	if !strings.Contains(stack, "TestStackOfAGoroutineIsFound") || strings.Contains(stack, "\n\n") {
		t.Errorf("stack %s", stack)
	}
	close(release)
	if Stack(1<<62) != "" {
		t.Error("a stack of a goroutine that is not there")
	}
}

func TestStatesThatWait(t *testing.T) {
	for state, want := range map[string]bool{
		"running": false, "runnable": false, "runnable, locked to thread": false, "GC assist wait": false, "sleep": true,
		"chan receive, 3 minutes": true, "select (no cases)": true, "IO wait": true, "sync.Mutex.Lock": true,
	} {
		if got := Waits("goroutine 7 [" + state + "]:\nmain.f()\n"); got != want {
			t.Errorf("%s: %v, want %v", state, got, want)
		}
	}
}
