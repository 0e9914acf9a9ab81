package figure

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gosphere/plotting/colormap"
)

// twins returns figures with interactive forms, and the number of rows of each.
func twins() map[string]struct {
	f    *Figure
	rows int
} {
	type entry = struct {
		f    *Figure
		rows int
	}
	two := []Series{{Name: "a", Values: []float64{1, math.NaN(), 3}}, {Name: "b", Values: []float64{2, 3, 4}}}
	banded := []Series{Bands("runs", [][]float64{{1, 2}, {3, 4}})}
	return map[string]entry{
		"lines":     {Lines("x", "y", two...), 5},
		"bands":     {RecallByLevel(banded...), 2},
		"loss":      {Loss(two...), 5},
		"scatter":   {Scatter("x", "y", two...), 5},
		"marginals": {Marginals("x", "y", two...), 5},
		"violins":   {Violins("x", "y", two...), 5},
		"lengths":   {ByLength("u", Series{Name: "u", X: []float64{1, 2}, Values: []float64{3, 4}}), 1},
		"roc":       {ROC(Series{Name: "r", X: []float64{0, 1}, Values: []float64{0, 1}}), 2},
		"risk":      {RiskCoverage(Series{Name: "r", X: []float64{0, 1}, Values: []float64{0, 1}}), 2},
		"heat map":  {HeatMap(Grid{Values: [][]float64{{1, 2, math.NaN()}}}), 2},
		"confusion": {Confusion([][]float64{{1, 2}, {3, 4}}, []string{"a", "b"}), 4},
		"bars":      {Bars("y", []string{"g", "h"}, Bands("runs", [][]float64{{1, 2}, {3, 4}})), 2},
		"histogram": {Histogram("x", Series{Name: "h", Values: rising(4)}), len(newHistogram([]Series{{Values: rising(4)}}).shares[0])},
	}
}

func TestInteractiveFormsHaveEveryNumberAndAreJSON(t *testing.T) {
	for name, c := range twins() {
		spec, err := c.f.VegaLite()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := len(spec["data"].(map[string]any)["values"].([]any)); got != c.rows {
			t.Errorf("%s has %d rows, want %d", name, got, c.rows)
		}
		if _, err := json.Marshal(spec); err != nil {
			t.Errorf("%s is no JSON: %v", name, err)
		}
		if spec["$schema"] != "https://vega.github.io/schema/vega-lite/v5.json" || spec["description"] != c.f.String() {
			t.Errorf("%s: schema %v, description %v", name, spec["$schema"], spec["description"])
		}
		if _, found := spec["title"]; found {
			t.Errorf("%s has a title that was not given", name)
		}
	}
}

// fields collects the fields that encodings read from the rows.
func fields(value any, found map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, child := range value {
			if name, ok := child.(string); ok && key == "field" {
				found[name] = true
			}
			if key != "data" {
				fields(child, found)
			}
		}
	case []any:
		for _, child := range value {
			fields(child, found)
		}
	}
}

func TestEncodingsReadFieldsThatRowsHave(t *testing.T) {
	for name, c := range twins() {
		spec, err := c.f.VegaLite()
		if err != nil {
			t.Fatal(err)
		}
		used := map[string]bool{}
		fields(spec, used)
		row := spec["data"].(map[string]any)["values"].([]any)[0].(map[string]any)
		for field := range used {
			if _, found := row[field]; !found {
				t.Errorf("%s: the rows have no %s: %v", name, field, row)
			}
		}
		if len(used) < 2 {
			t.Errorf("%s reads %v", name, used)
		}
	}
}

func TestInteractiveFormsFollowTitleAndNote(t *testing.T) {
	f := Lines("x", "y", Series{Name: "a", Values: rising(3)})
	f.Title, f.Note = "The title", "The note"
	spec, err := f.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	title := spec["title"].(map[string]any)
	if title["text"] != "The title" || title["subtitle"] != "The note" || !strings.HasPrefix(spec["description"].(string), "The title (lines)") {
		t.Errorf("title %v, description %v", title, spec["description"])
	}
	f.Title = "Another"
	again, err := f.VegaLite()
	if err != nil || again["title"].(map[string]any)["text"] != "Another" {
		t.Errorf("after a change the title is %v, %v", again["title"], err)
	}
}

func TestInteractiveFormsHaveTheColorsOfTheFigures(t *testing.T) {
	spec, err := Lines("x", "y", Series{Values: rising(3)}).VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	colors := spec["config"].(map[string]any)["range"].(map[string]any)["category"].([]string)
	if len(colors) != colormap.Categories || colors[0] != "#0072b2" || colors[1] != "#d55e00" {
		t.Errorf("colors %v", colors)
	}
	spec, err = HeatMap(Grid{Values: [][]float64{{-1, 0, 1}}}).VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	scale := spec["encoding"].(map[string]any)["color"].(map[string]any)["scale"].(map[string]any)
	shades := scale["range"].([]string)
	if !reflect.DeepEqual(scale["domain"], []any{-1.0, 1.0}) || shades[0] != hex(colormap.Balance.At(0)) || shades[8] != hex(colormap.Balance.At(1)) {
		t.Errorf("scale %v", scale)
	}
}

func TestLegendsAreOnlyForSeveralSeries(t *testing.T) {
	for n, want := range map[int]bool{1: false, 2: true} {
		encoding := named(many(n, func(i, k int) float64 { return 0 }))
		_, hidden := encoding["legend"]
		if hidden == want {
			t.Errorf("%d series: %v", n, encoding)
		}
	}
}

func TestSeriesOfOneNameStayApart(t *testing.T) {
	spec, err := Lines("x", "y", Series{Name: "a", Values: rising(2)}, Series{Name: "a", Values: rising(2)}, Series{Values: rising(2)}).VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, row := range spec["data"].(map[string]any)["values"].([]any) {
		names = append(names, row.(map[string]any)["series"].(string))
	}
	if !slices.Equal(names, []string{"a", "a", "a (2)", "a (2)", "series 3", "series 3"}) {
		t.Errorf("names %q", names)
	}
}

func TestCellsOfRowsOfOneNameStayApart(t *testing.T) {
	spec, err := HeatMap(Grid{Values: [][]float64{{1, 2}, {3, 4}}, Rows: []string{"a dog", "a dog"}}).VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]string]float64{}
	for _, row := range spec["data"].(map[string]any)["values"].([]any) {
		cell := row.(map[string]any)
		seen[[2]string{cell["row"].(string), cell["column"].(string)}] = cell["number"].(float64)
	}
	want := map[[2]string]float64{{"a dog", "1"}: 1, {"a dog", "2"}: 2, {"a dog (2)", "1"}: 3, {"a dog (2)", "2"}: 4}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("cells %v", seen)
	}
}

func TestBandsAreAnAreaBelowTheLine(t *testing.T) {
	spec, err := RecallByLevel(Bands("runs", [][]float64{{1, 2}, {3, 4}})).VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	layers := spec["layer"].([]any)
	marks := []string{}
	for _, layer := range layers {
		marks = append(marks, layer.(map[string]any)["mark"].(map[string]any)["type"].(string))
	}
	if !slices.Equal(marks, []string{"area", "line"}) {
		t.Errorf("layers %v", marks)
	}
	row := spec["data"].(map[string]any)["values"].([]any)[0].(map[string]any)
	if row["low"] != 1.0 || row["high"] != 3.0 || row["y"] != 2.0 {
		t.Errorf("first row %v", row)
	}
	plain, err := Lines("x", "y", Series{Values: rising(3)}).VegaLite()
	if err != nil || len(plain["layer"].([]any)) != 1 {
		t.Errorf("a line without band has %d layers, %v", len(plain["layer"].([]any)), err)
	}
}

func TestHistogramsCountTheSameSharesAsTheirDrawing(t *testing.T) {
	s := Series{Name: "h", Values: []float64{1, 1, 2, 5, 9}}
	spec, err := Histogram("x", s).VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	total, h := 0.0, newHistogram([]Series{s})
	for k, row := range spec["data"].(map[string]any)["values"].([]any) {
		bin := row.(map[string]any)
		total += bin["share"].(float64)
		if math.Abs(bin["from"].(float64)-(h.low+h.width*float64(k))) > 1e-12 || math.Abs(bin["to"].(float64)-bin["from"].(float64)-h.width) > 1e-12 {
			t.Errorf("bin %d: %v", k, bin)
		}
	}
	if math.Abs(total-1) > 1e-12 {
		t.Errorf("shares sum to %g", total)
	}
}

func TestBarsHaveWhiskersOnlyWithBands(t *testing.T) {
	for _, c := range []struct {
		s    Series
		want int
	}{{Bands("runs", [][]float64{{1, 2}, {3, 4}}), 2}, {Series{Name: "one", Values: []float64{1, 2}}, 1}} {
		spec, err := Bars("y", []string{"g", "g"}, c.s).VegaLite()
		if err != nil {
			t.Fatal(err)
		}
		if layers := spec["layer"].([]any); len(layers) != c.want {
			t.Errorf("%s: %d layers, want %d", c.s.Name, len(layers), c.want)
		}
		last := spec["data"].(map[string]any)["values"].([]any)[1].(map[string]any)
		if last["group"] != "g (2)" { // groups of one name are not put together
			t.Errorf("second group %v", last["group"])
		}
	}
}

func TestFiguresWithoutAnInteractiveFormSaySo(t *testing.T) {
	for want, f := range map[string]*Figure{
		"figure: no interactive form for density on the sphere; show the figure itself": Spheres(Ball{Profile: func(float64) float64 { return 1 }}),
		"figure: no interactive form for graph of 1 nodes; show the figure itself":      Graph([]string{"a"}, nil),
		"figure: no interactive form for 1 panels; show the figure itself":              Panels(1, Lines("x", "y", Series{Values: rising(2)})),
		"figure: no series to draw": Lines("x", "y"),
	} {
		if _, err := f.VegaLite(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
