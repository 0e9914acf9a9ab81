// Package wire turns messages into the signed frames of the Jupyter protocol and back.
//
// Frames of one message, in order: routing identities, the delimiter <IDS|MSG>, the
// signature, header, parent header, metadata, content, raw buffers. The signature is an
// HMAC over the four JSON frames exactly as they were sent.
package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"gosphere/internal/kernel/protocol"
)

// Delimiter separates the routing identities from the message.
var Delimiter = []byte("<IDS|MSG>")

// Limits on what is accepted from outside.
const (
	maxFrames     = 1024
	maxJSONBytes  = 64 << 20 // of one JSON frame; larger cells are not typed by people. Depth: encoding/json's 10,000
	maxBuffers    = 1 << 30  // bytes of all raw buffers together
	replayHistory = 1 << 16  // signatures remembered, as many as ipykernel keeps
)

// A Message is one message of the protocol. Parent, Metadata and Content are JSON objects
// as they were received.
type Message struct {
	Identities [][]byte
	Header     protocol.Header
	RawHeader  json.RawMessage // the header's bytes, copied into the parent header of replies
	Parent     json.RawMessage
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte
}

// Errors that tell why frames were refused.
var (
	ErrSignature = errors.New("wire: wrong signature")
	ErrReplay    = errors.New("wire: message was received before")
)

// A Codec encodes and decodes messages with one key. It is safe for concurrent use.
type Codec struct {
	key []byte

	mu   sync.Mutex // guards seen and order
	seen map[mark]struct{}
	// order holds the marks of seen, oldest first from next on.
	order []mark
	next  int
}

// A mark is the beginning of a signature. Nobody without the key can choose it, and a new
// message has that of one of the remembered once in 10^14.
type mark [8]byte

// NewCodec returns a codec for a connection file's scheme and key. An empty key turns
// signing off; then the scheme is not looked at.
func NewCodec(scheme, key string) (*Codec, error) {
	if key != "" && scheme != "hmac-sha256" {
		return nil, fmt.Errorf("wire: signature scheme %q is not supported, want hmac-sha256", scheme)
	}
	return &Codec{key: []byte(key), seen: map[mark]struct{}{}}, nil
}

// sign returns the signature of four JSON frames in hexadecimal.
func (c *Codec) sign(frames [][]byte) []byte {
	if len(c.key) == 0 {
		return nil
	}
	mac := hmac.New(sha256.New, c.key)
	for _, frame := range frames {
		mac.Write(frame)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// Sign returns the signature of texts that are no message, nothing without a key.
func (c *Codec) Sign(texts ...[]byte) []byte { return c.sign(texts) }

// Verify compares the signature of texts that are no message.
func (c *Codec) Verify(signature []byte, texts ...[]byte) error {
	if len(c.key) > 0 && !hmac.Equal(signature, c.sign(texts)) {
		return ErrSignature
	}
	return nil
}

// Encode returns the frames of a message. Missing parts become empty objects.
func (c *Codec) Encode(m *Message) ([][]byte, error) {
	header, err := json.Marshal(m.Header)
	if err != nil {
		return nil, fmt.Errorf("wire: header of %s: %w", m.Header.MsgType, err)
	}
	parts := [][]byte{header, orEmpty(m.Parent), orEmpty(m.Metadata), orEmpty(m.Content)}
	frames := make([][]byte, 0, len(m.Identities)+6+len(m.Buffers))
	frames = append(frames, m.Identities...)
	frames = append(frames, Delimiter, c.sign(parts))
	frames = append(frames, parts...)
	return append(frames, m.Buffers...), nil
}

func orEmpty(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}

// Decode checks frames and returns their message. If the header names the message and something
// else is wrong with it or with the parts behind it, the message comes with the error, so that its
// sender, who has the key, can be told.
func (c *Codec) Decode(frames [][]byte) (*Message, error) {
	if len(frames) > maxFrames {
		return nil, fmt.Errorf("wire: %d frames, at most %d are accepted", len(frames), maxFrames)
	}
	at := -1
	for i, frame := range frames {
		if bytes.Equal(frame, Delimiter) {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("wire: no delimiter %s in %d frames", Delimiter, len(frames))
	}
	m := &Message{Identities: frames[:at]}
	rest := frames[at+1:]
	if len(rest) < 5 {
		return nil, fmt.Errorf("wire: %d frames behind the delimiter, want at least 5", len(rest))
	}
	signature, parts := rest[0], rest[1:5]
	if err := c.verify(signature, parts); err != nil {
		return nil, err
	}
	m.Parent, m.Metadata, m.Content, m.Buffers = parts[1], parts[2], parts[3], rest[5:]
	m.RawHeader = parts[0]
	err := decodeObject("header", parts[0], &m.Header)
	switch nameless := m.Header.MsgType == "" || m.Header.MsgID == ""; {
	case nameless && err != nil:
		return nil, err
	case nameless:
		return nil, fmt.Errorf("wire: header without msg_type or msg_id")
	case err != nil:
		return m, err
	}
	return m, m.checkParts()
}

// verify compares the signature and refuses messages that were received before.
func (c *Codec) verify(signature []byte, parts [][]byte) error {
	if len(c.key) == 0 {
		return nil
	}
	if !hmac.Equal(signature, c.sign(parts)) {
		return ErrSignature
	}
	var m mark
	if _, err := hex.Decode(m[:], signature[:2*len(m)]); err != nil {
		return ErrSignature // not reached: it equals one that was made here
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again := c.seen[m]; again {
		return ErrReplay
	}
	c.seen[m] = struct{}{}
	if len(c.order) < replayHistory {
		c.order = append(c.order, m)
		return nil
	}
	delete(c.seen, c.order[c.next])
	c.order[c.next] = m
	c.next = (c.next + 1) % replayHistory
	return nil
}

// checkParts refuses parts that are no JSON objects.
func (m *Message) checkParts() error {
	total := 0
	for _, buffer := range m.Buffers {
		total += len(buffer)
	}
	if total > maxBuffers {
		return fmt.Errorf("wire: buffers of %d bytes, at most %d are accepted", total, maxBuffers)
	}
	for _, part := range []struct {
		name string
		raw  []byte
	}{{"parent header", m.Parent}, {"metadata", m.Metadata}, {"content", m.Content}} {
		var object map[string]json.RawMessage
		if err := decodeObject(part.name, part.raw, &object); err != nil {
			return err
		}
	}
	return nil
}

// ParentID returns the message id in the parent header, "" if there is none.
func (m *Message) ParentID() (string, error) {
	var parent struct {
		MsgID string `json:"msg_id"`
	}
	if err := json.Unmarshal(m.Parent, &parent); err != nil {
		return "", fmt.Errorf("wire: parent header: %w", err)
	}
	return parent.MsgID, nil
}

// DecodeContent reads the content into a struct; required names the fields that must be there.
func (m *Message) DecodeContent(into any, required ...string) error {
	if len(required) > 0 {
		var object map[string]json.RawMessage
		if err := decodeObject("content", m.Content, &object); err != nil {
			return err
		}
		for _, name := range required {
			if value, ok := object[name]; !ok || string(value) == "null" {
				return fmt.Errorf("%s without the field %q", m.Header.MsgType, name)
			}
		}
	}
	if err := json.Unmarshal(m.Content, into); err != nil {
		return fmt.Errorf("%s: %w", m.Header.MsgType, plain(err))
	}
	return nil
}

// plain says which field has the wrong type in words of the protocol instead of Go's.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		article := "a"
		if wrong.Value == "array" || wrong.Value == "object" {
			article = "an"
		}
		return fmt.Errorf("the field %q is %s %s, want %s", wrong.Field, article, wrong.Value, wrong.Type)
	}
	return err
}

// decodeObject decodes one JSON frame; the target decides about the types of the fields.
func decodeObject(name string, raw []byte, into any) error {
	switch {
	case len(raw) > maxJSONBytes:
		return fmt.Errorf("wire: %s of %d bytes, at most %d are accepted", name, len(raw), maxJSONBytes)
	case !utf8.Valid(raw):
		return fmt.Errorf("wire: %s is not valid UTF-8", name)
	case len(bytes.TrimSpace(raw)) == 0 || bytes.TrimSpace(raw)[0] != '{':
		return fmt.Errorf("wire: %s is no JSON object", name)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("wire: %s: %w", name, plain(err))
	}
	return nil
}
