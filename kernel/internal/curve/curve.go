// Package curve implements the CURVE security mechanism of ZeroMQ (rfc.zeromq.org/spec/26) on byte
// slices, without connections.
//
// A connection begins with four commands. The client sends HELLO, which only a client that knows
// the permanent public key of the server can make. The server answers with WELCOME, which contains
// its transient public key and a cookie, and keeps nothing. The client returns the cookie in
// INITIATE, with its permanent public key and a proof that it has the secret of it. The server
// answers with READY. From then on every frame is encrypted with the transient keys in a MESSAGE,
// with nonces that rise, so that frames can be neither repeated nor left out nor exchanged.
//
// The ciphers are X25519 and XSalsa20-Poly1305, as in NaCl's crypto_box. In a Jupyter connection
// file curve_publickey and curve_secretkey are the keys of the kernel, which is the server. Every
// client that knows the public key is admitted: the file is readable only by the user, and messages
// are signed besides.
package curve

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/crypto/curve25519"
	"golang.org/x/crypto/nacl/box"
	"golang.org/x/crypto/nacl/secretbox"
)

// A Key is a public or secret key of X25519.
type Key [32]byte

// Public returns the public key of a secret one.
func (k Key) Public() Key {
	public, err := curve25519.X25519(k[:], curve25519.Basepoint)
	if err != nil {
		panic(err) // the base point has no low order
	}
	return Key(public)
}

// Generate returns a new pair of keys.
func Generate() (public, secret Key) {
	rand.Read(secret[:])
	return secret.Public(), secret
}

// Sizes of the parts of commands, in bytes.
const (
	shortNonce  = 8  // the part of a nonce that is sent with HELLO, INITIATE, READY and MESSAGE
	longNonce   = 16 // the part that is sent with WELCOME, the cookie and the vouch
	cookieSize  = longNonce + secretbox.Overhead + 64
	vouchSize   = longNonce + box.Overhead + 64
	helloSize   = 6 + 2 + 72 + 32 + shortNonce + box.Overhead + 64
	welcomeSize = 8 + longNonce + box.Overhead + 32 + cookieSize
	// messageHead is what precedes the box of a MESSAGE: the name and the nonce.
	messageHead = 8 + shortNonce
)

// Overhead is the number of bytes that encryption adds to a frame: the head of MESSAGE, the
// authentication and the byte of flags.
const Overhead = messageHead + box.Overhead + 1

// errBox is the error of every box that cannot be opened. It does not say which part is wrong.
var errBox = errors.New("curve: a box of the peer cannot be opened: its keys do not fit, or it was changed")

// nonce joins the prefix of a command, which keeps nonces of different commands apart, and the
// rest.
func nonce(prefix string, rest []byte) *[24]byte {
	var n [24]byte
	copy(n[copy(n[:], prefix):], rest)
	return &n
}

// counted returns a short nonce.
func counted(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// random returns n random bytes.
func random(n int) []byte {
	raw := make([]byte, n)
	rand.Read(raw)
	return raw
}

// seal returns a box from one key to another.
func seal(plain []byte, n *[24]byte, to, from Key) []byte {
	return box.Seal(nil, plain, n, (*[32]byte)(&to), (*[32]byte)(&from))
}

// open returns the content of a box.
func open(sealed []byte, n *[24]byte, from, to Key) ([]byte, error) {
	plain, ok := box.Open(nil, sealed, n, (*[32]byte)(&from), (*[32]byte)(&to))
	if !ok {
		return nil, errBox
	}
	return plain, nil
}

// A Session encrypts and decrypts the frames of one connection. Seal and Open may be called by two
// goroutines at the same time, each by one.
type Session struct {
	shared           [32]byte
	sending, reading string // prefixes of the nonces of the two directions
	sent, received   uint64
}

// newSession returns the session of two transient keys. The counters continue those of the
// handshake.
func newSession(peer, own Key, server bool, sent, received uint64) *Session {
	s := &Session{sending: "CurveZMQMESSAGEC", reading: "CurveZMQMESSAGES", sent: sent, received: received}
	if server {
		s.sending, s.reading = s.reading, s.sending
	}
	box.Precompute(&s.shared, (*[32]byte)(&peer), (*[32]byte)(&own))
	return s
}

// Seal appends the MESSAGE of a frame with its flags to a buffer. Its length is that of the frame
// plus Overhead.
func (s *Session) Seal(buffer []byte, flags byte, frame []byte) []byte {
	s.sent++
	short := counted(s.sent)
	buffer = append(append(buffer, "\x07MESSAGE"...), short...)
	plain := append(append(make([]byte, 0, len(frame)+1), flags), frame...)
	return box.SealAfterPrecomputation(buffer, plain, nonce(s.sending, short), &s.shared)
}

// Open returns the flags and the content of a MESSAGE. A nonce that does not rise is an error, so
// that a recorded frame cannot be sent again.
func (s *Session) Open(message []byte) (flags byte, frame []byte, err error) {
	if len(message) < Overhead || string(message[:8]) != "\x07MESSAGE" {
		return 0, nil, errors.New("curve: the peer sent a frame that is not encrypted")
	}
	short := message[8:messageHead]
	number := binary.BigEndian.Uint64(short)
	if number <= s.received {
		return 0, nil, fmt.Errorf("curve: frame number %d follows number %d", number, s.received)
	}
	plain, ok := box.OpenAfterPrecomputation(nil, message[messageHead:], nonce(s.reading, short), &s.shared)
	if !ok {
		return 0, nil, errBox
	}
	s.received = number
	return plain[0], plain[1:], nil
}
