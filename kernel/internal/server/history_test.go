package server

import (
	"fmt"
	"strings"
	"testing"

	"gosphere/kernel/history/disk"
	"gosphere/kernel/protocol"
)

// past sends a history_request and returns its reply as text.
func past(c *client, request string) string {
	c.t.Helper()
	var reply protocol.HistoryReply
	id := c.send(c.sockets.Shell, "history_request", request)
	c.done(id)[id].decode(c.t, &reply)
	var got []string
	for _, entry := range reply.History {
		got = append(got, fmt.Sprint(entry))
	}
	return strings.Join(got, " ")
}

func TestHistoryReturnsTheCellsThatAreAskedFor(t *testing.T) {
	c := start(t, "memory", testKey).dial("me", testKey)
	for _, code := range []string{"print a/b", "value [1]", "print a/b", "print c"} {
		c.run(code, "")
	}
	c.run("print silent", `,"silent":true`)
	c.run("print unstored", `,"store_history":false`)
	for request, want := range map[string]string{
		`{"hist_access_type":"tail","n":2}`:                            "[1 3 print a/b] [1 4 print c]",
		`{"hist_access_type":"tail"}`:                                  "[1 1 print a/b] [1 2 value [1]] [1 3 print a/b] [1 4 print c]",
		`{"hist_access_type":"range","session":0,"start":2,"stop":4}`:  "[1 2 value [1]] [1 3 print a/b]",
		`{"hist_access_type":"range","session":1,"start":4}`:           "[1 4 print c]",
		`{"hist_access_type":"range","session":-1,"start":1}`:          "",
		`{"hist_access_type":"search","pattern":"print*","n":10}`:      "[1 1 print a/b] [1 3 print a/b] [1 4 print c]",
		`{"hist_access_type":"search","pattern":"*a/?","unique":true}`: "[1 3 print a/b]",
		`{"hist_access_type":"search","pattern":"*[1]"}`:               "[1 2 value [1]]",
		`{"hist_access_type":"search","pattern":"a/b"}`:                "",
		`{"hist_access_type":"tail","n":1,"output":true}`:              "[1 4 [print c <nil>]]",
	} {
		if got := past(c, request); got != want {
			t.Errorf("%s: %s, want %s", request, got, want)
		}
	}
}

func TestHistoryHoldsTheCellsOfEarlierKernels(t *testing.T) {
	path := t.TempDir() + "/history.sqlite"
	kernel := func(t *testing.T, want string) {
		log := disk.New(disk.Options{Path: path, Patience: deadline})
		c := startWith(t, "memory", testKey, Options{History: log}).dial("me", testKey)
		t.Cleanup(func() { log.Close(deadline) })
		c.run("value κ", "")
		if got := past(c, `{"hist_access_type":"tail","n":2,"output":true}`); got != want {
			t.Errorf("found %s, want %s", got, want)
		}
	}
	t.Run("first", func(t *testing.T) { kernel(t, "[1 1 [value κ κ]]") })
	t.Run("second", func(t *testing.T) { kernel(t, "[1 1 [value κ κ]] [2 1 [value κ κ]]") })
}
