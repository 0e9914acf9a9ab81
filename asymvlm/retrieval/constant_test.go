package retrieval

import (
	"math"
	"testing"
)

// TestEqualRecallsHaveNoCorrelation covers a mean that is rounded: the mean of ten times 0.1 is not
// 0.1, so every recall differs from it by the same rounding error. This is no spread.
func TestEqualRecallsHaveNoCorrelation(t *testing.T) {
	for levels := 2; levels <= 49; levels++ {
		for _, recall := range []float64{0, 0.1, 0.3, 1. / 3, 0.7, 1, 1e-300} {
			recalls, uneven := make([]float64, levels), make([]float64, levels)
			for i := range recalls {
				recalls[i], uneven[i] = recall, math.Exp(float64(i))
			}
			for name, value := range map[string]float64{"R2": R2(uneven, recalls), "R2 exchanged": R2(recalls, uneven), "level correlation": LevelCorrelation(recalls),
				"Spearman": Spearman(uneven, recalls), "Kendall": Kendall(uneven, recalls)} {
				if !math.IsNaN(value) {
					t.Errorf("%s of %d times %g is %g, want NaN", name, levels, recall, value)
				}
			}
		}
	}
	// A difference in the last bit is a spread.
	if r := R2([]float64{0, 1, 2}, []float64{0.1, 0.1, math.Nextafter(0.1, 1)}); math.Abs(r-0.75) > 1e-3 {
		t.Errorf("R² of a step in the last bit is %g, want 3/4", r)
	}
}

// TestR2DoesNotSeeShiftsAndScales checks that R2 does not change if recalls or levels are shifted
// or scaled.
func TestR2DoesNotSeeShiftsAndScales(t *testing.T) {
	x, y := []float64{0, 1, 2, 3, 4}, []float64{0.9, 0.7, 0.75, 0.4, 0.1}
	want := R2(x, y)
	for _, scale := range []float64{1e-140, 1e-3, 40, 1e140} {
		moved := make([]float64, len(y))
		for i := range y {
			moved[i] = scale * (y[i] - 0.3)
		}
		if got := R2(x, moved); math.Abs(got-want) > 1e-13 {
			t.Errorf("scale %g: R² %.15g, want %.15g", scale, got, want)
		}
		if got := R2(moved, x); math.Abs(got-want) > 1e-13 {
			t.Errorf("scale %g, exchanged: R² %.15g, want %.15g", scale, got, want)
		}
	}
}
