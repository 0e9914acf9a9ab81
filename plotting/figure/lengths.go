package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// perLength is the smallest number of texts per point of a token-length curve.
const perLength = 20

// ByLength draws a quantity of texts against their lengths: X holds the number of tokens of each
// text and Values the quantity, for instance the uncertainty. Texts of equal length form one point
// of the line, their median, with a band from the lower to the upper quartile. Neighboring lengths
// are merged until a point represents at least twenty texts.
func ByLength(yLabel string, series ...Series) *Figure {
	if f := checked(series); f != nil {
		return f
	}
	lines := make([]Series, len(series))
	for i, s := range series {
		for n, tokens := range s.X {
			if tokens < 0 || tokens != math.Trunc(tokens) {
				return failed("series %q: text %d has %g tokens", s.Name, n, tokens)
			}
		}
		if s.X == nil {
			return failed("series %q has no numbers of tokens in X", s.Name)
		}
		lines[i] = byLength(s)
	}
	f := newFigure(described("quantity by length", len(series)))
	f.Plot.X.Label.Text, f.yLabel = "tokens", yLabel+" (median and quartiles)"
	f.Plot.Add(curves{series: lines, dots: true})
	f.Plot.X.Padding = vg.Length(6)
	f.roomAbove()
	f.twin = func() map[string]any { return linesTwin("tokens", f.yLabel, lines, true) }
	return f
}

// byLength returns medians and quartiles of groups of neighboring lengths, at the mean lengths of
// the groups.
func byLength(s Series) Series {
	order := make([]int, 0, len(s.Values))
	for i, value := range s.Values {
		if !math.IsNaN(value) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(s.X[a] - s.X[b]) })
	line := Series{Name: s.Name}
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && (to-from < perLength || s.X[order[to]] == s.X[order[to-1]]) {
			to++
		}
		if len(order)-to < perLength {
			to = len(order) // the remainder is too small for a point
		}
		var values []float64
		tokens := 0.0
		for _, i := range order[from:to] {
			values, tokens = append(values, s.Values[i]), tokens+s.X[i]/float64(to-from)
		}
		slices.Sort(values)
		line.X, line.Values = append(line.X, tokens), append(line.Values, quantile(values, 0.5))
		line.Low, line.High = append(line.Low, quantile(values, 0.25)), append(line.High, quantile(values, 0.75))
		from = to
	}
	return line
}
