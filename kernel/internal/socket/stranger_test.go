package socket

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/curve"
)

// signed is the first frame of the messages that the check of these tests accepts.
const signed = "signed"

// guarded returns sockets on tcp that accept messages that begin with signed.
func guarded(t *testing.T) *Sockets {
	t.Helper()
	kernel, err := Listen(&connection.Connection{Transport: "tcp", IP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	kernel.Authenticate(func(frames [][]byte) error {
		if string(frames[0]) != signed {
			return errors.New("no signature")
		}
		return nil
	})
	t.Cleanup(func() {
		kernel.Close()
		checkNoGoroutines(t)
	})
	return kernel
}

// dialTest connects a client.
func dialTest(t *testing.T, kernel *Sockets, identity string) *Sockets {
	t.Helper()
	client, err := Dial(&kernel.Bound, identity)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// stranger opens a connection and sends bytes on it.
func stranger(t *testing.T, kernel *Sockets, port connection.Port, data ...[]byte) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(kernel.Bound.Endpoint(port), "tcp://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.Write(join(data...))
	return conn
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// claimed waits until so many connections of the socket have an identity. A client that has
// connected need not be known to the kernel's socket yet.
func claimed(t *testing.T, s Socket, identity string, connections int) {
	t.Helper()
	r := s.(*router)
	eventually(t, fmt.Sprintf("not %d connections with identity %s", connections, identity), func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.claims[identity]) == connections
	})
}

func TestAStrangerTakesNoIdentity(t *testing.T) {
	kernel := guarded(t)
	client := dialTest(t, kernel, "client")
	client.Shell.Send(frames(signed, "hello"))
	receive(t, kernel.Shell)
	thief := dialTest(t, kernel, "client")
	claimed(t, kernel.Stdin, "client", 2)
	thief.Shell.Send(frames("unsigned"))
	other := dialTest(t, kernel, "other")
	other.Shell.Send(frames(signed, "later")) // shows that the thief was read
	receive(t, kernel.Shell)
	kernel.Shell.Send(frames("client", "for the client"))
	wantFrames(t, receive(t, client.Shell), "for the client")
	// The question to a client whose connection for stdin is older.
	kernel.Stdin.Send(frames("client", "question"))
	wantFrames(t, receive(t, client.Stdin), "question")
	// A client that comes back proves with its first message that it is one.
	thief.Shell.Send(frames(signed, "I am the client"))
	receive(t, kernel.Shell)
	kernel.Shell.Send(frames("client", "for the younger"))
	wantFrames(t, receive(t, thief.Shell), "for the younger")
}

func TestAnIdentityGoesToTheConnectionThatStays(t *testing.T) {
	kernel := guarded(t)
	first, second := dialTest(t, kernel, "client"), dialTest(t, kernel, "client")
	claimed(t, kernel.Stdin, "client", 2)
	first.Close()
	claimed(t, kernel.Stdin, "client", 1)
	kernel.Stdin.Send(frames("client", "question"))
	wantFrames(t, receive(t, second.Stdin), "question")
}

func TestStrangersHoldABoundedNumberOfBytes(t *testing.T) {
	kernel := guarded(t)
	client := dialTest(t, kernel, "client")
	client.Shell.Send(frames(signed, "hello"))
	receive(t, kernel.Shell)
	unfinished := join(greeting(null, false), ready("DEALER", ""), []byte{longBit}, binary.BigEndian.AppendUint64(nil, 200<<20))
	for range 6 {
		conn := stranger(t, kernel, kernel.Bound.ShellPort, unfinished)
		go conn.Write(make([]byte, 30<<20)) // ends with the connection
	}
	b := kernel.Shell.(*router).limits.budget
	most := 0
	eventually(t, "no stranger was disconnected", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		most = max(most, b.total)
		return !b.returned.IsZero()
	})
	if most > maxHeld {
		t.Errorf("strangers hold %d bytes, want at most %d", most, maxHeld)
	}
	// A client with a valid signature has no such limit.
	large := make([]byte, maxHeld+1)
	client.Shell.Send([][]byte{[]byte(signed), large})
	if got := receive(t, kernel.Shell); len(got[2]) != len(large) {
		t.Errorf("a frame of %d bytes arrived, want %d", len(got[2]), len(large))
	}
}

func TestOldConnectionsOfStrangersMakeRoom(t *testing.T) {
	kernel := guarded(t)
	first := dialTest(t, kernel, "first")
	first.Shell.Send(frames(signed, "hello"))
	receive(t, kernel.Shell)
	introduction := map[connection.Port][]byte{
		kernel.Bound.ShellPort: join(greeting(null, false), ready("DEALER", "")),
		kernel.Bound.IopubPort: join(greeting(null, false), ready("SUB", ""), appendFrame(nil, 0, []byte{1})),
	}
	kernel.Subscribed(func(s Subscription) { s.Accept() })
	for port, data := range introduction {
		for range maxPeers + 10 {
			stranger(t, kernel, port, data)
		}
	}
	second := dialTest(t, kernel, "second")
	second.Shell.Send(frames(signed, "hello"))
	wantFrames(t, receive(t, kernel.Shell), "second", signed, "hello")
	p := kernel.IOPub.(*publisher)
	got := make(chan bool, 1)
	go func() {
		_, err := second.IOPub.Receive()
		got <- err == nil
	}()
	eventually(t, "the younger client has not subscribed", func() bool {
		kernel.IOPub.Send(frames("topic"))
		select {
		case received := <-got:
			if !received {
				t.Fatal("the younger client was disconnected")
			}
			return true
		default:
			return false
		}
	})
	wantFrames(t, receive(t, first.IOPub), "topic")
	p.listener.mu.Lock()
	defer p.listener.mu.Unlock()
	if len(p.listener.peers) > maxPeers {
		t.Errorf("%d connections, want at most %d", len(p.listener.peers), maxPeers)
	}
}

func TestTopicsAndHeartbeatsAreBounded(t *testing.T) {
	kernel := guarded(t)
	kernel.Subscribed(func(s Subscription) { s.Accept() })
	ended := func(what string, conn net.Conn) {
		t.Helper()
		conn.SetReadDeadline(time.Now().Add(deadline))
		for buffer := make([]byte, 1<<10); ; {
			_, err := conn.Read(buffer)
			if errors.Is(err, syscall.ETIMEDOUT) || err != nil && strings.Contains(err.Error(), "timeout") {
				t.Errorf("%s: the connection stays", what)
			}
			if err != nil {
				return
			}
		}
	}
	sub, dealer := join(greeting(null, false), ready("SUB", "")), join(greeting(null, false), ready("DEALER", ""))
	topic := append([]byte{1}, make([]byte, maxTopic+1)...)
	ended("long topic", stranger(t, kernel, kernel.Bound.IopubPort, sub, appendFrame(nil, 0, topic)))
	ended("long subscription", stranger(t, kernel, kernel.Bound.IopubPort, sub, appendFrame(nil, commandBit, append([]byte("\x09SUBSCRIBE"), make([]byte, maxCommand)...))))
	ended("long heartbeat", stranger(t, kernel, kernel.Bound.HbPort, dealer, appendFrame(nil, 0, make([]byte, maxBeat+1))))
}

// A subscriber that reads slowly delays others by its allowance and not by what it reads.
func TestASlowSubscriberCostsABoundedTime(t *testing.T) {
	kernel := guarded(t)
	kernel.Subscribed(func(s Subscription) { s.Accept() })
	client := dialTest(t, kernel, "client")
	slow := stranger(t, kernel, kernel.Bound.IopubPort, join(greeting(null, false), ready("SUB", ""), appendFrame(nil, 0, []byte{1})))
	slow.(*net.TCPConn).SetReadBuffer(4 << 10)
	stop := make(chan bool)
	defer close(stop)
	go func() {
		for buffer := make([]byte, 1<<10); ; {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
				slow.Read(buffer)
			}
		}
	}()
	p := kernel.IOPub.(*publisher)
	eventually(t, "they have not subscribed", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		n := 0
		for _, topics := range p.topics {
			n += len(topics)
		}
		return n == 2
	})
	received := make(chan int)
	go func() {
		total := 0
		for {
			frames, err := client.IOPub.Receive()
			if err != nil || string(frames[0]) == "end" {
				received <- total
				return
			}
			total += len(frames[0])
		}
	}()
	const messages, size = 60, 1 << 20
	text := bytes.Repeat([]byte("x"), size)
	for range messages {
		kernel.IOPub.Send([][]byte{text})
	}
	kernel.IOPub.Send(frames("end"))
	if total := <-received; total != messages*size {
		t.Errorf("the other client received %d bytes, want %d", total, messages*size)
	}
	// At 20 KB per second the slow one would have needed an hour.
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.topics) > 2 {
		t.Errorf("%d subscribers", len(p.topics))
	}
}

func TestHurryEndsTheWaitForASubscriber(t *testing.T) {
	t.Cleanup(func() { checkNoGoroutines(t) })
	p := stuckSubscriber(t, time.Hour)
	defer p.close()
	p.mu.Lock()
	p.allowance = time.Hour
	p.mu.Unlock()
	text := make([]byte, maxBacklog)
	p.Send([][]byte{text})
	sent := make(chan bool)
	go func() {
		p.Send([][]byte{text})
		close(sent)
	}()
	select {
	case <-sent:
		t.Fatal("Send did not wait")
	case <-time.After(3 * waitingStep):
	}
	p.interrupted()
	select {
	case <-sent:
	case <-time.After(deadline):
		t.Fatal("Send still waits")
	}
}

func TestASubscriberThatLagsFarIsDisconnected(t *testing.T) {
	t.Cleanup(func() { checkNoGoroutines(t) })
	p := stuckSubscriber(t, time.Hour)
	defer p.close()
	p.mu.Lock()
	p.allowance = 0
	p.mu.Unlock()
	text := make([]byte, 1<<20)
	began := time.Now()
	for range maxLag>>20 + 2 {
		p.Send([][]byte{text})
	}
	eventually(t, "the subscriber is still there", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.topics) == 0
	})
	if time.Since(began) < allowanceSize {
		t.Error("the subscriber had no time")
	}
}

func TestAPortOfAnotherProcessIsRefusedAtOnce(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := &connection.Connection{Transport: "tcp", IP: "127.0.0.1", IopubPort: connection.Port(taken.Addr().(*net.TCPAddr).Port)}
	if _, err := Listen(c); !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(fmt.Sprint(err), "another process accepts connections there") {
		t.Errorf("Listen on a port of another process: %v", err)
	}
}

func TestEncryptedClientsAreServed(t *testing.T) {
	for _, c := range []*connection.Connection{{Transport: "tcp", IP: "127.0.0.1"}, ipcFile(t)} {
		t.Run(c.Transport, func(t *testing.T) {
			public, secret := curve.Generate()
			c.CurvePublicKey, c.CurveSecretKey = public.String(), secret.String()
			kernel, err := Listen(c)
			if err != nil {
				t.Skip(err)
			}
			kernel.Authenticate(nil)
			t.Cleanup(func() {
				kernel.Close()
				checkNoGoroutines(t)
			})
			kernel.Subscribed(func(s Subscription) { s.Accept(frames("", "welcome")) })
			client := dialTest(t, kernel, "me")
			long := strings.Repeat("x", 1<<20)
			for _, pair := range [][2]Socket{
				{kernel.Shell, client.Shell}, {kernel.Control, client.Control}, {kernel.Stdin, client.Stdin},
			} {
				pair[1].Send(frames("", "one", long))
				wantFrames(t, receive(t, pair[0]), "me", "", "one", long)
				pair[0].Send(frames("me", "answer", "", long))
				wantFrames(t, receive(t, pair[1]), "answer", "", long)
			}
			client.Heartbeat.Send(frames("ping"))
			wantFrames(t, receive(t, kernel.Heartbeat), "me", "ping")
			wantFrames(t, receive(t, client.IOPub), "", "welcome")
			kernel.IOPub.Send(frames("topic", "text"))
			wantFrames(t, receive(t, client.IOPub), "topic", "text")

			plain := kernel.Bound
			plain.CurvePublicKey = ""
			if _, err := Dial(&plain, "plain"); err == nil {
				t.Error("a client without encryption was served")
			}
			other, _ := curve.Generate()
			plain.CurvePublicKey = other.String()
			if _, err := Dial(&plain, "wrong"); err == nil {
				t.Error("a client with another key was served")
			}
		})
	}
}

// The numbers of the package comment.
func TestConnectionsOfStrangersCostLittle(t *testing.T) {
	kernel := guarded(t)
	introduction := join(greeting(null, false), ready("DEALER", ""))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range maxPeers {
		stranger(t, kernel, kernel.Bound.ShellPort, introduction)
	}
	r := kernel.Shell.(*router)
	eventually(t, "they are not connected", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.claims) == maxPeers
	})
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc+after.StackInuse) - int64(before.HeapAlloc+before.StackInuse)
	if each := grown / maxPeers; each > 40<<10 {
		t.Errorf("a connection costs %d bytes", each)
	}
}
