package socket

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/internal/connection"
)

// deadline is the time limit for expected events.
const deadline = 2 * time.Minute

// A mode is a way to connect. Every test of the sockets runs in each mode.
type mode struct {
	name string
	open func(t *testing.T) (kernel *Sockets, connect func(identity string) (*Sockets, error))
}

var modes = []mode{
	{"tcp", func(t *testing.T) (*Sockets, func(string) (*Sockets, error)) {
		return listenTest(t, &connection.Connection{Transport: "tcp", IP: "127.0.0.1"})
	}},
	{"ipc", func(t *testing.T) (*Sockets, func(string) (*Sockets, error)) {
		return listenTest(t, ipcFile(t))
	}},
	{"memory", func(t *testing.T) (*Sockets, func(string) (*Sockets, error)) { return Memory() }},
}

// ipcFile returns a connection file for ipc. The folder's name is short, because the path of a
// socket is limited to about 100 bytes.
func ipcFile(t *testing.T) *connection.Connection {
	t.Helper()
	folder, err := os.MkdirTemp("", "k")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return &connection.Connection{
		Transport: "ipc", IP: filepath.Join(folder, "s"), ShellPort: 1, IopubPort: 2, StdinPort: 3, ControlPort: 4, HbPort: 5,
	}
}

func listenTest(t *testing.T, c *connection.Connection) (*Sockets, func(string) (*Sockets, error)) {
	t.Helper()
	kernel, err := Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	return kernel, func(identity string) (*Sockets, error) { return Dial(&kernel.Bound, identity) }
}

// eachMode runs a test body with open sockets in every mode and then checks that no goroutines
// remain.
func eachMode(t *testing.T, body func(t *testing.T, kernel *Sockets, connect func(identity string) *Sockets)) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			kernel, open := m.open(t)
			kernel.Authenticate(nil)
			t.Cleanup(func() {
				kernel.Close()
				checkNoGoroutines(t)
			})
			body(t, kernel, func(identity string) *Sockets {
				t.Helper()
				client, err := open(identity)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { client.Close() })
				return client
			})
		})
	}
}

// checkNoGoroutines fails if goroutines of this package remain.
func checkNoGoroutines(t *testing.T) {
	t.Helper()
	var left []string
	for end := time.Now().Add(deadline); time.Now().Before(end); runtime.Gosched() {
		left = nil
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for _, stack := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(stack, "gosphere/kernel/internal/socket") && !strings.Contains(stack, "testing.tRunner") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("%d goroutines stay, the first:\n%s", len(left), left[0])
}

func receive(t *testing.T, from Socket) [][]byte {
	t.Helper()
	type result struct {
		frames [][]byte
		err    error
	}
	got := make(chan result, 1)
	go func() {
		frames, err := from.Receive()
		got <- result{frames, err}
	}()
	select {
	case r := <-got:
		if r.err != nil {
			t.Fatal(r.err)
		}
		return r.frames
	case <-time.After(deadline):
		t.Fatal("nothing came")
		return nil
	}
}

func frames(texts ...string) [][]byte {
	var f [][]byte
	for _, text := range texts {
		f = append(f, []byte(text))
	}
	return f
}

func wantFrames(t *testing.T, got [][]byte, want ...string) {
	t.Helper()
	if text := string(bytes.Join(got, []byte("|"))); text != strings.Join(want, "|") {
		t.Errorf("frames %.200q, want %.200q", text, strings.Join(want, "|"))
	}
}

func TestMessagesGoBothWays(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		client := connect("me")
		long := strings.Repeat("x", 300) // needs the long form of a frame's length
		for _, pair := range [][2]Socket{
			{kernel.Shell, client.Shell}, {kernel.Control, client.Control}, {kernel.Stdin, client.Stdin}, {kernel.Heartbeat, client.Heartbeat},
		} {
			pair[1].Send(frames("", "one", long))
			wantFrames(t, receive(t, pair[0]), "me", "", "one", long)
			pair[0].Send(frames("me", "answer", ""))
			wantFrames(t, receive(t, pair[1]), "answer", "")
		}
	})
}

func TestLargeMessagesArriveWhole(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		client := connect("me")
		large := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16)
		client.Shell.Send([][]byte{large, []byte("end")})
		got := receive(t, kernel.Shell)
		if len(got) != 3 || !bytes.Equal(got[1], large) || string(got[2]) != "end" {
			t.Fatalf("got %d frames", len(got))
		}
		kernel.Shell.Send([][]byte{[]byte("me"), large})
		if got := receive(t, client.Shell); len(got) != 1 || !bytes.Equal(got[0], large) {
			t.Errorf("got %d frames back", len(got))
		}
	})
}

func TestRepliesGoToTheirOwnClient(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		first, second, nameless := connect("first"), connect("second"), connect("")
		var name string
		for _, client := range []*Sockets{first, second, nameless} {
			client.Shell.Send(frames("?"))
			name = string(receive(t, kernel.Shell)[0])
		}
		kernel.Shell.Send(frames("nobody", "lost"))
		kernel.Shell.Send(frames("second", "2"))
		kernel.Shell.Send(frames(name, "0"))
		kernel.Shell.Send(frames("first", "1"))
		wantFrames(t, receive(t, first.Shell), "1")
		wantFrames(t, receive(t, second.Shell), "2")
		wantFrames(t, receive(t, nameless.Shell), "0")
	})
}

func TestReconnectedClientGetsTheReplies(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		connect("me") // stays open, as a connection does whose end has not been noticed
		newer := connect("me")
		newer.Shell.Send(frames("hello"))
		receive(t, kernel.Shell)
		kernel.Shell.Send(frames("me", "answer"))
		wantFrames(t, receive(t, newer.Shell), "answer")
	})
}

func TestSubscriberGetsTheWelcomeFirst(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		early := connect("early") // subscribes before anybody decides about it
		kernel.Subscribed(func(s Subscription) { s.Accept(frames(string(s.Topic), "welcome")) })
		wantFrames(t, receive(t, early.IOPub), "", "welcome")
		late := connect("late")
		wantFrames(t, receive(t, late.IOPub), "", "welcome")
		kernel.IOPub.Send(frames("topic", "text"))
		wantFrames(t, receive(t, early.IOPub), "topic", "text") // and not a second welcome
		wantFrames(t, receive(t, late.IOPub), "topic", "text")
	})
}

func TestTopicsSelectWhatIsReceived(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		accepted := make(chan string, 3)
		kernel.Subscribed(func(s Subscription) {
			s.Accept()
			accepted <- string(s.Topic)
		})
		client := connect("me")
		<-accepted
		client.IOPub.Send([][]byte{[]byte("\x01log.")})
		<-accepted
		client.IOPub.Send([][]byte{{0}})               // not everything any more
		client.IOPub.Send([][]byte{{}, {}, {1, 2, 3}}) // means nothing
		client.IOPub.Send([][]byte{[]byte("\x01end")}) // shows that the others were read
		<-accepted
		kernel.IOPub.Send(frames("other", "no"))
		kernel.IOPub.Send(frames("log.x", "yes"))
		wantFrames(t, receive(t, client.IOPub), "log.x", "yes")
	})
}

func TestCloseSendsWhatIsQueuedAndEndsReceive(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		client := connect("me")
		client.Control.Send(frames("shutdown"))
		receive(t, kernel.Control)
		words := make(chan [][]byte, 1)
		go func() { // reads meanwhile: pipes in memory hold nothing
			last, _ := client.Control.Receive()
			words <- last
		}()
		ended := make(chan error, 1)
		go func() {
			_, err := kernel.Shell.Receive()
			ended <- err
		}()
		kernel.Control.Send(frames("me", "last words"))
		kernel.Close()
		wantFrames(t, <-words, "last words")
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("Receive ended with %v, want %v", err, ErrClosed)
		}
		if err := kernel.Shell.Send(frames("me", "x")); !errors.Is(err, ErrClosed) {
			t.Errorf("Send after Close: %v, want %v", err, ErrClosed)
		}
		if err := kernel.IOPub.Send(frames("x")); !errors.Is(err, ErrClosed) {
			t.Errorf("Send on iopub after Close: %v, want %v", err, ErrClosed)
		}
	})
}

func TestListenNamesTheChannelThatFails(t *testing.T) {
	taken, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Skip("no unix sockets here")
	}
	defer taken.Close()
	c := ipcFile(t)
	c.IP = filepath.Join(filepath.Dir(c.IP), strings.Repeat("long", 40))
	if _, err := Listen(c); err == nil || !strings.Contains(err.Error(), "socket: shell at ipc://") {
		t.Errorf("too long a path: %v, want the channel and the address named", err)
	}
	checkNoGoroutines(t)
}

func TestFileOfAKilledKernelIsReplaced(t *testing.T) {
	c := ipcFile(t)
	path := c.IP + "-1"
	abandoned, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Skip("no unix sockets here")
	}
	abandoned.SetUnlinkOnClose(false)
	abandoned.Close()
	kernel, err := Listen(c)
	if err != nil {
		t.Fatalf("the file of a dead kernel is in the way: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v; want 0600", info, err)
	}
	if _, err := Listen(c); err == nil {
		t.Error("a second kernel took the files of a living one")
	}
	kernel.Close()
	for port := 1; port <= 5; port++ {
		if _, err := os.Stat(fmt.Sprintf("%s-%d", c.IP, port)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("port %d: the file stays: %v", port, err)
		}
	}
}

func TestAQuestionWaitsForAClientThatIsConnecting(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		for i := range mostKept + 1 {
			kernel.Stdin.Send(frames("late", fmt.Sprint("question ", i)))
		}
		kernel.Shell.Send(frames("late", "a reply that nobody waits for"))
		late := connect("late")
		for i := range mostKept { // the oldest was pushed out
			wantFrames(t, receive(t, late.Stdin), fmt.Sprint("question ", i+1))
		}
		kernel.Stdin.Send(frames("late", "next"))
		wantFrames(t, receive(t, late.Stdin), "next")
		late.Shell.Send(frames("hello"))
		receive(t, kernel.Shell)
		kernel.Shell.Send(frames("late", "reply"))
		wantFrames(t, receive(t, late.Shell), "reply")
	})
}
