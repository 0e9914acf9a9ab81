package retrieval

import (
	"fmt"
	"math"

	"gosphere/asymvlm/embedding"
)

// A Sharpness describes how far the best items of each query stand out from the other items. Its
// quantities need no training, so they are baselines for the uncertainty of a method; see package
// baseline.
type Sharpness struct {
	Best, Second []float64 // the two largest scores of each query
	// Entropy is that of the softmax over all items of the scores times a scale, in nats: 0 if one
	// item has all the probability, log n if n items have the same.
	Entropy []float64
	// LogSumExp is the log of the sum of the exponentials of the scores times the scale: at least the
	// scale times Best, by at most the log of the number of items.
	LogSumExp []float64
}

// SharpnessOf returns the sharpness of each text and of each image as a query. The scale is the
// inverse temperature of the softmax; that of CLIP is 100. Scores are read once, in blocks. A scale
// that is not finite and positive, fewer than 2 images or texts, and scores that are NaN are
// errors.
func SharpnessOf(scores Scores, scale float64) (texts, images *Sharpness, err error) {
	p, err := newPeaks(scores, scale)
	if err != nil {
		return nil, nil, err
	}
	rows, columns := scores.Size()
	block := embedding.NewMatrix(min(blockRows, rows), columns)
	for from := 0; from < rows; from += blockRows {
		part := block.RowRange(0, min(blockRows, rows-from))
		if err := p.watch(scores, 0).ReadRows(part, from); err != nil {
			return nil, nil, err
		}
	}
	return p.texts.sharpness(scale), p.images.sharpness(scale), nil
}

// RankSharp is like RankStream and also returns the sharpness of each text and of each image, from
// the same pass over the scores. It returns the errors of RankStream and SharpnessOf.
func RankSharp(s Stream, relevance Relevance, depth int, scale float64) (r *Ranking, texts, images *Sharpness, err error) {
	p, err := newPeaks(s, scale)
	if err != nil {
		return nil, nil, nil, err
	}
	if r, err = RankStream(watchedStream{s, p}, relevance, depth); err != nil {
		return nil, nil, nil, err
	}
	return r, p.texts.sharpness(scale), p.images.sharpness(scale), nil
}

// peaks accumulates the sharpness of all queries from blocks of scores.
type peaks struct {
	scale         float64
	texts, images peakList
}

// A peakList holds a peak for each query of one side.
type peakList []peak

// A peak is what has been seen of the scores of one query.
type peak struct {
	best, second float64
	sum          float64 // of exp(l − scale·best) over the logits l
	weighted     float64 // of exp(l − scale·best)·(l − scale·best)
}

func newPeaks(of interface{ Size() (images, texts int) }, scale float64) (*peaks, error) {
	if !(scale > 0) || math.IsInf(scale, 0) {
		return nil, fmt.Errorf("retrieval: sharpness with the scale %g, want a finite number above 0", scale)
	}
	images, texts := of.Size()
	if images < 2 || texts < 2 {
		return nil, fmt.Errorf("retrieval: sharpness of %d images and %d texts, want at least 2 of each", images, texts)
	}
	p := &peaks{scale, make(peakList, texts), make(peakList, images)}
	for _, list := range []peakList{p.texts, p.images} {
		for i := range list {
			list[i] = peak{best: math.Inf(-1), second: math.Inf(-1)}
		}
	}
	return p, nil
}

// add adds a score.
func (p *peak) add(score, scale float64) {
	switch {
	case score > p.best:
		if !math.IsInf(p.best, -1) {
			shift := scale * (p.best - score)
			shrink := math.Exp(shift)
			p.weighted = shrink * (p.weighted + shift*p.sum)
			p.sum *= shrink
		}
		p.best, p.second = score, p.best
		p.sum++
		return
	case score > p.second:
		p.second = score
	}
	if below := scale * (score - p.best); below > -745 { // the exponential of less is 0
		e := math.Exp(below)
		p.sum, p.weighted = p.sum+e, p.weighted+e*below
	}
}

// sharpness converts the peaks.
func (l peakList) sharpness(scale float64) *Sharpness {
	s := &Sharpness{make([]float64, len(l)), make([]float64, len(l)), make([]float64, len(l)), make([]float64, len(l))}
	for i, p := range l {
		s.Best[i], s.Second[i] = p.best, p.second
		s.LogSumExp[i] = scale*p.best + math.Log(p.sum)
		s.Entropy[i] = max(0, math.Log(p.sum)-p.weighted/p.sum)
	}
	return s
}

// watch returns scores of some texts, the first of which is given, that are added when they are
// read.
func (p *peaks) watch(scores Scores, firstText int) Scores {
	return watchedScores{scores, p, firstText}
}

// watchedScores are scores that are added to peaks when they are read.
type watchedScores struct {
	Scores
	peaks     *peaks
	firstText int
}

// ReadRows reads the scores of some images and adds them.
func (w watchedScores) ReadRows(dst embedding.Matrix, from int) error {
	if err := w.Scores.ReadRows(dst, from); err != nil {
		return err
	}
	for i := range dst.Rows {
		image, texts := &w.peaks.images[from+i], w.peaks.texts[w.firstText:]
		for j, score := range dst.Row(i) {
			s := float64(score)
			if math.IsNaN(s) {
				return fmt.Errorf("retrieval: score of image %d and text %d is NaN", from+i, w.firstText+j)
			}
			image.add(s, w.peaks.scale)
			texts[j].add(s, w.peaks.scale)
		}
	}
	return nil
}

// A watchedStream is a stream whose scores are added to peaks when they are read.
type watchedStream struct {
	Stream
	peaks *peaks
}

// Part returns the scores of a range of texts.
func (w watchedStream) Part(from, to int) (Scores, error) {
	scores, err := w.Stream.Part(from, to)
	if err != nil {
		return nil, err
	}
	return w.peaks.watch(scores, from), nil
}

// cosineStream computes cosines of rows that need not be in memory.
type cosineStream struct{ images, texts *embedding.Stored }

// CosineStream is like Cosines for rows that need not be in memory, such as the sides of a set. The
// rows are read and normalized when their scores are; rows of norm 0 are then an error. Different
// widths are an error.
func CosineStream(images, texts *embedding.Stored) (Stream, error) {
	if images.Columns != texts.Columns {
		return nil, fmt.Errorf("retrieval: images have %d columns, texts %d", images.Columns, texts.Columns)
	}
	return cosineStream{images, texts}, nil
}

// Size returns the number of images and texts.
func (c cosineStream) Size() (images, texts int) { return c.images.Rows, c.texts.Rows }

// Part reads a range of texts.
func (c cosineStream) Part(from, to int) (Scores, error) {
	texts, err := unitRows(c.texts, "texts", from, to)
	return cosinePart{c.images, texts}, err
}

// A cosinePart is the cosines of all images with some texts.
type cosinePart struct {
	images *embedding.Stored
	texts  embedding.Matrix
}

// Size returns the number of images and of the texts of the part.
func (c cosinePart) Size() (images, texts int) { return c.images.Rows, c.texts.Rows }

// ReadRows reads some images and computes their cosines with the texts of the part.
func (c cosinePart) ReadRows(dst embedding.Matrix, from int) error {
	images, err := unitRows(c.images, "images", from, from+dst.Rows)
	if err != nil {
		return err
	}
	return cosines{images, c.texts}.ReadRows(dst, 0)
}

// unitRows reads rows and normalizes them.
func unitRows(rows *embedding.Stored, side string, from, to int) (embedding.Matrix, error) {
	m := embedding.NewMatrix(to-from, rows.Columns)
	err := rows.Read(m, from)
	if err == nil {
		m, err = m.Normalized()
	}
	if err != nil {
		return m, fmt.Errorf("retrieval: %s from row %d: %w", side, from, err)
	}
	return m, nil
}
