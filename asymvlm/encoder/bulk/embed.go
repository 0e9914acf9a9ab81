package bulk

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder/picture"
	"gosphere/asymvlm/encoder/source"
	"gosphere/internal/userfile"
)

// report calls Progress, if there is one.
func (r *run) report() {
	if r.Progress != nil {
		r.state.Elapsed = time.Since(r.started)
		r.Progress(r.state)
	}
}

// batch embeds some pictures and their captions. An item that cannot be read because of the system
// is an error, so that the next run reads it again.
func (r *run) batch(ctx context.Context, s *shard, items []source.Item, broken []error) error {
	pixels, reasons := r.decode(ctx, items, broken)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var good [][]float32
	var captions []string
	width := r.Encoder.Width()
	first := len(s.images) / width
	var bad []Bad
	for i, item := range items {
		if reasons[i] != nil {
			if userfile.IsSystem(reasons[i]) {
				return fmt.Errorf("bulk: %s: %w", item.Name, reasons[i])
			}
			bad = append(bad, newBad(item, reasons[i]))
			continue
		}
		for _, caption := range item.Captions {
			captions = append(captions, caption)
			s.of = append(s.of, int64(first+len(good)))
		}
		if r.Source.Classes != nil {
			s.labels = append(s.labels, int64(item.Label))
		}
		s.identify(item, len(item.Captions))
		good = append(good, pixels[i])
	}
	images, err := r.Encoder.Prepared(ctx, good...)
	if err != nil {
		return err
	}
	texts, err := r.Encoder.Texts(ctx, captions...)
	if err != nil {
		return err
	}
	s.images, s.texts = append(s.images, images.Values...), append(s.texts, texts.Values...)
	s.captions, s.bad = append(s.captions, captions...), append(s.bad, bad...)
	r.state.Pictures += len(good)
	r.state.Captions += len(captions)
	return r.count(bad)
}

// newBad returns the line of bad.txt for an item that cannot be used. Names with control
// characters, which terminals interpret, are quoted.
func newBad(item source.Item, reason error) Bad {
	return Bad{printable(item.Name), printable(strings.ReplaceAll(reason.Error(), "\n", " "))}
}

// printable returns a text, quoted if it has control characters.
func printable(text string) string {
	if strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) {
		return strconv.Quote(text)
	}
	return text
}

// mostDecoded is the number of pixels of pictures that are decoded at a time. One picture may have
// more; it is decoded alone.
const mostDecoded = 100_000_000

// decode reads and prepares pictures on all CPU cores. A picture takes up to ten bytes a pixel
// while it is decoded, so large ones wait for each other.
func (r *run) decode(ctx context.Context, items []source.Item, broken []error) (pixels [][]float32, reasons []error) {
	pixels, reasons = make([][]float32, len(items)), make([]error, len(items))
	next := make(chan int, len(items))
	for i := range items {
		next <- i
	}
	close(next)
	room := newRoom(mostDecoded)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		// This goroutine owns the pictures that it receives and ends when none remain.
		group.Go(func() {
			for i := range next {
				if reasons[i] = cmp.Or(broken[i], ctx.Err()); reasons[i] != nil {
					continue
				}
				data, err := items[i].Read()
				if err == nil {
					size := picture.PixelsOf(data)
					room.take(size)
					pixels[i], err = r.Encoder.Prepare(data)
					room.give(size)
				}
				reasons[i] = err
			}
		})
	}
	group.Wait()
	return pixels, reasons
}

// A room limits what its users hold together. One that needs more than all waits until it is alone.
type room struct {
	mu    sync.Mutex
	freed *sync.Cond
	all   int
	held  int
}

func newRoom(all int) *room {
	r := &room{all: all}
	r.freed = sync.NewCond(&r.mu)
	return r
}

// take waits until there is room for n.
func (r *room) take(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.held > 0 && r.held+n > r.all {
		r.freed.Wait()
	}
	r.held += n
}

// give returns what take has taken.
func (r *room) give(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held -= n
	r.freed.Broadcast()
}

// texts embeds the captions of some items without their pictures.
func (r *run) texts(ctx context.Context, s *shard, items []source.Item, broken []error) error {
	width := r.Encoder.Width()
	first := s.good(width)
	var captions []string
	var others []int // for each good item, the captions that make its scene
	var good []source.Item
	var bad []Bad
	for i, item := range items {
		err := broken[i]
		if need := r.Scenes + 1; err == nil && r.Scenes > 0 && len(item.Captions) < need {
			err = fmt.Errorf("%d captions, want at least %d", len(item.Captions), need)
		}
		if userfile.IsSystem(err) {
			return fmt.Errorf("bulk: %s: %w", item.Name, err)
		}
		if err != nil {
			bad = append(bad, newBad(item, err))
			continue
		}
		captions = append(captions, item.Captions...)
		others, good = append(others, len(item.Captions)), append(good, item)
	}
	rows, err := r.Encoder.Texts(ctx, captions...)
	if err != nil {
		return err
	}
	from := 0
	for i, n := range others {
		kept := n
		if r.Scenes > 0 {
			kept = r.Scenes
			s.images = append(s.images, unitMean(rows.RowRange(from+kept, from+n))...)
		}
		s.texts = append(s.texts, rows.RowRange(from, from+kept).Values...)
		s.captions = append(s.captions, captions[from:from+kept]...)
		for range kept {
			s.of = append(s.of, int64(first+i))
		}
		s.identify(good[i], kept)
		r.state.Captions += kept
		from += n
	}
	s.bad = append(s.bad, bad...)
	r.state.Pictures += len(others)
	return r.count(bad)
}

// identify adds the identifiers of an item, of whose captions the first are kept.
func (s *shard) identify(item source.Item, kept int) {
	if item.CaptionIDs != nil {
		s.ids, s.captionIDs = append(s.ids, item.ID), append(s.captionIDs, item.CaptionIDs[:kept]...)
	}
}

// unitMean returns the mean of the directions of rows, scaled to norm 1.
func unitMean(rows embedding.Matrix) []float32 {
	sum := make([]float64, rows.Columns)
	norms := rows.Norms()
	for i := range rows.Rows {
		for j, value := range rows.Row(i) {
			sum[j] += float64(value) / norms[i]
		}
	}
	square := 0.0
	for _, value := range sum {
		square += value * value
	}
	mean := make([]float32, len(sum))
	for j, value := range sum {
		mean[j] = float32(value / math.Sqrt(square))
	}
	return mean
}
