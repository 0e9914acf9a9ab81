package cuda

import (
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/special"
)

// symmetric is SymVLM: a network on each side, whose outputs are von Mises-Fisher distributions,
// and InfoNCE of the mean of both log-likelihoods, or of the logarithm of the integral of the
// product of both densities.
type symmetric struct {
	sides
	contrast
	networks [2]network
	tau      int
	mutual   int // 1 for the integral

	cosines               Address    // B×B; for the integral later overwritten by slopes
	mu, dOutputs          [2]Address // B×D
	kappas, wide, slopes  [2]Address // B; wide are double numbers
	zeros, logs, squares  Address    // B, B, 2B
	rowParts, columnParts Address    // of two sums each: tiles along a row × B, and along a column
	alongs, sums          [2]Address // B: of the columns for the texts, of the rows for the images
	bessel                table
}

var _ = supports(func(l device.SymmetricLoss) method { return &symmetric{mutual: number(l.Mutual)} })

func (y *symmetric) lay(t *training) {
	y.sides.training, y.contrast.training = t, t
	y.networks = [2]network{t.network(t.work.Widths), t.network(t.work.Widths)}
	y.tau = t.numbers(1)
	if y.mutual == 1 {
		y.bessel = t.bessel()
	}
}

func (y *symmetric) take(take taker) {
	y.sides.take(take)
	y.contrast.take(take)
	y.bessel.take(take)
	t := y.sides.training
	batch, over := t.work.Batch, grid(t.work.Batch)
	take(&y.cosines, batch*batch)
	take(&y.rowParts, 2*over.X*batch)
	take(&y.columnParts, 2*over.Y*batch)
	take.all(batch, &y.zeros, &y.logs)
	take(&y.squares, 2*batch)
	for side, n := range y.networks {
		take.all(batch*t.columns(), &y.mu[side], &y.dOutputs[side])
		take.all(batch, &y.kappas[side], &y.slopes[side], &y.alongs[side], &y.sums[side])
		take(&y.wide[side], 2*batch)
		n.take(take)
	}
}

// fill writes constant data.
func (y *symmetric) fill(d Driver) error {
	if err := d.Write(y.zeros, make([]float32, y.sides.training.work.Batch)); err != nil {
		return err
	}
	return y.bessel.write(d)
}

func (y *symmetric) differentiate(s *script, rows int) {
	t, columns, over, each := y.sides.training, y.sides.training.columns(), grid(rows), Size{tileColumns, 1}
	y.gather(s, rows)
	for side, n := range y.networks {
		n.forward(s, rows, y.inputs[side])
		s.rows("concentrate", rows, n.output(), y.mu[side], y.kappas[side], y.logs, y.wide[side], y.slopes[side], columns, float32(1), y.bessel.at)
	}
	s.multiply(Product{Dst: y.cosines, A: y.mu[images], B: y.mu[texts], Rows: rows, Inner: columns, Columns: rows, RightTransposed: true})
	s.run("symmetric_likelihoods", over, each, y.pairs, y.cosines, y.kappas[images], y.kappas[texts], y.wide[images], y.wide[texts], y.bessel.at, rows)
	l := logit{kind: "linear", logs: y.zeros, temperature: t.parameters.at(y.tau)} // the likelihoods are complete
	y.contrast.differentiate(s, rows, l)
	s.run("symmetric_pulls", over, each, y.pairs, y.rowParts, y.columnParts, y.cosines, y.kappas[images], y.kappas[texts], rows, y.mutual)
	y.addParts(s, rows)
	for side, n := range y.networks {
		own, other := y.mu[side], y.mu[1-side]
		if y.mutual == 1 {
			own, other = n.output(), y.networks[1-side].output()
		}
		s.multiply(Product{Dst: y.dOutputs[side], A: y.pairs, B: other, Rows: rows, Inner: rows, Columns: columns, LeftTransposed: side == texts})
		s.rows("symmetric_gradient", rows, y.dOutputs[side], y.squares.at(side*rows), own, y.kappas[side], y.slopes[side], y.alongs[side],
			y.sums[side], l.temperature, columns, y.mutual)
	}
	l.kappas = y.kappas[texts]
	y.report(s, rows, l, y.squares, 2)
	for side, n := range y.networks {
		n.backward(s, pass{rows: rows, input: y.inputs[side], dOutput: y.dOutputs[side]})
	}
}

// addParts adds the partial sums over rows and columns.
func (y *symmetric) addParts(s *script, rows int) {
	over := grid(rows)
	merge, merger := merging(rows)
	for side, parts := range [2]struct {
		of    Address
		count int
	}{texts: {y.columnParts, over.Y}, images: {y.rowParts, over.X}} {
		s.run("add_parts", merge, merger, y.alongs[side], parts.of, parts.count, rows)
		s.run("add_parts", merge, merger, y.sums[side], parts.of.at(parts.count*rows), parts.count, rows)
	}
}

// A table holds double numbers that a training only reads.
type table struct {
	values []float64
	at     Address
}

// bessel returns the table of the exact normalizer for the width of the embeddings.
func (t *training) bessel() table {
	return table{values: special.NewBesselI(float64(t.columns())/2 - 1).Table()}
}

func (b *table) take(take taker) {
	if b.values != nil {
		take(&b.at, 2*len(b.values))
	}
}

func (b *table) write(d Driver) error {
	if b.values == nil {
		return nil
	}
	words := make([]uint32, 0, 2*len(b.values))
	for _, value := range b.values {
		bits := math.Float64bits(value)
		words = append(words, uint32(bits), uint32(bits>>32))
	}
	return d.WriteWords(b.at, words)
}
