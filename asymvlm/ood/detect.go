package ood

import (
	"fmt"
	"math"
	"slices"
)

// A Detection is how well an uncertainty separates two kinds of queries.
type Detection struct {
	// AUROC is the probability that a strange query has a larger uncertainty than an ordinary one, equal ones
	// counting one half: 0.5 for a measure that tells nothing.
	AUROC float64
	// AUPR is the average precision Σ (recall_i − recall_{i−1})·precision_i over falling thresholds, the step-wise
	// area under the curve of precision and recall. A measure that tells nothing has the part of strange queries.
	AUPR float64
	// FPR95 is the part of ordinary queries that are flagged at the highest threshold that flags at least 95 % of
	// the strange ones.
	FPR95 float64
}

// Detect measures how well the uncertainties of ordinary and strange queries are told apart. An empty list and NaN, with
// its place, are errors; infinite uncertainties are larger or smaller than all others. The cost is that of sorting.
func Detect(ordinary, strange []float64) (*Detection, error) {
	points, err := Curve(ordinary, strange)
	if err != nil {
		return nil, err
	}
	d := &Detection{FPR95: falsePositives(points, 0.95)}
	before := Point{Threshold: math.Inf(1)}
	for _, p := range points {
		// Between two thresholds both rates rise together along equal values: a trapezium.
		d.AUROC += (p.FPR - before.FPR) * (p.TPR + before.TPR) / 2
		d.AUPR += (p.TPR - before.TPR) * p.Precision
		before = p
	}
	return d, nil
}

// FalsePositiveRate returns the part of ordinary queries that are flagged at the highest threshold that flags at
// least the given part of the strange ones, 0 < part ≤ 1. Another part and what Curve refuses are errors.
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

// falsePositives finds the first point with the wanted rate; the last point has every rate.
func falsePositives(points []Point, part float64) float64 {
	i := slices.IndexFunc(points, func(p Point) bool { return p.TPR >= part })
	return points[i].FPR
}

// A Point is the rates at one threshold.
type Point struct {
	Threshold float64
	TPR, FPR  float64 // part of the strange and of the ordinary queries that are flagged
	Precision float64 // part of the flagged queries that are strange
}

// Curve returns the rates at every uncertainty that occurs, from the highest to the lowest, where all are flagged.
// Both lists must have values, none NaN: with one class alone there is nothing to tell apart.
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

// sorted returns a sorted copy, or an error when a value is NaN.
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
