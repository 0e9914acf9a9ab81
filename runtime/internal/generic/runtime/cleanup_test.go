package cleanup

import (
	"fmt"
	standard "runtime"
	"testing"
)

//go:noinline
func abandon(number int, done chan<- int) {
	AddCleanup(new([64]int), func(n int) { done <- n }, number)
}

func TestCleanupsRunAfterTheirVariablesAreGone(t *testing.T) {
	done := make(chan int)
	abandon(3, done)
	for {
		standard.GC()
		select {
		case n := <-done:
			if n != 3 {
				t.Errorf("got %d, want 3", n)
			}
			return
		default:
		}
	}
}

func TestCleanupsThatAreStoppedDoNotRun(t *testing.T) {
	kept := new([64]int)
	ran := make(chan bool, 1)
	AddCleanup(kept, func(bool) { ran <- true }, true).Stop()
	standard.KeepAlive(kept)
	kept = nil
	standard.GC()
	done := make(chan int)
	abandon(1, done) // earlier cleanups have at least begun when this one has run
	standard.GC()
	<-done
	if len(ran) > 0 {
		t.Error("it ran")
	}
}

func TestAddCleanupPanicsWhereTheStandardOneDoes(t *testing.T) {
	panicking := func(f func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		f()
		return ""
	}
	p := new([64]int)
	for _, ptr := range []*[64]int{nil, p} {
		got := panicking(func() { AddCleanup(ptr, func(*[64]int) {}, p) })
		want := panicking(func() { standard.AddCleanup(ptr, func(*[64]int) {}, p) })
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	standard.KeepAlive(p)
}
