package command

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// echo is a language that returns what it was asked to run.
type echo struct{ cells []string }

func (e *echo) Execute(_ context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	e.cells = append(e.cells, request.Code)
	publish(protocol.Stream{Name: "stdout", Text: "ran\n"})
	publish(protocol.ExecuteResult{ExecutionCount: len(e.cells), Data: protocol.MimeBundle{"text/plain": request.Code}})
	return protocol.ExecuteReply{}
}

func (e *echo) Complete(request protocol.CompleteRequest) protocol.CompleteReply {
	return protocol.CompleteReply{Matches: []string{"Cos", "Cosh"}, CursorStart: request.CursorPos - 2, CursorEnd: request.CursorPos}
}

func (e *echo) IsComplete(request protocol.IsCompleteRequest) protocol.IsCompleteReply {
	if strings.Count(request.Code, "{") > strings.Count(request.Code, "}") {
		return protocol.IsCompleteReply{Status: "incomplete", Indent: "\t"}
	}
	return protocol.IsCompleteReply{Status: "complete"}
}

func (e *echo) Interrupt() {}

func TestTerminalJoinsLinesToCells(t *testing.T) {
	session := &echo{}
	var out, errs bytes.Buffer
	input := "x := 1\r\n\nfunc f() {\nx\n}\n1 + 2"
	line := &plainPrompter{input: strings.NewReader(input), output: &out}
	if err := readCells(session, line, &out, &errs); err != nil {
		t.Fatal(err)
	}
	want := []string{"x := 1", "func f() {\n\tx\n\t}", "1 + 2"}
	if len(session.cells) != len(want) {
		t.Fatalf("cells %q, want %q", session.cells, want)
	}
	for i := range want {
		if strings.Join(strings.Fields(session.cells[i]), " ") != strings.Join(strings.Fields(want[i]), " ") {
			t.Errorf("cell %d is %q, want %q", i, session.cells[i], want[i])
		}
	}
	if !strings.Contains(out.String(), "Out[3]: 1 + 2") || !strings.Contains(out.String(), "ran") {
		t.Errorf("output %q", out.String())
	}
}

func TestCompletionInTheTerminalCountsCodePoints(t *testing.T) {
	line := `"κ" + math.Co`
	head, matches, tail := completer(&echo{})(line, len(line))
	if head != `"κ" + math.` || tail != "" || len(matches) != 2 {
		t.Errorf("head %q, matches %q, tail %q", head, matches, tail)
	}
}

func TestErrorsGoToStandardError(t *testing.T) {
	var out, errs bytes.Buffer
	printContent(protocol.Error{Traceback: []string{"Cell [1], line 1", "undefined: x"}}, &out, &errs)
	if out.Len() > 0 || errs.String() != "Cell [1], line 1\nundefined: x\n" {
		t.Errorf("stdout %q, stderr %q", out.String(), errs.String())
	}
	printContent(protocol.DisplayData{Data: protocol.MimeBundle{"image/png": "…"}}, &out, io.Discard)
	if !strings.Contains(out.String(), "image/png") {
		t.Errorf("a picture is shown as %q", out.String())
	}
}
