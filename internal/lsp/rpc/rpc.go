// Package rpc reads and writes the messages of JSON-RPC 2.0 as the Language Server Protocol frames
// them: a header with the length, an empty line and the text.
package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Longest is the maximum number of bytes of a message. A notebook with its texts has a few.
const Longest = 256 << 20

// mostHeaders is the maximum number of bytes of a header.
const mostHeaders = 4 << 10

// Codes of errors.
const (
	ParseError       = -32700
	InvalidRequest   = -32600
	MethodNotFound   = -32601
	InvalidParams    = -32602
	InternalError    = -32603
	NotInitialized   = -32002
	RequestFailed    = -32803
	RequestCancelled = -32800
)

// A Message is a request (method and id), a notification (method), or a response (id).
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// An Error is the error of a response.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Read reads one message. The error is io.EOF at the end of the input between messages, and an
// *Error for a text that is framed correctly and no message, after which reading can continue.
func Read(r *bufio.Reader) (*Message, error) {
	length, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer // which grows with what arrives, so that a length alone needs no memory
	if _, err := io.CopyN(&text, r, int64(length)); err != nil {
		return nil, fmt.Errorf("rpc: a message of %d bytes ends after %d: %w", length, text.Len(), io.ErrUnexpectedEOF)
	}
	m := new(Message)
	if err := json.Unmarshal(text.Bytes(), m); err != nil {
		return nil, &Error{ParseError, "the message is not valid: " + err.Error()}
	}
	if m.Version != "2.0" {
		return nil, &Error{InvalidRequest, fmt.Sprintf("jsonrpc is %q, want 2.0", m.Version)}
	}
	if string(m.ID) == "null" {
		m.ID = nil
	}
	return m, nil
}

// readHeader returns the length that a header states.
func readHeader(r *bufio.Reader) (int, error) {
	length, read := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		read += len(line)
		switch {
		case errors.Is(err, io.EOF) && read == 0:
			return 0, io.EOF
		case err != nil:
			return 0, fmt.Errorf("rpc: the header ends early: %w", errors.Join(err, io.ErrUnexpectedEOF))
		case read > mostHeaders:
			return 0, fmt.Errorf("rpc: the header has more than %d bytes", mostHeaders)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, fmt.Errorf("rpc: %q is no field of a header", text)
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		length, err = strconv.Atoi(strings.TrimSpace(value))
		if err != nil || length < 0 || length > Longest {
			return 0, fmt.Errorf("rpc: Content-Length is %q, want 0 to %d", strings.TrimSpace(value), Longest)
		}
	}
	if length < 0 {
		return 0, errors.New("rpc: a header without Content-Length")
	}
	return length, nil
}

// A Writer writes messages. Its methods may be called from any goroutine.
type Writer struct {
	mu sync.Mutex // held while a message is written
	to io.Writer
}

// NewWriter returns a writer.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes one message.
func (w *Writer) Write(m *Message) error {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("rpc: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = fmt.Fprintf(w.to, "Content-Length: %d\r\n\r\n%s", len(text), text)
	return err
}

// Notify writes a notification.
func (w *Writer) Notify(method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("rpc: %s: %w", method, err)
	}
	return w.Write(&Message{Method: method, Params: text})
}

// Reply writes the response to a request. The result of nil is null.
func (w *Writer) Reply(id json.RawMessage, result any, failure error) error {
	m := &Message{ID: id}
	if failure != nil {
		if !errors.As(failure, &m.Error) {
			m.Error = &Error{RequestFailed, failure.Error()}
		}
		return w.Write(m)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("rpc: %w", err)
	}
	m.Result = text
	return w.Write(m)
}
