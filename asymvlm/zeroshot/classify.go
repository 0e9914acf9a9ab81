package zeroshot

import (
	"fmt"

	"gosphere/asymvlm/embedding"
)

// Predict returns the class with the highest score of every image, the first of several. No images, no classes, and
// scores that are not finite are errors that name the row.
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

// checkLabels reports labels that do not fit the scores, of which the first so many columns are classes.
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

// An Accuracy is how often the class of an image was found.
type Accuracy struct {
	Overall  float64   // of all images
	PerClass []float64 // of the images of every class; NaN for a class without images
}

// Classify returns the accuracy of the highest scores, N×C, against the true classes, N numbers from 0 to C−1. Labels of
// another count, labels of no class, and what Predict refuses are errors that name the image.
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
	result.Overall /= float64(len(labels)) // once: a sum of parts may be a little less than 1
	return result, nil
}
