package widget

import (
	"fmt"
	"math"
)

// An IntSlider is a slider over whole numbers.
type IntSlider struct{ intControl }

// NewIntSlider returns a slider from least to most. It panics if value does not lie between them.
func NewIntSlider(description string, value, least, most int) *IntSlider {
	return &IntSlider{newIntControl(intSlider, description, value, least, most)}
}

// A FloatSlider is a slider over numbers.
type FloatSlider struct{ floatControl }

// NewFloatSlider returns a slider from least to most in steps. It panics if value does not
// lie between them.
func NewFloatSlider(description string, value, least, most, step float64) *FloatSlider {
	s := &FloatSlider{newFloatControl(floatSlider, description, value, least, most)}
	s.Set("step", step)
	return s
}

// A FloatLogSlider is a slider over the exponents of 10.
type FloatLogSlider struct{ floatControl }

// NewFloatLogSlider returns a slider from 10^least to 10^most in steps of a tenth of the
// exponent. Value is the number itself, not the exponent; it panics if that is outside.
func NewFloatLogSlider(description string, value, least, most float64) *FloatLogSlider {
	checkRange(floatLogSlider.name, value, math.Pow(10, least), math.Pow(10, most))
	m := newModel(floatLogSlider, map[string]any{"description": description, "value": value, "min": least, "max": most})
	c := floatControl{m, func(v float64) float64 { return min(max(v, math.Pow(10, least)), math.Pow(10, most)) }}
	c.accept["value"] = c.read
	return &FloatLogSlider{c}
}

// An IntProgress is a bar over whole numbers.
type IntProgress struct{ intControl }

// NewIntProgress returns a bar from 0 to most.
func NewIntProgress(description string, most int) *IntProgress {
	return &IntProgress{newIntControl(intProgress, description, 0, 0, most)}
}

// A FloatProgress is a bar over numbers.
type FloatProgress struct{ floatControl }

// NewFloatProgress returns a bar from 0 to most.
func NewFloatProgress(description string, most float64) *FloatProgress {
	return &FloatProgress{newFloatControl(floatProgress, description, 0, 0, most)}
}

// A Play counts up by itself once its button is pressed. Link it with a slider of the same range.
type Play struct{ intControl }

// NewPlay returns a counter from least to most that counts every so many milliseconds.
func NewPlay(least, most, milliseconds int) *Play {
	p := &Play{newIntControl(play, "", least, least, most)}
	p.Set("interval", milliseconds)
	p.accept["playing"], p.accept["repeat"] = readBool, readBool
	return p
}

// Link keeps the values of two widgets equal on the page itself, without the kernel.
func Link(source, with Widget) *Model {
	return newModel(linkKind, map[string]any{"source": []string{reference(source), "value"}, "target": []string{reference(with), "value"}})
}

// An intControl is a widget whose value is a whole number in a range.
type intControl struct {
	*Model
	clamp func(int) int
}

func newIntControl(k kind, description string, value, least, most int) intControl {
	checkRange(k.name, value, least, most)
	m := newModel(k, map[string]any{"description": description, "value": value, "min": least, "max": most})
	c := intControl{m, func(v int) int {
		low, high := m.state["min"].(int), m.state["max"].(int)
		return min(max(v, low), high)
	}}
	c.accept["value"] = c.read
	return c
}

// read reads what the page sends.
func (c intControl) read(sent any) (any, bool) {
	number, ok := sent.(float64)
	if !ok || number != math.Trunc(number) || math.Abs(number) > 1<<53 {
		return nil, false
	}
	return c.clamp(int(number)), true
}

// Value returns the number.
func (c intControl) Value() int { return c.Get("value").(int) }

// SetValue moves the widget, to the end of its range if need be.
func (c intControl) SetValue(value int) {
	c.mu.Lock()
	value = c.clamp(value)
	c.mu.Unlock()
	c.Set("value", value)
}

// OnChange adds a function that is called with the value after each change.
func (c intControl) OnChange(f func(value int)) { c.watch("value", func() { f(c.Value()) }) }

// Any returns the value.
func (c intControl) Any() any { return c.Value() }

// OnAnyChange adds a function that is called after each change.
func (c intControl) OnAnyChange(f func()) { c.watch("value", f) }

// A floatControl is a widget whose value is a number in a range.
type floatControl struct {
	*Model
	clamp func(float64) float64
}

func newFloatControl(k kind, description string, value, least, most float64) floatControl {
	checkRange(k.name, value, least, most)
	m := newModel(k, map[string]any{"description": description, "value": value, "min": least, "max": most})
	c := floatControl{m, func(v float64) float64 { return min(max(v, m.state["min"].(float64)), m.state["max"].(float64)) }}
	c.accept["value"] = c.read
	return c
}

func (c floatControl) read(sent any) (any, bool) {
	number, ok := sent.(float64)
	if !ok || math.IsNaN(number) {
		return nil, false
	}
	return c.clamp(number), true
}

// Value returns the number.
func (c floatControl) Value() float64 { return c.Get("value").(float64) }

// SetValue moves the widget, to the end of its range if need be. It panics for NaN.
func (c floatControl) SetValue(value float64) {
	if math.IsNaN(value) {
		panic("widget: the value of a " + c.name + " cannot be NaN")
	}
	c.mu.Lock()
	value = c.clamp(value)
	c.mu.Unlock()
	c.Set("value", value)
}

// OnChange adds a function that is called with the value after each change.
func (c floatControl) OnChange(f func(value float64)) { c.watch("value", func() { f(c.Value()) }) }

// Any returns the value.
func (c floatControl) Any() any { return c.Value() }

// OnAnyChange adds a function that is called after each change.
func (c floatControl) OnAnyChange(f func()) { c.watch("value", f) }

// checkRange panics unless least <= value <= most.
func checkRange[T int | float64](name string, value, least, most T) {
	if !(least <= value && value <= most) {
		panic(fmt.Sprintf("widget: the value %v of a %s does not lie between %v and %v", value, name, least, most))
	}
}
