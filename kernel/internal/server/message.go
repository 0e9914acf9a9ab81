package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// A stamp identifies a message: its number and its time. It is taken when the message is queued, so
// the numbers on iopub rise, and the date is that of the event and not of the sending.
type stamp struct {
	number uint64
	time   time.Time
}

func (s *Server) stamp() stamp { return stamp{s.messages.Add(1), now()} }

// header returns the header of a message of this server. The id is the session and the number, as
// in ipykernel's messages.
func (s *Server) header(kind string, at stamp) protocol.Header {
	return protocol.Header{
		MsgID: fmt.Sprintf("%s_%d", s.session, at.number), Session: s.session, Username: s.Name,
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
// while the backlog exceeds the limit. Text is joined by the outbox and encoded when it is sent.
// All other content is encoded here, by the goroutine that publishes, so that an error can be
// reported in the output of its cell and later changes of a value do not change what is sent.
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

// frames encodes a message for iopub. Its first frame is the topic. Clients subscribe to all
// topics, so it only informs people who look at the traffic. A message without a parent has an
// empty parent header.
func (s *Server) frames(p *publication) ([][]byte, error) {
	m := &wire.Message{Header: s.header(p.kind, p.stamp), Content: p.content, Metadata: p.attachment.Metadata, Buffers: p.attachment.Buffers}
	m.Identities = [][]byte{[]byte("kernel." + s.session + "." + p.kind)}
	if p.parent != nil {
		m.Parent = p.parent.RawHeader
	}
	return s.Codec.Encode(m)
}

// sendPublication encodes and sends a publication of the outbox. Only the outbox calls it. The lock
// makes the latest status and the set of subscribers agree, see welcome. It is held while a slow
// subscriber is waited for, which delays new subscriptions but no request.
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
// The lock is held until the subscription has been accepted. Otherwise a publication sent meanwhile
// would reach the client before its welcome, or a status would reach it twice or never.
//
// A message of the protocol names its topic in the first frame; that of the welcome is the topic
// subscribed to, so that it passes the client's own filter. JEP 65 omits the welcome for topics
// that are not UTF-8, which JSON cannot represent.
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
		close(s.subscribed)
		add(protocol.Status{ExecutionState: protocol.Starting}, nil)
		if s.status != nil {
			first = append(first, s.status)
		}
	}
	subscription.Accept(first...)
}

// firstSubscription is how long the first cell waits for a client to subscribe to iopub. It is a
// variable, because many tests have no such client.
var firstSubscription = time.Second

// awaitSubscriber waits until a client has subscribed to iopub, at most once and not for long. A
// client may send its first cell before its subscription arrives on another connection: jupyter
// console does on a busy machine, because it waits only for the reply to its kernel_info_request.
// The outputs of that cell would be lost. A client without iopub waits once.
func (s *Server) awaitSubscriber(ctx context.Context) {
	s.awaited.Do(func() {
		timeout := time.NewTimer(firstSubscription)
		defer timeout.Stop()
		select {
		case <-s.subscribed:
		case <-timeout.C:
		case <-ctx.Done():
		}
	})
}

// reply answers a request on its socket. began is the time at which the handler was called. Content
// that cannot be encoded becomes an error reply, because a client waits for a reply without a time
// limit. A peer that is gone is no error: the socket drops the message.
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

// refuse answers an invalid message of a client with the key if it is a request, counts it, and
// logs the first of each kind. m is nil if not even a header could be read. A message without a
// valid signature does not get here: it is never answered, because the answer would be published to
// all clients as a status.
func (s *Server) refuse(from socket.Socket, m *wire.Message, err error) {
	if m != nil && strings.HasSuffix(m.Header.MsgType, "_request") {
		s.handle(m, from, func(*Server, *wire.Message) (any, error) { return nil, err })
	}
	s.refusals.count(err, s.Log, s.Name)
}

// count counts a message by the reason for which it was refused, and logs the first of each.
func (r *refusals) count(err error, log io.Writer, name string) {
	reason := err.Error()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	if _, known := r.counts[reason]; !known && len(r.counts) >= maxReasons {
		reason = "other reasons"
	}
	r.counts[reason]++
	if r.counts[reason] == 1 && log != nil {
		fmt.Fprintf(log, "%s: ignored a message: %s (further ones are counted only)\n", name, reason)
	}
}
