package widget

import (
	"testing"

	"gosphere/runtime/display"
)

// A bare widget has its own text form.
type bare struct{ text any }

func (bare) ID() string                   { return "" }
func (b bare) MimeBundle() map[string]any { return map[string]any{"text/plain": b.text} }

func TestWithoutAPageBoxesAreTheLinesOfTheirWidgets(t *testing.T) {
	newPage(t) // takes what is shown
	kappa := NewFloatSlider("κ", 5, 0.1, 100, 0.1)
	out := NewOutput()
	interact := Interact(func(kappa float64) any { display.Show(kappa / 2); return 2 * kappa }, kappa)
	around := NewVBox()
	around.SetChildren(around, NewLabel("a"))
	changed := NewHBox(NewLabel("a"))
	changed.SetChildren(NewLabel("b"), bare{"one\ntwo"}, bare{})
	for want, w := range map[string]Widget{
		"FloatSlider(\"κ\", value=6)\n3\n12":                    interact,
		"FloatSlider(\"κ\", value=6)\nDropdown(\"m\", value=b)": NewVBox(NewHBox(kappa, NewDropdown("m", "b")), NewOutput()),
		"one:\nLabel(value=a)\ntwo:":                            NewTab([]string{"one", "two"}, NewLabel("a"), NewOutput()),
		"Label(value=b)\none\ntwo\nwidget.bare":                 changed,
		"VBox()\nLabel(value=a)":                                around,
		"HBox()":                                                NewHBox(),
		"Output()":                                              NewOutput(),
		"said\n3":                                               out,
	} {
		kappa.SetValue(6) // once more: nothing changes
		if w == Widget(out) {
			out.Print("said\n")
			out.Show(3)
		}
		if got := w.MimeBundle()["text/plain"]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
