package retrieval

import (
	"math"
	"testing"
)

func TestKendallAgreesWithGoldenArrays(t *testing.T) {
	array := golden(t)
	near(t, "without ties", Kendall(array("rank/a"), array("rank/b")), array("rank/kendall_ab")[0])
	near(t, "with ties", Kendall(array("rank/a_ties"), array("rank/b_ties")), array("rank/kendall_ties")[0])
	near(t, "Spearman with ties", Spearman(array("rank/a_ties"), array("rank/b_ties")), array("rank/spearman_ties")[0])
}

func TestKendallCountsPairs(t *testing.T) {
	cases := []struct {
		name string
		x, y []float64
		want float64
	}{
		{"same order", []float64{1, 2, 3, 4}, []float64{2, 5, 6, 9}, 1},
		{"opposite order", []float64{1, 2, 3, 4}, []float64{9, 6, 5, 2}, -1},
		{"one swap of neighbors", []float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 2. / 3},
		{"one tie", []float64{1, 2, 3}, []float64{1, 1, 2}, 2 / math.Sqrt(6)},
	}
	for _, c := range cases {
		near(t, c.name, Kendall(c.x, c.y), c.want)
		near(t, c.name+", exchanged", Kendall(c.y, c.x), c.want)
	}
	for name, tau := range map[string]float64{
		"constant": Kendall([]float64{1, 1}, []float64{1, 2}),
		"one":      Kendall([]float64{1}, []float64{1}),
		"NaN":      Kendall([]float64{1, math.NaN()}, []float64{1, 2}),
	} {
		if !math.IsNaN(tau) {
			t.Errorf("%s: %g, want NaN", name, tau)
		}
	}
}
