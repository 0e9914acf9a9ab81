package adapter

import (
	"cmp"
	"math/rand/v2"
	"sync"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// A batchLoader assembles batches, one ahead of the running step, so that rows of a data set in a
// file are read from disk during the previous step. The pairs of a batch depend only on the seed
// and the step number.
type batchLoader struct {
	set      *embedding.Set
	rows     [2]*embedding.Stored // of the set, by nn.Side
	seed     uint64
	perEpoch int        // steps
	steps    int        // total
	stretch  [2]float32 // factors on raw embeddings, by nn.Side
	order    []int      // of the pairs in the current epoch
	buffers  [2]batch
}

// A batch holds the raw embeddings of some pairs.
type batch struct {
	texts, images embedding.Matrix
	pairImages    []int    // index of the image of every pair
	positives     [][2]int // right pairs beside the diagonal, by rows of the batch: image, text
	rows          int
	err           error // from reading the set
}

func newGatherer(set *embedding.Set, options Options, size int) *batchLoader {
	g := &batchLoader{set: set, seed: options.Seed, order: make([]int, set.Texts.Rows), stretch: [2]float32{1, 1}}
	sides := set.Sides()
	g.rows = [2]*embedding.Stored{nn.Images: sides[0], nn.Texts: sides[1]}
	g.perEpoch = (len(g.order) + size - 1) / size
	g.steps = stepsOf(options, g.perEpoch)
	for i := range g.buffers {
		g.buffers[i] = batch{texts: embedding.NewMatrix(size, set.Texts.Columns),
			images: embedding.NewMatrix(size, set.Images.Columns), pairImages: make([]int, size)}
	}
	return g
}

// start gathers the batches of all steps beginning at from. The function next returns them in
// order; each is valid until the following call. The function stop ends the work and returns once
// the set is no longer being read.
func (g *batchLoader) start(from int) (next func() *batch, stop func()) {
	free, ready, done := make(chan *batch, len(g.buffers)), make(chan *batch), make(chan struct{})
	for i := range g.buffers {
		free <- &g.buffers[i]
	}
	var running sync.WaitGroup
	// The goroutine owns the order and the free buffers. It ends after the last step or when done
	// is closed.
	running.Go(func() {
		for step := from; step < g.steps; step++ {
			if step == from || step%g.perEpoch == 0 {
				g.shuffle(step / g.perEpoch)
			}
			var b *batch
			select {
			case b = <-free:
			case <-done:
				return
			}
			g.fill(b, step)
			select {
			case ready <- b:
			case <-done:
				return
			}
		}
	})
	var lent *batch
	next = func() *batch {
		if lent != nil {
			free <- lent
		}
		lent = <-ready
		return lent
	}
	return next, func() {
		close(done)
		running.Wait()
	}
}

// shuffle randomizes the order of the pairs for an epoch, counted from 0.
func (g *batchLoader) shuffle(epoch int) {
	for i := range g.order {
		g.order[i] = i
	}
	source := rand.New(rand.NewPCG(g.seed, uint64(epoch)+1))
	source.Shuffle(len(g.order), func(i, j int) { g.order[i], g.order[j] = g.order[j], g.order[i] })
}

// fill copies the pairs of a step, counted from 0, into a batch.
func (g *batchLoader) fill(b *batch, step int) {
	size := b.texts.Rows
	from := step % g.perEpoch * size
	chosen := g.order[from:min(from+size, len(g.order))]
	b.rows, b.err = len(chosen), nil
	for row, caption := range chosen {
		b.pairImages[row] = g.imageOf(caption, step/g.perEpoch)
		b.err = cmp.Or(b.err, g.rows[nn.Texts].Row(b.texts.Row(row), caption), g.rows[nn.Images].Row(b.images.Row(row), b.pairImages[row]))
	}
	b.positives = b.positives[:0]
	if g.set.Positives != nil {
		for text, caption := range chosen {
			for image := range chosen {
				if image != text && g.set.Describes(caption, b.pairImages[image]) {
					b.positives = append(b.positives, [2]int{image, text})
				}
			}
		}
	}
	for side, m := range [2]embedding.Matrix{nn.Texts: b.texts, nn.Images: b.images} {
		if factor := g.stretch[side]; factor != 1 {
			scaleInput(m.Values, factor)
		}
	}
}

// imageOf returns the image with which a caption forms a pair in an epoch: its only one, or one of
// its positives that is drawn by the seed, the epoch and the caption.
func (g *batchLoader) imageOf(caption, epoch int) int {
	images := g.set.ImagesOf(caption)
	if len(images) == 1 {
		return images[0]
	}
	return images[rand.New(rand.NewPCG(g.seed+uint64(epoch)<<32, uint64(caption)+1)).IntN(len(images))]
}
