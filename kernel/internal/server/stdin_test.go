package server

import (
	"testing"

	"gosphere/kernel/protocol"
)

// answer waits for a question and answers it.
func (c *client) answer(value string) protocol.InputRequest {
	c.t.Helper()
	question := c.until(func(r received) bool { return r.channel == "stdin" })
	var content protocol.InputRequest
	question.decode(c.t, &content)
	_, frames := c.frames("input_reply", `{"value":"`+value+`"}`, question.Header.MsgID)
	c.sockets.Stdin.Send(frames)
	return content
}

func TestCellsAskTheClientThatSentThem(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			other, c := k.dial("other", testKey), k.dial("me", testKey)
			id := c.cell("ask password", `,"allow_stdin":true`)
			if q := c.answer("Bob"); q.Prompt != "password" || !q.Password {
				t.Errorf("question %+v", q)
			}
			c.done(id)
			if got := c.printed(id); got != "got Bob" {
				t.Errorf("printed %q", got)
			}
			other.idle(id)
			for _, r := range other.all {
				if r.channel == "stdin" {
					t.Error("another client was asked")
				}
			}
		})
	}
}

func TestQuestionWithoutAllowStdinFailsAtOnce(t *testing.T) {
	c := start(t, "memory", testKey).dial("me", testKey)
	var reply protocol.ExecuteReply
	c.run("ask name", "").decode(t, &reply)
	if reply.Ename != "InputError" || reply.Evalue != ErrNoInput.Error() {
		t.Errorf("reply %+v", reply)
	}
}

func TestInterruptEndsAQuestion(t *testing.T) {
	c := start(t, "memory", testKey).dial("me", testKey)
	id := c.cell("ask name", `,"allow_stdin":true`)
	c.until(func(r received) bool { return r.channel == "stdin" })
	c.done(c.send(c.sockets.Control, "interrupt_request", `{}`))
	var reply protocol.ExecuteReply
	c.done(id)[id].decode(t, &reply)
	if reply.Evalue != "interrupted while waiting for input" {
		t.Errorf("reply %+v", reply)
	}
}

func TestQuestionOutsideACellFails(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	if _, err := k.mock.ask(t.Context(), "name", false); err != ErrNoCell {
		t.Errorf("without a cell: error %v, want %v", err, ErrNoCell)
	}
	c.run("remember", `,"allow_stdin":true`)
	if _, err := k.mock.ask(<-k.mock.contexts, "name", false); err != ErrNoCell {
		t.Errorf("after the cell: error %v, want %v", err, ErrNoCell)
	}
}

func TestUnaskedAndMistakenAnswersAreIgnored(t *testing.T) {
	c := start(t, "memory", testKey).dial("me", testKey)
	for _, content := range []string{`{"value":"early"}`, `{}`, `{"value":7}`} {
		_, frames := c.frames("input_reply", content, "x")
		c.sockets.Stdin.Send(frames)
	}
	c.send(c.sockets.Stdin, "no_such_reply", `{"value":"early"}`)
	c.run("print a", "")
	id := c.cell("ask name", `,"allow_stdin":true`)
	question := c.until(func(r received) bool { return r.channel == "stdin" })
	_, frames := c.frames("input_reply", `{"value":"of another question"}`, "x")
	c.sockets.Stdin.Send(frames)
	_, frames = c.frames("input_reply", `{"value":"right"}`, question.Header.MsgID)
	c.sockets.Stdin.Send(frames)
	c.done(id)
	if got := c.printed(id); got != "got right" {
		t.Errorf("printed %q", got)
	}
}

func TestAnswerWithoutAParentIsTakenForTheQuestionThatWaits(t *testing.T) {
	c := start(t, "memory", testKey).dial("me", testKey)
	id := c.cell("ask name", `,"allow_stdin":true`)
	c.until(func(r received) bool { return r.channel == "stdin" })
	c.send(c.sockets.Stdin, "input_reply", `{"value":"Bob"}`)
	c.done(id)
	if got := c.printed(id); got != "got Bob" {
		t.Errorf("printed %q", got)
	}
}
