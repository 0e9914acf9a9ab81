package socket

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/kernel/internal/curve"
)

// handshakeTime bounds the duration of a handshake. Until then a silent connection costs one
// goroutine and one file descriptor.
const handshakeTime = 10 * time.Second

// messageTime bounds the time in which a message of a peer without a valid signature must arrive.
// The first message of a client is a request of some hundred bytes.
const messageTime = 10 * time.Second

// patience is how long a peer may accept no bytes before it is disconnected. A client that resumes
// later reconnects. The time is counted in steps from the last byte sent, not from the start of a
// batch, which may be almost as long ago.
const (
	patience      = 15 * time.Second
	patienceSteps = 15
)

// farewell bounds how long closing waits for peers to take their queued messages. It is counted in
// steps: if this process is suspended meanwhile, the step in progress is over when it resumes, but
// not the whole time.
const (
	farewell      = 250 * time.Millisecond
	farewellSteps = 10
)

// batch is the approximate size of one write. A larger one would delay the detection of a peer that
// takes nothing, and the waking of senders.
const batch = 256 << 10

// A limitation is what a peer may send on a socket, apart from the limits of all sockets.
type limitation struct {
	bytes  int     // of one message
	budget *budget // of the bytes that are held for peers without a valid signature
	secret *curve.Key
}

// A peer is one connection. Only its writer goroutine writes to it and ends with it; only the
// goroutine that calls read reads. The fields above the lock, except reader and the flags, are set
// before the socket learns of the peer and do not change afterward.
type peer struct {
	conn       net.Conn
	reader     *bufio.Reader
	identity   string // routing identity, for sockets that route
	properties map[string]string
	patience   time.Duration
	number     int // number among the connections accepted by a listener, from 1
	limits     limitation

	// trusted is set once the peer has sent a message with a valid signature, and settled once it
	// has done what clients of the socket do first. A peer that is neither is the first to be
	// disconnected when places run out.
	trusted, settled atomic.Bool

	mu      sync.Mutex // guards the fields below
	changed sync.Cond  // signals changes of queue, closing, closed or lagging
	// queue and the other fields below its lock are the only connection between the goroutines that
	// send and the writer.
	queue    net.Buffers
	queued   int       // bytes in queue and in the batch being written
	written  int       // bytes written since the connection began
	lagging  bool      // no sender waits for this peer until its queue is short again
	lagged   time.Time // the time at which it began to lag
	lagStart int       // bytes written until then
	closing  bool      // the writer ends after the queue is sent
	closed   bool
	session  *curve.Session // encrypts what is sent and decrypts what is read; nil for none
	ended    chan struct{}  // closed when the writer has ended
}

// readerSize is the size of the buffer of a connection. Larger frames are read without it.
const readerSize = 4 << 10

// newPeer starts the writer of a connection.
func newPeer(conn net.Conn) *peer {
	p := &peer{
		conn: conn, reader: bufio.NewReaderSize(conn, readerSize), patience: patience, limits: limitation{bytes: maxMessage},
		ended: make(chan struct{}),
	}
	p.changed.L = &p.mu
	go p.write()
	return p
}

// handshake introduces this side, which listens, and checks that the kind of the peer is one of
// those wanted. Each side sends its greeting before it reads that of the other, so neither waits
// for the other. The deadline covers the whole handshake, so a peer that sends one byte now and
// then does not extend it.
func (p *peer) handshake(kind string, wanted ...string) error {
	return p.introduce(func() (map[string]string, error) {
		if p.limits.secret == nil {
			return p.introducePlain(kind, "", true)
		}
		return p.introduceServer(kind)
	}, kind, wanted)
}

// handshakeAsClient is like handshake for the side that connects. server is the public key of a
// server that wants encryption, nil for none.
func (p *peer) handshakeAsClient(kind, identity string, server *curve.Key, wanted ...string) error {
	return p.introduce(func() (map[string]string, error) {
		if server == nil {
			return p.introducePlain(kind, identity, false)
		}
		return p.introduceClient(kind, identity, *server)
	}, kind, wanted)
}

// introduce runs a handshake within its time and checks the properties of the peer.
func (p *peer) introduce(exchange func() (map[string]string, error), kind string, wanted []string) error {
	p.conn.SetReadDeadline(time.Now().Add(handshakeTime))
	defer p.conn.SetReadDeadline(time.Time{})
	properties, err := exchange()
	if err != nil {
		return err
	}
	if !slices.Contains(wanted, properties["socket-type"]) {
		return fmt.Errorf("socket: a peer of type %q does not fit a %s", properties["socket-type"], kind)
	}
	p.identity, p.properties = properties["identity"], properties
	return nil
}

// greet exchanges greetings.
func (p *peer) greet(mechanism string, server bool) error {
	p.sendRaw(greeting(mechanism, server))
	return readGreeting(p.reader, mechanism)
}

// introducePlain is the mechanism NULL.
func (p *peer) introducePlain(kind, identity string, server bool) (map[string]string, error) {
	if err := p.greet(null, server); err != nil {
		return nil, err
	}
	p.sendRaw(ready(kind, identity))
	return readReady(p.reader)
}

// introduceServer is the server's side of the mechanism CURVE.
func (p *peer) introduceServer(kind string) (map[string]string, error) {
	if err := p.greet(encrypted, true); err != nil {
		return nil, err
	}
	server := curve.NewServer(*p.limits.secret)
	hello, err := readCommand(p.reader)
	if err != nil {
		return nil, err
	}
	welcome, err := server.Welcome(hello)
	if err != nil {
		return nil, err
	}
	p.sendRaw(appendFrame(nil, commandBit, welcome))
	initiate, err := readCommand(p.reader)
	if err != nil {
		return nil, err
	}
	ready, session, properties, err := server.Ready(initiate, metadata(kind, ""))
	if err != nil {
		return nil, err
	}
	p.sendRaw(appendFrame(nil, commandBit, ready))
	p.encrypt(session)
	return readMetadata(properties)
}

// introduceClient is the client's side of the mechanism CURVE.
func (p *peer) introduceClient(kind, identity string, key curve.Key) (map[string]string, error) {
	if err := p.greet(encrypted, false); err != nil {
		return nil, err
	}
	client := curve.NewClient(key)
	p.sendRaw(appendFrame(nil, commandBit, client.Hello()))
	welcome, err := readCommand(p.reader)
	if err != nil {
		return nil, err
	}
	initiate, err := client.Initiate(welcome, metadata(kind, identity))
	if err != nil {
		return nil, err
	}
	p.sendRaw(appendFrame(nil, commandBit, initiate))
	ready, err := readCommand(p.reader)
	if err != nil {
		return nil, err
	}
	session, properties, err := client.Finish(ready)
	if err != nil {
		return nil, err
	}
	p.encrypt(session)
	return readMetadata(properties)
}

// encrypt sets the session of a connection.
func (p *peer) encrypt(session *curve.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.session = session
}

// read returns the next message or subscription command and answers pings. It returns a
// subscription command in the form of ZMTP 3.0: one frame with 1 or 0 and the topic. The size limit
// applies to the sum of the frames, not to each of them.
//
// Bytes that are held for a peer without a valid signature are taken from the budget, and its
// messages must arrive within messageTime. The caller returns the bytes by p.limits.budget.release.
func (p *peer) read() ([][]byte, error) {
	stranger := p.limits.budget != nil && !p.trusted.Load()
	if stranger {
		// A connection may be idle for as long as it likes; the time begins with the first byte.
		if _, err := p.reader.Peek(1); err != nil {
			return nil, err
		}
		p.conn.SetReadDeadline(time.Now().Add(messageTime))
		defer p.conn.SetReadDeadline(time.Time{})
	}
	charge := func(bytes int) error {
		if stranger {
			return p.limits.budget.take(p, bytes)
		}
		return nil
	}
	var frames [][]byte
	for total := 0; ; {
		flags, body, err := p.readFrame(p.limits.bytes-total, charge)
		if err != nil {
			return nil, err
		}
		if flags&commandBit != 0 {
			if subscription := p.command(body); subscription != nil {
				return [][]byte{subscription}, nil
			}
			continue
		}
		frames = append(frames, body)
		total += len(body)
		if flags&moreBit == 0 {
			return frames, nil
		}
		if len(frames) == maxFrames {
			return nil, fmt.Errorf("socket: message of more than %d frames", maxFrames)
		}
	}
}

// readFrame reads a frame and decrypts it.
func (p *peer) readFrame(limit int, charge func(bytes int) error) (flags byte, body []byte, err error) {
	if p.session == nil { // set by this goroutine
		return readFrame(p.reader, limit, charge)
	}
	if _, body, err = readFrame(p.reader, limit+curve.Overhead, charge); err != nil {
		return 0, nil, err
	}
	return p.session.Open(body)
}

// command answers a ping and converts subscriptions. It ignores other commands.
func (p *peer) command(body []byte) (subscription []byte) {
	name, rest, err := command(body)
	switch {
	case err != nil:
	// PING carries a time to live of two bytes and a context, which PONG returns (ZMTP 3.1).
	case name == "PING" && len(rest) >= 2:
		p.sendCommand(append([]byte("\x04PONG"), rest[2:]...))
	case name == "SUBSCRIBE":
		return append([]byte{1}, rest...)
	case name == "CANCEL":
		return append([]byte{0}, rest...)
	}
	return nil
}

// send queues a message for the writer and reports whether the connection is still open. It never
// blocks; the caller limits the queue, either by backlog or by waitBelow.
func (p *peer) send(m packet) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil {
		return p.queueLocked(m.pieces, m.size)
	}
	for i, frame := range m.frames {
		if !p.sealLocked(moreUnlessLast(m.frames, i), frame) {
			return false
		}
	}
	return true
}

// sendRaw queues bytes of the handshake.
func (p *peer) sendRaw(raw []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queueLocked([][]byte{raw}, len(raw))
}

// maxAnswers is the number of queued bytes above which a peer that sends pings or subscriptions is
// disconnected: it does not read the answers.
const maxAnswers = 64 << 10

// sendCommand queues the answer to a command.
func (p *peer) sendCommand(body []byte) {
	if p.backlog() > maxAnswers {
		p.close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session != nil {
		p.sealLocked(commandBit, body)
		return
	}
	frame := appendFrame(nil, commandBit, body)
	p.queueLocked([][]byte{frame}, len(frame))
}

// sealLocked queues an encrypted frame. The caller holds the lock, so that the numbers of frames
// rise in the order of the queue.
func (p *peer) sealLocked(flags byte, frame []byte) bool {
	sealed := make([]byte, 0, 9+curve.Overhead+len(frame))
	sealed = p.session.Seal(appendFrameHeader(sealed, 0, curve.Overhead+len(frame)), flags, frame)
	return p.queueLocked([][]byte{sealed}, len(sealed))
}

// queueLocked queues pieces. The caller holds the lock.
func (p *peer) queueLocked(pieces [][]byte, size int) bool {
	if p.closed || p.closing {
		return false
	}
	p.queue = append(p.queue, pieces...)
	p.queued += size
	p.changed.Broadcast()
	return true
}

// waitStep waits for at most waitingStep until no more than limit bytes are queued, and reports
// whether there are still more. It does not wait for a lagging peer unless that is asked for. A
// peer that lags does so until its queue is below maxBacklog again.
func (p *peer) waitStep(limit int, lagging bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queued < maxBacklog {
		p.lagging = false
	}
	waits := func() bool { return p.queued > limit && (lagging || !p.lagging) && !p.closed && !p.closing }
	if !waits() {
		return false
	}
	over := false
	timer := time.AfterFunc(waitingStep, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		over = true
		p.changed.Broadcast()
	})
	defer timer.Stop()
	for waits() && !over {
		p.changed.Wait()
	}
	return waits()
}

// lag ends the waiting for a peer.
func (p *peer) lag() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.lagging {
		p.lagging, p.lagged, p.lagStart = true, time.Now(), p.written
	}
	p.changed.Broadcast()
}

// taken returns the number of bytes written since the connection began.
func (p *peer) taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written
}

// lags returns since when a peer lags and the number of bytes written since then.
func (p *peer) lags() (since time.Time, written int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.lagging {
		return time.Now(), 0
	}
	return p.lagged, p.written - p.lagStart
}

// backlog returns the number of bytes that wait to be sent. It includes the batch that is being
// written.
func (p *peer) backlog() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queued
}

// write sends queued messages until the connection ends. It is the writer goroutine. A write that
// makes no progress ends after a step with a deadline error, and the loop decides whether to
// continue: patienceSteps steps in a row without a byte end the connection, and so do farewellSteps
// steps altogether once the peer is closing. The bytes sent are counted after every step, so that
// waiting senders continue although the batch is not finished.
func (p *peer) write() {
	defer close(p.ended)
	defer p.close()
	for steps := farewellSteps; ; {
		pieces, ok := p.take()
		if !ok {
			return
		}
		for silent := 0; len(pieces) > 0; {
			p.conn.SetWriteDeadline(p.writeDeadline())
			written, err := pieces.WriteTo(p.conn)
			p.sent(int(written))
			if silent++; written > 0 {
				silent = 0
			}
			switch {
			case err == nil:
			case !errors.Is(err, os.ErrDeadlineExceeded):
				return
			case p.isClosing():
				if steps--; steps < 0 { // the first step had begun before
					return
				}
			case silent == patienceSteps:
				return
			}
		}
	}
}

// take waits for queued data and returns the next batch of whole pieces, which ends with the first
// piece that reaches the batch size. A batch is written by one system call where the system has
// writev.
func (p *peer) take() (net.Buffers, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) == 0 && !p.closing && !p.closed {
		p.changed.Wait()
	}
	if len(p.queue) == 0 || p.closed {
		return nil, false
	}
	n, size := 0, 0
	for n < len(p.queue) && size < batch {
		size += len(p.queue[n])
		n++
	}
	// Copied, because writing consumes the pieces and the array of the queue is reused.
	pieces := append(net.Buffers(nil), p.queue[:n]...)
	if p.queue = p.queue[n:]; len(p.queue) == 0 {
		p.queue = nil
	}
	return pieces, true
}

// sent records that bytes were sent, which wakes waiting senders.
func (p *peer) sent(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queued -= n
	p.written += n
	p.changed.Broadcast()
}

func (p *peer) isClosing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closing
}

// writeDeadline returns the end of the next step of a write.
func (p *peer) writeDeadline() time.Time {
	if p.isClosing() {
		return time.Now().Add(farewell / farewellSteps)
	}
	return time.Now().Add(p.patience / patienceSteps)
}

// finish lets the writer send the queue and then closes the connection. The new deadline also ends
// a write in progress, which would otherwise notice the closing only at the end of a step of its
// patience.
func (p *peer) finish() {
	p.mu.Lock()
	p.closing = true
	p.changed.Broadcast()
	p.mu.Unlock()
	p.conn.SetWriteDeadline(time.Now().Add(farewell / farewellSteps))
}

// close closes the connection immediately.
func (p *peer) close() {
	p.mu.Lock()
	p.closed = true
	p.changed.Broadcast()
	p.mu.Unlock()
	p.conn.Close()
}
