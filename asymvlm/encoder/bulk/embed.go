package bulk

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder/source"
)

// embed computes and writes a shard.
func (r *run) embed(ctx context.Context, number int, items []source.Item, broken []error) error {
	s := &shard{}
	size, do := batch, r.batch
	if r.textual() {
		size, do = batchAlone, r.texts
	}
	for from := 0; from < len(items); from += size {
		to := min(from+size, len(items))
		if err := do(ctx, s, items[from:to], broken[from:to]); err != nil {
			return err
		}
		r.report()
	}
	r.note(s)
	return r.write(number, s)
}

// report calls Progress, if there is one.
func (r *run) report() {
	if r.Progress != nil {
		r.state.Elapsed = time.Since(r.started)
		r.Progress(r.state)
	}
}

// batch embeds some pictures and their captions.
func (r *run) batch(ctx context.Context, s *shard, items []source.Item, broken []error) error {
	pixels, reasons := r.decode(items, broken)
	var good [][]float32
	var captions []string
	width := r.Encoder.Width()
	first := len(s.images) / width
	var bad []Bad
	for i, item := range items {
		if reasons[i] != nil {
			bad = append(bad, Bad{item.Name, strings.ReplaceAll(reasons[i].Error(), "\n", " ")})
			continue
		}
		for _, caption := range item.Captions {
			captions = append(captions, caption)
			s.of = append(s.of, int64(first+len(good)))
		}
		if r.Source.Classes != nil {
			s.labels = append(s.labels, int64(item.Label))
		}
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

// decode reads and prepares pictures on all CPU cores.
func (r *run) decode(items []source.Item, broken []error) (pixels [][]float32, reasons []error) {
	pixels, reasons = make([][]float32, len(items)), make([]error, len(items))
	next := make(chan int, len(items))
	for i := range items {
		next <- i
	}
	close(next)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		// This goroutine owns the pictures that it receives and ends when none remain.
		group.Go(func() {
			for i := range next {
				if reasons[i] = broken[i]; reasons[i] != nil {
					continue
				}
				data, err := items[i].Read()
				if err == nil {
					pixels[i], err = r.Encoder.Prepare(data)
				}
				reasons[i] = err
			}
		})
	}
	group.Wait()
	return pixels, reasons
}

// texts embeds the captions of some items without their pictures.
func (r *run) texts(ctx context.Context, s *shard, items []source.Item, broken []error) error {
	width := r.Encoder.Width()
	first := s.good(width)
	var captions []string
	var others []int // for each good item, the captions that make its scene
	var bad []Bad
	for i, item := range items {
		err := broken[i]
		if need := r.Scenes + 1; err == nil && r.Scenes > 0 && len(item.Captions) < need {
			err = fmt.Errorf("%d captions, want at least %d", len(item.Captions), need)
		}
		if err != nil {
			bad = append(bad, Bad{item.Name, strings.ReplaceAll(err.Error(), "\n", " ")})
			continue
		}
		captions = append(captions, item.Captions...)
		others = append(others, len(item.Captions))
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
		r.state.Captions += kept
		from += n
	}
	s.bad = append(s.bad, bad...)
	r.state.Pictures += len(others)
	return r.count(bad)
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
