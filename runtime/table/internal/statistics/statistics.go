// Package statistics computes statistics of lists of numbers.
package statistics

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Quantile returns a quantile between values by linear interpolation, and NaN if a value is NaN. It
// changes the order of the list.
func Quantile(list []float64, q float64) float64 {
	for _, x := range list {
		if math.IsNaN(x) {
			return x
		}
	}
	at := q * float64(len(list)-1)
	i := int(at)
	choose(list, i)
	if at == float64(i) {
		return list[i]
	}
	next := slices.Min(list[i+1:])
	if list[i] == next {
		return next // also for infinities
	}
	return list[i] + (next-list[i])*(at-float64(i))
}

// few is the number of values that are sorted faster than divided.
const few = 24

// choose brings the value that a sorted list has at position k there. Those before it are not
// greater, those after it not less. It is Hoare's algorithm with the median of three; a list that
// it hardly divides is sorted.
func choose(list []float64, k int) {
	for tries := 2 * bits.Len(uint(len(list))); len(list) > few; tries-- {
		if tries == 0 {
			break
		}
		pivot := medianOfThree(list[0], list[len(list)/2], list[len(list)-1])
		i, j := 0, len(list)-1
		for i <= j {
			for list[i] < pivot {
				i++
			}
			for list[j] > pivot {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			list = list[:j+1]
		case k >= i:
			list, k = list[i:], k-i
		default:
			return // between the parts
		}
	}
	slices.Sort(list)
}

func medianOfThree(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

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

// A Scale describes the bins of a histogram.
type Scale struct {
	Bins  int                    // at most
	Whole bool                   // of integers, so that each bin has equally many of them
	Text  func(x float64) string // of an edge
}

// Histogram counts the known finite numbers of a list in bins of equal width, and those that are
// not finite in a bin of their own.
func Histogram(list []float64, known func(i int) bool, scale Scale) (labels []string, counts []int) {
	bins, text := scale.Bins, scale.Text
	least, greatest, others, all := math.Inf(1), math.Inf(-1), 0, 0
	for i, x := range list {
		switch {
		case !known(i):
		case math.IsNaN(x) || math.IsInf(x, 0):
			others++
		default:
			least, greatest, all = min(least, x), max(greatest, x), all+1
		}
	}
	if all > 0 {
		width := (greatest - least) / float64(bins)
		if width == 0 || math.IsInf(width, 0) {
			bins, width = 1, 1
		} else if scale.Whole {
			width = math.Ceil((greatest - least + 1) / float64(bins))
			bins = int(math.Ceil((greatest - least + 1) / width))
		}
		counts = make([]int, bins)
		for i, x := range list {
			if known(i) && !math.IsNaN(x) && !math.IsInf(x, 0) {
				counts[max(0, min(int((x-least)/width), bins-1))]++
			}
		}
		for n := range bins {
			from, to := least+width*float64(n), least+width*float64(n+1)
			if scale.Whole {
				to--
			}
			to = min(to, greatest)
			if labels = append(labels, text(from)+" to "+text(to)); from == to {
				labels[n] = text(from)
			}
		}
	}
	if others > 0 {
		labels, counts = append(labels, "not finite"), append(counts, others)
	}
	return labels, counts
}
