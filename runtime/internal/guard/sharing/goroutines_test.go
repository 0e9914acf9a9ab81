package sharing

import (
	"sync/atomic"
	"testing"
	"time"
)

// start runs body on a known goroutine and returns when it has ended.
func start(g *Goroutines, body func()) {
	g.Begin(false)
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Start()
		defer g.End()
		body()
	}()
	<-done
}

func TestKnownGoroutinesAreCountedOnce(t *testing.T) {
	g := new(Goroutines)
	start(g, func() {
		g.Enter()
		defer g.Leave()
		if !g.Alone() || g.Quiet() || g.Still(0) || !g.Still(1) {
			t.Errorf("alone %t, quiet %t, still %t, still beside a waiting goroutine %t", g.Alone(), g.Quiet(), g.Still(0), g.Still(1))
		}
	})
	if !g.Quiet() {
		t.Error("the goroutine has ended and is still counted")
	}
}

func TestForeignGoroutinesAreCountedWhileTheyRunCells(t *testing.T) {
	g := new(Goroutines)
	g.Share("net/http")
	if !g.Quiet() || !g.Shared() {
		t.Errorf("quiet %t, shared %t; want true, true", g.Quiet(), g.Shared())
	}
	g.Enter()
	g.Enter() // a handler that is called by a handler
	g.Leave()
	if g.Quiet() || g.Alone() || g.Still(0) {
		t.Errorf("quiet %t, alone %t, still %t inside a handler", g.Quiet(), g.Alone(), g.Still(0))
	}
	g.Leave()
	if !g.Quiet() {
		t.Error("the handler has returned and is still counted")
	}
}

func TestHoldKeepsOthersFromEntering(t *testing.T) {
	g := new(Goroutines)
	release := g.Hold()
	g.Enter() // the holder itself does not wait
	g.Leave()
	var entered atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Enter()
		entered.Store(true)
		g.Leave()
	}()
	time.Sleep(5 * time.Millisecond)
	if entered.Load() || !g.Quiet() {
		t.Errorf("entered %t, quiet %t while held", entered.Load(), g.Quiet())
	}
	release()
	<-done
	g.Hold()() // and again
	if !entered.Load() || !g.Quiet() {
		t.Errorf("entered %t, quiet %t after the release", entered.Load(), g.Quiet())
	}
}
