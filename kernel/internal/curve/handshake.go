package curve

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/nacl/secretbox"
)

// In this file S and C are the permanent keys of server and client, S' and C' the transient ones. A
// box A->B is encrypted with the secret key of A and the public key of B.

// A Server is the server's side of one handshake.
type Server struct {
	secret    Key
	transient Key // secret
	cookie    Key // key of the cookie
	received  uint64
}

// NewServer returns the server's side of a handshake. The key is the permanent secret key.
func NewServer(secret Key) *Server { return &Server{secret: secret} }

// Welcome checks a HELLO and returns the WELCOME. Parts that have no secret are checked as well, so
// that the commands of a peer that does something else end in an error.
//
//	HELLO:   name, version 1.0, 72 zeros, C', nonce, Box[64 zeros](C'->S)
//	WELCOME: name, nonce, Box[S', cookie](S->C')
//	cookie:  nonce, Secretbox[C', s'](a key of this handshake)
func (s *Server) Welcome(hello []byte) ([]byte, error) {
	if len(hello) != helloSize || string(hello[:6]) != "\x05HELLO" {
		return nil, fmt.Errorf("curve: HELLO of %d bytes, want %d", len(hello), helloSize)
	}
	if hello[6] != 1 || hello[7] != 0 {
		return nil, fmt.Errorf("curve: version %d.%d of the client, want 1.0", hello[6], hello[7])
	}
	client, short := Key(hello[80:112]), hello[112:120]
	zeros, err := open(hello[120:], nonce("CurveZMQHELLO---", short), client, s.secret)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(zeros, make([]byte, 64)) {
		return nil, errBox
	}
	s.received = binary.BigEndian.Uint64(short)
	var public Key
	public, s.transient = Generate()
	copy(s.cookie[:], random(len(s.cookie)))
	cookie := random(longNonce)
	cookie = secretbox.Seal(cookie, append(client[:], s.transient[:]...), nonce("COOKIE--", cookie), (*[32]byte)(&s.cookie))
	long := random(longNonce)
	welcome := append([]byte("\x07WELCOME"), long...)
	return append(welcome, seal(append(public[:], cookie...), nonce("WELCOME-", long), client, s.secret)...), nil
}

// Ready checks an INITIATE, and returns the READY with the metadata of the server, the session, and
// the metadata of the client.
//
//	INITIATE: name, cookie, nonce, Box[C, vouch, metadata](C'->S')
//	vouch:    nonce, Box[C', S](C->S')
//	READY:    name, nonce, Box[metadata](S'->C')
func (s *Server) Ready(initiate, metadata []byte) (ready []byte, session *Session, theirs []byte, err error) {
	const head = 9 + cookieSize + shortNonce
	if len(initiate) < head || string(initiate[:9]) != "\x08INITIATE" {
		return nil, nil, nil, fmt.Errorf("curve: INITIATE of %d bytes, want at least %d", len(initiate), head)
	}
	cookie, short := initiate[9:9+cookieSize], initiate[9+cookieSize:head]
	kept, ok := secretbox.Open(nil, cookie[longNonce:], nonce("COOKIE--", cookie[:longNonce]), (*[32]byte)(&s.cookie))
	if !ok || Key(kept[32:]) != s.transient {
		return nil, nil, nil, errBox
	}
	client := Key(kept[:32])
	number := binary.BigEndian.Uint64(short)
	if number <= s.received {
		return nil, nil, nil, fmt.Errorf("curve: INITIATE has number %d and HELLO had %d", number, s.received)
	}
	plain, err := open(initiate[head:], nonce("CurveZMQINITIATE", short), client, s.transient)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(plain) < 32+vouchSize {
		return nil, nil, nil, fmt.Errorf("curve: INITIATE with a box of %d bytes, want at least %d", len(plain), 32+vouchSize)
	}
	permanent, vouch := Key(plain[:32]), plain[32:32+vouchSize]
	vouched, err := open(vouch[longNonce:], nonce("VOUCH---", vouch[:longNonce]), permanent, s.transient)
	if err != nil {
		return nil, nil, nil, err
	}
	if own := s.secret.Public(); Key(vouched[:32]) != client || Key(vouched[32:]) != own {
		return nil, nil, nil, errBox
	}
	ready = append([]byte("\x05READY"), counted(1)...)
	ready = append(ready, seal(metadata, nonce("CurveZMQREADY---", counted(1)), client, s.transient)...)
	return ready, newSession(client, s.transient, true, 1, number), plain[32+vouchSize:], nil
}

// A Client is the client's side of one handshake.
type Client struct {
	server    Key // permanent public key of the server
	secret    Key // permanent
	transient Key // secret
	peer      Key // transient public key of the server
}

// NewClient returns the client's side of a handshake with the server that has the given public key.
// The permanent keys of the client are new for each connection: a Jupyter kernel does not look at
// them.
func NewClient(server Key) *Client {
	_, secret := Generate()
	return &Client{server: server, secret: secret}
}

// Hello returns the HELLO.
func (c *Client) Hello() []byte {
	var public Key
	public, c.transient = Generate()
	hello := append([]byte("\x05HELLO\x01\x00"), make([]byte, 72)...)
	hello = append(append(hello, public[:]...), counted(1)...)
	return append(hello, seal(make([]byte, 64), nonce("CurveZMQHELLO---", counted(1)), c.server, c.transient)...)
}

// Initiate checks a WELCOME and returns the INITIATE with the metadata of the client.
func (c *Client) Initiate(welcome, metadata []byte) ([]byte, error) {
	if len(welcome) != welcomeSize || string(welcome[:8]) != "\x07WELCOME" {
		return nil, fmt.Errorf("curve: WELCOME of %d bytes, want %d", len(welcome), welcomeSize)
	}
	plain, err := open(welcome[8+longNonce:], nonce("WELCOME-", welcome[8:8+longNonce]), c.server, c.transient)
	if err != nil {
		return nil, err
	}
	c.peer = Key(plain[:32])
	own, public := c.transient.Public(), c.secret.Public()
	long := random(longNonce)
	vouch := append(long, seal(append(own[:], c.server[:]...), nonce("VOUCH---", long), c.peer, c.secret)...)
	inside := append(append(public[:], vouch...), metadata...)
	initiate := append([]byte("\x08INITIATE"), plain[32:]...)
	initiate = append(initiate, counted(2)...)
	return append(initiate, seal(inside, nonce("CurveZMQINITIATE", counted(2)), c.peer, c.transient)...), nil
}

// Finish checks a READY and returns the session and the metadata of the server.
func (c *Client) Finish(ready []byte) (*Session, []byte, error) {
	const head = 6 + shortNonce
	if len(ready) < head || string(ready[:6]) != "\x05READY" {
		return nil, nil, fmt.Errorf("curve: READY of %d bytes, want at least %d", len(ready), head)
	}
	metadata, err := open(ready[head:], nonce("CurveZMQREADY---", ready[6:head]), c.peer, c.transient)
	if err != nil {
		return nil, nil, err
	}
	return newSession(c.peer, c.transient, false, 2, binary.BigEndian.Uint64(ready[6:head])), metadata, nil
}
