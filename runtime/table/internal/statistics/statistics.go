// Package statistics computes statistics of lists of numbers.
package statistics

import (
	"cmp"
	"math"
	"slices"
)

// Quantile returns a quantile between values by linear interpolation, and NaN if a value is NaN. It
// sorts the list.
func Quantile(list []float64, q float64) float64 {
	slices.Sort(list)
	if math.IsNaN(list[0]) {
		return list[0]
	}
	at := q * float64(len(list)-1)
	i := int(at)
	if at == float64(i) {
		return list[i]
	}
	if list[i] == list[i+1] {
		return list[i] // also for infinities
	}
	return list[i] + (list[i+1]-list[i])*(at-float64(i))
}

// Ranks returns the ranks of numbers, from 1. They are all NaN if a number is.
func Ranks(list []float64) []float64 {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return nanLast(list[i], list[j]) })
	ranks := make([]float64, len(list))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && list[order[first]] == list[order[end]] {
			end++
		}
		for _, i := range order[first:end] {
			ranks[i] = float64(first+1+end) / 2
			if math.IsNaN(list[order[len(order)-1]]) {
				ranks[i] = math.NaN()
			}
		}
		first = end
	}
	return ranks
}

// nanLast orders NaN after all numbers.
func nanLast(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return -cmp.Compare(a, b)
	}
	return cmp.Compare(a, b)
}

// Correlation returns Pearson's correlation of pairs of numbers.
func Correlation(a, b []float64) float64 {
	var ma, mb, saa, sbb, sab float64
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(b))
	}
	for i := range a {
		da, db := a[i]-ma, b[i]-mb
		saa, sbb, sab = saa+da*da, sbb+db*db, sab+da*db
	}
	r := sab / math.Sqrt(saa) / math.Sqrt(sbb)
	return max(-1, min(1, r))
}
