package figure

import (
	"fmt"
	"maps"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// LogX makes the horizontal axis logarithmic, with labels such as 0.1, 1, 10, and returns the
// figure. A position that is not positive yields a figure with an error.
func (f *Figure) LogX() *Figure {
	return f.logarithmic("LogX", "x", func(p *plot.Plot) *plot.Axis { return &p.X }, func(s Series, i int) []float64 {
		return []float64{s.x(i)}
	})
}

// LogY makes the vertical axis logarithmic, with labels such as 0.1, 1, 10, and returns the figure.
// A value that is not positive yields a figure with an error.
func (f *Figure) LogY() *Figure {
	return f.logarithmic("LogY", "y", func(p *plot.Plot) *plot.Axis { return &p.Y }, func(s Series, i int) []float64 {
		values := []float64{s.Values[i]}
		if s.Low != nil {
			values = append(values, s.Low[i], s.High[i])
		}
		return values
	})
}

// logarithmic changes one axis. The function at returns the numbers of a point on that axis; NaN is
// a gap.
func (f *Figure) logarithmic(method, channel string, axisOf func(*plot.Plot) *plot.Axis, at func(s Series, i int) []float64) *Figure {
	if f.err != nil {
		return f
	}
	if f.series == nil {
		f.err = fmt.Errorf("figure: %s: a figure of the kind %s has no logarithmic axes; use Lines or Scatter", method, f.kind)
		return f
	}
	low, high := math.Inf(1), 0.0
	for _, s := range f.series {
		for i := range s.Values {
			if math.IsNaN(s.Values[i]) {
				continue
			}
			for _, value := range at(s, i) {
				if value <= 0 {
					f.err = fmt.Errorf("figure: %s: series %q has %g at point %d; a logarithmic axis shows positive numbers only", method, s.Name, value, i)
					return f
				}
				if !math.IsNaN(value) {
					low, high = min(low, value), max(high, value)
				}
			}
		}
	}
	axis := axisOf(f.Plot)
	axis.Scale, axis.Tick.Marker, axis.Tick.Label.Handler = plot.LogScale{}, plot.TickerFunc(logTicks), handler
	axis.Min, axis.Max = low, high
	if low == high || channel == "y" {
		axis.Min, axis.Max = powerBelow(low), -powerBelow(-high)
		if axis.Min == axis.Max {
			axis.Max *= 10
		}
	}
	if twin := f.twin; twin != nil {
		f.twin = func() map[string]any { return logTwin(twin(), channel) }
	}
	return f
}

// powerBelow returns the largest power of ten that is at most x; for a negative x, minus the
// smallest that is at least −x.
func powerBelow(x float64) float64 {
	if x < 0 {
		return -math.Pow(10, math.Ceil(math.Log10(-x)-1e-9))
	}
	return math.Pow(10, math.Floor(math.Log10(x)+1e-9))
}

// Powers of ten between these are written with digits, others as 10 with an exponent.
const smallestDigits, largestDigits = -4, 6

// logTicks labels powers of ten, only every second or third one on a long axis, and also 2 and 5
// times the powers on a short one.
func logTicks(low, high float64) []plot.Tick {
	if !(low > 0) || !(high >= low) {
		return nil
	}
	first, last := int(math.Floor(math.Log10(low)+1e-9)), int(math.Ceil(math.Log10(high)-1e-9))
	every := max(1, int(math.Ceil(float64(last-first)/7)))
	steps := []float64{1}
	if last-first <= 2 {
		steps = []float64{1, 2, 5}
	}
	plain := first >= smallestDigits && last <= largestDigits
	var ticks []plot.Tick
	for power := first; power <= last; power++ {
		for _, step := range steps {
			value := step * math.Pow(10, float64(power))
			if value < low*(1-1e-9) || value > high*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: value}
			if (power-first)%every == 0 {
				tick.Label = powerLabel(step, power, plain)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// powerLabel formats step times a power of ten.
func powerLabel(step float64, power int, plain bool) string {
	if plain {
		return strconv.FormatFloat(step*math.Pow(10, float64(power)), 'f', max(0, -power), 64)
	}
	if step == 1 {
		return fmt.Sprintf("$10^{%d}$", power)
	}
	return fmt.Sprintf(`$%g\cdot10^{%d}$`, step, power)
}

// logTwin makes the scale of one channel of a specification logarithmic, in all layers.
func logTwin(spec map[string]any, channel string) map[string]any {
	layers, _ := spec["layer"].([]any)
	for _, part := range append([]any{spec}, layers...) {
		encoding, _ := part.(object)["encoding"].(object)
		if axis, ok := encoding[channel].(object); ok {
			scale, _ := axis["scale"].(object)
			scale = maps.Clone(scale)
			if scale == nil {
				scale = object{}
			}
			scale["type"] = "log"
			axis["scale"] = scale
		}
	}
	return spec
}
