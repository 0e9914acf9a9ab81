package session

import (
	"runtime"
	"testing"
	"time"
)

func TestMemoryIsGivenBackWhenNothingRunsAndMoreIsInUse(t *testing.T) {
	quiet, used, given := true, int64(100<<20), 0
	r := &idleTrimmer{quiet: func() bool { return quiet }, used: func() int64 { return used }, giveBack: func() { given++; used -= 30 << 20 }, floor: 80 << 20}
	quiet = false
	if r.take(); given != 0 {
		t.Error("memory was given back beside a cell")
	}
	quiet = true
	if r.take(); given != 1 || r.floor != 70<<20 {
		t.Errorf("given back %d times, then %d bytes in use", given, r.floor)
	}
	used += restGrowth - 1
	if r.take(); given != 1 {
		t.Error("memory was given back for little")
	}
	used++
	if r.take(); given != 2 {
		t.Error("memory was not given back again")
	}
}

func TestMemoryIsGivenBackBehindACell(t *testing.T) {
	s := newTestSession(t)
	s.TrimWhenIdle()
	given := make(chan bool, 1)
	s.rest.floor, s.rest.giveBack = 0, func() { given <- s.calls.idle() }
	execute(s, "1 + 1", discard)
	select {
	case quiet := <-given:
		if !quiet {
			t.Error("memory was given back while a cell ran")
		}
	case <-time.After(waitingTime):
		t.Error("memory was not given back")
	}
}

// A variable that is redeclared with another type is a new one.
func TestValuesOfRedeclaredVariablesAreCollected(t *testing.T) {
	s := newTestSession(t)
	before := heapInUse()
	shown, _ := playCells(s,
		"a := make([]int, 32<<20)", "b := make([]int, 32<<20)", "c := make([]int, 32<<20)",
		"a := 0", "func b() {}", "c := len(c)", "1 + 1")
	if shown[6] != "= 2\n" {
		t.Errorf("the cells show %q", shown)
	}
	// Pools and finalizers keep what is no longer used for some collections.
	deadline := time.Now().Add(waitingTime)
	for heapInUse()-before > 128<<20 {
		if time.Now().After(deadline) {
			t.Fatalf("%d MB more are in use", (heapInUse()-before)>>20)
		}
	}
}

// heapInUse returns the bytes of the heap in use after a collection.
func heapInUse() int {
	for range 2 { // the first empties the pools
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
