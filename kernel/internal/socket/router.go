package socket

import (
	"crypto/rand"
	"net"
	"slices"
	"sync"
)

// maxReplies is the maximum number of queued bytes of replies to one client with a valid signature.
// A client that sends requests but never reads is disconnected. Others, which receive only echoes
// of heartbeats, have maxAnswers.
const maxReplies = 64 << 20

// A router is a ROUTER socket: messages begin with the routing identity of their peer. incoming is
// shared by all peers. Its capacity only saves switches between goroutines: while it is full, the
// peers are not read, and TCP slows their clients down. For instance the frames that Receive
// returns are the identity, perhaps an empty delimiter, and those that the client has sent.
type router struct {
	*listener
	incoming chan [][]byte
	done     chan struct{}
	ending   sync.Once

	// keeps reports whether messages wait for a client that is not connected yet. Clients connect
	// their sockets one after another, so a cell may ask a question before the client's stdin
	// socket is connected.
	keeps bool

	// check is called with the frames of each message of a peer and drops those for which it returns
	// an error. It is set before authenticating is closed, and until then no message is read.
	check          func(frames [][]byte) error
	authenticating chan struct{} // closed when check is set
	unsigned       bool          // no message has a signature, so no peer is ever trusted

	mu     sync.Mutex         // guards the fields below
	claims map[string][]*peer // connections by identity
	kept   []kept             // oldest first
}

// A kept message waits for its client.
type kept struct {
	packet
	identity string
}

// mostKept is the maximum number of waiting messages. The oldest is dropped first. There is at most
// one question at a time, so this many clients would have to vanish.
const mostKept = 16

// A REQ is accepted because the heartbeat of jupyter_client is one. It sends an empty delimiter
// frame first, which is echoed like any other.
func newRouter(network net.Listener, limits limitation, signs bool) *router {
	r := makeRouter(network, limits, signs)
	// This goroutine owns the listener. It ends when the listener is closed.
	go r.accept()
	return r
}

func makeRouter(network net.Listener, limits limitation, signs bool) *router {
	r := &router{
		listener: newListener(network, limits, "ROUTER", "DEALER", "REQ", "ROUTER"),
		incoming: make(chan [][]byte, 16), done: make(chan struct{}), claims: map[string][]*peer{}, authenticating: make(chan struct{}),
	}
	r.serve, r.signs = r.receiveFrom, signs
	return r
}

// newEcho returns a router for heartbeats, none of which is signed, so that all peers stay
// strangers.
func newEcho(network net.Listener, limits limitation) *router {
	r := makeRouter(network, limits, false)
	r.unsigned = true
	r.authenticate(nil)
	go r.accept()
	return r
}

// authenticate sets the check of messages; nil accepts all.
func (r *router) authenticate(check func(frames [][]byte) error) {
	r.mu.Lock()
	r.check = check
	r.mu.Unlock()
	close(r.authenticating)
}

// strangers reports whether a peer without a valid signature is one. Without a key none has one.
// The caller holds the lock.
func (r *router) strangers() bool { return r.check != nil || r.unsigned }

// receiveFrom forwards the messages of one peer. It is the serve of the listener and runs on the
// goroutine of the connection, so checking a large message delays no other peer.
func (r *router) receiveFrom(p *peer) {
	if p.identity == "" {
		// A leading zero byte distinguishes generated identities from those of clients.
		p.identity = "\x00" + rand.Text()
	}
	identity := []byte(p.identity)
	r.enter(p)
	defer r.leave(p)
	p.settled.Store(!r.signs)
	select {
	case <-r.authenticating:
	case <-r.done:
		return
	}
	for {
		frames, err := p.read()
		if err != nil {
			return
		}
		refused := r.check != nil && r.check(frames) != nil
		p.limits.budget.release(p)
		if refused {
			continue
		}
		if r.check != nil && !p.trusted.Load() {
			r.trust(p)
		}
		select {
		case r.incoming <- append([][]byte{identity}, frames...):
		case <-r.done:
			return
		}
	}
}

// enter adds a peer to those with its identity, and sends the messages that wait for it.
func (r *router) enter(p *peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claims[p.identity] = append(r.claims[p.identity], p)
	r.sendKept(p.identity)
}

// trust records that a peer has sent a message with a valid signature.
func (r *router) trust(p *peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.trusted.Store(true)
	r.sendKept(p.identity)
}

// leave removes a peer that has ended.
func (r *router) leave(p *peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claims[p.identity] = slices.DeleteFunc(r.claims[p.identity], func(other *peer) bool { return other == p })
	if len(r.claims[p.identity]) == 0 {
		delete(r.claims, p.identity)
	}
}

// holder returns the peer that receives the messages to an identity, or nil. A client that
// reconnects under its old identity receives all further replies as soon as it has sent a message
// with a valid signature, because the old connection is usually one whose end has not been noticed.
// Without a signature it receives nothing while the old connection lives: identities can be read on
// iopub. The younger of two connections is the one that was accepted later, even if the handshake
// of the older one ends after it. The caller holds the lock.
func (r *router) holder(identity string) *peer {
	var holder *peer
	for _, p := range r.claims[identity] {
		younger := holder != nil && p.number > holder.number
		signed := !r.strangers() || p.trusted.Load()
		switch {
		case holder == nil:
			holder = p
		case r.strangers() && signed != holder.trusted.Load():
			if signed {
				holder = p
			}
		case signed == younger:
			holder = p
		}
	}
	return holder
}

// sendKept sends the messages that wait for an identity. The caller holds the lock.
func (r *router) sendKept(identity string) {
	p := r.holder(identity)
	r.kept = slices.DeleteFunc(r.kept, func(k kept) bool {
		if k.identity == identity && p != nil {
			p.send(k.packet)
		}
		return k.identity == identity && p != nil
	})
}

// Send sends the frames after the first one to the peer named by the first one. If that peer is
// gone, the message is dropped, which is not an error. The sender never waits, because one client
// that does not read would block the replies to all others. Instead its connection is closed when
// its backlog is too large; a single reply of any size is sent to a client that has read all
// earlier ones.
func (r *router) Send(frames [][]byte) error {
	select {
	case <-r.done:
		return ErrClosed
	default:
	}
	if len(frames) < 2 {
		return nil
	}
	m := encode(frames[1:])
	r.mu.Lock()
	p, most := r.holder(string(frames[0])), maxReplies
	if p == nil && r.keeps {
		r.kept = append(r.kept[max(len(r.kept)+1-mostKept, 0):], kept{m, string(frames[0])})
	}
	if p != nil && r.strangers() && !p.trusted.Load() {
		most = maxAnswers
	}
	r.mu.Unlock()
	if p == nil {
		return nil
	}
	if backlog := p.backlog(); backlog > 0 && backlog+m.size > most {
		p.close()
		return nil
	}
	p.send(m)
	return nil
}

// Receive waits for the next message of any peer.
func (r *router) Receive() ([][]byte, error) {
	select {
	case frames := <-r.incoming:
		return frames, nil
	case <-r.done:
		return nil, ErrClosed
	}
}

// close ends Receive and Send first, so that goroutines that forward messages end with them.
// Messages that have arrived and were not received are dropped.
func (r *router) close() {
	r.ending.Do(func() { close(r.done) })
	r.listener.close()
}
