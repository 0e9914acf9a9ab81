package protocol

import "encoding/json"

// CommInfoRequest asks for the open comms, of one target if TargetName is set.
type CommInfoRequest struct {
	TargetName string `json:"target_name"`
}

// CommInfoReply answers a CommInfoRequest with target names by comm id.
type CommInfoReply struct {
	Status string              `json:"status"`
	Comms  map[string]CommInfo `json:"comms"`
}

// CommInfo is one open comm.
type CommInfo struct {
	TargetName string `json:"target_name"`
}

// Attachment is the part of a message outside its content: the metadata, a JSON object or nil for
// none, and binary buffers.
type Attachment struct {
	Metadata json.RawMessage
	Buffers  [][]byte
}

// Attached returns the attachment.
func (a Attachment) Attached() Attachment { return a }

// CommOpen opens a comm, in either direction. Data is a JSON value, usually an object.
type CommOpen struct {
	CommID     string          `json:"comm_id"`
	TargetName string          `json:"target_name"`
	Data       json.RawMessage `json:"data"`
	Attachment `json:"-"`
}

// CommMsg is a message over an open comm, in either direction.
type CommMsg struct {
	CommID     string          `json:"comm_id"`
	Data       json.RawMessage `json:"data"`
	Attachment `json:"-"`
}

// CommClose closes a comm, in either direction.
type CommClose struct {
	CommID     string          `json:"comm_id"`
	Data       json.RawMessage `json:"data"`
	Attachment `json:"-"`
}

// MessageType returns "comm_open".
func (CommOpen) MessageType() string { return "comm_open" }

// MessageType returns "comm_msg".
func (CommMsg) MessageType() string { return "comm_msg" }

// MessageType returns "comm_close".
func (CommClose) MessageType() string { return "comm_close" }
