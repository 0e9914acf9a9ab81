package zeroshot

import (
	"fmt"

	"gosphere/asymvlm/embedding"
)

// Predict returns for each image the class with the highest score; of equal scores the lowest index
// wins. It returns an error if there are no images or no classes, or if a score is not finite; that
// error names the row.
func Predict(scores embedding.Matrix) ([]int, error) {
	if scores.Rows == 0 || scores.Columns == 0 {
		return nil, fmt.Errorf("zeroshot: scores of %d images and %d classes", scores.Rows, scores.Columns)
	}
	if err := scores.Check(); err != nil {
		return nil, fmt.Errorf("zeroshot: scores: %w", err)
	}
	predictions := make([]int, scores.Rows)
	for image := range predictions {
		predictions[image] = best(scores.Row(image))
	}
	return predictions, nil
}

// best returns the index of the largest value, the first of several.
func best(values []float32) int {
	index := 0
	for j, value := range values {
		if value > values[index] {
			index = j
		}
	}
	return index
}

// checkLabels returns an error if the labels do not fit the scores, whose first columns are the
// classes.
func checkLabels(scores embedding.Matrix, labels []int, classes int) error {
	if len(labels) != scores.Rows {
		return fmt.Errorf("zeroshot: %d labels for %d images", len(labels), scores.Rows)
	}
	for image, label := range labels {
		if label < 0 || label >= classes {
			return fmt.Errorf("zeroshot: image %d has label %d of %d classes", image, label, classes)
		}
	}
	return nil
}

// An Accuracy is the fraction of images whose class was predicted.
type Accuracy struct {
	Overall  float64   // over all images
	PerClass []float64 // for the images of each class; NaN for a class without images
}

// Classify returns the accuracy of predicting the class with the highest score, given scores, N×C,
// and the true classes, N labels from 0 to C−1. A wrong number of labels, labels that are not
// classes, and errors of Predict are errors; they name the image.
func Classify(scores embedding.Matrix, labels []int) (*Accuracy, error) {
	predictions, err := Predict(scores)
	if err != nil {
		return nil, err
	}
	if err := checkLabels(scores, labels, scores.Columns); err != nil {
		return nil, err
	}
	right, all := make([]float64, scores.Columns), make([]float64, scores.Columns)
	result := &Accuracy{PerClass: make([]float64, scores.Columns)}
	for image, label := range labels {
		all[label]++
		if predictions[image] == label {
			right[label]++
		}
	}
	for class := range right {
		result.Overall += right[class]
		result.PerClass[class] = right[class] / all[class]
	}
	result.Overall /= float64(len(labels)) // divide once: a sum of fractions may be slightly less than 1
	return result, nil
}
