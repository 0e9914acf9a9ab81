package retrieval

import (
	"fmt"
	"math"
	"strings"
)

// A Spread is a mean over runs with its standard deviation.
type Spread struct{ Mean, SD float64 }

// String gives the spread as the paper's tables do.
func (s Spread) String() string { return fmt.Sprintf("%s ± %.3f", Decimal(s.Mean, 3), s.SD) }

// Decimal writes a number with so many digits behind the point, at least 0, and without a minus in front of zeros: a loss of
// −0.00001 is 0.0000 in four digits. NaN and infinities are as fmt has them.
func Decimal(x float64, digits int) string {
	text := fmt.Sprintf("%.*f", digits, x)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Over returns the mean and the population standard deviation (the sum of squares divided by n, not n−1) of the
// values of several runs; NaN for none. The paper does not say which deviation it prints; its S values are steps of
// 12/990 that fit the population's.
func Over(values []float64) Spread {
	m := mean(values)
	squares := 0.0
	for _, value := range values {
		squares += (value - m) * (value - m)
	}
	return Spread{Mean: m, SD: math.Sqrt(squares / float64(len(values)))}
}

// A Summary holds the measures of a Report over several runs.
type Summary struct {
	Runs                     int
	TextToImage, ImageToText DirectionSummary
	RSUM                     Spread
}

// A DirectionSummary holds the measures of a Direction over several runs.
type DirectionSummary struct {
	Recall1, Recall5, Recall10 Spread
	Levels, MeanUncertainty    []Spread
	Average, S, R2, MinusSR2   Spread
}

// Summarize returns mean and population standard deviation of every measure over runs. Each run is measured on its
// own first: the mean of S is not the S of the mean recalls.
func Summarize(reports []*Report) (*Summary, error) {
	if len(reports) == 0 {
		return nil, fmt.Errorf("retrieval: no runs to summarize")
	}
	for run, report := range reports {
		first := reports[0]
		if len(report.TextToImage.Levels) != len(first.TextToImage.Levels) ||
			len(report.ImageToText.Levels) != len(first.ImageToText.Levels) {
			return nil, fmt.Errorf("retrieval: run %d has %d levels, run 0 has %d", run,
				len(report.TextToImage.Levels), len(first.TextToImage.Levels))
		}
	}
	return &Summary{
		Runs:        len(reports),
		TextToImage: summarize(reports, func(r *Report) *Direction { return &r.TextToImage }),
		ImageToText: summarize(reports, func(r *Report) *Direction { return &r.ImageToText }),
		RSUM:        over(reports, (*Report).RSUM),
	}, nil
}

// Pool joins the reports of test sets that have no query in common, such as the folds of a cross-validation, into one:
// recalls and levels are means, and S, R2 and MinusSR2 are those of the mean levels, so that a small fold's accidents
// do not count in full. Hits are those of all sets, one after another; Top and Uncertainty stay empty.
func Pool(reports []*Report) (*Report, error) {
	summary, err := Summarize(reports)
	if err != nil {
		return nil, err
	}
	pooled := &Report{TextToImage: summary.TextToImage.pooled(), ImageToText: summary.ImageToText.pooled()}
	for _, report := range reports {
		pooled.TextToImage.Hits = append(pooled.TextToImage.Hits, report.TextToImage.Hits...)
		pooled.ImageToText.Hits = append(pooled.ImageToText.Hits, report.ImageToText.Hits...)
	}
	return pooled, nil
}

// pooled takes the means of one direction.
func (s DirectionSummary) pooled() Direction {
	d := Direction{Recall1: s.Recall1.Mean, Recall5: s.Recall5.Mean, Recall10: s.Recall10.Mean, Average: s.Average.Mean}
	for level, recall := range s.Levels {
		d.Levels = append(d.Levels, recall.Mean)
		d.MeanUncertainty = append(d.MeanUncertainty, s.MeanUncertainty[level].Mean)
	}
	d.S, d.R2 = Spearman(indices(len(d.Levels)), d.Levels), R2(indices(len(d.Levels)), d.Levels)
	d.MinusSR2 = -d.S * d.R2
	return d
}

// summarize summarizes one direction.
func summarize(reports []*Report, of func(*Report) *Direction) DirectionSummary {
	measure := func(value func(*Direction) float64) Spread {
		return over(reports, func(r *Report) float64 { return value(of(r)) })
	}
	summary := DirectionSummary{
		Recall1:  measure(func(d *Direction) float64 { return d.Recall1 }),
		Recall5:  measure(func(d *Direction) float64 { return d.Recall5 }),
		Recall10: measure(func(d *Direction) float64 { return d.Recall10 }),
		Average:  measure(func(d *Direction) float64 { return d.Average }),
		S:        measure(func(d *Direction) float64 { return d.S }),
		R2:       measure(func(d *Direction) float64 { return d.R2 }),
		MinusSR2: measure(func(d *Direction) float64 { return d.MinusSR2 }),
	}
	for level := range of(reports[0]).Levels {
		summary.Levels = append(summary.Levels, measure(func(d *Direction) float64 { return d.Levels[level] }))
		summary.MeanUncertainty = append(summary.MeanUncertainty, measure(func(d *Direction) float64 { return d.MeanUncertainty[level] }))
	}
	return summary
}

// over returns the spread of one measure over runs.
func over(reports []*Report, measure func(*Report) float64) Spread {
	values := make([]float64, len(reports))
	for i, report := range reports {
		values[i] = measure(report)
	}
	return Over(values)
}

// MMI returns the multimodal impact score of a shift, the relative loss of recall: (r − mean of shifted)/r, with r the
// recall on the original test set. The recalls under several shifts are averaged before the ratio is taken.
func MMI(original float64, shifted []float64) (float64, error) {
	if !(original > 0) {
		return 0, fmt.Errorf("retrieval: recall %g on the original test set, want more than 0", original)
	}
	if len(shifted) == 0 {
		return 0, fmt.Errorf("retrieval: no recall under a shift")
	}
	return (original - mean(shifted)) / original, nil
}
