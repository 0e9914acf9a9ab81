package retrieval

import (
	"fmt"

	"gosphere/asymvlm/embedding"
)

// depth is the length of the ranked lists that Rank keeps, the largest K of Recall@K in the paper.
const depth = 10

// A Ranking holds the best items of the gallery for each query, in order of decreasing score.
type Ranking struct {
	TextToImage Ranked // queries are texts, items images
	ImageToText Ranked // queries are images, items texts
}

// A Ranked is one direction of a Ranking.
type Ranked struct {
	// Items holds Depth items for each row of the side: its best items, the best one first.
	Items          []int32
	Queries, Depth int
	// Rows holds the row of each query, or is nil if all rows are queries. Images without texts are
	// rows, but no queries.
	Rows []int
	// First holds for each query the position of its first correct item in the list, from 0, or −1
	// if the list has none. An image may have several correct captions.
	First []int
}

// Top returns the best item of the given query.
func (r *Ranked) Top(query int) int { return int(r.Items[r.Row(query)*r.Depth]) }

// Row returns the row of the given query.
func (r *Ranked) Row(query int) int {
	if r.Rows == nil {
		return query
	}
	return r.Rows[query]
}

// RowTops returns the best item of every row, whether it is a query or not.
func (r *Ranked) RowTops() []int {
	best := make([]int, len(r.Items)/r.Depth)
	for row := range best {
		best[row] = int(r.Items[row*r.Depth])
	}
	return best
}

// OfQueries returns the values of the queries, given one of every row.
func (r *Ranked) OfQueries(values []float64) []float64 {
	if r.Rows == nil || values == nil {
		return values
	}
	chosen := make([]float64, len(r.Rows))
	for query, row := range r.Rows {
		chosen[query] = values[row]
	}
	return chosen
}

// Tops returns the best item of every query.
func (r *Ranked) Tops() []int {
	best := make([]int, r.Queries)
	for query := range best {
		best[query] = r.Top(query)
	}
	return best
}

// Recall returns Recall@K, the fraction of queries that have a correct item among their k best. It
// panics if k is not between 1 and Depth.
func (r *Ranked) Recall(k int) float64 {
	if k < 1 || k > r.Depth {
		panic(fmt.Sprintf("retrieval: Recall@%d of lists of length %d", k, r.Depth))
	}
	hits := 0
	for _, place := range r.First {
		if place >= 0 && place < k {
			hits++
		}
	}
	return float64(hits) / float64(r.Queries)
}

// Rank finds the ten best items of each query in both directions, or all items if the gallery is
// smaller. CaptionImages holds the image of each text. All scores are read once, in blocks, and
// none is kept. An image without texts is an item for texts, but no query. NaN among the scores is
// an error, as are a table of the wrong length and an image out of range.
func Rank(scores Scores, captionImages []int) (*Ranking, error) {
	return RankTop(scores, captionImages, depth)
}

// RankTop is like Rank with lists of the given depth. It needs 12 bytes per list entry and the
// memory of one block of scores. It returns the errors of Rank, and an error if depth is below 1.
func RankTop(scores Scores, captionImages []int, depth int) (*Ranking, error) {
	return RankRelevant(scores, Relevance{CaptionImages: captionImages}, depth)
}

// RankRelevant is like RankTop for texts that may describe several images: the first item of a
// query that is any of its positives counts.
func RankRelevant(scores Scores, relevance Relevance, depth int) (*Ranking, error) {
	if depth < 1 {
		return nil, fmt.Errorf("retrieval: lists of length %d, want at least 1", depth)
	}
	images, texts := scores.Size()
	queries, err := relevance.queries(images, texts)
	if err != nil {
		return nil, err
	}
	r, err := rankAll(scores, depth)
	if err != nil {
		return nil, err
	}
	return &Ranking{
		TextToImage: r.byText.ranked(nil, relevance.has),
		ImageToText: r.byImage.ranked(queries, func(image, text int) bool { return relevance.has(text, image) }),
	}, nil
}

// rankAll reads all scores into the lists of both directions.
func rankAll(scores Scores, depth int) (*ranker, error) {
	images, texts := scores.Size()
	r := newRanker(images, texts, depth)
	block := embedding.NewMatrix(min(blockRows, images), texts)
	for from := 0; from < images; from += blockRows {
		part := block.RowRange(0, min(blockRows, images-from))
		if err := scores.ReadRows(part, from); err != nil {
			return nil, err
		}
		if err := r.read(part, from); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// lists holds, for each of many queries, the best items found so far. The items of a query are a
// heap whose root is the worst of them.
type lists struct {
	queries, depth int
	items          []int32
	scores         []float32
}

func newLists(queries, depth int) *lists {
	return &lists{queries, depth, make([]int32, queries*depth), make([]float32, queries*depth)}
}

// offer adds an item to a query's heap if it is among the best; of equal scores the lower index
// ranks higher. Seen is the number of items offered to the query before.
func (l *lists) offer(query, item, seen int, score float32) {
	scores := l.scores[query*l.depth : (query+1)*l.depth]
	if seen >= l.depth {
		if !worse(scores[0], l.items[query*l.depth], score, int32(item)) {
			return
		}
		l.sink(query, l.depth, int32(item), score)
		return
	}
	items := l.items[query*l.depth : (query+1)*l.depth]
	place := seen
	for place > 0 {
		above := (place - 1) / 2
		if !worse(score, int32(item), scores[above], items[above]) {
			break
		}
		scores[place], items[place] = scores[above], items[above]
		place = above
	}
	scores[place], items[place] = score, int32(item)
}

// worse reports whether an item ranks below another one, by score and among equal scores by index.
func worse(score float32, item int32, other float32, otherItem int32) bool {
	return score < other || score == other && item > otherItem
}

// sink replaces the root of a heap of the given length by an item and restores the heap.
func (l *lists) sink(query, length int, item int32, score float32) {
	scores, items := l.scores[query*l.depth:], l.items[query*l.depth:]
	place := 0
	for {
		below := 2*place + 1
		if below >= length {
			break
		}
		if right := below + 1; right < length && worse(scores[right], items[right], scores[below], items[below]) {
			below = right
		}
		if !worse(scores[below], items[below], score, item) {
			break
		}
		scores[place], items[place] = scores[below], items[below]
		place = below
	}
	scores[place], items[place] = score, item
}

// sort sorts a query's heap into its list, the best item first.
func (l *lists) sort(query int) {
	scores, items := l.scores[query*l.depth:], l.items[query*l.depth:]
	for last := l.depth - 1; last > 0; last-- {
		score, item := scores[0], items[0] // the worst of the remaining items
		l.sink(query, last, items[last], scores[last])
		scores[last], items[last] = score, item
	}
}

// ranked converts the heaps, which must be full, to a result. Rows are those of the queries, nil
// for all.
func (l *lists) ranked(rows []int, correct func(row, item int) bool) Ranked {
	r := Ranked{Items: l.items, Queries: l.queries, Depth: l.depth, Rows: rows}
	if rows != nil {
		r.Queries = len(rows)
	}
	r.First = make([]int, r.Queries)
	for row := range l.queries {
		l.sort(row)
	}
	for query := range r.First {
		row := r.Row(query)
		r.First[query] = -1
		for place, item := range l.items[row*l.depth : (row+1)*l.depth] {
			if correct(row, int(item)) {
				r.First[query] = place
				break
			}
		}
	}
	return r
}
