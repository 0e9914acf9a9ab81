package zeroshot

import (
	"fmt"
	"strings"

	"gosphere/asymvlm/embedding"
)

// place marks the position of the class name in a template.
const place = "{}"

// PlainTemplates returns the single template that most papers use.
func PlainTemplates() []string { return []string{"a photo of a {}."} }

// CIFARTemplates returns the 18 templates of OpenAI's CLIP for CIFAR-10 and CIFAR-100.
func CIFARTemplates() []string {
	var templates []string
	for _, article := range []string{"a", "the"} {
		templates = append(templates, "a photo of "+article+" {}.")
		for _, kind := range []string{"blurry", "black and white", "low contrast", "high contrast", "bad", "good"} {
			templates = append(templates, "a "+kind+" photo of "+article+" {}.")
		}
		for _, size := range []string{"small", "big"} {
			templates = append(templates, "a photo of "+article+" "+size+" {}.")
		}
	}
	return templates
}

// STLTemplates returns the two templates of OpenAI's CLIP for STL-10.
func STLTemplates() []string { return []string{"a photo of a {}.", "a photo of the {}."} }

// DummyPrompts returns the texts that represent "none of the above" in the AsymVLM paper.
func DummyPrompts() []string {
	return []string{"a photo", "a photo of an object", "a photo of something"}
}

// Prompts fills each template with each class: the T prompts of the first class, then those of the
// second. A template must contain {} exactly once. No templates, no classes, a template with
// another number of {}, and a class without a name are errors.
func Prompts(templates, classes []string) ([]string, error) {
	if len(templates) == 0 || len(classes) == 0 {
		return nil, fmt.Errorf("zeroshot: %d templates and %d classes, want at least one of each", len(templates), len(classes))
	}
	for _, template := range templates {
		if n := strings.Count(template, place); n != 1 {
			return nil, fmt.Errorf("zeroshot: template %q has %d places %s, want one", template, n, place)
		}
	}
	prompts := make([]string, 0, len(templates)*len(classes))
	for _, class := range classes {
		if strings.TrimSpace(class) == "" {
			return nil, fmt.Errorf("zeroshot: a class without a name among %q", classes)
		}
		for _, template := range templates {
			prompts = append(prompts, strings.Replace(template, place, class, 1))
		}
	}
	return prompts, nil
}

// checkGroups returns an error if the rows do not divide into classes of T prompts, or if values
// are not finite.
func checkGroups(m embedding.Matrix, count, templates int) error {
	if templates < 1 || count == 0 || count%templates != 0 {
		return fmt.Errorf("zeroshot: %d prompts do not divide into classes of %d templates", count, templates)
	}
	if err := m.Check(); err != nil {
		return fmt.Errorf("zeroshot: %w", err)
	}
	return nil
}

// Ensemble returns one text embedding per class as in CLIP: each of the C·T×D prompt embeddings is
// divided by its norm, the T embeddings of a class are averaged, and the average is divided by its
// norm. The result is C×D and is meant for cosines. Rows that do not divide into classes, values
// that are not finite, rows of norm 0, and prompts that cancel are errors.
func Ensemble(prompts embedding.Matrix, templates int) (embedding.Matrix, error) {
	if err := checkGroups(prompts, prompts.Rows, templates); err != nil {
		return embedding.Matrix{}, err
	}
	unit, err := prompts.Normalized()
	if err != nil {
		return embedding.Matrix{}, fmt.Errorf("zeroshot: %w", err)
	}
	means, err := MeanEmbeddings(unit, templates)
	if err != nil {
		return embedding.Matrix{}, err
	}
	for class, length := range means.Norms() {
		if length < canceled {
			return embedding.Matrix{}, fmt.Errorf("zeroshot: the %d prompts of class %d cancel: their mean has length %.2g", templates, class, length)
		}
	}
	means, err = means.Normalized()
	if err != nil {
		return embedding.Matrix{}, fmt.Errorf("zeroshot: %w", err)
	}
	return means, nil
}

// canceled is the largest norm of a float32 mean of unit vectors whose direction is determined by
// rounding alone.
const canceled = 1e-6

// MeanEmbeddings returns the mean of the T raw embeddings of each class, C×D, from which an adapter
// can form one density. Rows that do not divide into classes, and values that are not finite, are
// errors.
func MeanEmbeddings(prompts embedding.Matrix, templates int) (embedding.Matrix, error) {
	if err := checkGroups(prompts, prompts.Rows, templates); err != nil {
		return embedding.Matrix{}, err
	}
	means := embedding.NewMatrix(prompts.Rows/templates, prompts.Columns)
	sum := make([]float64, prompts.Columns)
	for class := range means.Rows {
		clear(sum)
		for t := range templates {
			for j, value := range prompts.Row(class*templates + t) {
				sum[j] += float64(value)
			}
		}
		for j, value := range sum {
			means.Set(class, j, float32(value/float64(templates)))
		}
	}
	return means, nil
}

// MeanScores returns one score per image and class, N×C, the mean over the T prompts of the class.
// For log-likelihoods this is the ensemble in which each template has its own density. Columns that
// do not divide into classes, and values that are not finite, are errors.
func MeanScores(scores embedding.Matrix, templates int) (embedding.Matrix, error) {
	if err := checkGroups(scores, scores.Columns, templates); err != nil {
		return embedding.Matrix{}, err
	}
	means := embedding.NewMatrix(scores.Rows, scores.Columns/templates)
	for image := range scores.Rows {
		row := scores.Row(image)
		for class := range means.Columns {
			sum := 0.0
			for _, value := range row[class*templates : (class+1)*templates] {
				sum += float64(value)
			}
			means.Set(image, class, float32(sum/float64(templates)))
		}
	}
	return means, nil
}
