package retrieval

import (
	"fmt"
	"math"
	"slices"
)

// Outcomes holds the results of one method for all queries: which of them hit, and their order by
// uncertainty. It recomputes the measures of a Direction for any draw of the queries, as Bootstrap
// requires.
type Outcomes struct {
	hits   []bool
	order  []int  // the queries by increasing uncertainty; ties keep their order
	tied   []bool // whether a query of the order has the uncertainty of the one before
	levels int
	times  []int // how often each query occurs in a draw; 0 between calls
}

// NewOutcomes returns the outcomes of queries with the given hits and uncertainties, in the given
// number of levels. NewOutcomes returns the errors of RecallByLevel.
func NewOutcomes(hits []bool, uncertainty []float64, levels int) (*Outcomes, error) {
	order, err := byUncertainty(len(hits), uncertainty, levels)
	if err != nil {
		return nil, err
	}
	tied := make([]bool, len(order))
	for i := 1; i < len(order); i++ {
		tied[i] = uncertainty[order[i]] == uncertainty[order[i-1]]
	}
	return &Outcomes{slices.Clone(hits), order, tied, levels, make([]int, len(hits))}, nil
}

// Queries returns the number of queries.
func (o *Outcomes) Queries() int { return len(o.hits) }

// Recall returns the fraction of the drawn queries that hit.
func (o *Outcomes) Recall(rows []int) float64 { return hitRate(o.hits, rows) }

// Shape returns S and R2 of the drawn queries; see Direction. Both are NaN if all levels have the
// same recall, or if fewer queries are drawn than there are levels. Calls must not overlap.
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

// AURC returns the area under the risk-coverage curve of the drawn queries, in which equal
// uncertainties have no order; see Direction and calibration.RiskCoverage. It is NaN if none are
// drawn. Calls must not overlap.
func (o *Outcomes) AURC(rows []int) float64 {
	for _, row := range rows {
		o.times[row]++
	}
	area, done, errors := 0.0, 0, 0.0
	for from := 0; from < len(o.order); {
		to, drawn, wrong := from, 0, 0.0
		for ; to == from || to < len(o.order) && o.tied[to]; to++ {
			query := o.order[to]
			drawn += o.times[query]
			if !o.hits[query] {
				wrong += float64(o.times[query])
			}
			o.times[query] = 0
		}
		for k := 1; k <= drawn; k++ {
			area += (errors + wrong*float64(k)/float64(drawn)) / float64(done+k)
		}
		from, done, errors = to, done+drawn, errors+wrong
	}
	return area / float64(len(rows))
}

// Groups lists the queries of each group, such as the captions of each image. The queries of a
// group are not independent of each other, so a bootstrap draws them together.
type Groups [][]int

// GroupsOf returns the groups for a table of the group of each query, such as embedding.Set's
// CaptionImages. Groups without a query are omitted. A negative group is an error.
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

// Sums returns the sum of the values of each group, for use with PairedPermutation if queries are
// not independent.
func (g Groups) Sums(values []float64) []float64 {
	sums := make([]float64, len(g))
	for i, queries := range g {
		for _, query := range queries {
			sums[i] += values[query]
		}
	}
	return sums
}

// Grouped is like Interval for queries in groups: groups are drawn with replacement, and the
// statistic receives the queries of all drawn groups (the cluster bootstrap, Davison and Hinkley
// 1997, section 3.8). Grouped returns the errors of Interval.
func (b Bootstrap) Grouped(groups Groups, statistic func(rows []int) float64) (Interval, error) {
	return b.Stratified([]Groups{groups}, func(rows [][]int) float64 { return statistic(rows[0]) })
}

// Stratified is like Grouped for several test sets: the groups of each set are drawn within that
// set, and the statistic receives the queries drawn from each set, which it must not keep. A mean
// of recalls over the sets, for example, weights all sets equally, whatever their sizes. It returns
// an error if there are no sets, and the errors of Interval.
func (b Bootstrap) Stratified(sets []Groups, statistic func(rows [][]int) float64) (Interval, error) {
	sizes, rows := make([]int, len(sets)), make([][]int, len(sets))
	for i, groups := range sets {
		sizes[i] = len(groups)
	}
	return b.sets(sizes, func(drawn [][]int) float64 {
		for set, groups := range sets {
			rows[set] = rows[set][:0]
			for _, group := range drawn[set] {
				rows[set] = append(rows[set], groups[group]...)
			}
		}
		return statistic(rows)
	})
}

// Holm returns p values adjusted for several comparisons (Holm 1979). All those below 0.05 are
// significant together: the probability that any of them is so by chance is at most 0.05. NaN marks
// a comparison that does not count and stays NaN.
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
