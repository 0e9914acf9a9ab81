package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// Lines draws series as lines against a horizontal axis.
func Lines(xLabel, yLabel string, series ...Series) *Figure {
	if f := checked(series); f != nil {
		return f
	}
	f := newFigure(described("lines", len(series)))
	f.Plot.X.Label.Text, f.yLabel, f.series = xLabel, yLabel, series
	f.Plot.Add(curves{series: series})
	f.roomAbove()
	f.twin = func() map[string]any { return linesTwin(xLabel, yLabel, series, false) }
	return f
}

// RecallByLevel draws Recall@1 (between 0 and 1) by uncertainty level, one line per method, with
// the most certain level at the left. All series have one value per level.
func RecallByLevel(series ...Series) *Figure {
	if f := checked(series); f != nil {
		return f
	}
	levels := len(series[0].Values)
	for _, s := range series {
		if len(s.Values) != levels {
			return failed("series %q has %d levels, want %d", s.Name, len(s.Values), levels)
		}
	}
	f := newFigure(described("Recall@1 by uncertainty level", len(series)))
	f.Plot.X.Label.Text = fmt.Sprintf("uncertainty level (1: most certain, %d: least certain)", levels)
	f.yLabel = "Recall@1"
	f.Plot.Add(curves{series: series, dots: true})
	f.Plot.X.Tick.Marker = levelTicks(levels)
	f.Plot.X.Padding = 6
	f.roomAbove()
	f.twin = func() map[string]any { return linesTwin(f.Plot.X.Label.Text, f.yLabel, series, true) }
	return f
}

// levelTicks labels the levels, at most twenty of them.
func levelTicks(levels int) plot.ConstantTicks {
	every := (levels + 19) / 20
	var ticks plot.ConstantTicks
	for level := 1; level <= levels; level += every {
		ticks = append(ticks, plot.Tick{Value: float64(level), Label: fmt.Sprint(level)})
	}
	return ticks
}

// smoothOver is the fraction of a loss curve over which the smooth line averages. smoothFrom is the
// smallest length of a curve with a smooth line; in shorter curves every step is visible.
const (
	smoothOver = 0.02
	smoothFrom = 300
)

// Loss draws training losses by step. Long curves are drawn thin, with a moving average over 2 % of
// the steps on top.
func Loss(series ...Series) *Figure {
	if f := checked(series); f != nil {
		return f
	}
	f := newFigure(described("loss by step", len(series)))
	f.Plot.X.Label.Text, f.yLabel = "step", "loss"
	smooth := make([]Series, len(series))
	long := false
	for i, s := range series {
		smooth[i] = s
		if len(s.Values) >= smoothFrom {
			long = true
			smooth[i].Values = averaged(s.Values, int(smoothOver*float64(len(s.Values))))
		}
	}
	if long {
		f.Plot.Add(curves{series: series, thin: true})
	}
	f.Plot.Add(curves{series: smooth})
	f.roomAbove()
	f.twin = func() map[string]any { return linesTwin("step", "loss", smooth, false) }
	return f
}

// averaged returns the mean of the values within reach of each index; gaps do not count. Toward the
// beginning the window shrinks and stays symmetric, because the steep initial fall of a loss would
// otherwise be drawn too low.
func averaged(values []float64, reach int) []float64 {
	// sums[i] and counts[i] are over the values before i.
	sums, counts := make([]float64, len(values)+1), make([]float64, len(values)+1)
	for i, value := range values {
		sums[i+1], counts[i+1] = sums[i], counts[i]
		if !math.IsNaN(value) {
			sums[i+1] += value
			counts[i+1]++
		}
	}
	smooth := make([]float64, len(values))
	for i := range values {
		half := min(reach, i)
		from, to := i-half, min(len(values), i+half+1)
		smooth[i] = (sums[to] - sums[from]) / (counts[to] - counts[from]) // NaN within a long gap
	}
	return smooth
}

// roomAbove extends the vertical axis to the round numbers around the data.
func (f *Figure) roomAbove() { widen(&f.Plot.Y) }

// described returns a kind of figure with the number of its lines.
func described(kind string, n int) string {
	if n == 1 {
		return kind
	}
	return fmt.Sprintf("%s, %d lines", kind, n)
}
