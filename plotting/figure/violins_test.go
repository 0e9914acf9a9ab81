package figure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"gosphere/plotting/colormap"
)

func TestQuantilesInterpolateAsRDoes(t *testing.T) {
	// In R, quantile(c(1, 2, 4, 8), c(0, 0.25, 0.5, 0.75, 1)) is 1, 1.75, 3, 5, 8.
	for share, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 3, 0.75: 5, 1: 8} {
		if got := quantile([]float64{1, 2, 4, 8}, share); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile at %g is %g, want %g", share, got, want)
		}
	}
	if got := quantile([]float64{7}, 0.9); got != 7 {
		t.Errorf("quantile of one value is %g", got)
	}
}

// normals returns sorted draws of a normal distribution.
func normals(n int, mean, deviation float64) []float64 {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	values := make([]float64, n)
	for i := range values {
		values[i] = mean + deviation*random.NormFloat64()
	}
	slices.Sort(values)
	return values
}

func TestDensityOfNormalDrawsIsABell(t *testing.T) {
	values := normals(20000, 5, 2)
	at, estimate := density(values)
	if len(at) != densityPoints || at[0] != values[0] || math.Abs(at[densityPoints-1]-values[len(values)-1]) > 1e-12 {
		t.Fatalf("%d places from %g to %g", len(at), at[0], at[len(at)-1])
	}
	if most := slices.Max(estimate); most != 1 {
		t.Errorf("the largest density is %g", most)
	}
	for i, x := range at {
		want := math.Exp(-(x - 5) * (x - 5) / 8)
		if math.Abs(estimate[i]-want) > 0.06 {
			t.Errorf("density at %.2f is %.3f, want %.3f", x, estimate[i], want)
		}
	}
}

func TestDensityNeedsEnoughDifferentValues(t *testing.T) {
	for name, values := range map[string][]float64{"few": normals(violinFrom-1, 0, 1), "equal": make([]float64, 100)} {
		if at, estimate := density(values); at != nil || estimate != nil {
			t.Errorf("%s values have an outline of %d places", name, len(at))
		}
	}
	// Half of the values are equal: the quartiles coincide, and the standard deviation determines
	// the width.
	values := append(make([]float64, 60), normals(40, 8, 1)...)
	slices.Sort(values)
	_, estimate := density(values)
	for i, value := range estimate {
		if math.IsNaN(value) || value < 0 || value > 1 {
			t.Errorf("density %d is %g", i, value)
		}
	}
}

func TestViolinsAreAsWideAsTheirDensityAndNeverMeet(t *testing.T) {
	f := Violins("level", "κ", Series{Name: "a", Values: normals(300, 0, 1)}, Series{Name: "b", Values: normals(300, 3, 2)})
	canvas, texts := recorded(t, f)
	var outlines []vg.Rectangle
	var current any
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.SetColor:
			current = action.Color
		case *recorder.Fill:
			if current == any(colormap.Translucent(colormap.Category(0), 0.22)) {
				outlines = append(outlines, bounds([]recorder.Fill{*action}))
			}
		}
	}
	if len(outlines) != 2 || outlines[0].Max.X >= outlines[1].Min.X {
		t.Fatalf("outlines %v", outlines)
	}
	if a, b := outlines[0], outlines[1]; b.Max.Y-b.Min.Y < 1.5*(a.Max.Y-a.Min.Y) || math.Abs(float64((a.Max.X-a.Min.X)-(b.Max.X-b.Min.X))) > 0.5 {
		t.Errorf("sizes %v and %v: twice the deviation, equal greatest widths", a, b)
	}
	var names []string
	for _, text := range texts {
		names = append(names, text.text)
	}
	for _, want := range []string{"a", "b", "level", "κ"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q is not in %q", want, names)
		}
	}
}

// circles counts the dots in a color.
func circles(canvas *recorder.Canvas, fill any) int {
	n := 0
	var current any
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.SetColor:
			current = action.Color
		case *recorder.Fill:
			if current == fill && len(action.Path) > 1 && slices.ContainsFunc(action.Path, func(p vg.PathComp) bool { return p.Type == vg.ArcComp }) {
				n++
			}
		}
	}
	return n
}

func TestSmallGroupsShowEveryValue(t *testing.T) {
	canvas, _ := recorded(t, Violins("level", "κ", Series{Name: "a", Values: []float64{1, 2, math.NaN(), 4}}, Series{Name: "b", Values: normals(50, 3, 1)}))
	if got := circles(canvas, colormap.Translucent(colormap.Category(0), 0.5)); got != 3 {
		t.Errorf("%d dots, want 3", got)
	}
	if got := circles(canvas, colormap.Category(1)); got != 2 {
		t.Errorf("%d medians, want 2", got)
	}
}

func TestLengthsArePutTogetherUntilAPlaceStandsForEnough(t *testing.T) {
	var s Series
	add := func(n int, tokens, value float64) {
		for range n {
			s.X, s.Values = append(s.X, tokens), append(s.Values, value)
		}
	}
	add(30, 5, 1)  // a point of its own
	add(12, 6, 2)  // merged with the next
	add(18, 7, 4)  //
	add(100, 8, 5) // equal lengths are never separated
	add(7, 30, 9)  // too few: merged with the previous point
	line := byLength(s)
	wantX := []float64{5, (12*6 + 18*7) / 30.0, (100*8 + 7*30) / 107.0}
	if len(line.X) != 3 {
		t.Fatalf("places %v", line.X)
	}
	for i := range wantX {
		if math.Abs(line.X[i]-wantX[i]) > 1e-9 {
			t.Errorf("place %d is at %g, want %g", i, line.X[i], wantX[i])
		}
	}
	if !slices.Equal(line.Values, []float64{1, 4, 5}) || !slices.Equal(line.Low, []float64{1, 2, 5}) || !slices.Equal(line.High, []float64{1, 4, 5}) {
		t.Errorf("medians %v between %v and %v", line.Values, line.Low, line.High)
	}
}

func TestLengthsDoNotDependOnTheOrderOfTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var s Series
	for range 500 {
		tokens := float64(3 + random.IntN(20))
		s.X, s.Values = append(s.X, tokens), append(s.Values, 1/tokens+0.1*random.Float64())
	}
	turned := Series{X: slices.Clone(s.X), Values: slices.Clone(s.Values)}
	random.Shuffle(500, func(i, j int) {
		turned.X[i], turned.X[j] = turned.X[j], turned.X[i]
		turned.Values[i], turned.Values[j] = turned.Values[j], turned.Values[i]
	})
	a, b := byLength(s), byLength(turned)
	for i := range a.X {
		if math.Abs(a.X[i]-b.X[i]) > 1e-9 || a.Values[i] != b.Values[i] {
			t.Fatalf("place %d: (%g, %g) and (%g, %g)", i, a.X[i], a.Values[i], b.X[i], b.Values[i])
		}
	}
	total := 0
	for i := range a.X {
		if i > 0 && a.X[i] <= a.X[i-1] {
			t.Errorf("places %v do not rise", a.X)
		}
		total++
	}
	if total < 5 {
		t.Errorf("%d places of 500 texts", total)
	}
}

func TestTextsOfGapsDoNotCount(t *testing.T) {
	s := Series{Name: "u", X: []float64{1, 1, 2}, Values: []float64{math.NaN(), 3, 5}}
	if line := byLength(s); len(line.X) != 1 || line.X[0] != 1.5 || line.Values[0] != 4 {
		t.Errorf("places %v with %v", line.X, line.Values)
	}
}

func TestLengthsAreWholeNumbers(t *testing.T) {
	for want, s := range map[string]Series{
		`series "a": text 1 has 2.5 tokens`:        {Name: "a", X: []float64{1, 2.5}, Values: []float64{1, 1}},
		`series "a": text 0 has -1 tokens`:         {Name: "a", X: []float64{-1}, Values: []float64{1}},
		`series "a" has no numbers of tokens in X`: {Name: "a", Values: []float64{1}},
		`series "a" has 2 values, 1 positions`:     {Name: "a", X: []float64{1}, Values: []float64{1, 1}},
	} {
		if err := ByLength("u", s).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestMarginalsShareTheAxesOfTheirPoints(t *testing.T) {
	// One point far to the upper right: its bins must be at its position.
	s := Series{Name: "s"}
	for i := range 40 {
		s.X, s.Values = append(s.X, float64(i%4)), append(s.Values, float64(i%5))
	}
	s.X, s.Values = append(s.X, 20), append(s.Values, 30)
	f := Marginals("x", "y", s)
	canvas, _ := recorded(t, f)
	var points, bins []recorder.Fill
	var current any
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.SetColor:
			current = action.Color
		case *recorder.Fill:
			switch current {
			case any(colormap.Translucent(colormap.Category(0), 0.55)):
				bins = append(bins, *action)
			case any(colormap.Translucent(colormap.Category(0), 0.7)):
				points = append(points, *action)
			}
		}
	}
	if len(points) != 41 || len(bins) != 2 {
		t.Fatalf("%d points, %d histograms", len(points), len(bins))
	}
	last := points[40].Path[0].Pos
	above, beside := bounds(bins[:1]), bounds(bins[1:])
	if above.Max.X < last.X || above.Min.X > last.X || above.Min.Y < last.Y {
		t.Errorf("the histogram above spans %v, the last point is at %v", above, last)
	}
	if beside.Max.Y < last.Y || beside.Min.Y > last.Y || beside.Min.X < last.X {
		t.Errorf("the histogram beside spans %v, the last point is at %v", beside, last)
	}
}

func TestEmptyBinsAtTheEndsAreNotDrawn(t *testing.T) {
	h := histogram{low: 10, width: 2}
	at := func(value, share float64) vg.Point { return vg.Point{X: vg.Length(value), Y: vg.Length(share)} }
	for _, c := range []struct {
		shares   []float64
		from, to vg.Length
	}{
		{[]float64{0, 0, 0.5, 0, 0.5, 0}, 14, 20},
		{[]float64{1}, 10, 12},
		{[]float64{0, 1}, 12, 14},
		{[]float64{0.5, 0.5}, 10, 14},
	} {
		outline := h.outline(c.shares, at)
		if first, last := outline[0], outline[len(outline)-1]; first.X != c.from || last.X != c.to || first.Y != 0 || last.Y != 0 {
			t.Errorf("%v: from %v to %v", c.shares, first, last)
		}
	}
}

func TestMarginalsSkipGapsInBothDirections(t *testing.T) {
	f := Marginals("x", "y", Series{X: []float64{1, 2, 900}, Values: []float64{1, 2, math.NaN()}})
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	twin, err := f.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(twin["data"].(map[string]any)["values"].([]any)); n != 2 {
		t.Errorf("%d points in the interactive form, want 2", n)
	}
	if got := fmt.Sprint(f); got != "scatter plot with marginals, 640×480" {
		t.Errorf("text form %q", got)
	}
}
