package calibration

import (
	"fmt"
	"math"
)

// A Reliability compares confidences with the frequency of right answers, in intervals of equal
// width between 0 and 1.
type Reliability struct {
	Confidence []float64 // mean confidence of an interval; NaN if it is empty
	Accuracy   []float64 // fraction of its answers that are right; NaN if it is empty
	Count      []int
	ECE        float64 // expected calibration error, the mean of |Accuracy − Confidence| over all answers
}

// NewReliability groups answers by confidence. Interval i of n holds i/n ≤ confidence < (i+1)/n;
// the last one includes 1. Lists of different lengths, no answers, no interval, and confidences
// outside 0 … 1 are errors.
//
// Source of ECE: Naeini, Cooper and Hauskrecht, Obtaining well calibrated probabilities using
// Bayesian binning (2015).
func NewReliability(hits []bool, confidence []float64, intervals int) (*Reliability, error) {
	if len(hits) == 0 || len(hits) != len(confidence) || intervals < 1 {
		return nil, fmt.Errorf("calibration: %d confidences for %d answers in %d intervals, want some of each",
			len(confidence), len(hits), intervals)
	}
	r := &Reliability{Confidence: make([]float64, intervals), Accuracy: make([]float64, intervals), Count: make([]int, intervals)}
	for i, p := range confidence {
		if !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("calibration: confidence of answer %d is %g, want 0 to 1", i, p)
		}
		place := min(int(p*float64(intervals)), intervals-1)
		// For a confidence at an edge, rounding of the product may select an adjacent interval:
		// 0.29·100 is below 29.
		if place+1 < intervals && p >= float64(place+1)/float64(intervals) {
			place++
		} else if p < float64(place)/float64(intervals) {
			place--
		}
		r.Count[place]++
		r.Confidence[place] += p
		if hits[i] {
			r.Accuracy[place]++
		}
	}
	for i, count := range r.Count {
		r.ECE += math.Abs(r.Accuracy[i]-r.Confidence[i]) / float64(len(hits))
		r.Confidence[i] /= float64(count)
		r.Accuracy[i] /= float64(count)
	}
	return r, nil
}
