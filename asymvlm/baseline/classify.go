package baseline

import (
	"fmt"
	"math"

	"gosphere/asymvlm/calibration"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// A Choice is the measures of one method on queries that choose among classes.
type Choice struct {
	Name        string    // of a method of this package, or as given to ChoiceOf
	Hits        []bool    // whether the class with the largest score is the label
	Uncertainty []float64 // larger for less certain queries
	Accuracy    float64
	AURC, EAURC float64 // as in retrieval.Direction
}

// Classify measures the methods on queries that choose the class with the largest score, given a
// row of scores for each query and a column for each class. With cosines the methods are those of
// untrained embeddings; with log-likelihoods they judge a trained method by its own scores. The
// label −1 stands for none of the classes: each answer to it is wrong.
//
// Norms are the norms of the raw embeddings of the queries; with nil there is no Norm. There is no
// CaptionLength. The scale is the inverse temperature of Entropy and LogSumExp. Errors are fewer
// than two queries or classes, labels and norms that do not fit the scores, scores and norms that
// are NaN, and a scale that is not finite and positive.
func Classify(scores embedding.Matrix, labels []int, norms []float64, scale float64) ([]Choice, error) {
	if len(labels) != scores.Rows || norms != nil && len(norms) != scores.Rows {
		return nil, fmt.Errorf("baseline: classify: %d rows of scores, %d labels, %d norms", scores.Rows, len(labels), len(norms))
	}
	for i, label := range labels {
		if label < -1 || label >= scores.Columns {
			return nil, fmt.Errorf("baseline: classify: label %d of query %d, want −1 … %d", label, i, scores.Columns-1)
		}
	}
	_, s, err := retrieval.SharpnessOf(retrieval.FromMatrix(scores), scale)
	if err != nil {
		return nil, fmt.Errorf("baseline: classify: %w", err)
	}
	hits := make([]bool, scores.Rows)
	for i, label := range labels {
		hits[i] = label >= 0 && first(scores.Row(i)) == label
	}
	var choices []Choice
	for _, m := range []struct {
		method Method
		u      []float64
	}{{Norm, negative(norms)}, {MaxCosine, negative(s.Best)}, {Margin, margins(s)}, {Entropy, s.Entropy}, {LogSumExp, negative(s.LogSumExp)}} {
		if m.method == Norm && norms == nil {
			continue
		}
		choice, err := ChoiceOf(string(m.method), hits, m.u)
		if err != nil {
			return nil, err
		}
		choices = append(choices, choice)
	}
	return choices, nil
}

// ChoiceOf measures any uncertainty of queries that are answered right or wrong. It returns the
// errors of calibration.RiskCoverage.
func ChoiceOf(name string, hits []bool, uncertainty []float64) (Choice, error) {
	coverage, err := calibration.RiskCoverage(hits, uncertainty)
	if err != nil {
		return Choice{}, fmt.Errorf("baseline: %s: %w", name, err)
	}
	right := 0
	for _, hit := range hits {
		if hit {
			right++
		}
	}
	return Choice{name, hits, uncertainty, float64(right) / float64(len(hits)), coverage.AURC, coverage.Excess}, nil
}

// first returns the place of the largest score, the first of several.
func first(scores []float32) int {
	best, place := math.Inf(-1), 0
	for i, score := range scores {
		if float64(score) > best {
			best, place = float64(score), i
		}
	}
	return place
}
