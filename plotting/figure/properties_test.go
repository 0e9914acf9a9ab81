package figure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gosphere/plotting/colormap"
)

// kinds returns one figure of each kind, made from random numbers.
func kinds(seed uint64) map[string]*Figure {
	random := rand.New(rand.NewPCG(seed, 1))
	draws := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = random.NormFloat64() * math.Exp(3*random.NormFloat64())
		}
		return values
	}
	series := func(name string, n int) Series { return Series{Name: name, X: draws(n), Values: draws(n)} }
	rates := Series{Name: "rates", X: []float64{0}, Values: []float64{0}}
	for range 20 {
		last := len(rates.X) - 1
		rates.X = append(rates.X, rates.X[last]+(1-rates.X[last])*random.Float64())
		rates.Values = append(rates.Values, rates.Values[last]+(1-rates.Values[last])*random.Float64())
	}
	lengths := Series{Name: "u", Values: draws(200)}
	for range 200 {
		lengths.X = append(lengths.X, float64(random.IntN(40)))
	}
	grid := Grid{}
	for range 1 + random.IntN(9) {
		grid.Values = append(grid.Values, nil)
	}
	columns := 1 + random.IntN(9)
	for i := range grid.Values {
		grid.Values[i] = draws(columns)
	}
	counts := [][]float64{{1 + 10*random.Float64(), random.Float64()}, {random.Float64(), 5}}
	return map[string]*Figure{
		"lines":     Lines("x", "y", Series{Name: "a", Values: draws(30)}, Series{Name: "b", Values: draws(30)}),
		"recall":    RecallByLevel(Bands("runs", [][]float64{draws(10), draws(10)})),
		"loss":      Loss(Series{Name: "loss", Values: draws(700)}),
		"scatter":   Scatter("x", "y", series("a", 300)),
		"histogram": Histogram("x", Series{Name: "a", Values: draws(50)}),
		"marginals": Marginals("x", "y", series("a", 60), series("b", 60)),
		"violins":   Violins("x", "y", Series{Name: "a", Values: draws(40)}, Series{Name: "b", Values: draws(5)}),
		"lengths":   ByLength("u", lengths),
		"roc":       ROC(rates),
		"risk":      RiskCoverage(rates),
		"heat map":  HeatMap(grid),
		"confusion": Confusion(counts, []string{"a", "b"}),
		"bars":      Bars("y", []string{"a", "b"}, Series{Name: "s", Values: draws(2)}),
		"spheres":   Spheres(Ball{Name: "κ", Profile: func(t float64) float64 { return math.Exp(5 * t) }, Contours: []float64{0.5}}),
		"graph":     Graph([]string{"a", "b", "c"}, [][2]int{{0, 1}, {0, 2}, {1, 2}}),
	}
}

func TestEveryKindDrawsAnyNumbersInEveryFormat(t *testing.T) {
	for seed := range uint64(3) {
		for name, f := range kinds(seed) {
			if f.Err() != nil {
				t.Errorf("seed %d, %s: %v", seed, name, f.Err())
				continue
			}
			picture, err := f.PNG()
			if err != nil {
				t.Errorf("seed %d, %s: %v", seed, name, err)
				continue
			}
			if config, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || config.Width != 2*f.Width || config.Height != 2*f.Height {
				t.Errorf("seed %d, %s: %d×%d pixels for %d×%d, %v", seed, name, config.Width, config.Height, f.Width, f.Height, err)
			}
			if _, err := f.SVG(); err != nil {
				t.Errorf("seed %d, %s as SVG: %v", seed, name, err)
			}
			if seed == 0 {
				if _, err := f.PDF(); err != nil {
					t.Errorf("%s as PDF: %v", name, err)
				}
			}
		}
	}
}

func TestEqualNumbersGiveEqualBytes(t *testing.T) {
	one, two := kinds(7), kinds(7)
	for name := range one {
		a, err := one[name].SVG()
		b, err2 := two[name].SVG()
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: two drawings differ, %v, %v", name, err, err2)
		}
		specA, _ := one[name].VegaLite()
		specB, _ := two[name].VegaLite()
		textA, err := json.Marshal(specA)
		textB, err2 := json.Marshal(specB)
		if err != nil || err2 != nil || !bytes.Equal(textA, textB) {
			t.Errorf("%s: two interactive forms differ, %v, %v", name, err, err2)
		}
	}
}

func TestDrawingTwiceGivesTheSame(t *testing.T) {
	for name, f := range kinds(8) {
		a, err := f.SVG()
		b, err2 := f.SVG()
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: the second drawing differs, %v, %v", name, err, err2)
		}
	}
}

func TestFiguresLeaveTheNumbersOfTheCallerAlone(t *testing.T) {
	values := []float64{3, 1, math.NaN(), 2, 7, 7, 0.5, 9, 4, 8, 6, 5, 2.5}
	positions := []float64{5, 3, 2, 9, 1, 8, 7, 4, 6, 0, 10, 11, 12}
	s := Series{Name: "a", X: slices.Clone(positions), Values: slices.Clone(values)}
	grid := Grid{Values: [][]float64{{2, 1}, {0, 3}}, Rows: []string{"a", "a"}}
	for _, f := range []*Figure{Lines("x", "y", s), Loss(s), Scatter("x", "y", s), Marginals("x", "y", s), Violins("x", "y", s), ByLength("u", s), Histogram("x", s), HeatMap(grid)} {
		if _, err := f.PNG(); err != nil {
			t.Error(err)
		}
		if _, err := f.VegaLite(); err != nil {
			t.Error(err)
		}
	}
	for i := range values {
		if s.X[i] != positions[i] || s.Values[i] != values[i] && !math.IsNaN(values[i]) {
			t.Fatalf("number %d became (%g, %g)", i, s.X[i], s.Values[i])
		}
	}
	if grid.Rows[1] != "a" || grid.Values[1][0] != 0 {
		t.Errorf("the grid became %+v", grid)
	}
}

func TestStepsAreRoundAndNotSmallerThanAsked(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for range 500 {
		x := math.Exp(20 * random.NormFloat64())
		step := niceStep(x)
		if step < x*(1-1e-9) || step > x*2.5*(1+1e-9) {
			t.Errorf("step %g for %g", step, x)
		}
		digits := step / math.Pow(10, math.Floor(math.Log10(step)+1e-9))
		if !slices.ContainsFunc([]float64{1, 2, 2.5, 5, 10}, func(d float64) bool { return math.Abs(digits-d) < 1e-6 }) {
			t.Errorf("step %g for %g is not round", step, x)
		}
	}
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if step := niceStep(x); step != 1 {
			t.Errorf("step %g for %g", step, x)
		}
	}
}

func TestTicksLieInsideAndKeepTheirOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 9))
	for range 300 {
		low := random.NormFloat64() * math.Exp(5*random.NormFloat64())
		high := low + math.Exp(5*random.NormFloat64())
		ticks := niceTicks(low, high)
		if len(ticks) == 0 || len(ticks) > 8 {
			t.Errorf("%d ticks from %g to %g", len(ticks), low, high)
		}
		seen := map[string]bool{}
		for i, tick := range ticks {
			slack := (high - low) * 1e-6
			if tick.Value < low-slack || tick.Value > high+slack || i > 0 && tick.Value <= ticks[i-1].Value {
				t.Errorf("tick %d of %g to %g is %g", i, low, high, tick.Value)
			}
			seen[tick.Label] = true
		}
		if high-low > 1e-4*math.Abs(low) && len(seen) != len(ticks) {
			t.Errorf("ticks of %g to %g have equal labels: %v", low, high, ticks)
		}
	}
}

func TestWidenedAxesHoldTheirDataAndEndAtSteps(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 9))
	for range 300 {
		f := Lines("x", "y", Series{Values: []float64{random.NormFloat64() * 1e3, random.NormFloat64()}})
		low, high := f.Plot.Y.Min, f.Plot.Y.Max
		f.roomAbove()
		if f.Plot.Y.Min > low || f.Plot.Y.Max < high || f.Plot.Y.Max-f.Plot.Y.Min > 2*(high-low)+1 {
			t.Errorf("%g to %g became %g to %g", low, high, f.Plot.Y.Min, f.Plot.Y.Max)
		}
	}
}

func TestReorderingNeverAddsCrossings(t *testing.T) {
	for seed := range uint64(20) {
		l, err := newLayering(12, acyclic(12, 20, seed+100))
		if err != nil {
			t.Fatal(err)
		}
		before := l.crossings()
		if l.uncross(); l.crossings() > before {
			t.Errorf("%d crossings became %d", before, l.crossings())
		}
	}
}

func TestLettersOnPagesAreClosedShapesInTheirWidth(t *testing.T) {
	face := handler.plain.Fonts.Lookup(sans(20, nil, false).Font, 20)
	for _, word := range []string{"κ", "Recall@1", "μ·x", "l"} {
		var canvas recorder.Canvas
		fillLetters(&canvas, face, vg.Point{X: 30, Y: 40}, word)
		var fills []recorder.Fill
		for _, action := range canvas.Actions {
			if fill, ok := action.(*recorder.Fill); ok {
				fills = append(fills, *fill)
			}
		}
		if len(fills) != 1 {
			t.Fatalf("%q is %d shapes", word, len(fills))
		}
		opened, closed := 0, 0
		for _, part := range fills[0].Path {
			switch part.Type {
			case vg.MoveComp:
				opened++
			case vg.CloseComp:
				closed++
			}
		}
		if opened == 0 || opened != closed {
			t.Errorf("%q has %d outlines, %d of them closed", word, opened, closed)
		}
		box := bounds(fills)
		if width := face.Width(word); box.Min.X < 29 || box.Max.X > 31+width || box.Max.Y > 40+20 || box.Min.Y < 40-8 {
			t.Errorf("%q of width %g spans %v", word, width, box)
		}
	}
	var canvas recorder.Canvas
	fillLetters(&canvas, face, vg.Point{}, " ")
	for _, action := range canvas.Actions {
		if _, ok := action.(*recorder.Fill); ok {
			t.Error("a blank is filled")
		}
	}
}

func TestKeysStandBesideEachOtherInTheirColors(t *testing.T) {
	f := Histogram("x", Series{Name: "one", Values: rising(9)}, Series{Name: "two", Values: rising(9)}, Series{Name: "three", Values: rising(9)})
	canvas, texts := recorded(t, f)
	at := map[string]vg.Rectangle{}
	for _, text := range texts {
		at[text.text] = text.box
	}
	if !(at["one"].Max.X < at["two"].Min.X && at["two"].Max.X < at["three"].Min.X) {
		t.Errorf("keys at %v", at)
	}
	swatches := map[color.Color]int{}
	var current color.Color
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.SetColor:
			current = action.Color
		case *recorder.Fill:
			if box := bounds([]recorder.Fill{*action}); box.Size().X == 8 && box.Size().Y == 8 {
				swatches[current]++
			}
		}
	}
	for i := range 3 {
		if swatches[colormap.Category(i)] != 1 {
			t.Errorf("swatches %v", swatches)
		}
	}
}

func TestTitlesTakeRoomFromThePlotNotFromThePage(t *testing.T) {
	top := func(title string) vg.Length {
		f := Lines("x", "y", Series{Values: rising(4)})
		f.Title = title
		canvas, _ := recorded(t, f)
		highest := vg.Length(0)
		for _, action := range canvas.Actions {
			if stroke, ok := action.(*recorder.Stroke); ok {
				for _, part := range stroke.Path {
					highest = max(highest, part.Pos.Y)
				}
			}
		}
		return highest
	}
	plain, short, long := top(""), top("A title"), top(strings.Repeat("A title that is long ", 8))
	if !(plain > short && short > long) {
		t.Errorf("the plot reaches %g without, %g with a title, %g with one of several lines", plain, short, long)
	}
}

func TestDotsHaveAWhiteRim(t *testing.T) {
	var canvas recorder.Canvas
	c := draw.NewCanvas(&canvas, 100, 100)
	dot(&c, vg.Point{X: 50, Y: 50}, 3, colormap.Category(2))
	var colors []color.Color
	for _, action := range canvas.Actions {
		if set, ok := action.(*recorder.SetColor); ok {
			colors = append(colors, set.Color)
		}
	}
	if fmt.Sprint(colors) != fmt.Sprint([]color.Color{color.White, colormap.Category(2)}) {
		t.Errorf("colors %v", colors)
	}
}

func TestWholePositionsHaveWholeTicksOnPages(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want bool
	}{{[]float64{1, 2, 3}, true}, {nil, true}, {[]float64{0.5, 1, 2}, false}} {
		spec, err := Lines("x", "y", Series{X: c.x, Values: rising(3)}).VegaLite()
		if err != nil {
			t.Fatal(err)
		}
		_, found := spec["layer"].([]any)[0].(map[string]any)["encoding"].(map[string]any)["x"].(map[string]any)["axis"]
		if found != c.want {
			t.Errorf("positions %v: whole ticks %v", c.x, found)
		}
	}
}
