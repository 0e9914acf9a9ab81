package widget

import (
	"fmt"
	"slices"
)

// A Dropdown is a menu of strings.
type Dropdown struct{ choice }

// NewDropdown returns a menu with the first option selected. It panics without options.
func NewDropdown(description string, options ...string) *Dropdown {
	return &Dropdown{newChoice(dropdown, description, options)}
}

// ToggleButtons is a row of buttons, one of which is pressed.
type ToggleButtons struct{ choice }

// NewToggleButtons returns a row of buttons with the first one pressed. It panics without options.
func NewToggleButtons(description string, options ...string) *ToggleButtons {
	return &ToggleButtons{newChoice(toggleButtons, description, options)}
}

// A choice is a widget with a list of strings, one of which is selected.
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

// Value returns the selected option.
func (c choice) Value() string { return c.options[c.Index()] }

// Index returns the index of the selected option.
func (c choice) Index() int { return c.Get("index").(int) }

// SetValue selects an option. It panics if option is not in the list.
func (c choice) SetValue(option string) {
	i := slices.Index(c.options, option)
	if i < 0 {
		panic(fmt.Sprintf("widget: option %q is not in the list %q", option, c.options))
	}
	c.Set("index", i)
}

// OnChange adds a function that is called with the selected option after each change.
func (c choice) OnChange(f func(option string)) { c.watch("index", func() { f(c.Value()) }) }

// Any returns the selected option.
func (c choice) Any() any { return c.Value() }

// OnAnyChange adds a function that is called after each change.
func (c choice) OnAnyChange(f func()) { c.watch("index", f) }
