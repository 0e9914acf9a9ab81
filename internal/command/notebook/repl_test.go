package notebook

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reeflective/readline"

	"gosphere/kernel/history"
	"gosphere/kernel/history/disk"
	"gosphere/kernel/protocol"
)

// echo is a language that returns the code it was asked to run.
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
	line := piped(session, input)
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

func TestPipedCellsKeepTheirLines(t *testing.T) {
	session := &echo{}
	// An empty line inside a function, a raw string, and an end in the middle of a cell.
	input := "func f() {\n\ns := `a\nb`\n}\nfunc g() {\n1"
	var out bytes.Buffer
	if err := readCells(session, piped(session, input), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if want := []string{"func f() {\n\ns := `a\nb`\n}", "func g() {\n1"}; !slices.Equal(session.cells, want) {
		t.Errorf("cells %q, want %q", session.cells, want)
	}
	if strings.HasSuffix(out.String(), "\n\n") {
		t.Errorf("an empty line ends the output %q", out.String())
	}
}

// piped returns a reader of a text.
func piped(session language, input string) *pipe {
	return &pipe{input: strings.NewReader(input), complete: session.IsComplete}
}

func TestCompletionInTheTerminalCountsCodePoints(t *testing.T) {
	line := []rune(`"κ" + math.Co`)
	terminal := newTerminal(&echo{}, nil)
	var values []string
	completions := terminal.complete(line, len(line))
	completions.EachValue(func(c readline.Completion) readline.Completion {
		values = append(values, c.Value)
		return c
	})
	if !slices.Equal(values, []string{"math.Cos", "math.Cosh"}) {
		t.Errorf("proposed %q", values)
	}
}

func TestColorsLeaveTheTextAsItIs(t *testing.T) {
	for _, text := range []string{"", "x := `a\nb` // κ\r\nfunc f() { return 'x' }", "\"open", "%time f(1.5)\n!ls", "a\x00b"} {
		shown := colored(text)
		for _, color := range []string{keywordColor, literalColor, numberColor, commentColor, noColor} {
			shown = strings.ReplaceAll(shown, color, "")
		}
		if shown != text {
			t.Errorf("%q is shown as %q", text, shown)
		}
	}
	if got := colored("for {}"); got != keywordColor+"for"+noColor+" {}" {
		t.Errorf("got %q", got)
	}
}

func TestCellsAreRememberedWhole(t *testing.T) {
	h := &typedHistory{}
	for _, cell := range []string{"a\nb\n", "a\nb", "", "c"} {
		if _, err := h.Write(cell); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(h.cells, []string{"a\nb", "c"}) {
		t.Errorf("remembered %q", h.cells)
	}
	if _, err := h.GetLine(2); err == nil {
		t.Error("there is a third cell")
	}
}

func TestErrorsGoToStandardError(t *testing.T) {
	var out, errs bytes.Buffer
	o := newOutputs(&out, &errs)
	o.show(protocol.Error{Traceback: []string{"Cell [1], line 1", "undefined: x"}})
	if out.Len() > 0 || errs.String() != "Cell [1], line 1\nundefined: x\n" {
		t.Errorf("stdout %q, stderr %q", out.String(), errs.String())
	}
	o.show(protocol.DisplayData{Data: protocol.MimeBundle{"image/png": "…"}})
	if !strings.Contains(out.String(), "image/png") {
		t.Errorf("a picture is shown as %q", out.String())
	}
}

// pager answers every cell with a page.
type pager struct{ echo }

func (*pager) Execute(context.Context, protocol.ExecuteRequest, func(protocol.Content)) protocol.ExecuteReply {
	return protocol.ExecuteReply{Payload: []map[string]any{
		{"source": "page", "start": 0, "data": protocol.MimeBundle{"text/plain": "func Sqrt(x float64) float64"}},
		{"source": "set_next_input", "text": "not to be shown"},
	}}
}

func TestDumbTerminals(t *testing.T) {
	for _, c := range []struct {
		kind, system string
		want         bool
	}{{"dumb", "linux", true}, {"", "linux", true}, {"xterm", "linux", false}, {"", "windows", false}, {"dumb", "windows", true}} {
		if got := isDumb(func(string) string { return c.kind }, c.system); got != c.want {
			t.Errorf("TERM=%s on %s: %v", c.kind, c.system, got)
		}
	}
}

func TestPagesAreShownInTheTerminal(t *testing.T) {
	var out, errs bytes.Buffer
	if err := readCells(&pager{}, piped(&pager{}, "math.Sqrt?\n"), &out, &errs); err != nil {
		t.Fatal(err)
	}
	if out.String() != "func Sqrt(x float64) float64\n" || errs.String() != "" {
		t.Errorf("printed %q and %q", out.String(), errs.String())
	}
}

func TestTerminalSharesTheHistoryOfKernels(t *testing.T) {
	path := t.TempDir() + "/history.sqlite"
	kernel := disk.New(disk.Options{Path: path, Patience: time.Minute})
	kernel.Add(history.Cell{Line: 1, Source: "func f() {\n\tx\n}"})
	kernel.Close(time.Minute)

	past := disk.New(disk.Options{Path: Repl{History: path}.historyPath(), Patience: time.Minute})
	if got := strings.Join(recall(past), "|"); got != "func f() {\n\tx\n}" {
		t.Errorf("the arrow keys reach %q", got)
	}
	var out bytes.Buffer
	if err := readCells(&remembering{language: &echo{}, past: past}, piped(&echo{}, "1 + 2\n"), &out, &out); err != nil {
		t.Fatal(err)
	}
	cells, err := past.Find(protocol.HistoryRequest{HistAccessType: "range"})
	if err != nil || len(cells) != 1 || cells[0] != (history.Cell{Session: 2, Line: 1, Source: "1 + 2", Output: "1 + 2"}) {
		t.Errorf("remembered %+v, %v", cells, err)
	}
	past.Close(time.Minute)
}

func TestHistoryOfTheTerminalCanBeTurnedOff(t *testing.T) {
	t.Setenv(disk.Variable, t.TempDir()+"/h.sqlite")
	for flag, want := range map[string]string{"off": "", "": os.Getenv(disk.Variable), "here": "here"} {
		if got := (Repl{History: flag}).historyPath(); got != want {
			t.Errorf("--history %q gives %q, want %q", flag, got, want)
		}
	}
}
