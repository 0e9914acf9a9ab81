package guard

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
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
		"panic": {func() { panic("boom") }, Outcome{Kind: Panicked, Panic: PanicReport{Text: "boom"}}},
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
		g.Overflow([]string{"Cell [1], line 1, in f"})
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

func TestOutputGoesToTheCellOfTheGoroutine(t *testing.T) {
	g := New()
	first, second := &record{}, &record{}
	release, done := make(chan bool), make(chan bool)
	g.NewCell(1, first.write).Run(func() {
		g.Go(func() {
			<-release
			fmt.Fprint(Stdout, "late")
			close(done)
		})
	})
	g.NewCell(2, second.write).Run(func() {
		fmt.Fprint(Stdout, "two")
		fmt.Fprintln(Stderr, "err")
		close(release)
		<-done
	})
	if first.of("stdout") != "late" || second.of("stdout") != "two" || second.of("stderr") != "err\n" {
		t.Errorf("got %q, %q and %q", first.of("stdout"), second.of("stdout"), second.of("stderr"))
	}
}

func TestCharactersStayWhole(t *testing.T) {
	g, out := New(), &record{}
	var parts []string
	c := g.NewCell(1, func(stream, text string) { out.write(stream, text); parts = append(parts, text) })
	c.Run(func() {
		for _, b := range []byte("a€𝄞") {
			_, _ = Stdout.Write([]byte{b})
		}
		_, _ = Stdout.Write([]byte{0xE2, 0x82})
	})
	c.Flush()
	if got, want := strings.Join(parts, "|"), "a|€|𝄞|\uFFFD|warning: the cell has printed bytes that are not UTF-8, which are shown as \uFFFD; write them to a file to keep them\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReplacedBytesAreToldOnce(t *testing.T) {
	g, out := New(), &record{}
	c := g.NewCell(1, out.write)
	c.Run(func() {
		_, _ = Stdout.Write([]byte("a\xffb"))
		_, _ = Stderr.Write([]byte("\xfe\n"))
		_, _ = Stdout.Write([]byte{0xff, 'c'})
	})
	c.Flush()
	if got := out.of("stdout"); got != "a\uFFFDb\uFFFDc" {
		t.Errorf("got %q", got)
	}
	if got := out.of("stderr"); strings.Count(got, "warning: the cell has printed bytes that are not UTF-8") != 1 || !strings.HasSuffix(got, "\uFFFD\n") {
		t.Errorf("stderr has %q", got)
	}
}

func TestBytesAreKeptWhereTheyNeedNotBeText(t *testing.T) {
	g, out := New(), &record{}
	g.KeepBytes()
	c := g.NewCell(1, out.write)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	c.Run(func() {
		_, _ = Stdout.Write(all)
		for _, b := range []byte("\xe2\x82\xff€\xf0") {
			_, _ = Stdout.Write([]byte{b})
		}
		_, _ = Stderr.Write(all[200:])
	})
	c.Flush()
	if got, want := out.of("stdout"), string(all)+"\xe2\x82\xff€\xf0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := out.of("stderr"), string(all[200:]); got != want {
		t.Errorf("stderr has %q, want %q", got, want)
	}
}

type namedInt int

func TestPanicTextIsThatOfAGoProgram(t *testing.T) {
	for want, value := range map[string]any{
		"3": 3, "text": "text", "guard.namedInt(4)": namedInt(4), "file does not exist": os.ErrNotExist, "nil": nil,
	} {
		if got := PanicText(value); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
