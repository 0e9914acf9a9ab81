package socket

import (
	"bytes"
	"net"
	"sync"
)

// maxBacklog is the number of queued bytes of one subscriber above which Send blocks. A cell that
// prints faster than its clients read is slowed down instead of filling the memory. A subscriber
// that reads nothing is disconnected after the patience of its connection.
const maxBacklog = 256 << 10

// maxTopics is the maximum number of subscriptions of one peer. A client of Jupyter has one: all
// messages.
const maxTopics = 100

// A Subscription is a subscription of a client that has just connected. Nothing is published to it
// before Accept. The handler may keep it and accept it later, from any goroutine.
type Subscription struct {
	Topic  []byte
	accept func(first [][][]byte)
}

// Accept starts the subscription. The subscriber first receives the given messages, which are sent
// to no one else, and then everything published from now on.
func (s Subscription) Accept(first ...[][]byte) { s.accept(first) }

// A publisher is an XPUB socket. A PUB socket cannot report subscriptions, so it could not send the
// welcome of JEP 65; XPUB can.
type publisher struct {
	*listener
	done   chan struct{}
	ending sync.Once

	mu      sync.Mutex // guards the fields below
	topics  map[*peer][][]byte
	handler func(Subscription)
	early   []Subscription // those that arrived before a handler was set
}

func newPublisher(network net.Listener) *publisher {
	p := &publisher{
		listener: newListener(network, "XPUB", "SUB", "XSUB"), done: make(chan struct{}), topics: map[*peer][][]byte{},
	}
	p.serve = p.receiveFrom
	// This goroutine owns the listener. It ends when the listener is closed.
	go p.accept()
	return p
}

// subscribed sets the handler of subscriptions and calls it for those that wait. A subscription
// that arrives meanwhile finds the handler set, and may be passed to it before the early ones are.
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

// receiveFrom reads the subscriptions of one peer and ignores everything else that it sends. At its
// end the topics of the peer are removed, so Send does not meet closed connections for long. A
// subscription is a message of one frame: 1 and the topic, or 0 and the topic to end it (ZMTP 3.0).
func (p *publisher) receiveFrom(from *peer) {
	p.mu.Lock()
	p.topics[from] = nil
	p.mu.Unlock()
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

// subscribe passes a subscription to the handler, or keeps it until one is set. The handler is
// called without the lock, because it calls Accept, which takes it.
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

// add sends the first messages and starts the subscription. Both happen under one lock, so no
// publication is sent before the first messages or missed between them and the next one. send does
// not block, so neither do other subscribers. A peer that has left before its subscription was
// accepted has no entry in topics and gets none.
func (p *publisher) add(to *peer, topic []byte, first [][][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if topics, connected := p.topics[to]; !connected || len(topics) >= maxTopics {
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

// A topic may be subscribed to several times; only one is removed, as in ZeroMQ.
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

// Send publishes frames to the peers that subscribed to a prefix of the first frame. A subscriber
// with several matching topics receives one copy. The wait for slow subscribers has no limit of its
// own: the writer of a stalled one closes its connection after the patience, which wakes the
// sender.
func (p *publisher) Send(frames [][]byte) error {
	select {
	case <-p.done:
		return ErrClosed
	default:
	}
	if len(frames) == 0 {
		return nil
	}
	// The lock is not held while waiting for a slow subscriber.
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

// Receive blocks until the socket is closed, because subscribers send only subscriptions.
func (p *publisher) Receive() ([][]byte, error) {
	<-p.done
	return nil, ErrClosed
}

// close ends Receive and Send, and then closes the connections.
func (p *publisher) close() {
	p.ending.Do(func() { close(p.done) })
	p.listener.close()
}
