package retrieval

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// RankEach is like RankRelevant for scores that differ by direction, such as probabilities among
// the candidates of a query. OfImages has images as rows and texts as columns; ofTexts has texts as
// rows and images as columns, so that its Size returns the number of texts first. It returns the
// errors of RankTop, and an error if the sizes do not match.
func RankEach(ofImages, ofTexts Scores, relevance Relevance, depth int) (*Ranking, error) {
	if depth < 1 {
		return nil, fmt.Errorf("retrieval: lists of length %d, want at least 1", depth)
	}
	images, texts := ofImages.Size()
	if queries, candidates := ofTexts.Size(); queries != texts || candidates != images {
		return nil, fmt.Errorf("retrieval: scores of %d images among %d texts, and of %d texts among %d images", images, texts, queries, candidates)
	}
	rows, err := relevance.queries(images, texts)
	if err != nil {
		return nil, err
	}
	byImage, err := bestOfRows(ofImages, depth, [2]string{"image", "text"})
	if err != nil {
		return nil, err
	}
	byText, err := bestOfRows(ofTexts, depth, [2]string{"text", "image"})
	if err != nil {
		return nil, err
	}
	return &Ranking{
		TextToImage: byText.ranked(nil, relevance.has),
		ImageToText: byImage.ranked(rows, func(image, text int) bool { return relevance.has(text, image) }),
	}, nil
}

// bestOfRows reads scores in blocks and keeps the best columns of each row. Names are the names of
// a row and of a column in errors.
func bestOfRows(scores Scores, depth int, names [2]string) (*lists, error) {
	rows, columns := scores.Size()
	best, block := newLists(rows, min(depth, columns)), embedding.NewMatrix(min(blockRows, rows), columns)
	open := make([]float32, columns) // column limits for FirstAbove; columns have none here
	for j := range open {
		open[j] = float32(math.Inf(1))
	}
	for from := 0; from < rows; from += blockRows {
		part := block.RowRange(0, min(blockRows, rows-from))
		if err := scores.ReadRows(part, from); err != nil {
			return nil, err
		}
		for i := range part.Rows {
			row, limit := part.Row(i), float32(math.NaN()) // NaN until the list is full
			for j := device.FirstAbove(row, open, limit); j < columns; j += 1 + device.FirstAbove(row[j+1:], open[j+1:], limit) {
				if row[j] != row[j] {
					return nil, fmt.Errorf("retrieval: score of %s %d and %s %d is NaN", names[0], from+i, names[1], j)
				}
				// Columns come in increasing order, so of equal scores the earlier column stays.
				best.offer(from+i, j, j, row[j])
				if j+1 >= best.depth {
					limit = best.worst(from + i)
				}
			}
		}
	}
	return best, nil
}
