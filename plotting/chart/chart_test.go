package chart_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gosphere/plotting/chart"
	"gosphere/plotting/figure"
)

// refusal returns the message of a panic of a call.
func refusal(call func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	call()
	return ""
}

func TestMisspelledNamesAreRefusedWithTheNearestName(t *testing.T) {
	data := sales(5)
	for want, call := range map[string]func(){
		`chart: Point: no column "wieght"; did you mean "weight"? The columns are "City", "Kind", "weight", "price", "units", "Date"`: func() {
			chart.Of(data).Point("wieght", "price")
		},
		`chart: Color: no column "Sort". The columns are`:                           func() { chart.Of(data).Point("weight", "price").Color("Sort") },
		`chart: Facet: no column "city"; did you mean "City"?`:                      func() { chart.Of(data).Facet("city") },
		`chart: Bar: no function "maen" in "maen(price)". Did you mean mean?`:       func() { chart.Of(data).Bar("City", "maen(price)") },
		`chart: Bar: mean(Kind): column "Kind" has names`:                           func() { chart.Of(data).Bar("City", "mean(Kind)") },
		`chart: Line: month(price): column "price" has numbers, want times`:         func() { chart.Of(data).Line("month(price)", "price") },
		`chart: Line: want two columns, not ["price"]`:                              func() { chart.Of(data).Line("price") },
		`chart: Smooth: want two columns, because no layer before has them`:         func() { chart.Of(data).Smooth() },
		`chart: Color belongs to a mark, such as Point; there is none yet`:          func() { chart.Of(data).Color("Kind") },
		`chart: Paint: "red" is no color; write one as #d55e00`:                     func() { chart.Of(data).Point("weight", "price").Paint("red") },
		`chart: XRange: 5 to 2 is no range`:                                         func() { chart.Of(data).XRange(5, 2) },
		`chart: HLine: x is no number or time`:                                      func() { chart.Of(data).HLine("x") },
		`chart: ErrorBar: sum(price) has no interval; write the column`:             func() { chart.Of(data).Bar("City", "sum(price)").ErrorBar() },
		`chart: column "a" has 1 values and column "b" has 2`:                       func() { chart.Of(map[string][]int{"a": {1}, "b": {1, 2}}) },
		`chart: want a table, a slice or a map of slices, not int`:                  func() { chart.Of(3) },
		`chart: Point: column "x" has numbers and names: row 0 is 1 and row 1 is a`: func() { chart.Of(map[string][]any{"x": {1, "a"}}).Point("x", "x") },
		`chart: Point: column "x", row 1: +Inf cannot be drawn`:                     func() { chart.Of(map[string][]float64{"x": {1, math.Inf(1)}}).Point("x", "x") },
	} {
		if got := refusal(call); !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestWhatCannotBeDrawnIsAnErrorOfAllForms(t *testing.T) {
	data := sales(40)
	for want, c := range map[string]*chart.Chart{
		"rows have City = ":                         chart.Of(data).Bar("City", "price"),
		"write sum(price) or mean(price)":           chart.Of(data).Bar("City", "price"),
		"a bar begins at 0":                         chart.Of(data).Bar("City", "sum(price)").LogY(),
		"weight is 0; a logarithmic axis":           chart.Of(map[string][]float64{"weight": {0, 1}, "y": {1, 2}}).Point("weight", "y").LogX(),
		"has numbers, and the axis":                 chart.Of(data).Bar("City", "mean(price)").Layer(chart.Of(data).Line("weight", "price")),
		"a line has one color; write category":      chart.Of(data).Line("weight", "price").Color("units"),
		"too few different weight for a polynomial": chart.Of(data[:2]).Regression("weight", "price").Degree(2),
		"the chart has no marks":                    chart.Of(data),
		"want a Label":                              chart.Of(data).Text("weight", "price"),
		"no row has values of all columns":          chart.Of(map[string][]any{"x": {nil, nil}, "y": {1, 2}}).Point("x", "y"),
		"a slice is not negative":                   chart.Of(map[string]any{"k": []string{"a", "b"}, "v": []int{1, -1}}).Pie("k", "v"),
		`which is not in the list`:                  chart.Of(data).Bar("City").Order("City", "Rome"),
		"at most 21 colors can be distinguished":    chart.Of(data).Point("weight", "price").Color("category(price)"),
	} {
		_, png := c.PNG()
		_, spec := c.VegaLite()
		_, bundle := c.MimeBundle()
		for name, err := range map[string]error{"Err": c.Err(), "PNG": png, "VegaLite": spec, "MimeBundle": bundle} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %q returns %v", name, want, err)
			}
		}
	}
}

func TestMissingValuesAreCountedAndSaid(t *testing.T) {
	c := chart.Of(map[string]any{
		"x": []any{1, nil, 3, 4}, "y": []any{1.0, 2.0, math.NaN(), 4.0}, "k": []string{"a", "b", "a", "b"},
	}).Point("x", "y").Note("Four rows.")
	spec, err := c.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	const want = "Four rows. 2 of 4 rows are not shown: missing values of x (1), y (1)."
	if got := spec["title"].(map[string]any)["subtitle"]; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
	if rows := spec["data"].(map[string]any)["values"].([]any); len(rows) != 2 {
		t.Errorf("%d points are drawn, want 2", len(rows))
	}
	list := chart.Series(map[string]any{"x": []int{1, 2, 3, 4}, "y": []any{1, nil, 3, 4}}, "x", "y", "")
	if len(list) != 1 || !reflect.DeepEqual(list[0].X, []float64{1, 3, 4}) {
		t.Errorf("the series is %v", list)
	}
}

// drawn returns the rows that a chart draws.
func drawn(t *testing.T, c *chart.Chart) []map[string]any {
	t.Helper()
	spec, err := c.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	for _, row := range spec["data"].(map[string]any)["values"].([]any) {
		list = append(list, row.(map[string]any))
	}
	return list
}

func TestAggregatesAreThoseOfTheRows(t *testing.T) {
	data := map[string]any{"k": []string{"a", "b", "a", "b", "b"}, "v": []float64{1, 2, 3, 5, 11}}
	for function, want := range map[string][2]float64{
		"count()": {2, 3}, "count(v)": {2, 3}, "sum(v)": {4, 18}, "mean(v)": {2, 6}, "median(v)": {2, 5}, "min(v)": {1, 2}, "max(v)": {3, 11},
		"q1(v)": {1.5, 3.5}, "q3(v)": {2.5, 8}, "std(v)": {math.Sqrt2, 4.582576}, "unique(v)": {2, 3},
	} {
		rows := drawn(t, chart.Of(data).Bar("k", function))
		got := [2]float64{rows[0]["y2"].(float64), rows[1]["y2"].(float64)}
		if math.Abs(got[0]-want[0])+math.Abs(got[1]-want[1]) > 1e-5 {
			t.Errorf("%s is %v, want %v", function, got, want)
		}
	}
}

func TestStackedBarsEndAtTheirSums(t *testing.T) {
	data := map[string]any{"k": []string{"a", "a", "b"}, "c": []string{"x", "y", "x"}, "v": []float64{1, 2, 5}}
	ends := func(c *chart.Chart) (list [][2]float64) {
		for _, row := range drawn(t, c) {
			list = append(list, [2]float64{row["y"].(float64), row["y2"].(float64)})
		}
		return list
	}
	bars := chart.Of(data).Bar("k", "v").Color("c")
	for name, pair := range map[string][2]any{
		"stack":   {ends(bars), [][2]float64{{0, 1}, {1, 3}, {0, 5}}},
		"share":   {ends(bars.Share()), [][2]float64{{0, 0.3333333}, {0.3333333, 1}, {0, 1}}},
		"overlay": {ends(bars.Overlay()), [][2]float64{{0, 1}, {0, 2}, {0, 5}}},
		"group":   {ends(bars.Group()), [][2]float64{{0, 1}, {0, 2}, {0, 5}}},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestHistogramsCountEveryValue(t *testing.T) {
	data := sales(777)
	for name, c := range map[string]*chart.Chart{
		"plain": chart.Of(data).Histogram("price"), "colors": chart.Of(data).Histogram("price").Color("Kind"),
		"bins": chart.Of(data).Histogram("price").Bins(13), "logarithms": chart.Of(data).Histogram("price").LogX(),
		"times": chart.Of(data).Histogram("Date"), "facets": chart.Of(data).Histogram("price").Facet("City"),
	} {
		total := 0.0
		for _, row := range drawn(t, c) {
			total += row["y2"].(float64) - row["y"].(float64)
		}
		if total != 777 {
			t.Errorf("%s: the bars count %g values, want 777", name, total)
		}
	}
}

func TestChartsDoNotChangeTheirBeginning(t *testing.T) {
	base := chart.Of(sales(30)).Point("weight", "price")
	before := drawn(t, base)
	base.Color("Kind").Smooth().Title("other").Facet("City")
	base.Opacity(0.1)
	if after := drawn(t, base); !reflect.DeepEqual(before, after) {
		t.Error("a method has changed the chart that it was called on")
	}
}

func TestTimesKeepTheirZoneAndNames(t *testing.T) {
	zone := time.FixedZone("east", 5*3600)
	at := time.Date(2026, 3, 1, 2, 0, 0, 0, zone) // the day before in UTC
	data := map[string]any{"t": []time.Time{at, at.AddDate(0, 1, 0)}, "v": []int{1, 2}}
	rows := drawn(t, chart.Of(data).Line("month(t)", "v"))
	if got, want := rows[0]["x"], float64(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).UnixMilli()); got != want {
		t.Errorf("March begins at %v, want %v", got, want)
	}
	if got := rows[0]["t0"]; got != "1 Mar 2026" {
		t.Errorf("the text under the pointer is %v", got)
	}
}

func TestSpecificationsAreJSONAndSmallForManyRows(t *testing.T) {
	many := chart.Of(sales(20_000))
	if _, err := many.Point("weight", "price").VegaLite(); err == nil || !strings.Contains(err.Error(), "20000 marks, more than 10000") {
		t.Errorf("20,000 points: %v", err)
	}
	bundle, err := many.Point("weight", "price").MimeBundle()
	if err != nil || bundle["image/png"] == nil || bundle["application/vnd.vegalite.v5+json"] != nil {
		t.Errorf("20,000 points are not shown as a bitmap alone: %v", err)
	}
	spec, err := many.Histogram("price").VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(spec); err != nil || len(text) > 20_000 {
		t.Errorf("the histogram of 20,000 rows has %d bytes, %v", len(text), err)
	}
}

func TestSpecificationsMatchTheirGoldenFiles(t *testing.T) {
	for name, c := range map[string]*chart.Chart{
		"bars":   chart.Of(sales(60)).Bar("City", "mean(price)").Color("Kind").Group().ErrorBar().Title("Prices"),
		"facets": chart.Of(sales(12)).Point("weight", "price").Color("units").Size("units").Facet("Kind"),
		"linked": chart.Beside(chart.Of(sales(8)).Point("weight", "price").Brush(), chart.Of(sales(8)).Strip("City", "units")),
		"house":  chart.Above(chart.House(figure.Lines("x", "y", figure.Series{Values: []float64{1, 3, 2}})), chart.Of([]int{1, 3, 2}).Line("index", "value")),
	} {
		spec, err := c.VegaLite()
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(spec, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+"_golden.json")
		if *update {
			if err := os.WriteFile(path, append(got, '\n'), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(append(got, '\n'), want) {
			t.Errorf("%s differs from %s (%v)", name, path, err)
		}
	}
}

func TestEveryMarkHasEveryForm(t *testing.T) {
	base := chart.Of(sales(90))
	for name, c := range map[string]*chart.Chart{
		"Point": base.Point("weight", "price"), "Line": base.Line("day(Date)", "mean(price)"), "Step": base.Step("weight", "price"),
		"Area": base.Area("month(Date)", "sum(price)").Color("Kind").Share(), "Bar": base.Bar("City"), "Histogram": base.Histogram("price").Overlay(),
		"Box": base.Box("price"), "Violin": base.Violin("price", "Kind").Color("City"), "Strip": base.Strip("City", "price"), "Tick": base.Tick("price"),
		"Density": base.Density("price").Bandwidth(2), "ECDF": base.ECDF("price"), "Ridgeline": base.Ridgeline("price", "City").Color("City"),
		"HeatMap": base.HeatMap("City", "Kind"), "Bin2D": base.Bin2D("weight", "price").Bins(5), "Contour": base.Contour("weight", "price").Color("Kind"),
		"Smooth": base.Smooth("weight", "price").Color("Kind").Span(0.5), "Regression": base.Regression("weight", "price").Degree(2).LogX().LogY(),
		"ErrorBar": base.ErrorBar("price", "City").Extent("std"), "ErrorBand": base.ErrorBand("month(Date)", "price").Color("Kind").Extent("iqr"),
		"Text": base.Text("weight", "price").Label("units"), "Pie": base.Pie("Kind", "sum(units)"), "HLine": base.HLine(3).VLine(4),
		"Layer": base.Point("weight", "price").Layer(chart.Of(map[string][]float64{"weight": {1, 9}, "price": {4, 4}}).Line("weight", "price")).Facet("City"),
		"Grid":  chart.Grid(2, base.Bar("City"), base.Histogram("units")),
	} {
		if _, err := c.MimeBundle(); err != nil {
			t.Errorf("%s: MimeBundle: %v", name, err)
		}
		if markup, err := c.Interactive(); err != nil || !strings.HasPrefix(markup, `<div class="gosphere-chart">`) {
			t.Errorf("%s: Interactive: %v", name, err)
		}
		if drawing, err := c.SVG(); err != nil || len(drawing) < 500 {
			t.Errorf("%s: a drawing of %d bytes, %v", name, len(drawing), err)
		}
	}
}
