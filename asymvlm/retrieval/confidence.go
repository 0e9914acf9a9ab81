package retrieval

import (
	"fmt"
	"math"

	"gosphere/asymvlm/embedding"
)

// Confidences returns, for each text and each image as a query, the probability of its best item by
// the softmax over all items of the scores times scale, the inverse temperature. Package
// calibration compares this confidence with the frequency of hits. If an image has several
// captions, these correct items share the probability, so that its confidence is below its
// probability of a hit. Scores are read once, in blocks. A scale that is not finite and positive is
// an error, as is NaN among the scores.
func Confidences(scores Scores, scale float64) (texts, images []float64, err error) {
	if !(scale > 0) || math.IsInf(scale, 0) {
		return nil, nil, fmt.Errorf("retrieval: confidences with the scale %g, want a finite number above 0", scale)
	}
	rows, columns := scores.Size()
	if rows == 0 || columns == 0 {
		return nil, nil, fmt.Errorf("retrieval: confidences of %d images and %d texts, want at least 1 of each", rows, columns)
	}
	best, sum := make([]float64, columns), make([]float64, columns)
	for i := range best {
		best[i] = math.Inf(-1)
	}
	images = make([]float64, rows)
	block := embedding.NewMatrix(min(blockRows, rows), columns)
	for from := 0; from < rows; from += blockRows {
		part := block.RowRange(0, min(blockRows, rows-from))
		if err := scores.ReadRows(part, from); err != nil {
			return nil, nil, err
		}
		for i := range part.Rows {
			highest, total := math.Inf(-1), 0.0
			for j, score := range part.Row(i) {
				logit := scale * float64(score)
				if math.IsNaN(logit) {
					return nil, nil, fmt.Errorf("retrieval: score of image %d and text %d is NaN", from+i, j)
				}
				highest, total = joined(highest, total, logit)
				best[j], sum[j] = joined(best[j], sum[j], logit)
			}
			images[from+i] = 1 / total
		}
	}
	texts = sum
	for i, total := range sum {
		texts[i] = 1 / total
	}
	return texts, images, nil
}

// joined adds a logit to a sum of exponentials, which is relative to the highest logit so far.
func joined(highest, sum, logit float64) (float64, float64) {
	if logit <= highest {
		if logit == highest { // including infinite ones
			return highest, sum + 1
		}
		return highest, sum + math.Exp(logit-highest)
	}
	if math.IsInf(highest, -1) { // the earlier logits do not contribute
		return logit, 1
	}
	return logit, sum*math.Exp(highest-logit) + 1
}
