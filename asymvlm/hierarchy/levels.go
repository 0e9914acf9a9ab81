package hierarchy

import (
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/retrieval"
)

// Figures holds statistics of a measure, such as the uncertainty, by level of the chains.
type Figures struct {
	Mean, Median []float64 // L values
	// Falls is, for each level but the last, the fraction of the rows in which the measure falls
	// strictly to the next level.
	Falls []float64 // L−1 values
	// Chains is the fraction of the rows in which the measure falls strictly at every step.
	Chains float64
	// Kendall is the mean over the rows of Kendall's tau between level and measure, −1 if the
	// measure always falls. A row of equal values has no tau and counts as 0.
	Kendall float64
}

// ByLevel returns statistics of a measure given for R rows of L levels, the levels of a row
// together. The measure may be the uncertainty of each caption, which should fall along a chain, or
// ℓ(image|caption), which should rise. The AsymVLM paper's figure 5 shows both as plots without
// numbers. An infinite value, such as 1/κ for κ = 0, makes the mean of its level infinite and is
// ranked like any other. Values that do not form rows are an error, and NaN is an error that names
// row and level.
func ByLevel(values []float64, levels int) (*Figures, error) {
	if levels < 2 || len(values) == 0 || len(values)%levels != 0 {
		return nil, fmt.Errorf("hierarchy: %d values do not form rows of %d levels", len(values), levels)
	}
	for i, value := range values {
		if math.IsNaN(value) {
			return nil, fmt.Errorf("hierarchy: row %d, level %d is NaN", i/levels, i%levels)
		}
	}
	rows := len(values) / levels
	f := &Figures{Falls: make([]float64, levels-1)}
	places := make([]float64, levels)
	for level := range levels {
		places[level] = float64(level)
		column := make([]float64, rows)
		for row := range rows {
			column[row] = values[row*levels+level]
		}
		f.Mean = append(f.Mean, mean(column))
		slices.Sort(column)
		f.Median = append(f.Median, (column[(rows-1)/2]+column[rows/2])/2)
	}
	for row := range rows {
		chain := values[row*levels : (row+1)*levels]
		falls := 0
		for level := range levels - 1 {
			if chain[level+1] < chain[level] {
				f.Falls[level]++
				falls++
			}
		}
		if falls == levels-1 {
			f.Chains++
		}
		if tau := retrieval.Kendall(places, chain); !math.IsNaN(tau) {
			f.Kendall += tau
		}
	}
	// Counts are divided once, because a thousand times 0.001 is not 1.
	for level := range f.Falls {
		f.Falls[level] /= float64(rows)
	}
	f.Chains /= float64(rows)
	f.Kendall /= float64(rows)
	return f, nil
}

// LengthCorrelation returns Spearman's correlation between the length of captions in tokens and a
// measure such as the uncertainty. The paper's figure counts the tokens of CLIP's byte-pair
// encoding; start and end tokens add a constant and change nothing. The result is NaN if all
// lengths or all values are equal. Lists of different lengths, fewer than two captions and NaN are
// errors.
func LengthCorrelation(tokens []int, values []float64) (float64, error) {
	if len(tokens) != len(values) || len(tokens) < 2 {
		return 0, fmt.Errorf("hierarchy: %d lengths with %d values, want at least 2 of each", len(tokens), len(values))
	}
	lengths := make([]float64, len(tokens))
	for i, n := range tokens {
		if math.IsNaN(values[i]) {
			return 0, fmt.Errorf("hierarchy: value %d is NaN", i)
		}
		lengths[i] = float64(n)
	}
	return retrieval.Spearman(lengths, values), nil
}
