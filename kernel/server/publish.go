package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/kernel/wire"
)

// Streams are joined to messages of about this size or age. Larger messages make a million
// printed lines cheap, the age keeps live output live.
const (
	joinedSize = 8 << 10
	joinedAge  = 20 * time.Millisecond
)

// newID returns a random identifier.
func newID() string {
	var raw [16]byte
	rand.Read(raw[:])
	return hex.EncodeToString(raw[:])
}

// message builds a message with the given parent.
func (s *Server) message(parent *wire.Message, kind string, content any) (*wire.Message, error) {
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("server: content of %s: %w", kind, err)
	}
	m := &wire.Message{Content: raw, Header: protocol.Header{
		MsgID: fmt.Sprintf("%s_%d", s.session, s.messages.Add(1)), Session: s.session, Username: "gosphere",
		Date: now().UTC().Format(protocol.DateFormat), MsgType: kind, Version: protocol.Version,
	}}
	if parent != nil {
		m.Parent = parent.RawHeader
	}
	return m, nil
}

// publish sends an output of a request on iopub. Text of streams waits for a moment, so that
// small writes travel together; everything else takes the waiting text of its request along.
func (s *Server) publish(parent *wire.Message, content protocol.Content) {
	if stream, ok := content.(protocol.Stream); ok {
		s.streams.add(parent, stream)
		return
	}
	s.streams.flush(parent)
	s.enqueue(parent, content)
}

// enqueue hands a message to the goroutine that owns iopub.
func (s *Server) enqueue(parent *wire.Message, content protocol.Content) {
	m, err := s.message(parent, content.MessageType(), content)
	if err != nil {
		// A value that JSON cannot hold came from a display call; the text says which.
		m, err = s.message(parent, "stream", protocol.Stream{Name: "stderr", Text: err.Error() + "\n"})
		if err != nil {
			return
		}
	}
	m.Identities = [][]byte{[]byte("kernel." + s.session + "." + m.Header.MsgType)}
	frames, err := s.Codec.Encode(m)
	if err != nil {
		return
	}
	select {
	case s.publications <- frames:
	case <-s.done:
		select { // closing: what still fits is sent
		case s.publications <- frames:
		default:
		}
	}
}

// reply answers a request on the socket that it came from.
func (s *Server) reply(parent *wire.Message, out chan<- [][]byte, content any) {
	kind := strings.TrimSuffix(parent.Header.MsgType, "_request") + "_reply"
	m, err := s.message(parent, kind, content)
	if err != nil {
		m, err = s.message(parent, kind, errorReply(err))
		if err != nil {
			return
		}
	}
	m.Identities = parent.Identities
	m.Header.SubshellID = parent.Header.SubshellID
	frames, err := s.Codec.Encode(m)
	if err != nil {
		return
	}
	select {
	case out <- frames:
	case <-s.done:
		select {
		case out <- frames:
		default:
		}
	}
}

// streams joins small writes of each request to larger messages.
type streams struct {
	send func(*wire.Message, protocol.Content)

	mu      sync.Mutex // guards waiting
	waiting map[*wire.Message]*joined
	wake    chan struct{}
}

// joined is the text of one request that waits to be sent. Its lock keeps the order of the
// messages of one request while sending blocks.
type joined struct {
	mu   sync.Mutex
	name string
	text strings.Builder
	gone bool // forgotten by round; a writer that still holds it must ask again
}

func newStreams(send func(*wire.Message, protocol.Content)) *streams {
	return &streams{send: send, waiting: map[*wire.Message]*joined{}, wake: make(chan struct{}, 1)}
}

// of returns the waiting text of a request.
func (w *streams) of(parent *wire.Message) *joined {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.waiting[parent]
	if j == nil {
		j = &joined{}
		w.waiting[parent] = j
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	return j
}

// add appends text; it is sent when enough has come together or a moment has passed.
func (w *streams) add(parent *wire.Message, stream protocol.Stream) {
	if stream.Text == "" {
		return
	}
	j := w.of(parent)
	j.mu.Lock()
	for j.gone {
		j.mu.Unlock()
		j = w.of(parent)
		j.mu.Lock()
	}
	defer j.mu.Unlock()
	if j.name != stream.Name {
		w.sendLocked(parent, j)
		j.name = stream.Name
	}
	j.text.WriteString(stream.Text)
	if j.text.Len() >= joinedSize {
		w.sendLocked(parent, j)
	}
}

// sendLocked sends what has been joined. The caller holds j.mu.
func (w *streams) sendLocked(parent *wire.Message, j *joined) {
	if j.text.Len() == 0 {
		return
	}
	w.send(parent, protocol.Stream{Name: j.name, Text: j.text.String()})
	j.text.Reset()
}

// flush sends the waiting text of one request.
func (w *streams) flush(parent *wire.Message) {
	w.mu.Lock()
	j := w.waiting[parent]
	w.mu.Unlock()
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	w.sendLocked(parent, j)
}

// run sends waiting text when it has waited long enough. Requests whose text was sent are
// forgotten after one quiet round, so that the table stays small.
func (w *streams) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		for w.round() {
			select {
			case <-ctx.Done():
				return
			case <-time.After(joinedAge):
			}
		}
	}
}

// round sends what waits and reports whether any request still has an entry.
func (w *streams) round() bool {
	w.mu.Lock()
	parents := make([]*wire.Message, 0, len(w.waiting))
	for parent := range w.waiting {
		parents = append(parents, parent)
	}
	w.mu.Unlock()
	for _, parent := range parents {
		w.mu.Lock()
		j := w.waiting[parent]
		w.mu.Unlock()
		if j == nil || !j.mu.TryLock() {
			continue // somebody is sending this very text
		}
		if j.text.Len() > 0 {
			w.sendLocked(parent, j)
		} else {
			w.mu.Lock()
			delete(w.waiting, parent)
			w.mu.Unlock()
			j.gone = true
		}
		j.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting) > 0
}
