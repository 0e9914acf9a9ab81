package retrieval

import (
	"fmt"
	"math"
	"slices"
)

// Outcomes are what a method made of queries: whether each hit, and their order by uncertainty. They compute the measures of a Direction
// again for any draw of the queries, as Bootstrap wants.
type Outcomes struct {
	hits   []bool
	order  []int // the queries by rising uncertainty, equal ones in their own order
	levels int
	times  []int // how often each query is in a draw, 0 between calls
}

// NewOutcomes returns the outcomes of queries that hit or miss, with an uncertainty of each, in a number of levels. The errors are those of
// RecallByLevel.
func NewOutcomes(hits []bool, uncertainty []float64, levels int) (*Outcomes, error) {
	order, err := byUncertainty(len(hits), uncertainty, levels)
	if err != nil {
		return nil, err
	}
	return &Outcomes{slices.Clone(hits), order, levels, make([]int, len(hits))}, nil
}

// Queries returns the number of queries.
func (o *Outcomes) Queries() int { return len(o.hits) }

// Recall returns the part of the drawn queries that hit.
func (o *Outcomes) Recall(rows []int) float64 { return hitRate(o.hits, rows) }

// Shape returns S and R2 of the drawn queries, see Direction; NaN where all levels have the same recall, or where fewer queries are drawn
// than there are levels. Calls must not overlap.
func (o *Outcomes) Shape(rows []int) (s, r2 float64) {
	size := len(rows) / o.levels
	if size == 0 {
		return math.NaN(), math.NaN()
	}
	for _, row := range rows {
		o.times[row]++
	}
	recalls, level, left := make([]float64, o.levels), 0, size
	for _, query := range o.order {
		times := o.times[query]
		o.times[query] = 0
		for times > 0 && level < o.levels {
			n := min(times, left)
			if o.hits[query] {
				recalls[level] += float64(n)
			}
			if times, left = times-n, left-n; left == 0 {
				level, left = level+1, size
			}
		}
	}
	for i := range recalls {
		recalls[i] /= float64(size)
	}
	return Spearman(indices(o.levels), recalls), R2(indices(o.levels), recalls)
}

// Groups are the queries of each group, such as the captions of each image. Queries of one group are not independent of each other, so
// that they are drawn together.
type Groups [][]int

// GroupsOf returns the groups by the group of every query, such as embedding.Set's CaptionImages. Groups without a query are left out, and
// negative ones are an error.
func GroupsOf(groupOfQuery []int) (Groups, error) {
	places, groups := map[int]int{}, Groups{}
	for query, group := range groupOfQuery {
		if group < 0 {
			return nil, fmt.Errorf("retrieval: query %d is of group %d, want a number from 0", query, group)
		}
		place, seen := places[group]
		if !seen {
			place = len(groups)
			places[group], groups = place, append(groups, nil)
		}
		groups[place] = append(groups[place], query)
	}
	return groups, nil
}

// Sums returns the sum of the values of each group, as PairedPermutation wants for queries that are not independent.
func (g Groups) Sums(values []float64) []float64 {
	sums := make([]float64, len(g))
	for i, queries := range g {
		for _, query := range queries {
			sums[i] += values[query]
		}
	}
	return sums
}

// Grouped is Interval for queries in groups: the groups are drawn with replacement, and the statistic gets the queries of all that were
// drawn (the cluster bootstrap, Davison and Hinkley 1997, section 3.8). The errors are those of Interval.
func (b Bootstrap) Grouped(groups Groups, statistic func(rows []int) float64) (Interval, error) {
	var rows []int
	return b.Interval(len(groups), func(drawn []int) float64 {
		rows = rows[:0]
		for _, group := range drawn {
			rows = append(rows, groups[group]...)
		}
		return statistic(rows)
	})
}

// Holm returns the p values of several comparisons, each adjusted for all of them (Holm 1979): those below 0.05 are significant together,
// with a chance of 0.05 that any of them is by accident. NaN stands for no comparison and stays.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	var order []int
	for i, value := range p {
		if !math.IsNaN(value) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if p[a] < p[b] {
			return -1
		}
		if p[a] > p[b] {
			return 1
		}
		return 0
	})
	largest := 0.0
	for place, i := range order {
		largest = max(largest, min(1, float64(len(order)-place)*p[i]))
		adjusted[i] = largest
	}
	return adjusted
}
