package figure_test

import (
	"math"
	"strings"
	"testing"

	"gosphere/plotting/figure"
)

func TestParallelCoordinatesRefuseWhatHasNoPlace(t *testing.T) {
	good := func() []figure.Dimension {
		return []figure.Dimension{{Name: "method", Values: []float64{0, 1, 1}, Labels: []string{"a", "b"}},
			{Name: "lr", Values: []float64{0.01, 0.1, math.NaN()}, Log: true}, {Name: "recall", Values: []float64{0.3, 0.5, 0.4}}}
	}
	specification, err := figure.Parallel(good()...).VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	if rows := specification["data"].(map[string]any)["values"].([]any); len(rows) != 8 { // one value is missing
		t.Errorf("%d points of 3 lines in 3 dimensions", len(rows))
	}
	for want, change := range map[string]func(d []figure.Dimension){
		`dimension "lr": value 0 is 0, want a finite number, above 0`: func(d []figure.Dimension) { d[1].Values[0] = 0 },
		`dimension "method": value 1 is 2, and there are labels of 0`: func(d []figure.Dimension) { d[0].Values[1] = 2 },
		`dimension "lr": 2 values, the last has 3`:                    func(d []figure.Dimension) { d[1].Values = d[1].Values[:2] },
		`dimension "recall", which colors the lines, has no numbers`:  func(d []figure.Dimension) { d[2].Values = []float64{math.NaN(), math.NaN(), math.NaN()} },
		`dimension "recall": value 2 is +Inf, want a finite number`:   func(d []figure.Dimension) { d[2].Values[2] = math.Inf(1) },
	} {
		bad := good()
		change(bad)
		if err := figure.Parallel(bad...).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := figure.Parallel(good()[:1]...).Err(); err == nil || !strings.Contains(err.Error(), "1 dimensions, want at least 2") {
		t.Errorf("one dimension: %v", err)
	}
}
