package retrieval

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Hits reports for each query whether it has a correct item among its k best, as counted by Recall.
// It panics if k is not between 1 and Depth.
func (r *Ranked) Hits(k int) []bool {
	if k < 1 || k > r.Depth {
		panic(fmt.Sprintf("retrieval: hits among %d of lists of length %d", k, r.Depth))
	}
	hits := make([]bool, r.Queries)
	for query, place := range r.First {
		hits[query] = place >= 0 && place < k
	}
	return hits
}

// An Interval is an estimate with the bounds of a confidence interval.
type Interval struct{ Estimate, Low, High float64 }

// String returns the interval with three digits.
func (i Interval) String() string {
	return fmt.Sprintf("%s [%s, %s]", Decimal(i.Estimate, 3), Decimal(i.Low, 3), Decimal(i.High, 3))
}

// A Bootstrap configures bootstrap intervals. The zero value means 2,000 draws, a level of 0.95 and
// the seed 0. Equal configurations produce equal intervals.
type Bootstrap struct {
	Draws int     // 0 means 2,000
	Level float64 // probability inside the bounds, between 0 and 1; 0 means 0.95
	Seed  uint64
}

// Interval returns the percentile interval of a statistic of n queries (Efron and Tibshirani 1993,
// chapter 13): n queries are drawn with replacement, b.Draws times, and the bounds are quantiles of
// the statistic over all draws. The statistic receives the drawn rows, which it must not keep. To
// compare two methods, compute both from the same rows, so that the interval is paired. It is an
// error if the statistic is NaN for a draw, as S is if all levels have the same recall.
func (b Bootstrap) Interval(n int, statistic func(rows []int) float64) (Interval, error) {
	return b.sets([]int{n}, func(rows [][]int) float64 { return statistic(rows[0]) })
}

// sets returns the interval of a statistic of several sets, each of which is drawn independently.
func (b Bootstrap) sets(sizes []int, statistic func(rows [][]int) float64) (Interval, error) {
	if b.Draws == 0 {
		b.Draws = 2000
	}
	if b.Level == 0 {
		b.Level = 0.95
	}
	if len(sizes) == 0 {
		return Interval{}, errors.New("retrieval: bootstrap of no test set, want at least 1")
	}
	rows := make([][]int, len(sizes))
	for set, n := range sizes {
		if n < 1 || b.Draws < 2 || !(b.Level > 0 && b.Level < 1) {
			return Interval{}, fmt.Errorf("retrieval: bootstrap of %d queries with %d draws and level %g, want 1 query, 2 draws and a level between 0 and 1", n, b.Draws, b.Level)
		}
		rows[set] = make([]int, n)
		for i := range rows[set] {
			rows[set][i] = i
		}
	}
	interval := Interval{Estimate: statistic(rows)}
	source, values := rand.New(rand.NewPCG(b.Seed, 0)), make([]float64, b.Draws)
	for draw := range values {
		for set, n := range sizes {
			for i := range rows[set] {
				rows[set][i] = source.IntN(n)
			}
		}
		if values[draw] = statistic(rows); math.IsNaN(values[draw]) {
			return interval, fmt.Errorf("retrieval: the statistic is NaN in draw %d of %d", draw+1, b.Draws)
		}
	}
	slices.Sort(values)
	interval.Low = stat.Quantile((1-b.Level)/2, stat.LinInterp, values, nil)
	interval.High = stat.Quantile((1+b.Level)/2, stat.LinInterp, values, nil)
	return interval, nil
}

// Recall returns the interval of the recall of queries whose hits are given.
func (b Bootstrap) Recall(hits []bool) (Interval, error) {
	return b.Interval(len(hits), func(rows []int) float64 { return hitRate(hits, rows) })
}

// Difference returns the paired interval of the recall of one method minus the recall of another on
// the same queries. Lists of different lengths are an error.
func (b Bootstrap) Difference(hits, others []bool) (Interval, error) {
	if err := checkPaired(hits, others); err != nil {
		return Interval{}, err
	}
	return b.Interval(len(hits), func(rows []int) float64 { return hitRate(hits, rows) - hitRate(others, rows) })
}

func hitRate(hits []bool, rows []int) float64 {
	count := 0
	for _, row := range rows {
		if hits[row] {
			count++
		}
	}
	return float64(count) / float64(len(rows))
}

func checkPaired(hits, others []bool) error {
	if len(hits) != len(others) || len(hits) == 0 {
		return fmt.Errorf("retrieval: %d and %d queries cannot be paired, want as many of both, at least 1", len(hits), len(others))
	}
	return nil
}

// McNemar returns the two-sided p value of McNemar's exact test (1947) of the hypothesis that two
// methods have the same recall: each query that only one method answers is equally likely to be
// answered by either. It returns 1 if there are no such queries. PairedPermutation tests other
// statistics of pairs. For m comparisons, take p below 0.05/m as significant (Bonferroni). Lists of
// different lengths are an error.
func McNemar(hits, others []bool) (p float64, err error) {
	if err := checkPaired(hits, others); err != nil {
		return math.NaN(), err
	}
	var only, onlyOther int
	for query, hit := range hits {
		switch other := others[query]; {
		case hit && !other:
			only++
		case !hit && other:
			onlyOther++
		}
	}
	if only == onlyOther {
		return 1, nil
	}
	b := distuv.Binomial{N: float64(only + onlyOther), P: 0.5}
	return min(1, 2*b.CDF(float64(min(only, onlyOther)))), nil
}

// PairedPermutation returns the two-sided p value of a permutation test of the hypothesis that
// paired values are exchangeable. The signs of the differences are drawn at random, and p is the
// fraction of the draws, the data included, whose sum is at least as far from 0 as that of the data
// (Good 2005, section 3.2). The values may be hits, reciprocal ranks or any other quantity of a
// query. Fewer than one draw, lists of different lengths and values that are not finite are errors.
func PairedPermutation(values, others []float64, draws int, seed uint64) (p float64, err error) {
	if len(values) != len(others) || len(values) == 0 || draws < 1 {
		return math.NaN(), fmt.Errorf("retrieval: permutations of %d and %d values with %d draws, want as many of both and at least 1 of each", len(values), len(others), draws)
	}
	differences, sum, scale := make([]float64, len(values)), 0.0, 0.0
	for i, value := range values {
		differences[i] = value - others[i]
		if math.IsNaN(differences[i]) || math.IsInf(differences[i], 0) {
			return math.NaN(), fmt.Errorf("retrieval: the values of pair %d are %g and %g, want finite ones", i, value, others[i])
		}
		sum, scale = sum+differences[i], scale+math.Abs(differences[i])
	}
	source, extreme := rand.New(rand.NewPCG(seed, 0)), 1
	for range draws {
		drawn := 0.0
		for _, d := range differences {
			if source.Uint64()&1 == 0 {
				d = -d
			}
			drawn += d
		}
		if math.Abs(drawn) >= math.Abs(sum)-1e-12*scale { // equal sums differ by rounding
			extreme++
		}
	}
	return float64(extreme) / float64(draws+1), nil
}
