package socket

import (
	"crypto/rand"
	"net"
	"slices"
	"sync"
)

// maxReplies is how many bytes of replies may wait for one client. One that asks and never
// reads is cut off.
const maxReplies = 64 << 20

// router is a ROUTER socket: messages carry the routing identity of their peer in front.
type router struct {
	*listener
	incoming chan [][]byte
	done     chan struct{}
	ending   sync.Once

	// keeps tells that messages for a client that is not there yet wait for it. Clients connect
	// their sockets one after another, so that a cell may ask a question before the socket for
	// questions is connected.
	keeps bool

	mu     sync.Mutex // guards what follows
	routes map[string]*peer
	kept   []kept // oldest first
}

// A kept message waits for its client.
type kept struct {
	identity string
	pieces   [][]byte
	size     int
}

// mostKept bounds the messages that wait: those for clients that never come push each other out.
const mostKept = 16

func newRouter(network net.Listener) *router {
	r := &router{
		listener: newListener(network, "ROUTER", "DEALER", "REQ", "ROUTER"),
		incoming: make(chan [][]byte, 16), done: make(chan struct{}), routes: map[string]*peer{},
	}
	r.serve = r.receiveFrom
	// Owns the listener; ends when it is closed.
	go r.accept()
	return r
}

// receiveFrom hands on the messages of one peer.
func (r *router) receiveFrom(p *peer) {
	if p.identity == "" {
		// A zero byte in front keeps made identities apart from given ones.
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

// route makes a peer the one that its identity names. A client that connects again under its old identity gets the replies
// from now on: the old connection is usually one whose end has not been noticed. The younger connection counts, even
// if the older one is introduced after it.
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

// Send sends the frames behind the first one to the peer that the first one names. A peer
// that has gone gets nothing; that is no error.
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

func (r *router) close() {
	r.ending.Do(func() { close(r.done) })
	r.listener.close()
}
