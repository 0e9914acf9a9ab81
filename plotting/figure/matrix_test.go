package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"gosphere/plotting/colormap"
)

func TestMatricesThatCannotBeDrawnSayWhy(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		want string
		f    *Figure
	}{
		{"figure: a matrix without numbers", HeatMap(Grid{})},
		{"a matrix without numbers", HeatMap(Grid{Values: [][]float64{{}}})},
		{"figure: a matrix without numbers", HeatMap(Grid{Values: [][]float64{{nan, nan}}})},
		{"row 1 has 1 numbers, want 2", HeatMap(Grid{Values: [][]float64{{1, 2}, {3}}})},
		{"row 0, column 1 is +Inf", HeatMap(Grid{Values: [][]float64{{1, math.Inf(1)}}})},
		{"1 × 2 numbers with 2 and 0 names", HeatMap(Grid{Values: [][]float64{{1, 2}}, Rows: []string{"a", "b"}})},
		{"1 × 2 numbers with 0 and 1 names", HeatMap(Grid{Values: [][]float64{{1, 2}}, Columns: []string{"a"}})},
		{"1 × 2001 numbers; a picture has room for 2000", HeatMap(Grid{Values: [][]float64{make([]float64, 2001)}})},
		{"1 rows of counts for 2 classes", Confusion([][]float64{{1, 2}}, []string{"a", "b"})},
		{`-1 things of class "a" were taken for "b"`, Confusion([][]float64{{1, -1}, {0, 1}}, []string{"a", "b"})},
		{`NaN things of class "b" were taken for "a"`, Confusion([][]float64{{1, 0}, {nan, 1}}, []string{"a", "b"})},
		{"no thing was classified", Confusion([][]float64{{0, 0}, {0, 0}}, []string{"a", "b"})},
		{"2 × 3 numbers with 2 and 2 names", Confusion([][]float64{{1, 0, 0}, {0, 1, 0}}, []string{"a", "b"})},
	} {
		if c.f.Err() == nil || !strings.Contains(c.f.Err().Error(), c.want) {
			t.Errorf("got %v, want %s", c.f.Err(), c.want)
		}
	}
}

// colorsOf returns the heat map of one row and the colors of its numbers.
func colorsOf(values ...float64) (*matrix, []color.RGBA) {
	m := newHeat(Grid{Values: [][]float64{values}})
	var shades []color.RGBA
	for _, value := range values {
		shades = append(shades, m.shade(value))
	}
	return m, shades
}

func TestZeroIsWhiteBetweenNumbersOfBothSigns(t *testing.T) {
	m, shades := colorsOf(-0.2, 0, 0.8, math.NaN())
	if m.colors != colormap.Balance || m.low != -0.8 || m.high != 0.8 {
		t.Errorf("map %s from %g to %g", m.colors.Name, m.low, m.high)
	}
	if shades[1] != colormap.Balance.At(0.5) || shades[2] != colormap.Balance.At(1) || shades[3] != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("shades %v", shades)
	}
	if cold := shades[0]; cold.B <= cold.R {
		t.Errorf("a negative number is %v, want blue", cold)
	}
}

func TestNumbersOfOneSignUseTheWholeMap(t *testing.T) {
	m, shades := colorsOf(2, 3, 4)
	if m.colors != colormap.Density || shades[0] != colormap.Density.At(0) || shades[2] != colormap.Density.At(1) {
		t.Errorf("map %s, shades %v", m.colors.Name, shades)
	}
	m, shades = colorsOf(5, 5)
	if m.low >= 5 || m.high <= 5 || shades[0] != shades[1] {
		t.Errorf("equal numbers between %g and %g", m.low, m.high)
	}
}

func TestThePictureHasTheFirstRowAbove(t *testing.T) {
	m := newHeat(Grid{Values: [][]float64{{1, 0}, {0, 0}, {0, 2}}})
	picture := m.picture()
	size := picture.Bounds().Size()
	at := func(row, column int) color.Color {
		return picture.At((2*column+1)*size.X/4, (2*row+1)*size.Y/6)
	}
	for row, columns := range [][]float64{{1, 0}, {0, 0}, {0, 2}} {
		for column, value := range columns {
			if got := at(row, column); got != color.Color(m.shade(value)) {
				t.Errorf("row %d, column %d is %v", row, column, got)
			}
		}
	}
	if size.X%2 != 0 || size.Y%3 != 0 {
		t.Errorf("%v pixels do not part into cells", size)
	}
}

func TestNumbersAreWrittenWhereTheyFit(t *testing.T) {
	square := func(n int, value float64) *Figure {
		g := Grid{}
		for range n {
			row := make([]float64, n)
			for k := range row {
				row[k] = value
			}
			g.Values = append(g.Values, row)
		}
		return HeatMap(g)
	}
	for _, c := range []struct {
		n, want int
		value   float64
	}{{3, 9, 0.25}, {12, 144, 0.25}, {13, 0, 0.25}, {12, 0, 123456789.25}} {
		_, texts := recorded(t, square(c.n, c.value))
		got := 0
		for _, text := range texts {
			if text.text == fmt.Sprintf("%.2f", c.value) {
				got++
			}
		}
		if c.value == 0.25 && c.n <= 12 {
			got -= strings.Count(shownTexts(t, square(13, c.value)), "0.25") // the scale's own
		}
		if got < c.want-1 || got > c.want+1 {
			t.Errorf("%d × %d cells of %g: %d numbers, want %d", c.n, c.n, c.value, got, c.want)
		}
	}
	if got := twoDecimals(-0.001); got != "0.00" {
		t.Errorf("next to nothing is written %s", got)
	}
}

func TestWritingIsLightOnDarkCells(t *testing.T) {
	canvas, _ := recorded(t, Confusion([][]float64{{97, 3}, {4, 96}}, []string{"a", "b"}))
	colors := map[string]color.Color{}
	var current color.Color
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.SetColor:
			current = action.Color
		case *recorder.FillString:
			colors[action.String] = current
		}
	}
	for text, want := range map[string]color.Color{"97": color.White, "96": color.White, "3": colormap.Ink, "4": colormap.Ink} {
		if colors[text] != want {
			t.Errorf("%s is written in %v", text, colors[text])
		}
	}
}

func TestConfusionTellsTheShareOfRightAnswers(t *testing.T) {
	f := Confusion([][]float64{{3, 1}, {0, 4}}, []string{"cat", "dog"})
	texts := shownTexts(t, f)
	for _, want := range []string{"87.5 % of 8 right", "cat", "dog", "true class", "answer"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not in %s", want, texts)
		}
	}
	if got := f.String(); !strings.HasPrefix(got, "confusion of 2 classes, 560×") {
		t.Errorf("text form %q", got)
	}
}

func TestAClassThatNeverOccursIsWhite(t *testing.T) {
	f := Confusion([][]float64{{3, 1}, {0, 0}}, []string{"cat", "dog"})
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	twin, err := f.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(twin["data"].(map[string]any)["values"].([]any)); n != 2 {
		t.Errorf("%d cells, want those of the class that occurs", n)
	}
}

func TestNamesOfManyRowsAreThinnedOutAndLongOnesCut(t *testing.T) {
	g := Grid{RowLabel: "caption", ColumnLabel: "image"}
	for i := range 200 {
		g.Values = append(g.Values, make([]float64, 200))
		g.Values[i][i] = 1
		name := fmt.Sprintf("caption number %d that goes on and on and on", i)
		g.Rows, g.Columns = append(g.Rows, name), append(g.Columns, fmt.Sprint(i))
	}
	f := HeatMap(g)
	_, texts := recorded(t, f)
	names := 0
	for i, a := range texts {
		if strings.HasPrefix(a.text, "caption number") {
			names++
			if !strings.HasSuffix(a.text, "…") {
				t.Errorf("%q is not cut", a.text)
			}
			for _, b := range texts[:i] {
				if strings.HasPrefix(b.text, "caption number") && overlap(a.box, b.box) {
					t.Errorf("%q and %q overlap", a.text, b.text)
				}
			}
		}
		if a.box.Min.X < 0 && a.text != "caption" { // the label is turned, which the recorder does not know
			t.Errorf("%q leaves the figure: %v", a.text, a.box)
		}
	}
	if names < 20 || names > 60 {
		t.Errorf("%d names of 200 rows", names)
	}
}

func TestCellsAreNotHigherThanWide(t *testing.T) {
	wide := Grid{Values: [][]float64{make([]float64, 40), make([]float64, 40)}}
	wide.Values[0][0] = 1
	f := HeatMap(wide)
	canvas, _ := recorded(t, f)
	for _, action := range canvas.Actions {
		if image, ok := action.(*recorder.DrawImage); ok {
			size := image.Rectangle.Size()
			if size.X > scaleWidth*2 && size.Y/2 > size.X/40*1.26 {
				t.Errorf("cells of %.1f × %.1f", size.X/40, size.Y/2)
			}
			return
		}
	}
	t.Error("no picture")
}

func TestStrideKeepsNamesApart(t *testing.T) {
	for _, c := range []struct {
		cell, room vg.Length
		want       int
	}{{20, 10, 1}, {10, 10, 1}, {9, 10, 2}, {2.5, 10, 4}, {0.1, 10, 100}} {
		if got := stride(c.cell, c.room); got != c.want {
			t.Errorf("cells of %g: every %d, want %d", c.cell, got, c.want)
		}
	}
}

func TestContoursLieWhereTheProfilePassesTheirShare(t *testing.T) {
	for _, kappa := range []float64{0.5, 5, 80} {
		table, err := tabulated(Ball{Profile: func(t float64) float64 { return math.Exp(kappa * (t - 1)) }})
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{0.2, 0.5, 0.9} {
			angles := crossings(table, []float64{share})
			cosine := 1 + math.Log(share)/kappa
			if cosine < -1 {
				if len(angles) != 0 {
					t.Errorf("κ %g: the density never falls to %g, contours at %v", kappa, share, angles)
				}
				continue
			}
			if len(angles) != 1 || math.Abs(angles[0]-math.Acos(cosine)) > 1e-4 {
				t.Errorf("κ %g, share %g: contours at %v, want %g", kappa, share, angles, math.Acos(cosine))
			}
		}
	}
	// A ring has two contour lines for each fraction.
	table, err := tabulated(Ball{Profile: func(t float64) float64 { return math.Exp(-20 * t * t) }})
	if err != nil {
		t.Fatal(err)
	}
	if angles := crossings(table, []float64{0.5}); len(angles) != 2 || math.Abs(angles[0]+angles[1]-math.Pi) > 1e-6 {
		t.Errorf("contours of a ring at %v", angles)
	}
}

func TestContoursAreCirclesAroundTheMean(t *testing.T) {
	mean := cameraToward // seen from above the pole, so that circles stay circles
	ball := Ball{Mean: mean[:], Profile: func(t float64) float64 { return math.Exp(10 * (t - 1)) }, Contours: []float64{0.5}}
	canvas, _ := recorded(t, Spheres(ball))
	var current color.Color
	var found []recorder.Stroke
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.SetColor:
			current = action.Color
		case *recorder.Stroke:
			if current == contourStyle.Color && len(action.Path) > 20 {
				found = append(found, *action)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d contours", len(found))
	}
	box := bounds([]recorder.Fill{{Path: found[0].Path}})
	center := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	for _, part := range found[0].Path {
		distance := math.Hypot(float64(part.Pos.X-center.X), float64(part.Pos.Y-center.Y))
		if want := float64(box.Size().X / 2); math.Abs(distance-want) > 0.05 {
			t.Fatalf("a point at %g from the middle, want %g", distance, want)
		}
	}
}

func TestContoursOutsideTheRangeAreRefused(t *testing.T) {
	for _, share := range []float64{0, 1, -0.5, 1.2, math.NaN()} {
		f := Spheres(Ball{Name: "a", Profile: func(float64) float64 { return 1 }, Contours: []float64{0.5, share}})
		if want := fmt.Sprintf("contour at %g of the maximum", share); f.Err() == nil || !strings.Contains(f.Err().Error(), want) {
			t.Errorf("got %v, want %s", f.Err(), want)
		}
	}
}

func TestNewTextsStayInsideAndApart(t *testing.T) {
	falling := func(i, k int) float64 { return 0.9 - 0.05*float64(k) - 0.02*float64(i) }
	rates := []Series{}
	for i := range 6 {
		rates = append(rates, Series{Name: fmt.Sprintf("method-%d", i), X: []float64{0, 0.5, 1}, Values: []float64{0, 0.5 + 0.05*float64(i), 1}})
	}
	var lengths []Series
	for i, s := range many(3, falling) {
		for k := range s.Values {
			s.X = append(s.X, float64(3+k+i))
		}
		lengths = append(lengths, s)
	}
	figures := map[string]*Figure{
		"marginals": Marginals("true κ", "learned κ", many(2, falling)...),
		"violins":   Violins("level of the hierarchy", "κ", many(6, falling)...),
		"lengths":   ByLength("uncertainty", lengths...),
		"roc":       ROC(rates...),
		"risk":      RiskCoverage(rates...),
	}
	for name, f := range figures {
		for _, width := range []int{640, 400} {
			f.Width = width
			f.Title = "A title that needs more than one line when the figure is only four hundred pixels wide"
			_, texts := recorded(t, f)
			w, h := f.size()
			for i, a := range texts {
				if a.box.Min.X < 0 || a.box.Min.Y < -1 || a.box.Max.X > w || a.box.Max.Y > h {
					t.Errorf("%s, %d wide: %q leaves the figure: %v", name, width, a.text, a.box)
				}
				for _, b := range texts[:i] {
					if overlap(a.box, b.box) {
						t.Errorf("%s, %d wide: %q and %q overlap", name, width, a.text, b.text)
					}
				}
			}
		}
	}
}

func TestCutNamesFitTheMargin(t *testing.T) {
	m := &matrix{}
	for _, name := range []string{"", "short", strings.Repeat("wide name ", 30), strings.Repeat("κ", 200)} {
		cut := m.cut(name)
		if sans(noteSize, nil, false).Width(cut) > longName {
			t.Errorf("%q is still too wide", cut)
		}
		if len(name) < 20 && cut != name {
			t.Errorf("%q became %q", name, cut)
		}
	}
	if names := distinct([]string{"a", "b", "a", "a"}); !slices.Equal(names, []string{"a", "b", "a (2)", "a (3)"}) {
		t.Errorf("distinct names %q", names)
	}
}
