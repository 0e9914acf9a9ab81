package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// A gallery holds images and texts with the log-likelihoods of an adapter: inner products of unit
// images and the texts' parameters, plus a normalizer for each text.
type gallery struct {
	cpu           device.Device
	images, texts device.Matrix[float32]
	logs          []float32
	captionImages []int
	uncertainty   []float64
}

// newGallery returns a gallery with the sizes of COCO's validation set: 25,014 captions of 5,000
// images, at d=512.
func newGallery(cpu device.Device) *gallery {
	const images, texts, columns = 5_000, 25_014, 512
	source := rand.New(rand.NewPCG(3, 4))
	g := &gallery{cpu: cpu, images: device.NewMatrix[float32](images, columns), texts: device.NewMatrix[float32](texts, columns)}
	for i := range g.images.Values {
		g.images.Values[i] = float32(source.NormFloat64())
	}
	for i := range texts {
		image := i * images / texts
		g.captionImages = append(g.captionImages, image)
		for k := range g.texts.Row(i) {
			g.texts.Row(i)[k] = g.images.Row(image)[k] + 4*float32(source.NormFloat64())
		}
		g.logs = append(g.logs, float32(source.NormFloat64()))
		g.uncertainty = append(g.uncertainty, source.Float64())
	}
	return g
}

// Size returns the number of images and the number of texts.
func (g *gallery) Size() (images, texts int) { return g.images.Rows, g.texts.Rows }

// ReadRows computes the log-likelihoods of some images with all texts.
func (g *gallery) ReadRows(dst embedding.Matrix, from int) error {
	some := device.Matrix[float32](embedding.Matrix(g.images).RowRange(from, from+dst.Rows))
	g.cpu.Affine(device.Matrix[float32](dst), some, g.texts, device.Bias[float32]{Values: g.logs})
	return nil
}

// evaluate ranks both directions and computes recall, S and R² over ten levels.
func (g *gallery) evaluate() error {
	ranking, err := retrieval.Rank(g, g.captionImages)
	if err != nil {
		return err
	}
	_, err = ranking.Report(g.uncertainty, 10)
	return err
}

const evaluationName = "evaluation, 25014 captions, 5000 images, d=512"

// evaluation compares an evaluation with all levels with the matrix product of its scores,
// alternating between the two.
func evaluation(w io.Writer, cpu device.Device, p plan) error {
	if p.only != nil && !p.only.MatchString(evaluationName) {
		return nil
	}
	g := newGallery(cpu)
	scores := device.NewMatrix[float32](g.images.Rows, g.texts.Rows)
	var whole, bare results
	for range p.rounds {
		var failed error
		bare.own = append(bare.own, repeat(p.slice, func() { cpu.ProductRightTransposed(scores, g.images, g.texts) }))
		whole.own = append(whole.own, repeat(p.slice, func() {
			if err := g.evaluate(); err != nil {
				failed = err
			}
		}))
		if failed != nil {
			return failed
		}
	}
	var clocks, processors []float64
	for i, c := range whole.own {
		clocks, processors = append(clocks, c.clock/bare.own[i].clock), append(processors, c.processor/bare.own[i].processor)
	}
	_, product := bare.medians("")
	_, all := whole.medians("")
	_, err := fmt.Fprintf(w, "\n| %s | CPU, ms | relative to the product: wall, CPU |\n|---|---|---|\n"+
		"| the matrix product of all scores | %.0f | |\n| evaluation with all levels | %.0f | ×%.2f ×%.2f |\n",
		evaluationName, 1e3*product, 1e3*all, median(clocks), median(processors))
	return err
}
