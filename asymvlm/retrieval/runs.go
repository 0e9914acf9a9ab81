package retrieval

import (
	"fmt"
	"math"
	"strings"
)

// A Spread is a mean over runs with its standard deviation.
type Spread struct{ Mean, SD float64 }

// String returns the spread in the format of the paper's tables.
func (s Spread) String() string { return fmt.Sprintf("%s ± %.3f", Decimal(s.Mean, 3), s.SD) }

// Decimal formats x with the given number of decimals, at least 0, and without a minus sign on
// zeros: −0.00001 with four decimals is 0.0000. NaN and infinities are formatted as by fmt.
func Decimal(x float64, digits int) string {
	text := fmt.Sprintf("%.*f", digits, x)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Over returns the mean and the population standard deviation (the sum of squares divided by n, not
// n−1) of the values of several runs, or NaN if there are none. The paper does not say which
// deviation it prints; its S values are steps of 12/990 that match the population's.
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
	AURC, EAURC                Spread
}

// Summarize returns the mean and the population standard deviation of each measure over several
// runs. Each run is measured separately: the mean of S is not the S of the mean recalls. No runs,
// and runs with different numbers of levels, are errors.
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

// Pool joins the reports of test sets without common queries, such as the folds of a
// cross-validation, into one report. Recalls, levels and areas are means, and S, R2 and MinusSR2
// are computed from the mean levels, which reduces the noise of small folds. Hits are concatenated;
// Top and Uncertainty are empty. Pool returns the errors of Summarize.
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

// pooled returns a direction that holds the means of s.
func (s DirectionSummary) pooled() Direction {
	d := Direction{Recall1: s.Recall1.Mean, Recall5: s.Recall5.Mean, Recall10: s.Recall10.Mean, Average: s.Average.Mean, AURC: s.AURC.Mean, EAURC: s.EAURC.Mean}
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
		AURC:     measure(func(d *Direction) float64 { return d.AURC }),
		EAURC:    measure(func(d *Direction) float64 { return d.EAURC }),
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

// MMI returns the multimodal impact score of a shift, the relative loss of recall (r − mean of
// shifted)/r, where r is the recall on the original test set. The recalls under several shifts are
// averaged before the ratio is taken. An original recall that is not positive is an error, as are
// no shifted recalls.
func MMI(original float64, shifted []float64) (float64, error) {
	if !(original > 0) {
		return 0, fmt.Errorf("retrieval: recall %g on the original test set, want more than 0", original)
	}
	if len(shifted) == 0 {
		return 0, fmt.Errorf("retrieval: no recall under a shift")
	}
	return (original - mean(shifted)) / original, nil
}
