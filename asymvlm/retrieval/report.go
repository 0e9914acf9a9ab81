package retrieval

import (
	"fmt"
	"strings"

	"gosphere/asymvlm/calibration"
	"gosphere/asymvlm/embedding"
)

// A Report holds the measures of one run.
type Report struct {
	TextToImage, ImageToText Direction
	HeldOut                  *HeldOut // of the training, nil if it was not measured
}

// A Direction holds the measures of one direction of retrieval.
type Direction struct {
	// Recall1, Recall5 and Recall10 are Recall@K over all queries. If the gallery has fewer than K
	// items, Recall@K counts the whole gallery.
	Recall1, Recall5, Recall10 float64
	// Levels holds Recall@1 by level of uncertainty, the most certain queries first.
	Levels []float64
	// MeanUncertainty holds the mean uncertainty of the queries of each level.
	MeanUncertainty []float64
	// Average is the mean of Levels. It differs from Recall1 because queries that fill no level are
	// dropped.
	Average float64
	// S is Spearman's rank correlation between level and recall. For a good uncertainty recall
	// falls from level to level, S = −1. The paper's caption speaks of retrieval error, but its
	// numbers are for recall. S is NaN if all recalls are equal.
	S float64
	// R2 is the coefficient of determination of the least-squares line of the recalls over the
	// levels, or NaN if S is.
	R2 float64
	// MinusSR2 is −S·R², the summary of the ProbVLM paper: 1 if recall falls linearly. The AsymVLM
	// paper reports S and R2 apart.
	MinusSR2 float64
	// AURC is the area under the risk-coverage curve: the mean, over all numbers k of answered
	// queries, of the fraction of wrong answers among the k most certain ones. Smaller is better; it
	// depends on the recall as well as on the order. EAURC is AURC minus its smallest value for the
	// same answers. Queries of equal uncertainty have no order. See calibration.RiskCoverage.
	AURC, EAURC float64
	// Top holds the best item of each query, Uncertainty the uncertainty by which the query was
	// assigned to a level, and Hits whether Recall1 counts the query. Top and Uncertainty are empty
	// for pooled test sets.
	Top         []int
	Uncertainty []float64
	Hits        []bool
}

// Evaluate measures retrieval with the given scores, images × texts, as the paper's reference
// implementation does. CaptionImages holds the image of each text, textUncertainty its uncertainty,
// and levels is 10 in the paper. Texts as queries have their own uncertainty. Images as queries
// have that of the caption they retrieve, because the method has no uncertainty of images. Evaluate
// returns the errors of Rank and RecallByLevel.
func Evaluate(scores embedding.Matrix, captionImages []int, textUncertainty []float64, levels int) (*Report, error) {
	if len(scores.Values) != scores.Rows*scores.Columns {
		return nil, fmt.Errorf("retrieval: %d×%d scores have %d values", scores.Rows, scores.Columns, len(scores.Values))
	}
	return EvaluateBlocks(FromMatrix(scores), captionImages, textUncertainty, levels)
}

// EvaluateBlocks is like Evaluate for scores that need not be in memory as a whole. The errors are
// the same.
func EvaluateBlocks(scores Scores, captionImages []int, textUncertainty []float64, levels int) (*Report, error) {
	ranking, err := Rank(scores, captionImages)
	if err != nil {
		return nil, err
	}
	return ranking.Report(textUncertainty, levels)
}

// Report computes the measures of a ranking from an uncertainty of each text, as Evaluate does. It
// returns an error if the number of uncertainties is not the number of texts, and the errors of
// RecallByLevel.
func (r *Ranking) Report(textUncertainty []float64, levels int) (*Report, error) {
	if len(textUncertainty) != r.TextToImage.Queries {
		return nil, fmt.Errorf("retrieval: %d uncertainties for %d texts", len(textUncertainty), r.TextToImage.Queries)
	}
	return r.ReportQueries(textUncertainty, r.ImageToText.ofTop(textUncertainty), levels)
}

// ReportImages is the mirror of Report: it takes an uncertainty of each image. Images as queries
// have their own uncertainty, and texts have that of the image they retrieve. It serves the
// ablation with the adapter on the image side. It returns an error if the number of uncertainties
// is not the number of images, and the errors of RecallByLevel.
func (r *Ranking) ReportImages(imageUncertainty []float64, levels int) (*Report, error) {
	if images := len(r.ImageToText.Items) / r.ImageToText.Depth; len(imageUncertainty) != images {
		return nil, fmt.Errorf("retrieval: %d uncertainties for %d images", len(imageUncertainty), images)
	}
	return r.ReportQueries(r.TextToImage.ofTop(imageUncertainty), r.ImageToText.OfQueries(imageUncertainty), levels)
}

// ReportQueries computes the measures of a ranking from an uncertainty of each query, for methods
// with one uncertainty per retrieved pair. ReportQueries returns the errors of RecallByLevel.
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

// ofTop returns the uncertainty of each query's best item.
func (r *Ranked) ofTop(uncertainty []float64) []float64 {
	values := make([]float64, r.Queries)
	for query := range values {
		values[query] = uncertainty[r.Top(query)]
	}
	return values
}

// direction computes all measures of one direction.
func (r *Ranked) direction(uncertainty []float64, levels int) (*Direction, error) {
	hits := make([]bool, r.Queries)
	for query, place := range r.First {
		hits[query] = place == 0
	}
	recall, meanUncertainty, err := RecallByLevel(hits, uncertainty, levels)
	if err != nil {
		return nil, err
	}
	d := &Direction{
		Recall1: r.Recall(1), Recall5: r.Recall(min(5, r.Depth)), Recall10: r.Recall(min(10, r.Depth)),
		Levels: recall, MeanUncertainty: meanUncertainty, Average: mean(recall), Top: r.Tops(), Uncertainty: uncertainty, Hits: hits,
	}
	d.S, d.R2 = Spearman(indices(levels), recall), R2(indices(levels), recall)
	d.MinusSR2 = -d.S * d.R2
	curve, err := calibration.RiskCoverage(hits, uncertainty)
	if err != nil {
		return nil, err
	}
	d.AURC, d.EAURC = curve.AURC, curve.Excess
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

// AgainstUncertainty returns S and R2 of the recalls over the mean uncertainties of the levels
// instead of their indices. S is the same unless levels share a mean. R2 measures how close recall
// is to a linear function of the uncertainty itself.
func (d *Direction) AgainstUncertainty() (s, r2 float64) {
	return Spearman(d.MeanUncertainty, d.Levels), R2(d.MeanUncertainty, d.Levels)
}

// RSUM returns the sum of Recall@1, 5 and 10 in both directions in percent, at most 600.
func (r *Report) RSUM() float64 {
	t, i := r.TextToImage, r.ImageToText
	return 100 * (t.Recall1 + t.Recall5 + t.Recall10 + i.Recall1 + i.Recall5 + i.Recall10)
}

// String returns the report as a small table.
func (r *Report) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%-14s %6s %6s %6s %8s %7s %6s %6s %7s %7s\n", "", "R@1", "R@5", "R@10", "average", "S", "R²", "−SR²", "AURC", "E-AURC")
	for _, row := range []struct {
		name string
		Direction
	}{{"text to image", r.TextToImage}, {"image to text", r.ImageToText}} {
		fmt.Fprintf(&text, "%-14s %6.3f %6.3f %6.3f %8.3f %7s %6.3f %6s %7.4f %7.4f\n", row.name,
			row.Recall1, row.Recall5, row.Recall10, row.Average, Decimal(row.S, 3), row.R2, Decimal(row.MinusSR2, 3), row.AURC, row.EAURC)
	}
	if r.HeldOut != nil {
		fmt.Fprintln(&text, r.HeldOut)
	}
	return text.String()
}
