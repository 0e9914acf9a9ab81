package widget

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// update returns the message that sends one attribute to the front end.
func update(attribute string, value any) string {
	text, _ := json.Marshal(map[string]any{"method": "update", "state": map[string]any{attribute: value}})
	return string(text)
}

func TestProgramsMoveEveryWidget(t *testing.T) {
	p := newPage(t)
	var told []any
	log, drop, check, text, play := NewFloatLogSlider("κ", 1, -1, 3), NewDropdown("m", "vmf", "psd"), NewCheckbox("c", false), NewText("t", "a"), NewPlay(0, 10, 50)
	html, label, whole, part := NewHTML("<b>"), NewLabel("l"), NewIntProgress("p", 20), NewFloatProgress("q", 0.5)
	log.OnChange(func(v float64) { told = append(told, v) })
	drop.OnChange(func(v string) { told = append(told, v) })
	check.OnChange(func(v bool) { told = append(told, v) })
	text.OnChange(func(v string) { told = append(told, v) })
	play.OnChange(func(v int) { told = append(told, v) })
	for _, c := range []struct {
		widget Widget
		set    func()
		sent   string
		value  func() any
		want   any
	}{
		{log, func() { log.SetValue(5000) }, update("value", 1000), func() any { return log.Value() }, 1000.0},
		{drop, func() { drop.SetValue("psd") }, update("index", 1), func() any { return drop.Value() }, "psd"},
		{check, func() { check.SetValue(true) }, update("value", true), func() any { return check.Value() }, true},
		{text, func() { text.SetValue("b") }, update("value", "b"), func() any { return text.Value() }, "b"},
		{play, func() { play.SetValue(-5); play.SetValue(3) }, update("value", 3), func() any { return play.Value() }, 3},
		{html, func() { html.SetValue("<i>") }, `{"method":"update","state":{"value":"<i>"}}`, func() any { return html.Value() }, "<i>"},
		{label, func() { label.SetValue("m") }, update("value", "m"), func() any { return label.Value() }, "m"},
		{whole, func() { whole.SetValue(25) }, update("value", 20), func() any { return whole.Value() }, 20},
		{part, func() { part.SetValue(0.25) }, update("value", 0.25), func() any { return part.Value() }, 0.25},
	} {
		p.took(c.widget)
		c.set()
		if got := p.took(c.widget); got != c.sent {
			t.Errorf("%v sends %s, want %s", c.widget, got, c.sent)
		}
		if got := c.value(); got != c.want {
			t.Errorf("%v has %v, want %v", c.widget, got, c.want)
		}
	}
	if want := []any{1000.0, "psd", true, "b", 3}; !slices.Equal(told, want) {
		t.Errorf("told are %v, want %v", told, want)
	}
	for w, want := range map[fmt.Stringer]string{drop: `Dropdown("m", value=psd)`, check: `Checkbox("c", value=true)`, NewVBox(): "VBox()", part: `FloatProgress("q", value=0.25)`} {
		if w.String() != want {
			t.Errorf("%s is named %s", want, w)
		}
	}
}

func TestPagesThatAreNotThereCannotBeShown(t *testing.T) {
	p := newPage(t)
	a, b := NewLabel("a"), NewLabel("b")
	tabs := NewTab([]string{"one", "two"}, a, b)
	for _, i := range []int{2, -2} {
		func() {
			defer func() {
				if r := recover(); r != fmt.Sprintf("widget: a Tab has 2 children, none at index %d", i) {
					t.Errorf("%d: %v", i, r)
				}
			}()
			tabs.Select(i)
		}()
	}
	tabs.SetChildren(a)
	p.took(tabs)
	for _, sent := range []string{"1", "0.5", `"x"`} { // the page may not show what is gone
		p.send(tabs, `{"method":"update","state":{"selected_index":`+sent+`}}`)
		if got := p.took(tabs); got != update("selected_index", 0) {
			t.Errorf("%s is answered by %s", sent, got)
		}
	}
	p.send(tabs, `{"method":"update","state":{"selected_index":null}}`)
	if tabs.Selected() != -1 {
		t.Errorf("selected is %d", tabs.Selected())
	}
}

func TestInteractAsksSlowFunctionsLessOften(t *testing.T) {
	p := newPage(t)
	saved := slowCall
	defer func() { slowCall = saved }()
	slowCall = -1 // every call is slow
	s, c := NewFloatSlider("κ", 1, 0, 10, 1), NewCheckbox("flag", false)
	Interact(func(float64, bool) {}, s, c)
	if s.Get("continuous_update") != false {
		t.Error("the slider still asks for each value that it passes")
	}
	p.took(s)
	p.send(s, `{"method":"update","state":{"value":3}}`)
	if got := p.took(s); got != `{"method":"echo_update","state":{"value":3}}` {
		t.Errorf("a second slow call sends %s", got)
	}
}

func TestOutputsGrowByValuesAndByText(t *testing.T) {
	newPage(t)
	o := NewOutput()
	o.Print("a\n")
	o.Print("b\n")
	o.Show(1, "two")
	o.Do(func() {})
	o.Print("c\n")
	got, _ := json.Marshal(o.Get("outputs"))
	want := `[{"name":"stdout","output_type":"stream","text":"a\nb\n"},{"data":{"text/plain":"1"},"metadata":{},"output_type":"display_data"},` +
		`{"data":{"text/plain":"two"},"metadata":{},"output_type":"display_data"},{"name":"stdout","output_type":"stream","text":"c\n"}]`
	if string(got) != want {
		t.Errorf("outputs are\n%s, want\n%s", got, want)
	}
}

func TestTheControlTargetRefusesOtherQuestions(t *testing.T) {
	p := newPage(t)
	NewLabel("")
	p.targets[controlTarget](protocol.CommOpen{CommID: "page", TargetName: controlTarget, Data: json.RawMessage("{}")}, p.publish)
	p.sent = nil
	p.messages["page"](protocol.CommMsg{CommID: "page", Data: json.RawMessage(`{"method":"fly"}`)}, p.publish)
	if len(p.sent) != 1 || !strings.Contains(string(p.sent[0].(protocol.CommMsg).Data), "want the method request_states") {
		t.Errorf("answered by %v", p.sent)
	}
}
