package ood

import (
	"fmt"
	"math"
)

// A Histogram counts values in intervals of equal width. Interval i holds Edges[i] ≤ value <
// Edges[i+1]; the last one includes its upper edge.
type Histogram struct {
	Edges  []float64
	Parts  []float64 // fraction of all values in each interval
	Beyond int       // number of values outside the edges, which are in no interval but count as values
}

// EvidentialHistogram returns the histogram of ELIP's uncertainties u = M/S (figure 5), which lie
// between 0 and 1. A value outside that range is an error that names its query. EvidentialHistogram
// also returns the errors of NewHistogram.
func EvidentialHistogram(uncertainty []float64, intervals int) (*Histogram, error) {
	for i, u := range uncertainty {
		if !(u >= 0 && u <= 1) {
			return nil, fmt.Errorf("ood: evidential uncertainty of query %d is %g, want 0 to 1", i, u)
		}
	}
	return NewHistogram(uncertainty, 0, 1, intervals)
}

// NewHistogram counts values between low and high in intervals of width (high − low)/intervals.
// Values outside, including infinite ones, are counted in Beyond. No values, no interval, NaN, and
// edges that are not finite and increasing are errors.
func NewHistogram(values []float64, low, high float64, intervals int) (*Histogram, error) {
	if len(values) == 0 || intervals < 1 {
		return nil, fmt.Errorf("ood: histogram of %d values in %d intervals, want at least one of each", len(values), intervals)
	}
	width := high - low
	if !(width > 0) || math.IsInf(width, 0) {
		return nil, fmt.Errorf("ood: histogram from %g to %g, want finite edges in rising order", low, high)
	}
	h := &Histogram{Parts: make([]float64, intervals)}
	for i := range intervals + 1 {
		h.Edges = append(h.Edges, low+width*(float64(i)/float64(intervals)))
	}
	h.Edges[intervals] = high // rounding of the width could exclude the largest value
	counts := make([]int, intervals)
	for i, value := range values {
		switch {
		case math.IsNaN(value):
			return nil, fmt.Errorf("ood: value %d is NaN", i)
		case value < low || value > high:
			h.Beyond++
			continue
		}
		place := min(int((value-low)/width*float64(intervals)), intervals-1)
		// For a value at an edge, rounding of the quotient may select another interval, even a
		// distant one if edges are equal.
		for place > 0 && value < h.Edges[place] {
			place--
		}
		for place < intervals-1 && value >= h.Edges[place+1] {
			place++
		}
		counts[place]++
	}
	for i, count := range counts {
		h.Parts[i] = float64(count) / float64(len(values))
	}
	return h, nil
}
