//go:build !race

package debug_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/debug"
	"gosphere/kernel/internal/server"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

const deadline = 2 * time.Minute

// A client is a debugging front end: it sends debug_requests on control and records everything it
// receives.
type client struct {
	t        *testing.T
	sockets  *socket.Sockets
	codec    *wire.Codec
	sent     int
	arrived  chan received
	replies  []string // what was answered, in a few words
	iopub    []string // what was published, but for busy and idle
	adapter  *debug.Adapter
	cellDone map[string]string // status by request
	idle     map[string]bool   // requests whose idle has come
	stops    []int             // threads that have stopped and were not looked at
	thread   int               // the one of the last stop that was looked at
}

type received struct {
	channel string
	*wire.Message
}

// dial starts a kernel with a real session and connects to it.
func dial(t *testing.T) *client {
	t.Helper()
	s := sessiontest.New(t)
	adapter := debug.New(s.Debuggee())
	sockets, connect := socket.Memory()
	codec, err := wire.NewCodec("hmac-sha256", "key")
	if err != nil {
		t.Fatal(err)
	}
	k := server.New(server.Options{Sockets: sockets, Codec: codec, Interpreter: s, Debugger: adapter})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.Serve(ctx)
	}()
	own, err := connect("me")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		<-ended
		own.Close()
		if err := adapter.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &client{t: t, sockets: own, codec: codec, arrived: make(chan received, 10_000), adapter: adapter, cellDone: map[string]string{}, idle: map[string]bool{}}
	for channel, from := range map[string]socket.Socket{"shell": own.Shell, "control": own.Control, "iopub": own.IOPub} {
		// This goroutine ends when the client's sockets are closed.
		go func() {
			for {
				frames, err := from.Receive()
				if err != nil {
					return
				}
				m, err := codec.Decode(frames)
				if err != nil {
					t.Error(err)
					return
				}
				c.arrived <- received{channel, m}
			}
		}()
	}
	c.until(func(r received) bool { return r.Header.MsgType == "iopub_welcome" })
	return c
}

func (c *client) send(to socket.Socket, kind string, content any) (id string) {
	c.t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		c.t.Fatal(err)
	}
	c.sent++
	id = fmt.Sprint("me-", c.sent)
	frames, err := c.codec.Encode(&wire.Message{Content: text, Header: protocol.Header{MsgID: id, Session: "me", Username: "user",
		Date: time.Now().UTC().Format(protocol.DateFormat), MsgType: kind, Version: "5.6"}})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := to.Send(frames); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// until reads messages until one satisfies wanted, and records them.
func (c *client) until(wanted func(received) bool) received {
	c.t.Helper()
	for {
		select {
		case r := <-c.arrived:
			c.note(r)
			if wanted(r) {
				return r
			}
		case <-time.After(deadline):
			c.t.Fatalf("nothing came any more; so far\n%s\n%s", strings.Join(c.replies, "\n"), strings.Join(c.iopub, "\n"))
		}
	}
}

func (c *client) note(r received) {
	if r.channel != "iopub" {
		if r.Header.MsgType == "execute_reply" {
			var reply protocol.ErrorReply
			_ = json.Unmarshal(r.Content, &reply)
			c.cellDone[parentOf(r)] = strings.TrimSpace(reply.Status + " " + reply.Ename)
		}
		return
	}
	switch r.Header.MsgType {
	case "status":
		if strings.Contains(string(r.Content), "idle") {
			c.idle[parentOf(r)] = true
		}
	case "iopub_welcome", "execute_input":
	case "debug_event":
		c.iopub = append(c.iopub, c.event(r.Content))
	default:
		var content struct {
			Text string
			Data map[string]any
		}
		_ = json.Unmarshal(r.Content, &content)
		plain, _ := content.Data["text/plain"].(string)
		c.iopub = append(c.iopub, strings.TrimSpace(r.Header.MsgType+" "+content.Text+plain))
	}
}

func parentOf(r received) string {
	parent, _ := r.ParentID()
	return parent
}

// event describes an event, which must be one of the protocol.
func (c *client) event(content []byte) string {
	m, err := dap.DecodeProtocolMessage(content)
	if err != nil {
		c.t.Errorf("%v in %s", err, content)
		return ""
	}
	switch m := m.(type) {
	case *dap.StoppedEvent:
		c.stops = append(c.stops, m.Body.ThreadId)
		return strings.TrimSpace(fmt.Sprintf("stopped %s %d %s", m.Body.Reason, m.Body.ThreadId, m.Body.Text))
	case *dap.ContinuedEvent:
		return fmt.Sprintf("continued %d", m.Body.ThreadId)
	case dap.EventMessage:
		return m.GetEvent().Event
	}
	c.t.Errorf("no event: %s", content)
	return ""
}

// ask sends a request and waits for its response, whose body is decoded into body if it is not nil.
// It records the command and, for a failure, the message.
func (c *client) ask(command string, arguments, body any) (message string) {
	c.t.Helper()
	id := c.send(c.sockets.Control, "debug_request", map[string]any{"type": "request", "seq": c.sent, "command": command, "arguments": arguments})
	r := c.until(func(r received) bool { return r.Header.MsgType == "debug_reply" && parentOf(r) == id })
	var response struct {
		dap.Response
		Body json.RawMessage
	}
	if err := json.Unmarshal(r.Content, &response); err != nil {
		c.t.Fatal(err)
	}
	if response.Type != "response" || response.RequestSeq != c.sent-1 {
		c.t.Errorf("%s is answered by %s", command, r.Content)
	}
	var unknown *dap.DecodeProtocolMessageFieldError
	if _, err := dap.DecodeProtocolMessage(r.Content); err != nil && !errors.As(err, &unknown) {
		c.t.Errorf("%s: %v in %s", command, err, r.Content)
	}
	line := response.Command
	if !response.Success {
		line += ": " + response.Message
	}
	c.replies = append(c.replies, line)
	if body != nil && response.Success {
		if err := json.Unmarshal(response.Body, body); err != nil {
			c.t.Fatal(err)
		}
	}
	return response.Message
}

// execute sends a cell.
func (c *client) execute(code string) (id string) {
	return c.send(c.sockets.Shell, "execute_request", map[string]any{"code": code})
}

// ended waits for the reply and the idle of a cell, both of which may have arrived before the reply
// to the request that resumed it.
func (c *client) ended(id, want string) {
	c.t.Helper()
	for c.cellDone[id] == "" || !c.idle[id] {
		c.until(func(received) bool { return true })
	}
	if c.cellDone[id] != want {
		c.t.Errorf("the cell ends %q, want %q", c.cellDone[id], want)
	}
}

// stopped waits for a stop and returns the calls.
func (c *client) stopped() []dap.StackFrame {
	c.t.Helper()
	for len(c.stops) == 0 { // it may have come before the reply to what caused it
		c.until(func(received) bool { return true })
	}
	c.thread, c.stops = c.stops[0], c.stops[1:]
	var stack dap.StackTraceResponseBody
	c.ask("stackTrace", map[string]any{"threadId": c.thread}, &stack)
	return stack.StackFrames
}

// variables lists the variables of a scope, in a few words.
func (c *client) variables(frame int, scope string) string {
	c.t.Helper()
	var scopes dap.ScopesResponseBody
	c.ask("scopes", map[string]any{"frameId": frame}, &scopes)
	for _, s := range scopes.Scopes {
		if s.Name == scope {
			return c.parts(s.VariablesReference)
		}
	}
	c.t.Errorf("no scope %s in %v", scope, scopes)
	return ""
}

func (c *client) parts(reference int) string {
	c.t.Helper()
	var body dap.VariablesResponseBody
	c.ask("variables", map[string]any{"variablesReference": reference}, &body)
	return words(body.Variables)
}

func words(list []dap.Variable) string {
	var texts []string
	for _, v := range list {
		texts = append(texts, v.Name+" "+v.Type+" = "+v.Value)
	}
	return strings.Join(texts, "; ")
}

// compare checks a complete list.
func compare(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// debugInfo is the body of the response to debugInfo.
type debugInfo struct {
	IsStarted                    bool
	HashMethod                   string
	HashSeed                     uint32
	TmpFilePrefix, TmpFileSuffix string
	StoppedThreads               []int
	RichRendering, CopyToGlobals bool
	Breakpoints                  []struct {
		Source      string
		Breakpoints []dap.SourceBreakpoint
	}
}

// areas is the cell that the transcript debugs.
const areas = "scale := 10\nfunc area(w, h int) int {\n\tresult := w * h\n\treturn result * scale\n}"

// begin does what JupyterLab 4 does: it lists the variables, starts the debugger and sets a
// breakpoint. It returns the path of the cell.
func (c *client) begin(t *testing.T) (path string) {
	var info debugInfo
	c.ask("debugInfo", nil, &info)
	if info.IsStarted || info.HashMethod != "Murmur2" || !info.RichRendering || !info.CopyToGlobals || info.StoppedThreads == nil || info.Breakpoints == nil {
		t.Errorf("before the start: %+v", info)
	}
	var globals dap.VariablesResponseBody
	c.ask("inspectVariables", map[string]any{}, &globals)
	if got := words(globals.Variables); got != "scale int = 10" {
		t.Errorf("variables are %s", got)
	}
	c.ask("stackTrace", map[string]any{"threadId": 1}, nil) // too early
	var can dap.Capabilities
	c.ask("initialize", map[string]any{"clientID": "test", "linesStartAt1": true, "columnsStartAt1": true}, &can)
	if !can.SupportsConditionalBreakpoints || !can.SupportsSetVariable || len(can.ExceptionBreakpointFilters) != 1 {
		t.Errorf("capabilities are %+v", can)
	}
	c.ask("attach", map[string]any{}, nil)
	var dumped struct{ SourcePath string }
	c.ask("dumpCell", map[string]any{"code": areas}, &dumped)
	if want := info.TmpFilePrefix + fmt.Sprint(debug.Murmur2(areas, info.HashSeed)) + info.TmpFileSuffix; dumped.SourcePath != want {
		t.Errorf("the cell is at %s, want %s", dumped.SourcePath, want)
	}
	var set dap.SetBreakpointsResponseBody
	c.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": dumped.SourcePath},
		"breakpoints": []map[string]any{{"line": 4, "condition": "w > 2"}}, "sourceModified": false}, &set)
	if len(set.Breakpoints) != 1 || !set.Breakpoints[0].Verified || set.Breakpoints[0].Line != 4 {
		t.Errorf("breakpoints are %+v", set.Breakpoints)
	}
	c.ask("configurationDone", map[string]any{}, nil)
	c.ask("debugInfo", nil, &info)
	if !info.IsStarted || len(info.Breakpoints) != 1 || info.Breakpoints[0].Source != dumped.SourcePath || info.Breakpoints[0].Breakpoints[0].Condition != "w > 2" {
		t.Errorf("after the start: %+v", info)
	}
	return dumped.SourcePath
}

func TestTranscriptOfADebugSession(t *testing.T) {
	c := dial(t)
	c.ended(c.execute(areas), "ok")
	path := c.begin(t)
	id := c.execute("a := area(2, 3)\na += area(4, 5)\na")
	frames := c.stopped()
	if len(frames) != 2 || frames[0].Name != "area" || frames[0].Line != 4 || frames[0].Source.Path != path || frames[1].Name != "Cell [2]" || frames[1].Line != 2 {
		t.Fatalf("frames are %+v", frames)
	}
	if got := c.variables(frames[0].Id, "Locals"); got != "w int = 4; h int = 5; result int = 20" {
		t.Errorf("locals are %s", got)
	}
	if got := c.variables(frames[1].Id, "Globals"); got != "a int = 60; scale int = 10" {
		t.Errorf("globals are %s", got)
	}
	var value dap.EvaluateResponseBody
	c.ask("evaluate", map[string]any{"expression": "result*2 + scale", "frameId": frames[0].Id, "context": "watch"}, &value)
	if value.Result != "50" || value.Type != "int" {
		t.Errorf("the value is %+v", value)
	}
	c.ask("evaluate", map[string]any{"expression": "scale = 1", "frameId": frames[0].Id, "context": "hover"}, nil)
	c.ask("evaluate", map[string]any{"expression": "scale = 100", "frameId": frames[0].Id, "context": "repl"}, nil)
	var rich struct{ Data, Metadata map[string]any }
	c.ask("richInspectVariables", map[string]any{"variableName": "result", "frameId": frames[0].Id}, &rich)
	if rich.Data["text/plain"] != "20" || rich.Metadata == nil {
		t.Errorf("rich forms are %+v", rich)
	}
	c.ask("copyToGlobals", map[string]any{"srcVariableName": "result", "dstVariableName": "kept", "srcFrameId": frames[0].Id}, nil)
	c.ask("exceptionInfo", map[string]any{"threadId": 1}, nil)
	var text dap.SourceResponseBody
	c.ask("source", map[string]any{"source": map[string]any{"path": path}, "sourceReference": 0}, &text)
	if text.Content != areas {
		t.Errorf("the source is %q", text.Content)
	}
	c.ask("next", map[string]any{"threadId": 1}, nil)
	if frames = c.stopped(); len(frames) != 1 || frames[0].Line != 3 {
		t.Errorf("after the step: %+v", frames)
	}
	c.ask("evaluate", map[string]any{"expression": "result", "frameId": frames[0].Id, "context": "watch"}, nil)
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	c.ended(id, "ok")
	c.ended(c.execute("kept + scale"), "ok")
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	c.ask("nonsense", nil, nil)
	c.ask("disconnect", map[string]any{"restart": false, "terminateDebuggee": false}, nil)
	for !slices.Contains(c.iopub, "terminated") {
		c.until(func(received) bool { return true })
	}
	c.ended(c.execute("area(4, 5)"), "ok") // nothing stops it any more

	compare(t, "replies", c.replies,
		"debugInfo", "inspectVariables", "stackTrace: stackTrace: the debugger has not been started (initialize)", "initialize", "attach",
		"dumpCell", "setBreakpoints", "configurationDone", "debugInfo",
		"stackTrace", "scopes", "variables", "scopes", "variables", "evaluate",
		"evaluate: scale = 1 is no expression", "evaluate", "richInspectVariables", "setExpression",
		"exceptionInfo: thread 1 has not stopped at a panic", "source", "next", "stackTrace",
		"evaluate: undefined: result", "continue", "continue: thread 1 has not stopped", `nonsense: the debugger has no command "nonsense"`, "disconnect")
	compare(t, "published", c.iopub,
		"initialized", "stopped breakpoint 1", "continued 1", "stopped step 1", "continued 1", "execute_result 2060", "execute_result 120",
		"terminated", "execute_result 2000")
}

func TestInterruptComesThroughWhileTheDebuggerEvaluates(t *testing.T) {
	c := dial(t)
	c.ended(c.execute("func forever() int { for {} }"), "ok")
	id := c.send(c.sockets.Control, "debug_request", map[string]any{"type": "request", "seq": 1, "command": "evaluate",
		"arguments": map[string]any{"expression": "forever()"}})
	c.until(func(r received) bool { return r.Header.MsgType == "status" && parentOf(r) == id })
	answered := false
	for !answered { // the evaluation may not have begun when the first interrupt comes
		interrupt := c.send(c.sockets.Control, "interrupt_request", map[string]any{})
		c.until(func(r received) bool {
			answered = answered || r.Header.MsgType == "debug_reply"
			return r.Header.MsgType == "interrupt_reply" && parentOf(r) == interrupt
		})
	}
}

func TestShutdownEndsAKernelWhoseCellHasStopped(t *testing.T) {
	c := dial(t)
	c.ended(c.execute(areas), "ok")
	path := c.begin(t)
	c.execute("area(3, 4)")
	if frames := c.stopped(); len(frames) != 2 || frames[0].Source.Path != path {
		t.Errorf("frames are %+v", frames)
	}
	c.send(c.sockets.Control, "shutdown_request", map[string]any{"restart": true})
	c.until(func(r received) bool { return r.Header.MsgType == "shutdown_reply" })
}
