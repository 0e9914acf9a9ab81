package server

import (
	"testing"
	"time"

	"gosphere/kernel/internal/socket"
)

func init() { firstSubscription = 10 * time.Millisecond }

// early sends a request on a connection of its own, before any client has subscribed to iopub.
func early(t *testing.T, k *kernel, content string) (shell socket.Single, id string) {
	t.Helper()
	bound := &k.server.Sockets.Bound
	shell, err := socket.DialOne(bound, bound.ShellPort, "early")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(shell.Close)
	c := &client{t: t, codec: k.server.Codec, name: "early"}
	id, frames := c.frames("execute_request", content, "")
	if err := shell.Send(frames); err != nil {
		t.Fatal(err)
	}
	return shell, id
}

func TestOutputsOfTheFirstCellReachAClientThatSubscribesLate(t *testing.T) {
	before := firstSubscription
	t.Cleanup(func() { firstSubscription = before })
	firstSubscription = time.Hour
	k := start(t, "tcp", testKey)
	_, id := early(t, k, `{"code":"print 42"}`)
	time.Sleep(50 * time.Millisecond) // the cell has arrived; without the wait it would have run
	late := k.dial("late", testKey)
	for _, want := range []string{"status busy", "execute_input", "stream stdout 42", "status idle"} {
		late.until(func(r received) bool { return r.channel == "iopub" && parentOf(r) == id && r.text() == want })
	}
}

func TestCellsOfAClientWithoutIopubRun(t *testing.T) {
	k := start(t, "tcp", testKey)
	shell, _ := early(t, k, `{"code":"print 42"}`)
	frames, err := shell.Receive()
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := k.server.Codec.Decode(frames); err != nil || reply.Header.MsgType != "execute_reply" {
		t.Errorf("%q, %v", frames, err)
	}
}
