// Package wire converts messages to the signed frames of the Jupyter protocol and back.
//
// The frames of a message are, in order: routing identities, the delimiter <IDS|MSG>, the
// signature, header, parent header, metadata, content, raw buffers. The signature is an HMAC over
// the four JSON frames exactly as sent.
//
// The receiver must verify the bytes as they arrived: encoding the JSON again could order or escape
// it differently. Raw buffers are not signed. On iopub the first identity is the topic.
//
// Authenticate is the border to untrusted data. Frames for which it returns no error come from a
// client that has the key and have not been received before. Parse returns their message, which
// consists of JSON objects in UTF-8 of bounded size. Packages above it check only the fields.
package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"gosphere/kernel/protocol"
)

// Delimiter separates the routing identities from the message.
var Delimiter = []byte("<IDS|MSG>")

// Limits on received messages.
const (
	maxFrames = 1024
	// The depth of nesting is limited by encoding/json, to 10,000.
	maxJSONBytes  = 64 << 20 // size of one JSON frame; cells typed by people are smaller
	maxBuffers    = 1 << 30  // bytes of all raw buffers together
	replayHistory = 1 << 16  // number of signatures remembered, as in ipykernel
)

// A Message is one message of the protocol. Parent, Metadata and Content are JSON objects as
// received. RawHeader and Parent are kept as bytes because a reply has to carry the header of its
// request as the client wrote it, with fields that this kernel does not know. Buffers are shared
// with the frames and must not be changed.
type Message struct {
	Identities [][]byte
	Header     protocol.Header
	RawHeader  json.RawMessage // bytes of the header, copied to the parent header of replies
	Parent     json.RawMessage
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte
}

// Reasons why frames are refused.
var (
	ErrSignature = errors.New("wire: wrong signature")
	ErrReplay    = errors.New("wire: message was received before")
	ErrReflected = errors.New("wire: message of a kernel with this key, not of a client")
)

// A Codec encodes and decodes messages with one key. It is safe for concurrent use. The key is not
// changed after NewCodec, so signing needs no lock.
type Codec struct {
	key []byte

	mu   sync.Mutex // guards seen and order
	seen map[mark]struct{}
	// order holds the marks in seen, oldest first, starting at next.
	order []mark
	next  int
}

// A mark is a prefix of a signature. It cannot be chosen without the key, and a new message
// collides with one of the remembered marks with probability 10^-14. A prefix keeps the table of
// 65,536 marks small.
type mark [8]byte

// NewCodec returns a codec for the scheme and key of a connection file. An empty key disables
// signing, and the scheme is then ignored.
func NewCodec(scheme, key string) (*Codec, error) {
	if key != "" && scheme != "hmac-sha256" {
		return nil, fmt.Errorf("wire: signature scheme %q is not supported, want hmac-sha256", scheme)
	}
	return &Codec{key: []byte(key), seen: map[mark]struct{}{}}, nil
}

// sign returns the hexadecimal signature of four JSON frames.
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

// Sign returns the signature of texts that are not a message, or nothing without a key. The
// handshake of package registration uses it, whose messages have no header.
func (c *Codec) Sign(texts ...[]byte) []byte { return c.sign(texts) }

// Verify checks the signature of texts that are not a message.
func (c *Codec) Verify(signature []byte, texts ...[]byte) error {
	if len(c.key) > 0 && !hmac.Equal(signature, c.sign(texts)) {
		return ErrSignature
	}
	return nil
}

// Encode returns the frames of a message. Missing parts become empty objects. It encodes the
// header; the other JSON frames are encoded already. It signs all four of them as they are sent.
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

// orEmpty returns a part, or an empty object for an absent one: the protocol has no empty frames.
func orEmpty(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}

// Decode returns the message of frames with a valid signature that have not been received before,
// from a kernel or a client, see Parse. Clients and tools use it.
func (c *Codec) Decode(frames [][]byte) (*Message, error) {
	if err := c.authenticate(frames, false); err != nil {
		return nil, err
	}
	return Parse(frames)
}

// Authenticate returns an error unless frames have a valid signature, have not been received before
// and do not come from a kernel with the same key. It looks at nothing else, so that the cost of
// frames without a signature is that of one HMAC.
func (c *Codec) Authenticate(frames [][]byte) error { return c.authenticate(frames, true) }

func (c *Codec) authenticate(frames [][]byte, fromClient bool) error {
	_, rest, err := split(frames)
	if err != nil {
		return err
	}
	return c.verify(rest[0], rest[1:5], fromClient)
}

// split returns the identities of a message and the frames after its delimiter, of which there are
// at least five.
func split(frames [][]byte) (identities, rest [][]byte, err error) {
	if len(frames) > maxFrames {
		return nil, nil, fmt.Errorf("wire: %d frames, at most %d are accepted", len(frames), maxFrames)
	}
	at := slices.IndexFunc(frames, func(frame []byte) bool { return bytes.Equal(frame, Delimiter) })
	if at < 0 {
		return nil, nil, fmt.Errorf("wire: no delimiter %s in %d frames", Delimiter, len(frames))
	}
	if rest = frames[at+1:]; len(rest) < 5 {
		return nil, nil, fmt.Errorf("wire: %d frames after the delimiter, want at least 5", len(rest))
	}
	return frames[:at], rest, nil
}

// Parse returns the message of frames that have been authenticated. If the header identifies the
// message but it or a later part is invalid, Parse returns both the message and the error, so that
// the sender, who has the key, can be notified.
func Parse(frames [][]byte) (*Message, error) {
	identities, rest, err := split(frames)
	if err != nil {
		return nil, err
	}
	m := &Message{Identities: identities, RawHeader: rest[1], Parent: rest[2], Metadata: rest[3], Content: rest[4], Buffers: rest[5:]}
	err = decodeObject("header", m.RawHeader, &m.Header)
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

// NewSession returns the identifier of a session of a kernel: 32 hexadecimal digits, half of them
// random and half of them made of these with the key. Any kernel with the same key, for instance
// the same kernel after a restart, recognizes it.
func (c *Codec) NewSession() string {
	var random [8]byte
	rand.Read(random[:])
	return hex.EncodeToString(append(random[:], c.tag(random[:])...))
}

// tag returns the part of a session that is made with the key.
func (c *Codec) tag(random []byte) []byte {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte("session of a gosphere kernel"))
	mac.Write(random)
	return mac.Sum(nil)[:8]
}

// ownSession reports whether a session was made by a kernel with this key.
func (c *Codec) ownSession(session string) bool {
	raw, err := hex.DecodeString(session)
	return err == nil && len(raw) == 16 && hmac.Equal(raw[8:], c.tag(raw[:8]))
}

// verify checks the signature and refuses messages that were received before. The comparison takes
// the same time wherever the signatures differ (hmac.Equal), so that a process without the key
// cannot find a signature byte by byte. Without a key neither check is possible.
//
// Replaying a recorded message would run its cell again. The history is a ring: once it is full,
// the oldest mark is forgotten for each new one. A wrong signature leaves no mark, so that a
// stranger cannot push others out.
//
// Messages that a kernel publishes on iopub are signed and reach every subscriber. Sent back, a
// comm message would run the callback of a cell. The session in its header shows its origin; it is
// covered by the signature. Such a message leaves no mark either.
func (c *Codec) verify(signature []byte, parts [][]byte, fromClient bool) error {
	if len(c.key) == 0 {
		return nil
	}
	if !hmac.Equal(signature, c.sign(parts)) {
		return ErrSignature
	}
	var header struct {
		Session string `json:"session"`
	}
	// A header that is no JSON object has no session; Parse refuses it.
	if fromClient && json.Unmarshal(parts[0], &header) == nil && c.ownSession(header.Session) {
		return ErrReflected
	}
	var m mark
	if _, err := hex.Decode(m[:], signature[:2*len(m)]); err != nil {
		return ErrSignature // unreachable: the signature equals one that was made here
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

// checkParts returns an error if a part is not a JSON object. The result is decoded into a map of
// raw values, which checks the syntax but no types.
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

// DecodeContent decodes the content into a struct. The required fields must be present. A required
// field of null counts as absent. Other fields may be null, absent or unknown: the first two keep
// the value that into has, which is how defaults are set, and unknown ones are ignored, as the
// protocol requires.
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

// plain rewrites a type error in terms of the protocol instead of Go. For instance "json: cannot
// unmarshal string into Go struct field CompleteRequest.cursor_pos of type int" becomes "the field
// "cursor_pos" is a string, want int".
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

// decodeObject decodes one JSON frame. The target determines the types of the fields. JSON allows
// any value at the top and Go's decoder accepts null for a struct, so the first byte is checked
// here. encoding/json would replace invalid UTF-8 silently.
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
