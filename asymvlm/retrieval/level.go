package retrieval

import (
	"fmt"
	"math"
	"slices"
)

// RecallByLevel sorts queries by increasing uncertainty, divides them into levels of equal size,
// and returns the fraction of hits and the mean uncertainty of each level. A level has
// floor(n/levels) queries; the n mod levels most uncertain queries are dropped, as in the paper's
// reference implementation. Queries of equal uncertainty keep their order: image queries that
// retrieve the same caption tie, often a third of them. Lists of different lengths, fewer than two
// levels, levels without a query and NaN are errors.
func RecallByLevel(hits []bool, uncertainty []float64, levels int) (recall, meanUncertainty []float64, err error) {
	order, err := byUncertainty(len(hits), uncertainty, levels)
	if err != nil {
		return nil, nil, err
	}
	size := len(hits) / levels
	recall, meanUncertainty = make([]float64, levels), make([]float64, levels)
	for level := range levels {
		found, sum := 0, 0.0
		for _, query := range order[level*size : (level+1)*size] {
			sum += uncertainty[query]
			if hits[query] {
				found++
			}
		}
		recall[level] = float64(found) / float64(size)
		meanUncertainty[level] = sum / float64(size)
	}
	return recall, meanUncertainty, nil
}

// byUncertainty returns the queries in order of increasing uncertainty; queries of equal
// uncertainty keep their order. It returns the errors of RecallByLevel.
func byUncertainty(queries int, uncertainty []float64, levels int) ([]int, error) {
	if len(uncertainty) != queries {
		return nil, fmt.Errorf("retrieval: %d uncertainties for %d queries", len(uncertainty), queries)
	}
	if levels < 2 {
		return nil, fmt.Errorf("retrieval: %d levels of uncertainty, want at least 2", levels)
	}
	if queries < levels {
		return nil, fmt.Errorf("retrieval: %d queries leave %d levels empty; want at most as many levels as queries", queries, levels)
	}
	order := make([]int, queries)
	for query, u := range uncertainty {
		if math.IsNaN(u) {
			return nil, fmt.Errorf("retrieval: uncertainty of query %d is NaN", query)
		}
		order[query] = query
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case uncertainty[a] < uncertainty[b]:
			return -1
		case uncertainty[a] > uncertainty[b]:
			return 1
		}
		return 0
	})
	return order, nil
}

// Spearman returns Spearman's rank correlation of x and y, that is Pearson's correlation of their
// Ranks. It is NaN if x or y has fewer than two different values. Spearman panics if the lengths
// differ.
func Spearman(x, y []float64) float64 { return pearson(Ranks(x), Ranks(y)) }

// R2 returns the coefficient of determination of the least-squares line of y over x, which is the
// square of Pearson's correlation. It is NaN if x or y has fewer than two different values. R2
// panics if the lengths differ.
func R2(x, y []float64) float64 {
	r := pearson(x, y)
	return r * r
}

// LevelCorrelation returns Pearson's correlation between the index of a level and its recall, as
// ProLIP's program reports it for ten levels of equal size. It is −1 if recall falls by the same
// amount from each level to the next, and NaN if there are fewer than two different recalls.
func LevelCorrelation(recalls []float64) float64 {
	levels := make([]float64, len(recalls))
	for i := range levels {
		levels[i] = float64(i)
	}
	return pearson(levels, recalls)
}

// Ranks returns the rank of each value, from 1 for the smallest. Equal values share the mean of
// their ranks.
func Ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(values))
	for first := 0; first < len(order); {
		last := first
		for last+1 < len(order) && values[order[last+1]] == values[order[first]] {
			last++
		}
		for _, i := range order[first : last+1] {
			ranks[i] = float64(first+last)/2 + 1
		}
		first = last + 1
	}
	return ranks
}

// pearson returns the correlation of x and y.
func pearson(x, y []float64) float64 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("retrieval: correlation of %d values with %d", len(x), len(y)))
	}
	x, y = centered(x), centered(y)
	var xx, yy, xy float64
	for i, dx := range x {
		dy := y[i]
		xx += dx * dx
		yy += dy * dy
		xy += dx * dy
	}
	// This is the product of the roots, not the root of the product: equal lists yield exactly 1
	// either way, but the product of tiny sums could underflow.
	return xy / (math.Sqrt(xx) * math.Sqrt(yy))
}

// centered returns the values minus their mean. The mean is computed from differences to the first
// value, which are 0 if all values are equal: in floating point the mean of ten times 0.1 is not
// 0.1.
func centered(values []float64) []float64 {
	differences := make([]float64, len(values))
	for i, value := range values {
		differences[i] = value - values[0]
	}
	middle := mean(differences)
	for i := range differences {
		differences[i] -= middle
	}
	return differences
}

// mean returns the mean of the values.
func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}
