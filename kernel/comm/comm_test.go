package comm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
)

// A wire records published messages, such as "comm_close c {}".
type wire struct{ sent []string }

func (w *wire) publish(content protocol.Content) {
	switch m := content.(type) {
	case protocol.CommClose:
		w.sent = append(w.sent, "comm_close "+m.CommID+" "+string(m.Data))
	case protocol.CommMsg:
		w.sent = append(w.sent, "comm_msg "+m.CommID+" "+string(m.Data))
	default:
		w.sent = append(w.sent, content.MessageType())
	}
}

func (w *wire) text() string { return strings.Join(w.sent, ", ") }

func open(id, target string) protocol.CommOpen {
	return protocol.CommOpen{CommID: id, TargetName: target, Data: json.RawMessage("{}")}
}

// accept adds every comm that is opened and answers messages with their own data.
func accept(t *Table) func(protocol.CommOpen, func(protocol.Content)) {
	return func(m protocol.CommOpen, publish func(protocol.Content)) {
		t.Add(m.CommID, m.TargetName, func(m protocol.CommMsg, publish func(protocol.Content)) { publish(m) }, nil)
	}
}

func TestUnknownTargetIsAnsweredWithAClose(t *testing.T) {
	table, w := NewTable(), &wire{}
	table.TakeOpen(open("c", "nobody"), w.publish)
	if got := w.text(); got != "comm_close c {}" {
		t.Errorf("published %q", got)
	}
	if info := table.Info(""); len(info) != 0 {
		t.Errorf("open comms %v", info)
	}
}

func TestTargetThatDoesNotAcceptIsAnsweredWithAClose(t *testing.T) {
	table, w := NewTable(), &wire{}
	table.Register("picky", func(protocol.CommOpen, func(protocol.Content)) {})
	table.TakeOpen(open("c", "picky"), w.publish)
	if got := w.text(); got != "comm_close c {}" {
		t.Errorf("published %q", got)
	}
}

func TestMessagesReachTheCommThatTheyName(t *testing.T) {
	table, w := NewTable(), &wire{}
	table.Register("echo", accept(table))
	for _, id := range []string{"a", "b"} {
		table.TakeOpen(open(id, "echo"), w.publish)
	}
	if !table.TakeMessage(protocol.CommMsg{CommID: "b", Data: json.RawMessage("[1]")}, w.publish) {
		t.Error("b is not open")
	}
	if table.TakeMessage(protocol.CommMsg{CommID: "x"}, w.publish) {
		t.Error("x is open")
	}
	if got := w.text(); got != "comm_msg b [1]" {
		t.Errorf("published %q", got)
	}
}

func TestAnIdInUseKeepsItsComm(t *testing.T) {
	table, w := NewTable(), &wire{}
	table.Register("echo", accept(table))
	table.Register("other", accept(table))
	table.TakeOpen(open("a", "echo"), w.publish)
	table.TakeOpen(open("a", "other"), w.publish)
	if got := w.text(); got != "comm_close a {}" {
		t.Errorf("published %q", got)
	}
	if got := table.Info("")["a"].TargetName; got != "echo" {
		t.Errorf("a belongs to %q", got)
	}
	if err := table.Add("a", "third", nil, nil); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("adding a again: %v", err)
	}
}

func TestCloseEndsAComm(t *testing.T) {
	table, w := NewTable(), &wire{}
	ended := 0
	table.Add("a", "mine", nil, func(protocol.CommClose, func(protocol.Content)) { ended++ })
	if !table.TakeClose(protocol.CommClose{CommID: "a"}, w.publish) || table.TakeClose(protocol.CommClose{CommID: "a"}, w.publish) {
		t.Error("a comm ends once")
	}
	if ended != 1 {
		t.Errorf("its handler was called %d times, want 1", ended)
	}
	table.Add("b", "mine", nil, nil)
	if !table.Remove("b") || table.Remove("b") {
		t.Error("a comm is removed once")
	}
	if len(table.Info("")) != 0 || w.text() != "" {
		t.Errorf("left %v, published %q", table.Info(""), w.text())
	}
}

func TestInfoListsTheCommsOfATarget(t *testing.T) {
	table := NewTable()
	for id, target := range map[string]string{"a": "one", "b": "two", "c": "one"} {
		table.Add(id, target, nil, nil)
	}
	for target, want := range map[string]string{"one": "a c", "two": "b", "three": "", "": "a b c"} {
		if got := strings.Join(slices.Sorted(maps.Keys(table.Info(target))), " "); got != want {
			t.Errorf("target %q has %q, want %q", target, got, want)
		}
	}
}

func TestServiceOfATargetCanEnd(t *testing.T) {
	table, w := NewTable(), &wire{}
	table.Register("echo", accept(table))
	table.TakeOpen(open("a", "echo"), w.publish)
	table.Register("echo", nil)
	table.TakeOpen(open("b", "echo"), w.publish)
	table.TakeMessage(protocol.CommMsg{CommID: "a", Data: json.RawMessage("1")}, w.publish)
	if got := w.text(); got != "comm_close b {}, comm_msg a 1" {
		t.Errorf("published %q", got)
	}
}

func TestHandlersMayUseTheTable(t *testing.T) {
	table, w := NewTable(), &wire{}
	table.Register("once", func(m protocol.CommOpen, publish func(protocol.Content)) {
		table.Register("once", nil)
		table.Add(m.CommID, m.TargetName, func(m protocol.CommMsg, publish func(protocol.Content)) {
			table.Remove(m.CommID)
		}, nil)
	})
	table.TakeOpen(open("a", "once"), w.publish)
	table.TakeMessage(protocol.CommMsg{CommID: "a"}, w.publish)
	if len(table.Info("")) != 0 {
		t.Error("the comm is still open")
	}
}

func TestShellsUseTheTableAtOnce(t *testing.T) {
	table := NewTable()
	table.Register("echo", accept(table))
	var shells sync.WaitGroup
	for shell := range 4 {
		// A shell that opens, uses and closes comms.
		shells.Go(func() {
			for i := range 200 {
				id, w := fmt.Sprint(shell, "/", i), &wire{}
				table.TakeOpen(open(id, "echo"), w.publish)
				table.TakeMessage(protocol.CommMsg{CommID: id, Data: json.RawMessage("1")}, w.publish)
				table.Info("echo")
				table.TakeClose(protocol.CommClose{CommID: id}, w.publish)
				if got := w.text(); got != "comm_msg "+id+" 1" {
					t.Errorf("published %q", got)
				}
			}
		})
	}
	shells.Wait()
	if n := len(table.Info("")); n != 0 {
		t.Errorf("%d comms are left", n)
	}
}

func TestTableKnowsWhichTargetsClientsHaveNamed(t *testing.T) {
	table, w := NewTable(), &wire{}
	for _, target := range []string{"a", "b", ""} {
		if table.Asked(target) {
			t.Errorf("%q was asked for before", target)
		}
	}
	table.TakeOpen(open("c", "a"), w.publish) // the target is not served
	table.Info("b")
	table.Info("")
	if !table.Asked("a") || !table.Asked("b") || table.Asked("") || table.Asked("c") {
		t.Errorf("asked for: %v", table.asked)
	}
}
