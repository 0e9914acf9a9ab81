package figure

import (
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg/recorder"

	"gosphere/plotting/colormap"
)

// luminance returns the relative luminance of a color, from 0 to 1, as defined by WCAG 2.2.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(value uint32) float64 {
		v := float64(value) / 0xFFFF
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// contrast returns the contrast of two colors, from 1 to 21.
func contrast(a, b color.Color) float64 {
	light, dark := luminance(a), luminance(b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

func TestNoTextIsTooSmallForAPage(t *testing.T) {
	for name, f := range kinds(3) {
		for _, width := range []int{640, 320} {
			f.Width = width
			f.Title, f.Note = "Title", "note"
			canvas, texts := recorded(t, f)
			if len(texts) == 0 {
				t.Errorf("%s shows no text", name)
			}
			for _, action := range canvas.Actions {
				if fill, ok := action.(*recorder.FillString); ok && fill.Size < noteSize {
					t.Errorf("%s, %d wide: %q is written with %.1f points, the least is %.1f", name, width, fill.String, fill.Size.Points(), noteSize.Points())
				}
			}
		}
	}
}

func TestWordsAreDarkEnoughOnWhite(t *testing.T) {
	for name, c := range map[string]color.Color{"text": colormap.Ink, "axes and notes": colormap.Soft} {
		if got := contrast(c, color.White); got < 4.5 {
			t.Errorf("%s have a contrast of %.1f, want 4.5", name, got)
		}
	}
	if got := contrast(color.Black, color.White); math.Abs(got-21) > 1e-9 {
		t.Errorf("black on white has %g, want 21", got)
	}
}

// TestFiguresGetTitlesWithoutLosingWhatTheyShow compares the texts with and without a title: only
// title and note may be added.
func TestFiguresGetTitlesWithoutLosingWhatTheyShow(t *testing.T) {
	for name, f := range kinds(5) {
		_, before := recorded(t, f)
		f.Title, f.Note = "Title", "note"
		_, after := recorded(t, f)
		count := map[string]int{}
		for _, text := range after {
			count[text.text]++
		}
		if count["Title"] == 0 || count["note"] == 0 {
			t.Errorf("%s has no title, or no note", name)
		}
		if name == "heat map" || name == "graph" || name == "spheres" { // theirs may get other ticks in the room that is left
			continue
		}
		for _, text := range before {
			if _, isNumber := parsedTick(text.text); !isNumber && count[text.text] == 0 {
				t.Errorf("%s has lost %q", name, text.text)
			}
		}
	}
}

// parsedTick returns a text that is the number of a tick, and reports whether it is one. There are
// fewer ticks if there is less space.
func parsedTick(text string) (string, bool) {
	for _, letter := range text {
		if (letter < '0' || letter > '9') && letter != '.' && letter != '-' && letter != '−' && letter != 'e' && letter != '+' {
			return "", false
		}
	}
	return text, true
}
