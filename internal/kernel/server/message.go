package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"gosphere/internal/kernel/protocol"
	"gosphere/internal/kernel/socket"
	"gosphere/internal/kernel/wire"
)

// A stamp identifies a message: its number and its time.
type stamp struct {
	number uint64
	time   time.Time
}

func (s *Server) stamp() stamp { return stamp{s.messages.Add(1), now()} }

// header returns the header of a message of this server.
func (s *Server) header(kind string, at stamp) protocol.Header {
	return protocol.Header{
		MsgID: fmt.Sprintf("%s_%d", s.session, at.number), Session: s.session, Username: "gosphere",
		Date: at.time.UTC().Format(protocol.DateFormat), MsgType: kind, Version: protocol.Version,
	}
}

// encodeContent returns content as JSON without escaping < and >, which are frequent in output.
func encodeContent(kind string, content any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		return nil, fmt.Errorf("content of %s: %w", kind, err)
	}
	return bytes.TrimRight(text.Bytes(), "\n"), nil
}

// publish sends an output of a request on iopub. It may be called from any goroutine. It blocks
// while the backlog exceeds the limit.
func (s *Server) publish(parent *wire.Message, content protocol.Content) {
	if stream, ok := content.(protocol.Stream); ok {
		if stream.Text != "" {
			s.outbox.stream(parent, stream)
		}
		return
	}
	raw, err := encodeContent(content.MessageType(), content)
	attachment, wrong := attached(content)
	if err = errors.Join(err, wrong); err != nil {
		// A value that cannot be encoded as JSON came from a display call, which the text names.
		s.outbox.stream(parent, protocol.Stream{Name: "stderr", Text: err.Error() + "\n"})
		return
	}
	s.outbox.content(&publication{parent: parent, kind: content.MessageType(), content: raw, attachment: attachment})
}

// frames encodes a message for iopub.
func (s *Server) frames(p *publication) ([][]byte, error) {
	m := &wire.Message{Header: s.header(p.kind, p.stamp), Content: p.content, Metadata: p.attachment.Metadata, Buffers: p.attachment.Buffers}
	m.Identities = [][]byte{[]byte("kernel." + s.session + "." + p.kind)}
	if p.parent != nil {
		m.Parent = p.parent.RawHeader
	}
	return s.Codec.Encode(m)
}

// sendPublication encodes and sends a publication of the outbox. Only the outbox calls it.
func (s *Server) sendPublication(p *publication) {
	frames, err := s.frames(p)
	if err != nil {
		return // the parts were encoded before, so this is not caused by the cell
	}
	s.welcoming.Lock()
	defer s.welcoming.Unlock()
	if p.kind == "status" {
		s.status = frames
	}
	s.Sockets.IOPub.Send(frames)
}

// welcome starts the subscription of a client with an iopub_welcome, after which no message is
// missed. The first client also receives the status "starting" and the latest status. A kernel that
// starts in milliseconds has published them, and perhaps served requests, before any client
// subscribes, and a front end that receives neither shows the state Unknown until the next cell.
func (s *Server) welcome(subscription socket.Subscription) {
	s.welcoming.Lock()
	defer s.welcoming.Unlock()
	var first [][][]byte
	add := func(content protocol.Content, topic []byte) {
		raw, err := encodeContent(content.MessageType(), content)
		if err != nil {
			return
		}
		if frames, err := s.frames(&publication{kind: content.MessageType(), content: raw}); err == nil {
			if topic != nil {
				frames[0] = topic
			}
			first = append(first, frames)
		}
	}
	if welcome := (protocol.IopubWelcome{Subscription: string(subscription.Topic)}); utf8.Valid(subscription.Topic) {
		add(welcome, subscription.Topic)
	}
	if !s.started {
		s.started = true
		add(protocol.Status{ExecutionState: protocol.Starting}, nil)
		if s.status != nil {
			first = append(first, s.status)
		}
	}
	subscription.Accept(first...)
}

// reply answers a request on its socket.
func (s *Server) reply(parent *wire.Message, to socket.Socket, content any, began time.Time) {
	kind := strings.TrimSuffix(parent.Header.MsgType, "_request") + "_reply"
	raw, err := encodeContent(kind, content)
	if err != nil {
		if raw, err = encodeContent(kind, errorReply(err)); err != nil {
			return
		}
	}
	m := &wire.Message{Header: s.header(kind, s.stamp()), Identities: parent.Identities, Parent: parent.RawHeader, Content: raw}
	m.Header.SubshellID = parent.Header.SubshellID
	// JupyterLab takes the start time of a cell from here.
	m.Metadata = json.RawMessage(`{"started":"` + began.UTC().Format(protocol.DateFormat) + `"}`)
	frames, err := s.Codec.Encode(m)
	if err != nil {
		return
	}
	to.Send(frames)
}

// refusals counts messages that could not be read, by reason.
type refusals struct {
	mu     sync.Mutex // guards counts
	counts map[string]int
}

// maxReasons bounds the table of refusals, because reasons can contain text of the sender.
const maxReasons = 100

// refuse answers an invalid message if its sender is known and has the key. It counts all others
// and logs the first of each kind.
func (s *Server) refuse(from socket.Socket, m *wire.Message, err error) {
	trusted := m != nil && m.Header.MsgType != "" && !errors.Is(err, wire.ErrSignature) && !errors.Is(err, wire.ErrReplay)
	if trusted && strings.HasSuffix(m.Header.MsgType, "_request") {
		s.handle(m, from, func(*Server, *wire.Message) (any, error) { return nil, err })
	}
	reason := err.Error()
	s.refusals.mu.Lock()
	defer s.refusals.mu.Unlock()
	if s.refusals.counts == nil {
		s.refusals.counts = map[string]int{}
	}
	if _, known := s.refusals.counts[reason]; !known && len(s.refusals.counts) >= maxReasons {
		reason = "other reasons"
	}
	s.refusals.counts[reason]++
	if s.refusals.counts[reason] == 1 && s.Log != nil {
		fmt.Fprintf(s.Log, "gosphere: ignored a message: %s (further ones are counted only)\n", reason)
	}
}
