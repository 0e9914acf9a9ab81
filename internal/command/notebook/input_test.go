package notebook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// asking is a language whose cells ask for a line or read all input.
type asking struct {
	echo
	ask         func(string, bool) (string, error)
	input       io.Reader
	answer      string
	err         error
	interrupted bool
}

func (a *asking) BindInput(ask func(string, bool) (string, error)) { a.ask = ask }
func (a *asking) ReadInput(input io.Reader)                        { a.input = input }
func (a *asking) Interrupt()                                       { a.interrupted = true }

func (a *asking) Execute(_ context.Context, request protocol.ExecuteRequest, _ func(protocol.Content)) protocol.ExecuteReply {
	a.answer, a.err = a.ask("who? ", strings.Contains(request.Code, "secret"))
	return protocol.ExecuteReply{Status: "ok"}
}

// typed is a reader with one cell and one answer to its question.
type typed struct {
	cells  []string
	answer error
	asked  []string
}

func (p *typed) Cell(int) (string, error) {
	if len(p.cells) == 0 {
		return "", io.EOF
	}
	cell := p.cells[0]
	p.cells = p.cells[1:]
	return cell, nil
}

func (p *typed) Ask(prompt string, password bool) (string, error) {
	if password {
		p.asked = append(p.asked, "secret "+prompt)
		return "hidden", p.answer
	}
	p.asked = append(p.asked, prompt)
	return "Bob", p.answer
}

func TestCellsOfTheTerminalAskInTheTerminal(t *testing.T) {
	for cell, want := range map[string]string{"plain": "Bob, asked who? ", "secret": "hidden, asked secret who? "} {
		session, line := &asking{}, &typed{cells: []string{cell}}
		if err := readCells(session, line, io.Discard, io.Discard); err != nil {
			t.Fatal(err)
		}
		if got := session.answer + ", asked " + strings.Join(line.asked, "|"); got != want || session.err != nil {
			t.Errorf("%s: %q, %v, want %q", cell, got, session.err, want)
		}
	}
}

func TestCtrlCAtAQuestionInterruptsTheCell(t *testing.T) {
	session := &asking{}
	if err := readCells(session, &typed{cells: []string{"x"}, answer: errDropped}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !session.interrupted || session.err == nil {
		t.Errorf("interrupted %v, error %v", session.interrupted, session.err)
	}
}

func TestAnswersInAPipeFollowTheCell(t *testing.T) {
	session := &asking{}
	if err := readCells(session, piped(session, "first cell\nAnn\n"), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	if session.answer != "Ann" || session.err != nil {
		t.Errorf("%q, %v", session.answer, session.err)
	}
}

func TestProgramsGetTheInputOfTheProcess(t *testing.T) {
	var out bytes.Buffer
	session := &asking{}
	readProcessInput(session, strings.NewReader("Ann\r\nrest"), &out)
	if answer, err := session.ask("who? ", true); answer != "Ann" || err != nil || out.String() != "who? " {
		t.Errorf("%q, %v after %q", answer, err, out.String())
	}
	if rest, err := io.ReadAll(session.input); string(rest) != "rest" || err != nil {
		t.Errorf("the program reads %q, %v", rest, err)
	}
	if _, err := session.ask("more? ", false); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	readProcessInput(&parrot{}, nil, nil) // a session without input is left alone
}
