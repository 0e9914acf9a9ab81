package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

const testKey = "a0436f6c-1916-498b-8eb9-e81ab9368e84"

func newTestCodec(t testing.TB, key string) *Codec {
	t.Helper()
	codec, err := NewCodec("hmac-sha256", key)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

func request(kind, content string) *Message {
	return &Message{
		Identities: [][]byte{[]byte("client")},
		Header:     protocol.Header{MsgID: "1", Session: "s", Username: "u", Date: "2026-01-02T03:04:05.000000Z", MsgType: kind, Version: "5.3"},
		Content:    json.RawMessage(content),
	}
}

// The signature was computed with Python: hmac.new(key, b'{"a":1}' + b'{}' + b'{}' + b'{"b":2}',
// "sha256").
func TestSignatureIsTheOneOtherClientsCompute(t *testing.T) {
	codec := newTestCodec(t, testKey)
	got := string(codec.sign([][]byte{[]byte(`{"a":1}`), []byte(`{}`), []byte(`{}`), []byte(`{"b":2}`)}))
	const want = "a8393c9b46dc75412c34bfbce1f4b48de7e37f440f91caf4171dffe957b3e15f"
	if got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

func TestDecodeReturnsWhatWasEncoded(t *testing.T) {
	for _, key := range []string{testKey, ""} {
		m := request("execute_request", `{"code":"κ < 1"}`)
		m.Parent, m.Metadata = json.RawMessage(`{"msg_id":"0"}`), json.RawMessage(`{"x":[1]}`)
		m.Buffers = [][]byte{{0, 1, 2}, []byte("<IDS|MSG>")}
		frames, err := newTestCodec(t, key).Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := newTestCodec(t, key).Decode(frames)
		if err != nil {
			t.Fatal(err)
		}
		if got.Header != m.Header || !bytes.Equal(got.Content, m.Content) || !bytes.Equal(got.Parent, m.Parent) ||
			!bytes.Equal(got.Metadata, m.Metadata) || len(got.Buffers) != 2 || len(got.Identities) != 1 {
			t.Errorf("key %q: got %+v, want %+v", key, got, m)
		}
		if parent, err := got.ParentID(); parent != "0" || err != nil {
			t.Errorf("parent id %q, %v", parent, err)
		}
	}
}

func TestEmptyPartsBecomeObjects(t *testing.T) {
	frames, err := newTestCodec(t, testKey).Encode(&Message{Header: protocol.Header{MsgType: "status", MsgID: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range frames[3:6] {
		if string(part) != "{}" {
			t.Errorf("part %q, want {}", part)
		}
	}
}

// signed returns the frames of a message with a valid signature over arbitrary parts.
func signed(codec *Codec, header, parent, metadata, content string) [][]byte {
	parts := [][]byte{[]byte(header), []byte(parent), []byte(metadata), []byte(content)}
	return append([][]byte{[]byte("client"), Delimiter, codec.sign(parts)}, parts...)
}

const goodHeader = `{"msg_id":"1","msg_type":"execute_request","session":"s","username":"u","date":"","version":"5.3"}`

func TestDecodeRefusesBrokenFrames(t *testing.T) {
	codec := newTestCodec(t, testKey)
	good := signed(codec, goodHeader, "{}", "{}", "{}")
	replaced := func(at int, with string) [][]byte {
		frames := append([][]byte(nil), good...)
		frames[at] = []byte(with)
		return frames
	}
	for name, test := range map[string]struct {
		frames [][]byte
		want   string
	}{
		"nothing":                {nil, "no delimiter"},
		"one empty frame":        {[][]byte{{}}, "no delimiter"},
		"no delimiter":           {[][]byte{[]byte("hello"), []byte("world")}, "no delimiter"},
		"delimiter only":         {[][]byte{Delimiter}, "0 frames after the delimiter"},
		"signature only":         {good[:3], "1 frames after the delimiter"},
		"no content":             {good[:6], "4 frames after the delimiter"},
		"too many frames":        {make([][]byte, maxFrames+1), "at most"},
		"zeros for a signature":  {replaced(2, strings.Repeat("0", 64)), "wrong signature"},
		"no signature":           {replaced(2, ""), "wrong signature"},
		"short signature":        {replaced(2, "zz"), "wrong signature"},
		"changed content":        {replaced(6, `{"code":"x"}`), "wrong signature"},
		"changed header":         {replaced(3, "{}"), "wrong signature"},
		"upper-case signature":   {replaced(2, strings.ToUpper(string(good[2]))), "wrong signature"},
		"empty header":           {signed(codec, "{}", "{}", "{}", "{}"), "without msg_type or msg_id"},
		"header no JSON":         {signed(codec, "not json", "{}", "{}", "{}"), "header is no JSON object"},
		"header a list":          {signed(codec, "[]", "{}", "{}", "{}"), "header is no JSON object"},
		"header with a number":   {signed(codec, `{"msg_type":5,"msg_id":"1"}`, "{}", "{}", "{}"), `"msg_type" is a number, want string`},
		"header not UTF-8":       {signed(codec, "{\"msg_id\":\"\xff\"}", "{}", "{}", "{}"), "not valid UTF-8"},
		"content no JSON":        {signed(codec, goodHeader, "{}", "{}", "{not json"), "content: invalid character"},
		"content a list":         {signed(codec, goodHeader, "{}", "{}", "[1,2]"), "content is no JSON object"},
		"content null":           {signed(codec, goodHeader, "{}", "{}", "null"), "content is no JSON object"},
		"content empty":          {signed(codec, goodHeader, "{}", "{}", ""), "content is no JSON object"},
		"content not UTF-8":      {signed(codec, goodHeader, "{}", "{}", "{\"code\":\"\xc3\x28\"}"), "content is not valid UTF-8"},
		"content two objects":    {signed(codec, goodHeader, "{}", "{}", "{}{}"), "content: invalid character"},
		"content too deep":       {signed(codec, goodHeader, "{}", "{}", `{"a":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+"}"), "max depth"},
		"metadata a string":      {signed(codec, goodHeader, "{}", `"x"`, "{}"), "metadata is no JSON object"},
		"parent header a number": {signed(codec, goodHeader, "7", "{}", "{}"), "parent header is no JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := newTestCodec(t, testKey).Decode(test.frames)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want one with %q", err, test.want)
			}
			if behind := strings.HasPrefix(name, "content") || strings.HasPrefix(name, "metadata") || strings.HasPrefix(name, "parent"); behind != (m != nil) {
				t.Errorf("message %v: it must come with the error exactly if its header could be read", m)
			}
		})
	}
}

func TestUnsignedMessagesAreReadOnlyWithoutAKey(t *testing.T) {
	unsigned := signed(newTestCodec(t, ""), goodHeader, "{}", "{}", "{}")
	if _, err := newTestCodec(t, "").Decode(unsigned); err != nil {
		t.Errorf("without a key: %v", err)
	}
	if _, err := newTestCodec(t, testKey).Decode(unsigned); !errors.Is(err, ErrSignature) {
		t.Errorf("with a key: %v, want %v", err, ErrSignature)
	}
}

func TestReplayedMessagesAreRefused(t *testing.T) {
	codec := newTestCodec(t, testKey)
	frames := signed(codec, goodHeader, "{}", "{}", "{}")
	if _, err := codec.Decode(frames); err != nil {
		t.Fatal(err)
	}
	if _, err := codec.Decode(frames); !errors.Is(err, ErrReplay) {
		t.Errorf("second time: %v, want %v", err, ErrReplay)
	}
}

func TestReplayWindowForgetsTheOldestFirst(t *testing.T) {
	codec := newTestCodec(t, testKey)
	message := func(n int) [][]byte {
		return signed(codec, fmt.Sprintf(`{"msg_id":"%d","msg_type":"x"}`, n), "{}", "{}", "{}")
	}
	for n := range replayHistory + 1 {
		if _, err := codec.Decode(message(n)); err != nil {
			t.Fatal(err)
		}
	}
	if len(codec.seen) != replayHistory {
		t.Errorf("%d signatures are remembered, want %d", len(codec.seen), replayHistory)
	}
	if _, err := codec.Decode(message(1)); !errors.Is(err, ErrReplay) {
		t.Errorf("the second message again: %v, want %v", err, ErrReplay)
	}
	if _, err := codec.Decode(message(0)); err != nil {
		t.Errorf("the first message again: %v, want it forgotten", err)
	}
}

func TestDecodeContentNamesTheField(t *testing.T) {
	for content, want := range map[string]string{
		`{}`:                           `execute_request without the field "code"`,
		`{"code":null}`:                `execute_request without the field "code"`,
		`{"code":5}`:                   `execute_request: the field "code" is a number, want string`,
		`{"code":"x","silent":"no"}`:   `execute_request: the field "silent" is a string, want bool`,
		`{"code":[]}`:                  `execute_request: the field "code" is an array, want string`,
		`{"code":{}}`:                  `execute_request: the field "code" is an object, want string`,
		`{"code":"x","new_field":{}}`:  "",
		`{"code":"x","silent":null}`:   "",
		`{"code":"x","silent":true}`:   "",
		`{"code":"x","allow_stdin":1}`: `execute_request: the field "allow_stdin" is a number, want bool`,
	} {
		var into protocol.ExecuteRequest
		err := request("execute_request", content).DecodeContent(&into, "code")
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%s: %v, want %q", content, err, want)
		}
	}
}

func TestOnlyKnownSchemesAreAccepted(t *testing.T) {
	if _, err := NewCodec("hmac-md5", testKey); err == nil || !strings.Contains(err.Error(), `"hmac-md5" is not supported`) {
		t.Errorf("hmac-md5: %v, want it refused by name", err)
	}
	if _, err := NewCodec("", ""); err != nil {
		t.Errorf("no key: %v, want no error", err)
	}
}

func FuzzDecode(f *testing.F) {
	codec := newTestCodec(f, "")
	for _, seed := range [][]byte{
		bytes.Join(signed(codec, goodHeader, "{}", "{}", `{"code":"1"}`), []byte("\n")),
		[]byte("<IDS|MSG>"), []byte("\n\n<IDS|MSG>\n\n{\n}\n{}"), []byte("\xff\n<IDS|MSG>\n\n{}\n{}\n{}\n{}"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frames := bytes.Split(data, []byte("\n"))
		m, err := codec.Decode(frames)
		if err != nil {
			return
		}
		if m.Header.MsgType == "" || m.Header.MsgID == "" || !json.Valid(m.Content) || !json.Valid(m.RawHeader) {
			t.Errorf("accepted %q as %+v", data, m)
		}
		var into protocol.ExecuteRequest
		m.DecodeContent(&into, "code")
		again, err := codec.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := codec.Decode(again); err != nil || back.Header.MsgID != m.Header.MsgID {
			t.Errorf("encoded again: %+v, %v", back, err)
		}
	})
}

// A subscriber of iopub has the bytes of the kernel's messages, with their signatures.
func TestMessagesOfKernelsAreNotAccepted(t *testing.T) {
	kernel, restarted := newTestCodec(t, testKey), newTestCodec(t, testKey)
	message := func(session string) [][]byte {
		frames, err := kernel.Encode(&Message{Header: protocol.Header{MsgID: "1", MsgType: "comm_msg", Session: session}})
		if err != nil {
			t.Fatal(err)
		}
		return frames
	}
	own := kernel.NewSession()
	for name, codec := range map[string]*Codec{"the kernel": kernel, "a restarted kernel": restarted} {
		if err := codec.Authenticate(message(own)); !errors.Is(err, ErrReflected) {
			t.Errorf("%s: %v, want %v", name, err, ErrReflected)
		}
		if _, err := codec.Decode(message(own)); err != nil {
			t.Errorf("%s as a client: %v", name, err)
		}
	}
	for _, session := range []string{"", "client", strings.Repeat("0", 32), newTestCodec(t, "another key").NewSession()} {
		if err := newTestCodec(t, testKey).Authenticate(message(session)); err != nil {
			t.Errorf("session %q: %v", session, err)
		}
	}
}
