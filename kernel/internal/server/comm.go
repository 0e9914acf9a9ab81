package server

import (
	"encoding/json"
	"fmt"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// Messages of comms are queued with the cells of their shell, because a cell may register the
// target of the comm_open that follows it. They have busy and idle but no reply. An invalid one is
// reported on stderr, with the message as its parent.

// commOpen serves a comm_open. The handler of the target runs on the executor of the shell, so it
// is never concurrent with a cell of that shell.
func commOpen(s *Server, m *wire.Message) (any, error) {
	var open protocol.CommOpen
	if s.readComm(m, &open, "comm_id", "target_name") {
		open.Data, open.Attachment = orObject(open.Data), attachmentOf(m)
		s.Comms.TakeOpen(open, s.publisher(m))
	}
	return nil, nil
}

// commMessage serves a comm_msg. A message to an unknown comm is ignored: the kernel may just have
// closed the comm.
func commMessage(s *Server, m *wire.Message) (any, error) {
	var message protocol.CommMsg
	if s.readComm(m, &message, "comm_id") {
		message.Data, message.Attachment = orObject(message.Data), attachmentOf(m)
		s.Comms.TakeMessage(message, s.publisher(m))
	}
	return nil, nil
}

// commClose serves a comm_close.
func commClose(s *Server, m *wire.Message) (any, error) {
	var end protocol.CommClose
	if s.readComm(m, &end, "comm_id") {
		end.Data, end.Attachment = orObject(end.Data), attachmentOf(m)
		s.Comms.TakeClose(end, s.publisher(m))
	}
	return nil, nil
}

// readComm decodes the content of a comm message. It reports whether it succeeded. Stderr is the
// only way to report an error, because comm messages have no reply.
func (s *Server) readComm(m *wire.Message, into any, required ...string) bool {
	err := m.DecodeContent(into, required...)
	if err != nil {
		s.publish(m, protocol.Stream{Name: "stderr", Text: err.Error() + "\n"})
	}
	return err == nil
}

// attachmentOf returns the parts of a message that a comm may use besides its content.
func attachmentOf(m *wire.Message) protocol.Attachment {
	return protocol.Attachment{Metadata: m.Metadata, Buffers: m.Buffers}
}

// orObject returns raw, or an empty object for absent data, so that handlers can decode it.
func orObject(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// publisher returns the function that publishes on behalf of a message. Callbacks may keep it for
// hours, so it does not retain the content of the message. For the parent header only the header is
// needed.
func (s *Server) publisher(m *wire.Message) func(protocol.Content) {
	m.Content, m.Metadata, m.Buffers = nil, nil, nil
	return func(content protocol.Content) { s.publish(m, content) }
}

// commInfo answers a comm_info_request. An empty target name selects all comms.
func commInfo(s *Server, m *wire.Message) (any, error) {
	var request protocol.CommInfoRequest
	if err := m.DecodeContent(&request); err != nil {
		return nil, err
	}
	return protocol.CommInfoReply{Status: protocol.OK, Comms: s.Comms.Info(request.TargetName)}, nil
}

// attached returns the attachment of content. Metadata that is not an object is an error, because
// it would make the message invalid for every client.
func attached(content protocol.Content) (protocol.Attachment, error) {
	with, ok := content.(interface{ Attached() protocol.Attachment })
	if !ok {
		return protocol.Attachment{}, nil
	}
	a := with.Attached()
	var object map[string]json.RawMessage
	if len(a.Metadata) > 0 && json.Unmarshal(a.Metadata, &object) != nil {
		return a, fmt.Errorf("metadata of %s is no JSON object", content.MessageType())
	}
	return a, nil
}
