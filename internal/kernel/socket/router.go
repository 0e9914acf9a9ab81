package socket

import (
	"crypto/rand"
	"net"
	"slices"
	"sync"
)

// maxReplies is the maximum number of queued bytes of replies to one client. A client that sends
// requests but never reads is disconnected.
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

	mu     sync.Mutex // guards the fields below
	routes map[string]*peer
	kept   []kept // oldest first
}

// A kept message waits for its client.
type kept struct {
	identity string
	pieces   [][]byte
	size     int
}

// mostKept is the maximum number of waiting messages. The oldest is dropped first. There is at most
// one question at a time, so this many clients would have to vanish.
const mostKept = 16

// A REQ is accepted because the heartbeat of jupyter_client is one. It sends an empty delimiter
// frame first, which is echoed like any other.
func newRouter(network net.Listener) *router {
	r := &router{
		listener: newListener(network, "ROUTER", "DEALER", "REQ", "ROUTER"),
		incoming: make(chan [][]byte, 16), done: make(chan struct{}), routes: map[string]*peer{},
	}
	r.serve = r.receiveFrom
	// This goroutine owns the listener. It ends when the listener is closed.
	go r.accept()
	return r
}

// receiveFrom forwards the messages of one peer. It is the serve of the listener and runs on the
// goroutine of the connection. The identity is removed from the routes at the end unless a younger
// connection has taken it over.
func (r *router) receiveFrom(p *peer) {
	if p.identity == "" {
		// A leading zero byte distinguishes generated identities from those of clients.
		p.identity = "\x00" + rand.Text()
	}
	identity := []byte(p.identity)
	r.route(p)
	defer func() {
		r.mu.Lock()
		if r.routes[p.identity] == p {
			delete(r.routes, p.identity)
		}
		r.mu.Unlock()
	}()
	for {
		frames, err := p.read()
		if err != nil {
			return
		}
		select {
		case r.incoming <- append([][]byte{identity}, frames...):
		case <-r.done:
			return
		}
	}
}

// route maps the identity of a peer to it. A client that reconnects under its old identity receives
// all further replies, because the old connection is usually one whose end has not been noticed.
// The younger connection wins, even if the handshake of the older one ends after it.
func (r *router) route(p *peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.routes[p.identity]; other != nil && other.number > p.number {
		return
	}
	r.routes[p.identity] = p
	r.kept = slices.DeleteFunc(r.kept, func(k kept) bool {
		if k.identity == p.identity {
			p.send(k.pieces, k.size)
		}
		return k.identity == p.identity
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
	pieces, size := encode(frames[1:])
	r.mu.Lock()
	p := r.routes[string(frames[0])]
	if p == nil && r.keeps {
		r.kept = append(r.kept[max(len(r.kept)+1-mostKept, 0):], kept{string(frames[0]), pieces, size})
	}
	r.mu.Unlock()
	if p == nil {
		return nil
	}
	if backlog := p.backlog(); backlog > 0 && backlog+size > maxReplies {
		p.close()
		return nil
	}
	p.send(pieces, size)
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
