package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// statuses returns the status of each reply, in the order of the requests.
func statuses(t *testing.T, c *client, ids ...string) string {
	t.Helper()
	replies := c.done(ids...)
	var words []string
	for _, id := range ids {
		var reply protocol.ExecuteReply
		replies[id].decode(t, &reply)
		words = append(words, reply.Status)
	}
	return strings.Join(words, " ")
}

func TestFailureRefusesWhatWasQueuedBehindIt(t *testing.T) {
	for _, transport := range transports {
		for stop, want := range map[string]string{"true": "error aborted aborted", "false": "error ok ok"} {
			t.Run(transport+" stop_on_error "+stop, func(t *testing.T) {
				k := start(t, transport, testKey)
				c := k.dial("me", testKey)
				ids := []string{c.cell("wait fail", `,"stop_on_error":`+stop), c.cell("print b", ""), c.cell("print c", "")}
				<-k.mock.began
				// The receiver has read all three once it has read the request after them.
				c.done(c.send(c.sockets.Shell, "kernel_info_request", `{}`))
				close(k.mock.release)
				if got := statuses(t, c, ids...); got != want {
					t.Errorf("statuses %s, want %s", got, want)
				}
				// A cell sent from now on is run, however soon.
				for i := range 20 {
					if got := statuses(t, c, c.cell("fail again", "")); got != "error" {
						t.Errorf("failing cell %d: %s", i, got)
					}
					if got := statuses(t, c, c.cell("print d", "")); got != "ok" {
						t.Errorf("cell behind failure %d: %s, want ok", i, got)
					}
				}
			})
		}
	}
}

func TestAbortedRequestsHaveBusyAndIdleAndNothingElse(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	failing, behind := c.cell("wait fail", ""), c.cell("print b", "")
	c.done(c.send(c.sockets.Shell, "kernel_info_request", `{}`))
	close(k.mock.release)
	reply := c.done(failing, behind)[behind]
	if string(reply.Content) != `{"status":"aborted"}` {
		t.Errorf("reply %s", reply.Content)
	}
	var seen []string
	for _, r := range c.all {
		if r.channel == "iopub" && parentOf(r) == behind {
			seen = append(seen, r.text())
		}
	}
	if got := strings.Join(seen, ", "); got != "status busy, status idle" {
		t.Errorf("iopub: %s", got)
	}
}

// at returns a request with the given date of a client.
func at(session string, date time.Time, id int) *wire.Message {
	return &wire.Message{Header: protocol.Header{MsgType: "execute_request", Session: session, MsgID: fmt.Sprint(id), Date: date.UTC().Format(protocol.DateFormat)}}
}

// A client that runs all cells sends them together, and they arrive one by one. Neither the clock
// difference nor the transit time may matter.
func TestStragglersOfTheBurstAreRefusedWhateverTheClocksShow(t *testing.T) {
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	defer func() { now = time.Now }()
	now = func() time.Time { return clock }
	for _, skew := range []time.Duration{0, -time.Hour, time.Hour} {
		e := newExecutor()
		const way = 5 * time.Millisecond
		arrive := func(sentAgo time.Duration, id int) (refused bool) {
			e.add(at("browser", clock.Add(-sentAgo).Add(skew), id))
			_, refused = e.next()
			return refused
		}
		if arrive(way, 1) {
			t.Errorf("skew %v: refused without a failure", skew)
		}
		clock = clock.Add(10 * time.Millisecond)
		e.fail()
		clock = clock.Add(20 * time.Millisecond)
		if !arrive(30*time.Millisecond+way, 2) {
			t.Errorf("skew %v: a straggler of the burst was run", skew)
		}
		if arrive(way, 3) {
			t.Errorf("skew %v: a cell sent 15 ms after the failure was refused", skew)
		}
		clock = clock.Add(stragglers)
		if arrive(stragglers+time.Second, 4) {
			t.Errorf("skew %v: refused long after the failure", skew)
		}
	}
}

func TestUnreadableDatesAreNeverTakenForStragglers(t *testing.T) {
	e := newExecutor()
	e.fail()
	e.add(&wire.Message{Header: protocol.Header{MsgType: "execute_request", Session: "s", Date: "yesterday"}})
	if m, refused := e.next(); m == nil || refused {
		t.Errorf("refused %v", refused)
	}
}

func TestTableOfClocksStaysSmall(t *testing.T) {
	c := clocks{}
	for i := range 3 * maxClients {
		c.observe(at(fmt.Sprint(i), time.Now(), i).Header, time.Now())
	}
	if len(c) > maxClients {
		t.Errorf("%d clocks, want at most %d", len(c), maxClients)
	}
}

func TestFullQueueIsToldToTheClient(t *testing.T) {
	e := newExecutor()
	for i := range maxQueue {
		if e.add(at("s", time.Now(), i)) != nil {
			t.Fatalf("request %d was refused", i)
		}
	}
	if e.add(at("s", time.Now(), 0)) == nil {
		t.Errorf("more than %d requests were queued", maxQueue)
	}
}

func TestInterruptEndsTheRunningCellAndRefusesTheQueue(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c := k.dial("me", testKey)
			running, behind := c.cell("wait", ""), c.cell("print b", "")
			<-k.mock.began
			c.done(c.send(c.sockets.Shell, "kernel_info_request", `{}`))
			c.done(c.send(c.sockets.Control, "interrupt_request", `{}`))
			if got := statuses(t, c, running, behind); got != "error aborted" {
				t.Errorf("statuses %s, want error aborted", got)
			}
			if got := statuses(t, c, c.cell("print c", "")); got != "ok" {
				t.Errorf("the next cell: %s", got)
			}
		})
	}
}

func TestRequestsAreAnsweredWhileACellRuns(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c := k.dial("me", testKey)
			id := c.cell("wait print x", "")
			<-k.mock.began
			c.done(
				c.send(c.sockets.Shell, "complete_request", `{"code":"p","cursor_pos":1}`),
				c.send(c.sockets.Shell, "inspect_request", `{"code":"p","cursor_pos":1}`),
				c.send(c.sockets.Shell, "is_complete_request", `{"code":"p"}`),
				c.send(c.sockets.Control, "kernel_info_request", `{}`),
			)
			if n := len(k.mock.cells()); n != 1 {
				t.Errorf("%d cells have begun, want 1", n)
			}
			close(k.mock.release)
			c.done(id)
			if got := c.printed(id); got != "x\n" {
				t.Errorf("the cell printed %q", got)
			}
		})
	}
}

func TestShutdownEndsTheKernelWhileACellRuns(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c := k.dial("me", testKey)
			c.cell("wait", "")
			<-k.mock.began
			id := c.send(c.sockets.Control, "shutdown_request", `{"restart":false}`)
			c.done(id)
			<-k.ended
			broadcast := false
			for _, r := range c.all {
				broadcast = broadcast || r.channel == "iopub" && r.Header.MsgType == "shutdown_reply"
			}
			if !broadcast {
				t.Errorf("the shutdown was not broadcast: %s", c.transcript())
			}
		})
	}
}

func TestOldClientsMayShutDownOnShell(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	c.done(c.send(c.sockets.Shell, "shutdown_request", `{"restart":false}`))
	<-k.ended
}
