package socket

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// handshakeTime bounds the duration of a handshake. Until then a silent connection costs one
// goroutine and one file descriptor.
const handshakeTime = 10 * time.Second

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

// A peer is one connection. Only its writer goroutine writes to it and ends with it; only the
// goroutine that calls read reads. identity, properties, patience and number are set before the
// socket learns of the peer and do not change afterward.
type peer struct {
	conn       net.Conn
	reader     *bufio.Reader
	identity   string // routing identity, for sockets that route
	properties map[string]string
	patience   time.Duration
	number     int // number among the connections accepted by a listener, from 1

	mu      sync.Mutex // guards the fields below
	changed sync.Cond  // signals changes of queue, closing or closed
	// queue and the other fields below its lock are the only connection between the goroutines that
	// send and the writer.
	queue   net.Buffers
	queued  int  // bytes in queue and in the batch being written
	closing bool // the writer ends after the queue is sent
	closed  bool
	ended   chan struct{} // closed when the writer has ended
}

// newPeer starts the writer of a connection.
func newPeer(conn net.Conn) *peer {
	p := &peer{conn: conn, reader: bufio.NewReaderSize(conn, 32<<10), patience: patience, ended: make(chan struct{})}
	p.changed.L = &p.mu
	go p.write()
	return p
}

// handshake introduces this side and checks that the kind of the peer is one of those wanted. Each
// side sends its greeting before it reads that of the other, so neither waits for the other. The
// deadline covers the whole handshake, so a peer that sends one byte now and then does not extend
// it.
func (p *peer) handshake(kind, identity string, wanted ...string) error {
	p.conn.SetReadDeadline(time.Now().Add(handshakeTime))
	defer p.conn.SetReadDeadline(time.Time{})
	p.send([][]byte{greeting()}, greetingSize)
	if err := readGreeting(p.reader); err != nil {
		return err
	}
	introduction := ready(kind, identity)
	p.send([][]byte{introduction}, len(introduction))
	properties, err := readReady(p.reader)
	if err != nil {
		return err
	}
	for _, name := range wanted {
		if properties["socket-type"] == name {
			p.identity, p.properties = properties["identity"], properties
			return nil
		}
	}
	return fmt.Errorf("socket: a peer of type %q does not fit a %s", properties["socket-type"], kind)
}

// read returns the next message or subscription command and answers pings. It returns a
// subscription command in the form of ZMTP 3.0: one frame with 1 or 0 and the topic. The size limit
// applies to the sum of the frames, not to each of them.
func (p *peer) read() ([][]byte, error) {
	var frames [][]byte
	for total := 0; ; {
		flags, body, err := readFrame(p.reader, maxMessage-total)
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

// command answers a ping and converts subscriptions. It ignores other commands.
func (p *peer) command(body []byte) (subscription []byte) {
	name, rest, err := command(body)
	switch {
	case err != nil:
	// PING carries a time to live of two bytes and a context, which PONG returns (ZMTP 3.1).
	case name == "PING" && len(rest) >= 2:
		pong := appendFrame(nil, commandBit, append([]byte("\x04PONG"), rest[2:]...))
		p.send([][]byte{pong}, len(pong))
	case name == "SUBSCRIBE":
		return append([]byte{1}, rest...)
	case name == "CANCEL":
		return append([]byte{0}, rest...)
	}
	return nil
}

// send queues pieces for the writer and reports whether the connection is still open. It never
// blocks; the caller limits the queue, either by backlog or by sendWithin. size is the sum of the
// lengths of the pieces, which several peers may share.
func (p *peer) send(pieces [][]byte, size int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sendLocked(pieces, size)
}

// sendLocked is like send for a caller that holds the lock.
func (p *peer) sendLocked(pieces [][]byte, size int) bool {
	if p.closed || p.closing {
		return false
	}
	p.queue = append(p.queue, pieces...)
	p.queued += size
	p.changed.Broadcast()
	return true
}

// sendWithin waits until fewer than limit bytes are queued. It returns when the connection ends,
// which happens eventually if the peer accepts nothing. Another goroutine may fill the queue again
// before this one wakes; it then waits again. The limit may be exceeded by one message, so a
// message larger than the limit is not stuck forever.
func (p *peer) sendWithin(limit int, pieces [][]byte, size int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queued >= limit && !p.closed && !p.closing {
		p.changed.Wait()
	}
	return p.sendLocked(pieces, size)
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
