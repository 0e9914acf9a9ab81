package session

import (
	"encoding/json"
	"strings"
	"testing"

	"gosphere/kernel/comm"
	"gosphere/kernel/protocol"
)

// A desk runs cells and comm messages, and records the content that each publishes.
type desk struct {
	t     *testing.T
	s     *Session
	table *comm.Table
}

func newDesk(t *testing.T) *desk {
	s := newTestSession(t)
	t.Cleanup(s.Close)
	d := &desk{t, s, comm.NewTable()}
	s.BindComms(d.table)
	return d
}

// published records contents in short form.
func published(list *[]string) func(protocol.Content) {
	return func(content protocol.Content) {
		text := content.MessageType()
		switch m := content.(type) {
		case protocol.ExecuteInput:
			return
		case protocol.Stream:
			text = m.Name + " " + strings.TrimSpace(m.Text)
		case protocol.CommOpen:
			text += " " + m.TargetName + " " + string(m.Data) + " " + string(m.Metadata)
		case protocol.CommMsg:
			text += " " + string(m.Data)
			for _, buffer := range m.Buffers {
				text += " " + string(buffer)
			}
		case protocol.Error:
			text += " " + m.Evalue
		}
		*list = append(*list, text)
	}
}

func (d *desk) cell(code string) string {
	d.t.Helper()
	var list []string
	d.s.Execute(d.t.Context(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, published(&list))
	return strings.Join(list, ", ")
}

// open opens a comm with the ID c. send sends a message over it.
func (d *desk) open(target, data string) string {
	var list []string
	d.table.TakeOpen(protocol.CommOpen{CommID: "c", TargetName: target, Data: json.RawMessage(data)}, published(&list))
	return strings.Join(list, ", ")
}

func (d *desk) send(id, data string, buffers ...[]byte) string {
	var list []string
	d.table.TakeMessage(protocol.CommMsg{CommID: id, Data: json.RawMessage(data), Attachment: protocol.Attachment{Buffers: buffers}}, published(&list))
	return strings.Join(list, ", ")
}

// expect compares the published contents.
func (d *desk) expect(got, want string) {
	d.t.Helper()
	if got != want {
		d.t.Errorf("published %q, want %q", got, want)
	}
}

const echoCell = `
import ("fmt"; "gosphere/runtime/comm")
type Point struct { X int ` + "`json:\"x\"`" + `; Y int ` + "`json:\"y\"`" + ` }
total := 0
comm.Register("echo", func(c *comm.Comm, first comm.Message) {
	fmt.Println("opened with", first.Data)
	c.OnMsg(func(m comm.Message) {
		var p Point
		if err := m.Decode(&p); err != nil { panic(err) }
		total += p.X
		fmt.Println("total", total)
		c.Send(Point{p.Y, p.X}, m.Buffers...)
	})
	c.OnClose(func(m comm.Message) { fmt.Println("closed with", m.Data) })
})`

func TestCellsServeTheCommsOfClients(t *testing.T) {
	d := newDesk(t)
	d.expect(d.open("echo", `1`), "comm_close")
	d.expect(d.cell(echoCell), "")
	d.expect(d.open("echo", `{"a":true}`), "stdout opened with map[a:true]")
	d.expect(d.send("c", `{"x":3,"y":4}`, []byte("b1"), []byte("b2")), `stdout total 3, comm_msg {"x":4,"y":3} b1 b2`)
	d.expect(d.cell("total"), "execute_result")
	d.expect(d.send("c", `{"x":4,"y":4}`), `stdout total 7, comm_msg {"x":4,"y":4}`)
	var list []string
	d.table.TakeClose(protocol.CommClose{CommID: "c", Data: json.RawMessage(`"bye"`)}, published(&list))
	d.expect(strings.Join(list, ", "), "stdout closed with bye")
}

func TestCellsOpenComms(t *testing.T) {
	d := newDesk(t)
	d.expect(d.cell(`
import ("fmt"; "gosphere/runtime/comm")
c, err := comm.OpenMessage("model", comm.Message{Data: map[string]any{"v": 1}, Metadata: map[string]any{"version": "2.1.0"}})
c.OnMsg(func(m comm.Message) { fmt.Println("got", m.Data) })
if err == nil { c.Send("more", []byte("bytes")) }`), `comm_open model {"v":1} {"version":"2.1.0"}, comm_msg "more" bytes`)
	for id := range d.table.Info("model") {
		d.expect(d.send(id, `[1,"a"]`), "stdout got [1 a]")
	}
	d.expect(d.cell("c.Close()"), "comm_close")
	if n := len(d.table.Info("")); n != 0 {
		t.Errorf("%d comms are open", n)
	}
}

func TestPanicInACallbackIsToldWhereItHappened(t *testing.T) {
	d := newDesk(t)
	d.cell("import \"gosphere/runtime/comm\"\ncomm.Register(\"bad\", func(c *comm.Comm, m comm.Message) {\n\tvar p *int\n\t*p = 1\n})")
	got := d.open("bad", "{}")
	if !strings.Contains(got, "stderr panic: runtime error: invalid memory address or nil pointer dereference") ||
		!strings.Contains(got, "Cell [1], line 4") || !strings.HasSuffix(got, "comm_close") {
		t.Errorf("published %q", got)
	}
	d.expect(d.cell(`1`), "execute_result")
}

func TestCommsWithoutARouterOpenAndStaySilent(t *testing.T) {
	s := newTestSession(t)
	var list []string
	s.Execute(t.Context(), protocol.ExecuteRequest{Code: `
import ("fmt"; "gosphere/runtime/comm")
c, err := comm.Open("model", nil)
fmt.Println(err, comm.Register("t", func(*comm.Comm, comm.Message) {}))
c.Send(1)`}, published(&list))
	if got := strings.Join(list, ", "); got != "comm_open model {} , stdout <nil> comm: no client can open comms here, comm_msg 1" {
		t.Errorf("published %q", got)
	}
}
