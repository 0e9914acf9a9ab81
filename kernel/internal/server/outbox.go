package server

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// Streams are joined: the text of small writes is sent together after 20 ms, or when 8 KB have
// accumulated, or when anything else is published. A message that could not be sent yet grows up to
// 64 KB, so a million printed lines become some hundred messages.
const (
	// The age bounds the delay that a reader sees, the size the delay within a flood.
	joinedAge   = 20 * time.Millisecond
	joinedSize  = 8 << 10
	largestText = 64 << 10
)

// maxWaiting is the number of queued bytes above which publishing blocks. A flood of output slows
// down its cell instead of filling the memory. The bound is soft: one publication of any size is
// accepted below it.
const maxWaiting = 256 << 10

// A publication is one message for iopub, or a mark that signals when all earlier ones have been
// sent. Only the goroutine that calls run reads a publication after it has been taken from the
// queue.
type publication struct {
	parent  *wire.Message // nil for none
	kind    string
	content json.RawMessage
	stamp   stamp

	attachment protocol.Attachment

	name string // name of a stream, whose content is built from text when it is sent
	text []byte

	sent chan struct{} // signals the sending of a mark
}

// size returns the number of bytes that count against maxWaiting. A mark has none, so flush never
// waits for room.
func (p *publication) size() int {
	size := len(p.content) + len(p.text) + len(p.attachment.Metadata)
	for _, buffer := range p.attachment.Buffers {
		size += len(buffer)
	}
	return size
}

// An outbox is the queue for iopub. Any goroutine may add to it; a single goroutine sends.
// Publications are sent in the order in which they were added, with one exception: text is appended
// to the latest publication of its request while that is a stream of the same name and still
// queued. Publications of other requests may have been added in between, and are then sent after
// text that is younger. The order within a request is never changed.
type outbox struct {
	send  func(*publication)
	stamp func() stamp  // called with the lock held, so that messages are numbered in queue order
	age   time.Duration // joinedAge

	mu      sync.Mutex // guards the fields below
	changed sync.Cond
	waiting []*publication
	// joined is the latest publication of a request if it is a stream that can still grow.
	joined map[*wire.Message]*publication
	bytes  int  // size of queued and sent publications
	urgent int  // number of queued publications to be sent without delay; later text may still grow
	timing bool // a timer is set that makes all of them urgent
	closed bool
	// running holds the cells and comm messages that are being served, oldest first.
	running []*wire.Message
}

func newOutbox(send func(*publication), number func() stamp) *outbox {
	o := &outbox{send: send, stamp: number, age: joinedAge, joined: map[*wire.Message]*publication{}}
	o.changed.L = &o.mu
	return o
}

// stream appends text to a stream. It blocks while the backlog exceeds the limit. Text to stderr
// after text to stdout starts a new message, so that the two appear in the order of writing.
func (o *outbox) stream(parent *wire.Message, stream protocol.Stream) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.waitForRoom() {
		return
	}
	p := o.joined[parent]
	if p == nil || p.name != stream.Name || len(p.text) >= largestText {
		p = &publication{parent: parent, kind: stream.MessageType(), name: stream.Name, stamp: o.stamp()}
		o.waiting = append(o.waiting, p)
		o.joined[parent] = p
	}
	p.text = append(p.text, stream.Text...)
	o.bytes += len(stream.Text)
	switch {
	case len(p.text) >= joinedSize:
		o.hurry()
	case !o.timing:
		o.timing = true
		// The timer does not stop when the text is sent earlier: it then finds an empty queue, or
		// makes later text urgent a little early.
		time.AfterFunc(o.age, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.timing = false
			o.hurry()
		})
	}
}

// content adds a message other than a stream.
func (o *outbox) content(p *publication) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waitForRoom() {
		p.stamp = o.stamp()
		o.add(p)
	}
}

// status adds a status. It never blocks, because there are only a few for each request. Front ends
// show the latest status, whatever its parent. If a request is answered while a cell is running,
// its idle is therefore followed by another busy; otherwise the cell would seem to have ended.
func (o *outbox) status(parent *wire.Message, state string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.addStatus(parent, state)
	if state == protocol.Busy {
		if runsCode(parent) {
			o.running = append(o.running, parent)
		}
		return
	}
	o.running = slices.DeleteFunc(o.running, func(m *wire.Message) bool { return m == parent })
	if n := len(o.running); n > 0 {
		o.addStatus(o.running[n-1], protocol.Busy)
	}
}

// runsCode reports whether a request may run code for long. Only these are followed by a renewed
// busy: the others end before a user can see it.
func runsCode(m *wire.Message) bool {
	switch m.Header.MsgType {
	case "execute_request", "comm_open", "comm_msg", "comm_close":
		return true
	}
	return false
}

// addStatus adds one status. The caller holds the lock.
func (o *outbox) addStatus(parent *wire.Message, state string) {
	o.add(&publication{parent: parent, kind: "status", content: json.RawMessage(`{"execution_state":"` + state + `"}`), stamp: o.stamp()})
}

// end adds the idle of the request that shuts the kernel down, and closes the outbox. It adds no
// busy for a cell that is still running, because the kernel ends.
func (o *outbox) end(parent *wire.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.addStatus(parent, protocol.Idle)
		o.closeLocked()
	}
}

// flush waits until all earlier publications have been passed to iopub. It does so by a mark at the
// end of the queue. After close it returns at once. The goroutine of run must not call it.
func (o *outbox) flush() {
	mark := &publication{sent: make(chan struct{})}
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return
	}
	o.add(mark)
	o.mu.Unlock()
	<-mark.sent
}

// add appends a publication. The stream of the same request then stops growing. The caller holds
// the lock.
func (o *outbox) add(p *publication) {
	delete(o.joined, p.parent)
	o.waiting = append(o.waiting, p)
	o.bytes += p.size()
	o.hurry()
}

// hurry makes all queued publications urgent. The caller holds the lock.
func (o *outbox) hurry() {
	o.urgent = len(o.waiting)
	o.changed.Broadcast()
}

// waitForRoom waits while the backlog exceeds the limit, and reports whether the outbox is still
// open. The caller holds the lock. o.bytes includes the batch that is being sent, so it falls only
// as fast as subscribers read.
func (o *outbox) waitForRoom() bool {
	for o.bytes >= maxWaiting && !o.closed {
		o.changed.Wait()
	}
	return !o.closed
}

// close lets run end after the queue is sent. Later publications are dropped.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closeLocked()
}

// closeLocked is like close for a caller that holds the lock. It wakes the goroutine of run and all
// goroutines that wait for room.
func (o *outbox) closeLocked() {
	o.closed = true
	o.changed.Broadcast()
}

// run sends publications in order until close. The lock is not held while sending, which may wait
// for a slow subscriber. The size of a stream is computed before its text is encoded, because
// o.bytes has counted the text.
func (o *outbox) run() {
	for {
		batch := o.take()
		if len(batch) == 0 {
			return
		}
		for _, p := range batch {
			if p.sent != nil {
				close(p.sent)
				continue
			}
			size := p.size()
			if p.name != "" {
				p.content, _ = encodeContent(p.kind, protocol.Stream{Name: p.name, Text: string(p.text)}) // strings always encode
			}
			o.send(p)
			o.mu.Lock()
			o.bytes -= size
			o.changed.Broadcast()
			o.mu.Unlock()
		}
	}
}

// take waits until a publication is urgent, and removes it and all earlier ones. Taking everything
// at once keeps the lock short during a flood. Streams in the batch stop growing, because run reads
// their text without the lock.
func (o *outbox) take() []*publication {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.urgent == 0 && !o.closed {
		o.changed.Wait()
	}
	n := o.urgent
	if o.closed {
		n = len(o.waiting)
	}
	batch := o.waiting[:n:n]
	if o.waiting, o.urgent = o.waiting[n:], 0; len(o.waiting) == 0 {
		o.waiting = nil // releases the sent publications
	}
	for _, p := range batch {
		if o.joined[p.parent] == p {
			delete(o.joined, p.parent)
		}
	}
	return batch
}
