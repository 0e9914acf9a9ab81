package zeroshot

import (
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/embedding"
)

// A Point states how well images of the classes and images of unnamed things are separated.
type Point struct {
	Threshold float64 // decision threshold; NaN for a dummy class, which has none
	Positive  float64 // fraction of the images of the classes that were assigned their class
	Negative  float64 // fraction of the other images that were rejected
}

// NoneOfTheAbove measures rejection by dummy classes. The last columns of the scores belong to
// dummy texts such as DummyPrompts, and an image whose best column is one of them is rejected.
// Positives are scores of images of the classes, with their labels, and negatives are scores of
// other images. For AsymVLM use log-likelihoods with the normalizer, which let a vague text win if
// no precise one fits. No dummy or no other class, different widths, and labels that are not
// classes are errors.
func NoneOfTheAbove(positives, negatives embedding.Matrix, labels []int, dummies int) (Point, error) {
	classes := positives.Columns - dummies
	if dummies < 1 || classes < 1 {
		return Point{}, fmt.Errorf("zeroshot: %d dummy classes among %d columns", dummies, positives.Columns)
	}
	won, lost, err := predictBoth(positives, negatives, labels, classes)
	if err != nil {
		return Point{}, err
	}
	point := Point{Threshold: math.NaN()}
	for image, class := range won {
		if class == labels[image] {
			point.Positive++
		}
	}
	for _, class := range lost {
		if class >= classes {
			point.Negative++
		}
	}
	point.Positive /= float64(len(won))
	point.Negative /= float64(len(lost))
	return point, nil
}

// predictBoth predicts positives and negatives after checking that they match.
func predictBoth(positives, negatives embedding.Matrix, labels []int, classes int) (won, lost []int, err error) {
	if positives.Columns != negatives.Columns {
		return nil, nil, fmt.Errorf("zeroshot: positives have %d columns, negatives %d", positives.Columns, negatives.Columns)
	}
	if won, err = Predict(positives); err != nil {
		return nil, nil, err
	}
	if lost, err = Predict(negatives); err != nil {
		return nil, nil, err
	}
	return won, lost, checkLabels(positives, labels, classes)
}

// A Curve holds Positive and Negative for all thresholds that make a difference, in increasing
// order. The first threshold accepts everything; the last, +Inf, rejects everything.
type Curve struct{ Points []Point }

// RejectByDummies returns the curve of rejecting an image if the score of its best class minus that
// of the best dummy class (the last columns) is below the threshold. NoneOfTheAbove is its point at
// threshold 0. The distance of that point from the balanced one depends on the dummy texts; the
// curve shows the potential of the method. RejectByDummies returns the errors of NoneOfTheAbove.
func RejectByDummies(positives, negatives embedding.Matrix, labels []int, dummies int) (*Curve, error) {
	classes := positives.Columns - dummies
	if dummies < 1 || classes < 1 {
		return nil, fmt.Errorf("zeroshot: %d dummy classes among %d columns", dummies, positives.Columns)
	}
	if positives.Columns != negatives.Columns {
		return nil, fmt.Errorf("zeroshot: positives have %d columns, negatives %d", positives.Columns, negatives.Columns)
	}
	if err := checkLabels(positives, labels, classes); err != nil {
		return nil, err
	}
	for _, m := range []embedding.Matrix{positives, negatives} {
		if _, err := Predict(m); err != nil {
			return nil, err
		}
	}
	lead := func(row []float32) float64 {
		return float64(row[best(row[:classes])]) - float64(row[classes+best(row[classes:])])
	}
	return newCurve(positives, negatives, lead, func(image int) bool {
		return best(positives.Row(image)[:classes]) == labels[image]
	}), nil
}

// Without returns the scores of the images whose label is not excluded, and their labels. It
// removes negatives that a classifier should not reject: some classes of CIFAR-100 also belong to a
// class of CIFAR-10 (see [NearSynonyms]). It returns an error if the numbers of labels and images
// differ.
func Without(scores embedding.Matrix, labels []string, excluded []string) (embedding.Matrix, []string, error) {
	if len(labels) != scores.Rows {
		return embedding.Matrix{}, nil, fmt.Errorf("zeroshot: %d labels for %d images", len(labels), scores.Rows)
	}
	kept, names := embedding.Matrix{Columns: scores.Columns}, []string{}
	for image, label := range labels {
		if !slices.Contains(excluded, label) {
			kept.Values = append(kept.Values, scores.Row(image)...)
			kept.Rows++
			names = append(names, label)
		}
	}
	return kept, names, nil
}

// NearSynonyms returns the classes of CIFAR-100 that belong to a class of CIFAR-10 as well, truck
// or automobile.
func NearSynonyms() []string { return []string{"bus", "pickup_truck", "streetcar"} }

// RejectByThreshold returns the curve of rejecting an image whose best score is below the
// threshold. Different widths, no images, and labels that are not classes are errors.
func RejectByThreshold(positives, negatives embedding.Matrix, labels []int) (*Curve, error) {
	return reject(positives, negatives, labels, func(row []float32) float64 { return float64(row[best(row)]) })
}

// RejectByMargin returns the curve of rejecting an image whose best score minus its second best is
// below the threshold. Fewer than two classes are an error. RejectByMargin also returns the errors
// of RejectByThreshold.
func RejectByMargin(positives, negatives embedding.Matrix, labels []int) (*Curve, error) {
	if positives.Columns < 2 {
		return nil, fmt.Errorf("zeroshot: a margin between %d classes, want at least 2", positives.Columns)
	}
	return reject(positives, negatives, labels, func(row []float32) float64 {
		first, second := math.Inf(-1), math.Inf(-1)
		for _, value := range row {
			switch v := float64(value); {
			case v > first:
				first, second = v, first
			case v > second:
				second = v
			}
		}
		return first - second
	})
}

// reject returns the curve of rejecting images whose confidence is below a threshold.
func reject(positives, negatives embedding.Matrix, labels []int, confidence func(row []float32) float64) (*Curve, error) {
	won, _, err := predictBoth(positives, negatives, labels, positives.Columns)
	if err != nil {
		return nil, err
	}
	return newCurve(positives, negatives, confidence, func(image int) bool { return won[image] == labels[image] }), nil
}

// newCurve counts correct predictions among the positives, and rejections, for all thresholds of
// the confidence.
func newCurve(positives, negatives embedding.Matrix, confidence func(row []float32) float64, isRight func(image int) bool) *Curve {
	var right, other, thresholds []float64
	for image := range positives.Rows {
		c := confidence(positives.Row(image))
		thresholds = append(thresholds, c)
		if isRight(image) {
			right = append(right, c)
		}
	}
	for image := range negatives.Rows {
		other = append(other, confidence(negatives.Row(image)))
	}
	thresholds = append(append(thresholds, other...), math.Inf(1))
	slices.Sort(thresholds)
	slices.Sort(right)
	slices.Sort(other)
	curve := &Curve{}
	for _, threshold := range slices.Compact(thresholds) {
		below, _ := slices.BinarySearch(right, threshold)
		rejected, _ := slices.BinarySearch(other, threshold)
		curve.Points = append(curve.Points, Point{
			Threshold: threshold,
			Positive:  float64(len(right)-below) / float64(positives.Rows),
			Negative:  float64(rejected) / float64(negatives.Rows),
		})
	}
	return curve
}

// Balanced returns the point at which Positive and Negative are equal. Along the curve Positive
// falls and Negative rises. If they cross between two thresholds, the point lies on the line
// between these, which a random choice between both thresholds attains, and its threshold is the
// lower one.
func (c *Curve) Balanced() Point {
	for i, p := range c.Points {
		if p.Negative < p.Positive {
			continue
		}
		if i == 0 || p.Negative == p.Positive {
			return p
		}
		before := c.Points[i-1]
		gap, next := before.Positive-before.Negative, p.Negative-p.Positive
		share := gap / (gap + next)
		value := before.Positive + share*(p.Positive-before.Positive)
		return Point{Threshold: before.Threshold, Positive: value, Negative: value}
	}
	return Point{Threshold: math.NaN(), Positive: math.NaN(), Negative: math.NaN()} // for a curve without points
}

// AtNegative returns the point with the lowest threshold that rejects at least the given fraction
// of the negatives, for comparing methods at equal rejection. A fraction above 1, or NaN, is an
// error.
func (c *Curve) AtNegative(negative float64) (Point, error) {
	for _, p := range c.Points {
		if p.Negative >= negative {
			return p, nil
		}
	}
	return Point{}, fmt.Errorf("zeroshot: no threshold rejects %g of the negatives", negative)
}
