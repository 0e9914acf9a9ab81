package guard

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"gosphere/internal/goroutine"
	"gosphere/runtime/internal/guard/streams"
)

// remembered returns the numbers of the cells of a guard that are still registered.
func remembered(g *Guard) map[int]bool {
	numbers := map[int]bool{}
	for c := range goroutine.Groups() {
		if c, ok := c.(*Cell); ok && c.guard == g {
			numbers[c.Number] = true
		}
	}
	return numbers
}

// collectUntil runs the collector until a condition holds. It reports whether the condition became
// true.
func collectUntil(holds func() bool) bool {
	for end := time.Now().Add(deadline); time.Now().Before(end); runtime.Gosched() {
		runtime.GC()
		if holds() {
			return true
		}
	}
	return false
}

func TestCellsAreForgottenWithTheirLastGoroutine(t *testing.T) {
	g, out := New(), &record{}
	release, done := make(chan bool), make(chan bool)
	for number := range 50 {
		g.NewCell(number, out.write).Run(func() {
			if number == 7 {
				g.Go(func() {
					<-release
					fmt.Fprint(streams.Stdout, "late")
					close(done)
				})
			}
		})
	}
	if !collectUntil(func() bool { return len(remembered(g)) == 1 }) || !remembered(g)[7] {
		t.Errorf("cells %v are remembered, want only that of the goroutine that waits", remembered(g))
	}
	close(release)
	<-done
	if out.of("stdout") != "late" {
		t.Errorf("the goroutine that waited printed %q into its cell", out.of("stdout"))
	}
	if !collectUntil(func() bool { return len(remembered(g)) == 0 }) {
		t.Errorf("cells %v are remembered, want none", remembered(g))
	}
}

func TestTimersFindTheirCellAfterItsGoroutinesHaveEnded(t *testing.T) {
	g, out := New(), &record{}
	done := make(chan bool)
	var timer *time.Timer
	g.NewCell(1, out.write).Run(func() {
		c := Current()
		timer = time.AfterFunc(time.Hour, func() {
			c.Join()
			fmt.Fprint(streams.Stdout, "ring")
			close(done)
		})
	})
	if !collectUntil(func() bool { return len(remembered(g)) == 0 }) {
		t.Fatalf("cells %v are remembered, want none while only a timer waits", remembered(g))
	}
	timer.Reset(0)
	<-done
	if out.of("stdout") != "ring" {
		t.Errorf("the timer printed %q into its cell", out.of("stdout"))
	}
}
