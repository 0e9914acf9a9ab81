package widget

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/host"
	"gosphere/kernel/protocol"
	"gosphere/runtime/comm"
	"gosphere/runtime/display"
)

// A page is the client side: it records published messages and sends messages.
type page struct {
	asks     bool // it knows widgets
	sent     []protocol.Content
	messages map[string]func(protocol.CommMsg, func(protocol.Content))
	targets  map[string]func(protocol.CommOpen, func(protocol.Content))
	publish  func(protocol.Content) // that of the code that runs
}

// newPage binds the publishing packages to a page until the end of the test.
func newPage(t *testing.T) *page {
	p := &page{messages: map[string]func(protocol.CommMsg, func(protocol.Content)){}, targets: map[string]func(protocol.CommOpen, func(protocol.Content)){}}
	p.publish = func(content protocol.Content) { p.sent = append(p.sent, content) }
	h := &comm.Host{Router: p, Publish: func() func(protocol.Content) { return p.publish },
		Run: func(publish func(protocol.Content), body func()) (finished bool) {
			before := p.publish
			p.publish = publish
			defer func() {
				p.publish = before
				if r := recover(); r != nil {
					publish(protocol.Stream{Name: "stderr", Text: fmt.Sprint("panic: ", r)})
				}
			}()
			body()
			return true
		}}
	t.Cleanup(host.Enter(cell{p, h}))
	return p
}

// cell is the host of a cell.
type cell struct {
	page *page
	host *comm.Host
}

func (c cell) Comms() *comm.Host { return c.host }

func (c cell) Publisher() func(protocol.Content) { return c.page.publish }

func (p *page) Register(target string, open func(protocol.CommOpen, func(protocol.Content))) {
	p.targets[target] = open
}

func (p *page) Add(id, target string, message func(protocol.CommMsg, func(protocol.Content)), _ func(protocol.CommClose, func(protocol.Content))) error {
	p.messages[id] = message
	return nil
}

func (p *page) Remove(id string) bool {
	_, known := p.messages[id]
	delete(p.messages, id)
	return known
}

// send sends data to a widget as the front end does.
func (p *page) send(w Widget, data string) {
	p.messages[w.ID()](protocol.CommMsg{CommID: w.ID(), Data: json.RawMessage(data)}, p.publish)
}

// took returns the messages about a widget since the last call, as JSON without buffer paths.
func (p *page) took(w Widget) string {
	var list []string
	for _, content := range p.sent {
		if m, ok := content.(protocol.CommMsg); ok && m.CommID == w.ID() {
			list = append(list, strings.Replace(string(m.Data), `"buffer_paths":[],`, "", 1))
		}
	}
	p.sent = nil
	return strings.Join(list, "\n")
}

// opened returns the state with which a widget was opened.
func (p *page) opened(t *testing.T, w Widget) (state map[string]any, metadata string) {
	t.Helper()
	for _, content := range p.sent {
		if m, ok := content.(protocol.CommOpen); ok && m.CommID == w.ID() {
			var data struct{ State map[string]any }
			if err := json.Unmarshal(m.Data, &data); err != nil || m.TargetName != "jupyter.widget" {
				t.Fatalf("%v %v", m, err)
			}
			return data.State, string(m.Metadata)
		}
	}
	t.Fatalf("%v was not opened", w)
	return nil, ""
}

func TestAWidgetOpensWithItsLayoutAndStyle(t *testing.T) {
	p := newPage(t)
	s := NewFloatSlider("κ", 5, 0.1, 100, 0.1)
	state, metadata := p.opened(t, s)
	for name, want := range map[string]any{
		"_model_module": "@jupyter-widgets/controls", "_model_module_version": "2.0.0", "_model_name": "FloatSliderModel", "_view_name": "FloatSliderView",
		"description": "κ", "value": 5.0, "min": 0.1, "max": 100.0, "readout_format": ".2f",
		"layout": "IPY_MODEL_" + s.Layout().ID(), "style": "IPY_MODEL_" + s.Style().ID(),
	} {
		if state[name] != want {
			t.Errorf("%s is %v, want %v", name, state[name], want)
		}
	}
	if metadata != `{"version":"2.1.0"}` {
		t.Errorf("the metadata are %s", metadata)
	}
	var ids []string
	for _, content := range p.sent {
		if m, ok := content.(protocol.CommOpen); ok {
			ids = append(ids, m.CommID)
		}
	}
	if want := []string{s.Layout().ID(), s.Style().ID(), s.ID()}; !slices.Equal(ids, want) {
		t.Errorf("opened are %q, want what is referred to before what refers to it: %q", ids, want)
	}
	if bundle := s.MimeBundle(); fmt.Sprint(bundle) != "map[application/vnd.jupyter.widget-view+json:map[model_id:"+s.ID()+" version_major:2 version_minor:0] text/plain:FloatSlider(\"κ\", value=5)]" {
		t.Errorf("the bundle is %v", bundle)
	}
}

func TestAMoveOnThePageIsTakenEchoedAndTold(t *testing.T) {
	p := newPage(t)
	s := NewIntSlider("d", 5, 0, 10)
	var told []int
	s.OnChange(func(v int) { told = append(told, v) })
	p.took(s)
	for _, c := range []struct{ sent, want string }{
		{`{"method":"update","state":{"value":7}}`, `{"method":"echo_update","state":{"value":7}}`},
		{`{"method":"update","state":{"value":7}}`, `{"method":"echo_update","state":{"value":7}}`},
		{`{"method":"update","state":{"value":99}}`, `{"method":"echo_update","state":{"value":99}}` + "\n" + `{"method":"update","state":{"value":10}}`},
		{`{"method":"update","state":{"value":"high"}}`, `{"method":"update","state":{"value":10}}`},
		{`{"method":"update","state":{"value":2.5}}`, `{"method":"update","state":{"value":10}}`},
		{`{"method":"update","state":{"max":1000}}`, `{"method":"update","state":{"max":10}}`},
		{`{"method":"update","state":{"nothing":1}}`, ``},
		{`{"method":"unknown"}`, ``}, {`[]`, ``}, {`{"method":"update","state":3}`, ``},
	} {
		p.send(s, c.sent)
		if got := p.took(s); got != c.want {
			t.Errorf("%s is answered by\n%s\nwant\n%s", c.sent, got, c.want)
		}
	}
	if !slices.Equal(told, []int{7, 10}) || s.Value() != 10 {
		t.Errorf("told %v, the value is %d", told, s.Value())
	}
}

func TestAChangeByTheProgramReachesPageAndCallbacks(t *testing.T) {
	p := newPage(t)
	s := NewFloatSlider("τ", 1, 0, 2, 0.5)
	told := 0.0
	s.OnChange(func(v float64) { told = v })
	p.took(s)
	s.SetValue(1.5)
	s.SetValue(1.5)
	s.SetValue(9)
	s.Layout().Set("width", "60%")
	if got, want := p.took(s), `{"method":"update","state":{"value":1.5}}`+"\n"+`{"method":"update","state":{"value":2}}`; got != want || told != 2 {
		t.Errorf("sent\n%s\nwant\n%s\ntold %v", got, want, told)
	}
}

func TestAPageAsksForTheState(t *testing.T) {
	p := newPage(t)
	c := NewCheckbox("flag", true)
	p.took(c)
	p.send(c, `{"method":"request_state"}`)
	if got := p.took(c); !strings.HasPrefix(got, `{"method":"update","state":{"_dom_classes":[],"_model_module"`) || !strings.Contains(got, `"value":true`) {
		t.Errorf("sent %s", got)
	}
}

func TestEveryControlTakesItsOwnKindOfValue(t *testing.T) {
	p := newPage(t)
	for _, c := range []struct {
		widget Control
		state  string
		want   any
		wrong  string
	}{
		{NewFloatLogSlider("κ", 10, -1, 3), `{"value":250.5}`, 250.5, `{"value":null}`},
		{NewDropdown("method", "vmf", "psd"), `{"index":1}`, "psd", `{"index":2}`},
		{NewToggleButtons("loss", "InfoNCE", "SigLIP"), `{"index":1}`, "SigLIP", `{"index":-1}`},
		{NewText("prompt", "a photo"), `{"value":"a sketch"}`, "a sketch", `{"value":3}`},
		{NewCheckbox("flag", false), `{"value":true}`, true, `{"value":"yes"}`},
		{NewPlay(0, 10, 100), `{"value":3}`, 3, `{"value":"3"}`},
	} {
		told := 0
		c.widget.OnAnyChange(func() { told++ })
		p.send(c.widget, `{"method":"update","state":`+c.state+`}`)
		p.send(c.widget, `{"method":"update","state":`+c.wrong+`}`)
		if got := c.widget.Any(); got != c.want || told != 1 {
			t.Errorf("%v after %s: %v, told %d times", c.widget, c.state, got, told)
		}
	}
}

func TestEventsReachTheirFunctions(t *testing.T) {
	p := newPage(t)
	clicks, submitted := 0, ""
	b, f := NewButton("go"), NewText("name", "κ")
	b.OnClick(func() { clicks++ })
	f.OnSubmit(func(v string) { submitted = v })
	p.send(b, `{"method":"custom","content":{"event":"click"}}`)
	p.send(b, `{"method":"custom","content":{"event":"other"}}`)
	p.send(f, `{"method":"custom","content":{"event":"submit"}}`)
	if clicks != 1 || submitted != "κ" {
		t.Errorf("%d clicks, submitted %q", clicks, submitted)
	}
}

func TestBoxesReferToTheirChildren(t *testing.T) {
	p := newPage(t)
	a, b := NewLabel("a"), NewHTML("<b>b</b>")
	for _, w := range []Widget{NewHBox(a, b), NewVBox(a, b), NewTab([]string{"one", "two"}, a, b), NewAccordion([]string{"one", "two"}, a, b)} {
		state, _ := p.opened(t, w)
		if got := fmt.Sprint(state["children"]); got != "[IPY_MODEL_"+a.ID()+" IPY_MODEL_"+b.ID()+"]" {
			t.Errorf("%v has the children %s", w, got)
		}
	}
	pages := NewTab([]string{"one", "two"}, a, b)
	selected := -1
	pages.OnChange(func(i int) { selected = i })
	p.send(pages, `{"method":"update","state":{"selected_index":1}}`)
	p.send(pages, `{"method":"update","state":{"selected_index":7}}`)
	if selected != 1 || pages.Selected() != 1 {
		t.Errorf("selected %d", selected)
	}
	pages.Select(-1)
	if pages.Selected() != -1 {
		t.Errorf("selected %d after none", pages.Selected())
	}
}

func TestALinkJoinsValuesOnThePage(t *testing.T) {
	p := newPage(t)
	source, with := NewPlay(0, 10, 50), NewIntSlider("t", 0, 0, 10)
	state, _ := p.opened(t, Link(source, with))
	if got := fmt.Sprint(state["source"], state["target"], state["_view_name"]); got != "[IPY_MODEL_"+source.ID()+" value] [IPY_MODEL_"+with.ID()+" value] <nil>" {
		t.Errorf("the link is %s", got)
	}
}

func TestOutputsHoldWhatFunctionsShow(t *testing.T) {
	p := newPage(t)
	o, other := NewOutput(), NewLabel("")
	o.Print("first\n")
	finished := o.Do(func() {
		d := display.New("before")
		display.Show(3)
		d.Update("after")
		other.SetValue("changed inside")
		panic("no")
	})
	if finished {
		t.Error("a function that panics has come to its end")
	}
	got, _ := json.Marshal(o.Get("outputs"))
	want := `[{"name":"stdout","output_type":"stream","text":"first\n"},` +
		`{"data":{"text/plain":"after"},"metadata":{},"output_type":"display_data"},{"data":{"text/plain":"3"},"metadata":{},"output_type":"display_data"},` +
		`{"name":"stderr","output_type":"stream","text":"panic: no"}]`
	if string(got) != want {
		t.Errorf("outputs\n%s\nwant\n%s", got, want)
	}
	if sent := p.took(other); sent != `{"method":"update","state":{"value":"changed inside"}}` {
		t.Errorf("the other widget was sent %q", sent)
	}
	o.Replace(func() { display.Show("only") })
	if got := len(o.Get("outputs").([]any)); got != 1 {
		t.Errorf("%d outputs after Replace", got)
	}
	o.Clear()
	if got := len(o.Get("outputs").([]any)); got != 0 {
		t.Errorf("%d outputs after Clear", got)
	}
}

func TestInteractCallsAgainAfterEachChange(t *testing.T) {
	p := newPage(t)
	var calls []string
	kappa := NewFloatSlider("κ", 1, 0, 10, 1)
	box := Interact(func(kappa float32, d int64, method, text string, flag bool) (any, error) {
		calls = append(calls, fmt.Sprint(kappa, d, method, text, flag))
		return fmt.Sprint("value ", kappa), nil
	}, kappa, "d", []string{"vmf", "psd"}, "text", "flag")
	p.send(kappa, `{"method":"update","state":{"value":3}}`)
	if want := []string{"1 50vmffalse", "3 50vmffalse"}; !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
	if n := len(box.Get("children").([]string)); n != 6 {
		t.Errorf("the box has %d children", n)
	}
	last := ""
	for _, content := range p.sent {
		if m, ok := content.(protocol.CommMsg); ok && strings.Contains(string(m.Data), "outputs") {
			last = string(m.Data)
		}
	}
	if !strings.Contains(last, `"text/plain":"value 3"`) || strings.Contains(last, "value 1") {
		t.Errorf("the output is %s", last)
	}
}

func TestMisuseIsToldByName(t *testing.T) {
	newPage(t)
	for want, f := range map[string]func(){
		"the value 11 of a IntSlider does not lie between 0 and 10": func() { NewIntSlider("", 11, 0, 10) },
		"FloatSlider cannot be NaN":                                 func() { NewFloatSlider("", 1, 0, 2, 1).SetValue(nan()) },
		`option "other" is not in the list ["a"]`:                   func() { NewDropdown("", "a").SetValue("other") },
		`Label has no attribute "widht"; it has description`:        func() { NewLabel("").Set("widht", 3) },
		"a Tab has 1 titles for 0 children":                         func() { NewTab([]string{"a"}) },
		"Interact: got int, want a function":                        func() { Interact(3) },
		"Interact: got 0 controls for func(int)":                    func() { Interact(func(int) {}) },
		"parameter 1 of the function is a []int, which a string":    func() { Interact(func([]int) {}, "x") },
		"parameter 1 of the function is a int":                      func() { Interact(func(int) {}, NewText("", "")) },
	} {
		func() {
			defer func() {
				if r := recover(); !strings.Contains(fmt.Sprint(r), want) {
					t.Errorf("says %v, want %s", r, want)
				}
			}()
			f()
		}()
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestPagesThatAreLoadedLaterGetAllWidgets(t *testing.T) {
	p := newPage(t)
	s := NewIntSlider("k", 3, 0, 10)
	p.targets[controlTarget](protocol.CommOpen{CommID: "page", TargetName: controlTarget, Data: json.RawMessage("{}")}, p.publish)
	p.sent = nil
	p.messages["page"](protocol.CommMsg{CommID: "page", Data: json.RawMessage(`{"method":"request_states"}`)}, p.publish)
	if len(p.sent) != 1 {
		t.Fatalf("sent %v", p.sent)
	}
	var got struct {
		Method string
		States map[string]struct {
			Name  string         `json:"model_name"`
			State map[string]any `json:"state"`
		}
	}
	if err := json.Unmarshal(p.sent[0].(protocol.CommMsg).Data, &got); err != nil || got.Method != "update_states" {
		t.Fatalf("sent %v, %v", p.sent, err)
	}
	if one := got.States[s.ID()]; one.Name != "IntSliderModel" || one.State["value"] != 3.0 {
		t.Errorf("the slider is described by %v", one)
	}
	for _, id := range []string{s.Layout().ID(), s.Style().ID()} {
		if _, known := got.States[id]; !known {
			t.Errorf("layout or style is missing among %v", slices.Collect(maps.Keys(got.States)))
		}
	}
	s.Close()
	if _, known := states()[s.ID()]; known {
		t.Error("a closed widget is still offered")
	}
}

func TestWidgetsOutsideOfCellsKeepTheirValues(t *testing.T) {
	s := NewIntSlider("k", 3, 0, 10)
	s.SetValue(4)
	if s.Value() != 4 || s.ID() != "" || fmt.Sprint(s.MimeBundle()) != `map[text/plain:IntSlider("k", value=4)]` {
		t.Errorf("%d %q %v", s.Value(), s.ID(), s.MimeBundle())
	}
}
