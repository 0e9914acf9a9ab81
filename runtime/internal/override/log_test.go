package override

import (
	"log"
	"runtime"
	"testing"
	"time"
)

var global log.Logger

func TestLocksEndWithTheirLoggers(t *testing.T) {
	count := func() (n int) {
		writing.Range(func(_, _ any) bool { n++; return true })
		return n
	}
	kept, before := log.New(nil, "", 0), count()
	lock, own := lockOf(kept), lockOf(&global)
	if lock != lockOf(kept) || own != lockOf(&global) || lock == own {
		t.Error("a logger has several locks, or several loggers have one")
	}
	for range 100 {
		lockOf(log.New(nil, "", 0))
	}
	deadline := time.Now().Add(time.Minute)
	for count() > before+2 {
		if time.Now().After(deadline) {
			t.Fatalf("%d locks remain", count())
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	runtime.KeepAlive(kept)
}
