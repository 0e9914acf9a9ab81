package retrieval

import (
	"fmt"
	"math"
)

// Kendall returns Kendall's rank correlation tau-b of x and y,
//
//	(concordant − discordant)/√((pairs − ties in x)(pairs − ties in y)).
//
// Without ties this is the fraction of concordant pairs minus the fraction of discordant ones. It
// is NaN if x or y has fewer than two different values. Kendall panics if the lengths differ. It
// compares all pairs, so its cost grows with the square of the length.
func Kendall(x, y []float64) float64 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("retrieval: correlation of %d values with %d", len(x), len(y)))
	}
	var agreement, orderedX, orderedY float64
	for i := range x {
		for j := range i {
			a, b := compare(x[i], x[j]), compare(y[i], y[j])
			agreement += a * b
			orderedX += a * a
			orderedY += b * b
		}
	}
	return agreement / math.Sqrt(orderedX*orderedY) // exactly ±1 for equal or opposite orders
}

// compare returns the sign of a − b, or NaN if either is NaN.
func compare(a, b float64) float64 {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return math.NaN()
}
