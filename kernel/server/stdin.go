package server

import (
	"context"
	"errors"
	"sync"

	"gosphere/kernel/protocol"
	"gosphere/kernel/wire"
)

// An Asker is an Interpreter whose cells may ask the user for a line. New hands it the
// function that asks; the function may be called from any goroutine while a cell runs.
type Asker interface {
	BindInput(ask func(prompt string, password bool) (string, error))
}

// Errors of asking.
var (
	ErrNoInput     = errors.New("this client does not take questions (allow_stdin is false)")
	ErrNoCell      = errors.New("a question needs a running cell")
	ErrInterrupted = errors.New("interrupted while waiting for input")
)

// inputs knows the running cell and the question that waits for an answer.
type inputs struct {
	asking sync.Mutex // held from question to answer: one question at a time

	mu      sync.Mutex // guards the fields below
	ctx     context.Context
	cell    *wire.Message // nil for none
	allowed bool
	asked   string // message id of the question
	answer  chan string
}

func (i *inputs) begin(ctx context.Context, cell *wire.Message, allowed bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ctx, i.cell, i.allowed = ctx, cell, allowed
}

func (i *inputs) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ctx, i.cell = nil, nil
}

// running tells whether a cell still runs.
func (i *inputs) running(cell *wire.Message) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.cell == cell
}

// ask sends an input_request to the client whose cell runs and waits for its answer.
func (s *Server) ask(prompt string, password bool) (string, error) {
	s.inputs.asking.Lock()
	defer s.inputs.asking.Unlock()
	at := s.stamp()
	question := s.header("input_request", at)
	answer := make(chan string, 1)
	s.inputs.mu.Lock()
	ctx, cell, allowed := s.inputs.ctx, s.inputs.cell, s.inputs.allowed
	s.inputs.asked, s.inputs.answer = question.MsgID, answer
	s.inputs.mu.Unlock()
	switch {
	case cell == nil:
		return "", ErrNoCell
	case !allowed:
		return "", ErrNoInput
	}
	s.outbox.flush() // what was printed belongs above the question
	content, err := encodeContent("input_request", protocol.InputRequest{Prompt: prompt, Password: password})
	if err != nil {
		return "", err
	}
	frames, err := s.Codec.Encode(&wire.Message{Identities: cell.Identities, Header: question, Parent: cell.RawHeader, Content: content})
	if err != nil {
		return "", err
	}
	if err := s.Sockets.Stdin.Send(frames); err != nil {
		return "", err
	}
	select {
	case value := <-answer:
		return value, nil
	case <-ctx.Done():
		return "", ErrInterrupted
	}
}

// takeInput hands an input_reply to the question it answers. Some clients leave the parent
// out; then it is taken for an answer to the question that waits.
func (s *Server) takeInput(m *wire.Message) {
	var reply protocol.InputReply
	if m.Header.MsgType != "input_reply" || m.DecodeContent(&reply, "value") != nil {
		return
	}
	parent, err := m.ParentID()
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	if s.inputs.answer == nil || err == nil && parent != "" && parent != s.inputs.asked {
		return
	}
	s.inputs.answer <- reply.Value // has room for one, and is forgotten then
	s.inputs.answer = nil
}
