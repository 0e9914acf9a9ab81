package figure

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gosphere/plotting/colormap"
)

func TestColoredPointsAreDarkerForLargerNumbers(t *testing.T) {
	f := Colored("first", "second", Cloud{X: []float64{0, 1, 2, 3}, Y: []float64{0, 1, 0, 1}, Colors: []float64{2, 4, 6, math.NaN()}, Label: "κ",
		Names: []string{"a", "b", "c", "d"}})
	if f.Err() != nil || f.String() != "4 points colored by κ, 640×400" {
		t.Fatalf("%v, %v", f, f.Err())
	}
	if len(f.keys) != 3 || f.keys[0].name != "κ 2" || f.keys[1].name != "κ 4" || f.keys[2].name != "κ 6" || f.keys[2].color != colormap.Density.At(1) {
		t.Errorf("legend %v", f.keys)
	}
	if _, err := f.SVG(); err != nil {
		t.Error(err)
	}
	spec, err := f.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"name":"d","x":3,"y":1}`, `{"name":"b","value":4,"x":1,"y":1}`, `"field":"name"`, `"domain":[2,6]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestNumbersOfBothSignsHaveTheirMiddleAtZero(t *testing.T) {
	c := Cloud{X: []float64{0, 1}, Y: []float64{0, 1}, Colors: []float64{-1, 3}, Label: "difference"}
	if s := c.scale(); s.low != -3 || s.high != 3 || s.color(0) != colormap.Balance.At(0.5) {
		t.Errorf("scale %+v", s)
	}
	equal := Cloud{X: []float64{0}, Y: []float64{0}, Colors: []float64{7}}
	if s := equal.scale(); s.low != 6.5 || s.high != 7.5 {
		t.Errorf("scale of one number %+v", s)
	}
}

func TestCloudsThatCannotBeDrawnSayWhy(t *testing.T) {
	one := []float64{1}
	for want, c := range map[string]Cloud{
		"no points":                   {},
		"1 positions to the right, 0": {X: one, Colors: one},
		"2 names of points":           {X: one, Y: one, Colors: one, Names: []string{"a", "b"}},
		"point 0 is at (NaN, 1)":      {X: []float64{math.NaN()}, Y: one, Colors: one},
		"color of +Inf":               {X: one, Y: one, Colors: []float64{math.Inf(1)}},
		"every number for a color":    {X: one, Y: one, Colors: []float64{math.NaN()}},
	} {
		if err := Colored("", "", c).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
