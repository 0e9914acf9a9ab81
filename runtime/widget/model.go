package widget

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gosphere/runtime/comm"
)

const (
	target          = "jupyter.widget"
	protocolVersion = "2.1.0"
	viewType        = "application/vnd.jupyter.widget-view+json"
)

// A Model is the state of one widget that front end and kernel share: named attributes. Every
// widget is a Model; names and meanings of the attributes are those of ipywidgets 8.
type Model struct {
	name   string // "FloatSlider"
	id     string
	layout *Model // nil if it has none
	style  *Model

	mu       sync.Mutex // guards the fields below; no callback runs while it is held
	children []Widget   // of a box; the attribute of this name holds only their ids
	comm     *comm.Comm // nil outside of cells
	state    map[string]any
	accept   map[string]func(any) (any, bool) // converts the value that a front end sends for an attribute
	watchers map[string][]func()
	events   []func(content map[string]any)
}

// newModel opens a model with its attributes. Widgets with a style or a layout each get one of
// their own.
func newModel(k kind, attributes map[string]any) *Model {
	m := &Model{name: k.name, state: k.attributes(), accept: map[string]func(any) (any, bool){}, watchers: map[string][]func(){}}
	maps.Copy(m.state, attributes)
	if k.placed {
		m.layout = newModel(layoutKind, nil)
		m.state["layout"] = reference(m.layout)
	}
	if k.style != nil {
		m.style = newModel(*k.style, nil)
		m.state["style"] = reference(m.style)
	}
	opened, err := comm.OpenMessage(target, comm.Message{
		Data:     map[string]any{"state": m.state, "buffer_paths": []any{}},
		Metadata: map[string]any{"version": protocolVersion},
	})
	if err != nil { // there is no front end; the widget is a plain value
		return m
	}
	m.comm, m.id = opened, opened.ID
	opened.OnMsg(m.receive)
	remember(m)
	return m
}

// reference returns the attribute value that refers to another widget.
func reference(w interface{ ID() string }) string { return "IPY_MODEL_" + w.ID() }

// ID identifies the widget to the front end. It is empty outside of cells.
func (m *Model) ID() string { return m.id }

// Layout returns the model for position and size of the widget, with the names of CSS, as in
// s.Layout().Set("width", "60%").
func (m *Model) Layout() *Model { return m.layout }

// Style returns the model for the appearance of the widget, as in
// s.Style().Set("description_width", "initial").
func (m *Model) Style() *Model { return m.style }

// Get returns an attribute. It panics if the widget has no attribute of this name.
func (m *Model) Get(attribute string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.get(attribute)
}

func (m *Model) get(attribute string) any {
	value, known := m.state[attribute]
	if !known {
		panic(fmt.Sprintf("widget: %s has no attribute %q; it has %s", m.name, attribute, strings.Join(m.attributes(), ", ")))
	}
	return value
}

// attributes lists the names that users may set.
func (m *Model) attributes() []string {
	names := slices.Sorted(maps.Keys(m.state))
	return slices.DeleteFunc(names, func(name string) bool { return name[0] == '_' })
}

// Set sets an attribute and updates the front end. It panics if the widget has no attribute of this
// name.
func (m *Model) Set(attribute string, value any) {
	if m.store(attribute, value) {
		m.changed(attribute)
	}
}

// store sets an attribute and reports whether its value changed.
func (m *Model) store(attribute string, value any) (changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if reflect.DeepEqual(m.get(attribute), value) {
		return false
	}
	m.state[attribute] = value
	m.send("update", map[string]any{attribute: value})
	return true
}

// send sends a message to the front end. The caller holds mu, so that changes arrive in order.
func (m *Model) send(method string, state map[string]any) {
	if m.comm != nil {
		_ = m.comm.Send(map[string]any{"method": method, "state": state, "buffer_paths": []any{}}) // if the comm is closed, no front end shows the widget
	}
}

// watch adds a function that is called after each change of an attribute, by cell or front end.
func (m *Model) watch(attribute string, f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers[attribute] = append(m.watchers[attribute], f)
}

func (m *Model) changed(attribute string) {
	m.mu.Lock()
	watchers := slices.Clone(m.watchers[attribute])
	m.mu.Unlock()
	for _, f := range watchers {
		f()
	}
}

// receive answers a message of the front end.
func (m *Model) receive(message comm.Message) {
	data, _ := message.Data.(map[string]any)
	switch data["method"] {
	case "update":
		state, _ := data["state"].(map[string]any)
		m.update(state)
	case "request_state":
		m.mu.Lock()
		m.send("update", maps.Clone(m.state))
		m.mu.Unlock()
	case "custom":
		content, _ := data["content"].(map[string]any)
		m.mu.Lock()
		events := slices.Clone(m.events)
		m.mu.Unlock()
		for _, f := range events {
			f(content)
		}
	}
}

// update applies the changes made in a front end. Other front ends that show the widget receive an
// echo, which the sender recognizes as its own. A rejected value is replaced by sending the current
// one.
func (m *Model) update(state map[string]any) {
	echo, corrected := map[string]any{}, map[string]any{}
	var changed []string
	m.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(state)) {
		read := m.accept[name]
		if read == nil {
			if known, ok := m.state[name]; ok {
				corrected[name] = known
			}
			continue
		}
		value, ok := read(state[name])
		if !ok {
			corrected[name] = m.state[name]
			continue
		}
		echo[name] = state[name]
		if !reflect.DeepEqual(m.state[name], value) {
			m.state[name] = value
			changed = append(changed, name)
		}
		if number, isNumber := state[name].(float64); isNumber && !equalNumber(number, value) {
			corrected[name] = value
		}
	}
	if len(echo) > 0 {
		m.send("echo_update", echo)
	}
	if len(corrected) > 0 {
		m.send("update", corrected)
	}
	m.mu.Unlock()
	for _, name := range changed {
		m.changed(name)
	}
}

func equalNumber(sent float64, kept any) bool {
	switch kept := kept.(type) {
	case int:
		return sent == float64(kept)
	case float64:
		return sent == kept
	}
	return true
}

// Close removes the widget from the front end.
func (m *Model) Close() {
	forget(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm != nil {
		_ = m.comm.Close()
	}
}

// MimeBundle returns the forms that display the widget: a view for front ends with widgets, and
// text.
func (m *Model) MimeBundle() map[string]any {
	bundle := map[string]any{"text/plain": strings.Join(m.lines(nil), "\n")}
	if m.comm != nil {
		bundle[viewType] = map[string]any{"version_major": 2, "version_minor": 0, "model_id": m.id}
	}
	return bundle
}

// String returns the name of the widget with its value.
func (m *Model) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text()
}

// Outline is like String for a list of variables but must not wait: it returns only the name while
// the widget is sending.
func (m *Model) Outline() string {
	if !m.mu.TryLock() {
		return m.name
	}
	defer m.mu.Unlock()
	return m.text()
}

func (m *Model) text() string {
	var parts []string
	if text, ok := m.state["description"].(string); ok && text != "" {
		parts = append(parts, fmt.Sprintf("%q", text))
	}
	if value, ok := m.state["value"]; ok {
		parts = append(parts, fmt.Sprintf("value=%v", value))
	} else if index, ok := m.state["index"].(int); ok {
		if labels, ok := m.state["_options_labels"].([]string); ok && index < len(labels) {
			parts = append(parts, fmt.Sprintf("value=%v", labels[index]))
		}
	}
	return m.name + "(" + strings.Join(parts, ", ") + ")"
}
