package figure_test

import (
	"math"
	"strings"
	"testing"

	"gosphere/plotting/figure"
)

func TestReliabilityNamesTheCalibrationErrorAndRefusesWhatIsNone(t *testing.T) {
	good := figure.Calibration{Name: "m", Confidence: []float64{0.2, math.NaN(), 0.9}, Accuracy: []float64{0.3, math.NaN(), 0.7}, Count: []int{1, 0, 3}}
	specification, err := figure.Reliability(good).VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	layer := specification["layer"].([]any)[0].(map[string]any)
	scale := layer["encoding"].(map[string]any)["color"].(map[string]any)["scale"].(map[string]any)
	if names := scale["domain"].([]string); names[0] != "m 0.175" { // (0.1 + 3 · 0.2) / 4
		t.Errorf("named %q", names)
	}
	if rows := specification["data"].(map[string]any)["values"].([]any); len(rows) != 2 {
		t.Errorf("%d points, want those of the intervals with answers", len(rows))
	}
	for want, change := range map[string]func(c *figure.Calibration){
		"has 2 confidences, 3 accuracies and 3 counts": func(c *figure.Calibration) { c.Confidence = c.Confidence[:2] },
		"interval 2 has 3 answers with confidence 1.5": func(c *figure.Calibration) { c.Confidence = []float64{0.2, 0, 1.5} },
		"interval 0 has -1 answers":                    func(c *figure.Calibration) { c.Count = []int{-1, 0, 3} },
		"has no answers":                               func(c *figure.Calibration) { c.Count = []int{0, 0, 0} },
	} {
		bad := good
		change(&bad)
		if err := figure.Reliability(bad).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if figure.Reliability().Err() == nil {
		t.Error("a diagram of nothing")
	}
}
