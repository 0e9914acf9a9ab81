package golden

import (
	"fmt"
	"math"
	"testing"
)

// A recorder is a test that only counts calls.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()                   {}
func (r *recorder) Logf(string, ...any)       {}
func (r *recorder) Errorf(s string, a ...any) { r.errors++; _ = fmt.Sprintf(s, a...) }

func TestNearMeasuresAgainstTheLargestReference(t *testing.T) {
	cases := []struct {
		name      string
		got, want []float64
		fails     bool
	}{
		{"equal", []float64{1, 2}, []float64{1, 2}, false},
		{"small beside a large one", []float64{1e-12, 1000}, []float64{0, 1000}, false},
		{"too far", []float64{1.1, 2}, []float64{1, 2}, true},
		{"lengths", []float64{1}, []float64{1, 2}, true},
		{"NaN", []float64{math.NaN()}, []float64{1}, true},
		{"all zeros", []float64{0, 0}, []float64{0, 0}, false},
		{"against zero", []float64{1}, []float64{0}, true},
	}
	for _, c := range cases {
		r := &recorder{TB: t}
		Near(r, c.name, c.got, c.want, 1e-9)
		if (r.errors > 0) != c.fails {
			t.Errorf("%s: %d errors, want some: %v", c.name, r.errors, c.fails)
		}
	}
}

func TestRowsAndIntegersKeepTheOrder(t *testing.T) {
	rows := Rows([]float64{1, 2, 3, 4, 5, 6}, 3)
	if len(rows) != 2 || rows[1][0] != 4 || cap(rows[0]) != 3 {
		t.Errorf("rows %v", rows)
	}
	if whole := Integers([]float64{3, 0}); whole[0] != 3 || whole[1] != 0 {
		t.Errorf("integers %v", whole)
	}
}

func TestOpenReadsTheFunctions(t *testing.T) {
	if values := Open(t, "functions.npz")("gauss/eps"); len(values) != 3 {
		t.Errorf("gauss/eps has %d values, want 3", len(values))
	}
}
