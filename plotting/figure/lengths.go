package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// perLength is the least number of texts that a place of a token-length curve stands for.
const perLength = 20

// ByLength draws a quantity of texts against their lengths: X holds the number of tokens of each text, Values the
// quantity, for instance the uncertainty. Texts of equal length are one place of the line, their median, with a band from
// the lower to the upper quartile; neighboring lengths are put together until a place stands for twenty texts.
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

// byLength returns medians and quartiles of groups of neighboring lengths, at the groups' mean lengths.
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
			to = len(order) // a rest too small for a place of its own
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
