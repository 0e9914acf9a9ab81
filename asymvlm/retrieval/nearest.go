package retrieval

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// A Measure is a similarity by which Nearest compares rows.
type Measure string

// The measures. Larger values mean nearer rows.
const (
	InnerProduct Measure = "product"
	Cosine       Measure = "cosine"
)

// Neighbors holds the best items of a gallery for each query, the best one first. Of equal scores
// the lower row comes first.
type Neighbors struct {
	Queries, Depth int
	Items          []int32   // Queries×Depth, row by row
	Scores         []float32 // likewise
}

// The gallery is read once, galleryRows rows at a time, and multiplied with queryRows queries at a
// time.
const (
	galleryRows = 8192
	queryRows   = 512
)

// Nearest compares each query with each row of the gallery, exactly and on all CPU cores, and
// returns the best depth items per query, or all of them if the gallery is smaller. The gallery may
// be a memory-mapped file (embedding.ReadNPY of float32): it is read once, in order. Apart from the
// matrices, Nearest needs 8 bytes per list entry and some MiB. Matrices without rows or of
// different widths, a depth below 1, more than 2³¹−1 rows, scores that are NaN, and rows of norm 0
// with Cosine are errors.
func Nearest(queries, gallery embedding.Matrix, depth int, by Measure) (n *Neighbors, err error) {
	defer device.CatchDeviceError(&err)
	switch {
	case by != InnerProduct && by != Cosine:
		return nil, fmt.Errorf("retrieval: nearest by %q, want %q or %q", by, InnerProduct, Cosine)
	case queries.Columns != gallery.Columns:
		return nil, fmt.Errorf("retrieval: queries have %d columns, the gallery %d", queries.Columns, gallery.Columns)
	case queries.Rows < 1 || gallery.Rows < 1 || depth < 1 || gallery.Rows > math.MaxInt32:
		return nil, fmt.Errorf("retrieval: the nearest %d of %d rows for %d queries, want at least 1 of each and at most %d rows", depth, gallery.Rows, queries.Rows, math.MaxInt32)
	}
	if by == Cosine {
		if queries, err = queries.Normalized(); err != nil {
			return nil, fmt.Errorf("retrieval: queries: %w", err)
		}
	}
	best := newLists(queries.Rows, min(depth, gallery.Rows))
	block := embedding.NewMatrix(min(queryRows, queries.Rows), min(galleryRows, gallery.Rows))
	for from := 0; from < gallery.Rows; from += galleryRows {
		part := gallery.RowRange(from, min(from+galleryRows, gallery.Rows))
		var lengths []float64
		if by == Cosine {
			lengths = part.Norms()
		}
		for first := 0; first < queries.Rows; first += queryRows {
			some := queries.RowRange(first, min(first+queryRows, queries.Rows))
			scores := embedding.Matrix{Rows: some.Rows, Columns: part.Rows, Values: block.Values[:some.Rows*part.Rows]}
			device.Shared().ProductRightTransposed(device.Matrix[float32](scores), device.Matrix[float32](some), device.Matrix[float32](part))
			if err := best.offerAll(scores, lengths, first, from); err != nil {
				return nil, err
			}
		}
	}
	for query := range queries.Rows {
		best.sort(query)
	}
	return &Neighbors{Queries: queries.Rows, Depth: best.depth, Items: best.items, Scores: best.scores}, nil
}

// offerAll adds a block of scores to the lists of its queries, on all CPU cores. Each goroutine
// owns some of the queries.
func (l *lists) offerAll(scores embedding.Matrix, lengths []float64, firstQuery, firstItem int) error {
	open := make([]float32, scores.Columns)
	for j := range open {
		open[j] = float32(math.Inf(1))
	}
	workers := min(runtime.GOMAXPROCS(0), scores.Rows)
	wrong := make([]error, workers)
	var running sync.WaitGroup
	for w := range workers {
		// This goroutine owns the lists of its queries and ends with the block.
		running.Go(func() {
			for i := w * scores.Rows / workers; i < (w+1)*scores.Rows/workers && wrong[w] == nil; i++ {
				row := scores.Row(i)
				for j, length := range lengths {
					row[j] = float32(float64(row[j]) / length)
				}
				wrong[w] = l.offerRow(row, open, firstQuery+i, firstItem)
			}
		})
	}
	running.Wait()
	for _, err := range wrong {
		if err != nil {
			return err
		}
	}
	return nil
}

// offerRow adds the scores of one query to its list. Items come in increasing order, so of equal
// scores the earlier item stays.
func (l *lists) offerRow(row, open []float32, query, firstItem int) error {
	limit := float32(math.NaN()) // NaN until the list is full
	if firstItem >= l.depth {
		limit = l.worst(query)
	}
	for j := device.FirstAbove(row, open, limit); j < len(row); j += 1 + device.FirstAbove(row[j+1:], open[j+1:], limit) {
		item := firstItem + j
		if row[j] != row[j] {
			return fmt.Errorf("retrieval: score of query %d and row %d is NaN", query, item)
		}
		l.offer(query, item, item, row[j])
		if item+1 >= l.depth {
			limit = l.worst(query)
		}
	}
	return nil
}
