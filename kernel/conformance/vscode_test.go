package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/comm"
	"gosphere/kernel/internal/server"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// An editor is a client that behaves like VS Code: it sends everything on the parent shell, uses no
// subshells, and keeps sending while a cell runs. vscode.md lists the test for each rule.
type editor struct {
	t       *testing.T
	sockets *socket.Sockets
	codec   *wire.Codec
	arrived chan *wire.Message
	all     []*wire.Message
	sent    int
}

// openEditor starts a kernel and connects to it.
func openEditor(t *testing.T) *editor {
	t.Helper()
	language := sessiontest.New(t)
	comms := comm.NewTable()
	language.BindComms(comms)
	sockets, connect := socket.Memory()
	codec, err := wire.NewCodec("hmac-sha256", key)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.New(server.Options{Sockets: sockets, Codec: codec, Interpreter: language, Comms: comms}).Serve(ctx)
	}()
	own, err := connect("editor")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		<-ended
		own.Close()
	})
	e := &editor{t: t, sockets: own, codec: codec, arrived: make(chan *wire.Message, 10_000)}
	for _, from := range []socket.Socket{own.Shell, own.IOPub} {
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
				e.arrived <- m
			}
		}()
	}
	e.until(func(m *wire.Message) bool { return m.Header.MsgType == "iopub_welcome" })
	return e
}

// until takes messages until one is wanted.
func (e *editor) until(wanted func(*wire.Message) bool) *wire.Message {
	e.t.Helper()
	for {
		select {
		case m := <-e.arrived:
			e.all = append(e.all, m)
			if wanted(m) {
				return m
			}
		case <-time.After(deadline):
			e.t.Fatal("nothing comes any more")
		}
	}
}

func (e *editor) send(kind string, content any) (id string) {
	e.t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		e.t.Fatal(err)
	}
	e.sent++
	id = fmt.Sprint("editor-", e.sent)
	frames, err := e.codec.Encode(&wire.Message{Content: text, Header: protocol.Header{MsgID: id, Session: "editor", Username: "user",
		Date: time.Now().UTC().Format(protocol.DateFormat), MsgType: kind, Version: "5.3"}})
	if err != nil {
		e.t.Fatal(err)
	}
	if err := e.sockets.Shell.Send(frames); err != nil {
		e.t.Fatal(err)
	}
	return id
}

// over waits until a request has ended, and returns its messages, with their kinds in the order of
// iopub.
func (e *editor) over(id string) (kinds []string, about []*wire.Message) {
	e.t.Helper()
	isIdle := func(m *wire.Message) bool { return of(m, id) && strings.Contains(string(m.Content), `"idle"`) }
	if !slices.ContainsFunc(e.all, isIdle) {
		e.until(isIdle)
	}
	for _, m := range e.all {
		if of(m, id) && m.Header.MsgType != "status" && !strings.HasSuffix(m.Header.MsgType, "_reply") {
			kinds, about = append(kinds, m.Header.MsgType), append(about, m)
		}
	}
	return kinds, about
}

func of(m *wire.Message, id string) bool {
	parent, _ := m.ParentID()
	return parent == id
}

// reply waits for the reply to a request and decodes it.
func (e *editor) reply(id string, into any) {
	e.t.Helper()
	isReply := func(m *wire.Message) bool { return of(m, id) && strings.HasSuffix(m.Header.MsgType, "_reply") }
	at := slices.IndexFunc(e.all, isReply)
	if at < 0 {
		e.until(isReply)
		at = len(e.all) - 1
	}
	if err := json.Unmarshal(e.all[at].Content, into); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) execute(code string) (id string) {
	return e.send("execute_request", map[string]any{"code": code, "silent": false, "store_history": true, "allow_stdin": true, "stop_on_error": false})
}

func TestLanguageInfoHasWhatCompletionInVSCodeNeeds(t *testing.T) {
	e := openEditor(t)
	var info protocol.KernelInfoReply
	e.reply(e.send("kernel_info_request", map[string]any{}), &info)
	if l := info.LanguageInfo; l.Name != "go" || l.Mimetype != "text/x-go" || l.FileExtension != ".go" || l.Version == "" {
		t.Errorf("the language is %+v", l)
	}
}

func TestCompletionCountsCodePointsAndComesWhileACellRuns(t *testing.T) {
	e := openEditor(t)
	e.over(e.execute("import \"strings\"\nlengthOfName, wait := 3, make(chan int)"))
	busy := e.execute("<-wait")
	e.until(func(m *wire.Message) bool { return of(m, busy) && m.Header.MsgType == "execute_input" })
	for range 3 { // at typing speed
		var found protocol.CompleteReply
		e.reply(e.send("complete_request", map[string]any{"code": "s := \"😀é\"; lengthOf", "cursor_pos": 19}), &found)
		if found.Status != "ok" || !slices.Equal(found.Matches, []string{"lengthOfName"}) || found.CursorStart != 11 || found.CursorEnd != 19 {
			t.Errorf("completion gives %+v", found)
		}
		var help protocol.InspectReply
		e.reply(e.send("inspect_request", map[string]any{"code": "strings.ToUpper", "cursor_pos": 10, "detail_level": 0}), &help)
		if !help.Found || help.Data["text/plain"] == nil {
			t.Errorf("inspection gives %+v", help)
		}
	}
	if slices.ContainsFunc(e.all, func(m *wire.Message) bool { return of(m, busy) && strings.Contains(string(m.Content), `"idle"`) }) {
		t.Error("the cell has not waited")
	}

	// It waits in compiled code, so that its goroutine outlives the interrupt until the receive
	// completes.
	e.over(e.send("interrupt_request", map[string]any{}))
	if kinds, _ := e.over(busy); !slices.Equal(kinds, []string{"execute_input", "error"}) {
		t.Errorf("the interrupted cell publishes %q", kinds)
	}
	if kinds, _ := e.over(e.execute("close(wait)")); !slices.Equal(kinds, []string{"execute_input"}) {
		t.Errorf("the cell behind publishes %q", kinds)
	}
}

func TestSlidersSpeakTheStockProtocolOnTheParentShell(t *testing.T) {
	e := openEditor(t)
	cell := e.execute("import \"gosphere/runtime/widget\"\nk := widget.NewIntSlider(\"k\", 3, 0, 10)\nsquare := widget.NewLabel(\"\")\n" +
		"k.OnChange(func(v int) { square.SetValue(fmt.Sprint(v * v)) })\nk")
	kinds, about := e.over(cell)
	if got := strings.Join(kinds, " "); got != "execute_input comm_open comm_open comm_open comm_open comm_open comm_open execute_result" {
		t.Fatalf("the cell publishes %s", got)
	}
	for _, m := range about[1:7] {
		var open struct {
			TargetName string `json:"target_name"`
			Data       struct {
				State       map[string]any
				BufferPaths []any `json:"buffer_paths"`
			}
		}
		if err := json.Unmarshal(m.Content, &open); err != nil || open.TargetName != "jupyter.widget" || string(m.Metadata) != `{"version":"2.1.0"}` ||
			open.Data.BufferPaths == nil || open.Data.State["_model_module"] == nil {
			t.Errorf("%s %s, %v", m.Content, m.Metadata, err)
		}
	}
	var shown protocol.ExecuteResult
	if err := json.Unmarshal(about[7].Content, &shown); err != nil {
		t.Fatal(err)
	}
	view, _ := shown.Data["application/vnd.jupyter.widget-view+json"].(map[string]any)
	if view["version_major"] != 2.0 || view["version_minor"] != 0.0 || shown.Data["text/plain"] != `IntSlider("k", value=3)` {
		t.Errorf("shown is %v", shown.Data)
	}
	move := func(value int) (id string) {
		return e.send("comm_msg", map[string]any{"comm_id": view["model_id"], "data": map[string]any{"method": "update", "state": map[string]any{"value": value}, "buffer_paths": []any{}}})
	}
	kinds, about = e.over(move(7))
	if len(kinds) != 2 || kinds[0] != "comm_msg" || kinds[1] != "comm_msg" || !strings.Contains(string(about[0].Content), `"echo_update"`) ||
		!strings.Contains(string(about[1].Content), `"value":"49"`) {
		t.Errorf("the move is answered by %q", kinds)
	}

	// Without subshells a slider change waits for the running cell and is not lost.
	e.over(e.execute("wait := make(chan int)"))
	busy := e.execute("go func() { wait <- 1 }()\n<-wait\nfmt.Println(k.Value())")
	moved := move(5)
	if _, about := e.over(busy); len(about) != 2 || !strings.Contains(string(about[1].Content), `"7\n"`) {
		t.Errorf("the busy cell publishes %d messages", len(about))
	}
	if kinds, _ := e.over(moved); len(kinds) != 2 {
		t.Errorf("the late move is answered by %q", kinds)
	}
	result, about := e.over(e.execute("k.Value()"))
	if len(result) != 2 || !strings.Contains(string(about[1].Content), `"text/plain":"5"`) {
		t.Errorf("the value is %s", about[len(about)-1].Content)
	}
	var open protocol.CommInfoReply
	e.reply(e.send("comm_info_request", map[string]any{"target_name": "jupyter.widget"}), &open)
	if len(open.Comms) != 6 {
		t.Errorf("%d comms are open, want 6", len(open.Comms))
	}
}

func TestEveryOutputHasATextThatAnyClientCanShow(t *testing.T) {
	e := openEditor(t)
	kinds, about := e.over(e.execute(`import "gosphere/runtime/widget"
display.Show(1, "a", []struct{ A int }{{1}}, image.NewGray(image.Rect(0, 0, 2, 2)), mat.NewDense(2, 2, nil), plot.New(), errors.New("e"), nil)
display.HTML("<b>x</b>"); display.Markdown("*x*"); display.LaTeX("x^2"); display.SVG("<svg/>"); display.PNG([]byte("x")); display.JPEG([]byte("x"))
display.JSON([]int{1}); display.VegaLite("{}"); display.Table([]int{1, 2})
d := display.New("a"); d.Update("b"); d.UpdateHTML("<i>c</i>")
bar := display.NewProgress("x", 3); bar.Step(1, ""); bar.End(nil)
display.Show(widget.NewIntSlider("", 0, 0, 1), widget.NewHBox(), widget.NewOutput())
widget.NewText("", "")`))
	outputs := 0
	for i, m := range about {
		if kinds[i] != "display_data" && kinds[i] != "update_display_data" && kinds[i] != "execute_result" {
			continue
		}
		outputs++
		var shown protocol.DisplayData
		if err := json.Unmarshal(m.Content, &shown); err != nil {
			t.Fatal(err)
		}
		if text, ok := shown.Data["text/plain"].(string); !ok || text == "" {
			t.Errorf("output %d has no text: %s", outputs, m.Content)
		}
		for kind := range shown.Data {
			if strings.Contains(kind, "javascript") {
				t.Errorf("output %d wants to run scripts: %s", outputs, m.Content)
			}
		}
	}
	if outputs < 26 {
		t.Errorf("there are only %d outputs: %q", outputs, kinds)
	}
}

func TestCommsThatNobodyServesAreClosed(t *testing.T) {
	e := openEditor(t)
	kinds, about := e.over(e.send("comm_open", map[string]any{"comm_id": "x", "target_name": "jupyter.ms.unknown", "data": map[string]any{}}))
	if len(kinds) != 1 || kinds[0] != "comm_close" || !strings.Contains(string(about[0].Content), `"comm_id":"x"`) {
		t.Errorf("the open is answered by %q", kinds)
	}
}
