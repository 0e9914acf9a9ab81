package stream

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosphere/runtime/table"
	"gosphere/runtime/table/internal/statistics"
)

// A part is an aggregate of batches, and how those of several batches become one.
type part struct {
	of    table.Expr
	merge func(column string) table.Expr
}

// An aggregated column has the names of its parts.
type aggregated struct {
	name, function string
	parts          []string
	q              float64 // of a quantile
}

// partName returns the name of a part, which no column is likely to have.
func partName(n int) string { return fmt.Sprintf("\x00%d", n) }

// merges are the aggregates whose parts are merged by another one.
var merges = map[string]func(string) table.Expr{
	"len": table.Sum, "count": table.Sum, "null_count": table.Sum, "sum": table.Sum, "min": table.Min, "max": table.Max, "first": table.First, "last": table.Last,
}

// divide returns the parts of aggregates.
func divide(aggregates []table.Expr) (parts []part, columns []aggregated, err error) {
	values := 0 // kept for quantiles
	for _, x := range aggregates {
		name, function, column := x.Aggregate()
		c := aggregated{name: name, function: function}
		add := func(of table.Expr, merge func(string) table.Expr) {
			own := partName(len(parts))
			c.parts = append(c.parts, own)
			parts = append(parts, part{of.As(own), merge})
		}
		q, isQuantile := quantileOf(function)
		switch {
		case function == "mean":
			add(table.Sum(column), table.Sum)
			add(table.Count(column), table.Sum)
		case function == "var" || function == "std":
			moments := [3]string{partName(len(parts)), partName(len(parts) + 1), partName(len(parts) + 2)}
			add(table.Count(column), table.Sum)
			add(table.Mean(column), func(own string) table.Expr { return mergedMean(own, moments) })
			add(table.Var(column), func(own string) table.Expr { return mergedVariance(own, moments) })
		case isQuantile:
			c.function, c.q = "quantile", q
			add(kept(column, &values), joinedLists)
		case merges[function] != nil:
			add(x, merges[function])
		default:
			return nil, nil, fmt.Errorf("the aggregate %s needs all rows: read the file with table.Read", name)
		}
		columns = append(columns, c)
	}
	return parts, columns, nil
}

// quantileOf returns the number of a quantile by the name of its function.
func quantileOf(function string) (float64, bool) {
	if function == "median" {
		return 0.5, true
	}
	digits, ok := strings.CutPrefix(function, "q")
	q, err := strconv.ParseFloat(digits, 64)
	return q, ok && err == nil
}

// moments returns the numbers of values, means and variances of the parts of a group.
func moments(g *table.Table, names [3]string) (counts, means, variances []float64) {
	lists := [3][]float64{}
	for k, name := range names {
		list, err := g.Floats(name)
		if err != nil {
			panic(fmt.Errorf("stream: the standard deviation or variance of a column of durations needs all rows: %w", err))
		}
		lists[k] = list
	}
	return lists[0], lists[1], lists[2]
}

// total returns the number of values and their mean.
func total(counts, means []float64) (count, mean float64) {
	for i, n := range counts {
		if n == 0 {
			continue
		}
		count += n
		mean += (means[i] - mean) * n / count
	}
	return count, mean
}

func mergedMean(own string, names [3]string) table.Expr {
	return table.Func(own, func(g *table.Table) any {
		counts, means, _ := moments(g, names)
		count, mean := total(counts, means)
		if count == 0 {
			return nil
		}
		return mean
	})
}

// mergedVariance merges variances by the squares of deviations from the common mean, which cancel
// nothing.
func mergedVariance(own string, names [3]string) table.Expr {
	return table.Func(own, func(g *table.Table) any {
		counts, means, variances := moments(g, names)
		count, mean := total(counts, means)
		if count < 2 {
			return nil
		}
		squares := 0.0
		for i, n := range counts {
			if n > 1 {
				squares += variances[i] * (n - 1)
			}
			if n > 0 {
				squares += n * (means[i] - mean) * (means[i] - mean)
			}
		}
		return squares / (count - 1)
	})
}

// maxValues is the greatest number of values that quantiles keep in memory, in 2 GiB.
var maxValues = 1 << 28

// kept keeps the known values of a column. Count has the values that all groups keep.
func kept(column string, count *int) table.Expr {
	return table.Func(column, func(g *table.Table) any {
		g = g.Select(column).DropNull()
		if kind := g.Types()[0]; kind == "time.Duration" {
			panic(fmt.Errorf("stream: quantiles of the durations of column %q need all rows: read the file with table.Read", column))
		}
		list, err := g.Floats(column)
		if err != nil {
			panic(err)
		}
		if *count += len(list); *count > maxValues {
			panic(fmt.Errorf("stream: a quantile of column %q keeps its values in memory, and these are more than %d", column, maxValues))
		}
		return list
	})
}

// joinedLists merges lists of values.
func joinedLists(own string) table.Expr {
	return table.Func(own, func(g *table.Table) any {
		lists, err := g.Column(own)
		if err != nil {
			panic(err)
		}
		if len(lists) == 1 {
			return lists[0]
		}
		var all []float64
		for _, list := range lists {
			all = append(all, list.([]float64)...)
		}
		return all
	})
}

// finished returns the aggregates of merged parts.
func finished(t *table.Table, keys []string, columns []aggregated) *table.Table {
	names := slices.Clone(keys)
	for _, c := range columns {
		switch c.function {
		case "mean":
			t = t.With(c.name, func(r table.Row) any { return mean(r.Value(c.parts[0]), r.Int(c.parts[1])) })
		case "var":
			t = t.WithColumns(table.Col(c.parts[2]).As(c.name))
		case "std":
			t = t.With(c.name, func(r table.Row) any {
				if r.IsNull(c.parts[2]) {
					return nil
				}
				return math.Sqrt(r.Float(c.parts[2]))
			})
		case "quantile":
			t = t.With(c.name, func(r table.Row) any {
				list, _ := r.Value(c.parts[0]).([]float64)
				if len(list) == 0 {
					return nil
				}
				return statistics.Quantile(slices.Clone(list), c.q)
			})
		default:
			t = t.WithColumns(table.Col(c.parts[0]).As(c.name))
		}
		names = append(names, c.name)
	}
	return t.Select(names...)
}

func mean(sum any, count int) any {
	if count == 0 {
		return nil
	}
	switch sum := sum.(type) {
	case int:
		return float64(sum) / float64(count)
	case time.Duration:
		return time.Duration(float64(sum) / float64(count))
	case float64:
		return sum / float64(count)
	}
	return nil
}
