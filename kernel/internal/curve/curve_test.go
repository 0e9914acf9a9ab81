package curve

import (
	"bytes"
	"strings"
	"testing"
)

// Keys of zmq_curve_keypair, from its manual.
const (
	publicText = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
	secretText = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
)

func TestKeysAreThoseOfLibzmq(t *testing.T) {
	secret, err := ParseKey(secretText)
	if err != nil {
		t.Fatal(err)
	}
	if got := secret.Public().String(); got != publicText {
		t.Errorf("public key %s, want %s", got, publicText)
	}
	if secret.String() != secretText {
		t.Errorf("secret key %s, want %s", secret, secretText)
	}
	for text, want := range map[string]string{
		"":                      "key of 0 characters",
		strings.Repeat("#", 40): "not a number of 32 bits",
		strings.Repeat("~", 40): "not in the alphabet",
	} {
		if _, err := ParseKey(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseKey(%q): %v, want %q", text, err, want)
		}
	}
}

// shake runs a handshake. change may change each command on its way, by its number.
func shake(change func(step int, command []byte) []byte) (client, server *Session, err error) {
	public, secret := Generate()
	c, s := NewClient(public), NewServer(secret)
	welcome, err := s.Welcome(change(0, c.Hello()))
	if err != nil {
		return nil, nil, err
	}
	initiate, err := c.Initiate(change(1, welcome), []byte("client"))
	if err != nil {
		return nil, nil, err
	}
	ready, server, theirs, err := s.Ready(change(2, initiate), []byte("server"))
	if err != nil {
		return nil, nil, err
	}
	client, ours, err := c.Finish(change(3, ready))
	if err == nil && (string(theirs) != "client" || string(ours) != "server") {
		panic("wrong metadata")
	}
	return client, server, err
}

func unchanged(_ int, command []byte) []byte { return command }

func TestFramesGoBothWays(t *testing.T) {
	client, server, err := shake(unchanged)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]*Session{{client, server}, {server, client}} {
		for _, text := range []string{"", "hello", strings.Repeat("x", 100_000)} {
			message := pair[0].Seal(nil, 1, []byte(text))
			if len(message) != len(text)+Overhead || len(text) > 0 && bytes.Contains(message, []byte(text)) {
				t.Errorf("%d bytes became %d", len(text), len(message))
			}
			flags, frame, err := pair[1].Open(message)
			if err != nil || flags != 1 || string(frame) != text {
				t.Errorf("received %d %.20q, %v", flags, frame, err)
			}
			if _, _, err := pair[1].Open(message); err == nil {
				t.Error("a repeated frame was accepted")
			}
			if _, _, err := pair[0].Open(message); err == nil {
				t.Error("a frame was accepted by its sender")
			}
		}
	}
}

func TestAChangedByteEndsTheHandshake(t *testing.T) {
	sizes := map[int]int{}
	shake(func(step int, command []byte) []byte {
		sizes[step] = len(command)
		return command
	})
	for step, size := range sizes {
		for at := range size {
			_, _, err := shake(func(current int, command []byte) []byte {
				if current == step {
					command[at] ^= 1
				}
				return command
			})
			// The padding of HELLO is not protected.
			if padding := step == 0 && at >= 8 && at < 80; (err == nil) != padding {
				t.Fatalf("step %d, byte %d: error %v", step, at, err)
			}
			if at > 0 {
				if _, _, err := shake(func(current int, command []byte) []byte {
					if current == step {
						return command[:at]
					}
					return command
				}); err == nil {
					t.Fatalf("step %d: %d of %d bytes were accepted", step, at, size)
				}
			}
		}
	}
}

func TestAChangedFrameIsRefused(t *testing.T) {
	client, server, err := shake(unchanged)
	if err != nil {
		t.Fatal(err)
	}
	message := client.Seal(nil, 0, []byte("hello"))
	for at := range message {
		changed := bytes.Clone(message)
		changed[at] ^= 1
		if _, _, err := server.Open(changed); err == nil {
			t.Fatalf("byte %d was changed", at)
		}
	}
	if _, frame, err := server.Open(message); err != nil || string(frame) != "hello" {
		t.Errorf("after the changed ones: %q, %v", frame, err)
	}
}

func FuzzServer(f *testing.F) {
	public, secret := Generate()
	client := NewClient(public)
	hello := client.Hello()
	f.Add(hello, []byte("\x08INITIATE"))
	f.Fuzz(func(t *testing.T, hello, initiate []byte) {
		s := NewServer(secret)
		if _, err := s.Welcome(hello); err != nil {
			return
		}
		if _, _, _, err := s.Ready(initiate, nil); err == nil {
			t.Error("an INITIATE without the cookie was accepted")
		}
	})
}
