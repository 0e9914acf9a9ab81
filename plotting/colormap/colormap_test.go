package colormap

import (
	"fmt"
	"image/color"
	"math"
	"testing"
)

// luminance returns the relative luminance of WCAG 2.1, 0 for black and 1 for white.
func luminance(c color.RGBA) float64 {
	linear := linearRGB(c)
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}

func linearRGB(c color.RGBA) [3]float64 {
	decode := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return [3]float64{decode(c.R), decode(c.G), decode(c.B)}
}

// deficiencies simulate full protanopia and deuteranopia on linear RGB (Machado,
// Oliveira and Fernandes 2009, severity 1.0).
var deficiencies = map[string][3][3]float64{
	"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// oklabOf is the forward conversion of Ottosson's article.
func oklabOf(rgb [3]float64) [3]float64 {
	l := math.Cbrt(0.4122214708*rgb[0] + 0.5363325363*rgb[1] + 0.0514459929*rgb[2])
	m := math.Cbrt(0.2119034982*rgb[0] + 0.6806995451*rgb[1] + 0.1073969566*rgb[2])
	s := math.Cbrt(0.0883024619*rgb[0] + 0.2817188376*rgb[1] + 0.6299787005*rgb[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func seen(c color.RGBA, by [3][3]float64) [3]float64 {
	linear := linearRGB(c)
	var rgb [3]float64
	for i, row := range by {
		rgb[i] = row[0]*linear[0] + row[1]*linear[1] + row[2]*linear[2]
	}
	return oklabOf(rgb)
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2))
}

func TestCategoriesDifferForEveryReader(t *testing.T) {
	for name, matrix := range deficiencies {
		for i := range Categories {
			for k := range i {
				// Steps of 0.02 in Oklab are about the smallest visible ones; lines need more.
				if d := distance(seen(Category(i), matrix), seen(Category(k), matrix)); d < 0.06 {
					t.Errorf("%s: colors %d and %d are only %.3f apart", name, k, i, d)
				}
			}
		}
	}
}

func TestCategoriesAreVisibleOnWhite(t *testing.T) {
	for i := range Categories {
		// WCAG 2.1 requires a contrast of 3 for graphics. The three lighter colors are for markers
		// and bands and reach 2.
		want := 3.0
		if i >= 3 {
			want = 2
		}
		if contrast := 1.05 / (luminance(Category(i)) + 0.05); contrast < want {
			t.Errorf("color %d has contrast %.2f, want %g", i, contrast, want)
		}
	}
}

func TestCategoriesRepeat(t *testing.T) {
	if Category(0) != Category(Categories) || Category(-1) != Category(Categories-1) {
		t.Error("colors do not repeat")
	}
	if len(categories) != Categories {
		t.Errorf("%d colors, Categories is %d", len(categories), Categories)
	}
}

func TestSequentialMapsChangeLightnessEvenly(t *testing.T) {
	for _, m := range []*Map{Density, Heat} {
		first, last := oklabOf(linearRGB(m.At(0)))[0], oklabOf(linearRGB(m.At(1)))[0]
		step := (last - first) / 255
		for i := 1; i <= 255; i++ {
			got := oklabOf(linearRGB(m.table[i]))[0] - oklabOf(linearRGB(m.table[i-1]))[0]
			// Channels are rounded to 1/255 and the anchors are not exactly even.
			if got/step < -0.2 || got/step > 2.6 {
				t.Errorf("%s: step %d changes lightness by %.4f, on average %.4f", m.Name, i, got, step)
			}
		}
		if math.Abs(last-first) < 0.65 {
			t.Errorf("%s spans only %.2f of lightness", m.Name, math.Abs(last-first))
		}
	}
}

func TestBalanceIsLightestInTheMiddle(t *testing.T) {
	middle := luminance(Balance.At(0.5))
	for _, x := range []float64{0, 0.1, 0.3, 0.4, 0.6, 0.7, 0.9, 1} {
		if luminance(Balance.At(x)) >= middle {
			t.Errorf("at %g lighter than in the middle", x)
		}
	}
	if d := math.Abs(luminance(Balance.At(0)) - luminance(Balance.At(1))); d > 0.1 {
		t.Errorf("ends differ by %.2f in luminance", d)
	}
}

func TestMapsStayInsideTheirEnds(t *testing.T) {
	for _, m := range []*Map{Density, Heat, Balance} {
		if m.At(-3) != m.At(0) || m.At(7) != m.At(1) || m.At(math.NaN()) != m.At(0) || m.At(math.Inf(1)) != m.At(1) {
			t.Errorf("%s leaves its ends", m.Name)
		}
	}
}

func TestAnchorsLieInsideSRGB(t *testing.T) {
	for _, m := range []*Map{Density, Heat, Balance} {
		for i, c := range m.table {
			// A clipped channel shows as a color that the inverse conversion does not reproduce.
			back := fromOklab(oklabOf(linearRGB(c)))
			if back != c {
				t.Errorf("%s[%d]: %v comes back as %v", m.Name, i, c, back)
			}
		}
	}
}

func TestTranslucentKeepsTheColor(t *testing.T) {
	got := Translucent(color.RGBA{10, 20, 30, 255}, 0.2)
	if got != (color.NRGBA{10, 20, 30, 51}) {
		t.Errorf("got %v", got)
	}
	if Translucent(Ink, 7).A != 255 || Translucent(Ink, -1).A != 0 {
		t.Error("opacity leaves 0..255")
	}
}

func ExampleMap_Colors() {
	for _, c := range Density.Colors(3) {
		fmt.Printf("#%02x%02x%02x\n", c.R, c.G, c.B)
	}
	fmt.Println(len(Heat.Colors(1)), len(Heat.Colors(0)))
	// Output:
	// #fbfaf7
	// #2d90c1
	// #0f204c
	// 1 0
}
