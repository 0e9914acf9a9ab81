package streams_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/streams"
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

func TestOutputGoesToTheCellOfTheGoroutine(t *testing.T) {
	g := guard.New()
	first, second := &record{}, &record{}
	release, done := make(chan bool), make(chan bool)
	g.NewCell(1, first.write).Run(func() {
		g.Go(func() {
			<-release
			fmt.Fprint(streams.Stdout, "late")
			close(done)
		})
	})
	g.NewCell(2, second.write).Run(func() {
		fmt.Fprint(streams.Stdout, "two")
		fmt.Fprintln(streams.Stderr, "err")
		close(release)
		<-done
	})
	if first.of("stdout") != "late" || second.of("stdout") != "two" || second.of("stderr") != "err\n" {
		t.Errorf("got %q, %q and %q", first.of("stdout"), second.of("stdout"), second.of("stderr"))
	}
}

func TestCharactersStayWhole(t *testing.T) {
	g, out := guard.New(), &record{}
	var parts []string
	c := g.NewCell(1, func(stream, text string) { out.write(stream, text); parts = append(parts, text) })
	c.Run(func() {
		for _, b := range []byte("a€𝄞") {
			_, _ = streams.Stdout.Write([]byte{b})
		}
		_, _ = streams.Stdout.Write([]byte{0xE2, 0x82})
	})
	c.Flush()
	if got, want := strings.Join(parts, "|"), "a|€|𝄞|\uFFFD|warning: the cell has printed bytes that are not UTF-8, which are shown as \uFFFD; write them to a file to keep them\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReplacedBytesAreToldOnce(t *testing.T) {
	g, out := guard.New(), &record{}
	c := g.NewCell(1, out.write)
	c.Run(func() {
		_, _ = streams.Stdout.Write([]byte("a\xffb"))
		_, _ = streams.Stderr.Write([]byte("\xfe\n"))
		_, _ = streams.Stdout.Write([]byte{0xff, 'c'})
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
	g, out := guard.New(), &record{}
	g.Streams.KeepBytes()
	c := g.NewCell(1, out.write)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	c.Run(func() {
		_, _ = streams.Stdout.Write(all)
		for _, b := range []byte("\xe2\x82\xff€\xf0") {
			_, _ = streams.Stdout.Write([]byte{b})
		}
		_, _ = streams.Stderr.Write(all[200:])
	})
	c.Flush()
	if got, want := out.of("stdout"), string(all)+"\xe2\x82\xff€\xf0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := out.of("stderr"), string(all[200:]); got != want {
		t.Errorf("stderr has %q, want %q", got, want)
	}
}

func TestSlowedCellsLoseNothingAndEndAtOnce(t *testing.T) {
	g := guard.New()
	g.Streams.LimitRate(1 << 30)
	r := &record{}
	g.NewCell(1, r.write).Run(func() { _, _ = streams.Stdout.WriteString(strings.Repeat("x", 1000)) })
	if got := len(r.of("stdout")); got != 1000 {
		t.Errorf("%d of 1000 bytes arrive", got)
	}
	g.Streams.LimitRate(1) // a byte per second: text after the burst would wait for hours
	c := g.NewCell(2, r.write)
	ended := make(chan guard.Outcome)
	go func() {
		ended <- c.Run(func() {
			for {
				_, _ = streams.Stdout.WriteString(strings.Repeat("y", 10000))
			}
		})
	}()
	for !strings.Contains(r.of("stderr"), "slowed down to 1 bytes a second") {
		time.Sleep(time.Millisecond)
	}
	c.Stop()
	if outcome := <-ended; outcome.Kind != guard.Interrupted {
		t.Errorf("ended as %v", outcome.Kind)
	}
}
