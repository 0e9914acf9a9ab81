package socket

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// This file implements the parts of ZMTP 3.0 (rfc.zeromq.org/spec/23) that a kernel needs: the
// greeting, frames, and the commands READY and PING. Package curve has the mechanism CURVE.

// Limits on the data accepted from a peer. Peers are not authenticated at this level (signatures
// are checked above it), so nothing is allocated for bytes that are only announced.
const (
	// The limits on messages here are those of the transport. Package wire has smaller ones for the
	// parts of a message, with errors that name the part.
	maxMessage  = 256 << 20 // bytes of one message
	maxFrames   = 4096      // frames of one message
	maxCommand  = 4 << 10   // bytes of one command
	firstGrasp  = 64 << 10  // bytes allocated before any byte has arrived
	maxIdentity = 255       // ZMTP's own limit on routing identities
)

// Bits of the first byte of a frame.
const (
	moreBit    = 1
	longBit    = 2
	commandBit = 4
)

// greetingSize is the size of the greeting that each side sends first.
const greetingSize = 64

// Mechanisms of ZMTP. Each side must use the one of the other.
const (
	null      = "NULL"
	encrypted = "CURVE"
)

// greeting announces version 3.0 and a mechanism. In 3.0 subscriptions are messages; later versions
// send them as commands, which are also understood. Its bytes are the signature FF, eight bytes of
// padding and 7F; the version 3 and 0; the mechanism in 20 bytes; as-server, which NULL ignores;
// and 31 bytes of filler.
func greeting(mechanism string, server bool) []byte {
	g := make([]byte, greetingSize)
	g[0], g[9], g[10] = 0xFF, 0x7F, 3
	copy(g[12:32], mechanism)
	if server && mechanism != null {
		g[32] = 1
	}
	return g
}

// readGreeting checks the greeting of the peer. It checks the first ten bytes separately, so that a
// peer that does not speak ZMTP is refused without waiting for more. ZMTP 2 sends the version in
// the eleventh byte as well, so an old peer is refused by name.
func readGreeting(r io.Reader, mechanism string) error {
	g := make([]byte, greetingSize)
	if _, err := io.ReadFull(r, g[:10]); err != nil {
		return fmt.Errorf("socket: greeting: %w", err)
	}
	if g[0] != 0xFF || g[9]&1 == 0 {
		return errors.New("socket: the peer does not speak ZMTP")
	}
	if _, err := io.ReadFull(r, g[10:]); err != nil {
		return fmt.Errorf("socket: greeting: %w", err)
	}
	if g[10] < 3 {
		return fmt.Errorf("socket: the peer speaks ZMTP %d, want 3", g[10])
	}
	if theirs := strings.TrimRight(string(g[12:32]), "\x00"); theirs != mechanism {
		return fmt.Errorf("socket: the peer wants the security mechanism %q, want %s", theirs, mechanism)
	}
	return nil
}

// metadata returns the properties of a socket, which READY and INITIATE carry. A property is a
// name, preceded by its length in one byte, and a value, preceded by its length in four bytes. An
// empty identity asks the ROUTER to generate one.
func metadata(kind, identity string) []byte {
	var body []byte
	for _, property := range [][2]string{{"Socket-Type", kind}, {"Identity", identity}} {
		body = append(body, byte(len(property[0])))
		body = append(body, property[0]...)
		body = binary.BigEndian.AppendUint32(body, uint32(len(property[1])))
		body = append(body, property[1]...)
	}
	return body
}

// readMetadata returns properties with names in lower case. RFC 23 compares names without regard to
// case.
func readMetadata(rest []byte) (map[string]string, error) {
	properties := map[string]string{}
	for len(rest) > 0 {
		var key, value []byte
		var err error
		if key, rest, err = cut(rest, 1); err != nil {
			return nil, err
		}
		if value, rest, err = cut(rest, 4); err != nil {
			return nil, err
		}
		properties[strings.ToLower(string(key))] = string(value)
	}
	if len(properties["identity"]) > maxIdentity {
		return nil, fmt.Errorf("socket: identity of %d bytes, at most %d are allowed", len(properties["identity"]), maxIdentity)
	}
	return properties, nil
}

// ready returns the READY command of a socket with the mechanism NULL.
func ready(kind, identity string) []byte {
	return appendFrame(nil, commandBit, append([]byte("\x05READY"), metadata(kind, identity)...))
}

// readReady reads the READY command of a peer with the mechanism NULL and returns its properties.
func readReady(r *bufio.Reader) (map[string]string, error) {
	body, err := readCommand(r)
	if err != nil {
		return nil, err
	}
	name, rest, err := command(body)
	if err != nil || name != "READY" {
		return nil, errors.New("socket: the peer did not send READY")
	}
	return readMetadata(rest)
}

// readCommand reads a command of a handshake.
func readCommand(r *bufio.Reader) ([]byte, error) {
	flags, body, err := readFrame(r, maxCommand, nil)
	if err == nil && flags&commandBit == 0 {
		err = errors.New("socket: the peer sent a message during the handshake")
	}
	return body, err
}

// command splits the body of a command into its name and the rest. For instance a body of 04 PING
// followed by the time to live has the name PING.
func command(body []byte) (name string, rest []byte, err error) {
	raw, rest, err := cut(body, 1)
	return string(raw), rest, err
}

// cut removes a piece that is preceded by its length, encoded in width bytes.
func cut(data []byte, width int) (piece, rest []byte, err error) {
	if len(data) < width {
		return nil, nil, errors.New("socket: a command ends too early")
	}
	length := 0
	for _, b := range data[:width] {
		length = length<<8 | int(b)
	}
	data = data[width:]
	if length > len(data) {
		return nil, nil, fmt.Errorf("socket: a command announces %d bytes and has %d", length, len(data))
	}
	return data[:length], data[length:], nil
}

// readFrame reads a frame of at most limit bytes. The flags are followed by the size, in one byte
// or, for a long frame, in eight, most significant first. The limit is checked before anything is
// allocated: a single packet may announce 2⁶⁴ bytes. charge, which may be nil, is called before
// bytes are allocated and refuses them by an error.
func readFrame(r *bufio.Reader, limit int, charge func(bytes int) error) (flags byte, body []byte, err error) {
	if charge == nil {
		charge = func(int) error { return nil }
	}
	if flags, err = r.ReadByte(); err != nil {
		return 0, nil, err
	}
	width := 1
	if flags&longBit != 0 {
		width = 8
	}
	var size uint64
	for range width {
		b, err := r.ReadByte()
		if err != nil {
			return 0, nil, err
		}
		size = size<<8 | uint64(b)
	}
	if size > uint64(limit) {
		return 0, nil, fmt.Errorf("socket: frame of %d bytes, at most %d are accepted", size, limit)
	}
	first := min(int(size), firstGrasp)
	if err := charge(first); err != nil {
		return 0, nil, err
	}
	body = make([]byte, first)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, nil, err
	}
	// The rest is allocated as it arrives, doubling the size.
	for got := len(body); got < int(size); got = len(body) {
		next := min(int(size)-got, got)
		if err := charge(next); err != nil {
			return 0, nil, err
		}
		body = slices.Grow(body, next)[:got+next]
		if _, err := io.ReadFull(r, body[got:]); err != nil {
			return 0, nil, err
		}
	}
	return flags, body, nil
}

// appendFrame appends a frame to a buffer. For instance a frame of two bytes "ok" without flags is
// 00 02 6F 6B.
func appendFrame(buffer []byte, flags byte, body []byte) []byte {
	return append(appendFrameHeader(buffer, flags, len(body)), body...)
}

// appendFrameHeader appends the flags and the size of a frame.
func appendFrameHeader(buffer []byte, flags byte, size int) []byte {
	if size > 255 {
		return binary.BigEndian.AppendUint64(append(buffer, flags|longBit), uint64(size))
	}
	return append(buffer, flags, byte(size))
}

// sharedFrame is the size from which a frame is sent without a copy.
const sharedFrame = 4 << 10

// A packet is an encoded message. Peers share it, so it must not be changed.
type packet struct {
	frames [][]byte
	pieces [][]byte // the frames as bytes without encryption, in pieces
	size   int      // sum of the lengths of the pieces
}

// encode returns a message as a packet. Long frames are not copied. Short frames are joined in one
// piece, because a message of the protocol has at least six of them. A long frame is referred to,
// so it must not be changed afterward; a publication is encoded once for all subscribers.
func encode(frames [][]byte) packet {
	m := packet{frames: frames}
	var head []byte
	for i, frame := range frames {
		head = appendFrameHeader(head, moreUnlessLast(frames, i), len(frame))
		if len(frame) < sharedFrame {
			head = append(head, frame...)
			continue
		}
		m.pieces = append(m.pieces, head, frame)
		head = nil
	}
	if len(head) > 0 {
		m.pieces = append(m.pieces, head)
	}
	for _, piece := range m.pieces {
		m.size += len(piece)
	}
	return m
}

// moreUnlessLast returns the flags of frame i of a message.
func moreUnlessLast(frames [][]byte, i int) byte {
	if i < len(frames)-1 {
		return moreBit
	}
	return 0
}
