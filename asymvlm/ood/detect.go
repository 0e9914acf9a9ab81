package ood

import (
	"fmt"
	"math"
	"slices"
)

// A Detection measures how well an uncertainty separates two kinds of queries.
type Detection struct {
	// AUROC is the probability that a strange query has a larger uncertainty than an ordinary one,
	// where ties count one half. It is 0.5 for an uninformative measure.
	AUROC float64
	// AUPR is the average precision Σ (recall_i − recall_{i−1})·precision_i over decreasing
	// thresholds, the step-wise area under the precision-recall curve. For an uninformative measure
	// it is the fraction of strange queries.
	AUPR float64
	// FPR95 is the fraction of ordinary queries that are flagged at the highest threshold that
	// flags at least 95 % of the strange ones.
	FPR95 float64
}

// Detect measures how well uncertainties separate ordinary queries from strange ones. An empty list
// is an error, and NaN is an error that names its index. Infinite uncertainties are larger or
// smaller than all others. The cost is that of sorting.
func Detect(ordinary, strange []float64) (*Detection, error) {
	points, err := Curve(ordinary, strange)
	if err != nil {
		return nil, err
	}
	d := &Detection{FPR95: falsePositives(points, 0.95)}
	before := Point{Threshold: math.Inf(1)}
	for _, p := range points {
		// Between two thresholds both rates rise together along equal values, which makes a
		// trapezoid.
		d.AUROC += (p.FPR - before.FPR) * (p.TPR + before.TPR) / 2
		d.AUPR += (p.TPR - before.TPR) * p.Precision
		before = p
	}
	return d, nil
}

// FalsePositiveRate returns the fraction of ordinary queries that are flagged at the highest
// threshold that flags at least the fraction part of the strange ones, 0 < part ≤ 1. Another part
// is an error. FalsePositiveRate also returns the errors of Curve.
func FalsePositiveRate(ordinary, strange []float64, part float64) (float64, error) {
	if !(part > 0 && part <= 1) {
		return 0, fmt.Errorf("ood: true positive rate %g, want more than 0 and at most 1", part)
	}
	points, err := Curve(ordinary, strange)
	if err != nil {
		return 0, err
	}
	return falsePositives(points, part), nil
}

// falsePositives returns the rate of the first point with the required TPR; the last point has a
// TPR of 1.
func falsePositives(points []Point, part float64) float64 {
	i := slices.IndexFunc(points, func(p Point) bool { return p.TPR >= part })
	return points[i].FPR
}

// A Point holds the rates at one threshold.
type Point struct {
	Threshold float64
	TPR, FPR  float64 // fraction of the strange and of the ordinary queries that are flagged
	Precision float64 // fraction of the flagged queries that are strange
}

// Curve returns the rates at each uncertainty that occurs, from the highest to the lowest, at which
// all queries are flagged. Empty lists and NaN are errors.
func Curve(ordinary, strange []float64) ([]Point, error) {
	if len(ordinary) == 0 || len(strange) == 0 {
		return nil, fmt.Errorf("ood: %d ordinary and %d strange queries, want some of both", len(ordinary), len(strange))
	}
	a, err := sorted("ordinary", ordinary)
	if err != nil {
		return nil, err
	}
	b, err := sorted("strange", strange)
	if err != nil {
		return nil, err
	}
	thresholds := append(slices.Clone(a), b...)
	slices.Sort(thresholds)
	thresholds = slices.Compact(thresholds)
	slices.Reverse(thresholds)
	points := make([]Point, len(thresholds))
	for i, threshold := range thresholds {
		belowA, _ := slices.BinarySearch(a, threshold)
		belowB, _ := slices.BinarySearch(b, threshold)
		flaggedA, flaggedB := float64(len(a)-belowA), float64(len(b)-belowB)
		points[i] = Point{threshold, flaggedB / float64(len(b)), flaggedA / float64(len(a)), flaggedB / (flaggedA + flaggedB)}
	}
	return points, nil
}

// sorted returns a sorted copy, or an error if a value is NaN.
func sorted(kind string, values []float64) ([]float64, error) {
	for i, value := range values {
		if math.IsNaN(value) {
			return nil, fmt.Errorf("ood: uncertainty of %s query %d is NaN", kind, i)
		}
	}
	values = slices.Clone(values)
	slices.Sort(values)
	return values, nil
}
