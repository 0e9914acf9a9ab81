package retrieval

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// A ranker adds blocks of scores to the lists of both directions, on all CPU cores. Each goroutine
// owns some of the texts. A score that enters neither the list of its text nor that of its image,
// which is nearly every score, costs two comparisons.
type ranker struct {
	byText, byImage *lists
	limits          []float32 // the worst score in the list of each text; NaN until the list is full
	shares          []share
}

// A share is a range of texts with lists of their best scores for the images of a block.
type share struct {
	from, to int
	ofBlock  *lists
	wrong    error
	image    int // image of the wrong score
}

// leastShare is the smallest number of texts that is worth a goroutine.
const leastShare = 256

func newRanker(images, texts, depth int) *ranker {
	r := &ranker{byText: newLists(texts, min(depth, images)), byImage: newLists(images, min(depth, texts)),
		limits: make([]float32, texts)}
	for i := range r.limits {
		r.limits[i] = float32(math.NaN())
	}
	shares := min(runtime.GOMAXPROCS(0), max(1, texts/leastShare))
	for i := range shares {
		from, to := i*texts/shares, (i+1)*texts/shares
		r.shares = append(r.shares, share{from: from, to: to, ofBlock: newLists(min(blockRows, images), min(depth, to-from))})
	}
	return r
}

// read adds the scores of block, whose first row is image number from.
func (r *ranker) read(block embedding.Matrix, from int) error {
	var running sync.WaitGroup
	for i := range r.shares {
		// This goroutine owns the lists of its texts and of its share, and ends with the block.
		running.Go(func() { r.readShare(&r.shares[i], block, from) })
	}
	running.Wait()
	var first *share
	for i := range r.shares {
		if s := &r.shares[i]; s.wrong != nil && (first == nil || s.image < first.image) {
			first = s
		}
	}
	if first != nil {
		return first.wrong
	}
	r.merge(block.Rows, from)
	return nil
}

// readShare adds the scores of the texts of a share.
func (r *ranker) readShare(s *share, block embedding.Matrix, from int) {
	for i := range block.Rows {
		image := from + i
		row, limits, rowLimit := block.Row(i)[s.from:s.to], r.limits[s.from:s.to], float32(math.NaN())
		// Images and texts come in increasing order, so of equal scores the earlier item stays.
		for j := device.FirstAbove(row, limits, rowLimit); j < len(row); j += 1 + device.FirstAbove(row[j+1:], limits[j+1:], rowLimit) {
			score, text := row[j], s.from+j
			if score != score {
				s.wrong, s.image = fmt.Errorf("retrieval: score of image %d and text %d is NaN", image, text), image
				return
			}
			if !(score <= limits[j]) {
				r.byText.offer(text, image, image, score)
				if image+1 >= r.byText.depth {
					limits[j] = r.byText.worst(text)
				}
			}
			if !(score <= rowLimit) {
				s.ofBlock.offer(i, text, j, score)
				if j+1 >= s.ofBlock.depth {
					rowLimit = s.ofBlock.worst(i)
				}
			}
		}
	}
}

// worst returns the worst score in a full list.
func (l *lists) worst(query int) float32 { return l.scores[query*l.depth] }

// merge combines the lists of the shares for the images of a block.
func (r *ranker) merge(rows, from int) {
	for i := range rows {
		seen := 0
		for _, s := range r.shares {
			for at := i * s.ofBlock.depth; at < (i+1)*s.ofBlock.depth; at++ {
				r.byImage.offer(from+i, int(s.ofBlock.items[at]), seen, s.ofBlock.scores[at])
				seen++
			}
		}
	}
}
