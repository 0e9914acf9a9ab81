package debug

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"gosphere/kernel/protocol"
)

// A still is a debuggee in which nothing ever happens.
type still struct {
	calls   []string
	matches []protocol.TypedMatch
}

var errStill = errors.New("nothing has stopped")

func (s *still) BindDebugger(func(string) string, func(protocol.DebugNotice)) {}
func (s *still) Attach()                                                      { s.calls = append(s.calls, "attach") }
func (s *still) Detach()                                                      { s.calls = append(s.calls, "detach") }
func (s *still) SetBreakpoints(_, _ string, wanted []protocol.DebugBreakpoint) []protocol.DebugBreakpoint {
	return wanted
}
func (s *still) Lines(string) []int    { return []int{1, 3} }
func (s *still) StopOnPanic(stop bool) { s.calls = append(s.calls, fmt.Sprint("panic ", stop)) }
func (s *still) Threads() []protocol.DebugThread {
	return []protocol.DebugThread{{ID: 1, Name: "cells"}}
}
func (s *still) Stopped() []int                    { return nil }
func (s *still) Resume(int, string) error          { return errStill }
func (s *still) Pause() error                      { return errStill }
func (s *still) Globals() []protocol.DebugVariable { return nil }
func (s *still) Exception(int) (e protocol.DebugException, err error) {
	return e, errStill
}
func (s *still) Stack(int) ([]protocol.DebugFrame, error)  { return nil, errStill }
func (s *still) Scopes(int) ([]protocol.DebugScope, error) { return nil, errStill }
func (s *still) Variables(int, protocol.DebugRange) ([]protocol.DebugVariable, error) {
	return nil, nil
}
func (s *still) Evaluate(int, string, bool) (v protocol.DebugVariable, err error) {
	return v, errStill
}
func (s *still) Complete(_ int, _ string, cursor int) ([]protocol.TypedMatch, error) {
	return append(s.matches, protocol.TypedMatch{Text: "all", End: cursor}), nil
}
func (s *still) Assign(int, string, string) (v protocol.DebugVariable, err error) {
	return v, errStill
}
func (s *still) Copy(int, string, string) (v protocol.DebugVariable, err error) {
	return v, errStill
}
func (s *still) Render(int, string) (protocol.MimeBundle, map[string]any, error) {
	return nil, nil, errStill
}

func TestMurmur2IsThatOfOtherKernels(t *testing.T) {
	for text, want := range map[string]uint32{
		// Computed by ipykernel, for the seed of this kernel.
		"":               275646681,
		"a":              2731586172,
		"ab":             316155434,
		"abc":            479470107,
		"abcd":           2971317748,
		"x := 41\nx + 1": 2999781459,
		"Grüße, 世界":      946017094,
	} {
		if got := Murmur2(text, hashSeed); got != want {
			t.Errorf("%q gives %d, want %d", text, got, want)
		}
	}
}

func TestDumpedCellsAreFilesUntilClose(t *testing.T) {
	a := New(new(still))
	reply, err := dumpCell(a, json.RawMessage(`{"code":"x := 1"}`))
	if err != nil {
		t.Fatal(err)
	}
	path := reply.(map[string]string)["sourcePath"]
	if text, err := os.ReadFile(path); err != nil || string(text) != "x := 1" {
		t.Errorf("%s holds %q, %v", path, text, err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("others can read %v, %v", info.Mode(), err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file stays: %v", err)
	}
}

// answer returns the response to a request as JSON.
func answer(t testing.TB, a *Adapter, content string) (success bool, text string) {
	t.Helper()
	reply := a.Debug(json.RawMessage(content), func(json.RawMessage) {})
	raw, err := json.Marshal(reply)
	if err != nil {
		t.Fatalf("%s: %v", content, err)
	}
	var response struct {
		Type    string
		Success *bool
		Message string
	}
	if err := json.Unmarshal(raw, &response); err != nil || response.Type != "response" || response.Success == nil {
		t.Fatalf("%s is answered by %s", content, raw)
	}
	return *response.Success, string(raw)
}

func TestBadRequestsAreNamed(t *testing.T) {
	s := new(still)
	a := New(s)
	for _, c := range []struct{ content, want string }{
		{`[]`, "debug_request: json"},
		{`{"command":"fly","seq":1}`, `no command \"fly\"`},
		{`{"command":"continue","seq":2}`, "continue: the debugger has not been started"},
		{`{"command":"initialize","seq":3,"arguments":{"linesStartAt1":false}}`, "linesStartAt1"},
		{`{"command":"initialize","seq":3,"arguments":{"columnsStartAt1":false}}`, "columnsStartAt1"},
		{`{"command":"initialize","seq":4}`, ""},
		{`{"command":"attach","seq":5}`, ""},
		{`{"command":"dumpCell","seq":6,"arguments":{}}`, "dumpCell: the code is missing"},
		{`{"command":"setBreakpoints","seq":7,"arguments":{"source":{}}}`, "setBreakpoints: the path is missing"},
		{`{"command":"setExceptionBreakpoints","seq":8,"arguments":{"filters":["raised"]}}`, `no filter \"raised\"`},
		{`{"command":"setExceptionBreakpoints","seq":9,"arguments":{"filters":["panic"]}}`, ""},
		{`{"command":"setFunctionBreakpoints","seq":10,"arguments":{"breakpoints":[{"name":"f"}]}}`, "no breakpoints on functions"},
		{`{"command":"source","seq":11,"arguments":{"source":{"path":"/nowhere"}}}`, "the text of /nowhere is not known"},
		{`{"command":"variables","seq":12,"arguments":{"variablesReference":1,"start":-1}}`, "start is -1"},
		{`{"command":"variables","seq":13,"arguments":{"variablesReference":"one"}}`, "json: cannot unmarshal"},
		{`{"command":"evaluate","seq":14,"arguments":{"expression":" "}}`, "the expression is missing"},
		{`{"command":"copyToGlobals","seq":15,"arguments":{"srcVariableName":"a b","dstVariableName":"c"}}`, `\"a b\" is no name`},
		{`{"command":"richInspectVariables","seq":16,"arguments":{}}`, "the name of the variable is missing"},
		{`{"command":"disconnect","seq":17}`, ""},
		{`{"command":"next","seq":18}`, "not been started"},
	} {
		success, text := answer(t, a, c.content)
		if success != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s is answered by %s", c.content, text)
		}
	}
	if got := strings.Join(s.calls, ", "); got != "attach, panic true, detach" {
		t.Errorf("the language was told %s", got)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, command := range []string{"setBreakpoints", "variables", "evaluate", "stackTrace", "setExpression", "breakpointLocations", "completions"} {
		f.Add(command, `{"source":{"path":"p"},"breakpoints":[{"line":1}],"expression":"x","text":"a\nb","column":2,"line":2,"threadId":1,"frameId":2}`)
	}
	f.Fuzz(func(t *testing.T, command, arguments string) {
		if command == "dumpCell" {
			return // writes files
		}
		a := New(new(still))
		answer(t, a, `{"command":"initialize"}`)
		name, _ := json.Marshal(command)
		answer(t, a, `{"command":`+string(name)+`,"arguments":`+arguments+`}`)
	})
}

func TestJupyterLabGetsTypesBeforeValues(t *testing.T) {
	for _, c := range []struct{ typ, value, wantType, wantValue string }{
		{"int", "5", "int", "5"},
		{"float64", "1e+300", "", "1e+300"},
		{"string", `"a"`, "", `"a"`},
		{"[]Point", "[{X:1}]", "", "[]Point [{X:1}]"},
		{"uint8", "7", "", "uint8 7"},
	} {
		v := protocol.DebugVariable{Name: "v", Type: c.typ, Value: c.value}
		if d := variable(v, true); d.Type != c.wantType || d.Value != c.wantValue {
			t.Errorf("%s %s becomes %q %q", c.typ, c.value, d.Type, d.Value)
		}
		if d := variable(v, false); d.Type != c.typ || d.Value != c.value {
			t.Errorf("%s %s becomes %q %q for others", c.typ, c.value, d.Type, d.Value)
		}
	}
}

func TestCompletionsCountUTF16Units(t *testing.T) {
	// Before the cursor are an ordinary letter, one of two units, and one of two bytes.
	s := &still{matches: []protocol.TypedMatch{{Text: "κ2", Type: "constant", Signature: "float64", Start: 4, End: 5}, {Text: "name", Type: "something", Start: 5, End: 5}}}
	_, text := answer(t, New(s), `{"command":"completions","arguments":{"text":"x\na😀κ","line":2,"column":5}}`)
	var response struct{ Body dap.CompletionsResponseBody }
	if err := json.Unmarshal([]byte(text), &response); err != nil {
		t.Fatal(err)
	}
	want := []dap.CompletionItem{
		{Label: "κ2", SortText: "00000", Detail: "float64", Type: "value", Start: 4, Length: 1},
		{Label: "name", SortText: "00001", Start: 5},
	}
	if !slices.Equal(response.Body.Targets, want) {
		t.Errorf("targets are\n%+v, want\n%+v; what begins on an earlier line cannot be told", response.Body.Targets, want)
	}
	for _, c := range []struct{ arguments, want string }{
		{`{"text":"ab","column":0}`, "column 0 of a line of 2 letters"},
		{`{"text":"ab\nc","column":4}`, "column 4 of a line of 2 letters"},
		{`{"text":"ab","column":1,"line":2}`, "there is no line 2"},
	} {
		if success, text := answer(t, New(s), `{"command":"completions","arguments":`+c.arguments+`}`); success || !strings.Contains(text, c.want) {
			t.Errorf("%s is answered by %s, want %s", c.arguments, text, c.want)
		}
	}
}
