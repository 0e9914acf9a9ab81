package kernel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel"
	"gosphere/kernel/comm"
	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

// deadline bounds waits that should take milliseconds.
const deadline = time.Minute

// An echo is a language of a few words; other code is its own value.
type echo struct {
	name  string
	began chan string // receives the code of each cell "sleep"
}

func (e *echo) Info() kernel.Info {
	return kernel.Info{Name: e.name, Version: "2", Implementation: "echoes", Banner: "hello"}
}

func (e *echo) Execute(ctx context.Context, x *kernel.Execution) error {
	word, rest, _ := strings.Cut(x.Code, " ")
	switch word {
	case "print":
		fmt.Fprint(x.Stdout(), rest)
		fmt.Fprint(x.Stderr(), strings.ToUpper(rest))
	case "fail":
		return errors.New(rest)
	case "titled":
		return fmt.Errorf("wrapped: %w", &kernel.Error{Name: "Titled", Value: rest, Traceback: []string{"line 1", "line 2"}})
	case "panic":
		panic(rest)
	case "sleep":
		e.began <- x.Code
		<-ctx.Done()
		return context.Cause(ctx)
	case "ask":
		line, err := x.Input("name? ")
		if err != nil {
			return err
		}
		fmt.Fprint(x.Stdout(), "hello, ", line)
	case "show":
		d := x.Display(kernel.Text("first"))
		d.Update(kernel.Text("second"))
		x.Clear(true)
	case "page":
		x.Page(kernel.Text(rest))
		x.SetNextInput("next", true)
	case "comms":
		for id := range x.Comms().Info("") {
			fmt.Fprint(x.Stdout(), id)
		}
	default:
		x.Result(kernel.Text(x.Code))
	}
	return nil
}

// A fluent echo has all further abilities.
type fluent struct {
	echo
	interrupts chan struct{}
}

func (*fluent) Complete(_ context.Context, code string, cursor int) kernel.Completions {
	start := strings.LastIndexByte(code[:cursor], ' ') + 1
	return kernel.Completions{Matches: []kernel.Match{{Text: code[start:cursor] + "!", Type: "shout", Signature: "()"}}, Start: start, End: cursor}
}

func (*fluent) Inspect(_ context.Context, code string, cursor, detail int) kernel.Bundle {
	if code[cursor:] == "" {
		return nil
	}
	return kernel.Text(fmt.Sprint(code[cursor:], detail))
}

func (*fluent) IsComplete(code string) (kernel.Completeness, string) {
	if strings.HasSuffix(code, `\`) {
		return kernel.Incomplete, "  "
	}
	return kernel.Complete, ""
}

func (*fluent) Evaluate(_ context.Context, x *kernel.Execution, expression string) (kernel.Bundle, error) {
	if expression == "bad" {
		return nil, errors.New("no value")
	}
	return kernel.Text(fmt.Sprint(expression, " after ", x.Code)), nil
}

func (f *fluent) Interrupt() { f.interrupts <- struct{}{} }

func (*fluent) Debug(request json.RawMessage, event func(json.RawMessage)) any {
	event(json.RawMessage(`{"event":"stopped"}`))
	return map[string]any{"answers": string(request)}
}

// A desk is the client of one kernel.
type desk struct {
	t      *testing.T
	kernel *kernel.Local
	sent   int
	ended  chan struct{}

	mu      sync.Mutex // guards the fields below
	changed *sync.Cond
	got     []message
}

// A message is what a client sees of one.
type message struct {
	channel, kind, parent, user string
	content                     json.RawMessage
}

// open starts a kernel and returns its client.
func open(t *testing.T, i kernel.Interpreter, o ...kernel.Option) *desk {
	t.Helper()
	d := &desk{t: t, ended: make(chan struct{})}
	d.changed = sync.NewCond(&d.mu)
	var err error
	if d.kernel, err = kernel.NewLocal(i, d.take, o...); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(d.ended)
		d.kernel.Serve(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-d.ended
	})
	return d
}

// take receives a message: delimiter, signature, header, parent, metadata, content; a topic
// precedes them on iopub.
func (d *desk) take(channel string, frames [][]byte) {
	at := slices.IndexFunc(frames, func(f []byte) bool { return string(f) == "<IDS|MSG>" })
	var header, parent struct {
		ID   string `json:"msg_id"`
		Type string `json:"msg_type"`
		User string `json:"username"`
	}
	if at < 0 || len(frames) < at+6 || json.Unmarshal(frames[at+2], &header) != nil || json.Unmarshal(frames[at+3], &parent) != nil {
		d.t.Errorf("a message of %d frames: %q", len(frames), frames)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.got = append(d.got, message{channel, header.Type, parent.ID, header.User, slices.Clone(frames[at+5])})
	d.changed.Broadcast()
}

// send sends a request and returns its id.
func (d *desk) send(channel, kind, content string) string {
	d.t.Helper()
	d.sent++
	id := fmt.Sprint("m", d.sent)
	// A constant date would mean that all requests were sent before a failed cell.
	header := fmt.Sprintf(`{"msg_id":%q,"session":"s","username":"u","date":%q,"msg_type":%q,"version":"5.6"}`, id, time.Now().UTC().Format(time.RFC3339Nano), kind)
	if err := d.kernel.Deliver(channel, [][]byte{[]byte("<IDS|MSG>"), nil, []byte(header), []byte("{}"), []byte("{}"), []byte(content)}); err != nil {
		d.t.Fatal(err)
	}
	return id
}

// await returns the first message that fits.
func (d *desk) await(fits func(message) bool) message {
	d.t.Helper()
	timer := time.AfterFunc(deadline, func() { d.t.Error("no answer"); d.changed.Broadcast() })
	defer timer.Stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	for !d.t.Failed() {
		if at := slices.IndexFunc(d.got, fits); at >= 0 {
			return d.got[at]
		}
		d.changed.Wait()
	}
	d.t.FailNow()
	return message{}
}

// transcript waits for the end of a request and returns all that it caused, one message a line.
// Fields that are different in each run are left out.
func (d *desk) transcript(id string) string {
	d.t.Helper()
	d.await(func(m message) bool { return m.parent == id && string(m.content) == `{"execution_state":"idle"}` })
	d.mu.Lock()
	defer d.mu.Unlock()
	var lines []string
	for _, m := range d.got {
		if m.parent == id {
			lines = append(lines, m.channel+" "+m.kind+" "+told(d.t, m.content))
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int { // channels are not ordered among each other
		return strings.Compare(strings.Fields(a)[0], strings.Fields(b)[0])
	})
	return strings.Join(lines, "\n")
}

// told returns content without the random display id.
func told(t *testing.T, content json.RawMessage) string {
	var fields map[string]any
	if err := json.Unmarshal(content, &fields); err != nil {
		t.Errorf("content %s: %v", content, err)
	}
	if transient, ok := fields["transient"].(map[string]any); ok && transient["display_id"] != nil {
		transient["display_id"] = "ID"
	}
	text, _ := json.Marshal(fields)
	return string(text)
}

// cell returns the transcript of a cell.
func (d *desk) cell(code string) string {
	d.t.Helper()
	quoted, _ := json.Marshal(code)
	return d.transcript(d.send("shell", "execute_request", `{"code":`+string(quoted)+`,"stop_on_error":false}`))
}

func (d *desk) check(got, want string) {
	d.t.Helper()
	if want = strings.TrimSpace(want); got != want {
		d.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCellsHaveCompleteTranscripts(t *testing.T) {
	d := open(t, &echo{name: "echo"})
	d.check(d.cell("hello"), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"hello","execution_count":1}
iopub execute_result {"data":{"text/plain":"hello"},"execution_count":1,"metadata":{}}
iopub status {"execution_state":"idle"}
shell execute_reply {"execution_count":1,"payload":[],"status":"ok","user_expressions":{}}`)
	d.check(d.cell("print a"), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"print a","execution_count":2}
iopub stream {"name":"stdout","text":"a"}
iopub stream {"name":"stderr","text":"A"}
iopub status {"execution_state":"idle"}
shell execute_reply {"execution_count":2,"payload":[],"status":"ok","user_expressions":{}}`)
	d.check(d.cell("fail why"), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"fail why","execution_count":3}
iopub error {"ename":"Error","evalue":"why","traceback":["Error: why"]}
iopub status {"execution_state":"idle"}
shell execute_reply {"ename":"Error","evalue":"why","execution_count":3,"payload":[],"status":"error","traceback":["Error: why"],"user_expressions":{}}`)
	d.check(d.cell("titled why"), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"titled why","execution_count":4}
iopub error {"ename":"Titled","evalue":"why","traceback":["line 1","line 2"]}
iopub status {"execution_state":"idle"}
shell execute_reply {"ename":"Titled","evalue":"why","execution_count":4,"payload":[],"status":"error","traceback":["line 1","line 2"],"user_expressions":{}}`)
	d.check(d.cell("show"), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"show","execution_count":5}
iopub display_data {"data":{"text/plain":"first"},"metadata":{},"transient":{"display_id":"ID"}}
iopub update_display_data {"data":{"text/plain":"second"},"metadata":{},"transient":{"display_id":"ID"}}
iopub clear_output {"wait":true}
iopub status {"execution_state":"idle"}
shell execute_reply {"execution_count":5,"payload":[],"status":"ok","user_expressions":{}}`)
	d.check(d.cell("page help"), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"page help","execution_count":6}
iopub status {"execution_state":"idle"}
shell execute_reply {"execution_count":6,"payload":[{"data":{"text/plain":"help"},"source":"page","start":0},{"replace":true,"source":"set_next_input","text":"next"}],"status":"ok","user_expressions":{}}`)
	if got := d.cell("panic boom"); !strings.Contains(got, "InternalError") || !strings.Contains(got, "boom") {
		t.Errorf("a panic of the language: %s", got)
	}
	// A silent cell is not counted and shows nothing.
	d.check(d.transcript(d.send("shell", "execute_request", `{"code":"quiet","silent":true}`)), `
iopub status {"execution_state":"busy"}
iopub status {"execution_state":"idle"}
shell execute_reply {"execution_count":8,"payload":[],"status":"ok","user_expressions":{}}`)
	d.check(d.cell("8th"), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"8th","execution_count":8}
iopub execute_result {"data":{"text/plain":"8th"},"execution_count":8,"metadata":{}}
iopub status {"execution_state":"idle"}
shell execute_reply {"execution_count":8,"payload":[],"status":"ok","user_expressions":{}}`)
	if d.got[0].user != "echoes" {
		t.Errorf("messages are of the user %q, want the implementation", d.got[0].user)
	}
}

// A settler is an echo with work after each reply: it prints that there was one.
type settler struct {
	echo
	last    *kernel.Execution
	replied func()
}

func (s *settler) Execute(ctx context.Context, x *kernel.Execution) error {
	s.last = x
	return s.echo.Execute(ctx, x)
}

func (s *settler) Settle() {
	s.replied()
	fmt.Fprint(s.last.Stdout(), "after the reply")
	if s.last.Code == "last" {
		panic("unsettled")
	}
}

func TestSettleFollowsTheReplyAndPrecedesIdle(t *testing.T) {
	s := &settler{echo: echo{name: "settler"}}
	d := open(t, s)
	s.replied = func() {
		d.await(func(m message) bool { return m.kind == "execute_reply" && m.parent == fmt.Sprint("m", d.sent) })
	}
	d.check(d.cell("first"), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"first","execution_count":1}
iopub execute_result {"data":{"text/plain":"first"},"execution_count":1,"metadata":{}}
iopub stream {"name":"stdout","text":"after the reply"}
iopub status {"execution_state":"idle"}
shell execute_reply {"execution_count":1,"payload":[],"status":"ok","user_expressions":{}}`)
	if got := d.cell("last"); !strings.Contains(got, "internal error after the cell: unsettled") || !strings.HasSuffix(got, `"status":"ok","user_expressions":{}}`) {
		t.Errorf("a panic after the reply: %s", got)
	}
}

func TestALanguageWithTwoMethodsAnswersAllRequests(t *testing.T) {
	d := open(t, &echo{name: "echo"})
	for _, c := range []struct{ channel, kind, content, want string }{
		{"shell", "complete_request", `{"code":"ab","cursor_pos":1}`, `complete_reply {"cursor_end":1,"cursor_start":1,"matches":[],"metadata":{},"status":"ok"}`},
		{"shell", "inspect_request", `{"code":"ab","cursor_pos":1}`, `inspect_reply {"data":{},"found":false,"metadata":{},"status":"ok"}`},
		{"shell", "is_complete_request", `{"code":"ab"}`, `is_complete_reply {"status":"unknown"}`},
		{"shell", "kernel_info_request", `{}`, `kernel_info_reply {"banner":"hello","debugger":false,"help_links":[],"implementation":"echoes","implementation_version":"2",` +
			`"language_info":{"codemirror_mode":"echo","file_extension":".txt","mimetype":"text/plain","name":"echo","nbconvert_exporter":"script","pygments_lexer":"echo","version":"2"},` +
			`"protocol_version":"` + protocol.Version + `","status":"ok","supported_features":["kernel subshells"]}`},
		{"shell", "history_request", `{"hist_access_type":"tail","n":3}`, `history_reply {"history":[],"status":"ok"}`},
		{"shell", "comm_info_request", `{}`, `comm_info_reply {"comms":{},"status":"ok"}`},
	} {
		d.check(d.transcript(d.send(c.channel, c.kind, c.content)), `
iopub status {"execution_state":"busy"}
iopub status {"execution_state":"idle"}
`+c.channel+" "+c.want)
	}
}

func TestFurtherAbilitiesAreFound(t *testing.T) {
	f := &fluent{echo{name: "fluent", began: make(chan string, 1)}, make(chan struct{}, 1)}
	d := open(t, f)
	for _, c := range []struct{ channel, kind, content, want string }{
		// Cursors of clients count code points, those of the language bytes.
		{"shell", "complete_request", `{"code":"κ λμ","cursor_pos":4}`, `complete_reply {"cursor_end":4,"cursor_start":2,"matches":["λμ!"],` +
			`"metadata":{"_jupyter_types_experimental":[{"documentation":"","end":4,"signature":"()","start":2,"text":"λμ!","type":"shout"}]},"status":"ok"}`},
		{"shell", "inspect_request", `{"code":"κλ","cursor_pos":1,"detail_level":1}`, `inspect_reply {"data":{"text/plain":"λ1"},"found":true,"metadata":{},"status":"ok"}`},
		{"shell", "inspect_request", `{"code":"κλ","cursor_pos":2}`, `inspect_reply {"data":{},"found":false,"metadata":{},"status":"ok"}`},
		{"shell", "is_complete_request", `{"code":"a\\"}`, `is_complete_reply {"indent":"  ","status":"incomplete"}`},
	} {
		d.check(d.transcript(d.send(c.channel, c.kind, c.content)), `
iopub status {"execution_state":"busy"}
iopub status {"execution_state":"idle"}
`+c.channel+" "+c.want)
	}
	d.check(d.transcript(d.send("control", "debug_request", `{"command":"x"}`)), `
control debug_reply {"answers":"{\"command\":\"x\"}"}
iopub status {"execution_state":"busy"}
iopub debug_event {"event":"stopped"}
iopub status {"execution_state":"idle"}`)
	d.check(d.transcript(d.send("shell", "execute_request", `{"code":"a","user_expressions":{"x":"1","y":"bad"}}`)), `
iopub status {"execution_state":"busy"}
iopub execute_input {"code":"a","execution_count":1}
iopub execute_result {"data":{"text/plain":"a"},"execution_count":1,"metadata":{}}
iopub status {"execution_state":"idle"}
shell execute_reply {"execution_count":1,"payload":[],"status":"ok","user_expressions":{"x":{"data":{"text/plain":"1 after a"},"metadata":{},"status":"ok"},"y":{"ename":"Error","evalue":"no value","status":"error","traceback":["Error: no value"]}}}`)
	cell := d.send("shell", "execute_request", `{"code":"sleep"}`)
	<-f.began
	d.kernel.Interrupt()
	d.transcript(cell)
	select {
	case <-f.interrupts:
	case <-time.After(deadline):
		t.Error("the language was not told of the interrupt")
	}
}

// The cause of an interrupt says nothing of questions, and that of an interrupted question does.
func TestInterruptsNameWhatTheyEnd(t *testing.T) {
	e := &echo{name: "echo", began: make(chan string, 1)}
	d := open(t, e)
	cell := d.send("shell", "execute_request", `{"code":"sleep"}`)
	<-e.began
	d.send("control", "interrupt_request", `{}`)
	if got := d.transcript(cell); !strings.Contains(got, `{"ename":"Interrupted","evalue":"interrupted","traceback":["Interrupted: interrupted"]}`) {
		t.Errorf("an interrupted sleep: %s", got)
	}
	asking := d.send("shell", "execute_request", `{"code":"ask","allow_stdin":true}`)
	d.await(func(m message) bool { return m.kind == "input_request" })
	d.send("control", "interrupt_request", `{}`)
	if got := d.transcript(asking); !strings.Contains(got, `"evalue":"interrupted while waiting for input"`) {
		t.Errorf("an interrupted question: %s", got)
	}
}

func TestQuestionsAreAnswered(t *testing.T) {
	d := open(t, &echo{name: "echo"})
	cell := d.send("shell", "execute_request", `{"code":"ask","allow_stdin":true}`)
	question := d.await(func(m message) bool { return m.kind == "input_request" })
	if string(question.content) != `{"prompt":"name? ","password":false}` {
		t.Errorf("the question is %s", question.content)
	}
	d.send("stdin", "input_reply", `{"value":"Ada"}`)
	if got := d.transcript(cell); !strings.Contains(got, `"text":"hello, Ada"`) {
		t.Errorf("the cell: %s", got)
	}
	if got := d.cell("ask"); !strings.Contains(got, kernel.ErrNoInput.Error()) {
		t.Errorf("a client that takes no questions: %s", got)
	}
}

func TestHistoryAndCommsCanBeGiven(t *testing.T) {
	var past history.Memory
	past.Add(history.Cell{Line: 1, Source: "earlier"})
	comms := comm.NewTable()
	if err := comms.Add("c1", "target", nil, nil); err != nil {
		t.Fatal(err)
	}
	d := open(t, &echo{name: "echo"}, kernel.WithHistory(&past), kernel.WithComms(comms))
	if got := d.cell("comms"); !strings.Contains(got, `"text":"c1"`) {
		t.Errorf("the comms of a cell: %s", got)
	}
	if got := d.transcript(d.send("shell", "history_request", `{"hist_access_type":"tail","n":9}`)); !strings.Contains(got, `[[1,1,"earlier"],[1,1,"comms"]]`) {
		t.Errorf("the history: %s", got)
	}
}

func TestBadKernelsAreRefused(t *testing.T) {
	if _, err := kernel.NewLocal(&echo{}, nil); err == nil || !strings.Contains(err.Error(), "Info has no Name") {
		t.Errorf("a language without a name: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "missing.json")
	if err := kernel.Serve(t.Context(), missing, &echo{name: "echo"}); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("a missing file: %v", err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.json")
	if err := os.WriteFile(damaged, []byte(`{"shell_port": 70000}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := kernel.Serve(t.Context(), damaged, &echo{name: "echo"}); err == nil || !strings.Contains(err.Error(), "70000") {
		t.Errorf("a damaged file: %v", err)
	}
	d := open(t, &echo{name: "echo"})
	if err := d.kernel.Deliver("iopub", nil); err == nil {
		t.Error("a client could send on iopub")
	}
}
