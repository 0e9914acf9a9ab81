package guard

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/runtime/internal/guard/panics"
)

// record collects what a cell writes.
type record struct {
	mu   sync.Mutex
	text map[string]string
}

func (r *record) write(stream, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text == nil {
		r.text = map[string]string{}
	}
	r.text[stream] += text
}

func (r *record) of(stream string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text[stream]
}

func TestRunTellsHowACellEnds(t *testing.T) {
	g := New()
	for name, c := range map[string]struct {
		body func()
		want Outcome
	}{
		"end":   {func() {}, Outcome{}},
		"panic": {func() { panic("boom") }, Outcome{Kind: Panicked, Panic: panics.Report{Text: "boom"}}},
		"exit":  {func() { Current().Exit(3) }, Outcome{Kind: Exited, Code: 3}},
		"exit in a goroutine": {func() {
			g.Go(func() { Current().Exit(2) })
			untilStopped()
		}, Outcome{Kind: Exited, Code: 2}},
		"deep": {func() { recursion(g, 0) }, Outcome{Kind: Overflowed}},
	} {
		t.Run(name, func(t *testing.T) {
			got := g.NewCell(1, (&record{}).write).Run(c.body)
			if got.Kind != c.want.Kind || got.Panic.Text != c.want.Panic.Text || got.Code != c.want.Code {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// untilStopped waits as time.Sleep does in a cell.
func untilStopped() {
	c := Current()
	<-c.done
	c.StopHere()
}

func recursion(g *Guard, n int) int {
	var room [1024]byte
	if n == 1000 {
		g.Overflow("200 MB", []string{"Cell [1], line 1, in f"})
	}
	return recursion(g, n+1) + int(room[n%len(room)])
}

func TestStopEndsTheGoroutinesOfOneCell(t *testing.T) {
	g := New()
	other := g.NewCell(1, (&record{}).write)
	ticks := make(chan int)
	other.Run(func() {
		g.Go(func() {
			for i := 0; ; i++ {
				g.Poll()
				ticks <- i
			}
		})
	})
	c := g.NewCell(2, (&record{}).write)
	started, ended := make(chan bool), make(chan bool)
	outcomes := make(chan Outcome)
	go func() {
		outcomes <- c.Run(func() {
			g.Go(func() {
				defer close(ended)
				for {
					g.Poll()
				}
			})
			close(started)
			for {
				g.Poll()
			}
		})
	}()
	<-started
	c.Stop()
	if o := <-outcomes; o.Kind != Interrupted {
		t.Errorf("got %+v, want an interrupt", o)
	}
	<-ended
	if a, b := <-ticks, <-ticks; b != a+1 {
		t.Error("the goroutine of the other cell has ended")
	}
	other.Stop()
}

func TestPanicInAGoroutineIsReported(t *testing.T) {
	g, out := New(), &record{}
	done := make(chan bool)
	g.NewCell(1, out.write).Run(func() {
		g.Go(func() {
			defer close(done)
			panic(errors.New("lost"))
		})
		<-done
	})
	for end := time.Now().Add(deadline); time.Now().Before(end); {
		if strings.Contains(out.of("stderr"), "panic in a goroutine: lost") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("stderr is %q", out.of("stderr"))
}

func TestMapsAreLockedWhileGoroutinesOfCellsRun(t *testing.T) {
	g := New()
	run := func(body func()) { g.NewCell(1, func(string, string) {}).Run(body) }
	hold, held := make(chan bool), make(chan bool)
	run(func() {
		if g.Sharing.Shared() {
			t.Error("locked without a goroutine")
		}
		g.Go(func() { close(held); <-hold })
		if !g.Sharing.Shared() {
			t.Error("not locked beside a goroutine")
		}
	})
	<-held
	run(func() {
		if !g.Sharing.Shared() {
			t.Error("not locked beside a goroutine of an earlier cell")
		}
	})
	close(hold)
}
