package retrieval

import (
	"fmt"
	"strings"

	"gosphere/asymvlm/embedding"
)

// A Report holds the measures of one run.
type Report struct {
	TextToImage, ImageToText Direction
}

// A Direction holds the measures of one direction of retrieval.
type Direction struct {
	// Recall1, Recall5 and Recall10 are Recall@K over all queries. With a gallery of fewer than K items, Recall@K is
	// that of the whole gallery.
	Recall1, Recall5, Recall10 float64
	// Levels is Recall@1 by level of uncertainty, the most certain queries first.
	Levels []float64
	// MeanUncertainty is the mean uncertainty of the queries of each level.
	MeanUncertainty []float64
	// Average is the mean of Levels. It differs from Recall1 by the queries that fit into no level.
	Average float64
	// S is Spearman's rank correlation of level and recall. A good uncertainty has recall fall from level to level,
	// S = −1. The paper's caption speaks of retrieval error; its numbers are for recall. NaN when all recalls are equal.
	S float64
	// R2 is the coefficient of determination of the line through the recalls over the levels; NaN as S.
	R2 float64
	// MinusSR2 is −S·R², the paper's single number: 1 for a straight fall.
	MinusSR2 float64
	// Top is the best item of every query, and Uncertainty the uncertainty by which the query was put into a level.
	// Hits is whether Recall1 counts a query. The first two are empty where several test sets are pooled.
	Top         []int
	Uncertainty []float64
	Hits        []bool
}

// Evaluate measures retrieval with the given scores, images × texts, as the paper's program does. The table
// captionImages gives the image of every text, and textUncertainty its uncertainty; levels is 10 in the paper. Texts
// as queries have their own uncertainty. Images have that of the caption they retrieve, since the method knows no
// other. The errors are those of Rank and RecallByLevel.
func Evaluate(scores embedding.Matrix, captionImages []int, textUncertainty []float64, levels int) (*Report, error) {
	if len(scores.Values) != scores.Rows*scores.Columns {
		return nil, fmt.Errorf("retrieval: %d×%d scores have %d values", scores.Rows, scores.Columns, len(scores.Values))
	}
	return EvaluateBlocks(FromMatrix(scores), captionImages, textUncertainty, levels)
}

// EvaluateBlocks is Evaluate for scores that are not in memory as a whole. The errors are the same.
func EvaluateBlocks(scores Scores, captionImages []int, textUncertainty []float64, levels int) (*Report, error) {
	ranking, err := Rank(scores, captionImages)
	if err != nil {
		return nil, err
	}
	return ranking.Report(textUncertainty, levels)
}

// Report measures a ranking with an uncertainty of every text, as Evaluate does. Another count of uncertainties than of
// texts is an error, as is what RecallByLevel refuses.
func (r *Ranking) Report(textUncertainty []float64, levels int) (*Report, error) {
	if len(textUncertainty) != r.TextToImage.Queries {
		return nil, fmt.Errorf("retrieval: %d uncertainties for %d texts", len(textUncertainty), r.TextToImage.Queries)
	}
	return r.ReportQueries(textUncertainty, r.ImageToText.ofTop(textUncertainty), levels)
}

// ReportImages measures a ranking with an uncertainty of every image, the mirror of Report: images as queries have
// their own, texts have that of the image they retrieve. It serves the ablation whose adapter is on the images. Another
// count of uncertainties than of images is an error, as is what RecallByLevel refuses.
func (r *Ranking) ReportImages(imageUncertainty []float64, levels int) (*Report, error) {
	if len(imageUncertainty) != r.ImageToText.Queries {
		return nil, fmt.Errorf("retrieval: %d uncertainties for %d images", len(imageUncertainty), r.ImageToText.Queries)
	}
	return r.ReportQueries(r.TextToImage.ofTop(imageUncertainty), imageUncertainty, levels)
}

// ReportQueries measures a ranking with an uncertainty of every query, for methods that have one for each retrieved
// pair. The errors are those of RecallByLevel.
func (r *Ranking) ReportQueries(texts, images []float64, levels int) (*Report, error) {
	textToImage, err := r.TextToImage.direction(texts, levels)
	if err != nil {
		return nil, err
	}
	imageToText, err := r.ImageToText.direction(images, levels)
	if err != nil {
		return nil, err
	}
	return &Report{TextToImage: *textToImage, ImageToText: *imageToText}, nil
}

// ofTop returns, for every query, the uncertainty of its best item.
func (r *Ranked) ofTop(uncertainty []float64) []float64 {
	values := make([]float64, r.Queries)
	for query := range values {
		values[query] = uncertainty[r.Top(query)]
	}
	return values
}

// direction computes all measures of one direction.
func (r *Ranked) direction(uncertainty []float64, levels int) (*Direction, error) {
	hits, top := make([]bool, r.Queries), make([]int, r.Queries)
	for query, place := range r.First {
		hits[query] = place == 0
		top[query] = r.Top(query)
	}
	recall, meanUncertainty, err := RecallByLevel(hits, uncertainty, levels)
	if err != nil {
		return nil, err
	}
	d := &Direction{
		Recall1: r.Recall(1), Recall5: r.Recall(min(5, r.Depth)), Recall10: r.Recall(min(10, r.Depth)),
		Levels: recall, MeanUncertainty: meanUncertainty, Average: mean(recall), Top: top, Uncertainty: uncertainty, Hits: hits,
	}
	d.S, d.R2 = Spearman(indices(levels), recall), R2(indices(levels), recall)
	d.MinusSR2 = -d.S * d.R2
	return d, nil
}

// indices returns 0, 1, …, n−1.
func indices(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	return values
}

// AgainstUncertainty returns S and R2 of the recalls over the mean uncertainties of the levels instead of their
// numbers. S is the same unless levels share a mean; R2 tells how far recall is a linear function of the uncertainty
// itself.
func (d *Direction) AgainstUncertainty() (s, r2 float64) {
	return Spearman(d.MeanUncertainty, d.Levels), R2(d.MeanUncertainty, d.Levels)
}

// RSUM returns the sum of Recall@1, 5 and 10 in both directions, in percent: at most 600.
func (r *Report) RSUM() float64 {
	t, i := r.TextToImage, r.ImageToText
	return 100 * (t.Recall1 + t.Recall5 + t.Recall10 + i.Recall1 + i.Recall5 + i.Recall10)
}

// String gives the report as a small table.
func (r *Report) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%-14s %6s %6s %6s %8s %7s %6s %6s\n", "", "R@1", "R@5", "R@10", "average", "S", "R²", "−SR²")
	for _, row := range []struct {
		name string
		Direction
	}{{"text to image", r.TextToImage}, {"image to text", r.ImageToText}} {
		fmt.Fprintf(&text, "%-14s %6.3f %6.3f %6.3f %8.3f %7s %6.3f %6s\n", row.name,
			row.Recall1, row.Recall5, row.Recall10, row.Average, Decimal(row.S, 3), row.R2, Decimal(row.MinusSR2, 3))
	}
	return text.String()
}
