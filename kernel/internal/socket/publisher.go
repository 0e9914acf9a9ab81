package socket

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// A cell that prints faster than its clients read is slowed down instead of filling the memory:
// Send waits while a subscriber has more than maxBacklog bytes queued. Any process that can reach
// the port may subscribe, so the waiting has a limit. A subscriber may be waited for as long as it
// reads fairRate. Further waiting is taken from an allowance of the socket, which is as long as
// allowanceSize and grows back at a tenth of the time. When it is used up, slow subscribers lag:
// they are not waited for until their queues exceed maxLag. Then a subscriber is disconnected that
// has not read fairRate since it lags; the first seconds, allowanceSize, do not count, because a
// client on a busy machine may pause. A subscriber that reads nothing is disconnected after the
// patience of its connection.
//
// All subscribers together therefore delay the cells of others by a tenth of the time and by
// allowanceSize for each maxLag bytes of output, unless they read at fairRate.
const (
	maxBacklog    = 256 << 10       // bytes
	maxLag        = 32 << 20        // bytes; subscribers share the queued messages
	fairRate      = 1 << 20         // bytes per second
	allowanceSize = 2 * time.Second // of waiting
	regrowth      = 10              // seconds in which the allowance grows by one second
	waitingStep   = 20 * time.Millisecond
	hurried       = 1 << 20 // bytes that are sent without waiting after an interrupt
)

// Limits on the subscriptions of one peer. A client of Jupyter has one: all messages.
const (
	maxTopics = 100
	maxTopic  = 1 << 10 // bytes of one topic
)

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
	// allowance is how long slow subscribers may still be waited for, at the time counted.
	allowance time.Duration
	counted   time.Time
	hurry     int // bytes that are still sent without waiting
}

func newPublisher(network net.Listener, limits limitation) *publisher {
	limits.bytes = 1 + maxTopic
	p := &publisher{
		listener: newListener(network, limits, "XPUB", "SUB", "XSUB"), done: make(chan struct{}), topics: map[*peer][][]byte{},
		allowance: allowanceSize, counted: time.Now(),
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
		from.limits.budget.release(from)
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
	// A peer that subscribes again and again does not read the welcomes.
	if len(p.topics[to]) == 0 && to.backlog() > maxAnswers+maxBacklog {
		to.close()
		return
	}
	for _, frames := range first {
		if !to.send(encode(frames)) {
			return
		}
	}
	p.topics[to] = append(p.topics[to], topic)
	to.settled.Store(true)
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
// with several matching topics receives one copy.
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
	m := encode(frames)
	for _, subscriber := range to {
		p.await(subscriber, m.size)
		subscriber.send(m)
	}
	return nil
}

// await waits for a subscriber before a message of a size is sent to it, if it may be waited for,
// and disconnects it if it lags too far. An interrupt ends the waiting.
func (p *publisher) await(subscriber *peer, size int) {
	began, charged, start := time.Now(), time.Duration(0), subscriber.taken()
	for !p.hurries(0) && subscriber.waitStep(maxBacklog-1, false) {
		free := time.Duration(subscriber.taken()-start) * time.Second / fairRate
		if cost := time.Since(began) - free; cost > charged {
			if p.spend(cost-charged) <= 0 {
				subscriber.lag()
			}
			charged = cost
		}
	}
	// One message of any size is accepted by a subscriber that has read all others.
	for !p.hurries(0) && subscriber.waitStep(max(maxLag-size, 0), true) {
		since, written := subscriber.lags()
		free := time.Duration(written) * time.Second / fairRate
		if time.Since(since) > allowanceSize+free {
			subscriber.close()
		}
	}
	p.hurries(size)
}

// hurries reports whether messages are sent without waiting because of an interrupt, and counts a
// message of a size.
func (p *publisher) hurries(size int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hurry -= min(size, p.hurry)
	return p.hurry > 0
}

// spend takes a time from the allowance and returns what is left.
func (p *publisher) spend(cost time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.allowance = min(p.allowance+now.Sub(p.counted)/regrowth, allowanceSize) - cost
	p.counted = now
	return p.allowance
}

// interrupted ends the waiting for slow subscribers: what a cell has printed before an interrupt
// must not delay its end. Subscribers receive it as fast as they read.
func (p *publisher) interrupted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hurry = hurried
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
