package server

import (
	"encoding/json"
	"fmt"

	"gosphere/internal/kernel/protocol"
	"gosphere/internal/kernel/wire"
)

// Messages of comms wait for their turn among the cells of their shell, because what a cell
// registers must be there for the comm_open behind it. They have busy and idle and no reply;
// one that cannot be read is told about on stderr of its own parent.

func commOpen(s *Server, m *wire.Message) (any, error) {
	var open protocol.CommOpen
	if s.readComm(m, &open, "comm_id", "target_name") {
		open.Data, open.Attachment = orObject(open.Data), attachmentOf(m)
		s.Comms.TakeOpen(open, s.publisher(m))
	}
	return nil, nil
}

func commMessage(s *Server, m *wire.Message) (any, error) {
	var message protocol.CommMsg
	if s.readComm(m, &message, "comm_id") {
		message.Data, message.Attachment = orObject(message.Data), attachmentOf(m)
		s.Comms.TakeMessage(message, s.publisher(m))
	}
	return nil, nil
}

func commClose(s *Server, m *wire.Message) (any, error) {
	var end protocol.CommClose
	if s.readComm(m, &end, "comm_id") {
		end.Data, end.Attachment = orObject(end.Data), attachmentOf(m)
		s.Comms.TakeClose(end, s.publisher(m))
	}
	return nil, nil
}

// readComm decodes the content of a comm message.
func (s *Server) readComm(m *wire.Message, into any, required ...string) bool {
	err := m.DecodeContent(into, required...)
	if err != nil {
		s.publish(m, protocol.Stream{Name: "stderr", Text: err.Error() + "\n"})
	}
	return err == nil
}

func attachmentOf(m *wire.Message) protocol.Attachment {
	return protocol.Attachment{Metadata: m.Metadata, Buffers: m.Buffers}
}

func orObject(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// publisher returns the function that publishes on behalf of a message. Callbacks may keep it
// for hours; what was read of the message need not stay for them.
func (s *Server) publisher(m *wire.Message) func(protocol.Content) {
	m.Content, m.Metadata, m.Buffers = nil, nil, nil
	return func(content protocol.Content) { s.publish(m, content) }
}

func commInfo(s *Server, m *wire.Message) (any, error) {
	var request protocol.CommInfoRequest
	if err := m.DecodeContent(&request); err != nil {
		return nil, err
	}
	return protocol.CommInfoReply{Status: protocol.OK, Comms: s.Comms.Info(request.TargetName)}, nil
}

// attached returns what content brings along besides itself. Metadata that is no object would
// break the message for everybody, so that it is an error.
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
