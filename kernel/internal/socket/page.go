package socket

import (
	"fmt"
	"sync"
)

// pageIdentity is the routing identity of the page.
var pageIdentity = []byte("page")

// A Page is the only client of a kernel that runs in a web page. Messages are passed to functions
// instead of connections, so nothing here needs a network.
type Page struct {
	channels map[string]*pageSocket
}

// NewPage returns the sockets of a kernel whose client is a page, and the client. send is called
// with the name of a channel (shell, control, stdin or iopub) and a message without routing
// identity. It must not block, and calls of it may overlap.
func NewPage(send func(channel string, frames [][]byte)) (*Sockets, *Page) {
	p := &Page{channels: map[string]*pageSocket{}}
	open := func(name string, identified bool) *pageSocket {
		s := &pageSocket{name: name, identified: identified, send: send, arrived: make(chan struct{}, 1), done: make(chan struct{})}
		p.channels[name] = s
		return s
	}
	shell, control, stdin := open("shell", true), open("control", true), open("stdin", true)
	iopub, heartbeat := open("iopub", false), open("heartbeat", true)
	return &Sockets{
		Shell: shell, Control: control, Stdin: stdin, IOPub: iopub, Heartbeat: heartbeat,
		// The page receives everything from the beginning, as if it had subscribed to all topics.
		subscribed: func(accept func(Subscription)) {
			accept(Subscription{accept: func(first [][][]byte) {
				for _, frames := range first {
					iopub.Send(frames)
				}
			}})
		},
		close: func() {
			for _, s := range p.channels {
				close(s.done)
			}
		},
	}, p
}

// Deliver queues a message of the page, without routing identity, on a channel. It does not block.
func (p *Page) Deliver(channel string, frames [][]byte) error {
	s := p.channels[channel]
	if s == nil || !s.identified {
		return fmt.Errorf("socket: a page cannot send on channel %q", channel)
	}
	s.mu.Lock()
	s.waiting = append(s.waiting, append([][]byte{pageIdentity}, frames...))
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	return nil
}

// A pageSocket is one channel of a page.
type pageSocket struct {
	name       string
	identified bool // messages begin with a routing identity
	send       func(channel string, frames [][]byte)
	arrived    chan struct{} // has a token if messages may be waiting
	done       chan struct{} // closed when the sockets are closed

	mu      sync.Mutex // guards waiting
	waiting [][][]byte // messages of the page, oldest first
}

// Send passes a message to the page.
func (s *pageSocket) Send(frames [][]byte) error {
	select {
	case <-s.done:
		return ErrClosed
	default:
	}
	if s.identified {
		frames = frames[1:]
	}
	s.send(s.name, frames)
	return nil
}

// Receive waits for the next message of the page.
func (s *pageSocket) Receive() ([][]byte, error) {
	for {
		s.mu.Lock()
		if len(s.waiting) > 0 {
			frames := s.waiting[0]
			s.waiting = s.waiting[1:]
			s.mu.Unlock()
			return frames, nil
		}
		s.mu.Unlock()
		select {
		case <-s.arrived:
		case <-s.done:
			return nil, ErrClosed
		}
	}
}
