package server

import (
	"slices"
	"testing"
)

// statuses returns the statuses since the first one of a request, in order, each with the name of
// its request.
func (c *client) statuses(names map[string]string) (list []string) {
	for _, r := range c.all {
		if name := names[parentOf(r)]; r.channel == "iopub" && r.Header.MsgType == "status" && name != "" {
			list = append(list, r.text()[len("status "):]+" "+name)
		}
	}
	return list
}

func TestACellIsBusyAgainBehindWhatIsAnsweredBesideIt(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			serveEcho(k)
			c := k.dial("me", testKey)
			sub := c.subshell()
			cell := c.cell("wait print x", "")
			<-k.mock.began
			info := c.send(c.sockets.Control, "kernel_info_request", `{}`)
			c.done(info)
			comm := c.sendIn(sub, "comm_open", `{"comm_id":"x","target_name":"echo","data":{}}`)
			c.idle(comm)
			other := c.sendIn(sub, "execute_request", `{"code":"print a"}`)
			c.done(other)
			close(k.mock.release)
			c.done(cell)
			after := c.send(c.sockets.Shell, "kernel_info_request", `{}`)
			c.done(after)
			got := c.statuses(map[string]string{cell: "cell", info: "info", comm: "comm", other: "other", after: "after"})
			want := []string{
				"busy cell", "busy info", "idle info", "busy cell", "busy comm", "idle comm", "busy cell", "busy other", "idle other", "busy cell", "idle cell",
				"busy after", "idle after",
			}
			if !slices.Equal(got, want) {
				t.Errorf("the statuses are %q, want %q", got, want)
			}
		})
	}
}

func TestNothingIsBusyBehindTheShutdown(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	cell := c.cell("wait", "")
	<-k.mock.began
	end := c.send(c.sockets.Control, "shutdown_request", `{"restart":false}`)
	c.done(end)
	<-k.ended
	for len(c.arrived) > 0 {
		c.next()
	}
	got := c.statuses(map[string]string{cell: "cell", end: "end"})
	if want := []string{"busy cell", "busy end", "idle end"}; !slices.Equal(got, want) {
		t.Errorf("the statuses are %q, want %q", got, want)
	}
}
