package socket

import (
	"bytes"
	"net"
	"sync"
)

// maxBacklog is how many bytes may wait for one subscriber before Send waits for it. A cell
// that prints faster than its clients read is slowed down instead of filling the memory; a
// subscriber that reads nothing at all is cut off after the patience of its connection.
const maxBacklog = 256 << 10

// maxTopics is how many subscriptions one peer may have.
const maxTopics = 100

// A Subscription is a wish of a client that has just connected. Nothing is published to it
// before Accept.
type Subscription struct {
	Topic  []byte
	accept func(first [][][]byte)
}

// Accept lets the subscriber have what is published from now on, after the messages given,
// which nobody else gets.
func (s Subscription) Accept(first ...[][]byte) { s.accept(first) }

// publisher is an XPUB socket.
type publisher struct {
	*listener
	done   chan struct{}
	ending sync.Once

	mu      sync.Mutex // guards the fields below
	topics  map[*peer][][]byte
	handler func(Subscription)
	early   []Subscription // that came before there was a handler
}

func newPublisher(network net.Listener) *publisher {
	p := &publisher{
		listener: newListener(network, "XPUB", "SUB", "XSUB"), done: make(chan struct{}), topics: map[*peer][][]byte{},
	}
	p.serve = p.receiveFrom
	// Owns the listener; ends when it is closed.
	go p.accept()
	return p
}

// subscribed sets who decides about subscriptions, beginning with those that wait.
func (p *publisher) subscribed(handler func(Subscription)) {
	p.mu.Lock()
	p.handler = handler
	early := p.early
	p.early = nil
	p.mu.Unlock()
	for _, s := range early {
		handler(s)
	}
}

// receiveFrom reads the subscriptions of one peer; everything else it sends is ignored.
func (p *publisher) receiveFrom(from *peer) {
	defer func() {
		p.mu.Lock()
		delete(p.topics, from)
		p.mu.Unlock()
	}()
	for {
		frames, err := from.read()
		if err != nil {
			return
		}
		if len(frames) != 1 || len(frames[0]) == 0 {
			continue
		}
		switch topic := frames[0][1:]; frames[0][0] {
		case 1:
			p.subscribe(from, topic)
		case 0:
			p.unsubscribe(from, topic)
		}
	}
}

// subscribe offers a subscription to the handler, or keeps it until there is one.
func (p *publisher) subscribe(from *peer, topic []byte) {
	s := Subscription{Topic: topic, accept: func(first [][][]byte) { p.add(from, topic, first) }}
	p.mu.Lock()
	handler := p.handler
	if handler == nil {
		if len(p.early) < maxPeers {
			p.early = append(p.early, s)
		}
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	handler(s)
}

// add sends the first messages and begins the subscription.
func (p *publisher) add(to *peer, topic []byte, first [][][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.topics[to]) >= maxTopics {
		return
	}
	for _, frames := range first {
		pieces, size := encode(frames)
		if !to.send(pieces, size) {
			return
		}
	}
	p.topics[to] = append(p.topics[to], topic)
}

func (p *publisher) unsubscribe(from *peer, topic []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, t := range p.topics[from] {
		if bytes.Equal(t, topic) {
			p.topics[from] = append(p.topics[from][:i:i], p.topics[from][i+1:]...)
			return
		}
	}
}

// Send publishes frames to the peers that subscribed to a beginning of the first one.
func (p *publisher) Send(frames [][]byte) error {
	select {
	case <-p.done:
		return ErrClosed
	default:
	}
	if len(frames) == 0 {
		return nil
	}
	// The lock is not held while a slow subscriber is waited for.
	p.mu.Lock()
	var to []*peer
	for subscriber, topics := range p.topics {
		for _, topic := range topics {
			if bytes.HasPrefix(frames[0], topic) {
				to = append(to, subscriber)
				break
			}
		}
	}
	p.mu.Unlock()
	if len(to) == 0 {
		return nil
	}
	pieces, size := encode(frames)
	for _, subscriber := range to {
		subscriber.sendWithin(maxBacklog, pieces, size)
	}
	return nil
}

// Receive waits until the socket is closed: subscribers say nothing but what they want.
func (p *publisher) Receive() ([][]byte, error) {
	<-p.done
	return nil, ErrClosed
}

func (p *publisher) close() {
	p.ending.Do(func() { close(p.done) })
	p.listener.close()
}
