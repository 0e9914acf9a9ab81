package server

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// An Asker is an Interpreter whose cells may ask the user for a line. New passes it the function
// that asks. It may be called from any goroutine while the cell runs, with the context that was
// passed to Execute. The function fails with one of the errors below, for instance at once if the
// client does not take questions. The context says which cell asks, so goroutines that the cell has
// started must pass it on.
type Asker interface {
	BindQuestions(ask func(ctx context.Context, prompt string, password bool) (string, error))
}

// Errors of asking and of interrupted cells.
var (
	ErrNoInput = errors.New("this client does not take questions (allow_stdin is false)")
	ErrNoCell  = errors.New("a question needs a running cell")
	// ErrInterrupted is the cause of the context of an interrupted cell.
	ErrInterrupted = errors.New("interrupted")

	errQuestion = fmt.Errorf("%w while waiting for input", ErrInterrupted)

	errCellEnded = errors.New("the cell has ended")
)

// inputs holds the question that waits for an answer. One question waits at a time, for all shells:
// a client that omits the parent of its reply could not be understood otherwise.
type inputs struct {
	turn chan struct{} // holds one token from question to answer, which allows one question at a time

	mu     sync.Mutex // guards the fields below
	asked  string     // message id of the question
	answer chan string
}

// askerKey is the key of the asker in the context of a cell.
type askerKey struct{}

// An asker is the cell on whose behalf a question is asked.
type asker struct {
	cell    *wire.Message
	allowed bool
}

// withAsker returns the context of a cell, which names the client to ask.
func withAsker(ctx context.Context, cell *wire.Message, allowed bool) context.Context {
	return context.WithValue(ctx, askerKey{}, asker{cell, allowed})
}

// ask sends an input_request to the client of the cell and waits for its answer. The order matters.
// The answer's channel is registered before the question is sent, or a fast answer would find no
// question. What the cell printed is flushed before, because the prompt often continues it and
// stdin is another socket than iopub.
func (s *Server) ask(ctx context.Context, prompt string, password bool) (string, error) {
	on, isCell := ctx.Value(askerKey{}).(asker)
	switch {
	case !isCell || ctx.Err() != nil && context.Cause(ctx) == errCellEnded:
		return "", ErrNoCell
	case !on.allowed:
		return "", ErrNoInput
	}
	select {
	case s.inputs.turn <- struct{}{}:
		defer func() { <-s.inputs.turn }()
	case <-ctx.Done():
		return "", errQuestion
	}
	question := s.header("input_request", s.stamp())
	answer := make(chan string, 1)
	s.inputs.mu.Lock()
	s.inputs.asked, s.inputs.answer = question.MsgID, answer
	s.inputs.mu.Unlock()
	s.outbox.flush() // printed text must precede the question
	content, err := encodeContent("input_request", protocol.InputRequest{Prompt: prompt, Password: password})
	if err != nil {
		return "", err
	}
	frames, err := s.Codec.Encode(&wire.Message{Identities: on.cell.Identities, Header: question, Parent: on.cell.RawHeader, Content: content})
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
		return "", errQuestion
	}
}

// takeInput passes an input_reply to the question that it answers. Some clients omit the parent;
// the reply then answers the pending question. It is called by the receiver of stdin. Replies to no
// question, or to one that was interrupted, are ignored: the user may have answered after the
// interrupt.
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
	s.inputs.answer <- reply.Value // the channel has capacity for one answer
	s.inputs.answer = nil
}
