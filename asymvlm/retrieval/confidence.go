package retrieval

import (
	"fmt"
	"math"

	"gosphere/asymvlm/embedding"
)

// Confidences returns, for every text and every image as a query, the probability of its best item by the softmax of the scores times a
// scale, the inverse temperature, over all items. It is the confidence that package calibration compares with how often queries hit. An
// image with several captions has several right items that share the probability, so that its confidence is below the chance to hit.
// Scores are read once, in blocks. A scale that is not finite and above 0 is an error, as are scores that are NaN.
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

// joined takes a logit into a sum of exponentials, which is relative to the highest so far.
func joined(highest, sum, logit float64) (float64, float64) {
	if logit <= highest {
		if logit == highest { // also where both are infinite
			return highest, sum + 1
		}
		return highest, sum + math.Exp(logit-highest)
	}
	if math.IsInf(highest, -1) { // what came before counts nothing
		return logit, 1
	}
	return logit, sum*math.Exp(highest-logit) + 1
}
