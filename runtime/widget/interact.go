package widget

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"gosphere/runtime/display"
)

// Interact calls a function with the values of controls, immediately and after each change, and
// shows its output and results below them. The controls are in the order of the parameters. A
// string in place of a control is the description of a default control for the type of the
// parameter:
//
//	float64  a slider from 0 to 1
//	int      a slider from 0 to 100
//	string   a text field
//	bool     a checkbox
//
// A []string makes a menu. Interact panics if the controls do not match the parameters. A cell that
// ends with the call shows the returned box.
func Interact(function any, controls ...any) *VBox {
	f := reflect.ValueOf(function)
	if f.Kind() != reflect.Func || f.IsNil() {
		panic(fmt.Sprintf("widget: Interact: got %T, want a function", function))
	}
	if f.Type().IsVariadic() || f.Type().NumIn() != len(controls) {
		panic(fmt.Sprintf("widget: Interact: got %d controls for %s", len(controls), f.Type()))
	}
	out := NewOutput()
	list, children := make([]Control, len(controls)), make([]Widget, len(controls))
	for i, given := range controls {
		list[i] = controlOf(given, f.Type().In(i), i)
		children[i] = list[i]
	}
	r := &replay{f: f, controls: list, out: out}
	for _, c := range list {
		c.OnAnyChange(r.run)
	}
	r.run()
	return NewVBox(append(children, out)...)
}

// controlOf returns the control for a parameter.
func controlOf(given any, parameter reflect.Type, i int) Control {
	var c Control
	switch given := given.(type) {
	case Control:
		c = given
	case []string:
		c = NewDropdown("", given...)
	case string:
		c = usual(given, parameter)
	}
	if c == nil || !reflect.TypeOf(c.Any()).ConvertibleTo(parameter) || kindGroup(reflect.TypeOf(c.Any())) != kindGroup(parameter) {
		panic(fmt.Sprintf("widget: Interact: parameter %d of the function is a %s, which a %T cannot set: want a control, a string or a []string", i+1, parameter, given))
	}
	return c
}

// usual returns the default control for a type, or nil for none.
func usual(description string, parameter reflect.Type) Control {
	switch kindGroup(parameter) {
	case reflect.Float64:
		return NewFloatSlider(description, 0.5, 0, 1, 0.01)
	case reflect.Int:
		return NewIntSlider(description, 50, 0, 100)
	case reflect.String:
		return NewText(description, "")
	case reflect.Bool:
		return NewCheckbox(description, false)
	}
	return nil
}

// kindGroup maps types whose values the same control can set to one kind.
func kindGroup(t reflect.Type) reflect.Kind {
	switch {
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return reflect.Int
	case t.Kind() == reflect.Float32:
		return reflect.Float64
	}
	return t.Kind()
}

// A replay calls a function again when controls change.
type replay struct {
	f        reflect.Value
	controls []Control
	out      *Output
	slow     atomic.Bool
}

// slowCall is the duration of a call above which a slider stops asking for each value that it
// passes.
var slowCall = 150 * time.Millisecond

func (r *replay) run() {
	start := time.Now()
	r.out.Replace(r.call)
	if time.Since(start) > slowCall && !r.slow.Swap(true) {
		for _, c := range r.controls {
			if m, ok := c.(interface{ has(string) bool }); ok && m.has("continuous_update") {
				c.(interface{ Set(string, any) }).Set("continuous_update", false)
			}
		}
	}
}

// has reports whether the widget has an attribute.
func (m *Model) has(attribute string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.state[attribute]
	return known
}

// call calls the function and shows its results. A nil result shows nothing.
func (r *replay) call() {
	arguments := make([]reflect.Value, len(r.controls))
	for i, c := range r.controls {
		arguments[i] = reflect.ValueOf(c.Any()).Convert(r.f.Type().In(i))
	}
	for _, result := range r.f.Call(arguments) {
		if value := result.Interface(); value != nil {
			display.Show(value)
		}
	}
}
