package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func framed(text string) string {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Write(&Message{ID: json.RawMessage("1"), Method: text})
	return b.String()
}

func TestMessagesAreReadAsTheyWereWritten(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Notify("initialized", struct{}{})
	w.Reply(json.RawMessage(`"a"`), nil, nil)
	w.Reply(json.RawMessage("2"), 7, nil)
	w.Reply(json.RawMessage("3"), nil, errors.New("no"))
	r := bufio.NewReader(&b)
	for _, want := range []string{
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
		`{"jsonrpc":"2.0","id":"a","result":null}`,
		`{"jsonrpc":"2.0","id":2,"result":7}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32803,"message":"no"}}`,
	} {
		m, err := Read(r)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(m); string(got) != want {
			t.Errorf("read %s, want %s", got, want)
		}
	}
	if _, err := Read(r); err != io.EOF {
		t.Errorf("error %v at the end, want io.EOF", err)
	}
}

func TestInvalidHeadersAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"Content-Length: 5\r\n":              "the header ends early",
		"Content-Length: -1\r\n\r\n":         `Content-Length is "-1"`,
		"Content-Length: 9999999999\r\n\r\n": `Content-Length is "9999999999"`,
		"Length\r\n\r\n":                     `"Length" is no field of a header`,
		"Content-Type: a\r\n\r\n":            "a header without Content-Length",
		"Content-Length: 5\r\n\r\n{}":        "a message of 5 bytes ends after 2",
		strings.Repeat("A: b\r\n", 1000):     "the header has more than",
	} {
		if _, err := Read(bufio.NewReader(strings.NewReader(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want %s", text, err, want)
		}
	}
}

func TestReadingContinuesAfterATextThatIsNoMessage(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("Content-Length: 2\r\n\r\n[]Content-Length: 2\r\n\r\n{}" + framed("m")))
	var invalid *Error
	for _, code := range []int{ParseError, InvalidRequest} {
		if _, err := Read(r); !errors.As(err, &invalid) || invalid.Code != code {
			t.Errorf("error %v, want code %d", err, code)
		}
	}
	if m, err := Read(r); err != nil || m.Method != "m" {
		t.Errorf("read %+v, %v after them", m, err)
	}
}

// FuzzRead reads any bytes. What is read as a message is written and read again unchanged.
func FuzzRead(f *testing.F) {
	f.Add(framed("initialize"))
	f.Add("content-length:2\n\n{}")
	f.Add("Content-Length: 38\r\nContent-Type: x\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":1}")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := NewWriter(&b).Write(m); err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		again, err := Read(bufio.NewReader(&b))
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		first, _ := json.Marshal(m)
		if second, _ := json.Marshal(again); !bytes.Equal(first, second) {
			t.Errorf("%s became %s", first, second)
		}
	})
}
