package widget

import (
	"fmt"
	"slices"
)

// A Dropdown is a menu of texts.
type Dropdown struct{ choice }

// NewDropdown returns a menu; the first option is chosen. It panics without options.
func NewDropdown(description string, options ...string) *Dropdown {
	return &Dropdown{newChoice(dropdown, description, options)}
}

// ToggleButtons is a row of buttons one of which is pressed.
type ToggleButtons struct{ choice }

// NewToggleButtons returns a row of buttons; the first is pressed. It panics without options.
func NewToggleButtons(description string, options ...string) *ToggleButtons {
	return &ToggleButtons{newChoice(toggleButtons, description, options)}
}

// A choice is a widget with a list of texts one of which is chosen.
type choice struct {
	*Model
	options []string
}

func newChoice(k kind, description string, options []string) choice {
	if len(options) == 0 {
		panic("widget: a " + k.name + " needs options")
	}
	c := choice{newModel(k, map[string]any{"description": description, "_options_labels": options, "index": 0}), slices.Clone(options)}
	c.accept["index"] = func(sent any) (any, bool) {
		number, ok := sent.(float64)
		i := int(number)
		return i, ok && float64(i) == number && i >= 0 && i < len(c.options)
	}
	return c
}

// Value returns the chosen option.
func (c choice) Value() string { return c.options[c.Index()] }

// Index returns the place of the chosen option, from 0.
func (c choice) Index() int { return c.Get("index").(int) }

// SetValue chooses an option. It panics for a text that is none.
func (c choice) SetValue(option string) {
	i := slices.Index(c.options, option)
	if i < 0 {
		panic(fmt.Sprintf("widget: %q is none of the options %q", option, c.options))
	}
	c.Set("index", i)
}

// OnChange adds a function that is called with the option after each change.
func (c choice) OnChange(f func(option string)) { c.watch("index", func() { f(c.Value()) }) }

// Any returns the value.
func (c choice) Any() any { return c.Value() }

// OnAnyChange adds a function that is called after each change.
func (c choice) OnAnyChange(f func()) { c.watch("index", f) }
