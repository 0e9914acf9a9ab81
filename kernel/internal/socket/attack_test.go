package socket

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/internal/connection"
)

// rawReady is the READY command of a client, as bytes.
func rawReady(kind string) []byte { return ready(kind, "attacker") }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Bytes that an unauthenticated peer can send before any signature is checked. Some of them end a
// process that uses zmq4 0.17.
var attacks = map[string][]byte{
	"nothing":                           nil,
	"HTTP":                              []byte("GET / HTTP/1.0\r\nHost: localhost\r\nUser-Agent: a browser that goes on for a while\r\n\r\n"),
	"half a greeting":                   greeting(null, false)[:30],
	"ZMTP 2":                            {0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 5},
	"another mechanism":                 greeting(encrypted, false),
	"frame instead of READY":            join(greeting(null, false), appendFrame(nil, 0, []byte("hello"))),
	"empty command":                     join(greeting(null, false), appendFrame(nil, commandBit, nil)),
	"READY without properties":          join(greeting(null, false), appendFrame(nil, commandBit, []byte("\x05READY"))),
	"property longer than its command":  join(greeting(null, false), appendFrame(nil, commandBit, []byte("\x05READY\xffSocket-Type"))),
	"value longer than its command":     join(greeting(null, false), appendFrame(nil, commandBit, []byte("\x05READY\x0bSocket-Type\xff\xff\xff\xffDEALER"))),
	"command of 2^62 bytes":             join(greeting(null, false), []byte{commandBit | longBit}, binary.BigEndian.AppendUint64(nil, 1<<62)),
	"unfit socket type":                 join(greeting(null, false), rawReady("PUSH")),
	"identity of 300 bytes":             join(greeting(null, false), ready("DEALER", strings.Repeat("x", 300))),
	"frame of 2^62 bytes":               join(greeting(null, false), rawReady("DEALER"), []byte{longBit}, binary.BigEndian.AppendUint64(nil, 1<<62)),
	"frame of 2^63 bytes":               join(greeting(null, false), rawReady("DEALER"), []byte{longBit}, binary.BigEndian.AppendUint64(nil, 1<<63)),
	"announced megabytes that not come": join(greeting(null, false), rawReady("DEALER"), []byte{longBit}, binary.BigEndian.AppendUint64(nil, 200<<20), []byte("x")),
	"endless message":                   join(greeting(null, false), rawReady("DEALER"), bytes.Repeat([]byte{moreBit, 0}, maxFrames+10)),
	"empty subscription":                join(greeting(null, false), rawReady("SUB"), []byte{0, 0}),
	"many subscriptions":                join(greeting(null, false), rawReady("SUB"), bytes.Repeat([]byte{0, 1, 1}, 10*maxTopics)),
	"unknown commands":                  join(greeting(null, false), rawReady("DEALER"), appendFrame(nil, commandBit, []byte("\x04WHAT")), appendFrame(nil, commandBit, []byte("\xff"))),
	"ping without a time":               join(greeting(null, false), rawReady("DEALER"), appendFrame(nil, commandBit, []byte("\x04PING"))),
}

func TestStrangersBytesEndNothing(t *testing.T) {
	kernel, err := Listen(&connection.Connection{Transport: "tcp", IP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	kernel.Authenticate(nil)
	defer checkNoGoroutines(t)
	defer kernel.Close()
	kernel.Subscribed(func(s Subscription) { s.Accept() })
	b := &kernel.Bound
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, data := range attacks {
		for _, port := range []connection.Port{b.ShellPort, b.ControlPort, b.StdinPort, b.IopubPort, b.HbPort} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(b.Endpoint(port), "tcp://"))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			conn.Write(data)
			defer conn.Close() // they stay open until the end
		}
	}
	client, err := Dial(b, "friend")
	if err != nil {
		t.Fatalf("after the attacks: %v", err)
	}
	defer client.Close()
	client.Shell.Send(frames("hello"))
	for {
		if got := receive(t, kernel.Shell); string(got[0]) == "friend" {
			break
		}
	}
	kernel.Shell.Send(frames("friend", "still here"))
	wantFrames(t, receive(t, client.Shell), "still here")
	runtime.ReadMemStats(&after)
	// Each connection may cost its buffers and firstGrasp, but not the announced 200 MB.
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Errorf("the attacks hold %d MB", grown>>20)
	}
}

func TestConnectionsThatEndAnywhereInAMessageLeaveNothing(t *testing.T) {
	kernel, err := Listen(&connection.Connection{Transport: "tcp", IP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	kernel.Authenticate(nil)
	defer checkNoGoroutines(t)
	defer kernel.Close()
	whole := join(greeting(null, false), ready("DEALER", "dying"), appendFrame(nil, moreBit, []byte("first")), appendFrame(nil, 0, make([]byte, 300)))
	for cut := range len(whole) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(kernel.Bound.Endpoint(kernel.Bound.ShellPort), "tcp://"))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		conn.Write(whole[:cut])
		if cut%2 == 0 { // without a farewell
			conn.(*net.TCPConn).SetLinger(0)
		}
		conn.Close()
	}
	client, err := Dial(&kernel.Bound, "alive")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	client.Shell.Send(frames("hello"))
	wantFrames(t, receive(t, kernel.Shell), "alive", "hello") // and no part of what the others began
	r := kernel.Shell.(*router)
	for end := time.Now().Add(deadline); ; runtime.Gosched() {
		r.listener.mu.Lock()
		open := len(r.listener.peers)
		r.listener.mu.Unlock()
		if open == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d connections are kept, want 1", open)
		}
	}
}

func TestSilentConnectionsKeepNobodyOut(t *testing.T) {
	kernel, err := Listen(&connection.Connection{Transport: "tcp", IP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	kernel.Authenticate(nil)
	defer checkNoGoroutines(t)
	defer kernel.Close()
	for range 50 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(kernel.Bound.Endpoint(kernel.Bound.ShellPort), "tcp://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	client, err := Dial(&kernel.Bound, "me")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	client.Shell.Send(frames("hello"))
	wantFrames(t, receive(t, kernel.Shell), "me", "hello")
}

func TestTooManyConnectionsAreClosed(t *testing.T) {
	l := newListener(&pipeListener{waiting: make(chan net.Conn), done: make(chan struct{})}, limitation{}, "ROUTER", "DEALER")
	for range maxPeers {
		p := &peer{}
		p.trusted.Store(true)
		l.peers[p] = true
	}
	if l.add(&peer{}) {
		t.Errorf("more than %d connections were kept", maxPeers)
	}
}

// stuckSubscriber returns a publisher with one subscriber that never reads.
func stuckSubscriber(t *testing.T, patience time.Duration) *publisher {
	t.Helper()
	network := &pipeListener{waiting: make(chan net.Conn), done: make(chan struct{})}
	p := newPublisher(network, limitation{bytes: maxMessage})
	p.listener.mu.Lock()
	p.listener.patience = patience
	p.listener.mu.Unlock()
	subscribed := make(chan bool)
	p.subscribed(func(s Subscription) {
		s.Accept()
		subscribed <- true
	})
	conn, err := network.dial()
	if err != nil {
		t.Fatal(err)
	}
	subscriber := newPeer(conn)
	t.Cleanup(subscriber.close)
	if err := subscriber.handshakeAsClient("SUB", "", nil, "XPUB"); err != nil {
		t.Fatal(err)
	}
	subscriber.send(encode([][]byte{{1}}))
	<-subscribed
	return p
}

func TestStuckSubscriberIsCutOffAndHoldsLittle(t *testing.T) {
	t.Cleanup(func() { checkNoGoroutines(t) })
	p := stuckSubscriber(t, 50*time.Millisecond)
	defer p.close()
	text := bytes.Repeat([]byte("x"), 100<<10)
	for range 1000 { // 100 MB, of which it takes nothing
		p.mu.Lock()
		for subscriber := range p.topics {
			if backlog := subscriber.backlog(); backlog > maxBacklog+len(text)+100 {
				t.Fatalf("%d bytes wait for a subscriber, want at most %d", backlog, maxBacklog)
			}
		}
		p.mu.Unlock()
		if err := p.Send([][]byte{[]byte("topic"), text}); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(deadline); ; runtime.Gosched() {
		p.mu.Lock()
		left := len(p.topics)
		p.mu.Unlock()
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the stuck subscriber is still there")
		}
	}
}

func TestCloseDoesNotWaitForAStuckSubscriber(t *testing.T) {
	t.Cleanup(func() { checkNoGoroutines(t) })
	p := stuckSubscriber(t, time.Hour)
	sent := make(chan bool)
	go func() {
		for p.Send([][]byte{bytes.Repeat([]byte("x"), 1<<20)}) == nil {
		}
		close(sent)
	}()
	for p.mu.Lock(); ; p.mu.Lock() { // until Send waits
		full := false
		for subscriber := range p.topics {
			full = subscriber.backlog() >= maxBacklog
		}
		p.mu.Unlock()
		if full {
			break
		}
		runtime.Gosched()
	}
	p.close()
	select {
	case <-sent:
	case <-time.After(deadline):
		t.Error("Send still waits after Close")
	}
}

func TestClientThatNeverReadsItsRepliesIsCutOff(t *testing.T) {
	eachMode(t, func(t *testing.T, kernel *Sockets, connect func(string) *Sockets) {
		client := connect("greedy")
		client.Shell.Send(frames("hello"))
		receive(t, kernel.Shell)
		reply := [][]byte{[]byte("greedy"), bytes.Repeat([]byte("x"), 8<<20)}
		r := kernel.Shell.(*router)
		for range 100 {
			kernel.Shell.Send(reply)
		}
		for end := time.Now().Add(deadline); ; runtime.Gosched() {
			r.mu.Lock()
			left := len(r.claims)
			r.mu.Unlock()
			if left == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("it is still connected")
			}
		}
	})
}

func FuzzPeer(f *testing.F) {
	for _, data := range attacks {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		if readGreeting(r, null) != nil {
			return
		}
		if _, err := readReady(r); err != nil {
			return
		}
		for {
			flags, body, err := readFrame(r, maxMessage, nil)
			if err != nil {
				return
			}
			if flags&commandBit != 0 {
				command(body)
			}
		}
	})
}

// TestSubscriberThatLeftEarlyIsForgotten accepts a subscription after its peer has left.
func TestSubscriberThatLeftEarlyIsForgotten(t *testing.T) {
	p := stuckSubscriber(t, time.Minute)
	defer p.close()
	p.mu.Lock()
	var left *peer
	for left = range p.topics {
	}
	p.mu.Unlock()
	left.close()
	for end := time.Now().Add(deadline); ; runtime.Gosched() {
		p.mu.Lock()
		n := len(p.topics)
		p.mu.Unlock()
		if n == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the subscriber that left is still there")
		}
	}
	p.add(left, nil, nil)
	if len(p.topics) != 0 {
		t.Error("a subscriber that left has topics")
	}
}
