package widget

// A Checkbox is a box that is checked or not.
type Checkbox struct{ *Model }

// NewCheckbox returns a checkbox.
func NewCheckbox(description string, value bool) *Checkbox {
	c := &Checkbox{newModel(checkbox, map[string]any{"description": description, "value": value})}
	c.accept["value"] = readBool
	return c
}

func readBool(sent any) (any, bool) {
	value, ok := sent.(bool)
	return value, ok
}

// Value reports whether the box is checked.
func (c *Checkbox) Value() bool { return c.Get("value").(bool) }

// SetValue checks or unchecks the box.
func (c *Checkbox) SetValue(value bool) { c.Set("value", value) }

// OnChange adds a function that is called with the value after each change.
func (c *Checkbox) OnChange(f func(value bool)) { c.watch("value", func() { f(c.Value()) }) }

// Any returns the value, a bool.
func (c *Checkbox) Any() any { return c.Value() }

// OnAnyChange adds a function that is called after each change.
func (c *Checkbox) OnAnyChange(f func()) { c.watch("value", f) }

// A Text is a field for one line.
type Text struct{ *Model }

// NewText returns a field. Its value changes with each key; after Set("continuous_update", false)
// it changes when the user presses Enter or leaves the field.
func NewText(description, value string) *Text {
	t := &Text{newModel(text, map[string]any{"description": description, "value": value})}
	t.accept["value"] = readString
	return t
}

func readString(sent any) (any, bool) {
	value, ok := sent.(string)
	return value, ok
}

// Value returns the text.
func (t *Text) Value() string { return t.Get("value").(string) }

// SetValue replaces the text.
func (t *Text) SetValue(value string) { t.Set("value", value) }

// OnChange adds a function that is called with the text after each change.
func (t *Text) OnChange(f func(value string)) { t.watch("value", func() { f(t.Value()) }) }

// OnSubmit adds a function that is called with the text when the user presses Enter.
func (t *Text) OnSubmit(f func(value string)) { t.onEvent("submit", func() { f(t.Value()) }) }

// Any returns the text.
func (t *Text) Any() any { return t.Value() }

// OnAnyChange adds a function that is called after each change.
func (t *Text) OnAnyChange(f func()) { t.watch("value", f) }

// A Button is a button with a label.
type Button struct{ *Model }

// NewButton returns a button. Set("button_style", "primary") changes its style; other styles are
// success, info, warning and danger.
func NewButton(description string) *Button {
	return &Button{newModel(button, map[string]any{"description": description})}
}

// OnClick adds a function that is called when the button is pressed.
func (b *Button) OnClick(f func()) { b.onEvent("click", f) }

// onEvent adds a function that is called for an event of the front end.
func (m *Model) onEvent(name string, f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, func(content map[string]any) {
		if content["event"] == name {
			f()
		}
	})
}

// An HTML is a fragment of HTML.
type HTML struct{ *Model }

// NewHTML returns a widget that shows a fragment of HTML.
func NewHTML(value string) *HTML { return &HTML{newModel(html, map[string]any{"value": value})} }

// Value returns the source.
func (h *HTML) Value() string { return h.Get("value").(string) }

// SetValue replaces the source.
func (h *HTML) SetValue(value string) { h.Set("value", value) }

// A Label is a text, with formulas between dollar signs.
type Label struct{ *Model }

// NewLabel returns a label.
func NewLabel(value string) *Label { return &Label{newModel(label, map[string]any{"value": value})} }

// Value returns the text.
func (l *Label) Value() string { return l.Get("value").(string) }

// SetValue replaces the text.
func (l *Label) SetValue(value string) { l.Set("value", value) }
