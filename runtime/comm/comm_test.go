package comm

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gosphere/internal/host"
	"gosphere/kernel/protocol"
)

// A page is the client side: it records published messages and routes messages.
type page struct {
	sent    []protocol.Content
	targets map[string]func(protocol.CommOpen, func(protocol.Content))
	message map[string]func(protocol.CommMsg, func(protocol.Content))
	closed  map[string]func(protocol.CommClose, func(protocol.Content))
	inCell  bool // whether the calling goroutine belongs to a cell
	broken  bool // callbacks do not come to their end
}

// newPage binds the package to a page until the end of the test.
func newPage(t *testing.T) *page {
	p := &page{
		inCell: true, targets: map[string]func(protocol.CommOpen, func(protocol.Content)){},
		message: map[string]func(protocol.CommMsg, func(protocol.Content)){}, closed: map[string]func(protocol.CommClose, func(protocol.Content)){},
	}
	h := &Host{Router: p, Publish: func() func(protocol.Content) {
		if !p.inCell {
			return nil
		}
		return p.publish
	}, Run: func(publish func(protocol.Content), callback func()) bool {
		callback()
		return !p.broken
	}}
	t.Cleanup(host.Enter(cell(func() *Host {
		if !p.inCell {
			return nil
		}
		return h
	})))
	return p
}

// cell is the host of a cell.
type cell func() *Host

func (c cell) Comms() *Host { return c() }

func (p *page) publish(content protocol.Content) { p.sent = append(p.sent, content) }

func (p *page) Register(target string, open func(protocol.CommOpen, func(protocol.Content))) {
	p.targets[target] = open
}

func (p *page) Add(id, target string, message func(protocol.CommMsg, func(protocol.Content)), closed func(protocol.CommClose, func(protocol.Content))) error {
	p.message[id], p.closed[id] = message, closed
	return nil
}

func (p *page) Remove(id string) bool {
	_, known := p.message[id]
	delete(p.message, id)
	return known
}

// text describes what was sent, without ids.
func (p *page) text() string {
	var list []string
	for _, content := range p.sent {
		a := content.(interface{ Attached() protocol.Attachment }).Attached()
		text := content.MessageType()
		switch m := content.(type) {
		case protocol.CommOpen:
			text += " " + m.TargetName + " " + string(m.Data)
		case protocol.CommMsg:
			text += " " + string(m.Data)
		case protocol.CommClose:
			text += " " + string(m.Data)
		}
		if a.Metadata != nil {
			text += " metadata " + string(a.Metadata)
		}
		if a.Buffers != nil {
			text += fmt.Sprintf(" buffers %q", a.Buffers)
		}
		list = append(list, text)
	}
	return strings.Join(list, "\n")
}

func TestACommFromOpenToClose(t *testing.T) {
	p := newPage(t)
	c, err := OpenMessage("model", Message{Data: map[string]any{"a": 1}, Metadata: map[string]any{"version": "2.1.0"}, Buffers: [][]byte{{1}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Send([]int{1, 2}, []byte("x"), nil), c.Send(nil), c.Close()} {
		if err != nil {
			t.Error(err)
		}
	}
	want := `comm_open model {"a":1} metadata {"version":"2.1.0"} buffers ["\x01"]
comm_msg [1,2] buffers ["x" ""]
comm_msg {}
comm_close {}`
	if got := p.text(); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	if err := c.Send(1); !errors.Is(err, ErrClosed) {
		t.Errorf("sending over a closed comm: %v", err)
	}
	if err := c.Close(); !errors.Is(err, ErrClosed) || !c.Closed() {
		t.Errorf("closing again: %v", err)
	}
	if len(p.message) != 0 {
		t.Error("the router still knows the comm")
	}
}

func TestMessagesKeepWhatWasHandedOver(t *testing.T) {
	p := newPage(t)
	data, buffer := map[string]any{"a": "<b>"}, []byte("old")
	c, err := Open("t", data, buffer)
	if err != nil {
		t.Fatal(err)
	}
	data["a"], buffer[0] = "changed", '!'
	if got := p.text(); got != `comm_open t {"a":"<b>"} buffers ["old"]` {
		t.Errorf("sent %s", got)
	}
	if !strings.HasPrefix(c.String(), "comm "+c.ID) || len(c.ID) != 32 {
		t.Errorf("is called %q", c)
	}
}

func TestValuesThatAreNoJSONAreRefused(t *testing.T) {
	p := newPage(t)
	if _, err := Open("t", func() {}); err == nil || !strings.Contains(err.Error(), `"t"`) {
		t.Errorf("opening with a function: %v", err)
	}
	c, err := Open("t", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Message{{Data: math.NaN()}, {Metadata: map[string]any{"c": make(chan int)}}} {
		if err := c.SendMessage(m); err == nil {
			t.Errorf("%v was sent", m)
		}
		if err := c.CloseMessage(m); err == nil || c.Closed() {
			t.Errorf("%v closed the comm", m)
		}
	}
	if got := p.text(); got != "comm_open t {}" {
		t.Errorf("sent %s", got)
	}
}

func TestMessagesOfTheClientReachTheCallback(t *testing.T) {
	p := newPage(t)
	c, err := Open("t", nil)
	if err != nil {
		t.Fatal(err)
	}
	receive := func(data string) {
		p.message[c.ID](protocol.CommMsg{CommID: c.ID, Data: []byte(data), Attachment: protocol.Attachment{Metadata: []byte(`{"m":1}`), Buffers: [][]byte{{7}}}}, p.publish)
	}
	receive(`1`) // no callback is set
	var got []Message
	c.OnMsg(func(m Message) { got = append(got, m) })
	receive(`{"x":[1,"a",null]}`)
	c.OnMsg(nil)
	receive(`2`)
	if len(got) != 1 || fmt.Sprint(got[0]) != "{map[x:[1 a <nil>]] map[m:1] [[7]]}" {
		t.Fatalf("received %v", got)
	}
	var into struct{ X []any }
	if err := got[0].Decode(&into); err != nil || len(into.X) != 3 {
		t.Errorf("decoded %v, %v", into, err)
	}
	var wrong []int
	if err := got[0].Decode(&wrong); err == nil {
		t.Error("an object became a slice")
	}
}

func TestTheClientsCloseIsToldOnce(t *testing.T) {
	p := newPage(t)
	c, err := Open("t", nil)
	if err != nil {
		t.Fatal(err)
	}
	var last any
	c.OnClose(func(m Message) { last = m.Data })
	p.closed[c.ID](protocol.CommClose{CommID: c.ID, Data: []byte(`"bye"`)}, p.publish)
	if last != "bye" || !c.Closed() || !errors.Is(c.Send(1), ErrClosed) {
		t.Errorf("last words %v, closed %v", last, c.Closed())
	}
}

func TestRegisteredTargetsGetTheCommsOfClients(t *testing.T) {
	p := newPage(t)
	if err := Register("echo", func(c *Comm, first Message) {
		c.OnMsg(func(m Message) { c.Send(m.Data, m.Buffers...) })
		c.Send(first.Data)
	}); err != nil {
		t.Fatal(err)
	}
	p.targets["echo"](protocol.CommOpen{CommID: "x", TargetName: "echo", Data: []byte(`"hello"`)}, p.publish)
	p.message["x"](protocol.CommMsg{CommID: "x", Data: []byte(`5`), Attachment: protocol.Attachment{Buffers: [][]byte{[]byte("b")}}}, p.publish)
	if got := p.text(); got != "comm_msg \"hello\"\ncomm_msg 5 buffers [\"b\"]" {
		t.Errorf("sent %s", got)
	}
	Unregister("echo")
	if p.targets["echo"] != nil {
		t.Error("the target is still served")
	}
	if err := Register("echo", nil); err == nil {
		t.Error("registered without a function")
	}
}

func TestCommWhoseFirstCallbackFailsIsNotOpen(t *testing.T) {
	p := newPage(t)
	var kept *Comm
	if err := Register("bad", func(c *Comm, _ Message) { kept = c }); err != nil {
		t.Fatal(err)
	}
	p.broken = true
	p.targets["bad"](protocol.CommOpen{CommID: "x", TargetName: "bad"}, p.publish)
	if p.message["x"] != nil || !kept.Closed() {
		t.Error("the comm is open")
	}
}

func TestGoroutinesWithoutACellSendForTheLastOne(t *testing.T) {
	p := newPage(t)
	c, err := Open("t", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.inCell = false
	if err := c.Send(1); err != nil || p.text() != "comm_open t {}\ncomm_msg 1" {
		t.Errorf("sent %s, %v", p.text(), err)
	}
	if _, err := Open("t", nil); !errors.Is(err, ErrNoCell) {
		t.Errorf("opening without a cell: %v", err)
	}
	if err := Register("t", func(*Comm, Message) {}); !errors.Is(err, ErrNoCell) {
		t.Errorf("registering without a cell: %v", err)
	}
}

// asking is a page whose client has named targets.
type asking struct{ *page }

func (asking) Asked(target string) bool { return target == "known" }

func TestAskedIsWhatAClientHasNamed(t *testing.T) {
	if Asked("known") {
		t.Error("without a cell somebody has asked")
	}
	p := newPage(t)
	if Asked("known") {
		t.Error("a client that cannot ask has asked")
	}
	defer host.Enter(cell(func() *Host { return &Host{Router: asking{p}} }))()
	if !Asked("known") || Asked("unknown") {
		t.Errorf("known is asked for: %v, unknown: %v", Asked("known"), Asked("unknown"))
	}
}

func TestCollectReturnsWhatBodyShowsAndLetsItsCommsThrough(t *testing.T) {
	called := false
	if outputs, finished := Collect(func() { called = true }); !called || !finished || outputs != nil {
		t.Errorf("without a cell: called %v, finished %v, %v", called, finished, outputs)
	}
	p := newPage(t)
	text := protocol.Stream{Name: "stdout", Text: "a"}
	var publish func(protocol.Content) // that of the body
	h := &Host{
		Publish: func() func(protocol.Content) { return p.publish },
		Run: func(to func(protocol.Content), callback func()) bool {
			publish = to
			callback()
			return !p.broken
		},
	}
	defer host.Enter(cell(func() *Host { return h }))()
	body := func() {
		publish(text)
		publish(protocol.CommMsg{CommID: "x", Data: []byte("1")})
		publish(text)
	}
	for _, broken := range []bool{false, true} {
		p.sent, p.broken = nil, broken
		outputs, finished := Collect(body)
		if len(outputs) != 2 || outputs[0] != protocol.Content(text) || finished == broken {
			t.Errorf("outputs %v, finished %v", outputs, finished)
		}
		if len(p.sent) != 1 || p.sent[0].MessageType() != "comm_msg" {
			t.Errorf("the page got %v", p.sent)
		}
		publish(text) // by a goroutine that outlives the body
		if len(outputs) != 2 || cap(outputs) != 2 {
			t.Errorf("what comes late changes %v", outputs)
		}
	}
	h.Publish = func() func(protocol.Content) { return nil }
	if outputs, finished := Collect(body); len(outputs) != 2 || finished {
		t.Errorf("with nobody to send to: %v, %v", outputs, finished)
	}
}
