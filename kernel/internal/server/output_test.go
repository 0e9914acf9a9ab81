package server

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

func TestLateOutputKeepsTheParentOfItsCell(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c := k.dial("me", testKey)
			first := c.cell("late afterward", "")
			c.done(first)
			second := c.cell("wait print own", "")
			<-k.mock.began
			close(k.mock.release)
			c.done(second)
			k.mock.late.Wait()
			for c.printed(first) == "" {
				c.next()
			}
			if a, b := c.printed(first), c.printed(second); a != "afterward" || b != "own\n" {
				t.Errorf("the first cell printed %q and the second %q", a, b)
			}
		})
	}
}

func TestOutputComesBeforeReplyAndIdle(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	for range 50 {
		id := c.cell("lines 300", "")
		c.until(func(r received) bool { return r.text() == "status idle" && parentOf(r) == id })
		if n := strings.Count(c.printed(id), "\n"); n != 300 {
			t.Fatalf("%d lines came before idle, want 300", n)
		}
	}
}

func TestMillionLinesArriveWholeInFewMessages(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c := k.dial("me", testKey)
			began := time.Now()
			id := c.cell(fmt.Sprintf("lines %d", n), "")
			c.done(id)
			took := time.Since(began)
			t.Logf("%d lines in %v, %d messages", n, took, len(c.all))
			var want strings.Builder
			for i := range n {
				fmt.Fprintf(&want, "line %d\n", i)
			}
			if got := c.printed(id); got != want.String() {
				t.Errorf("%d bytes came, want %d", len(got), want.Len())
			}
			// One message for each 8 KB and each 20 ms, which are many on a busy machine.
			if most := 20 + want.Len()/joinedSize + int(took/joinedAge); len(c.all) > most {
				t.Errorf("%d messages, want at most %d", len(c.all), most)
			}
		})
	}
}

// noStamp numbers nothing.
func noStamp() stamp { return stamp{} }

// testOutbox returns an outbox and a function that returns its sent messages as text.
func testOutbox(t *testing.T) (o *outbox, sent func() string) {
	t.Helper()
	var mu sync.Mutex
	var words []string
	o = newOutbox(func(p *publication) {
		mu.Lock()
		defer mu.Unlock()
		m := wire.Message{Header: protocol.Header{MsgType: p.kind}, Content: p.content}
		words = append(words, received{Message: &m}.text())
	}, noStamp)
	ended := make(chan bool)
	go func() {
		o.run()
		close(ended)
	}()
	t.Cleanup(func() {
		o.close()
		<-ended
	})
	return o, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(words, ", ")
	}
}

func out(text string) protocol.Stream { return protocol.Stream{Name: "stdout", Text: text} }

func TestTextOfDifferentCellsIsNotJoined(t *testing.T) {
	o, sent := testOutbox(t)
	o.age = time.Hour // or a machine that holds this test up would have the text sent in between
	a, b := &wire.Message{}, &wire.Message{}
	for _, p := range []struct {
		parent *wire.Message
		text   string
	}{{a, "1"}, {b, "2"}, {a, "3"}, {b, "4"}} {
		o.stream(p.parent, out(p.text))
	}
	o.flush()
	if got := sent(); got != "stream stdout 13, stream stdout 24" {
		t.Errorf("sent %s", got)
	}
}

func TestTextBehindADisplayStaysBehindIt(t *testing.T) {
	o, sent := testOutbox(t)
	a := &wire.Message{}
	o.stream(a, out("1"))
	o.content(&publication{parent: a, kind: "display_data", content: []byte("{}")})
	o.stream(a, out("2"))
	o.flush()
	if got := sent(); got != "stream stdout 1, display_data, stream stdout 2" {
		t.Errorf("sent %s", got)
	}
}

func TestTextIsSentWithoutAnythingBehindIt(t *testing.T) {
	o, sent := testOutbox(t)
	for round := 1; round <= 3; round++ {
		o.stream(nil, out("1"))
		for end := time.Now().Add(deadline); strings.Count(sent(), "stream") < round; {
			if time.Now().After(end) {
				t.Fatal("the text waits for ever")
			}
		}
	}
}

// Regression test: the timer of a text that had already been sent with another message made nothing
// urgent, and the next flush blocked forever.
func TestTimerThatFindsNothingDoesNotSilenceTheOutbox(t *testing.T) {
	o, sent := testOutbox(t)
	o.stream(nil, out("1"))
	o.flush() // takes the text along; the timer still runs
	for timing := true; timing; {
		o.mu.Lock()
		timing = o.timing
		o.mu.Unlock()
	}
	o.flush()
	o.stream(nil, out("2"))
	o.flush()
	if got := sent(); got != "stream stdout 1, stream stdout 2" {
		t.Errorf("sent %s", got)
	}
}

func TestFloodWaitsInsteadOfFillingTheMemory(t *testing.T) {
	hold, reached := make(chan bool), make(chan bool, 1000)
	o := newOutbox(func(*publication) {
		reached <- true
		<-hold
	}, noStamp)
	ended := make(chan bool)
	go func() {
		o.run()
		close(ended)
	}()
	flooded := make(chan bool)
	go func() {
		for range 100 {
			o.stream(nil, out(strings.Repeat("x", 100<<10)))
		}
		close(flooded)
	}()
	<-reached
	for full := false; !full; {
		o.mu.Lock()
		full = o.bytes >= maxWaiting
		if o.bytes > maxWaiting+100<<10 {
			t.Errorf("%d bytes wait, want at most about %d", o.bytes, maxWaiting)
		}
		o.mu.Unlock()
	}
	// A status does not block, so control is answered meanwhile.
	o.status(&wire.Message{}, protocol.Busy)
	o.status(&wire.Message{}, protocol.Idle)
	close(hold)
	<-flooded
	o.flush()
	o.close()
	<-ended
	if o.bytes != 0 {
		t.Errorf("%d bytes are counted after everything was sent", o.bytes)
	}
}

func TestClosedOutboxTakesNothingAndHoldsUpNobody(t *testing.T) {
	o, sent := testOutbox(t)
	o.close()
	o.stream(nil, out("1"))
	o.content(&publication{kind: "display_data"})
	o.status(&wire.Message{}, protocol.Idle)
	o.flush()
	if got := sent(); got != "" {
		t.Errorf("sent %s", got)
	}
}

func TestControlIsAnsweredWhileASubscriberIsStuck(t *testing.T) {
	k := start(t, "tcp", testKey)
	stuck, err := socket.Dial(&k.server.Sockets.Bound, "stuck") // never reads iopub
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stuck.Close() })
	c := k.dial("me", testKey)
	// More than all queues and system buffers hold.
	id := c.cell("lines 10000000", "")
	<-k.mock.began
	for range 3 {
		interrupt := c.send(c.sockets.Control, "kernel_info_request", `{}`)
		for replied := false; !replied; {
			r := c.next()
			replied = r.channel == "control" && parentOf(r) == interrupt
		}
	}
	c.send(c.sockets.Control, "shutdown_request", `{"restart":false}`)
	<-k.ended // the cell is abandoned
	_ = id
}

func TestMessagesAreNumberedInTheOrderInWhichTheyAreSent(t *testing.T) {
	const writers, each = 8, 200
	var last, sent uint64
	var numbers atomic.Uint64
	o := newOutbox(func(p *publication) {
		if p.stamp.number <= last {
			t.Errorf("message %d behind %d", p.stamp.number, last)
		}
		last, sent = p.stamp.number, sent+1
	}, func() stamp { return stamp{number: numbers.Add(1)} })
	ended := make(chan bool)
	go func() {
		o.run()
		close(ended)
	}()
	var all sync.WaitGroup
	for w := range writers {
		parent := &wire.Message{}
		all.Go(func() {
			for range each {
				if w%2 == 0 {
					o.status(parent, protocol.Busy)
				} else {
					o.content(&publication{parent: parent, kind: "display_data", content: []byte("{}")})
				}
			}
		})
	}
	all.Wait()
	o.close()
	<-ended
	if sent != writers*each {
		t.Errorf("%d messages, want %d", sent, writers*each)
	}
}
